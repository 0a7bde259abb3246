"""Grounding: a QIR with one link for each mention, in which classes, values and texts become conditions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, product
from math import prod

from chattyshared.kg import KnowledgeGraph
from chattyshared.language.quantities import normalize_quantity
from chattyshared.terms import Term

from chattykg.linking.candidates import EntityLink
from chattykg.linking.relation_phrases import is_label_phrase, is_type_phrase
from chattykg.linking.similarity import Similarity
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.qir import QIR, Filter, Relation, is_unknown

# Origin of the numbers below: set by hand on the development sets; benchmarks/calibrate.py varies them.
MAX_GROUNDINGS = 8
"""Combinations of links of one question that become queries."""
_MAX_LINKS = 3
"""Links of one mention that are combined."""
_MAX_RANKED = 200
"""Combinations of links that are ranked."""
_VALUE_SCORE = 0.9
"""Score (0..1) of a number or date instead of a link."""
_TEXT_SCORE = 0.8
"""Score (0..1) of a text that no vertex has as label."""


@dataclass(frozen=True, slots=True)
class QueryContext:
    """Input of candidate queries: question, QIR, its links, the card, the KG and a similarity."""

    question: str
    qir: QIR
    candidate_links: Mapping[str, Sequence[EntityLink]]
    card: VocabularyCard
    kg: KnowledgeGraph
    similarity: Similarity

    @property
    def words(self) -> str:
        """The question without the names in it, whose words ask for nothing ("Who Do You Think You Are")."""
        words = self.question
        for name in self.qir.entities():
            words = words.replace(name, "X") if " " in name and name[:1].isupper() else words
        return words


@dataclass(frozen=True, slots=True)
class GroundedQIR:
    """A QIR with one link for each of its mentions.

    ``values`` are unknowns that are bound to terms; ``types`` are classes that ends must have, ``excluded_types`` those
    that they must not have; ``text_unknowns`` stand for texts that no vertex has as label, so that they are literals;
    ``score`` (0..1) is that of all links; ``listed_links`` holds, for an unknown that is bound to several mentions of
    one kind, one link with all their candidates.
    """

    qir: QIR
    entity_links: Mapping[str, EntityLink]
    values: tuple[tuple[str, tuple[Term, ...]], ...]
    types: tuple[tuple[str, str], ...]
    excluded_types: tuple[tuple[str, str], ...]
    score: float
    text_unknowns: frozenset[str] = frozenset()
    listed_links: Mapping[str, EntityLink] = field(default_factory=dict)


def is_literal(text: str) -> bool:
    """Tell whether a mention is a number (with or without a unit), a date or a year rather than a name."""
    return bool(normalize_quantity(text))


def may_be_text(qir: QIR, text: str) -> bool:
    """Tell whether a mention without a vertex may be a literal in a yes-or-no question ("is the color of X pink")."""
    incident = [relation for relation in qir.triples if text in relation.ends()]
    is_listed = any(text in mentions for _, mentions in qir.values)
    return qir.shape == "boolean" and bool(incident) and not is_listed and all(r.object == text for r in incident)


def ground_qir(qir: QIR, candidate_links: Mapping[str, Sequence[EntityLink]]) -> Iterator[GroundedQIR]:
    """Yield the QIR grounded in each combination of links, best first; none if a mention has no link."""
    texts = qir.entities()
    choices: list[list[EntityLink | None]] = []
    for text in texts:
        options: list[EntityLink | None] = [*candidate_links.get(text, ())[:_MAX_LINKS]]
        if is_literal(text) or (not options and (may_be_text(qir, text) or _is_only_excluded(qir, text))):
            options.append(None)
        choices.append(options)
    choices = _prefer_vertices_in_lists(qir, texts, choices)
    ranked = sorted(islice(product(*choices), _MAX_RANKED), key=lambda links: -_links_score(texts, links))
    for links in ranked[:MAX_GROUNDINGS]:
        yield _ground_with(qir, dict(zip(texts, links, strict=True)), _links_score(texts, links))


def _prefer_vertices_in_lists(
    qir: QIR, texts: Sequence[str], choices: list[list[EntityLink | None]]
) -> list[list[EntityLink | None]]:
    """Keep only the vertices of the members of a list ("which of A, B and C") if each member has one."""
    for _, mentions in qir.values:
        members = [index for index, text in enumerate(texts) if text in mentions]
        vertices = [[a for a in choices[index] if a is not None and a.kind == "vertex"] for index in members]
        if all(vertices):
            for index, links in zip(members, vertices, strict=True):
                choices[index] = [*links]
    return choices


def unlinked_mentions(qir: QIR, candidate_links: Mapping[str, Sequence[EntityLink]]) -> tuple[str, ...]:
    """Return the mentions without a link that need one; a list holds things only, so that its numbers need one too."""
    listed = {text for _, mentions in qir.values for text in mentions}
    return tuple(
        text
        for text in qir.entities()
        if not candidate_links.get(text)
        and not (is_literal(text) and text not in listed or may_be_text(qir, text) or _is_only_excluded(qir, text))
    )


def _is_only_excluded(qir: QIR, text: str) -> bool:
    """Tell whether a mention is only excluded: then it may be a text without a vertex."""
    return text in qir.excluded_names() and text not in replace(qir, filters=()).entities()


def _links_score(texts: Sequence[str], links: Sequence[EntityLink | None]) -> float:
    scores = [
        anchor.score if anchor else _VALUE_SCORE if is_literal(text) else _TEXT_SCORE
        for text, anchor in zip(texts, links, strict=True)
    ]
    return float(prod(scores) ** (1 / len(scores))) if scores else 1.0


class _Grounding:
    """Collects the bindings and conditions of one grounding."""

    def __init__(self, chosen: Mapping[str, EntityLink | None]) -> None:
        self.chosen = chosen
        self.anchors: dict[str, EntityLink] = {}
        self.values: list[tuple[str, tuple[Term, ...]]] = []
        self.types: list[tuple[str, str]] = []
        self.excluded: list[tuple[str, str]] = []
        self.filters: list[Filter] = []
        self.texts: set[str] = set()
        self.fresh = 0

    def end(self, text: str) -> str:
        """Return the grounded end: itself, or a fresh unknown if the mention is a class or a value."""
        if is_unknown(text):
            return text
        anchor = self.chosen[text]
        if anchor is not None and anchor.kind != "class":
            self.anchors[text] = anchor
            return text
        self.fresh += 1
        unknown = f"?given_{self.fresh}"
        if anchor is None:
            self.filters.append(Filter(unknown, "=", normalize_quantity(text) or text))
            if not is_literal(text):
                self.texts.add(unknown)
        else:
            self.types.append((unknown, str(anchor.terms[0])))
        return unknown

    def relation(self, relation: Relation, *, negated: bool = False) -> Relation | None:
        """Return the relation with grounded ends; None if it states a class or a label and becomes a condition."""
        for one, other in (relation.ends(), relation.ends()[::-1]):
            anchor = None if is_unknown(other) else self.chosen[other]
            if anchor is None or one == other:
                continue
            if anchor.kind == "class" and is_type_phrase(relation.relation):
                (self.excluded if negated else self.types).append((self.end(one), str(anchor.terms[0])))
                return None
            if anchor.kind == "vertex" and is_unknown(one) and relation.relation and is_label_phrase(relation.relation):
                self.anchors[other] = anchor
                self.values.append((one, anchor.terms))
                return None
        return Relation(self.end(relation.subject), relation.relation, self.end(relation.object))


def _ground_with(qir: QIR, links: Mapping[str, EntityLink | None], score: float) -> GroundedQIR:
    grounding = _Grounding(links)
    triples = tuple(filter(None, (grounding.relation(relation) for relation in qir.triples)))
    negated = tuple(filter(None, (grounding.relation(relation, negated=True) for relation in qir.negated)))
    for unknown, mentions in qir.values:
        list_links = [links[mention] for mention in mentions]
        for mention, link in zip(mentions, list_links, strict=True):
            if link is not None:
                grounding.anchors[mention] = link
        terms = tuple(dict.fromkeys(term for link in list_links if link for term in link.terms))
        if terms:
            grounding.values.append((unknown, terms))
    merged_links = {unknown: _merge_links(unknown, [links[m] for m in mentions]) for unknown, mentions in qir.values}
    for text in qir.excluded_names():
        link = links.get(text)
        if link is not None and link.kind != "class":
            grounding.anchors[text] = link
    grounded = replace(qir, triples=triples, negated=negated, filters=(*qir.filters, *grounding.filters), values=())
    bindings = (tuple(grounding.values), tuple(grounding.types), tuple(grounding.excluded))
    listed_links = {unknown: link for unknown, link in merged_links.items() if link is not None}
    return GroundedQIR(grounded, grounding.anchors, *bindings, score, frozenset(grounding.texts), listed_links)


def _merge_links(unknown: str, list_links: Sequence[EntityLink | None]) -> EntityLink | None:
    """Return one link for all links of a list; None if one is missing or the kinds differ."""
    links = [anchor for anchor in list_links if anchor is not None]
    if not links or len(links) < len(list_links) or len({anchor.kind for anchor in links}) > 1:
        return None
    return EntityLink(unknown, tuple(c for anchor in links for c in anchor.candidates), min(a.score for a in links))
