"""Names that a question may say: short, and borne by one thing only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from chattyshared.terms import Term, n3
from rdflib import Literal, URIRef

from chattygen.planning.stars import Stars
from chattygen.run import Run

ASKED, ROWS = 120, 3_000
LONGEST = 10
"""The most words of a name that is said in passing."""


def names_of(run: Run) -> frozenset[str]:
    """Return the predicates that carry names."""
    return frozenset((*run.naming.by_type.values(), *run.naming.fallbacks))


@dataclass(frozen=True, slots=True)
class Names:
    """What things are called, and which of them bear their name alone."""

    clear: Mapping[URIRef, str] = field(default_factory=dict)

    def of(self, term: Term) -> str:
        """Return how a term is said in a question; empty where it had better not be said."""
        text = str(term) if isinstance(term, Literal) else self.clear.get(term, "") if isinstance(term, URIRef) else ""
        text = " ".join(text.split())
        return text if len(text.split()) <= LONGEST else ""

    @classmethod
    def read(cls, run: Run, stars: Stars, terms: Iterable[Term]) -> Names:
        """Find out, in one request, which of some things share their name with another.

        Raises:
            EndpointError: the endpoint does not answer.
        """
        things = [one for one in dict.fromkeys(terms) if isinstance(one, URIRef) and stars.labels.get(one)][:ASKED]
        predicates = names_of(run)
        called = {one: stars.labels[one] for one in things}
        exact = {one: _stated(stars, one, predicates) for one in things}
        bearers = _bearers(run, [lit for one in things for lit in exact[one] or _variants(run, called[one])])
        for one in things:
            for text in {called[one], *map(str, exact[one])}:
                bearers[_key(text)].add(one)
        clear = {
            one: called[one] for one in things
            if all(bearers[_key(text)] == {one} for text in {called[one], *map(str, exact[one])})
        }  # fmt: skip
        return cls(clear)


def _key(text: str) -> str:
    return " ".join(text.casefold().split())


def _stated(stars: Stars, iri: URIRef, predicates: frozenset[str]) -> list[Literal]:
    return [
        far for side, predicate, far in stars.rays.get(iri, ())
        if side == "out" and str(predicate) in predicates and isinstance(far, Literal)
    ]  # fmt: skip


def _variants(run: Run, text: str) -> list[Literal]:
    """Return the literals that most likely carry a name that was read without its language."""
    tags = [tag for tag in run.kg.profile.languages if tag][:1]
    return [Literal(text), *(Literal(text, lang=tag) for tag in tags)]


def _bearers(run: Run, names: list[Literal]) -> dict[str, set[URIRef]]:
    found: dict[str, set[URIRef]] = defaultdict(set)
    predicates = sorted(names_of(run))
    if not names or not predicates:
        return found
    block = " ".join(dict.fromkeys(map(n3, names)))
    allowed = ", ".join(n3(URIRef(iri)) for iri in predicates)
    rows = run.kg.endpoint.select(
        f"SELECT DISTINCT ?name ?x WHERE {{ VALUES ?name {{ {block} }} ?x ?p ?name FILTER(?p IN ({allowed})) "
        f"FILTER(isIRI(?x)) }} LIMIT {ROWS + 1}"
    )
    if len(rows) > ROWS:
        # Names that thousands share are no names; which ones they are cannot be told.
        return defaultdict(lambda: {URIRef("urn:several")})
    for row in rows:
        bearer = row["x"]
        if isinstance(bearer, URIRef):
            found[_key(str(row["name"]))].add(bearer)
    return found
