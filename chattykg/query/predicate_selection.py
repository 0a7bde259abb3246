"""The predicates of the candidate queries, as they are shown to the planning agent and chosen by number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.vocabulary import PredicateEntry
from chattyshared.terms import readable

from chattykg.linking.predicate_candidates import Option
from chattykg.linking.relation_phrases import is_bare
from chattykg.qir import Relation
from chattykg.query.candidates import Edge, Query

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
class Listed:
    """One option of a relation: its number, what is shown of it, and its score (0..1, as similarity says).

    ``is_alike``: it belongs to a relation without words that stands for this one; its score compares with others such.
    """

    number: int
    option: Option
    label: str
    ends: str
    score: float
    is_alike: bool = False

    def shown(self) -> str:
        """Return the line that stands in a prompt."""
        return (
            f"  {self.number}. {self.label[:80]}"
            + (f" ({self.ends[:160]})" if self.ends else "")
            + f", similarity {self.score:.2f}"
        )


@dataclass(frozen=True, slots=True)
class Listing:
    """A relation of the question with its options, best first; ``instead``: of another way to read the question."""

    relation: Relation
    options: tuple[Listed, ...]
    instead: bool = False

    @property
    def is_clear(self) -> bool:
        """Tell whether the best option needs no judgement."""
        scores = [option.score for option in self.options]
        return len(scores) == 1 or (scores[0] >= CLEAR and scores[1] <= FAR * scores[0])

    def shown(self) -> str:
        """Return the relation and its options as they stand in a prompt."""
        said = f"{self.relation.subject} -- {self.relation.relation or '(no word)'} -- {self.relation.object}"
        head = "or instead" if self.instead else "relation"
        return "\n".join((f"{head}: {said[:200]}", *(option.shown() for option in self.options)))


@dataclass(frozen=True, slots=True)
class Relations:
    """All relations of the question with numbered options; numbers run on from relation to relation.

    ``alike`` are relations without words that stand for one with words between the same ends, each with that one:
    their options are listed under it.
    """

    items: tuple[Listing, ...]
    alike: tuple[tuple[Relation, Relation], ...] = ()

    @property
    def size(self) -> int:
        """The number of options in all."""
        return sum(len(item.options) for item in self.items)

    @property
    def is_settled(self) -> bool:
        """Tell whether no relation leaves a choice: one option, or one far better than the next."""
        return all(item.is_clear for item in self.items)

    def shown(self) -> str:
        """Return everything as it stands in a prompt."""
        return "\n".join(item.shown() for item in self.items)

    def near_best(self) -> frozenset[int]:
        """Return the numbers of the options that are as good as the best of their relation."""
        return frozenset(
            listed.number
            for item in self.items
            for listed in item.options
            if listed.score >= NEAR * next(o.score for o in item.options if o.is_alike == listed.is_alike)
        )

    def among(self, queries: Sequence[Query], chosen: frozenset[int]) -> list[Query]:
        """Return the queries all of whose options are chosen; without any, relations of which none is are free."""
        free = {item.relation for item in self.items if not any(o.number in chosen for o in item.options)}
        whole = [query for query in queries if self._allows(query, chosen, frozenset())]
        return whole or [query for query in queries if self._allows(query, chosen, frozenset(free))]

    def _allows(self, query: Query, chosen: frozenset[int], free: frozenset[Relation]) -> bool:
        numbers = {(item.relation, key(o.option)): o.number for item in self.items for o in item.options}
        told = dict(self.alike)
        placed = ((told.get(edge.relation, edge.relation), edge.option) for edge in query.choice.edges)
        return all(relation in free or numbers.get((relation, key(option))) in chosen for relation, option in placed)


def key(option: Option) -> _Key:
    """Return what tells an option from the others of its relation."""
    return option.predicates, (*option.then, *(["inward"] if option.inward else [])), option.forward


def choices_of(queries: Sequence[Query], kg: KnowledgeGraph) -> Relations:
    """Gather the options of candidate queries (best first) by relation, best first, without what is far off."""
    told = _alike(queries)
    found: dict[Relation, dict[_Key, Edge]] = {}
    worth: dict[Relation, float] = {}
    for query in queries:
        for edge in query.choice.edges:
            relation = told.get(edge.relation, edge.relation)
            worth[relation] = max(worth.get(relation, 0.0), query.score)
            options, at = found.setdefault(relation, {}), key(edge.option)
            if at not in options or options[at].option.score < edge.option.score:
                options[at] = edge
    first = {told.get(edge.relation, edge.relation) for edge in queries[0].choice.edges} if queries else set()
    items, number = [], 0
    for relation, edges in found.items():
        if relation not in first and worth[relation] < POOR * queries[0].score:
            continue
        both = _both_ways(edges.values())
        listed: list[Listed] = []
        for option in _plausible([edge.option for edge in edges.values()]):
            number += 1
            turned = (option.predicates, option.then) in both
            said = [_ends(option, relation, kg), _stated(option, relation, queries) if turned else ""]
            said += [_example(option, kg)] if option.last not in {each.option.last for each in listed} else []
            is_alike = edges[key(option)].relation != relation
            listed.append(Listed(number, option, option.label, "; ".join(filter(None, said)), option.score, is_alike))
        items.append(Listing(relation, tuple(listed), relation not in first))
    return Relations(tuple(items), tuple(told.items()))


def _alike(queries: Sequence[Query]) -> dict[Relation, Relation]:
    """Return the relations without words, each with the one with words that it stands for in other queries."""
    together = {frozenset(edge.relation for edge in query.choice.edges) for query in queries}
    relations = dict.fromkeys(edge.relation for query in queries for edge in query.choice.edges)
    found: dict[Relation, Relation] = {}
    for bare in relations:
        for other in relations if is_bare(bare.relation) else ():
            beside = any({bare, other} <= each for each in together)
            if other.ends() == bare.ends() and not is_bare(other.relation) and not beside:
                found.setdefault(bare, other)
    return found


def _plausible(options: Sequence[Option]) -> list[Option]:
    """Return options best first, without those far behind a clear one, and without detours to what is said at hand.

    "The width of X" is no width of a neighbour of X; where the words name the neighbour too, the detour is worth more.
    """
    ranked = sorted(options, key=lambda o: (-o.score, o.label, o.predicates, not o.forward))
    best = ranked[0].score
    direct = {(iri, option.forward): option.score for option in ranked if not option.then for iri in option.predicates}
    return [
        option
        for option in ranked
        if (best < CLEAR or option.score > FAINT * best)
        and not (option.then and direct.get((option.last, option.forward), 0.0) > option.score)
    ]


def _both_ways(edges: Iterable[Edge]) -> frozenset[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return the predicates that stand among options in both directions."""
    seen = Counter((edge.option.predicates, edge.option.then) for edge in edges)
    return frozenset(predicates for predicates, ways in seen.items() if ways > 1)


def _stated(option: Option, relation: Relation, queries: Sequence[Query]) -> str:
    """Say how often the graph states a predicate, this way, of what is named ("" where nothing is)."""
    for query in queries:
        for end in relation.ends():
            anchor = query.choice.grounded.anchors.get(end)
            if anchor is None or anchor.kind != "vertex":
                continue
            way = "out" if (end == relation.subject) == option.forward else "in"
            counts = [n for c in anchor.candidates for iri, to, n in c.around if iri in option.predicates and to == way]
            return f"stated {sum(counts)}x"
    return ""


def _ends(option: Option, relation: Relation, kg: KnowledgeGraph) -> str:
    """Say from what to what a predicate leads, and how the ends are filled if it is taken the other way round."""
    known = kg.vocabulary.predicates
    entry, last = known.get(option.predicates[0]), known.get(option.last)
    if entry is None or last is None:
        return ""
    first = (_end(entry, kg), _domain(entry, kg)) if option.inward else (_domain(entry, kg), _end(entry, kg))
    leads = " -> ".join((*first, _end(last, kg)) if option.then else first)
    return leads + (f"; here {relation.object[:30]} -> {relation.subject[:30]}" if not option.forward else "")


def _example(option: Option, kg: KnowledgeGraph) -> str:
    entry = kg.vocabulary.predicates.get(option.last)
    subject, other = entry.example if entry is not None else ("", "")
    return f"e.g. {subject[:30]} -> {other[:30]}" if subject and other and subject != other else ""


def _domain(entry: PredicateEntry, kg: KnowledgeGraph) -> str:
    return _name(entry.domains[0], kg) if entry.domains else "thing"


def _end(entry: PredicateEntry, kg: KnowledgeGraph) -> str:
    if entry.objects == "literal":
        return readable(entry.datatypes[0]) if entry.datatypes else "text"
    return _name(entry.ranges[0], kg) if entry.ranges else "thing"


def _name(iri: str, kg: KnowledgeGraph) -> str:
    classes = kg.vocabulary.classes
    return classes[iri].label if iri in classes else readable(iri)
