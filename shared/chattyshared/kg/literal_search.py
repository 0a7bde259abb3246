"""Search for literals by words: the texts, numbers and dates of a KG, with their predicates."""

from __future__ import annotations

import re
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rdflib import Literal, URIRef
from rdflib.namespace import XSD

from chattyshared.endpoint import Endpoint
from chattyshared.kg.batches import batches, fetch_pages, text_of, union_pattern, values_block
from chattyshared.kg.cache import CachedReader, IndexFile, iterate_rows, open_or_build_index
from chattyshared.kg.entity_search import exact_label_query, literal_variants, matching_entries, read_entries
from chattyshared.kg.label_index import LabelEntry, LabelIndex, fill_labels
from chattyshared.kg.label_ranking import MIN_SCORE, label_similarity
from chattyshared.kg.vocabulary import LiteralHit, PredicateEntry
from chattyshared.literals import (
    format_number,
    format_year,
    is_number,
    parse_moment,
    parse_number,
    read_moment,
    read_number,
)
from chattyshared.progress import ShowProgress, hide_progress, report_items
from chattyshared.terms import DATE_DATATYPES, NUMERIC_DATATYPES, n3

MAX_LENGTH = 80
"""Longer literals are not searched: questions do not contain them."""
_PAGE_SIZE = 100_000
_LITERALS_AT_ONCE = 8
"""Literals in one VALUES block: with 20 numbers, Virtuoso reads all of 10 million triples; set by hand."""
_WITHIN_PERIOD = 0.9
"""Score of a date for the year or month that it lies in; set by hand."""
_SCHEMA = """
CREATE TEMP TABLE stated_literal(text TEXT, datatype TEXT, lang TEXT, predicate TEXT);
CREATE TABLE literal(id INTEGER PRIMARY KEY, text TEXT, datatype TEXT, lang TEXT, predicates TEXT);
CREATE TABLE number(value TEXT, id INTEGER);
CREATE TABLE moment(period TEXT, is_exact INTEGER, length INTEGER, id INTEGER);
"""
_LITERALS = """
INSERT INTO literal(text, datatype, lang, predicates)
 SELECT text, datatype, lang, group_concat(predicate, ' ') FROM stated_literal GROUP BY text, datatype, lang
 ORDER BY text, datatype, lang;
DROP TABLE stated_literal;
CREATE INDEX number_value ON number(value);
CREATE INDEX moment_period ON moment(period, is_exact DESC, length, id);
"""
_NUMBER = re.compile(r"^[+-]?\d{1,3}(,\d{3})+(\.\d+)?$|^[+-]?\d+(\.\d+)?$")
_DATE = re.compile(r"^\d{4}-\d{2}-\d{2}$")
_YEAR = re.compile(r"^\d{4}$")


class LiteralIndex:
    """All distinct short literals of a KG with their predicates, found by text, number or date."""

    def __init__(self, file: IndexFile) -> None:
        """Take a database that ``_fill_literals`` has filled."""
        self._file, self._texts = file, LabelIndex(file)

    @classmethod
    def build(cls, literals: Iterable[tuple[Literal, str]]) -> LiteralIndex:
        """Build an index of literals with their predicates in memory."""
        return cls.open_or_build(None, lambda: literals)

    @classmethod
    def open_or_build(
        cls,
        path: Path | None,
        literals: Callable[[], Iterable[tuple[Literal, str]]],
        show_progress: ShowProgress = hide_progress,
    ) -> LiteralIndex:
        """Open the index in a file; build it if it is missing or damaged, in memory if the file cannot be written."""

        def fill(connection: sqlite3.Connection) -> None:
            with show_progress("index of values", None) as advance:
                _fill_literals(connection, report_items(literals(), advance))

        return cls(open_or_build_index(path, fill, table="stem"))

    def find_literals(self, text: str, *, limit: int, whole_only: bool = False) -> tuple[LiteralHit, ...]:
        """Return the literals that match a text, best first; with ``whole_only``, those equal to it."""
        scores = dict.fromkeys(self._find_number(text), 1.0)
        scores |= {id: 1.0 if is_exact else _WITHIN_PERIOD for id, is_exact in self._find_dates(text.strip(), limit)}
        exact = self._texts.find_exact(text)
        for entry in exact if whole_only else exact + self._texts.find_similar(text, limit=max(40, 2 * limit)):
            score = label_similarity(text, entry.text)
            if score >= MIN_SCORE:
                scores[int(entry.iri)] = score
        found = {id: self._read_literal(id) for id in scores}
        ranked = sorted(scores, key=lambda id: (-scores[id], len(found[id][0]), id))[:limit]
        return tuple(LiteralHit(*found[id], scores[id]) for id in ranked)

    def _find_number(self, text: str) -> list[int]:
        number = parse_number(text.replace(",", "")) if _NUMBER.match(text) else None
        if number is None:
            return []
        return [id for (id,) in self._file.select("SELECT id FROM number WHERE value = ?", (format_number(number),))]

    def _find_dates(self, text: str, limit: int) -> list[tuple[int, bool]]:
        """Return the literals of a year, month or day, those that state no more of the date first."""
        if parse_moment(text) is None:
            return []
        return self._file.select(
            "SELECT id, is_exact FROM moment WHERE period = ? ORDER BY is_exact DESC, length, id LIMIT ?", (text, limit)
        )

    def _read_literal(self, id: int) -> tuple[Literal, tuple[str, ...]]:
        query = "SELECT text, datatype, lang, predicates FROM literal WHERE id = ?"
        text, datatype, language, predicates = self._file.select(query, (id,))[0]
        kind = URIRef(datatype) if datatype and not language else None
        return Literal(text, lang=language or None, datatype=kind, normalize=False), tuple(sorted(predicates.split()))


def _fill_literals(connection: sqlite3.Connection, literals: Iterable[tuple[Literal, str]]) -> None:
    connection.executescript(_SCHEMA)
    connection.executemany(
        "INSERT INTO stated_literal VALUES (?, ?, ?, ?)",
        ((str(value), str(value.datatype or ""), value.language or "", predicate) for value, predicate in literals),
    )
    connection.executescript(_LITERALS)
    fill_labels(connection, _texts_without_value(connection))


def _texts_without_value(connection: sqlite3.Connection) -> Iterator[LabelEntry]:
    """Write numbers and dates to their tables, and yield all other literals."""
    for id, text, datatype, language in iterate_rows(connection, "SELECT id, text, datatype, lang FROM literal"):
        value = Literal(text, datatype=URIRef(datatype), normalize=False) if datatype and not language else None
        number, moment = read_number(value), read_moment(value)
        if number is not None:
            connection.execute("INSERT INTO number VALUES (?, ?)", (format_number(number), id))
        elif moment is not None:
            for period in dict.fromkeys((format_year(moment.year), moment.date)):
                row = (period, period == moment.date, len(text), id)
                connection.execute("INSERT INTO moment VALUES (?, ?, ?, ?)", row)
        else:
            yield LabelEntry(str(id), text, True)


def read_literals(endpoint: Endpoint, predicates: Iterable[str]) -> Iterator[tuple[Literal, str]]:
    """Yield all distinct short literals of some predicates, with their predicates.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    for batch in batches(predicates):
        pattern = f"{values_block('p', batch)} ?s ?p ?o FILTER(isLiteral(?o) && STRLEN(STR(?o)) <= {MAX_LENGTH})"
        for row in fetch_pages(endpoint, f"SELECT DISTINCT ?p ?o WHERE {{ {pattern} }}", _PAGE_SIZE):
            if isinstance(value := row.get("o"), Literal):
                yield value, text_of(row, "p")


@dataclass(frozen=True, slots=True)
class ExactMatches:
    """The labels and the literals that are equal to a text in one of its usual spellings, best first."""

    labels: Sequence[LabelEntry] = ()
    literals: Sequence[LiteralHit] = ()


def search_exact(
    source: CachedReader, texts: Sequence[str], predicates: Mapping[str, PredicateEntry]
) -> dict[str, ExactMatches]:
    """Return the labels and literals that are equal to each text in one of its usual spellings, in one request.

    ``predicates`` are those of the KG: no vertices; years are compared with the values of those that have dates. Labels
    and types in the results go into the cache.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    profile = source.profile
    variants = {t: [*literal_variants(t, profile, 4), *_typed_literals(t)] for t in texts if 0 < len(t) <= MAX_LENGTH}
    label_query = exact_label_query(texts, profile)
    branches = [label_query] if label_query else []
    dated = [each.iri for each in predicates.values() if DATE_DATATYPES.intersection(map(URIRef, each.datatypes))]
    branches += _literal_queries(variants, dated)
    rows = source.endpoint.select(f"SELECT * WHERE {{ {union_pattern(branches)} }}") if branches else []
    entries = read_entries(source, [row for row in rows if "s" in row], predicates)
    predicates_by_value: dict[Literal, set[str]] = defaultdict(set)
    for row in rows:
        if isinstance(value := row.get("o"), Literal) and text_of(row, "p") not in profile.metadata:
            predicates_by_value[value].add(text_of(row, "p"))
    return {
        text: ExactMatches(
            matching_entries(text, entries), _rank_literals(text, predicates_by_value, variants.get(text, ()))
        )
        for text in texts
    }


def _literal_queries(variants: Mapping[str, Sequence[Literal]], date_predicates: Sequence[str]) -> list[str]:
    terms = dict.fromkeys(n3(v) for literals in variants.values() for v in literals)
    return [
        *(
            f"SELECT DISTINCT ?p ?o WHERE {{ VALUES ?o {{ {' '.join(batch)} }} ?s ?p ?o }} LIMIT 5000"
            for batch in batches(terms, _LITERALS_AT_ONCE)
        ),
        *(_dates_in_year(text, date_predicates) for text in variants if _YEAR.match(text) and date_predicates),
    ]


def _dates_in_year(year: str, date_predicates: Sequence[str]) -> str:
    return (
        f"SELECT DISTINCT ?p ?o WHERE {{ {values_block('p', date_predicates)} ?s ?p ?o"
        f" FILTER(STRSTARTS(STR(?o), {n3(Literal(year + '-'))})) }} LIMIT 200"
    )


def _matches(text: str, value: Literal, variants: Sequence[Literal]) -> bool:
    moment = read_moment(value)
    return value in variants or (moment is not None and format_year(moment.year) == text)


def _rank_literals(
    text: str, predicates_by_value: Mapping[Literal, Iterable[str]], variants: Sequence[Literal]
) -> list[LiteralHit]:
    hits = [
        LiteralHit(value, tuple(sorted(names)), _literal_similarity(text, value))
        for value, names in predicates_by_value.items()
        if _matches(text, value, variants)
    ]
    return sorted(hits, key=lambda hit: (-hit.score, str(hit.value), n3(hit.value)))


def _literal_similarity(text: str, value: Literal) -> float:
    moment = read_moment(value)
    if moment is not None:
        return 1.0 if moment.date == text else _WITHIN_PERIOD
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
