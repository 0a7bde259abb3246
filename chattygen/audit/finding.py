"""What an audit finds in one question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from chattyshared.check import Finding
from chattyshared.questions import Question
from chattyshared.sparql.gold_queries import QueryRun

FINDING_KINDS: Mapping[str, str] = {
    "no-gold": "neither a query nor answers",
    "not-sparql": "the query cannot be read, or names no known prefix",
    "dialect": "the query was no SPARQL 1.1; it was converted",
    "does-not-run": "the query is not run: refused, too slow, or too many rows",
    "empty": "the query gives nothing",
    "differs": "the query gives other answers than the file states",
    "ambiguous-name": "another entity has a name that the question uses",
    "answer-in-question": "the question contains its own answer",
    "duplicate": "an earlier question is the same, or an earlier query of the same dialogue",
    "not-judged": "the question is judged in part: the graph did not answer, or an unexpected error occurred",
}
"""Every kind of finding with what it means."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The findings for one question, and the run of its query (None if it has none that can be run).

    ``unexpected`` is the type and place of an unexpected exception that ended the audit or the query, if one did.
    """

    question: Question
    findings: tuple[Finding, ...] = ()
    query_run: QueryRun | None = None
    unexpected: str = ""

    @property
    def id(self) -> str:
        """The question's id."""
        return str(self.question.id)
