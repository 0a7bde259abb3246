"""Search for literals by words: the texts, numbers and dates of a KG, with their predicates."""

from __future__ import annotations

import gc
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from decimal import Decimal

from rdflib import Literal, URIRef
from rdflib.namespace import XSD

from chattyshared.endpoint import Endpoint
from chattyshared.kg.batches import batches, fetch_pages, text_of, union_pattern, values_block
from chattyshared.kg.entity_search import literal_variants
from chattyshared.kg.label_index import LabelEntry, LabelIndex
from chattyshared.kg.label_ranking import MIN_SCORE, label_similarity
from chattyshared.kg.records import LiteralHit
from chattyshared.literals import format_year, is_number, parse_number, read_moment, read_number
from chattyshared.profile import Profile
from chattyshared.terms import NUMERIC_DATATYPES, n3

MAX_LENGTH = 80
"""Longer literals are not searched: questions do not contain them."""
_PAGE_SIZE = 100_000
_FREEZE_FROM = 2_000
_NUMBER = re.compile(r"^[+-]?\d{1,3}(,\d{3})+(\.\d+)?$|^[+-]?\d+(\.\d+)?$")
_DATE = re.compile(r"^\d{4}-\d{2}-\d{2}$")
_YEAR = re.compile(r"^\d{4}$")


class LiteralIndex:
    """All distinct short literals of a KG with their predicates, found by text, number or date."""

    def __init__(self, literals: Iterable[tuple[Literal, str]]) -> None:
        predicates_by_value: dict[Literal, set[str]] = defaultdict(set)
        for value, predicate in literals:
            predicates_by_value[value].add(predicate)
        self._predicates_by_value = {value: tuple(sorted(names)) for value, names in predicates_by_value.items()}
        self._values = sorted(self._predicates_by_value, key=lambda v: (str(v), str(v.datatype), v.language or ""))
        self._numbers: dict[Decimal, list[int]] = defaultdict(list)
        self._dates: dict[str, list[int]] = defaultdict(list)
        entries = []
        for index, value in enumerate(self._values):
            if (number := read_number(value)) is not None:
                self._numbers[number].append(index)
            elif (moment := read_moment(value)) is not None:
                for key in dict.fromkeys((format_year(moment.year), moment.date)):
                    self._dates[key].append(index)
            else:
                entries.append(LabelEntry(str(index), str(value), True))
        self._texts = LabelIndex.build(entries)

    @property
    def size(self) -> int:
        """The number of distinct literals."""
        return len(self._values)

    def find_literals(self, text: str, *, limit: int, whole_only: bool = False) -> tuple[LiteralHit, ...]:
        """Return the literals that match a text, best first; with ``whole_only``, those equal to it."""
        scores: dict[int, float] = {}
        number = parse_number(text.replace(",", "")) if _NUMBER.match(text) else None
        for index in self._numbers.get(number, ()) if number is not None else ():
            scores[index] = 1.0
        for index in self._dates.get(text.strip(), ()):
            scores[index] = _literal_similarity(text.strip(), self._values[index])
        exact = self._texts.find_exact(text)
        for entry in exact if whole_only else exact + self._texts.find_similar(text, limit=max(40, 2 * limit)):
            score = label_similarity(text, entry.text)
            if score >= MIN_SCORE:
                scores[int(entry.iri)] = score
        ranked = sorted(scores, key=lambda index: (-scores[index], len(self._values[index]), index))[:limit]
        return tuple(
            LiteralHit(self._values[index], self._predicates_by_value[self._values[index]], scores[index])
            for index in ranked
        )


def build_literal_index(endpoint: Endpoint, profile: Profile) -> LiteralIndex:
    """Read all distinct short literals with their predicates, without labels and metadata.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    query = f"SELECT DISTINCT ?p ?o WHERE {{ ?s ?p ?o FILTER(isLiteral(?o) && STRLEN(STR(?o)) <= {MAX_LENGTH}) }}"
    rows = fetch_pages(endpoint, query, _PAGE_SIZE)
    index = LiteralIndex(
        (value, text_of(row, "p"))
        for row in rows
        if isinstance(value := row.get("o"), Literal) and text_of(row, "p") not in profile.metadata
    )
    if index.size > _FREEZE_FROM:  # scanning this many objects in each garbage collection takes longer than an answer
        gc.collect()
        gc.freeze()
    return index


def search_literals(
    endpoint: Endpoint, profile: Profile, texts: Iterable[str], *, date_predicates: Sequence[str], limit: int
) -> dict[str, tuple[LiteralHit, ...]]:
    """Return the literals that are equal to each text in one of its usual spellings, in one request.

    Years are compared with the dates of ``date_predicates``.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    kept_texts = list(dict.fromkeys(t.strip() for t in texts if t.strip() and len(t) <= MAX_LENGTH))
    variants = {t: [*literal_variants(t, profile, 4), *_typed_literals(t)] for t in kept_texts}
    terms = list(dict.fromkeys(n3(v) for literals in variants.values() for v in literals))
    branches = [
        f"SELECT DISTINCT ?p ?o WHERE {{ VALUES ?o {{ {' '.join(b)} }} ?s ?p ?o }} LIMIT 5000" for b in batches(terms)
    ]
    branches += [_dates_in_year(t, date_predicates) for t in kept_texts if _YEAR.match(t) and date_predicates]
    predicates_by_value: dict[Literal, set[str]] = defaultdict(set)
    for row in endpoint.select(f"SELECT ?p ?o WHERE {{ {union_pattern(branches)} }}") if branches else ():
        if isinstance(value := row.get("o"), Literal) and text_of(row, "p") not in profile.metadata:
            predicates_by_value[value].add(text_of(row, "p"))
    return {
        t: _rank_literals(t, {v: n for v, n in predicates_by_value.items() if _matches(t, v, variants[t])}, limit)
        for t in kept_texts
    }


def _dates_in_year(year: str, date_predicates: Sequence[str]) -> str:
    return (
        f"SELECT DISTINCT ?p ?o WHERE {{ {values_block('p', date_predicates)} ?s ?p ?o"
        f" FILTER(STRSTARTS(STR(?o), {n3(Literal(year + '-'))})) }} LIMIT 200"
    )


def _matches(text: str, value: Literal, variants: Sequence[Literal]) -> bool:
    moment = read_moment(value)
    return value in variants or (moment is not None and format_year(moment.year) == text)


def _rank_literals(text: str, predicates_by_value: dict[Literal, set[str]], limit: int) -> tuple[LiteralHit, ...]:
    hits = [
        LiteralHit(v, tuple(sorted(names)), _literal_similarity(text, v)) for v, names in predicates_by_value.items()
    ]
    return tuple(sorted(hits, key=lambda hit: (-hit.score, str(hit.value), n3(hit.value))))[:limit]


def _literal_similarity(text: str, value: Literal) -> float:
    moment = read_moment(value)
    if moment is not None:
        return 1.0 if moment.date == text else 0.9
    return 1.0 if is_number(value) else label_similarity(text, str(value))


def _typed_literals(text: str) -> list[Literal]:
    """Return the typed literals that a text may be."""
    literals: list[Literal] = []
    if _NUMBER.match(text):
        number = text.replace(",", "")
        forms = dict.fromkeys((number, number.rstrip("0").rstrip(".") if "." in number else number))
        for form in forms:
            datatypes = sorted(NUMERIC_DATATYPES) if "." not in form else [XSD.decimal, XSD.double, XSD.float]
            literals += [Literal(form, datatype=URIRef(datatype), normalize=False) for datatype in datatypes]
            if "." not in form:
                literals += [Literal(form + ".0", datatype=k, normalize=False) for k in (XSD.decimal, XSD.double)]
    if _DATE.match(text):
        literals.append(Literal(text, datatype=XSD.date, normalize=False))
        literals.append(Literal(text + "T00:00:00", datatype=XSD.dateTime, normalize=False))
    if _YEAR.match(text):
        literals.append(Literal(text, datatype=XSD.gYear, normalize=False))
        literals.append(Literal(text + "-01-01", datatype=XSD.date, normalize=False))
    return literals
