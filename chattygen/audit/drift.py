"""Drift: the gold of a file on the graph of which it was made and on a newer one, and why they differ."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from chattyshared.check import Finding, list_first
from chattyshared.dialogue import Value
from chattyshared.endpoint import Endpoint
from chattyshared.errors import QUERY_ERRORS, ConfigError
from chattyshared.formats.gold import GoldFile
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.labels import fallback_label
from chattyshared.questions import Question
from chattyshared.runs.containment import UnexpectedError, catch_unexpected
from chattyshared.sparql.analysis import TERM_TOKEN, analyze_query
from chattyshared.sparql.gold_queries import QueryRun, run_query
from chattyshared.sparql.rewriting import replace_iris
from rdflib import URIRef

from chattygen.audit.answer_agreement import is_blank, result_rows, states_result
from chattygen.audit.graph_changes import RenameFinder, compare_triples
from chattygen.audit.report import DRIFT_KINDS, NOT_COMPARED, AuditReport, Verdict
from chattygen.lint.entity_names import mentions_name


@dataclass(frozen=True, slots=True)
class QuestionDrift(Verdict):
    """What became of one question: besides the result on the new graph (``query_run``) that on the old one, the triples
    behind the query that came and went, the new names of its predicates and classes, and the query with them (empty: it
    stays as it is)."""

    old_run: QueryRun = QueryRun()
    came: tuple[str, ...] = ()
    went: tuple[str, ...] = ()
    renames: tuple[tuple[str, str], ...] = ()
    rewritten: str = ""

    @property
    def query(self) -> str:
        """The query that the repaired copy gets."""
        return self.rewritten or self.question.sparql

    @property
    def details(self) -> Mapping[str, Any]:
        """The answers on both graphs, and what is known about the change."""
        new = self.query_run.values if self.query_run else ()
        optional = {
            "came": list(self.came), "went": list(self.went), "renames": dict(self.renames),
            "rewritten": self.rewritten,
        }  # fmt: skip
        answers = {"old": [v.value for v in self.old_run.values], "new": [v.value for v in new]}
        return {**answers, **{key: value for key, value in optional.items() if value}}


def compare_graphs(
    gold: GoldFile, old: KnowledgeGraph, new: KnowledgeGraph, on_progress: Callable[[], None] = lambda: None
) -> AuditReport:
    """Compare the gold of each question on two graphs; the verdicts of the report are ``QuestionDrift``.

    ``on_progress`` is called after each question.

    Raises:
        ConfigError: no question has a query.
        EndpointUnavailable: an endpoint does not answer.
    """
    if not any(question.sparql for question in gold.questions):
        raise ConfigError(f"{gold.path}: no question has a query, so nothing shows what has changed")
    comparison, drifts = _Comparison(old, new), []
    for question in gold.questions:
        drift = catch_unexpected(partial(comparison.compare, question))
        if isinstance(drift, UnexpectedError):
            drift = QuestionDrift(question, (Finding(NOT_COMPARED, drift.sentence),), unexpected=str(drift))
        drifts.append(drift)
        on_progress()
    runs = [(drift.old_run, drift.query_run or QueryRun()) for drift in drifts]
    blank = sum(1 for run in runs if any(is_blank(value) for side in run for value in side.values))
    skipped = sum(1 for question in gold.questions if not question.sparql)
    notes = [f"{blank} have blank nodes as answers: only their number is compared"] * bool(blank)
    notes += [f"{skipped} questions have no query and are not compared"] * bool(skipped)
    return AuditReport(gold, tuple(drifts), DRIFT_KINDS, tuple(notes), since=old.name, kg=new.name)


class _Comparison:
    """Two graphs with their views for untrusted queries, and the renames that are known."""

    def __init__(self, old: KnowledgeGraph, new: KnowledgeGraph) -> None:
        self.old, self.new = old, new
        self._views: tuple[Endpoint, Endpoint] = (old.endpoint.untrusted_view(), new.endpoint.untrusted_view())
        self._renames = RenameFinder(old, new)

    def compare(self, question: Question) -> QuestionDrift:
        """Return what became of a question."""
        if not question.sparql:
            return QuestionDrift(question)
        old_run = run_query(self.old, question.sparql, self._views[0])
        new_run = run_query(self.new, question.sparql, self._views[1])
        if old_run.failure:
            finding = Finding(NOT_COMPARED, f"on the old graph: {old_run.failure}")
            return QuestionDrift(question, (finding,), new_run, old_run.unexpected, old_run)
        drift, findings = QuestionDrift(question, (), new_run, new_run.unexpected, old_run), []
        if question.gold() is not None and not states_result(question, old_run):
            findings.append(Finding("gold-was-wrong", f"the old graph gives {_list_values(old_run.values)}"))
        try:
            drift = self._classify(drift, old_run, new_run)
            findings += [*drift.findings, *self._renamed_things(question)]
        except QUERY_ERRORS as error:
            findings.append(Finding(NOT_COMPARED, " ".join(str(error).split())[:200]))
        return replace(drift, findings=tuple(findings))

    def _classify(self, drift: QuestionDrift, old_run: QueryRun, new_run: QueryRun) -> QuestionDrift:
        """Add why the results differ."""
        sparql = drift.question.sparql
        if new_run.failure:
            return replace(drift, findings=(Finding("query-broken", new_run.failure),))
        if result_rows(old_run) == result_rows(new_run):
            return replace(drift, findings=tuple(_changed_labels(old_run, new_run)))
        query = analyze_query(sparql)
        renames = self._renames.find_renames(query)
        names = ", ".join(
            f"{_add_labels(f'<{before}>', self.old)} is now {_add_labels(f'<{now}>', self.new)}"
            for before, now in renames.items()
        )
        if renames:
            rewritten = replace_iris(sparql, renames)
            again = run_query(self.new, rewritten, self._views[1])
            if not again.failure and result_rows(again) == result_rows(old_run):
                drift = replace(drift, query_run=again, renames=tuple(renames.items()), rewritten=rewritten)
                return replace(drift, findings=(Finding("schema-renamed", names),))
        came, went = compare_triples(query, *self._views)
        kind = "data-lost" if went and not came or not (went or came or new_run.values) else "data-changed"
        guess = f". It may be that {names}, but the rewritten query does not give the old gold" if renames else ""
        sides = [f"went: {_list_triples(went, self.old)}"] * bool(went)
        sides += [f"came: {_list_triples(came, self.new)}"] * bool(came)
        why = ". ".join(sides) or "the triples behind it are not known"
        change = f"{_list_values(old_run.values)} became {_list_values(new_run.values)}"
        return replace(drift, findings=(Finding(kind, f"{change}. {why}{guess}"),), came=came, went=went)

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
    changed = [
        f'<{value.value}> was called "{value.label}" and is called "{labels[value.value]}"'
        for value in old_run.values
        if labels.get(value.value, value.label) != value.label
    ]
    if changed:
        yield Finding("label-changed", list_first(changed, 1))


def _list_values(values: Iterable[Value]) -> str:
    return list_first(value.text for value in values)


def _list_triples(triples: Iterable[str], kg: KnowledgeGraph) -> str:
    return _add_labels(list_first(triples, separator="; "), kg)


def _add_labels(text: str, kg: KnowledgeGraph) -> str:
    """Put the label of each IRI in a text of triples before it, where it says more than the IRI."""
    iris = [URIRef(token["iri"]) for token in TERM_TOKEN.finditer(text) if token["iri"]]
    labels = {
        str(iri): label for iri, label in kg.labels(iris).items() if label.casefold() != fallback_label(iri).casefold()
    }

    def add_label(token: re.Match[str]) -> str:
        label = labels.get(token["iri"] or "")
        return f"{label} {token[0]}" if label else token[0]

    return TERM_TOKEN.sub(add_label, text)
