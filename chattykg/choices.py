"""The predicates of the candidate queries, as they are shown to the planning agent and chosen by number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chattyshared.kg import KnowledgeGraph
from chattyshared.terms import readable

from chattykg.linking.options import Option
from chattykg.qir import Relation
from chattykg.queries import Query

_Key = tuple[tuple[str, ...], tuple[str, ...], bool]
NEAR = 0.97
"""Options this near to the best one of their relation are as good as it."""

CLEAR, FAR = 0.9, 0.75
"""An option of at least the first score, whose next best has at most the second share of it, is not asked about."""


@dataclass(frozen=True, slots=True)
class Listed:
    """One option of a relation: its number, what is shown of it, and its score (0..1, as similarity says)."""

    number: int
    option: Option
    label: str
    ends: str
    score: float

    def shown(self) -> str:
        """Return the line that stands in a prompt."""
        return (
            f"  {self.number}. {self.label[:80]}"
            + (f" ({self.ends[:160]})" if self.ends else "")
            + f", similarity {self.score:.2f}"
        )


@dataclass(frozen=True, slots=True)
class Listing:
    """A relation of the question with its options, best first."""

    relation: Relation
    options: tuple[Listed, ...]

    @property
    def is_clear(self) -> bool:
        """Tell whether the best option needs no judgement."""
        scores = [option.score for option in self.options]
        return len(scores) == 1 or (scores[0] >= CLEAR and scores[1] <= FAR * scores[0])

    def shown(self) -> str:
        """Return the relation and its options as they stand in a prompt."""
        said = f"{self.relation.subject} -- {self.relation.relation} -- {self.relation.object}"
        return "\n".join((f"relation: {said[:200]}", *(option.shown() for option in self.options)))


@dataclass(frozen=True, slots=True)
class Relations:
    """All relations of the question with numbered options; numbers run on from relation to relation."""

    items: tuple[Listing, ...]

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
            if listed.score >= NEAR * item.options[0].score
        )

    def allows(self, query: Query, chosen: frozenset[int]) -> bool:
        """Tell whether all options of a query are among the chosen, for each relation of which any is."""
        numbers = {(item.relation, key(o.option)): o.number for item in self.items for o in item.options}
        free = {item.relation for item in self.items if not any(o.number in chosen for o in item.options)}
        return all(
            edge.relation in free or numbers.get((edge.relation, key(edge.option))) in chosen
            for edge in query.choice.edges
        )


def key(option: Option) -> _Key:
    """Return what tells an option from the others of its relation."""
    return option.predicates, (*option.then, *(["inward"] if option.inward else [])), option.forward


def choices_of(queries: Sequence[Query], kg: KnowledgeGraph) -> Relations:
    """Gather the options of candidate queries by relation, best first."""
    found: dict[Relation, dict[_Key, Option]] = {}
    for query in queries:
        for edge in query.choice.edges:
            options = found.setdefault(edge.relation, {})
            at = key(edge.option)
            if at not in options or options[at].score < edge.option.score:
                options[at] = edge.option
    items, number = [], 0
    for relation, options in found.items():
        ranked = sorted(options.values(), key=lambda o: (-o.score, o.label, o.predicates, not o.forward))
        listed = []
        for option in ranked:
            number += 1
            listed.append(Listed(number, option, option.label, _ends(option, relation, kg), option.score))
        items.append(Listing(relation, tuple(listed)))
    return Relations(tuple(items))


def _ends(option: Option, relation: Relation, kg: KnowledgeGraph) -> str:
    """Say which way a predicate goes, from what to what, with an example."""
    entry = kg.vocabulary.predicates.get(option.predicates[0])
    if entry is None or option.then:
        return ""
    classes = kg.vocabulary.classes
    name = {iri: classes[iri].label if iri in classes else readable(iri) for iri in (*entry.domains, *entry.ranges)}
    domain = name[entry.domains[0]] if entry.domains else "thing"
    stated = readable(entry.datatypes[0]) if entry.datatypes else "text"
    range_ = stated if entry.objects == "literal" else name[entry.ranges[0]] if entry.ranges else "thing"
    subject, other = relation.ends() if option.forward else relation.ends()[::-1]
    example = f"; e.g. {entry.example[0][:30]} -> {entry.example[1][:30]}" if all(entry.example) else ""
    return f"{domain} -> {range_}; here {subject[:30]} -> {other[:30]}{example}"
