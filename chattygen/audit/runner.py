"""The audit: run each gold query on the knowledge graph, and compare its result with what the file states."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from chattyshared import benchmark
from chattyshared.answers import parse_values_with_labels
from chattyshared.benchmark import Benchmark
from chattyshared.check import Finding, list_first
from chattyshared.dialogue import Triples, Value
from chattyshared.endpoint import Endpoint
from chattyshared.errors import QUERY_ERRORS, BudgetSpent, ChattyError, ModelUnavailable
from chattyshared.formats.gold import GoldFile, QueryRepair
from chattyshared.kg import KnowledgeGraph
from chattyshared.questions import Question
from chattyshared.runs.containment import UnexpectedError, catch_unexpected
from chattyshared.runs.runner import ThreadRunner
from chattyshared.sparql.analysis import analyze_query
from chattyshared.sparql.gold_queries import QueryRun, run_query
from chattyshared.sparql.result_comparison import states_result
from chattyshared.text import cut_text

from chattygen.audit.certification import Certifier, conclude, former_certificate
from chattygen.audit.question_checks import ambiguous_names, leaked_answer
from chattygen.audit.report import AuditReport, Verdict
from chattygen.context.names import borne_names

MAX_QUOTED = 160
"""Letters of a query that a finding quotes."""
MAX_ERROR_LENGTH = 200
"""Letters of an endpoint's error that a finding quotes."""


@dataclass(slots=True)
class _Auditor:
    """What questions are audited with; ``stopped`` says why no more of them get a certificate."""

    kg: KnowledgeGraph
    untrusted: Endpoint
    changes: Mapping[str, QueryRepair]
    duplicates: Mapping[str, str]
    witnesses: Mapping[str, Triples]
    certifier: Certifier | None
    stopped: ChattyError | None = None


def audit_gold(
    gold: GoldFile,
    kg: KnowledgeGraph,
    on_progress: Callable[[], None] = lambda: None,
    certifier: Certifier | None = None,
    *,
    workers: int = 1,
) -> AuditReport:
    """Audit a file of gold; ``on_progress`` is called after each question.

    With a ``certifier`` each verdict has a certificate; with a model, ``workers`` questions at a time. If the model or
    the budget ends, the others have none, and ``stopped`` says why.

    Raises:
        EndpointUnavailable: the endpoint does not answer.
    """
    changes, duplicates = {change.id: change for change in gold.changes}, _find_duplicates(gold.questions)
    witnesses = {
        benchmark.turn_id(dialogue, turn): turn.witness
        for dialogue in (gold.content.dialogues if isinstance(gold.content, Benchmark) else ())
        for turn in dialogue.turns
    }
    auditor = _Auditor(kg, kg.endpoint.untrusted_view(), changes, duplicates, witnesses, certifier)
    runner = ThreadRunner(workers if certifier and certifier.translator else 1)
    verdicts: dict[int, Verdict] = {}
    for index, verdict in runner.map_unordered(_audit, auditor, gold.questions):
        verdicts[index] = verdict
        on_progress()
    report = AuditReport(gold, tuple(verdict for _, verdict in sorted(verdicts.items())), stopped=auditor.stopped)
    if certifier is None:
        return report
    notes = certifier.second.notes if certifier.second else ()
    return replace(report, kinds={**report.kinds, **certifier.kinds}, notes=notes)


def _audit(auditor: _Auditor, question: Question) -> Verdict:
    """Judge and certify one question; an unexpected exception becomes its finding."""
    judged = catch_unexpected(partial(_judge, auditor, question))
    verdict = Verdict(question).with_unexpected(judged) if isinstance(judged, UnexpectedError) else judged
    if duplicate := auditor.duplicates.get(verdict.id):
        verdict = replace(verdict, findings=(*verdict.findings, Finding("duplicate", duplicate)))
    if auditor.certifier is None or auditor.stopped is not None:
        return verdict
    certify = partial(auditor.certifier.certify, verdict, auditor.witnesses.get(verdict.id, ()))
    try:
        certified = catch_unexpected(certify)
    except (ModelUnavailable, BudgetSpent) as error:
        auditor.stopped = error
        return verdict
    if isinstance(certified, UnexpectedError):
        return conclude(verdict.with_unexpected(certified), former_certificate(question).exclusions)
    return certified


def _judge(auditor: _Auditor, question: Question) -> Verdict:
    kg, change = auditor.kg, auditor.changes.get(str(question.id))
    findings = list(_read_findings(question, change))
    query_run = None
    if question.sparql and not (change and change.fault):
        query_run = run_query(kg, question.sparql, auditor.untrusted)
        findings += _run_findings(question, query_run)
    query = analyze_query(question.sparql)
    try:
        if names := borne_names(kg, former_certificate(question).names):
            findings.append(Finding("refuted", f'"{", ".join(names)}" is known: "{question.question}"'))
        findings += [Finding("ambiguous-name", message) for message in ambiguous_names(question, query, kg)]
    except QUERY_ERRORS as error:
        message = " ".join(str(error).split())[:MAX_ERROR_LENGTH]
        findings.append(Finding("not-judged", f"names are not looked up: {message}"))
    stated = parse_values_with_labels(question.answers or (), question.answer_labels)
    leak = leaked_answer(question, query, query_run.values if query_run and query_run.rows else stated)
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


def _value_text(value: Value) -> str:
    return value.value if not value.label or value.kind != "iri" else f"{value.label} <{value.value}>"
