"""The predicates of the candidate queries, as they are shown to the planning agent and chosen by number."""

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
NEAR = 0.97
"""Options this near to the best one of their relation are as good as it."""

CLEAR, FAR = 0.9, 0.75
"""An option of at least the first score, whose next best has at most the second share of it, is not asked about."""
FAINT = 0.6
"""Beside such an option, those of at most this share of its score are not shown."""
POOR = 0.65
"""Other ways to read the question are shown if their best query has this share of the best one's score."""


@dataclass(frozen=True, slots=True)
class PredicateChoice:
    """One option of a relation: its number, what is shown of it, and its score (0..1, as similarity says).

    ``is_alike``: it belongs to a relation without words that stands for this one; its score compares with others such.
    """

    number: int
    candidate: PredicateCandidate
    label: str
    description: str
    score: float
    is_equivalent: bool = False

    def as_prompt_text(self) -> str:
        """Return the line that stands in a prompt."""
        return (
            f"  {self.number}. {self.label[:80]}"
            + (f" ({self.description[:160]})" if self.description else "")
            + f", similarity {self.score:.2f}"
        )


@dataclass(frozen=True, slots=True)
class RelationChoices:
    """A relation of the question with its options, best first; ``instead``: of another way to read the question."""

    relation: Relation
    choices: tuple[PredicateChoice, ...]
    is_alternative: bool = False

    @property
    def is_unambiguous(self) -> bool:
        """Tell whether the best option needs no judgement."""
        scores = [option.score for option in self.choices]
        return len(scores) == 1 or (scores[0] >= CLEAR and scores[1] <= FAR * scores[0])

    def as_prompt_text(self) -> str:
        """Return the relation and its options as they stand in a prompt."""
        said = f"{self.relation.subject} -- {self.relation.relation or '(no word)'} -- {self.relation.object}"
        head = "or instead" if self.is_alternative else "relation"
        return "\n".join((f"{head}: {said[:200]}", *(option.as_prompt_text() for option in self.choices)))


@dataclass(frozen=True, slots=True)
class PredicateChoices:
    """All relations of the question with numbered options; numbers run on from relation to relation.

    ``alike`` are relations without words that stand for one with words between the same ends, each with that one:
    their options are listed under it.
    """

    relations: tuple[RelationChoices, ...]
    equivalent_relations: tuple[tuple[Relation, Relation], ...] = ()

    @property
    def choice_count(self) -> int:
        """The number of options in all."""
        return sum(len(item.choices) for item in self.relations)

    @property
    def is_unambiguous(self) -> bool:
        """Tell whether no relation leaves a choice: one option, or one far better than the next."""
        return all(item.is_unambiguous for item in self.relations)

    def as_prompt_text(self) -> str:
        """Return everything as it stands in a prompt."""
        return "\n".join(item.as_prompt_text() for item in self.relations)

    def select_near_best(self) -> frozenset[int]:
        """Return the numbers of the options that are as good as the best of their relation."""
        return frozenset(
            listed.number
            for item in self.relations
            for listed in item.choices
            if listed.score >= NEAR * next(o.score for o in item.choices if o.is_equivalent == listed.is_equivalent)
        )

    def filter_queries(self, queries: Sequence[Query], chosen: frozenset[int]) -> list[Query]:
        """Return the queries all of whose options are chosen; without any, relations of which none is are free."""
        free = {item.relation for item in self.relations if not any(o.number in chosen for o in item.choices)}
        whole = [query for query in queries if self._allows(query, chosen, frozenset())]
        return whole or [query for query in queries if self._allows(query, chosen, frozenset(free))]

    def _allows(self, query: Query, chosen: frozenset[int], free: frozenset[Relation]) -> bool:
        numbers = {(item.relation, key(o.candidate)): o.number for item in self.relations for o in item.choices}
        told = dict(self.equivalent_relations)
        placed = ((told.get(edge.relation, edge.relation), edge.candidate) for edge in query.interpretation.edges)
        return all(relation in free or numbers.get((relation, key(option))) in chosen for relation, option in placed)


def key(option: PredicateCandidate) -> _Key:
    """Return what tells an option from the others of its relation."""
    return option.predicates, (*option.second_predicates, *(["inward"] if option.is_inward else [])), option.is_forward


def predicate_choices(queries: Sequence[Query], kg: KnowledgeGraph) -> PredicateChoices:
    """Gather the options of candidate queries (best first) by relation, best first, without what is far off."""
    told = _alike(queries)
    found: dict[Relation, dict[_Key, LinkedRelation]] = {}
    worth: dict[Relation, float] = {}
    for query in queries:
        for edge in query.interpretation.edges:
            relation = told.get(edge.relation, edge.relation)
            worth[relation] = max(worth.get(relation, 0.0), query.score)
            options, at = found.setdefault(relation, {}), key(edge.candidate)
            if at not in options or options[at].candidate.score < edge.candidate.score:
                options[at] = edge
    first = {told.get(edge.relation, edge.relation) for edge in queries[0].interpretation.edges} if queries else set()
    items, number = [], 0
    for relation, edges in found.items():
        if relation not in first and worth[relation] < POOR * queries[0].score:
            continue
        both = _both_ways(edges.values())
        listed: list[PredicateChoice] = []
        for option in _plausible([edge.candidate for edge in edges.values()]):
            number += 1
            turned = (option.predicates, option.second_predicates) in both
            said = [_ends(option, relation, kg), _stated(option, relation, queries) if turned else ""]
            said += (
                [_example(option, kg)]
                if option.last_predicate not in {each.candidate.last_predicate for each in listed}
                else []
            )
            is_alike = edges[key(option)].relation != relation
            listed.append(
                PredicateChoice(number, option, option.label, "; ".join(filter(None, said)), option.score, is_alike)
            )
        items.append(RelationChoices(relation, tuple(listed), relation not in first))
    return PredicateChoices(tuple(items), tuple(told.items()))


def _alike(queries: Sequence[Query]) -> dict[Relation, Relation]:
    """Return the relations without words, each with the one with words that it stands for in other queries."""
    together = {frozenset(edge.relation for edge in query.interpretation.edges) for query in queries}
    relations = dict.fromkeys(edge.relation for query in queries for edge in query.interpretation.edges)
    found: dict[Relation, Relation] = {}
    for bare in relations:
        for other in relations if is_function_phrase(bare.relation) else ():
            beside = any({bare, other} <= each for each in together)
            if other.ends() == bare.ends() and not is_function_phrase(other.relation) and not beside:
                found.setdefault(bare, other)
    return found


def _plausible(options: Sequence[PredicateCandidate]) -> list[PredicateCandidate]:
    """Return options best first, without those far behind a clear one, and without detours to what is said at hand.

    "The width of X" is no width of a neighbour of X; where the words name the neighbour too, the detour is worth more.
    """
    ranked = sorted(options, key=lambda o: (-o.score, o.label, o.predicates, not o.is_forward))
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
        if (best < CLEAR or option.score > FAINT * best)
        and not (
            option.second_predicates and direct.get((option.last_predicate, option.is_forward), 0.0) > option.score
        )
    ]


def _both_ways(edges: Iterable[LinkedRelation]) -> frozenset[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return the predicates that stand among options in both directions."""
    seen = Counter((edge.candidate.predicates, edge.candidate.second_predicates) for edge in edges)
    return frozenset(predicates for predicates, ways in seen.items() if ways > 1)


def _stated(option: PredicateCandidate, relation: Relation, queries: Sequence[Query]) -> str:
    """Say how often the graph states a predicate, this way, of what is named ("" where nothing is)."""
    for query in queries:
        for end in relation.ends():
            anchor = query.interpretation.grounded.entity_links.get(end)
            if anchor is None or anchor.kind != "vertex":
                continue
            way = "out" if (end == relation.subject) == option.is_forward else "in"
            counts = [
                n
                for c in anchor.candidates
                for iri, to, n in c.incident_predicates
                if iri in option.predicates and to == way
            ]
            return f"stated {sum(counts)}x"
    return ""


def _ends(option: PredicateCandidate, relation: Relation, kg: KnowledgeGraph) -> str:
    """Say from what to what a predicate leads, and how the ends are filled if it is taken the other way round."""
    known = kg.vocabulary.predicates
    entry, last = known.get(option.predicates[0]), known.get(option.last_predicate)
    if entry is None or last is None:
        return ""
    first = (_end(entry, kg), _domain(entry, kg)) if option.is_inward else (_domain(entry, kg), _end(entry, kg))
    leads = " -> ".join((*first, _end(last, kg)) if option.second_predicates else first)
    return leads + (f"; here {relation.object[:30]} -> {relation.subject[:30]}" if not option.is_forward else "")


def _example(option: PredicateCandidate, kg: KnowledgeGraph) -> str:
    entry = kg.vocabulary.predicates.get(option.last_predicate)
    subject, other = entry.example if entry is not None else ("", "")
    return f"e.g. {subject[:30]} -> {other[:30]}" if subject and other and subject != other else ""


def _domain(entry: PredicateEntry, kg: KnowledgeGraph) -> str:
    return _name(entry.domains[0], kg) if entry.domains else "thing"


def _end(entry: PredicateEntry, kg: KnowledgeGraph) -> str:
    if entry.object_kind == "literal":
        return iri_to_words(entry.datatypes[0]) if entry.datatypes else "text"
    return _name(entry.ranges[0], kg) if entry.ranges else "thing"


def _name(iri: str, kg: KnowledgeGraph) -> str:
    classes = kg.vocabulary.classes
    return classes[iri].label if iri in classes else iri_to_words(iri)
