"""Swaps of objects among the facts of one predicate: each new object is one that another subject had."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from random import Random
from typing import Literal as Choice

from chattyshared.language.scripts import contains_name
from chattyshared.profile import Profile
from chattyshared.terms import Term, Triple
from rdflib import OWL, RDFS, BNode, Literal, URIRef

MAX_TRIES = 2_000
"""Facts that are looked at for a partner of one fact. Set by hand, for speed."""
MIRRORED_SHARE = 0.9
"""Share of a predicate's facts that another one states from the other end, from which both are swapped together; and of
those whose value the name of the subject has. Set by hand: graphs forget some."""
_COMPARED_FACTS = 200
"""Facts of a predicate that are looked for under another one."""
_SCHEMA_NAMESPACES = (str(RDFS), str(OWL))


Way = tuple[URIRef, Choice["same", "inverse", "beside"]]
"""A predicate, and how it states a fact: of the same two, from the other end, or by a value beside the object."""


@dataclass(slots=True)
class ObjectSwapper:
    """Swaps objects in ``graph``, in place.

    Two facts are partners if they have the same predicate, objects of the same classes or datatype, and, where there
    are any, subjects of the same classes. Each subject keeps its number of objects, and each object its number of
    subjects. What states the same fact from the other end (an inverse, a symmetric predicate) or more generally (a
    superproperty) is swapped along, and so is a year beside a date. ``swaps`` are the changed facts, with the
    objects that they had. ``names`` are those of subjects; the predicates whose values they are made of, such as the
    key in "order 1042", are ``naming`` and stay.
    """

    graph: set[Triple]
    profile: Profile
    rng: Random
    names: Mapping[Term, str] = field(default_factory=dict)
    naming: set[URIRef] = field(default_factory=set)
    swaps: dict[Triple, Term] = field(default_factory=dict)
    types: dict[Term, frozenset[Term]] = field(default_factory=dict)
    facts: dict[URIRef, list[Triple]] = field(default_factory=dict)
    pools: dict[Hashable, deque[Triple]] = field(default_factory=dict)
    asked: dict[Term, set[URIRef]] = field(default_factory=dict)
    ways: dict[URIRef, tuple[Way, ...]] = field(default_factory=dict)
    values: dict[Term, dict[URIRef, set[Term]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        types: dict[Term, set[Term]] = defaultdict(set)
        for triple in sort_triples(self.graph):
            self.facts.setdefault(triple[1], []).append(triple)
            self.values.setdefault(triple[0], {}).setdefault(triple[1], set()).add(triple[2])
            if str(triple[1]) in self.profile.types:
                types[triple[0]].add(triple[2])
        self.types = {term: frozenset(classes) for term, classes in types.items()}

    def swap(self, tested: Collection[Triple]) -> Counter[URIRef]:
        """Swap the objects of facts with each other, or with those of other facts. Return how many facts of which
        predicates have no partner."""
        self.naming = {predicate for predicate in {fact[1] for fact in tested} if self._is_in_names(predicate)}
        left = [fact for fact in sort_triples(set(tested)) if fact in self.graph and self.is_swappable(fact)]
        for subject, predicate, _ in left:
            self.asked.setdefault(subject, set()).add(predicate)
        self.rng.shuffle(left)
        self._fill_pools(left)
        unswapped: Counter[URIRef] = Counter()
        for fact in left:
            if fact not in self.graph or fact in self.swaps:
                continue
            partner = next(self._partners(fact), None)
            if partner is None:
                unswapped[fact[1]] += 1
            else:
                self._exchange(fact, partner)
        return unswapped

    def is_swappable(self, fact: Triple) -> bool:
        """Tell whether a fact describes a thing: names, classes, schema and metadata stay, and so do blank nodes."""
        subject, predicate, target = fact
        profile, name = self.profile, str(predicate)
        if predicate in self.naming:
            return False
        fixed = {*profile.types, *profile.subclasses, *profile.metadata, *profile.naming}
        is_schema = name.startswith(_SCHEMA_NAMESPACES) or isinstance(target, BNode) or isinstance(subject, BNode)
        return name not in fixed and not is_schema

    def _fill_pools(self, tested: Sequence[Triple]) -> None:
        """Collect the possible partners by both keys: the tested facts first."""
        chosen = set(tested)
        for predicate in sorted({fact[1] for fact in tested}):
            self._ways(predicate)  # read before anything changes
            others = [fact for fact in self.facts[predicate] if fact not in chosen and self.is_swappable(fact)]
            self.rng.shuffle(others)
            for fact in (*(each for each in tested if each[1] == predicate), *others):
                for key in self._keys(fact):
                    self.pools.setdefault(key, deque()).append(fact)

    def _keys(self, fact: Triple) -> tuple[Hashable, Hashable]:
        """Return the keys of a fact's pools: that with the classes of the subject, and that without."""
        subject, predicate, target = fact
        classes: Hashable = self.types.get(target, frozenset())
        kind = (target.datatype, target.language) if isinstance(target, Literal) else classes
        return (predicate, kind, self.types.get(subject, frozenset())), (predicate, kind)

    def _partners(self, fact: Triple) -> Iterator[Triple]:
        """Yield the partners of a fact: first those with subjects of the same classes, and whose objects have the
        predicates that the benchmark asks of each other, so that questions about them have answers; last those that
        have been swapped before."""
        for is_strict in (True, False):
            for key in self._keys(fact):
                pool = self.pools[key]
                while pool and pool[0] not in self.graph:  # they are swapped in the order of the pool
                    pool.popleft()
                others = (each for each in pool if each in self.graph and each not in self.swaps)
                for other in islice(others, MAX_TRIES):
                    if self._fits(fact, other) and not (is_strict and self._leaves_questions(fact[2], other[2])):
                        yield other
        again = (each for each in self.swaps if self._keys(each)[1] == self._keys(fact)[1])
        yield from (each for each in islice(again, MAX_TRIES) if self._fits(fact, each))

    def _leaves_questions(self, one: Term, other: Term) -> bool:
        """Tell whether something is asked of one of two objects that the other does not have."""
        pairs = ((one, other), (other, one))
        return any(not self.asked.get(a, set()) <= self.values.get(b, {}).keys() for a, b in pairs)

    def _fits(self, fact: Triple, other: Triple) -> bool:
        """Tell whether two facts can exchange their objects, with what is stated beside them."""
        (one, predicate, old), (two, _, new) = fact, other
        if one == two or old == new or one == new or two == old:
            return False
        for way in self._ways(predicate):
            changes = self._changes(way, fact, other)
            stated = [before in self.graph for before, _ in changes]
            if any(stated) and not all(stated):
                return False
            if all(stated) and any(
                after in self.graph or self._origin(before) == after[2] for before, after in changes
            ):
                return False
        return True

    def _exchange(self, fact: Triple, other: Triple) -> None:
        for changes in [self._changes(way, fact, other) for way in self._ways(fact[1])]:
            if changes and changes[0][0] in self.graph:
                origins = {after: self._origin(before) for before, after in changes}
                for before, after in changes:
                    self.graph.discard(before)
                    self.swaps.pop(before, None)
                    subject, predicate, target = after
                    self.values[subject][predicate] = self.values[subject][predicate] - {before[2]} | {target}
                self.graph.update(origins)
                self.swaps |= origins

    def _origin(self, fact: Triple) -> Term:
        return self.swaps.get(fact, fact[2])

    def _changes(self, way: Way, fact: Triple, other: Triple) -> tuple[tuple[Triple, Triple], ...]:
        """Return what two facts state in one way, before and after; empty if both state the same, or nothing."""
        (one, _, old), (two, _, new), (predicate, kind) = fact, other, way
        if kind == "inverse" and isinstance(old, URIRef) and isinstance(new, URIRef):
            return ((old, predicate, one), (old, predicate, two)), ((new, predicate, two), (new, predicate, one))
        if kind == "beside":
            values = [self.values.get(subject, {}).get(predicate, set()) for subject in (one, two)]
            if values[0] == values[1] or any(len(each) > 1 for each in values):
                return ()
            old, new = (next(iter(each), Literal("")) for each in values)
        return ((one, predicate, old), (one, predicate, new)), ((two, predicate, new), (two, predicate, old))

    def _ways(self, predicate: URIRef) -> tuple[Way, ...]:
        """Return the ways in which a predicate's facts are stated: itself first, then what is swapped along."""
        if predicate not in self.ways:
            facts = [fact for fact in self.facts[predicate] if isinstance(fact[2], URIRef)][:_COMPARED_FACTS]
            ways: list[Way] = [(iri, "inverse") for iri in self.facts if self._is_inverse(predicate, iri, facts)]
            above = [o for s, _, o in self.facts.get(RDFS.subPropertyOf, ()) if s == predicate and o != predicate]
            ways += [(iri, "same") for iri in above if isinstance(iri, URIRef)]
            ways += [(iri, "beside") for iri in self._restating(predicate)]
            self.ways[predicate] = ((predicate, "same"), *ways)
        return self.ways[predicate]

    def _restating(self, predicate: URIRef) -> Iterator[URIRef]:
        """Yield the predicates that state the year of a predicate's dates, or the date of its years."""
        shared: Counter[URIRef] = Counter()
        alike: Counter[URIRef] = Counter()
        for subject, _, target in self.facts[predicate][:_COMPARED_FACTS]:
            for iri, values in self.values[subject].items():
                texts = sorted((str(target), str(next(iter(values)))), key=len)
                shared[iri] += 1
                alike[iri] += len(values) == 1 and isinstance(target, Literal) and texts[1].startswith(f"{texts[0]}-")
        yield from (iri for iri, count in alike.items() if count and count >= MIRRORED_SHARE * shared[iri])

    def _is_in_names(self, predicate: URIRef) -> bool:
        facts = [fact for fact in self.facts.get(predicate, ()) if isinstance(fact[2], Literal)][:_COMPARED_FACTS]
        named = sum(contains_name(self.names.get(subject, ""), str(value)) for subject, _, value in facts)
        return bool(facts) and named >= MIRRORED_SHARE * len(facts)

    def _is_inverse(self, predicate: URIRef, other: URIRef, facts: Sequence[Triple]) -> bool:
        declared = {(predicate, OWL.inverseOf, other), (other, OWL.inverseOf, predicate)} & self.graph
        symmetric = predicate == other and any((predicate, iri, OWL.SymmetricProperty) in self.graph
                                               for iri in map(URIRef, self.profile.types))  # fmt: skip
        mirrored = sum((o, other, s) in self.graph for s, _, o in facts)
        return bool(declared) or symmetric or (len(facts) > 1 and mirrored >= MIRRORED_SHARE * len(facts))


def sort_triples(triples: Iterable[Triple]) -> list[Triple]:
    """Return triples in an order that is the same in every run."""
    return sorted(triples, key=lambda triple: tuple(map(_sort_key, triple)))


def _sort_key(term: Term) -> tuple[str, str, str]:
    if isinstance(term, Literal):
        return str(term), term.language or "", str(term.datatype or "")
    return str(term), "", ""
