"""Candidate queries: the QIR's relations times the predicates that may stand for them, best first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod

from chattyshared.kg import KnowledgeGraph

from chattykg.linking.answer_types import expected_types
from chattykg.linking.candidates import EntityLink
from chattykg.linking.class_linking import ClassLink, link_class, make_class_link
from chattykg.linking.predicate_candidates import LinkedRelation, LinkingContext
from chattykg.linking.relation_linking import demote_unstated, predicate_candidates
from chattykg.linking.relation_phrases import is_function_phrase
from chattykg.linking.similarity import Similarity
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.qir import QIR, is_unknown
from chattykg.query.composition import compose_query
from chattykg.query.consistency import is_bounded, names_are_stated, texts_are_stated, type_agreement
from chattykg.query.graph_patterns import GraphPattern
from chattykg.query.grounding import GroundedQIR, ground_qir
from chattykg.query.rewriting import rewrite_variants
from chattykg.query.solution_modifiers import SolutionModifier, write_query

_COMBINATIONS = 4_000
_UNKNOWN_CLASS = 0.85
_UNTYPED, _ANY_TYPE = 0.8, 0.7
_SURE = 0.7
_HOPEFUL = 0.5
_SUGGESTED = 0.9
_BY_CLASS = 0.9
_SYNONYM = 0.65


@dataclass(frozen=True, slots=True)
class Interpretation:
    """One way to read a QIR: grounded mentions, an option for each relation, classes, and what that is worth."""

    grounded: GroundedQIR
    edges: tuple[LinkedRelation, ...]
    classes: tuple[tuple[str, ClassLink], ...]
    score: float


@dataclass(frozen=True, slots=True)
class Query:
    """A candidate query: the choice it was made from, its body and form; ``score`` ranks it."""

    interpretation: Interpretation
    pattern: GraphPattern
    modifier: SolutionModifier
    score: float

    @property
    def sparql(self) -> str:
        """The query as SPARQL."""
        return write_query(self.pattern, self.modifier)

    def predicates(self) -> frozenset[str]:
        """Return all predicates of its options."""
        return frozenset(iri for edge in self.interpretation.edges for iri in edge.candidate.predicates)


@dataclass(frozen=True, slots=True)
class QueryContext:
    """What candidate queries are made from: question, QIR, its links, and what they may look at."""

    question: str
    qir: QIR
    candidate_links: Mapping[str, Sequence[EntityLink]]
    card: VocabularyCard
    kg: KnowledgeGraph
    similarity: Similarity


def candidate_queries(context: QueryContext, *, limit: int, row_limit: int) -> tuple[Query, ...]:
    """Return candidate queries, best first, at most ``limit``; each returns at most ``rows`` rows."""
    found: dict[str, Query] = {}
    for query in _all(context, row_limit):
        text = query.sparql
        if text not in found or found[text].score < query.score:
            found[text] = query
    ranked = sorted(found.items(), key=lambda pair: (-round(pair[1].score, 6), pair[0]))
    best = ranked[0][1].score if ranked else 0.0
    return tuple(query for _, query in ranked[:limit] if query.score >= _HOPEFUL * best)


def _all(asked: QueryContext, rows: int) -> Iterator[Query]:
    if asked.qir.shape != "boolean" and not (asked.qir.triples or asked.qir.classes or asked.qir.negated):
        return  # what was only mentioned is no answer
    names = dict.fromkeys(text for _, text in asked.qir.classes)
    links = {text: link_class(text, asked.card, asked.kg, asked.similarity) for text in names}
    known = frozenset(text for text, found in links.items() if found)
    for qir, worth in _variants(asked, known, links):
        for grounded in ground_qir(qir, asked.candidate_links):
            for choice in _choices(asked, replace(grounded, score=grounded.score * worth), links):
                yield from queries_for(choice, asked, rows)


def _variants(
    asked: QueryContext, known: frozenset[str], links: dict[str, ClassLink | None]
) -> Iterator[tuple[QIR, float]]:
    """Yield the QIR's variants; then one in which relations that a class names ("patients of X") become its class."""
    yield from rewrite_variants(asked.qir, known)
    classed = {unknown for unknown, _ in asked.qir.classes}
    triples, classes = [], list(asked.qir.classes)
    for relation in asked.qir.triples:
        end = relation.object
        found = None
        if is_unknown(end) and end not in classed and not is_function_phrase(relation.relation):
            found = links.setdefault(
                relation.relation, link_class(relation.relation, VocabularyCard(), asked.kg, asked.similarity)
            )
        if found and found.score >= _SUGGESTED:
            classes.append((end, relation.relation))
        triples.append(replace(relation, relation="") if found and found.score >= _SUGGESTED else relation)
    if tuple(triples) != asked.qir.triples:
        yield replace(asked.qir, triples=tuple(triples), classes=tuple(classes)), _BY_CLASS


def queries_for(interpretation: Interpretation, context: QueryContext, row_limit: int) -> Iterator[Query]:
    """Yield the queries of one choice: the strict one, and one that takes untyped things where a class is asked for."""
    made = compose_query(interpretation.grounded, interpretation.edges, interpretation.classes, context.kg, row_limit)
    if made is None:
        return
    body, form = made
    body = _without_empty(body, context)
    yield Query(interpretation, body, form, interpretation.score)
    loose = tuple(v for v, _ in body.types if any(v in (p.subject, p.object) for p in body.patterns))
    spoken = context.qir.relations()
    if loose and not any(
        found.text in spoken for _, found in interpretation.classes
    ):  # else its class is all that is said
        kept = tuple((v, classes) for v, classes in body.types if v not in loose)
        yield Query(
            interpretation, replace(body, types=kept, untyped_variables=loose), form, interpretation.score * _UNTYPED
        )
        if all(edge.candidate.score >= _SURE for edge in interpretation.edges):
            yield Query(interpretation, replace(body, types=kept), form, interpretation.score * _ANY_TYPE)


def _without_empty(body: GraphPattern, asked: QueryContext) -> GraphPattern:
    """Return the body without classes that only a schema knows: no thing is of them, and relations lead there alone."""
    known = asked.kg.vocabulary.classes
    used = {end for pattern in body.patterns for end in (pattern.subject, pattern.object)}
    kept = tuple(
        (v, classes)
        for v, classes in body.types
        if v not in used or any(iri not in known or known[iri].instance_count for iri in classes)
    )
    return replace(body, types=kept)


def union_query(query: Query, among: Sequence[Query], context: QueryContext, row_limit: int) -> Query:
    """Return a query over the union of the synonymous options of ``among`` for each relation of ``query``.

    Synonymous are options in the same place, of the same direction and kind, in the same reading of the mentions.
    """
    edges = []
    for place, edge in enumerate(query.interpretation.edges):
        iris = dict.fromkeys(edge.candidate.predicates)
        for other in among:
            if other.interpretation.grounded is query.interpretation.grounded and len(
                other.interpretation.edges
            ) == len(query.interpretation.edges):
                option = other.interpretation.edges[place].candidate
                same = option.is_forward == edge.candidate.is_forward and option.is_literal == edge.candidate.is_literal
                same = same and (option.second_predicates, option.is_inward) == (
                    edge.candidate.second_predicates,
                    edge.candidate.is_inward,
                )
                same = same and option.score >= _SYNONYM
                if same and option.is_numeric == edge.candidate.is_numeric:
                    iris |= dict.fromkeys(option.predicates)
        edges.append(replace(edge, candidate=replace(edge.candidate, predicates=tuple(iris))))
    choice = replace(query.interpretation, edges=tuple(edges))
    made = compose_query(choice.grounded, choice.edges, choice.classes, context.kg, row_limit)
    if made is None or query.pattern.untyped_variables:
        return query
    return Query(choice, made[0], made[1], query.score)


def _choices(
    asked: QueryContext, grounded: GroundedQIR, links: Mapping[str, ClassLink | None]
) -> Iterator[Interpretation]:
    linked, worth, words = _classes(asked, grounded, links)
    if worth <= 0 or not _is_anchored(grounded, linked):
        return
    around = LinkingContext(
        asked.kg,
        asked.card,
        asked.similarity,
        expected_types(asked.question, grounded.qir),
        {unknown: found.classes_with_subclasses for unknown, found in linked},
        words,
        _hints(asked, grounded.qir),
        _counted(grounded.qir, asked.question),
        grounded.qir.shape == "boolean",
        _shared(grounded.qir),
    )
    relations = (*((r, False) for r in grounded.qir.triples), *((r, True) for r in grounded.qir.negated))
    held = {**grounded.listed_links, **grounded.entity_links}  # what is listed tells the relation where no word does
    found = [
        predicate_candidates(r, held if is_function_phrase(r.relation) else grounded.entity_links, around)
        for r, _ in relations
    ]
    found = [
        demote_unstated(listed, r, grounded.entity_links) if negated else listed
        for (r, negated), listed in zip(relations, found, strict=True)
    ]
    unlisted = {end: text for end, text in words.items() if text[:1].isupper() and end not in dict(linked)}
    size = 8
    while prod(min(size, len(listed)) for listed in found) > _COMBINATIONS:
        size -= 1
    for picked in product(*(listed[:size] for listed in found)):
        edges = tuple(
            LinkedRelation(r, option, negated) for (r, negated), option in zip(relations, picked, strict=True)
        )
        possible = (
            is_bounded(edges, grounded, asked.kg)
            and texts_are_stated(edges, grounded)
            and names_are_stated(edges, unlisted)
        )
        fit = type_agreement(edges, asked.kg) if possible else 0.0
        score = prod(option.score for option in picked) ** (1 / len(picked)) if picked else 1.0
        if fit > 0:
            yield Interpretation(grounded, edges, linked, score * fit * worth * grounded.score)


def _hints(asked: QueryContext, qir: QIR) -> dict[str, frozenset[str]]:
    """Return the classes that the names of unknowns of no class suggest."""
    classed = {unknown for unknown, _ in qir.classes}
    found: dict[str, frozenset[str]] = {}
    for unknown in qir.unknowns():
        word = re.sub(r"[^A-Za-z]+", " ", unknown).strip()
        named = (
            link_class(word, VocabularyCard(), asked.kg, asked.similarity)
            if len(word) > 2 and unknown not in classed
            else None
        )
        if named and named.score >= _SUGGESTED:
            found[unknown] = named.classes_with_subclasses
    return found


def _is_anchored(grounded: GroundedQIR, classes: Sequence[tuple[str, ClassLink]]) -> bool:
    """Tell whether a yes-or-no question says anything of this graph: that something is somewhere is no truth."""
    bound = (
        grounded.entity_links or grounded.values or grounded.types or grounded.excluded_types or grounded.qir.filters
    )
    return grounded.qir.shape != "boolean" or bool(bound or classes)


def _shared(qir: QIR) -> frozenset[str]:
    """Return the unknowns in which several relations meet."""
    ends = [end for relation in qir.triples for end in relation.ends() if is_unknown(end)]
    return frozenset(end for end in ends if ends.count(end) > 1)


def _counted(qir: QIR, question: str) -> frozenset[str]:
    """Return the unknowns of which it is asked how many there are; who asks how much counts nothing."""
    counted = {having.counted for having in qir.having}
    counted |= {qir.order.by} if qir.order and qir.order.count else set()
    return frozenset(counted | ({qir.target} if _is_count(qir, question) else set()))


def _is_count(qir: QIR, question: str) -> bool:
    return qir.shape == "count" or (qir.shape == "number" and not re.search(r"\bhow much\b", question, re.IGNORECASE))


def _classes(
    asked: QueryContext, grounded: GroundedQIR, links: Mapping[str, ClassLink | None]
) -> tuple[tuple[tuple[str, ClassLink], ...], float, dict[str, str]]:
    """Return the classes of unknowns, what these links are worth (0: cannot be), and the class words by unknown."""
    linked: list[tuple[str, ClassLink]] = []
    words: dict[str, str] = {}
    worth = 1.0
    joined = {end for relation in grounded.qir.triples for end in relation.ends()}
    joined |= {unknown for unknown, _ in grounded.values}
    for unknown, text in grounded.qir.classes:
        found = links[text]
        words[unknown] = text
        if found:
            linked.append((unknown, found))
            worth *= found.score
        else:
            worth *= _UNKNOWN_CLASS if unknown in joined else 0.0
    for end, iri in grounded.types:
        linked.append((end, make_class_link(end, (iri,), 1.0, asked.kg)))
    return tuple(linked), worth, words


__all__ = [
    "QueryContext",
    "Interpretation",
    "Query",
    "candidate_queries",
    "union_query",
    "queries_for",
]
