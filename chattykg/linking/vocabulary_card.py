"""The card: what of the KG's vocabulary is near a question, and which of its words the KG already knows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.vocabulary import ClassEntry, PredicateEntry
from chattyshared.language.lexicon import word_set
from chattyshared.language.morphology import FUNCTION_WORDS, PREPOSITIONS, STOP_WORDS, parse_degree
from chattyshared.language.quantities import unit_forms
from chattyshared.language.tokenizer import Token, tokenize
from chattyshared.profile import TYPE_PREDICATES
from chattyshared.terms import iri_to_words
from rdflib import URIRef

from chattykg.linking import mention_detection as known
from chattykg.linking.label_lexicon import COMMENT_SCORE, LabelLexicon, lexicon_of
from chattykg.linking.mention_detection import Mention, MentionKind
from chattykg.linking.vocabulary_card_text import MAX_NAMES_CHARACTERS, render_card, render_names

__all__ = ["VocabularyCard", "Mention", "MentionKind", "build_vocabulary_card"]


@dataclass(frozen=True, slots=True)
class VocabularyCard:
    """Mentions in the question, and the classes and predicates nearest to it, most relevant first.

    ``around`` are the predicates at each vertex that was mentioned (its IRI first), with direction: what the graph
    can say about it at all. ``lineage`` are the mentioned classes, each with its super- and subclasses. ``names`` are
    the labels of classes and predicates whose IRIs say another name, or nothing (``Q5``). ``further`` is the rest of a
    small vocabulary, where a word of the question was found nowhere in it: what it means may be called otherwise.
    """

    mentions: tuple[Mention, ...] = ()
    classes: tuple[ClassEntry, ...] = ()
    predicates: tuple[PredicateEntry, ...] = ()
    incident_predicates: tuple[tuple[str, tuple[tuple[str, Literal["out", "in"], int], ...]], ...] = ()
    class_hierarchy: tuple[tuple[str, frozenset[str]], ...] = ()
    labels: tuple[tuple[str, str], ...] = ()
    remaining_vocabulary: tuple[tuple[ClassEntry, ...], tuple[PredicateEntry, ...]] = ((), ())

    def mentions_of_kind(self, kind: MentionKind) -> tuple[Mention, ...]:
        """Return the mentions of one kind, in order of their place."""
        return tuple(mention for mention in self.mentions if mention.kind == kind)

    def expand_classes(self, classes: Sequence[str]) -> frozenset[str]:
        """Return classes with all that lies above and below them, as far as they are mentioned."""
        known = dict(self.class_hierarchy)
        return frozenset(classes).union(*(known.get(iri, ()) for iri in classes))

    def as_prompt_text(self) -> str:
        """Return the card as it stands in a prompt: at most about 1,200 tokens, most relevant first."""
        text = render_card(self.mentions, self.classes, self.predicates, self.remaining_vocabulary, dict(self.labels))
        return text or "(nothing of the question's words is known)"


_ENDS = "?!."
_EMPTY = FUNCTION_WORDS | STOP_WORDS | PREPOSITIONS | word_set("function_words", "card_stop_words") | unit_forms("card")
MAX_CANDIDATES = 20
"""Candidates of a mention that a card holds."""
SHORTEST = 3
"""Letters of a word that is looked for in the vocabulary."""
NEAR_PREDICATES = 40
NEAR_CLASSES = 15
_KIN = 60
"""Mentioned classes whose super- and subclasses are looked at."""


def _names(kg: KnowledgeGraph, card: VocabularyCard) -> tuple[tuple[str, str], ...]:
    """Return the labels of what the lines of a card name by IRI, where the IRI's own name is another."""
    told = [type_ for mention in card.mentions for hit in mention.hits[:3] for type_ in hit.types[:1]]
    told += [iri for mention in card.mentions for value in mention.values[:2] for iri in value.predicates[:3]]
    told += [iri for entry in card.predicates for iri in (*entry.domains[:2], *entry.ranges[:2])]
    classes, predicates = kg.vocabulary.classes, kg.vocabulary.predicates
    found = ((iri, classes.get(iri) or predicates.get(iri)) for iri in dict.fromkeys(told))
    labels = ((iri, entry.label) for iri, entry in found if entry is not None)
    return tuple((iri, label) for iri, label in labels if label.casefold() != iri_to_words(iri).casefold())


def build_vocabulary_card(
    question: str, kg: KnowledgeGraph, *, limit: int = MAX_CANDIDATES, aliases: Sequence[tuple[str, str]] = ()
) -> VocabularyCard:
    """Read a question against a KG: its mentions, and the classes and predicates nearest to it.

    At most ``limit`` candidates a mention; one lookup of labels, one of values, one of the predicates at the vertices.
    ``names`` are names in the question with what they are called otherwise (in the asker's language): one lookup more.

    Raises:
        EndpointError: the KG could not be asked.
    """
    tokens = tokenize(question)
    spans = known.extract_spans(question, tokens)
    words = lexicon_of(kg.vocabulary)
    found = [*known.vocabulary_mentions(words, spans)]
    if spans:
        found += [*known.vertex_mentions(kg, spans, limit=limit), *known.value_mentions(kg, spans, limit=limit)]
    found = [*found, *known.alias_mentions(kg, question, aliases, found, limit=limit)] if aliases else found
    stated = {(m.start, m.end) for m in found if m.kind in ("vertex", "value")}
    found = [m for m in found if m.score != COMMENT_SCORE or (m.start, m.end) not in stated]
    found = sorted(_without_ends(found), key=lambda m: (m.start, -(m.end - m.start), m.kind))
    classes, predicates = _near(kg, words, tokens, found)
    around = _around(kg, found)
    at_hand = dict.fromkeys(iri for _, entries in around for iri, _, _ in entries)
    ranked = dict.fromkeys((*predicates[:NEAR_PREDICATES], *at_hand, *predicates[NEAR_PREDICATES:]))
    entries, unsaid = kg.vocabulary.predicates, _unsaid(kg, found)
    card = VocabularyCard(
        mentions=tuple(found),
        classes=tuple(kg.vocabulary.classes[iri] for iri in classes[:NEAR_CLASSES] if iri in kg.vocabulary.classes),
        predicates=tuple(entries[iri] for iri in ranked if iri in entries and iri not in unsaid)[: 3 * NEAR_PREDICATES],
        incident_predicates=around,
        class_hierarchy=_lineage(kg, found),
    )
    further = _further(kg, card, unsaid) if _unmatched(words, tokens, found) else ((), ())
    return replace(card, labels=_names(kg, card), remaining_vocabulary=further)


def _without_ends(found: Sequence[Mention]) -> list[Mention]:
    """Leave out mentions with a mark at the end where the words without it mean the same: "Mira Holt?"."""
    bare = {(m.start, m.kind, m.text): m for m in found}

    def repeats(mention: Mention) -> bool:
        other = bare.get((mention.start, mention.kind, mention.text.rstrip(_ENDS)))
        return other is not None and other is not mention and other.score >= mention.score

    return [mention for mention in found if not (mention.text[-1:] in _ENDS and repeats(mention))]


def _unsaid(kg: KnowledgeGraph, found: Sequence[Mention]) -> frozenset[str]:
    """Return the predicates that state names and classes, which everything has, unless the question speaks of them."""
    spoken = {iri for mention in found if mention.kind == "predicate" for iri in mention.iris}
    return frozenset((*TYPE_PREDICATES, *kg.profile.types, *kg.profile.labels)) - spoken


def _unmatched(words: LabelLexicon, tokens: Sequence[Token], found: Sequence[Mention]) -> bool:
    """Tell whether a word of the question that means something was found nowhere, nor anything near it.

    A capitalised word is a name, which no vocabulary holds.
    """
    for place, token in enumerate(tokens):
        is_name = token.is_capitalized and place > 0
        if token.kind != "word" or is_name or token.lower in _EMPTY or len(token.lower) < SHORTEST:
            continue
        if parse_degree(token.lower)[0]:
            continue
        covered = any(m.start <= token.start and token.end <= m.end for m in found)
        if not covered and not any(words.score_by_words(kind, [token.lower]) for kind in ("class", "predicate")):
            return True
    return False


def _further(
    kg: KnowledgeGraph, card: VocabularyCard, unsaid: frozenset[str]
) -> tuple[tuple[ClassEntry, ...], tuple[PredicateEntry, ...]]:
    """Return the classes and predicates that a card does not list, if their names are few enough to be shown."""
    near = {entry.iri for entry in card.classes} | {entry.iri for entry in card.predicates}
    known = kg.vocabulary
    classes = tuple(e for e in known.classes.values() if e.iri not in near and e.instance_count and not e.is_metadata)
    predicates = tuple(
        e for e in known.predicates.values() if e.iri not in near and e.iri not in unsaid and not e.is_metadata
    )
    size = len(render_names("classes", classes)) + len(render_names("predicates", predicates))
    return (classes, predicates) if size <= MAX_NAMES_CHARACTERS else ((), ())


def _near(
    kg: KnowledgeGraph, words: LabelLexicon, tokens: Sequence[Token], found: Sequence[Mention]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Rank classes and predicates by the question's words, by what is mentioned, and by the classes' own predicates."""
    said = [token.lower for token in tokens if token.kind == "word"]
    said += [parse_degree(word)[0] for word in said if parse_degree(word)[0]]
    near = {
        kind: words.score_by_words(kind, [word for word in said if word not in FUNCTION_WORDS])
        for kind in ("class", "predicate")
    }
    for mention in found:
        if mention.kind in ("class", "predicate"):
            for iri, score in zip(mention.iris, mention.scores, strict=True):
                near[mention.kind][iri] = max(near[mention.kind].get(iri, 0.0), 1.0 + score)
    mentioned = {iri for m in found if m.kind == "class" for iri in m.iris}
    mentioned |= {type_ for m in found if m.kind == "vertex" for hit in m.hits[:3] for type_ in hit.types}
    for entry in kg.vocabulary.predicates.values():
        if entry.is_metadata:
            near["predicate"].pop(entry.iri, None)
        elif mentioned.intersection(entry.domains[:3]) or mentioned.intersection(entry.ranges[:3]):
            near["predicate"][entry.iri] = near["predicate"].get(entry.iri, 0.0) + 0.25
    for type_ in mentioned:
        near["class"].setdefault(type_, 0.2)
    ranked = {
        kind: tuple(sorted(scores, key=lambda iri: (-scores[iri], -words.frequencies.get(iri, 0), iri)))
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
