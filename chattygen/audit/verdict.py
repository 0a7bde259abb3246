"""The verdict for one question: the kinds of findings, what the checks have found, and what that makes of its gold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from chattyshared.certificates import KEY, certificate_from_json
from chattyshared.check import Finding
from chattyshared.dialogue import Certificate
from chattyshared.errors import QUERY_ERRORS
from chattyshared.questions import Question
from chattyshared.runs.containment import UnexpectedError, catch_unexpected
from chattyshared.sparql.analysis import QueryAnalysis, analyze_query
from chattyshared.sparql.gold_queries import QueryRun
from chattyshared.sparql.rewriting import replace_iris

ASKS_OTHER, NOT_JUDGED = "asks-other", "not-judged"
FINDING_KINDS: Mapping[str, str] = {
    "no-gold": "neither a query nor answers",
    "not-sparql": "the query cannot be read, or names no known prefix",
    "dialect": "the query was no SPARQL 1.1; it was converted",
    "does-not-run": "the query is not run: refused, too slow, or too many rows",
    "empty": "the query gives nothing",
    "refuted": "marked as unanswerable, and yet the graph has a name of the certificate",
    "differs": "the query gives other answers than the file states",
    "ambiguous-name": "another entity has a name that the question uses",
    "answer-in-question": "the question contains its own answer",
    "duplicate": "an earlier question is the same, or an earlier query of the same dialogue",
    NOT_JUDGED: "the question is judged in part: the graph did not answer, or an unexpected error occurred",
}
"""The kinds of findings, with what it means."""
CERTIFICATE_KINDS: Mapping[str, str] = {
    "engines-disagree": "the second engine gives another result",
    "not-confirmed": "the second engine gives no result: refused, too slow, or not there",
    "witness-missing": "triples of the witness are not in the graph",
    "tie": "the query cuts off others with the same rank",
    "blank-answer": "an answer is a blank node: it has no name that a system could give",
    "no-evidence": "answers without a query: nothing shows that they are right",
    ASKS_OTHER: "a model that reads the query alone finds another question in it",
}
"""Further kinds, of certificates."""
DRIFT_KINDS: Mapping[str, str] = {
    "data-changed": "the query gives other answers on the new graph",
    "data-lost": "answers, or all of a predicate or class, are gone, or the query fails there",
    "schema-renamed": "a predicate or class is renamed; the query is rewritten",
    NOT_JUDGED: "not compared: the query fails on the old graph, a graph did not answer, or there was another error",
}
"""The kinds of drift, and that of what is none."""
DEFECTIVE_KINDS = frozenset(("no-gold", "not-sparql", "does-not-run", "refuted", "differs", "witness-missing"))
"""What makes a question defective: its gold is missing or wrong."""
HARMLESS_KINDS = frozenset(("dialect", "answer-in-question", "duplicate", "not-confirmed"))
"""What changes no verdict. All others make a question ambiguous: other answers may be right, or nobody can tell."""


MAX_ERROR_LENGTH = 200
"""Letters of an endpoint's or a model's error that a finding quotes."""


@dataclass(slots=True)
class Verdict:
    """The findings for one question, and the run of its query (None if it has none that can be run).

    ``unexpected`` is the type and place of an unexpected exception that ended a check or the query, if one did.
    ``old_run`` is the result on the older one of two graphs, ``renames`` are the new names of predicates and classes of
    the query. ``certificate`` is there if it was asked for.
    """

    question: Question
    findings: list[Finding] = field(default_factory=list)
    query_run: QueryRun | None = None
    unexpected: str = ""
    old_run: QueryRun | None = None
    renames: Mapping[str, str] = field(default_factory=dict)
    certificate: Certificate | None = None

    @property
    def id(self) -> str:
        """The question's id."""
        return str(self.question.id)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of its findings, each once."""
        return tuple(dict.fromkeys(finding.kind for finding in self.findings))

    @property
    def query(self) -> str:
        """The query that the repaired copy gets."""
        return replace_iris(self.question.sparql, self.renames) if self.renames else self.question.sparql

    @property
    def analysis(self) -> QueryAnalysis:
        """The analyzed query of the file."""
        return analyze_query(self.question.sparql)

    @property
    def former(self) -> Certificate:
        """The certificate that the file has; without one, an empty one of an audit."""
        own = self.question.extra.get(KEY)
        return certificate_from_json(own) if isinstance(own, dict) else Certificate(is_audit=True)

    @property
    def proof(self) -> Certificate | None:
        """What the graph must not contain for the question to be unanswerable, if the file states that."""
        return None if self.former.is_audit else self.former.exclusions

    @property
    def details(self) -> Mapping[str, Any]:
        """The answers on two graphs, and the new names; empty if there is one graph."""
        if self.old_run is None:
            return {}
        runs = {"old": self.old_run, "new": self.query_run or QueryRun()}
        answers = {name: [value.value for value in run.values] for name, run in runs.items()}
        return {**answers, **({"renames": dict(self.renames), "rewritten": self.query} if self.renames else {})}

    def apply(self, check: Check) -> None:
        """Add what a check finds; an error of a query or an unexpected exception that ends it becomes a finding.

        Raises:
            EndpointUnavailable, ModelUnavailable, BudgetSpent: the run has to stop.
        """
        try:
            ended = catch_unexpected(partial(self._collect, check))
        except QUERY_ERRORS as error:
            self.findings.append(Finding(NOT_JUDGED, f"in part: {quote_error(error)}"))
            return
        if isinstance(ended, UnexpectedError):
            self.findings.append(Finding(NOT_JUDGED, ended.sentence))
            self.unexpected = str(ended)

    def _collect(self, check: Check) -> None:
        for finding in check(self):
            self.findings.append(finding)

    def certify(self, **parts: Any) -> None:
        """State more in the certificate."""
        self.certificate = replace(self.certificate or self.former.exclusions, **parts)

    def conclude(self) -> None:
        """State in the certificate what the findings make of the gold."""
        kinds = {*self.kinds}
        conclusion = "defective" if kinds & DEFECTIVE_KINDS else "ambiguous" if kinds - HARMLESS_KINDS else "certain"
        self.certify(verdict=conclusion, reasons=self.kinds)


Check = Callable[[Verdict], Iterable[Finding]]
"""Yields what it finds in a question, and may state more in its verdict."""


def quote_error(error: Exception) -> str:
    """Return the message of an error on one line, cut."""
    return " ".join(str(error).split())[:MAX_ERROR_LENGTH]
