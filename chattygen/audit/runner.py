"""The audit: each gold query is run on the knowledge graph, and what it gives is held against what the file says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

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

from chattygen.audit.answer_agreement import agrees_with_gold
from chattygen.audit.finding import FINDING_KINDS, AuditFinding, Verdict
from chattygen.audit.question_checks import ambiguous_names, leaked_answer


@dataclass(frozen=True, slots=True)
class AuditReport:
    """A file and what was found at each of its questions, in the file's order."""

    gold: GoldFile
    verdicts: tuple[Verdict, ...]

    @property
    def by_kind(self) -> Mapping[str, int]:
        """How many questions have a finding of each kind."""
        counts = Counter(kind for verdict in self.verdicts for kind in {f.kind for f in verdict.findings})
        return {kind: counts[kind] for kind in FINDING_KINDS}

    @property
    def unexpected(self) -> Counter[str]:
        """How many questions ended in unexpected errors, by type and place."""
        return Counter(verdict.unexpected for verdict in self.verdicts if verdict.unexpected)

    @property
    def added_gold_count(self) -> int:
        """How many questions had a query and no answers: their answers were made."""
        return sum(
            1
            for each in self.verdicts
            if each.question.gold() is None and each.query_run and not each.query_run.failure
        )

    def to_json(self) -> dict[str, Any]:
        """Return everything as one object: figures, findings by question, and what was done on reading."""
        return {
            "file": str(self.gold.path),
            "format": self.gold.format,
            "questions": len(self.verdicts),
            "queries": sum(1 for verdict in self.verdicts if verdict.question.sparql),
            "mended": sum(1 for change in self.gold.changes if change.changes),
            "hopeless": sum(1 for change in self.gold.changes if change.fault),
            "answers_made": self.added_gold_count,
            "with_findings": sum(1 for verdict in self.verdicts if verdict.findings),
            "by_kind": dict(self.by_kind),
            "found": [
                {"id": verdict.question.id, "kind": finding.kind, "said": finding.message}
                for verdict in self.verdicts
                for finding in verdict.findings
            ],
            "notes": list(self.gold.user_notes()),
        }


def audit_gold(gold: GoldFile, kg: KnowledgeGraph, on_progress: Callable[[], None] = lambda: None) -> AuditReport:
    """Audit a file of gold; ``watch`` is called after each question.

    Raises:
        EndpointUnavailable: the endpoint does not answer.
    """
    changes = {change.id: change for change in gold.changes}
    asked = gold.questions
    before = _duplicates(asked)
    foreign = kg.endpoint.untrusted_view()
    verdicts = []
    for question in asked:
        found = _contained(question, changes.get(str(question.id)), kg, foreign)
        again = before.get(str(question.id))
        more = (AuditFinding("duplicate", again),) if again else ()
        verdicts.append(replace(found, findings=(*found.findings, *more)))
        on_progress()
    return AuditReport(gold, tuple(verdicts))


def _contained(question: Question, change: QueryRepair | None, kg: KnowledgeGraph, foreign: Endpoint) -> Verdict:
    """Judge one question; an unexpected exception is what is found at it."""
    found = catch_unexpected(partial(_judged, question, change, kg, foreign))
    if isinstance(found, UnexpectedError):
        return Verdict(question, (AuditFinding("not-judged", found.sentence),), unexpected=str(found))
    return found


def _judged(question: Question, change: QueryRepair | None, kg: KnowledgeGraph, foreign: Endpoint) -> Verdict:
    found = list(_reading(question, change))
    ran = None
    if question.sparql and not (change and change.fault):
        ran = run_query(kg, question.sparql, foreign)
        found += _running(question, ran)
    query = analyze_query(question.sparql)
    try:
        found += [AuditFinding("ambiguous-name", said) for said in ambiguous_names(question, query, kg)]
    except QUERY_ERRORS as error:
        found.append(AuditFinding("not-judged", f"names are not looked up: {' '.join(str(error).split())[:200]}"))
    away = leaked_answer(question, query, ran.values if ran and ran.rows else _stated(question))
    found += [AuditFinding("answer-in-question", away)] if away else []
    return Verdict(question, tuple(found), ran, ran.unexpected if ran else "")


def _reading(question: Question, change: QueryRepair | None) -> Iterator[AuditFinding]:
    """Say what reading the query has shown."""
    if not question.sparql and question.gold() is None:
        yield AuditFinding("no-gold", f'no query and no answers: "{question.question}"')
    if change and change.fault:
        is_read = change.fault.startswith(("FROM", "SERVICE", "calls a function", "longer than", "too deeply"))
        yield AuditFinding("does-not-run" if is_read else "not-sparql", f"{change.fault}: {_short(change.original)}")
    elif change and change.was_dialect:
        yield AuditFinding("dialect", f"{', '.join(change.changes)}: {_short(change.original)}")


def _running(question: Question, ran: QueryRun) -> Iterator[AuditFinding]:
    """Say what running the query has shown; that nothing is the answer is right where the file says so itself."""
    if ran.failure:
        yield AuditFinding("does-not-run", ran.failure)
        return
    if not ran.values and question.extra.get("answerable") is not False:
        yield AuditFinding("empty", f'nothing: "{question.question}"')
    if question.gold() is not None and not agrees_with_gold(question, ran):
        stated = [" = ".join(texts) for texts in question.gold() or ()]
        yield AuditFinding(
            "differs", f"the query gives {_some(map(_called, ran.values))}, the file says {_some(stated)}"
        )


def _duplicates(asked: Sequence[Question]) -> dict[str, str]:
    """Return, by id, which earlier question is the same: by its words, or within one dialogue by its query."""
    words: dict[tuple[str, str], str] = {}
    queries: dict[tuple[str, str], str] = {}
    found = {}
    for question in asked:
        id, talk = str(question.id), "" if question.dialogue_id is None else str(question.dialogue_id)
        alone = question.standalone or ("" if talk else question.question)
        # The same follow-up ("When was that?") may ask for something else each time.
        said = ("" if alone else f"{talk} {question.answers} {question.sparql}",
                f"{question.kg} {_plain(alone or question.question)}")  # fmt: skip
        ran = (talk, " ".join(question.sparql.split()))
        if said in words:
            found[id] = f'asked before as {words[said]}: "{alone or question.question}"'
        elif talk and question.sparql and ran in queries:
            found[id] = f"its query is that of {queries[ran]}"
        words.setdefault(said, id)
        queries.setdefault(ran, id)
    return found


def _plain(text: str) -> str:
    return " ".join("".join(letter if letter.isalnum() else " " for letter in text.casefold()).split())


def _stated(question: Question) -> tuple[Value, ...]:
    """Return what the file states as answers, with what it calls them."""
    labels = question.answer_labels if len(question.answer_labels) == len(question.answers or ()) else ()
    named = dict(zip(question.answers or (), labels, strict=True)) if labels else {}
    return tuple(
        Value(text, "iri" if "://" in text else "number" if parse_number(text) is not None else "literal",
              label=named.get(text, ""))
        for text in question.answers or ()
    )  # fmt: skip


def _called(value: Value) -> str:
    return value.value if not value.label or value.kind != "iri" else f"{value.label} <{value.value}>"


def _some(texts: Any, most: int = 3) -> str:
    listed = list(texts)
    more = f" and {len(listed) - most} more" if len(listed) > most else ""
    return ", ".join(listed[:most]) + more if listed else "nothing"


def _short(query: str) -> str:
    text = " ".join(query.split())
    return text if len(text) <= 160 else f"{text[:160]} ..."
