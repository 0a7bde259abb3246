"""Drift: the gold of a file on the graph of which it was made and on a newer one, and why they differ."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
from chattygen.audit.graph_changes import GoneName, RenameFinder, compare_triples
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
        self._names = RenameFinder(old, new)

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
        query = analyze_query(sparql)
        gone = self._names.find_gone_names(query)
        drift, findings = self._rename(drift, gone), []
        run = drift.query_run or new_run
        for iri, new in drift.renames:
            findings.append(Finding("schema-renamed", f"{self._old_name(iri)} is now {self._new_name(new)}"))
        lost = [self._describe_loss(name) for name in gone if name.iri not in dict(drift.renames)]
        findings += [Finding("data-lost", message) for message in lost]
        if result_rows(old_run) == result_rows(run):
            return replace(drift, findings=(*findings, *_changed_labels(old_run, run)))
        change = f"{_list_values(old_run.values)} became {_list_values(run.values)}"
        if drift.rewritten:
            is_lost = {*result_rows(run)} <= {*result_rows(old_run)}
            findings.append(Finding("data-lost" if is_lost else "data-changed", f"{change}, with the new names"))
            return replace(drift, findings=tuple(findings))
        came, went = compare_triples(query, *self._views)
        if not lost:
            kind = "data-lost" if went and not came or not (went or came or run.values) else "data-changed"
            sides = [f"went: {_list_triples(went, self.old)}"] * bool(went)
            sides += [f"came: {_list_triples(came, self.new)}"] * bool(came)
            why = ". ".join(sides) or "the triples behind it are not known"
            findings.append(Finding(kind, f"{change}. {why}"))
        return replace(drift, findings=tuple(findings), came=came, went=went)

    def _rename(self, drift: QuestionDrift, gone: Sequence[GoneName]) -> QuestionDrift:
        """Return a question's drift with the rewritten query and its result, if names of the query have new ones.

        A name that has only the same subjects is the new one if the rewritten query gives the old gold; not if that is
        "no" or zero, or the query denies something: a wrong name may give the same.
        """
        denies = bool(analyze_query(drift.question.sparql).negated_patterns)
        sure = {name.iri: name.new for name in gone if name.is_sure}
        for renames in ({name.iri: name.new for name in gone if name.new}, sure):
            if not renames:
                continue
            rewritten = replace_iris(drift.question.sparql, renames)
            run = run_query(self.new, rewritten, self._views[1])
            is_told = not denies and not {value.value for value in run.values} <= {"false", "0"}
            is_right = renames == sure or (is_told and result_rows(run) == result_rows(drift.old_run))
            if is_right and not run.failure:
                return replace(drift, query_run=run, renames=tuple(renames.items()), rewritten=rewritten)
        return drift

    def _describe_loss(self, name: GoneName) -> str:
        guess = (
            f"; it may be {self._new_name(name.new)} now, but the old gold does not confirm that" if name.new else ""
        )
        return f"nothing in the new graph has {self._old_name(name.iri)}{guess}"

    def _old_name(self, iri: str) -> str:
        return _add_labels(f"<{iri}>", self.old)

    def _new_name(self, iri: str) -> str:
        return _add_labels(f"<{iri}>", self.new)

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
