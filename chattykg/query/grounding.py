"""Grounding: a QIR whose mentions are linked, in one reading of them, with all that is no edge put in its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, product
from math import prod

from chattyshared.language.quantities import normalize_quantity
from chattyshared.terms import Term

from chattykg.linking.candidates import EntityLink, MentionCandidates
from chattykg.linking.relation_phrases import is_label_phrase, is_type_phrase
from chattykg.qir import QIR, Filter, Relation, is_unknown

READINGS = 8
"""Ways to read the mentions of one question that are followed."""
_AS_VALUE = 0.9
_AS_TEXT = 0.8


@dataclass(frozen=True, slots=True)
class GroundedQIR:
    """A QIR and the anchors of its mentions in one reading.

    ``values`` are unknowns that stand for given terms; ``types`` are classes that ends must have, ``excluded`` those
    that they must not have; ``texts`` are unknowns that stand for a text that no vertex bears, so that only a literal
    can be meant; ``score`` is what the links are worth together; ``listed`` holds, for an unknown that is one of
    several mentions of one kind, all their candidates.
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
    """Tell whether a mention that no vertex bears may be a text whose truth is asked ("is the color of X pink")."""
    around = [relation for relation in qir.triples if text in relation.ends()]
    listed = any(text in mentions for _, mentions in qir.values)
    return qir.shape == "boolean" and bool(around) and not listed and all(r.object == text for r in around)


def ground_qir(qir: QIR, candidate_links: Mapping[str, Sequence[EntityLink]]) -> Iterator[GroundedQIR]:
    """Yield the QIR grounded in each reading of its mentions, best first; none if a mention has no link at all."""
    texts = qir.entities()
    choices: list[list[EntityLink | None]] = []
    for text in texts:
        found: list[EntityLink | None] = [*candidate_links.get(text, ())[:3]]
        if is_literal(text) or (not found and (may_be_text(qir, text) or _is_only_excepted(qir, text))):
            found.append(None)
        choices.append(found)
    choices = _of_one_kind(qir, texts, choices)
    ranked = sorted(islice(product(*choices), 200), key=lambda chosen: -_worth(texts, chosen))
    for chosen in ranked[:READINGS]:
        yield _ground(qir, dict(zip(texts, chosen, strict=True)), _worth(texts, chosen))


def _of_one_kind(
    qir: QIR, texts: Sequence[str], choices: list[list[EntityLink | None]]
) -> list[list[EntityLink | None]]:
    """Read the members of a list ("which of A, B and C") all as vertices where each of them may be one."""
    for _, mentions in qir.values:
        members = [at for at, text in enumerate(texts) if text in mentions]
        vertices = [[a for a in choices[at] if a is not None and a.kind == "vertex"] for at in members]
        if all(vertices):
            for at, kept in zip(members, vertices, strict=True):
                choices[at] = [*kept]
    return choices


def unlinked_mentions(qir: QIR, candidate_links: Mapping[str, Sequence[EntityLink]]) -> tuple[str, ...]:
    """Return the mentions that nothing was found for."""
    return tuple(
        text
        for text in qir.entities()
        if not candidate_links.get(text)
        and not (is_literal(text) or may_be_text(qir, text) or _is_only_excepted(qir, text))
    )


def _is_only_excepted(qir: QIR, text: str) -> bool:
    """Tell whether a mention is only what must not be: a text then, if no vertex bears it."""
    return text in qir.excluded_names() and text not in replace(qir, filters=()).entities()


def select_unambiguous(mentions: Sequence[MentionCandidates]) -> tuple[MentionCandidates, ...]:
    """Return the mentions that leave nothing to choose."""
    return tuple(mention for mention in mentions if mention.candidates and mention.is_unambiguous)


def _worth(texts: Sequence[str], chosen: Sequence[EntityLink | None]) -> float:
    scores = [
        anchor.score if anchor else _AS_VALUE if is_literal(text) else _AS_TEXT
        for text, anchor in zip(texts, chosen, strict=True)
    ]
    return float(prod(scores) ** (1 / len(scores))) if scores else 1.0


class _Ground:
    """The places that mentions move to; used up by one grounding."""

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
        """Return what stands for an end: itself, or a fresh unknown where the mention is a class or a value."""
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
        """Return the relation with its ends in place; None where it is no edge but a class or a name."""
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


def _ground(qir: QIR, chosen: Mapping[str, EntityLink | None], score: float) -> GroundedQIR:
    ground = _Ground(chosen)
    triples = tuple(filter(None, (ground.relation(relation) for relation in qir.triples)))
    negated = tuple(filter(None, (ground.relation(relation, negated=True) for relation in qir.negated)))
    for unknown, mentions in qir.values:
        listed = [chosen[mention] for mention in mentions]
        for mention, anchor in zip(mentions, listed, strict=True):
            if anchor is not None:
                ground.anchors[mention] = anchor
        terms = tuple(dict.fromkeys(term for anchor in listed if anchor for term in anchor.terms))
        if terms:
            ground.values.append((unknown, terms))
    listed_as = {unknown: _together(unknown, [chosen[m] for m in mentions]) for unknown, mentions in qir.values}
    for text in qir.excluded_names():
        anchor = chosen.get(text)
        if anchor is not None and anchor.kind != "class":
            ground.anchors[text] = anchor
    moved = replace(qir, triples=triples, negated=negated, filters=(*qir.filters, *ground.filters), values=())
    places = (tuple(ground.values), tuple(ground.types), tuple(ground.excluded))
    known = {unknown: anchor for unknown, anchor in listed_as.items() if anchor is not None}
    return GroundedQIR(moved, ground.anchors, *places, score, frozenset(ground.texts), known)


def _together(unknown: str, listed: Sequence[EntityLink | None]) -> EntityLink | None:
    """Return one anchor for all that are listed; None where one has no link, or they are of different kinds."""
    found = [anchor for anchor in listed if anchor is not None]
    if not found or len(found) < len(listed) or len({anchor.kind for anchor in found}) > 1:
        return None
    return EntityLink(unknown, tuple(c for anchor in found for c in anchor.candidates), min(a.score for a in found))
