"""Names that a question may use: short, and borne by one entity only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from chattyshared.kg.batches import batches, union_pattern
from chattyshared.kg.labels import label_predicates
from chattyshared.kg.table_names import split_name_patterns
from chattyshared.terms import Term, n3
from rdflib import Literal, URIRef

from chattygen.planning.neighbourhoods import Neighbourhoods
from chattygen.run import RunContext, TaggedName
from chattygen.subgraph.predicate_salience import has_trailing_punctuation

MAX_NAMED_ENTITIES = 120
"""Entities per seed whose names are checked; set by hand."""
MAX_NAME_ROWS = 3_000
"""Rows: the most that one request reads; a larger result is read again by halves; set by hand."""
NAME_BATCH = 200
"""Names per request; set by hand."""
MAX_LANGUAGES = 3
"""Language tags that are tried for a name whose tag is not known; set by hand."""
MAX_NAME_WORDS = 10
"""Words: the most of a name that a question says; set by hand."""
SHARED_BY_TOO_MANY = URIRef("urn:several")
"""Stands for the bearers of a name that has more than ``MAX_NAME_ROWS``."""


def name_predicates(run: RunContext) -> frozenset[str]:
    """Return the predicates whose values are names."""
    families = (family for _, family in run.naming.name_pairs)
    return frozenset((*run.naming.by_type.values(), *run.naming.fallbacks, *families))


def whole_name_predicates(run: RunContext) -> frozenset[str]:
    """Return the predicates whose values are whole names: no given or family name, which several persons share."""
    return name_predicates(run) - {part for pair in run.naming.name_pairs for part in pair}


@dataclass(frozen=True, slots=True)
class NameIndex:
    """The names of entities that no other entity shares."""

    unambiguous: Mapping[URIRef, str] = field(default_factory=dict)

    def name_of(self, term: Term) -> str:
        """Return the text of a term in a question; empty if a question should not contain it."""
        text = (
            str(term)
            if isinstance(term, Literal)
            else self.unambiguous.get(term, "")
            if isinstance(term, URIRef)
            else ""
        )
        text = " ".join(text.split())
        is_odd = has_trailing_punctuation(text, is_name=isinstance(term, URIRef))
        return text if len(text.split()) <= MAX_NAME_WORDS and not is_odd else ""

    @classmethod
    def fetch(cls, run: RunContext, requested: Sequence[tuple[Neighbourhoods, Iterable[Term]]]) -> list[NameIndex]:
        """Find out which of some entities share their name with another: for several seeds together, in few requests.

        Raises:
            EndpointError: the endpoint does not answer.
        """
        predicates = whole_name_predicates(run)
        names_by_seed = []
        for neighbourhoods, terms in requested:
            iris = [iri for iri in dict.fromkeys(terms) if isinstance(iri, URIRef) and neighbourhoods.labels.get(iri)][
                :MAX_NAMED_ENTITIES
            ]
            stated = {iri: _stated_names(neighbourhoods, iri, predicates) for iri in iris}
            names_by_seed.append(
                (
                    neighbourhoods,
                    {iri: stated[iri] or _language_variants(run, neighbourhoods.labels[iri]) for iri in iris},
                )
            )
        _fetch_bearers(
            run,
            dict.fromkeys(
                name for _, names_by_iri in names_by_seed for names in names_by_iri.values() for name in names
            ),
        )
        return [cls(_unambiguous(run, neighbourhoods, names_by_iri)) for neighbourhoods, names_by_iri in names_by_seed]


def _unambiguous(
    run: RunContext, neighbourhoods: Neighbourhoods, names_by_iri: Mapping[URIRef, Sequence[Literal]]
) -> dict[URIRef, str]:
    """Return those entities that share none of their names, with their labels."""
    bearers: dict[str, set[URIRef]] = defaultdict(set)
    known = run.cache.name_bearers[_naming_predicates(run)]
    for iri, names in names_by_iri.items():
        for name in names:
            bearers[_fold(str(name))] |= known.get(tagged_name(name), frozenset())
        if not run.kg.profile.has_labels or not run.kg.row_keys.keys().isdisjoint(neighbourhoods.types.get(iri, ())):
            bearers[_fold(neighbourhoods.labels[iri])].add(iri)
    return {
        iri: neighbourhoods.labels[iri]
        for iri, names in names_by_iri.items()
        if all(bearers[_fold(str(name))] == {iri} for name in (neighbourhoods.labels[iri], *names))
    }


def tagged_name(name: Literal) -> TaggedName:
    """Return what identifies a name: its text and its language."""
    return str(name), (name.language or "").casefold()


def _fold(text: str) -> str:
    return " ".join(text.casefold().split())


def _stated_names(neighbourhoods: Neighbourhoods, iri: URIRef, predicates: frozenset[str]) -> list[Literal]:
    return [
        end
        for direction, predicate, end in neighbourhoods.directed_edges.get(iri, ())
        if direction == "out" and str(predicate) in predicates and isinstance(end, Literal)
    ]


def _language_variants(run: RunContext, text: str) -> list[Literal]:
    """Return the literals that most likely carry a name whose language is not known."""
    tags = [tag for tag in run.kg.profile.languages if tag][:MAX_LANGUAGES]
    return [Literal(text), *(Literal(text, lang=tag) for tag in tags)]


def _naming_predicates(run: RunContext) -> tuple[str, ...]:
    return tuple(sorted({*name_predicates(run), *label_predicates(run.kg.profile)}))


def _fetch_bearers(run: RunContext, names: Iterable[Literal]) -> None:
    """Read who bears some names, except names that were read before."""
    predicates = _naming_predicates(run)
    known = run.cache.name_bearers.setdefault(predicates, {})
    for batch in batches([name for name in names if tagged_name(name) not in known], NAME_BATCH) if predicates else ():
        known.update(_bearers(run, batch, ", ".join(n3(URIRef(iri)) for iri in predicates)))


def _bearers(run: RunContext, names: Sequence[Literal], allowed: str) -> dict[TaggedName, frozenset[URIRef]]:
    values = " ".join(map(n3, names))
    patterns = [f"VALUES ?name {{ {values} }} ?bearer ?p ?name FILTER(?p IN ({allowed}))"]
    for pattern in split_name_patterns(map(str, names), run.naming.name_pairs):
        patterns.append(f"SELECT (?x AS ?name) (?s AS ?bearer) WHERE {{ {pattern} }}")
    rows = run.kg.endpoint.select(
        f"SELECT DISTINCT ?name ?bearer WHERE {{ {union_pattern(patterns)} FILTER(isIRI(?bearer)) }} "
        f"LIMIT {MAX_NAME_ROWS + 1}"
    )
    if len(rows) > MAX_NAME_ROWS:
        if len(names) == 1:
            return {tagged_name(names[0]): frozenset({SHARED_BY_TOO_MANY})}
        half = len(names) // 2
        return {**_bearers(run, names[:half], allowed), **_bearers(run, names[half:], allowed)}
    bearers: dict[TaggedName, set[URIRef]] = {tagged_name(name): set() for name in names}
    for row in rows:
        name, bearer = row["name"], row["bearer"]
        if isinstance(bearer, URIRef) and isinstance(name, Literal):
            bearers.setdefault(tagged_name(name), set()).add(bearer)
    return {name: frozenset(iris) for name, iris in bearers.items()}
