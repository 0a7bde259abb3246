"""The card: what of the KG's vocabulary is near a question, and which of its words the KG already knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from chattyshared.kg import KnowledgeGraph
from chattyshared.terms import local_name, readable
from chattyshared.vocabulary import ClassEntry, PredicateEntry
from rdflib import URIRef

from chattykg.linking import mentions as known
from chattykg.linking.lexicon import GLOSSED, Lexicon, lexicon
from chattykg.linking.mentions import Mention, MentionKind
from chattykg.linking.tokens import Token, tokenise
from chattykg.linking.wording import SMALL, degree

__all__ = ["Card", "Mention", "MentionKind", "build"]


@dataclass(frozen=True, slots=True)
class Card:
    """Mentions in the question, and the classes and predicates nearest to it, most relevant first.

    ``around`` are the predicates at each vertex that was mentioned (its IRI first), with direction: what the graph
    can say about it at all. ``lineage`` are the mentioned classes, each with its super- and subclasses. ``names`` are
    the labels of classes and predicates whose IRIs say nothing (``Q5``).
    """

    mentions: tuple[Mention, ...] = ()
    classes: tuple[ClassEntry, ...] = ()
    predicates: tuple[PredicateEntry, ...] = ()
    around: tuple[tuple[str, tuple[tuple[str, Literal["out", "in"], int], ...]], ...] = ()
    lineage: tuple[tuple[str, frozenset[str]], ...] = ()
    names: tuple[tuple[str, str], ...] = ()

    def of_kind(self, kind: MentionKind) -> tuple[Mention, ...]:
        """Return the mentions of one kind, in order of their place."""
        return tuple(mention for mention in self.mentions if mention.kind == kind)

    def kin(self, classes: Sequence[str]) -> frozenset[str]:
        """Return classes with all that lies above and below them, as far as they are mentioned."""
        known = dict(self.lineage)
        return frozenset(classes).union(*(known.get(iri, ()) for iri in classes))

    def shown(self) -> str:
        """Return the card as it stands in a prompt: at most about 1,200 tokens, most relevant first."""
        names = dict(self.names)
        lines = [_mention_line(mention, names) for mention in self.mentions]
        classes = [_class_line(entry) for entry in self.classes]
        predicates = [_predicate_line(entry, names) for entry in self.predicates]
        budget = SHOWN_CHARACTERS
        shown: list[str] = []
        for line in (*dict.fromkeys(lines[:20]), *classes[:15], *predicates, *classes[15:]):
            cut = line[:LONGEST_LINE]
            budget -= len(cut) + 1
            if budget < 0:
                break
            shown.append(cut)
        return "\n".join(shown) or "(nothing of the question's words is known)"


SHOWN_CHARACTERS = 4_800
LONGEST_LINE = 240
NEAR_PREDICATES = 40
NEAR_CLASSES = 15
_KIN = 60
"""Mentioned classes whose super- and subclasses are looked at."""


def _mention_line(mention: Mention, names: Mapping[str, str]) -> str:
    known = [
        f"{hit.label[:60]}" + (f" [{_name(hit.types[0], names)}]" if hit.types else "") for hit in mention.hits[:3]
    ]
    known += [
        f"{str(hit.value)[:60]} under {', '.join(_name(p, names) for p in hit.predicates[:3])}"
        for hit in mention.values[:2]
    ]
    if mention.kind in ("class", "predicate"):
        known += [_name(iri, names)[:60] for iri in mention.iris[:2]]
    return f'mention "{mention.text[:80]}": {mention.kind}' + (f" ({'; '.join(known)})" if known else "")


def _class_line(entry: ClassEntry) -> str:
    comment = f" - {entry.comment[:80]}" if entry.comment else ""
    return f"class {entry.label} ({entry.count}){comment}"


def _predicate_line(entry: PredicateEntry, names: Mapping[str, str]) -> str:
    domain = "/".join(_name(iri, names) for iri in entry.domains[:2]) or "thing"
    ends = entry.ranges if entry.objects == "iri" else entry.datatypes
    range_ = "/".join(_name(iri, names) for iri in ends[:2]) or ("thing" if entry.objects == "iri" else "text")
    example = f'; e.g. "{entry.example[0][:40]}" -> "{entry.example[1][:40]}"' if any(entry.example) else ""
    return f"predicate {entry.label}: {domain} -> {range_}{example}"


def _name(iri: str, names: Mapping[str, str]) -> str:
    return names.get(iri) or readable(iri)


def _names(kg: KnowledgeGraph, card: Card) -> tuple[tuple[str, str], ...]:
    """Return the labels of what the lines of a card name by IRI, where the IRI's own name is a number."""
    told = [type_ for mention in card.mentions for hit in mention.hits[:3] for type_ in hit.types[:1]]
    told += [iri for mention in card.mentions for value in mention.values[:2] for iri in value.predicates[:3]]
    told += [iri for entry in card.predicates for iri in (*entry.domains[:2], *entry.ranges[:2])]
    opaque = [iri for iri in dict.fromkeys(told) if any(map(str.isdigit, local_name(iri)))]
    classes, predicates = kg.vocabulary.classes, kg.vocabulary.predicates
    found = ((iri, classes.get(iri) or predicates.get(iri)) for iri in opaque)
    return tuple((iri, entry.label) for iri, entry in found if entry is not None)


def build(question: str, kg: KnowledgeGraph, *, limit: int = 20) -> Card:
    """Read a question against a KG: its mentions, and the classes and predicates nearest to it.

    At most ``limit`` candidates a mention; one lookup of labels, one of values, one of the predicates at the vertices.

    Raises:
        EndpointError: the KG could not be asked.
    """
    tokens = tokenise(question)
    spans = known.spans(question, tokens)
    words = lexicon(kg.vocabulary)
    found = [*known.vocabulary(words, spans)]
    if spans:
        found += [*known.vertices(kg, spans, limit=limit), *known.values(kg, spans, limit=limit)]
    stated = {(m.start, m.end) for m in found if m.kind in ("vertex", "value")}
    found = [m for m in found if m.score != GLOSSED or (m.start, m.end) not in stated]
    found.sort(key=lambda m: (m.start, -(m.end - m.start), m.kind))
    classes, predicates = _near(kg, words, tokens, found)
    around = _around(kg, found)
    at_hand = dict.fromkeys(iri for _, entries in around for iri, _, _ in entries)
    ranked = dict.fromkeys((*predicates[:NEAR_PREDICATES], *at_hand, *predicates[NEAR_PREDICATES:]))
    entries = kg.vocabulary.predicates
    card = Card(
        mentions=tuple(found),
        classes=tuple(kg.vocabulary.classes[iri] for iri in classes[:NEAR_CLASSES] if iri in kg.vocabulary.classes),
        predicates=tuple(entries[iri] for iri in ranked if iri in entries)[: 3 * NEAR_PREDICATES],
        around=around,
        lineage=_lineage(kg, found),
    )
    return replace(card, names=_names(kg, card))


def _near(
    kg: KnowledgeGraph, words: Lexicon, tokens: Sequence[Token], found: Sequence[Mention]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Rank classes and predicates by the question's words, by what is mentioned, and by the classes' own predicates."""
    said = [token.lower for token in tokens if token.kind == "word"]
    said += [degree(word)[0] for word in said if degree(word)[0]]
    near = {kind: words.near(kind, [word for word in said if word not in SMALL]) for kind in ("class", "predicate")}
    for mention in found:
        if mention.kind in ("class", "predicate"):
            for iri, score in zip(mention.iris, mention.scores, strict=True):
                near[mention.kind][iri] = max(near[mention.kind].get(iri, 0.0), 1.0 + score)
    mentioned = {iri for m in found if m.kind == "class" for iri in m.iris}
    mentioned |= {type_ for m in found if m.kind == "vertex" for hit in m.hits[:3] for type_ in hit.types}
    for entry in kg.vocabulary.predicates.values():
        if entry.metadata:
            near["predicate"].pop(entry.iri, None)
        elif mentioned.intersection(entry.domains[:3]) or mentioned.intersection(entry.ranges[:3]):
            near["predicate"][entry.iri] = near["predicate"].get(entry.iri, 0.0) + 0.25
    for type_ in mentioned:
        near["class"].setdefault(type_, 0.2)
    ranked = {
        kind: tuple(sorted(scores, key=lambda iri: (-scores[iri], -words.weight.get(iri, 0), iri)))
        for kind, scores in near.items()
    }
    return ranked["class"], ranked["predicate"]


def _lineage(kg: KnowledgeGraph, found: Sequence[Mention]) -> tuple[tuple[str, frozenset[str]], ...]:
    mentioned = [iri for m in found if m.kind == "class" for iri in m.iris]
    mentioned += [type_ for m in found if m.kind == "vertex" for hit in m.hits[:3] for type_ in hit.types]
    known = kg.vocabulary
    return tuple((iri, known.superclasses(iri) | known.subclasses(iri)) for iri in dict.fromkeys(mentioned[:_KIN]))


def _around(
    kg: KnowledgeGraph, found: Sequence[Mention]
) -> tuple[tuple[str, tuple[tuple[str, Literal["out", "in"], int], ...]], ...]:
    vertices = [mention for mention in found if mention.kind == "vertex"]
    vertices.sort(key=lambda m: (-(m.end - m.start) * m.score, m.start))
    terms = tuple(dict.fromkeys(URIRef(hit.iri) for mention in vertices[:6] for hit in mention.hits[:3]))[:12]
    if not terms:
        return ()
    predicates = kg.predicates_of(terms)
    return tuple((str(term), tuple(predicates.get(term, ()))) for term in terms)
