"""Suggestions: questions that a graph answers, and its names and relations that are nearest to a question."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.vocabulary import PredicateEntry
from chattyshared.language.inflection import pluralize
from chattyshared.language.morphology import FUNCTION, GENERIC_WORDS, PREPOSITIONS, STOP_WORDS, lemma_of, normalize_text
from chattyshared.language.tokenizer import tokenize
from rapidfuzz import fuzz

from chattykg.linking.candidates import EXACT_SCORE
from chattykg.linking.mentions import EXACT_MENTION_SCORE
from chattykg.linking.relation_phrases import is_label_phrase
from chattykg.linking.vocabulary_card import Mention, VocabularyCard

SUGGESTED_QUESTIONS = 3
"""Questions that a refusal suggests."""
MAX_NEAR_NAMES, MAX_NEAR_RELATIONS = 3, 6
"""Names and relations that a refusal lists."""
MIN_NAME_SCORE = 0.35
"""Label score (0..1) from which a name is near; set by hand on the development sets."""
MIN_SPELLING_RATIO = 70
"""Ratio (0..100) of common letters from which a word of a name is taken for one of a label; set likewise."""
_MAX_NAME_CHARACTERS, _MAX_LABEL_WORDS = 40, 3
"""Length of a name and of a relation in a suggestion."""
_MAX_TRIED = 200
"""Predicates of a large vocabulary of which questions are tried; set by hand, for speed."""
_BOOLEAN = frozenset(("true", "false"))


def suggest_questions(kg: KnowledgeGraph, card: VocabularyCard | None = None) -> tuple[str, ...]:
    """Return questions that the graph answers, about what the card mentions first; no request.

    They come from the vocabulary, of which each predicate has an example, so that each has an answer; of a large one
    `_MAX_TRIED` predicates are tried.
    """
    card = card or VocabularyCard()
    single_first = sorted(kg.vocabulary.predicates.values(), key=lambda entry: not entry.is_functional)
    predicates = [*card.predicates, *single_first][:_MAX_TRIED]
    about_mention = _questions_of_mention(kg, card)
    sources = [about_mention, _questions_of_examples(kg, predicates), _questions_of_classes(kg, card)]
    sources.append(_questions_of_numbers(kg, predicates))
    questions = dict.fromkeys(question for source in sources if (question := next(source, "")))
    further = (question for source in sources for question in source)
    while len(questions) < SUGGESTED_QUESTIONS and (question := next(further, "")):
        questions[question] = None
    return tuple(questions)[:SUGGESTED_QUESTIONS]


def near_names(question: str, card: VocabularyCard, kg: KnowledgeGraph) -> tuple[str, ...]:
    """Return the labels that are nearest to words of the question which the card does not know, best first.

    Raises:
        EndpointError: the KG could not be asked.
    """
    known = [(mention.start, mention.end) for mention in card.mentions if mention.score >= EXACT_MENTION_SCORE]
    runs: list[list[str]] = [[]]
    for token in tokenize(question):
        is_known = any(start <= token.start < end for start, end in known)
        is_empty = token.kind != "word" or token.lower in STOP_WORDS | PREPOSITIONS | FUNCTION | GENERIC_WORDS
        if is_known or is_empty or not token.is_capitalized:
            runs.append([])
        if not is_known and not is_empty:
            runs[-1].append(token.text)
            runs += [[]] * (not token.is_capitalized)
    texts = tuple(dict.fromkeys(" ".join(run) for run in runs if run))
    found = kg.search(texts, limit=MAX_NEAR_NAMES, min_score=MIN_NAME_SCORE) if texts else {}
    similar = [hit for text, hits in found.items() for hit in hits if _share_a_word(text, hit.label)]
    said = question.casefold()
    hits = sorted((hit for hit in similar if hit.label.casefold() not in said), key=lambda hit: (-hit.score, hit.label))
    return tuple(dict.fromkeys(hit.label for hit in hits))[:MAX_NEAR_NAMES]


def _share_a_word(text: str, label: str) -> bool:
    words, label_words = (normalize_text(one).split() for one in (text, label))
    return any(fuzz.ratio(word, other) >= MIN_SPELLING_RATIO for word in words for other in label_words)


def near_relations(card: VocabularyCard, kg: KnowledgeGraph) -> tuple[str, tuple[str, ...]]:
    """Return the thing that a question names and the relations that it has; without a thing the nearest relations."""
    mention = _named_vertex(card)
    if mention is None:
        return "", tuple(dict.fromkeys(entry.label for entry in card.predicates))[:MAX_NEAR_RELATIONS]
    labels = dict.fromkeys(entry.label for entry, _ in _relations_of(mention, card, kg))
    return mention.hits[0].label, tuple(labels)[:MAX_NEAR_RELATIONS]


def main_kinds(kg: KnowledgeGraph) -> tuple[str, ...]:
    """Return the nouns of the classes with the most things, in the plural."""
    entries = sorted(kg.vocabulary.classes.values(), key=lambda entry: -entry.instance_count)
    labels = dict.fromkeys(pluralize(e.label) for e in entries if e.instance_count > 1 and not e.is_metadata)
    return tuple(labels)[:MAX_NEAR_NAMES]


def main_relations(kg: KnowledgeGraph) -> tuple[str, ...]:
    """Return the labels of the first relations that a question may name."""
    labels = dict.fromkeys(entry.label for entry in kg.vocabulary.predicates.values() if _is_nominal(entry))
    return tuple(labels)[:MAX_NEAR_RELATIONS]


def _named_vertex(card: VocabularyCard) -> Mention | None:
    mentions = [m for m in card.mentions_of_kind("vertex") if m.hits and m.score >= EXACT_SCORE]
    return max(mentions, key=lambda m: m.end - m.start, default=None)


def _relations_of(mention: Mention, card: VocabularyCard, kg: KnowledgeGraph) -> Iterator[tuple[PredicateEntry, bool]]:
    """Yield the predicates at a mentioned vertex that a user may ask for, with their direction."""
    incident = dict(card.incident_predicates).get(mention.hits[0].iri, ())
    for iri, side, _ in incident:
        entry = kg.vocabulary.predicates.get(iri)
        if entry is not None and not entry.is_metadata and not is_label_phrase(entry.label):
            yield entry, side == "out"


def _questions_of_mention(kg: KnowledgeGraph, card: VocabularyCard) -> Iterator[str]:
    mention = _named_vertex(card)
    if mention is not None:
        for entry, is_outward in _relations_of(mention, card, kg):
            if is_outward:
                yield from _ask(kg, entry, mention.hits[0].label)


def _questions_of_examples(kg: KnowledgeGraph, predicates: Iterable[PredicateEntry]) -> Iterator[str]:
    for entry in predicates:
        name = entry.example[0]
        if 0 < len(name) <= _MAX_NAME_CHARACTERS and re.search(r"[^\W\d_]", name) and not name.islower():
            yield from _ask(kg, entry, name)


def _ask(kg: KnowledgeGraph, entry: PredicateEntry, name: str = "") -> Iterator[str]:
    """Yield a lookup as dialogues word it, or without a name a question for the greatest, if the labels make a sound
    phrase, and the value is no name."""
    from chattygen.rulebook import vocabulary_questions as worded  # a strategy that words nothing needs no rules

    if not (entry.is_metadata or is_label_phrase(entry.label)):
        question = worded.ask_predicate(kg, entry, name) if name else worded.ask_greatest(kg, entry)
        yield from filter(None, [question])


def _questions_of_classes(kg: KnowledgeGraph, card: VocabularyCard) -> Iterator[str]:
    for entry in (*card.classes, *kg.vocabulary.classes.values()):
        if entry.instance_count > 1 and not entry.is_metadata:
            yield f"How many {pluralize(entry.label)} are there?"


def _questions_of_numbers(kg: KnowledgeGraph, predicates: Iterable[PredicateEntry]) -> Iterator[str]:
    for entry in predicates:
        if entry.domains and entry.is_functional:
            yield from _ask(kg, entry)


def _is_nominal(entry: PredicateEntry) -> bool:
    """Tell whether "the LABEL of X" reads well and has an answer: a noun, no verb, no flag, no name."""
    words = entry.label.lower().split()
    is_verbal = words[0].endswith("ed") or (len(words) > 1 and lemma_of(words[0]) != words[0])
    is_verbal = is_verbal or bool(PREPOSITIONS.intersection(words) - {"of"})
    is_readable = len(words) <= _MAX_LABEL_WORDS and all(word.isalpha() for word in words)
    is_flag = bool(_BOOLEAN.intersection((entry.example[1], *entry.values)))
    is_name = entry.is_metadata or is_label_phrase(entry.label) or not entry.example[0]
    return is_readable and not (is_verbal or is_flag or is_name)
