"""Predicate selection: the predicates of the candidate queries, numbered for the planning agent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.vocabulary import PredicateEntry
from chattyshared.terms import iri_to_words

from chattykg.linking.predicate_candidates import LinkedRelation, PredicateCandidate
from chattykg.linking.relation_phrases import is_function_phrase
from chattykg.qir import Relation
from chattykg.query.candidates import Query

_Key = tuple[tuple[str, ...], tuple[str, ...], bool]
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
    """One predicate candidate of a relation: its number, its texts in a prompt, and its score (0..1).

    ``is_equivalent``: it belongs to a relation without words that stands for this one; only their scores compare.
    ``query_score`` (0..1) is that of the best query which it is part of: classes that clash make it low.
    """

    number: int
    candidate: PredicateCandidate
    label: str
    description: str
    score: float
    is_equivalent: bool = False
    query_score: float = 1.0

    def as_prompt_text(self) -> str:
        """Return its line in a prompt."""
        return (
            f"  {self.number}. {self.label[:80]}"
            + (f" ({self.description[:160]})" if self.description else "")
            + f", similarity {self.score:.2f}"
        )


@dataclass(frozen=True, slots=True)
class RelationChoices:
    """A relation with its choices, best first; ``is_alternative``: of another interpretation of the question."""

    relation: Relation
    choices: tuple[PredicateChoice, ...]
    is_alternative: bool = False

    @property
    def is_unambiguous(self) -> bool:
        """Tell whether there is one choice, or the best one is clear."""
        scores = [option.score for option in self.choices]
        return len(scores) == 1 or (scores[0] >= MIN_CLEAR_SCORE and scores[1] <= MAX_NEXT_SHARE * scores[0])

    @property
    def fitting_choices(self) -> tuple[PredicateChoice, ...]:
        """The choices that are part of a query about as good as the best one of the relation."""
        best = max(option.query_score for option in self.choices)
        return tuple(o for o in self.choices if o.query_score >= MIN_INTERPRETATION_SHARE * best)

    def as_prompt_text(self) -> str:
        """Return the relation and its choices for a prompt."""
        relation_text = f"{self.relation.subject} -- {self.relation.relation or '(no word)'} -- {self.relation.object}"
        head = "or instead" if self.is_alternative else "relation"
        return "\n".join((f"{head}: {relation_text[:200]}", *(option.as_prompt_text() for option in self.choices)))


@dataclass(frozen=True, slots=True)
class PredicateChoices:
    """All relations of the question with numbered choices; numbers continue from relation to relation.

    ``equivalent_relations`` are relations without words, each with the relation with words between the same ends for
    which it stands; its choices are listed there.
    """

    relations: tuple[RelationChoices, ...]
    equivalent_relations: tuple[tuple[Relation, Relation], ...] = ()

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
        """Return the numbers of the choices that are as good as the best of their relation that fits the others."""
        return frozenset(
            choice.number
            for item in self.relations
            for choice in item.fitting_choices
            if choice.score
            >= NEAR_BEST_SHARE * next(o.score for o in item.fitting_choices if o.is_equivalent == choice.is_equivalent)
        )

    def filter_queries(self, queries: Sequence[Query], chosen: frozenset[int]) -> list[Query]:
        """Return the queries with chosen predicates only; if there are none, unchosen relations are free."""
        unchosen = {item.relation for item in self.relations if not any(o.number in chosen for o in item.choices)}
        allowed = [query for query in queries if self._allows(query, chosen, frozenset())]
        return allowed or [query for query in queries if self._allows(query, chosen, frozenset(unchosen))]

    def _allows(self, query: Query, chosen: frozenset[int], unchosen: frozenset[Relation]) -> bool:
        numbers = {(item.relation, key(o.candidate)): o.number for item in self.relations for o in item.choices}
        equivalents = dict(self.equivalent_relations)
        chosen_predicates = (
            (equivalents.get(edge.relation, edge.relation), edge.candidate) for edge in query.interpretation.edges
        )
        return all(
            relation in unchosen or numbers.get((relation, key(option))) in chosen
            for relation, option in chosen_predicates
        )


def key(candidate: PredicateCandidate) -> _Key:
    """Return the key of a candidate among those of its relation."""
    return (
        candidate.predicates,
        (*candidate.second_predicates, *(["inward"] if candidate.is_inward else [])),
        candidate.is_forward,
    )


def predicate_choices(queries: Sequence[Query], kg: KnowledgeGraph) -> PredicateChoices:
    """Return the choices of candidate queries (best first) by relation, best first, without implausible ones."""
    equivalents = _equivalent_relations(queries)
    edges_by_relation: dict[Relation, dict[_Key, LinkedRelation]] = {}
    best_scores: dict[Relation, float] = {}
    query_scores: dict[tuple[Relation, _Key], float] = {}
    for query in queries:
        for edge in query.interpretation.edges:
            relation = equivalents.get(edge.relation, edge.relation)
            best_scores[relation] = max(best_scores.get(relation, 0.0), query.score)
            options, candidate_key = edges_by_relation.setdefault(relation, {}), key(edge.candidate)
            query_scores.setdefault((relation, candidate_key), query.score)
            if candidate_key not in options or options[candidate_key].candidate.score < edge.candidate.score:
                options[candidate_key] = edge
    best_relations = (
        {equivalents.get(edge.relation, edge.relation) for edge in queries[0].interpretation.edges}
        if queries
        else set()
    )
    items, number = [], 0
    for relation, edges in edges_by_relation.items():
        if relation not in best_relations and best_scores[relation] < MIN_INTERPRETATION_SHARE * queries[0].score:
            continue
        bidirectional = _bidirectional_predicates(edges.values())
        listed: list[PredicateChoice] = []
        for option in _plausible_candidates([edge.candidate for edge in edges.values()]):
            number += 1
            is_bidirectional = (option.predicates, option.second_predicates) in bidirectional
            is_new = option.last_predicate not in {each.candidate.last_predicate for each in listed}
            descriptions = (
                _describe_ends(option, relation, kg),
                _statement_count(option, relation, queries) if is_bidirectional else "",
                _example_text(option, kg) if is_new else "",
            )
            texts = option.label, "; ".join(filter(None, descriptions))
            is_equivalent, query_score = edges[key(option)].relation != relation, query_scores[relation, key(option)]
            listed.append(PredicateChoice(number, option, *texts, option.score, is_equivalent, query_score))
        items.append(RelationChoices(relation, tuple(listed), relation not in best_relations))
    return PredicateChoices(tuple(items), tuple(equivalents.items()))


def _equivalent_relations(queries: Sequence[Query]) -> dict[Relation, Relation]:
    """Return the relations without words, each with the relation with words that it replaces in other queries."""
    relation_sets = {frozenset(edge.relation for edge in query.interpretation.edges) for query in queries}
    relations = dict.fromkeys(edge.relation for query in queries for edge in query.interpretation.edges)
    equivalents: dict[Relation, Relation] = {}
    for wordless in relations:
        for other in relations if is_function_phrase(wordless.relation) else ():
            stand_together = any({wordless, other} <= each for each in relation_sets)
            if other.ends() == wordless.ends() and not is_function_phrase(other.relation) and not stand_together:
                equivalents.setdefault(wordless, other)
    return equivalents


def _plausible_candidates(candidates: Sequence[PredicateCandidate]) -> list[PredicateCandidate]:
    """Return the candidates best first, without those far behind a clear one and without needless second steps.

    "The width of X" is no width of a neighbour of X; a phrase that names the neighbour too gives that path more score.
    """
    ranked = sorted(candidates, key=lambda o: (-o.score, o.label, o.predicates, not o.is_forward))
    best = ranked[0].score
    direct = {
        (iri, option.is_forward): option.score
        for option in ranked
        if not option.second_predicates
        for iri in option.predicates
    }
    return [
        option
        for option in ranked
        if (best < MIN_CLEAR_SCORE or option.score > MAX_HIDDEN_SHARE * best)
        and not (
            option.second_predicates and direct.get((option.last_predicate, option.is_forward), 0.0) > option.score
        )
    ]


def _bidirectional_predicates(edges: Iterable[LinkedRelation]) -> frozenset[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return the predicates that are candidates in both directions."""
    counts = Counter((edge.candidate.predicates, edge.candidate.second_predicates) for edge in edges)
    return frozenset(predicates for predicates, ways in counts.items() if ways > 1)


def _statement_count(option: PredicateCandidate, relation: Relation, queries: Sequence[Query]) -> str:
    """Return how often the graph states a predicate, in this direction, of the linked entity ("" without one)."""
    for query in queries:
        for end in relation.ends():
            link = query.interpretation.grounded.entity_links.get(end)
            if link is None or link.kind != "vertex":
                continue
            way = "out" if (end == relation.subject) == option.is_forward else "in"
            counts = [
                n
                for c in link.candidates
                for iri, to, n in c.incident_predicates
                if iri in option.predicates and to == way
            ]
            return f"stated {sum(counts)}x"
    return ""


def _describe_ends(option: PredicateCandidate, relation: Relation, kg: KnowledgeGraph) -> str:
    """Return domain and range of a predicate, and the ends of the relation if the direction is reversed."""
    predicates = kg.vocabulary.predicates
    entry, last = predicates.get(option.predicates[0]), predicates.get(option.last_predicate)
    if entry is None or last is None:
        return ""
    first_step = (
        (_range_label(entry, kg), _domain_label(entry, kg))
        if option.is_inward
        else (_domain_label(entry, kg), _range_label(entry, kg))
    )
    path = " -> ".join((*first_step, _range_label(last, kg)) if option.second_predicates else first_step)
    return path + (f"; here {relation.object[:30]} -> {relation.subject[:30]}" if not option.is_forward else "")


def _example_text(option: PredicateCandidate, kg: KnowledgeGraph) -> str:
    entry = kg.vocabulary.predicates.get(option.last_predicate)
    subject, other = entry.example if entry is not None else ("", "")
    return f"e.g. {subject[:30]} -> {other[:30]}" if subject and other and subject != other else ""


def _domain_label(entry: PredicateEntry, kg: KnowledgeGraph) -> str:
    return _class_label(entry.domains[0], kg) if entry.domains else "thing"


def _range_label(entry: PredicateEntry, kg: KnowledgeGraph) -> str:
    if entry.object_kind == "literal":
        return iri_to_words(entry.datatypes[0]) if entry.datatypes else "text"
    return _class_label(entry.ranges[0], kg) if entry.ranges else "thing"


def _class_label(iri: str, kg: KnowledgeGraph) -> str:
    classes = kg.vocabulary.classes
    return classes[iri].label if iri in classes else iri_to_words(iri)
