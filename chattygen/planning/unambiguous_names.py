"""Names that a question may say: short, and borne by one thing only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from chattyshared.kg.batches import batches, union_pattern
from chattyshared.kg.column_names import split_name_patterns
from chattyshared.kg.labels import label_predicates
from chattyshared.terms import Term, n3
from rdflib import Literal, URIRef

from chattygen.planning.neighbourhoods import Neighbourhoods
from chattygen.run import RunContext, TaggedName

MAX_NAMED_ENTITIES, MAX_NAME_ROWS = 120, 3_000
NAME_BATCH, MAX_LANGUAGES = 200, 3
MAX_NAME_WORDS = 10
"""The most words of a name that is said in passing."""


def name_predicates(run: RunContext) -> frozenset[str]:
    """Return the predicates that carry names."""
    families = (family for _, family in run.naming.name_pairs)
    return frozenset((*run.naming.by_type.values(), *run.naming.fallbacks, *families))


@dataclass(frozen=True, slots=True)
class NameIndex:
    """What things are called, and which of them bear their name alone."""

    unambiguous: Mapping[URIRef, str] = field(default_factory=dict)

    def name_of(self, term: Term) -> str:
        """Return how a term is said in a question; empty where it had better not be said."""
        text = (
            str(term)
            if isinstance(term, Literal)
            else self.unambiguous.get(term, "")
            if isinstance(term, URIRef)
            else ""
        )
        text = " ".join(text.split())
        return text if len(text.split()) <= MAX_NAME_WORDS else ""

    @classmethod
    def fetch(cls, run: RunContext, wanted: Sequence[tuple[Neighbourhoods, Iterable[Term]]]) -> list[NameIndex]:
        """Find out which of some things share their name with another: for several seeds together, in few requests.

        Raises:
            EndpointError: the endpoint does not answer.
        """
        halves = {half for both in run.naming.name_pairs for half in both}
        predicates = name_predicates(run) - halves
        listed = []
        for stars, terms in wanted:
            things = [one for one in dict.fromkeys(terms) if isinstance(one, URIRef) and stars.labels.get(one)][
                :MAX_NAMED_ENTITIES
            ]
            stated = {one: _stated(stars, one, predicates) for one in things}
            listed.append((stars, {one: stated[one] or _variants(run, stars.labels[one]) for one in things}))
        _hear(run, dict.fromkeys(name for _, told in listed for names in told.values() for name in names))
        return [cls(_clear(run, stars, told)) for stars, told in listed]


def _clear(run: RunContext, stars: Neighbourhoods, told: Mapping[URIRef, Sequence[Literal]]) -> dict[URIRef, str]:
    """Return, of things with the literals that may name them, those that bear their name alone."""
    bearers: dict[str, set[URIRef]] = defaultdict(set)
    known = run.cache.name_bearers[_predicates(run)]
    for one, names in told.items():
        for name in names:
            bearers[_key(str(name))] |= known.get(tagged_name(name), frozenset())
        if not run.kg.profile.has_labels:
            bearers[_key(stars.labels[one])].add(one)
    return {
        one: stars.labels[one]
        for one, names in told.items()
        if all(bearers[_key(str(name))] == {one} for name in (stars.labels[one], *names))
    }


def tagged_name(name: Literal) -> TaggedName:
    """Return what tells a name apart: its text and its language."""
    return str(name), (name.language or "").casefold()


def _key(text: str) -> str:
    return " ".join(text.casefold().split())


def _stated(stars: Neighbourhoods, iri: URIRef, predicates: frozenset[str]) -> list[Literal]:
    return [
        far
        for side, predicate, far in stars.directed_edges.get(iri, ())
        if side == "out" and str(predicate) in predicates and isinstance(far, Literal)
    ]


def _variants(run: RunContext, text: str) -> list[Literal]:
    """Return the literals that most likely carry a name that was read without its language."""
    tags = [tag for tag in run.kg.profile.languages if tag][:MAX_LANGUAGES]
    return [Literal(text), *(Literal(text, lang=tag) for tag in tags)]


def _predicates(run: RunContext) -> tuple[str, ...]:
    return tuple(sorted({*name_predicates(run), *label_predicates(run.kg.profile)}))


def _hear(run: RunContext, names: Iterable[Literal]) -> None:
    """Read who bears some names, those that nobody has asked for yet; names that thousands bear are no names."""
    predicates = _predicates(run)
    known = run.cache.name_bearers.setdefault(predicates, {})
    for batch in batches([name for name in names if tagged_name(name) not in known], NAME_BATCH) if predicates else ():
        known.update(_bearers(run, batch, ", ".join(n3(URIRef(iri)) for iri in predicates)))


def _bearers(run: RunContext, names: Sequence[Literal], allowed: str) -> dict[TaggedName, frozenset[URIRef]]:
    block = " ".join(map(n3, names))
    ways = [f"VALUES ?name {{ {block} }} ?bearer ?p ?name FILTER(?p IN ({allowed}))"]
    for pattern in split_name_patterns(map(str, names), run.naming.name_pairs):
        ways.append(f"SELECT (?x AS ?name) (?s AS ?bearer) WHERE {{ {pattern} }}")
    rows = run.kg.endpoint.select(
        f"SELECT DISTINCT ?name ?bearer WHERE {{ {union_pattern(ways)} FILTER(isIRI(?bearer)) }} "
        f"LIMIT {MAX_NAME_ROWS + 1}"
    )
    if len(rows) > MAX_NAME_ROWS:
        if len(names) == 1:
            return {tagged_name(names[0]): frozenset({URIRef("urn:several")})}
        half = len(names) // 2
        return {**_bearers(run, names[:half], allowed), **_bearers(run, names[half:], allowed)}
    found: dict[TaggedName, set[URIRef]] = {tagged_name(name): set() for name in names}
    for row in rows:
        name, bearer = row["name"], row["bearer"]
        if isinstance(bearer, URIRef) and isinstance(name, Literal):
            found.setdefault(tagged_name(name), set()).add(bearer)
    return {name: frozenset(some) for name, some in found.items()}
