"""Execution-guided validation: a query that a model wrote is checked, run, and judged by its result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from chattyshared.check import Problem
from chattyshared.errors import QUERY_ERRORS
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.vocabulary import ClassEntry, PredicateEntry
from chattyshared.language.morphology import label_stems_of, related_stems
from chattyshared.option_specs import THETA
from chattyshared.sparql.algebra import read_query
from chattyshared.trace import note_query_repairs
from rdflib import URIRef, Variable

from chattykg.direct.empty_results import explain_empty_result
from chattykg.direct.mismatches import QueryCheck, explain_mismatches, find_doubt, named_iris, unknown_terms
from chattykg.direct.outcome import QueryOutcome, find_stated_answer, is_ask
from chattykg.direct.repairs import QueryMender, mend_text
from chattykg.direct.schema_prompt import SchemaPrompt
from chattykg.linking.coverage import foreign_words, restricting_words, unknown_words
from chattykg.linking.vocabulary_card import VocabularyCard

SHOWN_PREDICATES, MAX_DESCRIBED = 25, 3
"""Predicates of a vertex, and vertices of a query, that a report of an empty result tells."""
_THREE_WAYS = (
    "If a predicate, a direction, a spelling or a value is wrong, correct it. If all is right: send the same query with"
    ' the shape "empty" if only this thing lacks the fact, or nothing has the value; say none if nothing has the name'
    " that is asked about, or no predicate holds the fact."
)
"""Advice that follows the report of an empty result."""
_CORRECTION = "Correct the direction, a name or a value; or reply NONE if nothing listed holds it."
"""Advice to a model that replies with bare queries."""
_NOT_HELD = Problem("empty", "The model says that the graph does not hold it.")


@dataclass(slots=True)
class QueryAttempts:
    """Tries replies one after the other; ``outcome`` is the result to answer with, None until there is one.

    ``restricting`` are words that restrict the question and that the last reply has no use for, ``missing_referent``
    are words that it takes to refer to something that nobody named. ``theta`` is the number
    of attempts in all, ``executed_queries`` that of queries that were run, ``sparql`` the query tried last, ``failure``
    what was wrong with it. ``on_query`` receives each query before it runs. What is only doubtful counts if nothing
    better comes: by default only the first attempt is doubted; with ``doubts_each`` each is, and a doubt is told once.
    ``told_empty``: the model was told that a query gives nothing, so that what it calls empty then is.
    With ``repairs`` small faults of a query are mended where the graph tells that they are faults, and what leaves out
    a name of the question, or cannot match, is no result.
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
    missing_referent: str = ""
    doubts_each: bool = False
    told_doubts: set[Problem] = field(default_factory=set)
    told_empty: bool = False
    repairs: bool = False

    @property
    def is_repaired(self) -> bool:
        """Tell whether there was more than one attempt."""
        return self.attempts > 1

    def check_reply(self, reply: Any, _: Mapping[str, Any]) -> Iterator[Problem]:
        """Run a reply's query in the sandbox; yield why it is no answer to the question (a check of the agent)."""
        self.attempts += 1
        # Hints: words that the question does not have, or that the query holds, were listed by mistake.
        unused = tuple(words for words in reply.get("unused", ()) if not foreign_words(self.question, (words,)))
        sparql = self.schema_prompt.expand_query(reply["sparql"])
        is_missing = reply["shape"] == "missing"
        self.missing_referent = (" ".join(unused) or self.question) if is_missing else ""
        unused = unused if is_missing else self._unexpressed(unused, sparql)
        self.restricting = () if is_missing else restricting_words(self.question, unused)
        if self.missing_referent or self.restricting or reply["shape"] == "none":
            # The model withdraws the doubtful result of an earlier attempt.
            is_none = not (self.missing_referent or self.restricting)
            self.outcome, self.failure = None, _NOT_HELD if is_none else None
            return
        is_told = self.failure is not None and self.failure.rule == "empty"
        if is_told and sparql == self.sparql and reply["shape"] != "empty":
            return  # the model was told, and has nothing else
        if self.failure is not None and self.failure.rule == "query" and sparql == self.sparql:
            yield self.failure  # it would fail again, perhaps after as long a time
            return
        self.told_empty = self.told_empty or is_told
        self.sparql = sparql
        listed = {vertex.number for vertex in self.schema_prompt.vertices}
        either = tuple(number for number in reply.get("either", ()) if number in listed)
        self.failure = self._try_query(self.sparql, reply["shape"], unused, either)
        if self.failure is not None:
            yield self.failure

    def _unexpressed(self, unused: Sequence[str], sparql: str) -> tuple[str, ...]:
        """Return the phrases of which the query does not hold every word, by its names, labels and texts."""
        iris = named_iris(sparql)
        known: Mapping[str, ClassEntry | PredicateEntry] = {
            **self.kg.vocabulary.classes, **self.kg.vocabulary.predicates,
        }  # fmt: skip
        texts = [f"{vertex.label} {vertex.mention}" for vertex in self.schema_prompt.vertices if vertex.iri in iris]
        texts += [known[iri].label for iri in iris if iri in known]
        held = {stem for text in (*texts, *self._check(sparql).texts()) for stem in label_stems_of(text)}
        return tuple(
            phrase for phrase in unused if any(held.isdisjoint(related_stems(word)) for word in phrase.lower().split())
        )

    def _try_query(self, sparql: str, shape: str, unused: tuple[str, ...], either: tuple[int, ...]) -> Problem | None:
        if not sparql.strip():
            return Problem("query", "Write a query, or say none.")
        sparql, mended = mend_text(sparql)
        repair = QueryMender(self.kg, self.schema_prompt, self.question, self.run_query)
        unknown = unknown_terms(sparql, self.schema_prompt, self.kg)
        if unknown and self.repairs:
            sparql, written = repair.name_terms(sparql, unknown, unknown_words(self.question, self.card)), sparql
            mended += ("the nearest names taken",) * (sparql != written)
            unknown = unknown_terms(sparql, self.schema_prompt, self.kg)
        if self.repairs and sparql != (bound := repair.bind_names(sparql)):
            sparql, mended = bound, (*mended, "what the question names put in")
        sparql = repair.widen_classes(sparql) if self.repairs else sparql
        if unknown:
            return Problem("unknown", f"The graph has no {', '.join(unknown[:4])}: use only what is listed.")
        try:
            outcome = replace(_drop_sort_columns(self.run_query(sparql, shape)), repairs=mended)
        except QUERY_ERRORS as error:
            return Problem("query", f"The query cannot be run: {' '.join(str(error).split())[:300]}")
        if self.repairs:
            outcome = repair.mend_empty(outcome) if outcome.is_empty or outcome.is_negative else outcome
            outcome = _drop_sort_columns(repair.fit_question(outcome))
        shape = outcome.shape
        outcome = replace(outcome, unused=unused, either=either)
        if outcome.repairs:
            note_query_repairs("answer/direct", outcome.repairs)
        if shape == "empty" and outcome.rows:  # it is not: the rows are the answer
            outcome = replace(outcome, shape="table" if len(outcome.columns) > 1 else "list")
        elif outcome.is_empty and self._asks_left_out_fact(outcome.sparql):
            outcome = replace(outcome, shape="empty")
        problem = self._problem_of(outcome)
        if problem is not None:
            return problem
        is_doubted = self.doubts_each or self.repairs or not self.is_repaired
        doubt = self._doubt_about(outcome) if is_doubted else None
        if self.repairs and doubt is not None and doubt.rule in ("unused", "mismatch"):
            return doubt  # a small model that insists is not believed
        self.outcome = outcome
        if doubt is None or doubt in self.told_doubts:
            return None
        self.told_doubts.add(doubt)
        return doubt

    def run_query(self, sparql: str, shape: str) -> QueryOutcome:
        """Run a query in the sandbox.

        Raises:
            EndpointError: as one of its kinds.
        """
        endpoint = self.kg.endpoint.untrusted_view()
        self.executed_queries += 1
        self.on_query(sparql)
        if is_ask(sparql):
            return QueryOutcome(sparql, shape, truth=endpoint.ask(sparql))
        return QueryOutcome(sparql, shape, tuple(row for row in endpoint.select(sparql) if row))

    def _problem_of(self, outcome: QueryOutcome) -> Problem | None:
        """Return why an outcome cannot be an answer, None if it can."""
        shape, is_ask = outcome.shape, outcome.truth is not None
        if is_ask != (shape == "boolean"):
            written = "an ASK" if is_ask else "a SELECT"
            return Problem("shape", f"The shape is {shape}, but the query is {written}.")
        if outcome.is_empty and shape != "empty":
            return Problem("empty", self._report_empty(outcome.sparql))
        if outcome.rows and not outcome.fits_shape():
            return Problem("shape", f"The shape is {shape}, but the query gives {outcome.render_first_row()}.")
        return find_stated_answer(outcome)

    def _doubt_about(self, outcome: QueryOutcome) -> Problem | None:
        if outcome.is_empty:
            reasons = (
                ""
                if self.told_empty
                else explain_mismatches(outcome.sparql, self.schema_prompt, self.kg, is_schema_only=True)
            )
            return Problem("empty", f"The query gives nothing. {reasons} {_THREE_WAYS}") if reasons else None
        return find_doubt(outcome, self.question, self.card, self.schema_prompt, self.kg)

    def _report_empty(self, sparql: str) -> str:
        """Return what is told of an empty result; why it is empty is left out at the last attempt."""
        advice = _CORRECTION if self.repairs else _THREE_WAYS
        if self.attempts >= self.theta > 1:
            return f"The query gives nothing. {advice}"
        reasons = explain_mismatches(sparql, self.schema_prompt, self.kg) or explain_empty_result(
            sparql, self.schema_prompt, self.kg
        )
        return " ".join(filter(None, ("The query gives nothing.", reasons, advice, self._available_predicates(sparql))))

    def _check(self, sparql: str) -> QueryCheck:
        return QueryCheck(sparql, self.schema_prompt, self.kg)

    def _asks_left_out_fact(self, sparql: str) -> bool:
        """Tell whether an empty query asks for the one fact of a listed thing, of which the schema allows it, and the
        thing states nothing else that the words of the question name; one request. Asking the model again is no use.
        """
        check, predicates = self._check(sparql), self.kg.vocabulary.predicates
        if len(check.patterns) != 1 or check.negated or check.comparisons:
            return False
        subject, end = check.patterns[0].ends
        label = next((vertex.label for vertex in self.schema_prompt.vertices if vertex.iri == str(subject)), None)
        entry = predicates.get(str(check.patterns[0].predicate))
        if label is None or entry is None or not isinstance(end, Variable) or check.mismatches():
            return False
        asked = {*label_stems_of(self.question), *label_stems_of(entry.label)} - set(label_stems_of(label))
        stated = self.kg.predicates_of([URIRef(subject)]).get(URIRef(subject), ())
        others = (predicates[iri] for iri, _, _ in stated if iri in predicates and not predicates[iri].is_metadata)
        return all(asked.isdisjoint(label_stems_of(other.label)) for other in others)

    def _available_predicates(self, sparql: str) -> str:
        """Return a sentence on the predicates at the vertices that a query uses; one request."""
        vertices = [vertex for vertex in self.schema_prompt.vertices if f"<{vertex.iri}>" in sparql][:MAX_DESCRIBED]
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


def _drop_sort_columns(outcome: QueryOutcome) -> QueryOutcome:
    """Return an outcome that is no table without the columns that only order it, if one column is left."""
    if outcome.shape not in ("one", "list") or len(outcome.columns) < 2:
        return outcome
    select = read_query(outcome.sparql)
    ordered = {str(by) for by, _ in select.order} if select else set()
    kept = [name for name in outcome.columns if name not in ordered]
    rows = tuple({name: row[name] for name in kept if name in row} for row in outcome.rows)
    return replace(outcome, rows=tuple(filter(None, rows))) if len(kept) == 1 else outcome
