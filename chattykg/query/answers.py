"""From a result to an answer: values with labels, scores, links, confidence, and a sentence on what was asked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import SequenceMatcher

from chattyshared.dialogue import Answer, LinkedTerm, Triples, Value
from chattyshared.kg import KnowledgeGraph
from chattyshared.literals import is_number
from chattyshared.terms import Term
from rdflib import Literal, URIRef

from chattykg.query.candidates import Query
from chattykg.query.execution import QueryResult
from chattykg.query.solution_modifiers import GROUP_VALUE
from chattykg.query.verbalization import verbalize_query

_ORDERED = ("ranked",)
_RESPELT = 0.75
"""The least similarity of a misspelt name and the label that it is read as; other names of a thing are less alike."""


def build_answer(result: QueryResult, witness: Triples, kg: KnowledgeGraph, row_limit: int) -> Answer:
    """Make the answer of a result; at most one request, for labels."""
    query = result.query
    labels = _labels(result, kg)
    confidence = round(min(1.0, query.score), 4)
    values, table = _values(result, labels), _table(result, labels)
    is_cut = len(result.rows) >= row_limit
    notes = (f"Only the first {row_limit:,} answers are given; there may be more.",) if is_cut else ()
    return Answer(
        values=values,
        scores=(confidence,) * len(values),
        rows=table,
        sparql=query.sparql,
        confidence=confidence,
        sentence=verbalize_query(query, kg.vocabulary) + (f" (the first {row_limit:,} of them)" if is_cut else ""),
        witness=witness,
        entities=linked_entities(query),
        relations=linked_relations(query),
        notes=(*notes, *_many(query)),
    )


def _many(query: Query) -> Iterator[str]:
    """Yield a note for each mention that fits more things than were retrieved, or than the query holds."""
    for text, anchor in query.interpretation.grounded.entity_links.items():
        if anchor.truncated_at:
            looked_at = f"Only {anchor.truncated_at} of the things"
            yield f'{looked_at} that "{text[:60]}" may name were looked at; there are more.'
        elif anchor.has_omitted_candidates:
            yield f'More than {len(anchor.terms)} things are called "{text[:60]}"; only these are answered for.'


def linked_entities(query: Query) -> tuple[LinkedTerm, ...]:
    """Return the vertices (and values) that the query's mentions were linked to."""
    return tuple(
        LinkedTerm(text, str(c.term), c.label, round(c.score, 4), c.types[0] if c.types else "")
        for text, anchor in query.interpretation.grounded.entity_links.items()
        for c in anchor.candidates
    )


def spelling_notes(links: Iterable[LinkedTerm]) -> tuple[str, ...]:
    """Return a note for each mention that is read as a name of another spelling."""
    return tuple(dict.fromkeys(f'"{link.mention}" is taken for {link.label}.' for link in links if _is_misspelt(link)))


def _is_misspelt(link: LinkedTerm) -> bool:
    """Tell whether a mention is near to the name of what it was linked to, and neither that name nor words of it."""
    mention, name = (" ".join(re.findall(r"\w+", text.casefold())) for text in (link.mention, link.label))
    words, named = set(mention.split()), set(name.split())
    if not words or not named or words <= named or named <= words:
        return False
    return SequenceMatcher(None, mention, name).ratio() >= _RESPELT


def linked_relations(query: Query) -> tuple[LinkedTerm, ...]:
    """Return the predicates that the query's relations were linked to."""
    return tuple(
        LinkedTerm(edge.relation.relation, iri, edge.candidate.label, round(min(1.0, edge.candidate.score), 4))
        for edge in query.interpretation.edges
        for iri in edge.candidate.predicates
    )


def to_value(term: Term, label: str = "") -> Value:
    """Make the value of a term."""
    if not isinstance(term, Literal):
        return Value(str(term), "iri", label=label)
    return Value(
        str(term),
        "number" if is_number(term) else "literal",
        datatype=str(term.datatype or ""),
        lang=str(term.language or ""),
        label="",
    )


def _labels(result: QueryResult, kg: KnowledgeGraph) -> Mapping[Term, str]:
    terms: dict[Term, None] = {}
    for row in result.rows:
        terms |= dict.fromkeys(term for term in row.values() if isinstance(term, URIRef))
    return kg.labels(terms) if terms else {}


def _values(result: QueryResult, labels: Mapping[Term, str]) -> tuple[Value, ...]:
    if result.boolean is not None:
        return (Value("true" if result.boolean else "false", "boolean"),)
    first = result.query.modifier.targets[0].removeprefix("?")
    found: dict[Term, None] = {}
    for row in result.rows:
        term = row.get(first) if first in row else next(iter(row.values()), None)
        if term is not None:
            found[term] = None
    made = [to_value(term, labels.get(term, "")) for term in found]
    named = {one.label for one in made if one.kind == "iri" and one.label}
    made = [one for one in made if one.kind == "iri" or one.value not in named]
    return tuple(made if result.query.modifier.kind in _ORDERED else _sorted(made))


def _sorted(values: Iterable[Value]) -> list[Value]:
    return sorted(values, key=lambda v: ((v.label or v.value).casefold(), v.value, v.lang, v.datatype))


def _table(result: QueryResult, labels: Mapping[Term, str]) -> tuple[tuple[Value, ...], ...]:
    form = result.query.modifier
    if form.kind not in ("table", "grouped"):
        return ()
    shown = (*form.targets[:-1], GROUP_VALUE) if form.kind == "grouped" else form.targets
    columns = [target.removeprefix("?") for target in shown]
    made = [
        tuple(
            to_value(row[name], labels.get(row[name], "")) if name in row else Value("", "literal") for name in columns
        )
        for row in result.rows
    ]
    return tuple(sorted(made, key=lambda row: [((v.label or v.value).casefold(), v.value) for v in row]))


__all__ = ["build_answer", "linked_entities", "linked_relations", "spelling_notes", "to_value"]
