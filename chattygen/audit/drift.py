"""Drift: the gold of a file on the graph of which it was made and on a newer one: changed, lost, or under new names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from chattyshared.check import Finding, list_first
from chattyshared.errors import ConfigError
from chattyshared.formats.gold import GoldFile
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.batches import BATCH_SIZE, count_of, is_nameable
from chattyshared.sparql.analysis import QueryAnalysis, is_rdf_type
from chattyshared.sparql.gold_queries import QueryRun, run_query
from chattyshared.sparql.result_comparison import is_blank, result_rows
from chattyshared.terms import is_writable, n3
from rdflib import RDF, URIRef

from chattygen.audit.report import AuditReport
from chattygen.audit.runner import run_checks
from chattygen.audit.verdict import DRIFT_KINDS, NOT_JUDGED, Verdict

MIN_OVERLAP = 0.5
"""The least share of the sampled pairs or instances of a name that its new name has; set by hand: half of the data may
change together with a name."""


def compare_graphs(
    gold: GoldFile, old: KnowledgeGraph, new: KnowledgeGraph, on_progress: Callable[[], None] = lambda: None
) -> AuditReport:
    """Compare the gold of each question on two graphs; ``on_progress`` is called after each question.

    Raises:
        ConfigError: no question has a query.
        EndpointUnavailable: an endpoint does not answer.
    """
    if not any(question.sparql for question in gold.questions):
        raise ConfigError(f"{gold.path}: no question has a query, so nothing shows what has changed")
    report = run_checks(gold, (_Comparison(old, new).compare,), DRIFT_KINDS, on_progress)
    runs = [(each.old_run or QueryRun(), each.query_run or QueryRun()) for each in report.verdicts]
    blank = sum(1 for sides in runs if any(is_blank(value) for run in sides for value in run.values))
    skipped = sum(1 for question in gold.questions if not question.sparql)
    notes = [f"{blank} have blank nodes as answers: only their number is compared"] * bool(blank)
    notes += [f"{skipped} questions have no query and are not compared"] * bool(skipped)
    return replace(report, notes=tuple(notes))


class _Comparison:
    """Two graphs with their views for untrusted queries, and what became of the names that were looked up."""

    def __init__(self, old: KnowledgeGraph, new: KnowledgeGraph) -> None:
        self.old, self.new = old, new
        self._old_view, self._new_view = old.endpoint.untrusted_view(), new.endpoint.untrusted_view()
        self._new_names: dict[str, str | None] = {}

    def compare(self, verdict: Verdict) -> Iterator[Finding]:
        """Yield what became of the gold of a question.

        Raises:
            EndpointError: an endpoint does not answer.
        """
        if not verdict.question.sparql:
            return
        old_run = verdict.old_run = run_query(self.old, verdict.question.sparql, self._old_view)
        if old_run.failure:
            verdict.unexpected = old_run.unexpected
            yield Finding(NOT_JUDGED, f"on the old graph: {old_run.failure}")
            return
        gone = self._find_gone_names(verdict.analysis)
        for iri, name in gone.items():
            if name:
                yield Finding("schema-renamed", f"<{iri}> is now <{name}>")
            else:
                yield Finding("data-lost", f"nothing in the new graph has <{iri}>")
        verdict.renames = {iri: name for iri, name in gone.items() if name}
        run = verdict.query_run = run_query(self.new, verdict.query, self._new_view)
        verdict.unexpected = run.unexpected
        rows, old_rows = result_rows(run), result_rows(old_run)
        if run.failure:
            yield Finding("data-lost", f"the query fails on the new graph: {run.failure}")
        elif rows != old_rows:
            kind = "data-lost" if {*rows} <= {*old_rows} else "data-changed"
            former, now = (list_first(value.text for value in each.values) for each in (old_run, run))
            yield Finding(kind, f"{former} became {now}")

    def _find_gone_names(self, query: QueryAnalysis) -> dict[str, str]:
        """Return the predicates and classes of a query that are gone, each with its new name; empty if none is known.

        Raises:
            EndpointError: an endpoint does not answer.
        """
        classes = {str(o) for _, p, o in query.patterns if isinstance(o, URIRef) and _states_class(p)}
        patterns = {iri: "?s ?name ?o" for iri in query.predicates if not is_rdf_type(iri)}
        patterns |= dict.fromkeys(sorted(classes), f"?s {n3(RDF.type)} ?name")
        for iri, pattern in patterns.items():
            if iri not in self._new_names:
                self._new_names[iri] = self._look_up(iri, pattern) if is_writable(iri) else None
        return {iri: new for iri in patterns if (new := self._new_names[iri]) is not None}

    def _look_up(self, iri: str, pattern: str) -> str | None:
        """Return the name that has most of the pairs or instances of a name that is gone, and did not have them before;
        empty if there is none. Return None if the name is not gone."""
        stated = pattern.replace("?name", n3(URIRef(iri)))
        if self.new.endpoint.ask(f"ASK {{ {stated} }}"):
            return None
        names = ["?s", "?o"] if "?o" in pattern else ["?s"]
        listed = " ".join(names)
        rows = self.old.endpoint.select(
            f"SELECT DISTINCT {listed} WHERE {{ {stated} }} ORDER BY {listed} LIMIT {BATCH_SIZE}"
        )
        terms = [[row[name[1:]] for name in names] for row in rows]
        sample = sorted({f"({' '.join(map(n3, row))})" for row in terms if all(map(is_nameable, row))})
        if not sample:
            return "" if rows else None
        query = (
            f"SELECT ?name (COUNT(*) AS ?n) WHERE {{ VALUES ({listed}) {{ {' '.join(sample)} }} {pattern} }} "
            "GROUP BY ?name ORDER BY DESC(?n) ?name"
        )
        former = {str(row["name"]) for row in self.old.endpoint.select(query) if "name" in row}
        for row in self.new.endpoint.select(query):
            name = str(row.get("name", ""))
            if name not in former and is_writable(name) and count_of(row, "n") >= MIN_OVERLAP * len(sample):
                return name
        return ""


def _states_class(predicate: object) -> bool:
    """Tell whether a predicate is rdf:type, or a path that begins with it."""
    return is_rdf_type(predicate) or is_rdf_type(next(iter(getattr(predicate, "args", ())), ""))
