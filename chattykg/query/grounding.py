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


def unlinked_mentions(qir: QIR, candidate_links: Mapping[str, Sequence[EntityLink]]) -> tuple[str, ...]:
    """Return the mentions without a link that need one; a list holds things only, so that its numbers need one too."""
    listed = {text for _, mentions in qir.values for text in mentions}
    unlinked = (text for text in qir.entities() if not candidate_links.get(text))
    return tuple(text for text in unlinked if text in listed or not (is_literal(text) or _may_be_text(qir, text)))


def ground_qir(qir: QIR, candidate_links: Mapping[str, Sequence[EntityLink]]) -> Iterator[GroundedQIR]:
    """Yield the QIR grounded in each combination of links, best first; none if a mention has no link."""
    choices: dict[str, list[EntityLink | None]] = {}
    for text in qir.entities():
        choices[text] = [*candidate_links.get(text, ())[:_MAX_LINKS]]
        if is_literal(text) or not choices[text] and _may_be_text(qir, text):
            choices[text].append(None)
    for _, mentions in qir.values:  # the members of a list ("which of A, B and C") are of one kind
        vertices = {text: [link for link in choices[text] if link and link.kind == "vertex"] for text in mentions}
        if all(vertices.values()):
            choices |= vertices  # type: ignore[arg-type]
    combinations = (dict(zip(choices, links, strict=True)) for links in product(*choices.values()))
    for links in sorted(islice(combinations, _MAX_RANKED), key=_links_score, reverse=True)[:MAX_GROUNDINGS]:
        yield _ground_with(qir, links)


def _may_be_text(qir: QIR, text: str) -> bool:
    """Tell whether a mention without a vertex may be a literal: it is only excluded, or the value of a relation in a
    yes-or-no question ("is the color of X pink")."""
    if text in qir.excluded_names() and text not in replace(qir, filters=()).entities():
        return True
    incident = [relation for relation in qir.triples if text in relation.ends()]
    is_listed = any(text in mentions for _, mentions in qir.values)
    return qir.shape == "boolean" and bool(incident) and not is_listed and all(r.object == text for r in incident)


def _links_score(links: Mapping[str, EntityLink | None]) -> float:
    values = (link.score if link else _VALUE_SCORE if is_literal(text) else _TEXT_SCORE for text, link in links.items())
    return float(prod(values) ** (1 / len(links))) if links else 1.0


def _ground_with(qir: QIR, links: Mapping[str, EntityLink | None]) -> GroundedQIR:
    """Return the QIR with its mentions as things, bindings and conditions."""
    used = {text for _, mentions in qir.values for text in mentions} | set(qir.excluded_names())
    anchors = {text: link for text, link in links.items() if text in used and link and link.kind != "class"}
    values: list[tuple[str, tuple[Term, ...]]] = []
    types: list[tuple[str, str]] = []
    excluded: list[tuple[str, str]] = []
    filters: list[Filter] = []
    texts: set[str] = set()

    def ground_end(text: str) -> str:
        link = None if is_unknown(text) else links[text]
        if is_unknown(text) or link is not None and link.kind != "class":
            anchors.update({text: link} if link else {})
            return text
        unknown = f"?given_{len(filters) + len(types) + 1}"
        if link is not None:
            types.append((unknown, str(link.terms[0])))
            return unknown
        filters.append(Filter(unknown, "=", normalize_quantity(text) or text))
        texts.update(() if is_literal(text) else (unknown,))
        return unknown

    def ground_relation(relation: Relation, *, is_negated: bool = False) -> Iterator[Relation]:
        """Yield the relation with grounded ends, unless it states a class or a label and becomes a condition."""
        for one, other in (relation.ends(), relation.ends()[::-1]):
            link = None if is_unknown(other) or one == other else links[other]
            if link and link.kind == "class" and is_type_phrase(relation.relation):
                (excluded if is_negated else types).append((ground_end(one), str(link.terms[0])))
                return
            if link and link.kind == "vertex" and is_unknown(one) and is_label_phrase(relation.relation):
                anchors[other] = link
                values.append((one, link.terms))
                return
        yield Relation(ground_end(relation.subject), relation.relation, ground_end(relation.object))

    triples = tuple(grounded for relation in qir.triples for grounded in ground_relation(relation))
    negated = tuple(g for relation in qir.negated for g in ground_relation(relation, is_negated=True))
    listed: dict[str, EntityLink] = {}
    for unknown, mentions in qir.values:
        members = [link for mention in mentions if (link := links[mention]) is not None]
        candidates = tuple(candidate for link in members for candidate in link.candidates)
        if members:
            values.append((unknown, tuple(dict.fromkeys(candidate.term for candidate in candidates))))
        if len(members) == len(mentions) and len({link.kind for link in members}) == 1:
            listed[unknown] = EntityLink(unknown, candidates, min(link.score for link in members))
    grounded = replace(qir, triples=triples, negated=negated, filters=(*qir.filters, *filters), values=())
    bound = (tuple(values), tuple(types), tuple(excluded))
    return GroundedQIR(grounded, anchors, *bound, _links_score(links), frozenset(texts), listed)
