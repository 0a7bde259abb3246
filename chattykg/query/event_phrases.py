"""Event phrases: how well the words of a relation fit a reified relation, and which of its roles they name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date

from chattyshared.kg.vocabulary import PredicateEntry, Vocabulary
from chattyshared.language.lexicon import load_lexicon
from chattyshared.language.morphology import (
    GENERIC_WORDS,
    PREPOSITIONS,
    analyze_phrase,
    lemma_of,
    related_stems,
    split_label,
)
from chattyshared.language.tokenizer import Token
from chattyshared.language.wordnet import is_verb
from rdflib.namespace import XSD

from chattykg.linking.answer_types import is_date_predicate, is_year_predicate
from chattykg.linking.reified_relations import ReifiedRelation, Role
from chattykg.linking.similarity import Similarity, lexical_similarity
from chattykg.qir import QIR, Filter, Relation

_WORDS = {key: frozenset(words) for key, words in load_lexicon("events")["nodes"].items()}
BEGIN_VERBS, END_VERBS, PRESENT_WORDS, WIN_WORDS, EVENT_VERBS = (
    _WORDS[key] for key in ("begin", "end", "now", "win", "linking")
)
_TIME_WORDS = frozenset(load_lexicon("events")["asking"]["time"])

_CLOCK = re.compile(r"(\d{1,2})(?:[:.](\d\d))? ?([ap]m)?")
# Origin of the numbers below: set by hand on the development sets; benchmarks/calibrate.py varies them.
MIN_NAMED_SCORE = 0.75
"""Similarity (0..1) from which a phrase names a reified relation, or one of its roles or attributes."""
_VERB_SCORE = 0.85
"""Score (0..1) of a verb that people use of reified relations with such attributes ("belong" of a membership)."""
_PREPOSITION_SCORE = 0.85
"""Score (0..1) of a phrase whose only word is a preposition of the label ("from" of "from pier")."""
_SILENT_SCORE = 0.65
"""Score (0..1) of a phrase that names nothing ("of", "have")."""
_WRONG_END_FACTOR = 0.5
"""Factor (0..1) of a phrase that names the role of the other end."""


def score_phrase(
    phrase: str,
    words: tuple[str, ...],
    ends: tuple[Role | None, Role | None],
    reified: ReifiedRelation,
    near: Similarity,
    doers: tuple[str, ...] = (),
) -> float:
    """Return how well a relation between two slots of a reified relation fits a phrase (0..1).

    ``words`` are the words of the phrase that no filler and no rank takes up; a slot is None for the node itself.
    ``doers`` are the nouns for what fills the slots: a manager is who manages.
    """
    if not words:
        said = set(analyze_phrase(phrase).words)
        is_said = any(said & set(analyze_phrase(slot.entry.label).words) for slot in ends if slot)
        return _PREPOSITION_SCORE if is_said else _SILENT_SCORE
    rest = " ".join(words)
    named = (*(slot.entry if slot else None for slot in ends), reified.entry)
    subject, object_, event = (max(near(rest, [e.label, *e.alt_labels])) if e else 0.0 for e in named)
    verb = _VERB_SCORE if set(words) <= verbs_of(reified) else 0.0
    verb = max((verb, *(score for score in near(rest, doers) if score >= MIN_NAMED_SCORE)))
    if max(subject, object_) >= MIN_NAMED_SCORE and max(subject, object_) > event:
        is_right = (subject > object_) == _names_subject(phrase, rest)
        return max(verb, max(subject, object_) * (1.0 if is_right or subject == object_ else _WRONG_END_FACTOR))
    others = [slot.entry.label for slot in reified.roles if slot not in ends]
    if max((*near(rest, others), 0.0)) > max(event, MIN_NAMED_SCORE):
        return 0.0
    return best if (best := max(event, verb)) >= MIN_NAMED_SCORE else 0.0


def _names_subject(phrase: str, rest: str) -> bool:
    """Tell whether a phrase names the role of its subject: "coached", "coach of"; not "coach", "coached by"."""
    said = analyze_phrase(phrase).words
    if said[-1] in ("by", "of", "for", "at", "in"):
        return said[-1] != "by"
    return said[-1] not in analyze_phrase(rest).lemmas


def restrict_to_now(qir: QIR, node: str, end: PredicateEntry) -> QIR:
    """Return a QIR whose node has no end before today: none at all, or one in the future."""
    over = Filter("?over", "<", today_of(end))
    return replace(qir, negated=(*qir.negated, Relation(node, end.iri, "?over")), filters=(*qir.filters, over))


def today_of(end: PredicateEntry) -> str:
    """Return today as a predicate writes it: the day, or the year alone."""
    today = date.today()
    return today.isoformat() if is_date_predicate(end) and not is_year_predicate(end) else str(today.year)


def is_done_by(verb: str, fillers: Iterable[str]) -> bool:
    """Tell whether some of the fillers do what a verb says: managers manage."""
    return is_verb(lemma_of(verb)) and any(lexical_similarity(verb, noun) >= MIN_NAMED_SCORE for noun in fillers)


def filler_nouns(role: Role, vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return the head noun of the most frequent class that fills a role ("player" for football players)."""
    entry = vocabulary.classes.get(role.filler_classes[0]) if role.filler_classes else None
    return split_label(entry.label)[-1:] if entry else ()


def verbs_of(reified: ReifiedRelation) -> frozenset[str]:
    """Return the verbs that people use of a reified relation with such attributes and labels."""
    names = [reified.entry.label, *(e.label for e in (*(role.entry for role in reified.roles), *reified.attributes))]
    words = {word for name in names for word in analyze_phrase(name).lemmas}
    verbs = frozenset[str]()
    for verb_key, is_meant in (
        ("lasting", reified.begin_attribute), ("begin", reified.begin_attribute), ("end", reified.end_attribute),
        ("ranked", reified.rank_attribute), ("played", words & _WORDS["parts"]), ("gained", words & _WORDS["prizes"]),
    ):  # fmt: skip
        verbs |= _WORDS[verb_key] if is_meant else frozenset()
    return verbs


def read_clock(text: str) -> str:
    """Return a time of the day as the graph writes it; "" for other texts and for a bare number."""
    match = _CLOCK.fullmatch(text)
    if not match or not (match[2] or match[3]):
        return ""
    hour = int(match[1]) % 12 + 12 * (match[3] == "pm") if match[3] else int(match[1])
    return f"{hour:02}:{match[2] or '00'}:00"


def is_past_verb(token: Token) -> bool:
    """Tell whether a token is a verb in its regular past form."""
    word, lemma = token.lower, lemma_of(token.lower)
    return word.endswith("ed") and not token.is_capitalized and lemma != word and is_verb(lemma)


def turned(relation: Relation, roles: Sequence[Role]) -> Relation:
    """Return a relation to a column in the direction of its role."""
    inward = {role.entry.iri for role in roles if not role.is_outward}
    isturned = relation.relation in inward and relation.subject == "?event"
    return Relation(relation.object, relation.relation, relation.subject) if isturned else relation


def content_stems(entry: PredicateEntry) -> Iterator[str]:
    """Yield the stems of the words of a label, with those of related words; no generic ones ("time")."""
    words = [word for word in analyze_phrase(entry.label).words if word not in GENERIC_WORDS | PREPOSITIONS]
    yield from (stem for word in words if word not in _TIME_WORDS for stem in related_stems(word))


def is_moment(entry: PredicateEntry) -> bool:
    """Tell whether the values of a predicate are dates or times of the day."""
    return is_date_predicate(entry) or str(XSD.time) in entry.datatypes


def tie(node: str, role: Role, end: str) -> Relation:
    """Return the relation between the node of a reified relation and what fills a role."""
    return Relation(node, role.entry.iri, end) if role.is_outward else Relation(end, role.entry.iri, node)
