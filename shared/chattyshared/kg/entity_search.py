"""Vertices by words: in an index of all labels where there is one, else by the endpoint; ranked alike."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence

from rdflib import Literal, URIRef
from rdflib.namespace import RDF

from chattyshared.endpoint import Row
from chattyshared.endpoint.dialect import Dialect
from chattyshared.kg import labels
from chattyshared.kg.batches import batches, in_filter, is_nameable, text_of, union_pattern, values_block
from chattyshared.kg.cache import CachedReader, KGCache
from chattyshared.kg.column_names import split_name_patterns
from chattyshared.kg.label_index import LabelEntry, LabelIndex
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
from chattyshared.kg.records import Hit
from chattyshared.profile import Profile
from chattyshared.terms import n3

_WORD = re.compile(r"[^\W_]+")
BRANCHES = 40
"""Ways to look for parts of labels in one request, for all texts together: each may read all labels."""

RankedEntries = list[tuple[float, LabelEntry]]


def search_index(
    index: LabelIndex,
    texts: Iterable[str],
    *,
    limit: int,
    whole_only: Container[str] = (),
    min_score: float = MIN_SCORE,
) -> dict[str, RankedEntries]:
    """Return, per text, the entries that fit it, each vertex once, best first; of ``whole`` by whole labels alone."""
    found = {}
    for asked in dict.fromkeys(texts):
        if asked in whole_only:
            found[asked] = rank_entries(asked, index.find_whole(asked), limit=limit, min_score=min_score)
            continue
        exact = index.find_exact(asked)
        sure = any(label_similarity(asked, entry.text) == EXACT for entry in exact)
        near = index.find_similar(asked, limit=max(40 if sure else 80, 2 * limit))
        found[asked] = rank_entries(asked, exact + near, limit=limit, min_score=min_score)
    return found


def rank_entries(
    asked: str, entries: Iterable[LabelEntry], *, limit: int, min_score: float = MIN_SCORE
) -> RankedEntries:
    """Score entries against a text; keep the best of each vertex, and those of at least ``least``; best first.

    Of equal scores: same case first, then main labels, then vertices with more triples.
    """
    best: dict[str, tuple[float, LabelEntry]] = {}
    for entry in entries:
        score = label_similarity(asked, entry.text)
        held = best.get(entry.iri)
        if score >= min_score and (held is None or _order(asked, score, entry) < _order(asked, *held)):
            best[entry.iri] = (score, entry)
    return sorted(best.values(), key=lambda pair: (_order(asked, *pair), pair[1].iri))[:limit]


def _order(asked: str, score: float, entry: LabelEntry) -> tuple[float, bool, bool, int, int, str]:
    return (-score, entry.text != asked, not entry.is_main, -entry.weight, len(entry.text), entry.text)


def search_endpoint(
    source: CachedReader, texts: Iterable[str], *, dialect: Dialect, limit: int
) -> dict[str, RankedEntries]:
    """Return, per text, the entries that fit it, in two requests: exact labels first, then parts of labels.

    What the answers tell of the vertices' labels and types goes into the memory.
    """
    asked = list(dict.fromkeys(t for t in texts if split_words(t) and len(t) <= MAX_TEXT_LENGTH))
    if not asked:
        return {}
    languages = [language for language in source.profile.languages if language][: 4 if len(asked) < 20 else 1]
    variants = dict.fromkeys(n3(v) for t in asked for v in literal_variants(t, languages))
    named = values_block("p", _named_by(source.profile))
    inner = union_pattern(
        [
            *split_name_patterns(asked, source.profile.name_pairs),
            *(f"VALUES ?x {{ {' '.join(batch)} }} {named} ?s ?p ?x" for batch in batches(variants, 300)),
        ]
    )
    found = _entries(source, source.endpoint.select(_with_details(inner, source.profile, 2000)))
    ranked = {t: rank_entries(t, found, limit=limit) for t in asked}
    rest = [t for t in asked if not ranked[t] or ranked[t][0][0] < WITHOUT_BRACKETS]
    if rest:
        query = _with_details(_containing(rest, source.profile, dialect), source.profile, 4000)
        more = _entries(source, source.endpoint.select(query))
        ranked |= {t: rank_entries(t, found + more, limit=limit) for t in rest}
    return ranked


def literal_variants(asked: str, languages: Sequence[str]) -> list[Literal]:
    """Return the literals that a text may stand for: its usual ways of upper and lower case, in each language."""
    asked = " ".join(asked.split())
    forms = dict.fromkeys((asked, asked[:1].upper() + asked[1:], asked.lower(), asked.title(), asked.upper()))
    return [Literal(form, lang=language) for form in forms for language in (None, *languages)]


def _named_by(profile: Profile) -> list[str]:
    found = [*labels.label_predicates(profile), *profile.alt_labels]
    return list(dict.fromkeys(found)) or [str(URIRef("http://www.w3.org/2000/01/rdf-schema#label"))]


def _containing(texts: Sequence[str], profile: Profile, dialect: Dialect) -> str:
    """Look for labels with all words of a text, with the beginnings of all (plurals, misspellings), and with one."""
    branches = []
    for asked in texts[:BRANCHES]:
        for needles in _ways(asked, dialect)[: max(1, BRANCHES // len(texts))]:
            pattern = dialect.label_search_pattern(needles, _named_by(profile), language=_language(profile))
            branches.append(f"{{ SELECT ?s ?p ?x WHERE {{ {pattern} }} LIMIT 150 }}")
    return union_pattern(branches)


def _ways(asked: str, dialect: Dialect) -> list[tuple[str, ...]]:
    """Return the sets of words, or beginnings of words, to look for, the most telling first."""
    telling = frozenset(content_words(asked))
    typed = [word for word in _WORD.findall(asked.casefold()) if fold_text(word) in telling] or list(telling)
    whole = sorted(dict.fromkeys(typed), key=lambda word: (-len(word), word))[:4]
    stems = [singularize(word) for word in whole]
    if dialect.name == "wikidata":  # it searches for the beginning of a label
        return [tuple(_WORD.findall(asked))]
    if dialect.matches_whole_words:
        return list(dict.fromkeys((tuple(whole), tuple(stems), *((word,) for word in whole))))
    starts = tuple(stem[: max(3, (len(stem) + 1) // 2)] for stem in stems)
    return list(dict.fromkeys((tuple(stems), starts, *((stem,) for stem in stems))))


def _language(profile: Profile) -> str:
    return next((language for language in profile.languages if language), "en")


def _with_details(inner: str, profile: Profile, limit: int) -> str:
    about = in_filter("q", dict.fromkeys([*labels.label_predicates(profile), *profile.types, str(RDF.type)]))
    return (
        f"SELECT ?s ?p ?x ?q ?y WHERE {{ {{ SELECT DISTINCT ?s ?p ?x WHERE {{ {inner} FILTER(isIRI(?s)) }}"
        f" LIMIT {limit} }} OPTIONAL {{ ?s ?q ?y {about} }} }}"
    )


def _entries(source: CachedReader, rows: Sequence[Row]) -> list[LabelEntry]:
    main = frozenset(labels.label_predicates(source.profile))
    told: list[Row] = [{"s": r["s"], "q": r["q"], "x": r["y"]} for r in rows if "y" in r]
    labels.store_labels_and_types(source, told, [r["s"] for r in rows])
    schema = set(schema_classes(source.profile))
    aside = {text_of(r, "s") for r in rows if text_of(r, "q") == str(RDF.type) and text_of(r, "y") in schema}
    found: dict[tuple[str, str], bool] = defaultdict(bool)
    parts = {part for both in source.profile.name_pairs for part in both}
    for row in rows:
        whole = source.cache.labels.get(URIRef(text_of(row, "s")), "") if text_of(row, "p") in parts else ""
        if whole and whole != text_of(row, "x"):  # half of a name, of somebody who has the other half as well
            found[text_of(row, "s"), whole] = True
        found[text_of(row, "s"), text_of(row, "x")] |= text_of(row, "p") in main and whole in ("", text_of(row, "x"))
    return [LabelEntry(subject, label, is_main) for (subject, label), is_main in found.items() if subject not in aside]


def to_hits(ranked: RankedEntries, memory: KGCache) -> tuple[Hit, ...]:
    """Make hits of ranked entries whose labels and types the memory holds."""
    return tuple(
        Hit(e.iri, memory.labels.get(URIRef(e.iri), e.text), e.text, score, memory.types.get(URIRef(e.iri), ()))
        for score, e in ranked
    )


def fetch_hit_details(source: CachedReader, found: Mapping[str, RankedEntries]) -> None:
    """Read labels and types of all that was found into the memory."""
    vertices = dict.fromkeys(URIRef(e.iri) for ranked in found.values() for _, e in ranked)
    labels.fetch_labels_and_types(source, [v for v in vertices if is_nameable(v)])
