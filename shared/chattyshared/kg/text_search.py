"""Search for vertices and literals by words, in an index or at the endpoint; both rank alike."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from rdflib import Literal, URIRef
from rdflib.namespace import RDF, XSD

from chattyshared.endpoint import Row
from chattyshared.endpoint.dialect import Dialect
from chattyshared.kg import labels
from chattyshared.kg.batches import batches, in_filter, is_nameable, text_of, union_pattern, values_block
from chattyshared.kg.cache import CachedReader, KGCache
from chattyshared.kg.indexes import MAX_LENGTH, NUMBER, WITHIN_PERIOD, LabelEntry, LabelIndex
from chattyshared.kg.label_ranking import (
    EXACT,
    MAX_TEXT_LENGTH,
    MIN_SCORE,
    WITHOUT_BRACKETS,
    content_words,
    fold_text,
    label_similarity,
    singularize,
    split_words,
)
from chattyshared.kg.metadata_terms import schema_classes
from chattyshared.kg.table_names import split_name_patterns
from chattyshared.kg.vocabulary import Hit, LiteralHit, PredicateEntry
from chattyshared.language.scripts import WORD, languages_of
from chattyshared.literals import (
    format_year,
    is_number,
    read_moment,
)
from chattyshared.profile import Profile
from chattyshared.terms import DATE_DATATYPES, NUMERIC_DATATYPES, n3

_LITERALS_AT_ONCE = 8
"""Literals in one VALUES block: with 20 numbers, Virtuoso reads all of 10 million triples; set by hand."""
_DATE = re.compile(r"^\d{4}-\d{2}-\d{2}$")
_YEAR = re.compile(r"^\d{4}$")
MAX_BRANCHES = 40
"""Sub-queries for parts of labels in one request: each may read all labels."""
MAX_ENTRIES = 4_000
"""Entries of one text that are kept: all that one request returns."""

RankedEntries = list[tuple[float, LabelEntry]]


def search_index(
    index: LabelIndex,
    texts: Iterable[str],
    *,
    limit: int,
    whole_only: Container[str] = (),
    min_score: float = MIN_SCORE,
) -> dict[str, RankedEntries]:
    """Return the entries that match each text, each vertex once, best first; for ``whole_only`` texts, whole labels
    only."""
    ranked = {}
    for text in dict.fromkeys(texts):
        key = text, text in whole_only, limit, min_score
        ranked[text] = index.ranked.get_or_create(key, partial(_search_text, index, *key))
    return ranked


def _search_text(index: LabelIndex, text: str, is_whole: bool, limit: int, min_score: float) -> RankedEntries:
    if is_whole:
        return rank_entries(text, index.find_whole(text), limit=limit, min_score=min_score)
    exact = index.find_exact(text)
    is_exact = any(label_similarity(text, entry.text) == EXACT for entry in exact)
    similar = index.find_similar(text, limit=max(40 if is_exact else 80, 2 * limit))
    return rank_entries(text, exact + similar, limit=limit, min_score=min_score)


def rank_entries(
    text: str, entries: Iterable[LabelEntry], *, limit: int, min_score: float = MIN_SCORE
) -> RankedEntries:
    """Return the best entry of each vertex with its score, at least ``min_score``, best first.

    Equal scores are ordered by same case, then main labels, then vertices with more triples.
    """
    best_by_iri: dict[str, tuple[float, LabelEntry]] = {}
    for entry in entries:
        score = label_similarity(text, entry.text)
        earlier = best_by_iri.get(entry.iri)
        if score >= min_score and (earlier is None or _sort_key(text, score, entry) < _sort_key(text, *earlier)):
            best_by_iri[entry.iri] = (score, entry)
    return sorted(best_by_iri.values(), key=lambda pair: (_sort_key(text, *pair), pair[1].iri))[:limit]


def _sort_key(text: str, score: float, entry: LabelEntry) -> tuple[float, bool, bool, int, int, str]:
    return (-score, entry.text != text, not entry.is_main, -entry.weight, len(entry.text), entry.text)


def exact_label_query(texts: Sequence[str], profile: Profile) -> str:
    """Return the query for the labels that are equal to one of some texts, with labels and types of their vertices; ""
    if no text can be a label."""
    kept_texts = [text for text in texts if _may_be_label(text)]
    language_limit = 4 if len(kept_texts) < 20 else 1
    variants = dict.fromkeys(n3(v) for t in kept_texts for v in literal_variants(t, profile, language_limit))
    predicate_block = values_block("p", _name_predicates(profile))
    branches = [
        *split_name_patterns(kept_texts, profile.name_pairs),
        *(f"VALUES ?x {{ {' '.join(batch)} }} {predicate_block} ?s ?p ?x" for batch in batches(variants, 300)),
    ]
    return _query_with_details(union_pattern(branches), profile, 2000) if branches else ""


def search_parts(
    source: CachedReader, texts: Iterable[str], dialect: Dialect, *, schema: Container[str] = ()
) -> dict[str, list[LabelEntry]]:
    """Return the entries with all or some words of each text, without those of a schema, in one request.

    Labels and types in the results go into the cache.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    texts = list(texts)
    entries: list[LabelEntry] = []
    if searched := [text for text in texts if _may_be_label(text)]:
        pattern = _partial_label_pattern(searched, source.profile, dialect)
        query = _query_with_details(pattern, source.profile, MAX_ENTRIES)
        entries = read_entries(source, source.endpoint.select(query), schema)
    return {text: matching_entries(text, entries) for text in texts}


def matching_entries(text: str, entries: Iterable[LabelEntry]) -> list[LabelEntry]:
    """Return the entries that are similar to a text, best first."""
    return [entry for _, entry in rank_entries(text, entries, limit=MAX_ENTRIES)]


def is_matched(ranked: RankedEntries) -> bool:
    """Tell whether a label is so similar to its text that labels with parts of the text need not be searched."""
    return bool(ranked) and ranked[0][0] >= WITHOUT_BRACKETS


def _may_be_label(text: str) -> bool:
    return bool(split_words(text)) and len(text) <= MAX_TEXT_LENGTH


def literal_variants(text: str, profile: Profile, language_limit: int) -> list[Literal]:
    """Return the literals that a text may be: its usual upper and lower case forms, in each language.

    The languages are those of its script, or the first ones of the profile.
    """
    text = " ".join(text.split())
    tags = [tag for tag in profile.languages if tag]
    languages = [tag for tag in tags if tag in languages_of(text)] or tags[:language_limit]
    forms = dict.fromkeys((text, text[:1].upper() + text[1:], text.lower(), text.title(), text.upper()))
    return [Literal(form, lang=language) for form in forms for language in (None, *languages)]


def _name_predicates(profile: Profile) -> list[str]:
    predicates = [*labels.label_predicates(profile), *profile.alt_labels]
    return list(dict.fromkeys(predicates)) or [str(URIRef("http://www.w3.org/2000/01/rdf-schema#label"))]


def _partial_label_pattern(texts: Sequence[str], profile: Profile, dialect: Dialect) -> str:
    """Return the pattern for labels with all words of a text, with the beginnings of all words, or with one word."""
    branches = []
    for text in texts[:MAX_BRANCHES]:
        for needles in _word_sets(text, dialect)[: max(1, MAX_BRANCHES // len(texts))]:
            pattern = dialect.label_search_pattern(
                needles, _name_predicates(profile), language=next(filter(None, profile.languages), "en")
            )
            branches.append(f"{{ SELECT ?s ?p ?x WHERE {{ {pattern} }} LIMIT 150 }}")
    return union_pattern(branches)


def _word_sets(text: str, dialect: Dialect) -> list[tuple[str, ...]]:
    """Return the sets of words, or beginnings of words, to search for, the most selective first."""
    content = frozenset(content_words(text))
    words = [word for word in WORD.findall(text.casefold()) if fold_text(word) in content] or list(content)
    longest = sorted(dict.fromkeys(words), key=lambda word: (-len(word), word))[:4]
    stems = [singularize(word) for word in longest]
    if dialect.name == "wikidata":  # it searches for label prefixes
        return [tuple(WORD.findall(text))]
    if dialect.matches_whole_words:
        return list(dict.fromkeys((tuple(longest), tuple(stems), *((word,) for word in longest))))
    beginnings = tuple(stem[: max(3, (len(stem) + 1) // 2)] for stem in stems)
    return list(dict.fromkeys((tuple(stems), beginnings, *((stem,) for stem in stems))))


def _query_with_details(inner: str, profile: Profile, limit: int) -> str:
    detail_filter = in_filter("q", dict.fromkeys([*labels.label_predicates(profile), *profile.types, str(RDF.type)]))
    return (
        f"SELECT ?s ?p ?x ?q ?y WHERE {{ {{ SELECT DISTINCT ?s ?p ?x WHERE {{ {inner} FILTER(isIRI(?s)) }}"
        f" LIMIT {limit} }} OPTIONAL {{ ?s ?q ?y {detail_filter} }} }}"
    )


def read_entries(source: CachedReader, rows: Sequence[Row], schema: Container[str]) -> list[LabelEntry]:
    """Return the entries of the rows of a query for labels, without those of a schema; labels and types in them go into
    the cache."""
    main = frozenset(labels.label_predicates(source.profile))
    detail_rows: list[Row] = [{"s": r["s"], "q": r["q"], "x": r["y"]} for r in rows if "y" in r]
    labels.store_labels_and_types(source, detail_rows, [r["s"] for r in rows])
    kinds = set(schema_classes(source.profile))
    schema_terms = {text_of(r, "s") for r in rows if text_of(r, "q") == str(RDF.type) and text_of(r, "y") in kinds}
    is_main_by_name: dict[tuple[str, str], bool] = defaultdict(bool)
    parts = {part for pair in source.profile.name_pairs for part in pair}
    for row in rows:
        full_name = source.cache.labels.get(URIRef(text_of(row, "s")), "") if text_of(row, "p") in parts else ""
        if full_name and full_name != text_of(row, "x"):  # one part of a two-part name
            is_main_by_name[text_of(row, "s"), full_name] = True
        is_main_by_name[text_of(row, "s"), text_of(row, "x")] |= text_of(row, "p") in main and full_name in (
            "",
            text_of(row, "x"),
        )
    return [
        LabelEntry(subject, label, is_main)
        for (subject, label), is_main in is_main_by_name.items()
        if subject not in schema_terms and subject not in schema
    ]


def to_hits(ranked: RankedEntries, cache: KGCache) -> tuple[Hit, ...]:
    """Return hits for ranked entries, with the labels and types in the cache."""
    return tuple(
        Hit(e.iri, cache.labels.get(URIRef(e.iri), e.text), e.text, score, cache.types.get(URIRef(e.iri), ()))
        for score, e in ranked
    )


def fetch_hit_details(source: CachedReader, ranked_by_text: Mapping[str, RankedEntries]) -> None:
    """Read the labels and types of all ranked vertices into the cache."""
    vertices = dict.fromkeys(URIRef(e.iri) for ranked in ranked_by_text.values() for _, e in ranked)
    labels.fetch_labels_and_types(source, [v for v in vertices if is_nameable(v)])


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
        return 1.0 if moment.date == text else WITHIN_PERIOD
    return 1.0 if is_number(value) else label_similarity(text, str(value))


def _typed_literals(text: str) -> list[Literal]:
    """Return the typed literals that a text may be."""
    literals: list[Literal] = []
    if NUMBER.match(text):
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
