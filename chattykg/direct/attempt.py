"""Execution-guided validation: a query that a model wrote is checked, run, and judged by its result."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from chattyshared.check import Problem
from chattyshared.endpoint import Row
from chattyshared.errors import QUERY_ERRORS
from chattyshared.kg import KnowledgeGraph
from chattyshared.literals import is_date, is_number, read_number
from chattyshared.option_specs import THETA
from chattyshared.terms import Term
from rdflib import Literal, URIRef

from chattykg.direct.empty_results import explain_empty_result
from chattykg.direct.schema_prompt import SchemaPrompt
from chattykg.direct.unknown_terms import unknown_terms
from chattykg.linking.coverage import foreign_words, restricting_words, texts_outside_query
from chattykg.linking.vocabulary_card import VocabularyCard

SHOWN_PREDICATES = 25
_ASK = re.compile(r"(?:(?:PREFIX|BASE)\s+(?:[\w.-]*:\s*)?<[^<>]*>\s*)*ASK\b", re.IGNORECASE)
_YEAR = re.compile(r"\d{4}", re.ASCII)
_REPAIR_ADVICE = (
    "If you misread a predicate, a direction or a spelling, correct it; if the graph does not hold what is asked, say"
    " none, and do not answer something else."
)
"""Advice that follows the report of an empty result."""


@dataclass(frozen=True, slots=True)
class QueryOutcome:
    """The result of a query: its text, the shape that the model announced, rows (for an ASK: ``truth``).

    ``unused`` are the words of the question that the model says the query leaves out.
    """

    sparql: str
    shape: str
    rows: tuple[Row, ...] = ()
    truth: bool | None = None
    unused: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The variables that are bound, in the order of the query."""
        return tuple(dict.fromkeys(name for row in self.rows for name in row))

    def first_term(self) -> Term:
        """Return the first term of the first row."""
        return next(iter(self.rows[0].values()))

    def render_first_row(self) -> str:
        """Return the first row as the model sees it."""
        return ", ".join(f"{name} = {str(term)[:40]}" for name, term in self.rows[0].items())


@dataclass(slots=True)
class QueryAttempts:
    """Tries replies one after the other; ``outcome`` is the result to answer with, None until there is one.

    ``restricting`` are words that restrict the question and that the last reply has no use for. ``theta`` is the number
    of attempts in all, ``executed_queries`` that of queries that were run, ``sparql`` the query tried last, ``failure``
    what was wrong with it. ``on_query`` receives each query before it runs. What is only doubtful counts if nothing
    better comes.
    """

    kg: KnowledgeGraph
    schema_prompt: SchemaPrompt
    question: str
    card: VocabularyCard
    theta: int = THETA
    on_query: Callable[[str], None] = lambda _: None
    outcome: QueryOutcome | None = None
    attempts: int = 0
    executed_queries: int = 0
    sparql: str = ""
    failure: Problem | None = None
    restricting: tuple[str, ...] = ()

    @property
    def is_repaired(self) -> bool:
        """Tell whether there was more than one attempt."""
        return self.attempts > 1

    def check_reply(self, reply: Any, _: Mapping[str, Any]) -> Iterator[Problem]:
        """Run a reply's query in the sandbox; yield why it is no answer to the question (a check of the agent)."""
        self.attempts += 1
        unused = tuple(reply.get("unused", ()))
        if foreign := foreign_words(self.question, unused):
            yield Problem("unused", f"These words do not stand in the question: {', '.join(foreign[:4])}.")
            return
        self.restricting = restricting_words(self.question, unused)
        if self.restricting:
            self.outcome, self.failure = None, None
            return
        if reply["shape"] == "none":
            # The model withdraws the doubtful result of an earlier attempt.
            self.outcome, self.failure = None, Problem("empty", "The model says that the graph does not hold it.")
            return
        self.sparql = self.schema_prompt.expand_query(reply["sparql"])
        self.failure = self._try_query(self.sparql, reply["shape"], unused)
        if self.failure is not None:
            yield self.failure

    def _try_query(self, sparql: str, shape: str, unused: tuple[str, ...]) -> Problem | None:
        if not sparql.strip():
            return Problem("query", "Write a query, or say none.")
        unknown = unknown_terms(sparql, self.schema_prompt, self.kg)
        if unknown:
            return Problem("unknown", f"The graph has no {', '.join(unknown[:4])}: use only what is listed.")
        try:
            outcome = replace(self._run(sparql, shape), unused=unused)
        except QUERY_ERRORS as error:
            return Problem("query", f"The query cannot be run: {' '.join(str(error).split())[:300]}")
        problem = self._problem_of(outcome)
        if problem is not None:
            return problem
        doubt = None if self.is_repaired else self._doubt_about(outcome)
        self.outcome = outcome
        return doubt

    def _run(self, sparql: str, shape: str) -> QueryOutcome:
        endpoint = self.kg.endpoint.untrusted_view()
        self.executed_queries += 1
        self.on_query(sparql)
        if _ASK.match(sparql):
            return QueryOutcome(sparql, shape, truth=endpoint.ask(sparql))
        return QueryOutcome(sparql, shape, tuple(row for row in endpoint.select(sparql) if row))

    def _problem_of(self, outcome: QueryOutcome) -> Problem | None:
        """Return why an outcome cannot be an answer, None if it can."""
        shape, is_ask = outcome.shape, outcome.truth is not None
        if is_ask != (shape == "boolean"):
            written = "an ASK" if is_ask else "a SELECT"
            return Problem("shape", f"The shape is {shape}, but the query is {written}.")
        if not is_ask and not outcome.rows:
            return Problem(
                "empty",
                _join_sentences(
                    "The query gives nothing.",
                    self._explain_empty(outcome),
                    _REPAIR_ADVICE,
                    self._available_predicates(),
                ),
            )
        if shape in ("count", "number", "date") and not _fits_shape(outcome):
            return Problem("shape", f"The shape is {shape}, but the query gives {outcome.render_first_row()}.")
        return None

    def _doubt_about(self, outcome: QueryOutcome) -> Problem | None:
        """Return what is unusual about an outcome that may still be right, None if nothing is."""
        if missing := texts_outside_query(self.question, self.card, outcome.sparql, outcome.unused):
            advice = 'express it, or list it in "unused"'
            return Problem("unused", f"The query does not express {', '.join(missing[:4])} of the question: {advice}.")
        if outcome.shape != "table" and len(outcome.columns) > 1:
            reason = f"The shape is {outcome.shape}, but the query gives several columns: {outcome.render_first_row()}."
            return Problem("shape", f"{reason} Select the answer itself and nothing else, or say table.")
        if outcome.shape == "count" and read_number(outcome.first_term()) == 0:
            return Problem(
                "empty",
                _join_sentences(
                    "The query counts nothing.", self._explain_empty(outcome), self._available_predicates()
                ),
            )
        return None

    def _explain_empty(self, outcome: QueryOutcome) -> str:
        """Return which part of a query matches nothing; "" at the last attempt, after which no repair follows."""
        return "" if self.attempts >= self.theta else explain_empty_result(outcome.sparql, self.schema_prompt, self.kg)

    def _available_predicates(self) -> str:
        """Return a sentence on the predicates at the mentioned vertices; one request."""
        vertices = self.schema_prompt.vertices[:3]
        if not vertices:
            return ""
        predicates = self.kg.predicates_of([URIRef(vertex.iri) for vertex in vertices])
        known_predicates = self.kg.vocabulary.predicates
        sentences = []
        for vertex in vertices:
            names = [
                f"{self.schema_prompt.prefixed_name(iri)}{' (to it)' if side == 'in' else ''}"
                for iri, side, _ in predicates.get(URIRef(vertex.iri), ())
                if iri in known_predicates and not known_predicates[iri].is_metadata
            ]
            sentences.append(f"At e:{vertex.number} the graph has: {', '.join(names[:SHOWN_PREDICATES]) or 'nothing'}.")
        return " ".join(sentences)


def _join_sentences(*sentences: str) -> str:
    return " ".join(filter(None, sentences))


def _fits_shape(outcome: QueryOutcome) -> bool:
    first = outcome.first_term()
    if outcome.shape == "date":
        return isinstance(first, Literal) and (is_date(first) or _YEAR.match(str(first)) is not None)
    return isinstance(first, Literal) and is_number(first)
