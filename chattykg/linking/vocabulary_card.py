"""Vocabulary card: the classes and predicates nearest to a question, and the mentions that it holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.vocabulary import ClassEntry, PredicateEntry
from chattyshared.language.languages import ENGLISH, QuestionLanguage, language_of
from chattyshared.language.lexicon import word_set
from chattyshared.language.morphology import FUNCTION_WORDS, PREPOSITIONS, STOP_WORDS, parse_degree
from chattyshared.language.quantities import unit_forms
from chattyshared.language.tokenizer import Token, tokenize
from chattyshared.profile import TYPE_PREDICATES
from chattyshared.terms import has_opaque_name, iri_to_words
from rdflib import URIRef

from chattykg.linking import mention_detection as known
from chattykg.linking.label_lexicon import LabelLexicon, lexicon_of
from chattykg.linking.mention_detection import Mention, MentionKind
from chattykg.linking.mention_selection import demonym_mentions, drop_noise, drop_resemblances
from chattykg.linking.question_spans import extract_spans
from chattykg.linking.vocabulary_card_text import (
    MAX_NAMES_CHARACTERS,
    MAX_WITH_EXAMPLE,
    render_card,
    render_names,
)

__all__ = ["VocabularyCard", "Mention", "MentionKind", "build_vocabulary_card"]


@dataclass(frozen=True, slots=True)
class VocabularyCard:
    """Mentions in the question, and the classes and predicates nearest to it, most relevant first.

    ``incident_predicates`` are the predicates at each mentioned vertex (its IRI first): IRI, direction, count.
    ``class_hierarchy`` are the mentioned classes, each with its super- and subclasses. ``labels`` are those of classes
    and predicates that their IRIs do not give (``Q5``). ``remaining_vocabulary`` is the rest of a small vocabulary if a
    word of the question matches nothing in it: the KG may use another word; ``unlisted`` is the rest in any case, for
    prompts. ``language`` is that of ``question``.
    ``countries`` are those that nationalities mention ("Japanese": Japan); the rules read nationalities themselves.
    ``details`` are some values of the nearest predicates, and the subclasses of classes without direct members.
    """

    mentions: tuple[Mention, ...] = ()
    classes: tuple[ClassEntry, ...] = ()
    predicates: tuple[PredicateEntry, ...] = ()
    incident_predicates: tuple[tuple[str, tuple[tuple[str, Literal["out", "in"], int], ...]], ...] = ()
    class_hierarchy: tuple[tuple[str, frozenset[str]], ...] = ()
    labels: tuple[tuple[str, str], ...] = ()
    remaining_vocabulary: tuple[tuple[ClassEntry, ...], tuple[PredicateEntry, ...]] = ((), ())
    unlisted: tuple[tuple[ClassEntry, ...], tuple[PredicateEntry, ...]] = ((), ())
    language: QuestionLanguage = ENGLISH
    question: str = ""
    countries: tuple[Mention, ...] = ()
    details: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def mentions_of_kind(self, kind: MentionKind) -> tuple[Mention, ...]:
        """Return the mentions of one kind, in order of position."""
        return tuple(mention for mention in self.mentions if mention.kind == kind)

    def expand_classes(self, classes: Sequence[str]) -> frozenset[str]:
        """Return classes together with the super- and subclasses of those that are mentioned."""
        hierarchy = dict(self.class_hierarchy)
        return frozenset(classes).union(*(hierarchy.get(iri, ()) for iri in classes))

    def as_prompt_text(self) -> str:
        """Return the card for a prompt: at most about 1,200 tokens, most relevant first.

        If no predicate is near to the question, the most frequent ones are shown.
        """
        classes, others = self.unlisted
        frequent = tuple(sorted(others, key=lambda each: -each.triple_count))
        shown, named = (self.predicates, others) if self.predicates else (frequent, ())
        text = render_card(
            (*drop_resemblances(self.mentions, tokenize(self.question)), *self.countries),
            self.classes,
            shown,
            (classes, named),
            dict(self.labels),
            dict(self.details),
        )
        return text or "(nothing of the question's words is known)"


_IGNORED_WORDS = (
    FUNCTION_WORDS | STOP_WORDS | PREPOSITIONS | word_set("function_words", "card_stop_words") | unit_forms("card")
)
# Origin of the numbers below: set by hand on the development sets; benchmarks/calibrate.py varies them.
MAX_CANDIDATES = 20
"""Candidates of a mention that a card holds."""
MIN_WORD_LETTERS = 3
"""Letters of the shortest word that is compared with the vocabulary."""
MAX_NEAR_PREDICATES, MAX_NEAR_CLASSES = 40, 15
"""Predicates and classes of a card that are near to the question; three times as many predicates in all."""
MENTION_BONUS = 1.0
"""Added to the score (0..1) of a class or predicate that is mentioned."""
INCIDENT_CLASS_BONUS = 0.25
"""Added to the score of a predicate for each of domain and range that is mentioned."""
MENTIONED_TYPE_SCORE = 0.2
"""Least score of the type of a mentioned vertex."""
_MAX_HITS, _MAX_CLASSES = 3, 3
"""Vertices of a mention, and domains or ranges of a predicate, that are read."""
_MAX_VERTEX_MENTIONS, _MAX_VERTICES = 6, 12
"""Mentions and vertices whose incident predicates are read."""
_MAX_SUBCLASSES = 5
"""Subclasses that stand for a class without direct members."""
_MAX_MENTIONED_CLASSES = 60
"""Mentioned classes whose super- and subclasses are read."""


def _labels_of_terms(kg: KnowledgeGraph, card: VocabularyCard) -> tuple[tuple[str, str], ...]:
    """Return the labels of the IRIs in the lines of a card, without those that the IRI gives itself."""
    iris = [
        type_ for mention in (*card.mentions, *card.countries) for hit in mention.hits[:3] for type_ in hit.types[:1]
    ]
    iris += [iri for mention in card.mentions for value in mention.values[:2] for iri in value.predicates[:3]]
    iris += [iri for mention in card.mentions for iri in mention.iris[:2] if has_opaque_name(iri)]
    iris += [iri for entry in card.predicates for iri in (*entry.domains[:2], *entry.ranges[:2])]
    classes, predicates = kg.vocabulary.classes, kg.vocabulary.predicates
    entries = ((iri, classes.get(iri) or predicates.get(iri)) for iri in dict.fromkeys(iris))
    labels = ((iri, entry.label) for iri, entry in entries if entry is not None)
    return tuple((iri, label) for iri, label in labels if label.casefold() != iri_to_words(iri).casefold())


def build_vocabulary_card(
    question: str, kg: KnowledgeGraph, *, limit: int = MAX_CANDIDATES, aliases: Sequence[tuple[str, str]] = ()
) -> VocabularyCard:
    """Read a question against a KG: its mentions, and the classes and predicates nearest to it.

    At most ``limit`` candidates a mention; one lookup of labels, one of values, one of the predicates at the vertices.
    ``aliases`` are names in the question, each with an alias (of another language): one lookup more.

    The latest cards are kept.

    Raises:
        EndpointError: the KG could not be asked.
    """
    key = question, limit, tuple(aliases)
    return kg.remember("card", key, lambda: _build_card(question, kg, limit, aliases))


def _build_card(question: str, kg: KnowledgeGraph, limit: int, aliases: Sequence[tuple[str, str]]) -> VocabularyCard:
    tokens, language = tokenize(question), language_of(question)
    spans = extract_spans(question, tokens, language)
    lexicon = lexicon_of(kg.vocabulary, language)
    mentions = [*known.vocabulary_mentions(lexicon, spans), *known.prepositional_mentions(lexicon, question, tokens)]
    if spans:
        mentions += known.vertex_mentions(kg, spans, limit=limit, language=language)
        mentions += known.value_mentions(kg, spans, limit=limit)
    mentions = [*mentions, *known.alias_mentions(kg, question, aliases, mentions, limit=limit)] if aliases else mentions
    mentions = known.drop_overlapped(mentions, spans)
    mentions += known.headed_mentions(kg, spans, mentions)
    mentions = drop_noise(mentions, tokens, language)
    countries = tuple(demonym_mentions(kg, spans, tokens, language, mentions, limit=limit))
    mentions = sorted(_drop_end_marks(mentions), key=lambda m: (m.start, -(m.end - m.start), m.kind))
    classes, predicates = _rank_vocabulary(kg, lexicon, tokens, mentions)
    incident = _incident_predicates(kg, mentions)
    incident_iris = dict.fromkeys(iri for _, entries in incident for iri, _, _ in entries)
    ranked = dict.fromkeys((*predicates[:MAX_NEAR_PREDICATES], *incident_iris, *predicates[MAX_NEAR_PREDICATES:]))
    entries, excluded = kg.vocabulary.predicates, _excluded_predicates(kg, mentions)
    card = VocabularyCard(
        mentions=tuple(mentions),
        classes=tuple(kg.vocabulary.classes[iri] for iri in classes[:MAX_NEAR_CLASSES] if iri in kg.vocabulary.classes),
        predicates=tuple(entries[iri] for iri in ranked if iri in entries and iri not in excluded)[
            : 3 * MAX_NEAR_PREDICATES
        ],
        incident_predicates=incident,
        class_hierarchy=_class_hierarchy(kg, mentions),
        language=language,
        question=question,
        countries=countries,
    )
    unlisted = _unlisted_vocabulary(kg, card, excluded)
    remaining = unlisted if _has_unmatched_word(lexicon, tokens, mentions) else ((), ())
    details = (*_value_samples(kg, card.predicates[:MAX_WITH_EXAMPLE]), *_subclass_labels(kg, card.classes))
    labels = _labels_of_terms(kg, card)
    return replace(card, labels=labels, remaining_vocabulary=remaining, unlisted=unlisted, details=details)


def _value_samples(kg: KnowledgeGraph, predicates: Sequence[PredicateEntry]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the predicates with some of their values, which show how dates, codes and numbers are written."""
    samples = kg.value_samples
    for entry in predicates:
        if values := tuple(" ".join(str(value).split()) for value in samples.get(entry.iri, ())):
            yield entry.iri, values


def _subclass_labels(kg: KnowledgeGraph, classes: Sequence[ClassEntry]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the classes without direct members, with the labels of their subclasses that have some."""
    known = kg.vocabulary.classes
    for entry in classes:
        below = () if entry.instance_count else sorted(kg.vocabulary.subclasses(entry.iri) - {entry.iri})
        members = [known[iri] for iri in below if iri in known and known[iri].instance_count]
        members.sort(key=lambda each: -each.instance_count)
        if members:
            yield entry.iri, tuple(each.label for each in members[:_MAX_SUBCLASSES])


def _drop_end_marks(mentions: Sequence[Mention]) -> list[Mention]:
    """Leave out mentions with a mark at the end if the text without it is also a mention: "Mira Holt?"."""
    by_text = {(m.start, m.kind, m.text): m for m in mentions}

    def repeats(mention: Mention) -> bool:
        other = by_text.get((mention.start, mention.kind, mention.text.rstrip(known.END_MARKS)))
        return other is not None and other is not mention and other.score >= mention.score

    return [mention for mention in mentions if not (mention.text[-1:] in known.END_MARKS and repeats(mention))]


def _excluded_predicates(kg: KnowledgeGraph, mentions: Sequence[Mention]) -> frozenset[str]:
    """Return the predicates of labels and types, which everything has, without those that the question mentions."""
    mentioned = {iri for mention in mentions if mention.kind == "predicate" for iri in mention.iris}
    return frozenset((*TYPE_PREDICATES, *kg.profile.types, *kg.profile.labels)) - mentioned


def _has_unmatched_word(lexicon: LabelLexicon, tokens: Sequence[Token], mentions: Sequence[Mention]) -> bool:
    """Tell whether a content word of the question is in no mention and similar to no class or predicate.

    Capitalised words do not count: they are names, which no vocabulary holds.
    """
    for position, token in enumerate(tokens):
        is_name = token.is_capitalized and position > 0
        if token.kind != "word" or is_name or token.lower in _IGNORED_WORDS or len(token.lower) < MIN_WORD_LETTERS:
            continue
        if parse_degree(token.lower)[0]:
            continue
        is_covered = any(m.start <= token.start and token.end <= m.end for m in mentions)
        if not is_covered and not any(lexicon.score_by_words(kind, [token.lower]) for kind in ("class", "predicate")):
            return True
    return False


def _unlisted_vocabulary(
    kg: KnowledgeGraph, card: VocabularyCard, excluded: frozenset[str]
) -> tuple[tuple[ClassEntry, ...], tuple[PredicateEntry, ...]]:
    """Return the classes and predicates that a card does not list, if their names fit into a prompt."""
    listed = {entry.iri for entry in card.classes} | {entry.iri for entry in card.predicates}
    vocabulary = kg.vocabulary
    classes = tuple(
        e for e in vocabulary.classes.values() if e.iri not in listed and e.instance_count and not e.is_metadata
    )
    predicates = tuple(
        e for e in vocabulary.predicates.values() if e.iri not in listed and e.iri not in excluded and not e.is_metadata
    )
    size = len(render_names("classes", classes)) + len(render_names("predicates", predicates))
    return (classes, predicates) if size <= MAX_NAMES_CHARACTERS else ((), ())


def _rank_vocabulary(
    kg: KnowledgeGraph, lexicon: LabelLexicon, tokens: Sequence[Token], mentions: Sequence[Mention]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Rank classes and predicates by the words of the question, its mentions, and the classes of these."""
    words = [token.lower for token in tokens if token.kind == "word"]
    words += [parse_degree(word)[0] for word in words if parse_degree(word)[0]]
    scores_by_kind = {
        k: lexicon.score_by_words(k, [w for w in words if w not in FUNCTION_WORDS]) for k in ("class", "predicate")
    }
    for mention in mentions:
        if mention.kind in scores_by_kind:
            scores = scores_by_kind[mention.kind]
            for iri, score in zip(mention.iris, mention.scores, strict=True):
                scores[iri] = max(scores.get(iri, 0.0), MENTION_BONUS + score)
    mentioned = {iri for m in mentions if m.kind == "class" for iri in m.iris}
    mentioned |= {type_ for m in mentions if m.kind == "vertex" for hit in m.hits[:_MAX_HITS] for type_ in hit.types}
    predicate_scores = scores_by_kind["predicate"]
    for entry in kg.vocabulary.predicates.values():
        if entry.is_metadata:
            predicate_scores.pop(entry.iri, None)
            continue
        ends = (mentioned.intersection(classes[:_MAX_CLASSES]) for classes in (entry.domains, entry.ranges))
        if met := sum(map(bool, ends)):
            predicate_scores[entry.iri] = predicate_scores.get(entry.iri, 0.0) + met * INCIDENT_CLASS_BONUS
    for type_ in mentioned:
        scores_by_kind["class"].setdefault(type_, MENTIONED_TYPE_SCORE)
    ranked = {
        kind: tuple(sorted(scores, key=lambda iri: (-scores[iri], -lexicon.frequencies.get(iri, 0), iri)))
        for kind, scores in scores_by_kind.items()
    }
    return ranked["class"], ranked["predicate"]


def _class_hierarchy(kg: KnowledgeGraph, mentions: Sequence[Mention]) -> tuple[tuple[str, frozenset[str]], ...]:
    mentioned = [iri for m in mentions if m.kind == "class" for iri in m.iris]
    mentioned += [type_ for m in mentions if m.kind == "vertex" for hit in m.hits[:_MAX_HITS] for type_ in hit.types]
    vocabulary = kg.vocabulary
    return tuple(
        (iri, vocabulary.superclasses(iri) | vocabulary.subclasses(iri))
        for iri in dict.fromkeys(mentioned[:_MAX_MENTIONED_CLASSES])
    )


def _incident_predicates(
    kg: KnowledgeGraph, mentions: Sequence[Mention]
) -> tuple[tuple[str, tuple[tuple[str, Literal["out", "in"], int], ...]], ...]:
    vertices = [mention for mention in mentions if mention.kind == "vertex"]
    vertices.sort(key=lambda m: (-(m.end - m.start) * m.score, m.start))
    iris = dict.fromkeys(hit.iri for mention in vertices[:_MAX_VERTEX_MENTIONS] for hit in mention.hits[:_MAX_HITS])
    terms = tuple(map(URIRef, iris))[:_MAX_VERTICES]
    if not terms:
        return ()
    predicates = kg.predicates_of(terms)
    return tuple((str(term), tuple(predicates.get(term, ()))) for term in terms)
