"""Verb evidence: whether the predicates of a query carry the verbs of its question.

"Who lives in the district?" is not answered by a company whose office is there, nor "Where is it sold?" by the country
where it was made, although these are the only relations to a place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.vocabulary import PredicateEntry, Vocabulary
from chattyshared.language.closed_classes import AUXILIARY, IRREGULAR, NAMING
from chattyshared.language.lexicon import word_set
from chattyshared.language.morphology import (
    GENERIC_WORDS,
    PREPOSITIONS,
    analyze_phrase,
    head_lemma_of,
    lemma_of,
    lemma_stem_of,
    related_stems,
)
from chattyshared.language.tokenizer import tokenize
from chattyshared.language.wordnet import is_verb, noun_kinds
from chattyshared.terms import iri_to_words

from chattykg.linking.answer_types import may_be_of_kind
from chattykg.linking.predicate_candidates import LinkedRelation
from chattykg.linking.reified_relations import find_naming_predicates, find_unlabelled_classes
from chattykg.linking.relation_phrases import is_label_phrase, is_light_verb_phrase, is_locative_phrase, look_up_senses
from chattykg.linking.similarity import Similarity
from chattykg.qir import QIR, is_unknown

# Origin of the numbers below: set by hand on the development sets.
_MIN_CARRIED = 0.45
"""Similarity (0..1) of a verb phrase and a label from which the predicate carries the verb."""
_MIN_CARRIED_AT_PLACE = 0.75
"""The same for a verb with a preposition of place: "sold in" is a little like "made in"."""
_EVENT_KINDS = frozenset(("act", "event", "process"))
"""Kinds of WordNet's nouns that tell what happens."""
_VAGUE_VERBS = word_set("verbs", "vague_verbs")
_STATIVE = word_set("verbs", "stative_participles")
_PLACE_WORDS = word_set("answer_types", "place", "further_places")
_PEOPLE = frozenset(map(lemma_stem_of, word_set("answer_types", "person")))
_IN_WHICH = re.compile(r"(?i)^\W*(?:and |but )?(?:in|at) (?:which|what|how many)\b")
"""The beginning of a question for a place, which the verb has before it."""
_WHERE = re.compile(r"(?i)^\W*(?:and |but |so )?(?:where|when|how many|(?:in|at|on) (?:which|what))\b")
_WHO = re.compile(r"(?i)\b(who|whom)\b")


def carries_verbs(
    edges: Sequence[LinkedRelation], qir: QIR, question: str, kg: KnowledgeGraph, near: Similarity
) -> bool:
    """Tell whether each verb of the relations is carried by the predicate that it is linked to."""
    if any(_is_past_form(text) for _, text in qir.classes):
        return False  # what was filmed is no film
    if not NAMING.isdisjoint(token.lower for token in tokenize(question)) and _is_nameless(edges, qir, kg):
        return False
    return all(_carries_verb(edge, qir, question, kg, near) for edge in edges)


def _carries_verb(edge: LinkedRelation, qir: QIR, question: str, kg: KnowledgeGraph, near: Similarity) -> bool:
    phrase, candidate, predicates = edge.relation.relation, edge.candidate, kg.vocabulary.predicates
    if qir.shape in ("count", "number") and candidate.is_literal and candidate.is_numeric and phrase not in predicates:
        return _carries_number(edge, question, kg.vocabulary, near)
    first, last = predicates.get(candidate.predicates[0]), predicates.get(candidate.last_predicate)
    verb = _verb_of(phrase, kg.vocabulary)
    is_vague = is_light_verb_phrase(phrase) or verb in _VAGUE_VERBS
    if first is None or last is None or phrase in predicates or not verb or is_vague:
        return True
    entries = (first, last)
    score = max(*near(phrase, _names(entries)), *near(verb, _names(entries)))
    if candidate.second_predicates:
        is_open = not _WHO.search(question) or is_locative_phrase(phrase) or all(map(is_unknown, edge.relation.ends()))
        return is_open or _may_share_verb(first, candidate.is_inward, kg)
    if _stems(entries, kg.vocabulary) & related_stems(verb):
        return True
    if candidate.is_literal and _WHO.search(question) and score < _MIN_CARRIED:
        return False  # nobody does anything to the text of a value
    place = last.ranges if candidate.is_forward else first.domains
    is_at_place = is_locative_phrase(phrase) or bool(_IN_WHICH.match(question))
    if not is_at_place or not may_be_of_kind("place", place, kg.vocabulary):
        return True
    if score >= _MIN_CARRIED_AT_PLACE:
        return True
    if last.label.lower().endswith(" by"):
        return False  # it leads to who does something
    has_class = any(unknown in edge.relation.ends() for unknown, _ in qir.classes)
    if _tells_other_event(last, verb, kg.vocabulary, is_sorted=has_class):
        return False
    is_asked = qir.target == (edge.relation.object if candidate.is_forward else edge.relation.subject)
    ends = last.ranges if is_asked else first.domains
    is_who = bool(_WHO.search(question)) and qir.target in edge.relation.ends()
    return score >= _MIN_CARRIED or not is_who or _may_be_people(ends, kg.vocabulary)


def _is_nameless(edges: Sequence[LinkedRelation], qir: QIR, kg: KnowledgeGraph) -> bool:
    """Tell whether what is asked for has no name to ask for: a node that only relates others, or what is named itself.

    The name of "captain" is none of the captain of a ship.
    """
    if len(edges) > 1 and any(
        is_label_phrase(e.relation.relation) and not is_unknown(e.relation.subject) for e in edges
    ):
        return True
    nameless = find_unlabelled_classes(kg.vocabulary, find_naming_predicates(kg))
    for edge in edges:
        subject, object_ = edge.relation.ends() if edge.candidate.is_forward else edge.relation.ends()[::-1]
        entry = kg.vocabulary.predicates.get(edge.candidate.predicates[0])
        if entry is not None and not edge.candidate.second_predicates and qir.target in (subject, object_):
            ends = entry.domains if qir.target == subject else entry.ranges
            if ends and nameless.keys() >= set(ends):
                return True
    return False


def _verb_of(phrase: str, vocabulary: Vocabulary) -> str:
    """Return the lemma of the verb of a relation phrase: "sold in", "people sang"; "" if it has none."""
    words = [word for word in analyze_phrase(phrase).words if word not in PREPOSITIONS]
    verbs = (lemma_of(word) for word in words if _is_verb_form(word) or is_locative_phrase(phrase) and is_verb(word))
    return next((verb for verb in verbs if verb not in GENERIC_WORDS), "")


def _is_verb_form(word: str) -> bool:
    return is_verb(lemma_of(word)) and (word in IRREGULAR or word.endswith(("ed", "s")) and word != lemma_of(word))


def _names(entries: Sequence[PredicateEntry]) -> list[str]:
    return list(dict.fromkeys(name for entry in entries for name in (entry.label, *entry.alt_labels)))


def _stems(entries: Sequence[PredicateEntry], vocabulary: Vocabulary) -> frozenset[str]:
    """Return the stems of what is said of predicates: names, comments, and the classes at their ends."""
    classes = (vocabulary.classes.get(iri) for entry in entries for iri in (*entry.domains, *entry.ranges))
    texts = [text for e in entries for text in (e.label, *e.alt_labels, e.comment, iri_to_words(e.iri))]
    texts += [group.label for group in classes if group]
    return frozenset(stem for text in texts for stem in analyze_phrase(text).stems)


def _may_share_verb(first: PredicateEntry, is_inward: bool, kg: KnowledgeGraph) -> bool:
    """Tell whether a thing may be done what is done to its neighbours: a story may be directed as its film is, but no
    city is written as a book about it. A neighbour without a name only relates it to others."""
    own, between = (first.ranges, first.domains) if is_inward else (first.domains, first.ranges)
    if not find_unlabelled_classes(kg.vocabulary, find_naming_predicates(kg)).keys().isdisjoint(between):
        return True
    known = kg.vocabulary.classes
    kinds = [
        {noun_kinds(head_lemma_of(known[iri].label.lower()))[:1] for iri in classes if iri in known}
        for classes in (own, between)
    ]
    return not all(kinds) or any(() in each for each in kinds) or not kinds[0].isdisjoint(kinds[1])


def _tells_other_event(entry: PredicateEntry, verb: str, vocabulary: Vocabulary, *, is_sorted: bool) -> bool:
    """Tell whether a label says what happens at a place, and that is not what a verb says.

    A state may be "located", and so may be what things of a class do that the question names (``is_sorted``).
    """
    classes = (vocabulary.classes.get(iri) for iri in (*entry.domains, *entry.ranges))
    ends = {word for group in classes if group for word in analyze_phrase(group.label).words}
    words = [w for w in analyze_phrase(entry.label).words if w not in PREPOSITIONS | ends]
    events = [word for word in words if _is_event_word(word)]
    is_state = is_sorted or any(lemma_of(word) == verb for word in _STATIVE)
    return bool(events) and not (is_state and all("located_in" in look_up_senses(word) for word in events))


def _is_event_word(word: str) -> bool:
    if word in GENERIC_WORDS or word in _PLACE_WORDS:
        return False
    kinds = noun_kinds(lemma_of(word))
    is_noun = bool(_EVENT_KINDS.intersection(kinds[:2])) or "event" in kinds[:3]
    return is_noun or is_verb(lemma_of(word)) and (word in IRREGULAR or word.endswith(("ed", "ing")))


def _carries_number(edge: LinkedRelation, question: str, vocabulary: Vocabulary, near: Similarity) -> bool:
    """Tell whether a stated number is one of what is counted and of what that does: no population sang.

    What is counted as the object of a verb ("passengers can it carry") need not be named with the verb.
    """
    words = analyze_phrase(edge.relation.relation).content_lemmas
    tokens = [token.lemma for token in tokenize(question)]
    entry = vocabulary.predicates.get(edge.candidate.last_predicate)
    behind = {after for word, after in pairwise(tokens) if word in words}
    if entry is None or len(words) < 2 or behind & {lemma_of(word) for word in AUXILIARY | {"can", "could"}}:
        return True
    stems, names = _stems((entry,), vocabulary), _names((entry,))
    return all(stems & related_stems(word) or max(near(word, names)) >= _MIN_CARRIED for word in words)


def _may_be_people(classes: Sequence[str], vocabulary: Vocabulary) -> bool:
    entries = [vocabulary.classes.get(iri) for iri in classes]
    return not classes or any(entry is None or _is_people(entry.label) for entry in entries)


def _is_people(label: str) -> bool:
    kinds = noun_kinds(head_lemma_of(label.lower()))
    return not kinds or kinds[0] == "person" or lemma_stem_of(head_lemma_of(label.lower())) in _PEOPLE


def dropped_verbs(
    question: str, query_texts: Sequence[str], edges: Sequence[LinkedRelation], kg: KnowledgeGraph
) -> tuple[str, ...]:
    """Return the participles and past forms of a question that neither the texts of its reading nor a predicate hold.

    "Where was the film shot?" is no question for a place of the film.
    """
    predicates = kg.vocabulary.predicates
    if any(edge.relation.relation in predicates for edge in edges):
        return ()  # an event is read from all words
    iris = (iri for edge in edges for iri in (*edge.candidate.predicates, *edge.candidate.second_predicates))
    entries = [predicates[iri] for iri in iris if iri in predicates]
    texts = [*query_texts, *(text for e in entries for text in (*_names((e,)), e.comment))]
    held = frozenset(stem for text in texts for word in analyze_phrase(text).words for stem in related_stems(word))
    verbs = (
        t
        for t in tokenize(question)
        if t.kind == "word" and not t.is_capitalized and _is_past_form(t.lower) and _WHERE.match(question)
    )
    empty = GENERIC_WORDS | AUXILIARY | _STATIVE
    return tuple(
        t.text
        for t in verbs
        if t.lower not in empty
        and lemma_of(t.lower) not in _VAGUE_VERBS
        and not is_light_verb_phrase(t.lower)
        and related_stems(t.lower).isdisjoint(held)
    )


def _is_past_form(word: str) -> bool:
    return is_verb(lemma_of(word)) and word != lemma_of(word) and (word in IRREGULAR or word.endswith("ed"))
