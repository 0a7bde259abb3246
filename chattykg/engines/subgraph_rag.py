"""``rag``: a prompt holds the triples around the mentions of a question, and a language model picks the answer."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from chattyshared.agent import load_agent
from chattyshared.answers import parse_values
from chattyshared.check import Problem
from chattyshared.dialogue import Answer, History, LinkedTerm, StageSeconds, Value
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.vocabulary import Edge
from chattyshared.language.tokenizer import tokenize
from chattyshared.literals import to_value
from chattyshared.model import LanguageModel
from chattyshared.terms import Term, is_iri
from chattyshared.trace import Trace, TracedEndpoint, TracedModel
from rdflib import URIRef

from chattykg.engines.llm_only import HistoryView, PromptHistory
from chattykg.linking.similarity import lexical_similarity
from chattykg.linking.vocabulary_card import VocabularyCard, build_vocabulary_card
from chattykg.settings import Settings

CHARACTER_LIMIT = 12_000
"""The most characters of facts in a prompt: about 3,000 tokens."""
MAX_VERTICES = 8
"""Vertices whose neighbourhood is read: those of the question first, then those of the earlier turns."""
HITS_PER_MENTION = 2
"""Linked vertices per mention."""
VALUES_PER_EARLIER_TURN = 4
"""Answers, and entities, of one earlier turn whose neighbourhood is read."""
EDGE_LIMIT = 400
"""Triples that are read for each vertex and direction."""
_MAX_LABEL = 200
"""Characters of a label in a fact."""


@dataclass(frozen=True, slots=True)
class NumberedFacts:
    """Lines of facts, and the terms with the numbers in them (from 1) and their labels."""

    lines: tuple[str, ...]
    terms: tuple[tuple[Term, str], ...]

    def as_prompt_text(self) -> str:
        """Return the facts, one a line, or ``(none)``."""
        return "\n".join(self.lines) or "(none)"


def check_picks(reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
    """Check that the picked numbers exist, and that the reply has not both picks and a value."""
    most = len(variables["facts"].terms)
    for number in reply["picks"]:
        if number > most:
            yield Problem("picks", f"There is no [{number}]: the numbers run from 1 to {most}.")
    if reply["picks"] and reply["value"]:
        yield Problem("both", "Give either picks or a value, not both.")


AGENT = load_agent("baseline/subgraph_rag", check_picks)


class SubgraphRAG:
    """Retrieves the triples one hop around the mentions; the model picks terms from them. There is no query.

    ``history_view`` tells what the model sees of the earlier turns. The engine uses ``theta`` and ``shown_answers`` of
    ``settings``.
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
        self._kg, self._model, self._history_view = kg, model, history_view
        self._trace, self._settings = trace or Trace(), settings or Settings()

    def answer(self, question: str, history: History = (), *, span: str = "answer") -> Answer:
        """Answer one question.

        Raises:
            EndpointError, ModelError: the endpoint or the model failed, or no reply was valid.
        """
        started = time.perf_counter()
        endpoint = TracedEndpoint(self._kg.endpoint, self._trace, span)
        kg = self._kg.with_endpoint(endpoint)
        links = select_vertices(build_vocabulary_card(question, kg), history if self._history_view == "answers" else ())
        facts = collect_facts(kg, question, [URIRef(link.iri) for link in links])
        retrieved = time.perf_counter()
        prompt_history = PromptHistory(history, self._history_view, self._settings.shown_answers)
        variables = {"facts": facts, "history": prompt_history, "question": question}
        reply = AGENT(TracedModel(self._model, self._trace, span), variables, theta=self._settings.theta)
        values = _values(reply.value, facts)
        ended = time.perf_counter()
        return Answer(
            values, (1.0,) * len(values), standalone=question, confidence=float(bool(values)), entities=links,
            queries=endpoint.query_count, candidate_queries=0, usage=reply.usage, seconds=ended - started,
            stages=StageSeconds(linking=retrieved - started, selection=ended - retrieved),
        )  # fmt: skip


def select_vertices(card: VocabularyCard, history: History) -> tuple[LinkedTerm, ...]:
    """Return the distinct vertices whose neighbourhood is read: mentioned vertices, the longest mention first; then the
    answers and the entities of the earlier turns, the newest first; then mentioned classes.
    """
    mentions = sorted(card.mentions_of_kind("vertex"), key=lambda mention: (mention.start - mention.end, mention.start))
    links = [
        LinkedTerm(mention.text, hit.iri, hit.label, hit.score)
        for mention in mentions
        for hit in mention.hits[:HITS_PER_MENTION]
    ]
    for exchange in reversed(history):
        values = [value for value in exchange.answer.values if value.kind == "iri"][:VALUES_PER_EARLIER_TURN]
        links += [LinkedTerm(value.label, value.value, value.label) for value in values]
        links += exchange.answer.entities[:VALUES_PER_EARLIER_TURN]
    links += [
        LinkedTerm(mention.text, iri, mention.text)
        for mention in card.mentions_of_kind("class")
        for iri in mention.iris[:1]
    ]
    first = {link.iri: link for link in reversed(links) if is_iri(link.iri)}
    return tuple(first[iri] for iri in dict.fromkeys(link.iri for link in links) if iri in first)[:MAX_VERTICES]


def collect_facts(kg: KnowledgeGraph, question: str, vertices: Sequence[URIRef]) -> NumberedFacts:
    """Return the triples around some vertices, round-robin; for each, predicates similar to the question come first.

    Raises:
        EndpointError: the endpoint failed.
    """
    edges_of = kg.neighbourhoods(vertices, limit=EDGE_LIMIT)
    hidden = {entry.iri for entry in kg.vocabulary.predicates.values() if entry.is_metadata} - set(kg.profile.types)
    labels = kg.labels([*vertices, *{edge.predicate for edges in edges_of.values() for edge in edges}])
    words = [token.lower for token in tokenize(question) if token.kind == "word"]
    similarities = {
        term: max((lexical_similarity(word, label) for word in words), default=0.0) for term, label in labels.items()
    }
    ranked = [
        sorted(
            (edge for edge in edges_of[vertex] if str(edge.predicate) not in hidden),
            key=lambda edge: -similarities[edge.predicate],
        )
        for vertex in vertices
    ]
    writer = FactWriter(labels)
    for edge in (edge for edges in zip_longest(*ranked) for edge in edges if edge is not None):
        if not writer.add(edge):
            break
    return NumberedFacts(tuple(writer.lines), tuple(writer.terms.items()))


class FactWriter:
    """Collects lines of facts up to ``max_characters``; terms are numbered in order of first appearance."""

    def __init__(self, labels: Mapping[Term, str], max_characters: int = CHARACTER_LIMIT) -> None:
        self.lines: dict[str, None] = {}
        self.terms: dict[Term, str] = {}
        self._labels, self._free = labels, max_characters

    def add(self, edge: Edge) -> bool:
        """Add one triple; return False, and add nothing, if it does not fit."""
        near_end = edge.subject if edge.direction == "out" else edge.object
        ends = {edge.far_end: edge.label, near_end: self._labels.get(near_end, edge.label)}
        terms = self.terms | {term: ends[term] for term in (edge.subject, edge.object) if term not in self.terms}
        numbers = {term: number for number, term in enumerate(terms, 1) if term in ends}
        subject, object = (f"[{numbers[end]}] {_fact_label(terms[end])}" for end in (edge.subject, edge.object))
        line = f"{subject} | {self._labels[edge.predicate]} | {object}"
        if len(line) + 1 > self._free:
            return False
        self._free -= 0 if line in self.lines else len(line) + 1
        self.lines[line], self.terms = None, terms
        return True


def _fact_label(label: str) -> str:
    return " ".join(label.split())[:_MAX_LABEL]


def _values(reply: Mapping[str, Any], facts: NumberedFacts) -> tuple[Value, ...]:
    if reply["value"]:
        return parse_values([reply["value"]])
    picked = (facts.terms[number - 1] for number in dict.fromkeys(reply["picks"]))
    return tuple(to_value(term, label) for term, label in picked)
