"""Literals by words: the texts, numbers and dates that stand in a KG, with the predicates that they stand under."""

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

SHORT = 80
"""Longer texts are not looked for: nobody asks by them."""
_PAGE = 100_000
_MANY = 2_000
_NUMBER = re.compile(r"^[+-]?\d{1,3}(,\d{3})+(\.\d+)?$|^[+-]?\d+(\.\d+)?$")
_DATE = re.compile(r"^\d{4}-\d{2}-\d{2}$")
_YEAR = re.compile(r"^\d{4}$")


class LiteralIndex:
    """All distinct short literals of a KG with their predicates; finds them by text, number or date."""

    def __init__(self, found: Iterable[tuple[Literal, str]]) -> None:
        under: dict[Literal, set[str]] = defaultdict(set)
        for value, predicate in found:
            under[value].add(predicate)
        self._under = {value: tuple(sorted(names)) for value, names in under.items()}
        self._values = sorted(self._under, key=lambda v: (str(v), str(v.datatype), v.language or ""))
        self._numbers: dict[Decimal, list[int]] = defaultdict(list)
        self._dates: dict[str, list[int]] = defaultdict(list)
        entries = []
        for place, value in enumerate(self._values):
            if (number := read_number(value)) is not None:
                self._numbers[number].append(place)
            elif (moment := read_moment(value)) is not None:
                for key in dict.fromkeys((format_year(moment.year), moment.date)):
                    self._dates[key].append(place)
            else:
                entries.append(LabelEntry(str(place), str(value), True))
        self._texts = LabelIndex.build(entries)

    @property
    def size(self) -> int:
        """The number of distinct literals."""
        return len(self._values)

    def find_literals(self, asked: str, *, limit: int, whole_only: bool = False) -> tuple[LiteralHit, ...]:
        """Return the literals that fit a text, best first; with ``whole`` those alone that are the text."""
        scores: dict[int, float] = {}
        number = parse_number(asked.replace(",", "")) if _NUMBER.match(asked) else None
        for place in self._numbers.get(number, ()) if number is not None else ():
            scores[place] = 1.0
        for place in self._dates.get(asked.strip(), ()):
            scores[place] = _likeness(asked.strip(), self._values[place])
        texts = self._texts.find_exact(asked)
        for entry in texts if whole_only else texts + self._texts.find_similar(asked, limit=max(40, 2 * limit)):
            score = label_similarity(asked, entry.text)
            if score >= MIN_SCORE:
                scores[int(entry.iri)] = score
        order = sorted(scores, key=lambda place: (-scores[place], len(self._values[place]), place))[:limit]
        return tuple(
            LiteralHit(self._values[place], self._under[self._values[place]], scores[place]) for place in order
        )


def build_literal_index(endpoint: Endpoint, profile: Profile) -> LiteralIndex:
    """Read all distinct short literals with their predicates; labels and metadata left out.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    query = f"SELECT DISTINCT ?p ?o WHERE {{ ?s ?p ?o FILTER(isLiteral(?o) && STRLEN(STR(?o)) <= {SHORT}) }}"
    rows = fetch_pages(endpoint, query, _PAGE)
    made = LiteralIndex(
        (value, text_of(row, "p"))
        for row in rows
        if isinstance(value := row.get("o"), Literal) and text_of(row, "p") not in profile.metadata
    )
    if made.size > _MANY:  # they stay: to look through all of them for garbage again takes longer than an answer
        gc.collect()
        gc.freeze()
    return made


def search_literals(
    endpoint: Endpoint, profile: Profile, texts: Iterable[str], *, date_predicates: Sequence[str], limit: int
) -> dict[str, tuple[LiteralHit, ...]]:
    """Return, per text, the literals that are it in one of its usual spellings, in one request.

    Years are compared with the dates under the predicates ``dated``.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    asked = list(dict.fromkeys(t.strip() for t in texts if t.strip() and len(t) <= SHORT))
    languages = [language for language in profile.languages if language][:4]
    variants = {t: [*literal_variants(t, languages), *_typed(t)] for t in asked}
    wanted = list(dict.fromkeys(n3(v) for found in variants.values() for v in found))
    branches = [
        f"SELECT DISTINCT ?p ?o WHERE {{ VALUES ?o {{ {' '.join(b)} }} ?s ?p ?o }} LIMIT 5000" for b in batches(wanted)
    ]
    branches += [_in_year(t, date_predicates) for t in asked if _YEAR.match(t) and date_predicates]
    under: dict[Literal, set[str]] = defaultdict(set)
    for row in endpoint.select(f"SELECT ?p ?o WHERE {{ {union_pattern(branches)} }}") if branches else ():
        if isinstance(value := row.get("o"), Literal) and text_of(row, "p") not in profile.metadata:
            under[value].add(text_of(row, "p"))
    return {t: _ranked(t, {v: n for v, n in under.items() if _is_meant(t, v, variants[t])}, limit) for t in asked}


def _in_year(year: str, dated: Sequence[str]) -> str:
    return (
        f"SELECT DISTINCT ?p ?o WHERE {{ {values_block('p', dated)} ?s ?p ?o"
        f" FILTER(STRSTARTS(STR(?o), {n3(Literal(year + '-'))})) }} LIMIT 200"
    )


def _is_meant(asked: str, value: Literal, variants: Sequence[Literal]) -> bool:
    moment = read_moment(value)
    return value in variants or (moment is not None and format_year(moment.year) == asked)


def _ranked(asked: str, found: dict[Literal, set[str]], limit: int) -> tuple[LiteralHit, ...]:
    hits = [LiteralHit(v, tuple(sorted(names)), _likeness(asked, v)) for v, names in found.items()]
    return tuple(sorted(hits, key=lambda hit: (-hit.score, str(hit.value), n3(hit.value))))[:limit]


def _likeness(asked: str, value: Literal) -> float:
    moment = read_moment(value)
    if moment is not None:
        return 1.0 if moment.date == asked else 0.9
    return 1.0 if is_number(value) else label_similarity(asked, str(value))


def _typed(asked: str) -> list[Literal]:
    """Return the typed literals that a text may stand for."""
    found: list[Literal] = []
    if _NUMBER.match(asked):
        plain = asked.replace(",", "")
        forms = dict.fromkeys((plain, plain.rstrip("0").rstrip(".") if "." in plain else plain))
        for form in forms:
            kinds = sorted(NUMERIC_DATATYPES) if "." not in form else [XSD.decimal, XSD.double, XSD.float]
            found += [Literal(form, datatype=URIRef(kind), normalize=False) for kind in kinds]
            if "." not in form:
                found += [Literal(form + ".0", datatype=k, normalize=False) for k in (XSD.decimal, XSD.double)]
    if _DATE.match(asked):
        found.append(Literal(asked, datatype=XSD.date, normalize=False))
        found.append(Literal(asked + "T00:00:00", datatype=XSD.dateTime, normalize=False))
    if _YEAR.match(asked):
        found.append(Literal(asked, datatype=XSD.gYear, normalize=False))
        found.append(Literal(asked + "-01-01", datatype=XSD.date, normalize=False))
    return found
