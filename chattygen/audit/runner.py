"""The audit: run each gold query on the knowledge graph, and compare its result with what the file states."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from chattyshared.certificates import certificate_from_json
from chattyshared.check import Finding, list_first
from chattyshared.dialogue import Value
from chattyshared.endpoint import Endpoint
from chattyshared.errors import QUERY_ERRORS
from chattyshared.formats.gold import GoldFile, QueryRepair
from chattyshared.kg import KnowledgeGraph
from chattyshared.literals import parse_number
from chattyshared.questions import Question
from chattyshared.runs.containment import UnexpectedError, catch_unexpected
from chattyshared.sparql.analysis import analyze_query
from chattyshared.sparql.gold_queries import QueryRun, run_query
from chattyshared.sparql.result_comparison import states_result
from chattyshared.text import cut_text

from chattygen.audit.question_checks import ambiguous_names, leaked_answer
from chattygen.audit.report import AuditReport, Verdict
from chattygen.planning.invented_names import borne_names

MAX_QUOTED = 160
"""Letters of a query that a finding quotes."""
MAX_ERROR_LENGTH = 200
"""Letters of an endpoint's error that a finding quotes."""


def audit_gold(gold: GoldFile, kg: KnowledgeGraph, on_progress: Callable[[], None] = lambda: None) -> AuditReport:
    """Audit a file of gold; ``on_progress`` is called after each question.

    Raises:
        EndpointUnavailable: the endpoint does not answer.
    """
    changes = {change.id: change for change in gold.changes}
    questions = gold.questions
    duplicates = _find_duplicates(questions)
    untrusted = kg.endpoint.untrusted_view()
    verdicts = []
    for question in questions:
        verdict = _judge_safely(question, changes.get(str(question.id)), kg, untrusted)
        duplicate = duplicates.get(str(question.id))
        duplicate_findings = (Finding("duplicate", duplicate),) if duplicate else ()
        verdicts.append(replace(verdict, findings=(*verdict.findings, *duplicate_findings)))
        on_progress()
    return AuditReport(gold, tuple(verdicts))


def _judge_safely(question: Question, change: QueryRepair | None, kg: KnowledgeGraph, untrusted: Endpoint) -> Verdict:
    """Judge one question; an unexpected exception becomes its finding."""
    verdict = catch_unexpected(partial(_judge, question, change, kg, untrusted))
    if isinstance(verdict, UnexpectedError):
        return Verdict(question, (Finding("not-judged", verdict.sentence),), unexpected=str(verdict))
    return verdict


def _judge(question: Question, change: QueryRepair | None, kg: KnowledgeGraph, untrusted: Endpoint) -> Verdict:
    findings = list(_read_findings(question, change))
    query_run = None
    if question.sparql and not (change and change.fault):
        query_run = run_query(kg, question.sparql, untrusted)
        findings += _run_findings(question, query_run)
    query = analyze_query(question.sparql)
    try:
        findings += _certificate_findings(question, kg)
        findings += [Finding("ambiguous-name", message) for message in ambiguous_names(question, query, kg)]
    except QUERY_ERRORS as error:
        findings.append(
            Finding("not-judged", f"names are not looked up: {' '.join(str(error).split())[:MAX_ERROR_LENGTH]}")
        )
    leak = leaked_answer(
        question, query, query_run.values if query_run and query_run.rows else _stated_answers(question)
    )
    findings += [Finding("answer-in-question", leak)] if leak else []
    return Verdict(question, tuple(findings), query_run, query_run.unexpected if query_run else "")


def _read_findings(question: Question, change: QueryRepair | None) -> Iterator[Finding]:
    """Yield what reading the query has shown."""
    if not question.sparql and question.gold() is None:
        yield Finding("no-gold", f'no query and no answers: "{question.question}"')
    if change and change.fault:
        is_valid = change.fault.startswith(("FROM", "SERVICE", "calls a function", "longer than", "too deeply"))
        yield Finding(
            "does-not-run" if is_valid else "not-sparql", f"{change.fault}: {cut_text(change.original, MAX_QUOTED)}"
        )
    elif change and change.was_dialect:
        yield Finding("dialect", f"{', '.join(change.changes)}: {cut_text(change.original, MAX_QUOTED)}")


def _run_findings(question: Question, query_run: QueryRun) -> Iterator[Finding]:
    """Yield what running the query has shown; an empty result is right if the file states that."""
    if query_run.failure:
        yield Finding("does-not-run", query_run.failure)
        return
    if not query_run.values and question.extra.get("answerable") is not False:
        yield Finding("empty", f'nothing: "{question.question}"')
    if question.gold() is not None and not states_result(question, query_run):
        stated = [" = ".join(texts) for texts in question.gold() or ()]
        yield Finding(
            "differs",
            f"the query gives {list_first(map(_value_text, query_run.values))}, the file says {list_first(stated)}",
        )


def _certificate_findings(question: Question, kg: KnowledgeGraph) -> Iterator[Finding]:
    """Yield the names that the certificate of an unanswerable question excludes, and that the graph knows."""
    certificate = question.extra.get("certificate")
    if not isinstance(certificate, dict):
        return
    names = borne_names(kg, certificate_from_json(certificate).names)
    if names:
        yield Finding("refuted", f'"{", ".join(names)}" is known: "{question.question}"')


def _find_duplicates(questions: Sequence[Question]) -> dict[str, str]:
    """Return, by id, a message that names the earlier equal question: by its words, or within one dialogue by its
    query."""
    id_by_words: dict[tuple[str, str], str] = {}
    id_by_query: dict[tuple[str, str], str] = {}
    messages = {}
    for question in questions:
        id, dialogue_id = str(question.id), "" if question.dialogue_id is None else str(question.dialogue_id)
        standalone = question.standalone or ("" if dialogue_id else question.question)
        # The same follow-up ("When was that?") can have another meaning in each dialogue.
        words_key = ("" if standalone else f"{dialogue_id} {question.answers} {question.sparql}",
                f"{question.kg} {_fold(standalone or question.question)}")  # fmt: skip
        query_key = (dialogue_id, " ".join(question.sparql.split()))
        if words_key in id_by_words:
            messages[id] = f'asked before as {id_by_words[words_key]}: "{standalone or question.question}"'
        elif dialogue_id and question.sparql and query_key in id_by_query:
            messages[id] = f"its query is that of {id_by_query[query_key]}"
        id_by_words.setdefault(words_key, id)
        id_by_query.setdefault(query_key, id)
    return messages


def _fold(text: str) -> str:
    return " ".join("".join(letter if letter.isalnum() else " " for letter in text.casefold()).split())


def _stated_answers(question: Question) -> tuple[Value, ...]:
    """Return the answers that the file states, with their labels."""
    labels = question.answer_labels if len(question.answer_labels) == len(question.answers or ()) else ()
    label_by_text = dict(zip(question.answers or (), labels, strict=True)) if labels else {}
    return tuple(
        Value(text, "iri" if "://" in text else "number" if parse_number(text) is not None else "literal",
              label=label_by_text.get(text, ""))
        for text in question.answers or ()
    )  # fmt: skip


def _value_text(value: Value) -> str:
    return value.value if not value.label or value.kind != "iri" else f"{value.label} <{value.value}>"
