"""Predicate selection: the predicates of the candidate queries, numbered for the planning agent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chattyshared.kg import KnowledgeGraph
from chattyshared.terms import iri_to_words, local_name

from chattykg.linking.predicate_candidates import PredicateCandidate
from chattykg.linking.vocabulary_card_text import TEXT_DATATYPES
from chattykg.qir import Relation
from chattykg.query.composition import Query

# Origin of the numbers below: set by hand on the development sets; benchmarks/calibrate.py varies them.
NEAR_BEST_SHARE = 0.97
"""Share (0..1) of the best score of a relation from which a predicate is as good as the best one."""
MIN_CLEAR_SCORE, MAX_NEXT_SHARE = 0.9, 0.75
"""Score (0..1) of a clear predicate, and the share of it that the next one may have, so that nothing is asked."""
MAX_HIDDEN_SHARE = 0.6
"""Share (0..1) of a clear predicate's score up to which others are not shown."""
MIN_INTERPRETATION_SHARE = 0.65
"""Share (0..1) of the best query's score from which relations of another interpretation are shown."""


@dataclass(frozen=True, slots=True)
class PredicateChoice:
    """One predicate candidate of a relation, with its number and its text in a prompt.

    ``query_score`` (0..1) is that of the best query which it is part of: classes that clash make it low.
    """

    number: int
    candidate: PredicateCandidate
    text: str
    query_score: float = 1.0


@dataclass(frozen=True, slots=True)
class RelationChoices:
    """A relation with its choices, best first; ``is_alternative``: of another interpretation of the question."""

    relation: Relation
    choices: tuple[PredicateChoice, ...]
    is_alternative: bool = False

    @property
    def is_unambiguous(self) -> bool:
        """Tell whether there is one choice, or the best one is clear."""
        scores = [option.candidate.score for option in self.choices]
        return len(scores) == 1 or (scores[0] >= MIN_CLEAR_SCORE and scores[1] <= MAX_NEXT_SHARE * scores[0])

    def near_best(self) -> Iterator[int]:
        """Yield the numbers of the choices that are as good as the best that is part of about the best query."""
        best = max(option.query_score for option in self.choices)
        fitting = [o for o in self.choices if o.query_score >= MIN_INTERPRETATION_SHARE * best]
        least = NEAR_BEST_SHARE * fitting[0].candidate.score
        yield from (option.number for option in fitting if option.candidate.score >= least)

    def as_prompt_text(self) -> str:
        """Return the relation and its choices for a prompt."""
        said = f"{self.relation.subject} -- {self.relation.relation or '(no word)'} -- {self.relation.object}"
        lines = (f"  {option.number}. {option.text}" for option in self.choices)
        return "\n".join((f"{'or instead' if self.is_alternative else 'relation'}: {said[:200]}", *lines))


@dataclass(frozen=True, slots=True)
class PredicateChoices:
    """All relations of the question with numbered choices; numbers continue from relation to relation."""

    relations: tuple[RelationChoices, ...]

    @property
    def choice_count(self) -> int:
        """The number of choices of all relations."""
        return sum(len(item.choices) for item in self.relations)

    @property
    def is_unambiguous(self) -> bool:
        """Tell whether all relations are unambiguous."""
        return all(item.is_unambiguous for item in self.relations)

    def as_prompt_text(self) -> str:
        """Return all relations for a prompt."""
        return "\n".join(item.as_prompt_text() for item in self.relations)

    def select_near_best(self) -> frozenset[int]:
        """Return the numbers of the choices that are as good as the best of their relation."""
        return frozenset(number for item in self.relations for number in item.near_best())

    def filter_queries(self, queries: Sequence[Query], chosen: frozenset[int]) -> list[Query]:
        """Return the queries with chosen predicates only; if there are none, unchosen relations are free."""
        options = {(item.relation, key(o.candidate)): o.number for item in self.relations for o in item.choices}
        unchosen = {item.relation for item in self.relations if not any(o.number in chosen for o in item.choices)}
        numbers = [
            (query, [(e.relation, options.get((e.relation, key(e.candidate)))) for e in query.edges])
            for query in queries
        ]
        allowed = [query for query, listed in numbers if all(number in chosen for _, number in listed)]
        return allowed or [q for q, listed in numbers if all(r in unchosen or number in chosen for r, number in listed)]


def key(candidate: PredicateCandidate) -> tuple[object, ...]:
    """Return the key of a candidate among those of its relation."""
    return candidate.predicates, candidate.second_predicates, candidate.is_inward, candidate.is_forward


def predicate_choices(queries: Sequence[Query], kg: KnowledgeGraph) -> PredicateChoices:
    """Return the choices of candidate queries (best first) by relation, best first, without implausible ones."""
    options: dict[Relation, dict[tuple[object, ...], tuple[PredicateCandidate, float]]] = {}
    for query in queries:
        for edge in query.edges:
            known = options.setdefault(edge.relation, {})
            best, score = known.get(key(edge.candidate), (edge.candidate, query.score))
            known[key(edge.candidate)] = max(best, edge.candidate, key=lambda option: option.score), score
    first = {edge.relation for query in queries[:1] for edge in query.edges}
    items: list[RelationChoices] = []
    number = 0
    for relation, known in options.items():
        is_likely = max(score for _, score in known.values()) >= MIN_INTERPRETATION_SHARE * queries[0].score
        if relation not in first and not is_likely:
            continue
        ranked = sorted(known.values(), key=lambda o: (-o[0].score, o[0].label, o[0].predicates, not o[0].is_forward))
        best_score = ranked[0][0].score
        least = MAX_HIDDEN_SHARE * best_score if best_score >= MIN_CLEAR_SCORE else 0.0
        shown = [pair for pair in ranked if pair[0].score > least]
        labels = [label for label, _ in {(option.label, option.last_predicate) for option, _ in shown}]
        choices = tuple(
            PredicateChoice(
                at, option, _describe(option, relation, kg, is_alone=labels.count(option.label) == 1), score
            )
            for at, (option, score) in enumerate(shown, number + 1)
        )
        number += len(choices)
        items.append(RelationChoices(relation, choices, relation not in first))
    return PredicateChoices(tuple(items))


def _describe(option: PredicateCandidate, relation: Relation, kg: KnowledgeGraph, *, is_alone: bool) -> str:
    """Return a candidate as a prompt shows it: its label, the classes of its ends, and an example.

    One that is taken against the relation has the ends of the relation around it, one of several with one label the
    name of its IRI.
    """
    predicates = kg.vocabulary.predicates
    first, last = (predicates.get(iri) for iri in (option.predicates[0], option.last_predicate))
    label = (option.label if is_alone else f"{option.label} [{local_name(option.last_predicate)}]")[:80]
    subject, object_ = relation.ends()
    text = label if option.is_forward else f"{object_[:30]} -- {label} -- {subject[:30]}"
    if first is None or last is None:
        return text
    near = _class_label(first.ranges if option.is_inward else first.domains, kg)
    far = _class_label(last.ranges, kg)
    if last.object_kind == "literal":
        is_text = not last.datatypes or last.datatypes[0] in TEXT_DATATYPES
        far = "text" if is_text else iri_to_words(last.datatypes[0])
    example = f"; e.g. {last.example[0][:30]} -> {last.example[1][:30]}" if all(last.example) else ""
    return f"{text} ({near} -> {far}{example})"


def _class_label(iris: Sequence[str], kg: KnowledgeGraph) -> str:
    entry = kg.vocabulary.classes.get(iris[0]) if iris else None
    return entry.label if entry else iri_to_words(iris[0]) if iris else "thing"
