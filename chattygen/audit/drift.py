"""Drift: the gold of a file on the graph of which it was made and on a newer one, and why they differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from chattyshared.check import Finding
from chattyshared.dialogue import Value
from chattyshared.endpoint import Endpoint
from chattyshared.errors import QUERY_ERRORS, ConfigError
from chattyshared.formats.gold import GoldFile
from chattyshared.kg import KnowledgeGraph
from chattyshared.questions import Question
from chattyshared.runs.containment import UnexpectedError, catch_unexpected
from chattyshared.sparql.analysis import analyze_query
from chattyshared.sparql.gold_queries import QueryRun, run_query
from chattyshared.sparql.rewriting import replace_iris
from rdflib import URIRef

from chattygen.audit.answer_agreement import is_blank, result_rows, states_result
from chattygen.audit.renames import RenameFinder
from chattygen.audit.touched_triples import compare_triples
from chattygen.lint.entity_names import mentions_name

DRIFT_KINDS: Mapping[str, str] = {
    "data-changed": "triples that the query touches came, or came and went",
    "data-lost": "triples that the query touches went",
    "schema-renamed": "a predicate or class is renamed; the rewritten query gives the old gold",
    "query-broken": "the query fails on the new graph alone",
    "gold-was-wrong": "the old graph does not give the stated gold",
    "label-changed": "answers, or things that the question names, have other labels",
}
"""Every kind of drift with what it means."""
MAX_SHOWN_TRIPLES = 3
"""Triples that a finding quotes of those that came and of those that went."""


@dataclass(frozen=True, slots=True)
class QuestionDrift:
    """What became of one question: findings, both results, the triples behind the query that came and went, the new
    names of its predicates and classes, and the query with them (empty: it stays as it is).

    ``unexpected`` is the type and place of an unexpected exception, ``failure`` why nothing was compared.
    """

    question: Question
    findings: tuple[Finding, ...] = ()
    old: QueryRun = QueryRun()
    new: QueryRun = QueryRun()
    came: tuple[str, ...] = ()
    went: tuple[str, ...] = ()
    renames: tuple[tuple[str, str], ...] = ()
    rewritten: str = ""
    failure: str = ""
    unexpected: str = ""


@dataclass(frozen=True, slots=True)
class DriftReport:
    """The drift of each question with a query, in the file's order, between two graphs."""

    gold: GoldFile
    old_graph: str
    new_graph: str
    drifts: tuple[QuestionDrift, ...]

    @property
    def by_kind(self) -> Mapping[str, int]:
        """How many questions have drifted in each way."""
        counts = Counter(kind for drift in self.drifts for kind in {finding.kind for finding in drift.findings})
        return {kind: counts[kind] for kind in DRIFT_KINDS}

    @property
    def drifted(self) -> tuple[QuestionDrift, ...]:
        """The questions that have drifted."""
        return tuple(drift for drift in self.drifts if drift.findings)

    @property
    def failed(self) -> tuple[QuestionDrift, ...]:
        """The questions that were not compared."""
        return tuple(drift for drift in self.drifts if drift.failure)

    @property
    def unchanged(self) -> int:
        """How many questions have the same gold, names and labels as before."""
        return len(self.drifts) - len(self.drifted) - sum(1 for drift in self.failed if not drift.findings)

    @property
    def unexpected(self) -> Counter[str]:
        """How many questions ended in unexpected errors, by type and place."""
        return Counter(drift.unexpected for drift in self.drifts if drift.unexpected)

    @property
    def blank_count(self) -> int:
        """How many questions have blank nodes as answers."""
        return sum(1 for drift in self.drifts if any(map(is_blank, (*drift.old.values, *drift.new.values))))

    def to_json(self) -> dict[str, Any]:
        """Return everything as one object."""
        counts = {"unchanged": self.unchanged, "drifted": len(self.drifted), "not_compared": len(self.failed)}
        return {
            **{"file": str(self.gold.path), "format": self.gold.format, "since": self.old_graph, "kg": self.new_graph},
            **{"questions": len(self.gold.questions), "queries": len(self.drifts), **counts, "blank": self.blank_count},
            "by_kind": dict(self.by_kind),
            "found": [_drift_to_json(drift) for drift in self.drifted],
            "failures": [{"id": drift.question.id, "said": drift.failure} for drift in self.failed],
            "notes": list(self.gold.user_notes()),
        }


def compare_graphs(
    gold: GoldFile, old: KnowledgeGraph, new: KnowledgeGraph, on_progress: Callable[[], None] = lambda: None
) -> DriftReport:
    """Compare the gold of each question on two graphs; ``on_progress`` is called after each.

    Raises:
        ConfigError: no question has a query.
        EndpointUnavailable: an endpoint does not answer.
    """
    comparison, drifts = _Comparison(old, new), []
    for question in (each for each in gold.questions if each.sparql):
        drift = catch_unexpected(partial(comparison.compare, question))
        if isinstance(drift, UnexpectedError):
            drift = QuestionDrift(question, failure=drift.sentence, unexpected=str(drift))
        drifts.append(drift)
        on_progress()
    if not drifts:
        raise ConfigError(f"{gold.path}: no question has a query, so nothing shows what has changed")
    return DriftReport(gold, old.name, new.name, tuple(drifts))


class _Comparison:
    """Two graphs with their views for untrusted queries, and the renames that are known."""

    def __init__(self, old: KnowledgeGraph, new: KnowledgeGraph) -> None:
        self.old, self.new = old, new
        self._views: tuple[Endpoint, Endpoint] = (old.endpoint.untrusted_view(), new.endpoint.untrusted_view())
        self._renames = RenameFinder(old, new)

    def compare(self, question: Question) -> QuestionDrift:
        """Return what became of a question."""
        old_run = run_query(self.old, question.sparql, self._views[0])
        new_run = run_query(self.new, question.sparql, self._views[1])
        drift = QuestionDrift(question, old=old_run, new=new_run)
        if old_run.failure:
            return replace(drift, failure=f"on the old graph: {old_run.failure}", unexpected=old_run.unexpected)
        findings = []
        if question.gold() is not None and not states_result(question, old_run):
            findings.append(Finding("gold-was-wrong", f"the old graph gives {_list(old_run.values)}"))
        try:
            drift = self._classify(drift)
            findings += [*drift.findings, *self._renamed_things(question)]
        except QUERY_ERRORS as error:
            drift = replace(drift, failure=" ".join(str(error).split())[:200])
        return replace(drift, findings=tuple(findings))

    def _classify(self, drift: QuestionDrift) -> QuestionDrift:
        """Add why the results differ."""
        old_run, new_run, question = drift.old, drift.new, drift.question
        if new_run.failure:
            return replace(drift, findings=(Finding("query-broken", new_run.failure),), unexpected=new_run.unexpected)
        if result_rows(old_run) == result_rows(new_run):
            return replace(drift, findings=tuple(_changed_labels(old_run, new_run)))
        query = analyze_query(question.sparql)
        renames = self._renames.find_renames(query)
        names = ", ".join(f"<{before}> is now <{now}>" for before, now in renames.items())
        if renames:
            rewritten = replace_iris(question.sparql, renames)
            again = run_query(self.new, rewritten, self._views[1])
            if not again.failure and result_rows(again) == result_rows(old_run):
                findings = (Finding("schema-renamed", names),)
                return replace(drift, findings=findings, new=again, renames=tuple(renames.items()), rewritten=rewritten)
        came, went = compare_triples(query, *self._views)
        kind = "data-lost" if went and not came or not (went or came or new_run.values) else "data-changed"
        guess = f". It may be that {names}, but the rewritten query does not give the old gold" if renames else ""
        message = f"{_change_text(drift, came, went)}{guess}"
        return replace(drift, findings=(Finding(kind, message),), came=came, went=went)

    def _renamed_things(self, question: Question) -> Iterator[Finding]:
        """Yield things of the query whose name in the question is not theirs any more."""
        texts = f"{question.question}\n{question.standalone}"
        terms = [URIRef(iri) for iri in analyze_query(question.sparql).iris]
        before = {iri: name for iri, name in self.old.labels(terms).items() if name and mentions_name(texts, name)}
        now = self.new.labels(before) if before else {}
        for iri, name in before.items():
            is_there = now[iri] != name and self.new.endpoint.ask(f"ASK {{ <{iri}> ?p ?o }}")
            if is_there and not mentions_name(texts, now[iri]):
                yield Finding("label-changed", f'the question says "{name}", but <{iri}> is now called "{now[iri]}"')


def _changed_labels(old_run: QueryRun, new_run: QueryRun) -> Iterator[Finding]:
    labels = {value.value: value.label for value in new_run.values if value.kind == "iri" and not is_blank(value)}
    changed = [value for value in old_run.values if labels.get(value.value, value.label) != value.label]
    if changed:
        first, more = changed[0], f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        now = labels[first.value]
        yield Finding("label-changed", f'<{first.value}> was called "{first.label}" and is called "{now}"{more}')


def _change_text(drift: QuestionDrift, came: tuple[str, ...], went: tuple[str, ...]) -> str:
    sides = (
        f"{name}: {'; '.join(triples[:MAX_SHOWN_TRIPLES])}"
        + (f" and {len(triples) - MAX_SHOWN_TRIPLES} more" if len(triples) > MAX_SHOWN_TRIPLES else "")
        for name, triples in (("went", went), ("came", came))
        if triples
    )
    why = ". ".join(sides) or "the triples behind it are not known"
    return f"{_list(drift.old.values)} became {_list(drift.new.values)}. {why}"


def _list(values: tuple[Value, ...]) -> str:
    more = f" and {len(values) - MAX_SHOWN_TRIPLES} more" if len(values) > MAX_SHOWN_TRIPLES else ""
    return ", ".join(value.text for value in values[:MAX_SHOWN_TRIPLES]) + more if values else "nothing"


def _drift_to_json(drift: QuestionDrift) -> dict[str, Any]:
    found = {
        "id": drift.question.id,
        "question": drift.question.question,
        "kinds": [{"kind": finding.kind, "said": finding.message} for finding in drift.findings],
        "old": [value.value for value in drift.old.values],
        "new": [value.value for value in drift.new.values],
    }
    optional = {
        "came": list(drift.came), "went": list(drift.went), "renames": dict(drift.renames),
        "rewritten": drift.rewritten,
    }  # fmt: skip
    return {**found, **{key: value for key, value in optional.items() if value}}
