"""``rag``: the triples around what a question mentions, written into the prompt; a language model picks the answer."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from typing import Any

from chattyshared.agent import Agent, load_agent
from chattyshared.check import Problem
from chattyshared.dialogue import Answer, History, LinkedTerm, StageSeconds, Value
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.records import Edge
from chattyshared.language.tokenizer import tokenize
from chattyshared.model import LanguageModel
from chattyshared.terms import Term
from chattyshared.trace import Trace, TracedEndpoint, TracedModel
from rdflib import URIRef

from chattykg.engines.prompt_history import HistoryView, PromptHistory, is_iri, parse_values
from chattykg.linking.similarity import lexical_similarity
from chattykg.linking.vocabulary_card import VocabularyCard, build_vocabulary_card
from chattykg.query.answers import to_value
from chattykg.state import Settings

CHARACTER_LIMIT = 12_000
"""What facts may fill of a prompt: about 3,000 tokens."""
MAX_VERTICES = 8
"""Vertices whose neighbourhood is read: those of the question first, then those of the turns before."""
HITS_PER_MENTION = 2
"""Vertices that one mention may mean."""
VALUES_PER_EARLIER_TURN = 4
"""Answers and entities of one earlier turn that are looked at again."""
EDGE_LIMIT = 400
"""Triples that are read of each vertex and direction."""
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class NumberedFacts:
    """Lines of facts and the terms that bear the numbers in them (from 1), with labels."""

    lines: tuple[str, ...]
    terms: tuple[tuple[Term, str], ...]

    def as_prompt_text(self) -> str:
        """Return the facts as they stand in the prompt."""
        return "\n".join(self.lines) or "(none)"


def check_picks(reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
    """Check that the numbers picked are those of facts, and that nothing is written beside them."""
    most = len(variables["facts"].terms)
    for number in reply["picks"]:
        if number > most:
            yield Problem("picks", f"There is no [{number}]: the numbers run from 1 to {most}.")
    if reply["picks"] and reply["value"]:
        yield Problem("both", "Give either picks or a value, not both.")


@lru_cache(maxsize=1)
def _prompted() -> Agent:
    return load_agent("baseline/neighbourhood", check_picks)


class SubgraphRAG:
    """Retrieval by mentions, one hop around; the model picks. It writes no query, and sees no more than the facts.

    Of ``settings`` it takes theta and the number of shown answers.
    """

    def __init__(
        self,
        kg: KnowledgeGraph,
        model: LanguageModel,
        *,
        history_view: HistoryView = "answers",
        settings: Settings | None = None,
        trace: Trace | None = None,
    ) -> None:
        self._kg, self._model, self._context = kg, model, history_view
        self._trace, self._settings = trace or Trace(), settings or Settings()

    def answer(self, question: str, history: History = (), *, span: str = "answer") -> Answer:
        """Answer one question.

        Raises:
            EndpointError, ModelError: the graph or the model could not be asked, or no reply could be used.
        """
        began = time.perf_counter()
        endpoint = TracedEndpoint(self._kg.endpoint, self._trace, span)
        kg = self._kg.with_endpoint(endpoint)
        links = select_vertices(build_vocabulary_card(question, kg), history if self._context == "answers" else ())
        facts = collect_facts(kg, question, [URIRef(link.iri) for link in links])
        looked = time.perf_counter()
        before = PromptHistory(history, self._context, self._settings.shown_answers)
        variables = {"facts": facts, "history": before, "question": question}
        reply = _prompted()(TracedModel(self._model, self._trace, span), variables, theta=self._settings.theta)
        found = _values(reply.value, facts)
        ended = time.perf_counter()
        return Answer(
            found, (1.0,) * len(found), standalone=question, confidence=float(bool(found)), entities=links,
            queries=endpoint.query_count, candidate_queries=0, usage=reply.usage, seconds=ended - began,
            stages=StageSeconds(linking=looked - began, selection=ended - looked),
        )  # fmt: skip


def select_vertices(card: VocabularyCard, history: History) -> tuple[LinkedTerm, ...]:
    """Return the vertices to look at, each once: those mentioned, longest mention first; then, from the newest turn
    on, what was answered and what that was about; then classes that are mentioned, around which their entities lie.
    """
    mentions = sorted(card.mentions_of_kind("vertex"), key=lambda one: (one.start - one.end, one.start))
    found = [
        LinkedTerm(one.text, hit.iri, hit.label, hit.score) for one in mentions for hit in one.hits[:HITS_PER_MENTION]
    ]
    for exchange in reversed(history):
        told = [one for one in exchange.answer.values if one.kind == "iri"][:VALUES_PER_EARLIER_TURN]
        found += [LinkedTerm(one.label, one.value, one.label) for one in told]
        found += exchange.answer.entities[:VALUES_PER_EARLIER_TURN]
    found += [LinkedTerm(one.text, iri, one.text) for one in card.mentions_of_kind("class") for iri in one.iris[:1]]
    first = {link.iri: link for link in reversed(found) if is_iri(link.iri)}
    return tuple(first[iri] for iri in dict.fromkeys(link.iri for link in found) if iri in first)[:MAX_VERTICES]


def collect_facts(kg: KnowledgeGraph, question: str, vertices: Sequence[URIRef]) -> NumberedFacts:
    """Write down the triples around some vertices, in turns; first those whose predicates are near the question.

    Raises:
        EndpointError: the graph could not be asked.
    """
    found = kg.neighbourhoods(vertices, limit=EDGE_LIMIT)
    hidden = {entry.iri for entry in kg.vocabulary.predicates.values() if entry.is_metadata} - set(kg.profile.types)
    labels = kg.labels([*vertices, *{edge.predicate for edges in found.values() for edge in edges}])
    words = [token.lower for token in tokenize(question) if token.kind == "word"]
    near = {
        term: max((lexical_similarity(word, label) for word in words), default=0.0) for term, label in labels.items()
    }
    ranked = [
        sorted((edge for edge in found[vertex] if str(edge.predicate) not in hidden), key=lambda e: -near[e.predicate])
        for vertex in vertices
    ]
    page = FactWriter(labels)
    for edge in (edge for turn in zip_longest(*ranked) for edge in turn if edge is not None):
        if not page.add(edge):
            break
    return NumberedFacts(tuple(page.lines), tuple(page.terms.items()))


class FactWriter:
    """Lines of facts, until the room is full; each term is numbered where it first stands."""

    def __init__(self, labels: Mapping[Term, str], max_characters: int = CHARACTER_LIMIT) -> None:
        self.lines: dict[str, None] = {}
        self.terms: dict[Term, str] = {}
        self._labels, self._room = labels, max_characters

    def add(self, edge: Edge) -> bool:
        """Write one triple; return False, and write nothing, where it does not fit any more."""
        near = edge.subject if edge.direction == "out" else edge.object
        ends = {edge.far_end: edge.label, near: self._labels.get(near, edge.label)}
        terms = self.terms | {term: ends[term] for term in (edge.subject, edge.object) if term not in self.terms}
        numbers = {term: number for number, term in enumerate(terms, 1) if term in ends}
        subject, object = (f"[{numbers[end]}] {_short(terms[end])}" for end in (edge.subject, edge.object))
        line = f"{subject} | {self._labels[edge.predicate]} | {object}"
        if len(line) + 1 > self._room:
            return False
        self._room -= 0 if line in self.lines else len(line) + 1
        self.lines[line], self.terms = None, terms
        return True


def _short(label: str) -> str:
    return " ".join(label.split())[:_LONGEST]


def _values(reply: Mapping[str, Any], facts: NumberedFacts) -> tuple[Value, ...]:
    if reply["value"]:
        return parse_values([reply["value"]])
    picked = (facts.terms[number - 1] for number in dict.fromkeys(reply["picks"]))
    return tuple(to_value(term, label) for term, label in picked)
