"""Candidate queries: the QIR's relations times the predicates that may stand for them, best first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod

from chattyshared.kg import KnowledgeGraph

from chattykg.linking.answer_types import of_unknowns
from chattykg.linking.candidates import Anchor
from chattykg.linking.class_linking import ClassLink, link, of_classes
from chattykg.linking.predicate_candidates import Option, Surroundings
from chattykg.linking.relation_linking import options, stated_first
from chattykg.linking.relation_phrases import is_bare
from chattykg.linking.similarity import Similarity
from chattykg.linking.vocabulary_card import Card
from chattykg.qir import QIR, Relation, is_unknown
from chattykg.query.composition import compose
from chattykg.query.consistency import agreement, is_bounded, is_named, is_told
from chattykg.query.graph_patterns import Body
from chattykg.query.grounding import Grounded, readings
from chattykg.query.rewriting import variants
from chattykg.query.solution_modifiers import Form, write

_COMBINATIONS = 4_000
_UNKNOWN_CLASS = 0.85
_UNTYPED, _ANY_TYPE = 0.8, 0.7
_SURE = 0.7
_HOPEFUL = 0.5
_SUGGESTED = 0.9
_BY_CLASS = 0.9
_SYNONYM = 0.65


@dataclass(frozen=True, slots=True)
class Edge:
    """A relation of the QIR with the option chosen for it."""

    relation: Relation
    option: Option
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """One way to read a QIR: grounded mentions, an option for each relation, classes, and what that is worth."""

    grounded: Grounded
    edges: tuple[Edge, ...]
    classes: tuple[tuple[str, ClassLink], ...]
    score: float


@dataclass(frozen=True, slots=True)
class Query:
    """A candidate query: the choice it was made from, its body and form; ``score`` ranks it."""

    choice: Choice
    body: Body
    form: Form
    score: float

    @property
    def text(self) -> str:
        """The query as SPARQL."""
        return write(self.body, self.form)

    def predicates(self) -> frozenset[str]:
        """Return all predicates of its options."""
        return frozenset(iri for edge in self.choice.edges for iri in edge.option.predicates)


@dataclass(frozen=True, slots=True)
class Asked:
    """What candidate queries are made from: question, QIR, its links, and what they may look at."""

    question: str
    qir: QIR
    linked: Mapping[str, Sequence[Anchor]]
    card: Card
    kg: KnowledgeGraph
    similarity: Similarity


def build(asked: Asked, *, limit: int, rows: int) -> tuple[Query, ...]:
    """Return candidate queries, best first, at most ``limit``; each returns at most ``rows`` rows."""
    found: dict[str, Query] = {}
    for query in _all(asked, rows):
        text = query.text
        if text not in found or found[text].score < query.score:
            found[text] = query
    ranked = sorted(found.items(), key=lambda pair: (-round(pair[1].score, 6), pair[0]))
    best = ranked[0][1].score if ranked else 0.0
    return tuple(query for _, query in ranked[:limit] if query.score >= _HOPEFUL * best)


def _all(asked: Asked, rows: int) -> Iterator[Query]:
    if asked.qir.shape != "boolean" and not (asked.qir.triples or asked.qir.classes or asked.qir.negated):
        return  # what was only mentioned is no answer
    names = dict.fromkeys(text for _, text in asked.qir.classes)
    links = {text: link(text, asked.card, asked.kg, asked.similarity) for text in names}
    known = frozenset(text for text, found in links.items() if found)
    for qir, worth in _variants(asked, known, links):
        for grounded in readings(qir, asked.linked):
            for choice in _choices(asked, replace(grounded, score=grounded.score * worth), links):
                yield from queries_of(choice, asked, rows)


def _variants(asked: Asked, known: frozenset[str], links: dict[str, ClassLink | None]) -> Iterator[tuple[QIR, float]]:
    """Yield the QIR's variants; then one in which relations that a class names ("patients of X") become its class."""
    yield from variants(asked.qir, known)
    classed = {unknown for unknown, _ in asked.qir.classes}
    triples, classes = [], list(asked.qir.classes)
    for relation in asked.qir.triples:
        end = relation.object
        found = None
        if is_unknown(end) and end not in classed and not is_bare(relation.relation):
            found = links.setdefault(relation.relation, link(relation.relation, Card(), asked.kg, asked.similarity))
        if found and found.score >= _SUGGESTED:
            classes.append((end, relation.relation))
        triples.append(replace(relation, relation="") if found and found.score >= _SUGGESTED else relation)
    if tuple(triples) != asked.qir.triples:
        yield replace(asked.qir, triples=tuple(triples), classes=tuple(classes)), _BY_CLASS


def queries_of(choice: Choice, asked: Asked, rows: int) -> Iterator[Query]:
    """Yield the queries of one choice: the strict one, and one that takes untyped things where a class is asked for."""
    made = compose(choice.grounded, choice.edges, choice.classes, asked.kg, rows)
    if made is None:
        return
    body, form = made
    body = _without_empty(body, asked)
    yield Query(choice, body, form, choice.score)
    loose = tuple(v for v, _ in body.types if any(v in (p.subject, p.object) for p in body.patterns))
    spoken = asked.qir.relations()
    if loose and not any(found.text in spoken for _, found in choice.classes):  # else its class is all that is said
        kept = tuple((v, classes) for v, classes in body.types if v not in loose)
        yield Query(choice, replace(body, types=kept, untyped=loose), form, choice.score * _UNTYPED)
        if all(edge.option.score >= _SURE for edge in choice.edges):
            yield Query(choice, replace(body, types=kept), form, choice.score * _ANY_TYPE)


def _without_empty(body: Body, asked: Asked) -> Body:
    """Return the body without classes that only a schema knows: no thing is of them, and relations lead there alone."""
    known = asked.kg.vocabulary.classes
    used = {end for pattern in body.patterns for end in (pattern.subject, pattern.object)}
    kept = tuple(
        (v, classes)
        for v, classes in body.types
        if v not in used or any(iri not in known or known[iri].count for iri in classes)
    )
    return replace(body, types=kept)


def merged(query: Query, among: Sequence[Query], asked: Asked, rows: int) -> Query:
    """Return a query over the union of the synonymous options of ``among`` for each relation of ``query``.

    Synonymous are options in the same place, of the same direction and kind, in the same reading of the mentions.
    """
    edges = []
    for place, edge in enumerate(query.choice.edges):
        iris = dict.fromkeys(edge.option.predicates)
        for other in among:
            if other.choice.grounded is query.choice.grounded and len(other.choice.edges) == len(query.choice.edges):
                option = other.choice.edges[place].option
                same = option.forward == edge.option.forward and option.literal == edge.option.literal
                same = same and (option.then, option.inward) == (edge.option.then, edge.option.inward)
                same = same and option.score >= _SYNONYM
                if same and option.numeric == edge.option.numeric:
                    iris |= dict.fromkeys(option.predicates)
        edges.append(replace(edge, option=replace(edge.option, predicates=tuple(iris))))
    choice = replace(query.choice, edges=tuple(edges))
    made = compose(choice.grounded, choice.edges, choice.classes, asked.kg, rows)
    if made is None or query.body.untyped:
        return query
    return Query(choice, made[0], made[1], query.score)


def _choices(asked: Asked, grounded: Grounded, links: Mapping[str, ClassLink | None]) -> Iterator[Choice]:
    linked, worth, words = _classes(asked, grounded, links)
    if worth <= 0 or not _is_anchored(grounded, linked):
        return
    around = Surroundings(
        asked.kg,
        asked.card,
        asked.similarity,
        of_unknowns(asked.question, grounded.qir),
        {unknown: found.within for unknown, found in linked},
        words,
        _hints(asked, grounded.qir),
        _counted(grounded.qir, asked.question),
        grounded.qir.shape == "boolean",
        _shared(grounded.qir),
    )
    relations = (*((r, False) for r in grounded.qir.triples), *((r, True) for r in grounded.qir.negated))
    held = {**grounded.listed, **grounded.anchors}  # what is listed tells the relation where no word does
    found = [options(r, held if is_bare(r.relation) else grounded.anchors, around) for r, _ in relations]
    found = [
        stated_first(listed, r, grounded.anchors) if negated else listed
        for (r, negated), listed in zip(relations, found, strict=True)
    ]
    unlisted = {end: text for end, text in words.items() if text[:1].isupper() and end not in dict(linked)}
    size = 8
    while prod(min(size, len(listed)) for listed in found) > _COMBINATIONS:
        size -= 1
    for picked in product(*(listed[:size] for listed in found)):
        edges = tuple(Edge(r, option, negated) for (r, negated), option in zip(relations, picked, strict=True))
        possible = is_bounded(edges, grounded, asked.kg) and is_told(edges, grounded) and is_named(edges, unlisted)
        fit = agreement(edges, asked.kg) if possible else 0.0
        score = prod(option.score for option in picked) ** (1 / len(picked)) if picked else 1.0
        if fit > 0:
            yield Choice(grounded, edges, linked, score * fit * worth * grounded.score)


def _hints(asked: Asked, qir: QIR) -> dict[str, frozenset[str]]:
    """Return the classes that the names of unknowns of no class suggest."""
    classed = {unknown for unknown, _ in qir.classes}
    found: dict[str, frozenset[str]] = {}
    for unknown in qir.unknowns():
        word = re.sub(r"[^A-Za-z]+", " ", unknown).strip()
        named = link(word, Card(), asked.kg, asked.similarity) if len(word) > 2 and unknown not in classed else None
        if named and named.score >= _SUGGESTED:
            found[unknown] = named.within
    return found


def _is_anchored(grounded: Grounded, classes: Sequence[tuple[str, ClassLink]]) -> bool:
    """Tell whether a yes-or-no question says anything of this graph: that something is somewhere is no truth."""
    bound = grounded.anchors or grounded.values or grounded.types or grounded.excluded or grounded.qir.filters
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
    asked: Asked, grounded: Grounded, links: Mapping[str, ClassLink | None]
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
        linked.append((end, of_classes(end, (iri,), 1.0, asked.kg)))
    return tuple(linked), worth, words


__all__ = ["Asked", "Choice", "Edge", "Query", "build", "merged", "queries_of"]
