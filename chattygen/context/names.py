"""Names: the predicates that name the entities of a KG, names that one entity only bears, and names that none bears."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from chattyshared.kg import Edge, KnowledgeGraph
from chattyshared.kg.batches import batches, union_pattern
from chattyshared.kg.label_ranking import SAME_SINGULAR, content_words
from chattyshared.kg.labels import label_predicates
from chattyshared.kg.metadata_terms import page_filter
from chattyshared.kg.table_names import split_name_patterns
from chattyshared.model import Usage
from chattyshared.terms import Term, n3
from rapidfuzz import fuzz
from rdflib import Literal, URIRef

from chattygen.context.neighbourhoods import Neighbourhoods
from chattygen.context.predicate_salience import has_trailing_punctuation

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
MAX_TRIED = 12
"""Recombinations that are tried for one invented name; set by hand."""
MAX_SIMILAR = 10
"""Labels that are compared with one invented name; set by hand."""
MAX_SIMILARITY = 88.0
"""Percent: an invented name that is more similar to a label could be a misspelling of it; set by hand."""
MAX_INVENTED_WORDS = 3
"""Words: the most of an invented name; set by hand."""
Bearers = dict[tuple[str, str], frozenset[URIRef]]
"""Who bears some names: by the text of a name and its language tag."""


@dataclass(frozen=True, slots=True)
class Naming:
    """The label predicates of each type, best first.

    ``by_type`` maps a type to its chosen predicate; ``fallbacks`` serve all types. ``languages`` are tags, best first.
    ``usage`` is what the model used to choose. ``decided_types`` are the types whose choice is made or is not needed.
    ``name_pairs`` pairs predicates of given names with the predicates of the family names that follow them.
    """

    by_type: Mapping[str, str]
    fallbacks: tuple[str, ...]
    languages: tuple[str, ...]
    usage: Usage = Usage()
    decided_types: frozenset[str] = frozenset()
    name_pairs: tuple[tuple[str, str], ...] = ()

    @property
    def predicates(self) -> frozenset[str]:
        """The predicates whose values are names."""
        return frozenset((*self.by_type.values(), *self.fallbacks, *(family for _, family in self.name_pairs)))

    @property
    def whole_name_predicates(self) -> frozenset[str]:
        """Those whose values are whole names: no given or family name, which several persons share."""
        return self.predicates - {part for pair in self.name_pairs for part in pair}

    def predicates_of(self, type_iri: str) -> tuple[str, ...]:
        """Return the label predicates of a type, best first."""
        chosen = self.by_type.get(type_iri)
        return tuple(dict.fromkeys((*((chosen,) if chosen else ()), *self.fallbacks)))

    def find_name(self, type_iri: str, edges: Iterable[Edge]) -> Literal | None:
        """Return the literal that names an entity among its edges, or None.

        A name in two parts becomes one literal, which the KG does not hold.
        """
        ranks = {iri: rank for rank, iri in enumerate(self.predicates_of(type_iri))}
        literals = [
            (str(edge.predicate), edge.object)
            for edge in edges
            if edge.direction == "out" and isinstance(edge.object, Literal) and str(edge.object).strip()
        ]
        names = [(predicate, literal) for predicate, literal in literals if predicate in ranks]
        if not names:
            return None
        predicate, name = min(names, key=lambda p: (ranks[p[0]], self._language_rank(p[1]), len(p[1]), str(p[1])))
        family_predicates = [family for given, family in self.name_pairs if given == predicate]
        family_name = min((str(literal) for iri, literal in literals if iri in family_predicates), default="")
        return Literal(f"{name} {family_name}") if family_name else name

    def _language_rank(self, literal: Literal) -> int:
        tag = (literal.language or "").split("-")[0]
        return self.languages.index(tag) if tag in self.languages else len(self.languages)


def profile_naming(kg: KnowledgeGraph) -> Naming:
    """Return the naming that the KG's profile states, before a model is asked."""
    profile = kg.profile
    return Naming(dict(profile.type_labels), profile.labels, profile.languages, name_pairs=profile.name_pairs)


@dataclass(frozen=True, slots=True)
class NameIndex:
    """The names of entities that no other entity shares."""

    unambiguous: Mapping[URIRef, str] = field(default_factory=dict)

    def name_of(self, term: Term) -> str:
        """Return the text of a term in a question; empty if a question should not contain it."""
        text = self.unambiguous.get(term, "") if isinstance(term, URIRef) else str(term)
        text = " ".join(text.split()) if isinstance(term, (URIRef, Literal)) else ""
        is_odd = has_trailing_punctuation(text, is_name=isinstance(term, URIRef))
        return text if len(text.split()) <= MAX_NAME_WORDS and not is_odd else ""


def index_names(
    kg: KnowledgeGraph, naming: Naming, known: Bearers, requested: Sequence[tuple[Neighbourhoods, Iterable[Term]]]
) -> list[NameIndex]:
    """Find out which of some entities share their name with another: for several seeds together, in few requests.

    ``known`` keeps who bears the names that were read.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    tags = [tag for tag in kg.profile.languages if tag][:MAX_LANGUAGES]
    names_by_seed: list[dict[URIRef, list[Literal]]] = []
    for around, terms in requested:
        iris = [iri for iri in dict.fromkeys(terms) if isinstance(iri, URIRef) and around.labels.get(iri)]
        names_by_seed.append({
            iri: [end for predicate in naming.whole_name_predicates
                  for end in around.ends(iri, "out", predicate) if isinstance(end, Literal)]
            or [Literal(around.labels[iri]), *(Literal(around.labels[iri], lang=tag) for tag in tags)]
            for iri in iris[:MAX_NAMED_ENTITIES]
        })  # fmt: skip
    names = dict.fromkeys(name for by_iri in names_by_seed for of_one in by_iri.values() for name in of_one)
    allowed = ", ".join(n3(URIRef(iri)) for iri in sorted({*naming.predicates, *label_predicates(kg.profile)}))
    unknown = [name for name in names if _key(name) not in known] if allowed else []
    for batch in batches(unknown, NAME_BATCH):
        known.update(_fetch_bearers(kg, naming, batch, allowed))
    return [
        NameIndex(_unambiguous(kg, around, by_iri, known))
        for (around, _), by_iri in zip(requested, names_by_seed, strict=True)
    ]


def _unambiguous(
    kg: KnowledgeGraph, around: Neighbourhoods, names_by_iri: Mapping[URIRef, Sequence[Literal]], known: Bearers
) -> dict[URIRef, str]:
    """Return those entities that share none of their names, with their labels."""
    bearers: dict[str, set[URIRef]] = defaultdict(set)
    for iri, names in names_by_iri.items():
        for name in names:
            bearers[_fold(name)] |= known.get(_key(name), frozenset())
        if not kg.profile.has_labels or not kg.row_keys.keys().isdisjoint(around.types.get(iri, ())):
            bearers[_fold(around.labels[iri])].add(iri)
    return {
        iri: around.labels[iri]
        for iri, names in names_by_iri.items()
        if all(bearers[_fold(name)] == {iri} for name in (around.labels[iri], *names))
    }


def _key(name: Literal) -> tuple[str, str]:
    return str(name), (name.language or "").casefold()


def _fold(text: str) -> str:
    return " ".join(text.casefold().split())


def _fetch_bearers(kg: KnowledgeGraph, naming: Naming, names: Sequence[Literal], allowed: str) -> Bearers:
    values = " ".join(map(n3, names))
    patterns = [f"VALUES ?name {{ {values} }} ?bearer ?p ?name FILTER(?p IN ({allowed}))"]
    for pattern in split_name_patterns(map(str, names), naming.name_pairs):
        patterns.append(f"SELECT (?x AS ?name) (?s AS ?bearer) WHERE {{ {pattern} }}")
    allowed_bearer = f"FILTER(isIRI(?bearer)) {page_filter(kg.profile, '?bearer')}"
    rows = kg.endpoint.select(
        f"SELECT DISTINCT ?name ?bearer WHERE {{ {union_pattern(patterns)} {allowed_bearer} }} "
        f"LIMIT {MAX_NAME_ROWS + 1}"
    )
    if len(rows) > MAX_NAME_ROWS:
        if len(names) == 1:
            return {_key(names[0]): frozenset({SHARED_BY_TOO_MANY})}
        half = len(names) // 2
        return {
            **_fetch_bearers(kg, naming, names[:half], allowed),
            **_fetch_bearers(kg, naming, names[half:], allowed),
        }
    bearers: Bearers = dict.fromkeys(map(_key, names), frozenset())
    for row in rows:
        name, bearer = row["name"], row["bearer"]
        if isinstance(bearer, URIRef) and isinstance(name, Literal):
            bearers[_key(name)] = bearers.get(_key(name), frozenset()) | {bearer}
    return bearers


def invent_name(kg: KnowledgeGraph, names: Sequence[str], rng: Random) -> str:
    """Return a name that no person bears: the given name of one with the family name of another, so that no label
    resembles it; empty if there is none.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    plain_names = sorted({name for name in names if re.search(r"[^\W\d_]", name)})
    if len(plain_names) < 2:
        return ""
    pairs = (rng.sample(plain_names, 2) for _ in range(MAX_TRIED))
    for name in filter(None, dict.fromkeys(_recombine(one, other) for one, other in list(pairs))):
        if any(_resembles(name, label) for label in names):
            continue
        hits = kg.search([name], limit=MAX_SIMILAR)[name]
        if not any(_resembles(name, label) for hit in hits for label in (hit.label, hit.matched_label)):
            return name
    return ""


def borne_names(kg: KnowledgeGraph, names: Sequence[str]) -> tuple[str, ...]:
    """Return those of some names that an entity of the KG bears.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    hits = kg.search(names, limit=1, whole_only=names) if names else {}
    return tuple(name for name in names if any(hit.score >= SAME_SINGULAR for hit in hits[name]))


def _recombine(one: str, other: str) -> str:
    """Return the given names of one person with the family name of another; empty if one of them is no such name."""
    words, other_words = one.split(), other.split()
    all_words = [*words, *other_words]
    are_names = len(content_words(" ".join(all_words))) == len(all_words) and all(map(_is_name_part, all_words))
    is_short = 1 < len(words) == len(other_words) <= MAX_INVENTED_WORDS
    return " ".join([*words[:-1], other_words[-1]]) if are_names and is_short else ""


def _is_name_part(word: str) -> bool:
    return len(word) > 1 and word[0].isupper() and word.replace("-", "").replace("'", "").isalpha()


def _resembles(name: str, label: str) -> bool:
    """Tell whether a name is a label, a part of one or contains one, or is spelled almost like one."""
    folded, folded_label = name.casefold(), label.casefold()
    is_part = f" {folded} " in f" {folded_label} " or f" {folded_label} " in f" {folded} "
    same_words = set(folded.split()) == set(folded_label.split())
    return is_part or same_words or fuzz.ratio(folded, folded_label) > MAX_SIMILARITY
