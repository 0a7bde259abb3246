"""Questions from a clause: for its subject, its object, its time, and yes-no questions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from chattyshared.language.inflection import denote_places, head_noun, plain_label, pluralize

from chattygen.lexicalization.lexicon import AGENT_NOUNS, COUNTRY_NOUNS, WATER_NOUNS
from chattygen.lexicalization.predicate_frames import ClauseFrame
from chattygen.lexicalization.word_forms import (
    are_persons,
    auxiliary_and_verb,
    class_noun_of,
    finite_form,
    is_mass_noun,
    join_words,
    lemmatize_verb,
)
from chattygen.rulebook.referring_expressions import ReferringExpression

_ECHO = 4
"""Letters of a verb that a word repeats, at least; set by hand."""
_PLACED = frozenset("located based situated housed kept buried born".split())
"""Participles whose place is asked with *where*, also where nothing says that the answer is a place."""
_FRONTED = ("in", "at", "on")
"""Prepositions that a question with a name begins with; others begin one about a relative clause only."""


@dataclass(frozen=True, slots=True)
class QuestionTarget:
    """What a question asks for.

    Attributes:
        kinds: The labels of its class, nearest first.
        is_plural: Whether there are several.
        default_word: The question word where the class is not known.
    """

    kinds: tuple[str, ...]
    is_plural: bool
    default_word: str = "What"

    @property
    def is_person(self) -> bool:
        """Whether the question word is ``who``."""
        return are_persons(self.kinds)

    @property
    def is_place(self) -> bool:
        """Whether the question word may be ``where``."""
        return denote_places(self.kinds) and not self.is_person

    @property
    def noun(self) -> str:
        """The class's noun in the right number, or the empty string."""
        if not self.kinds:
            return ""
        noun = class_noun_of(self.kinds[0])
        return pluralize(noun) if self.is_plural else noun

    def question_words(self, verb: str = "") -> Iterator[str]:
        """Yield the question words, the most natural first; ``which producer`` does not go with *produced*."""
        is_agent = self.kinds and AGENT_NOUNS.get(head_noun(self.noun), ("",))[0] == verb != ""
        if self.is_person or is_agent:
            yield "Who"
        if self.noun and not is_agent:
            noun = _drop_echo(self.noun, verb)
            if noun not in ("person", "human"):  # English says "who"
                yield f"Which {noun}"
            if not self.is_person:
                yield f"What {noun}"
        if not self.kinds:
            yield self.default_word


def _drop_echo(noun: str, verb: str) -> str:
    """Return a noun without a first word that repeats the verb: which *operating company* operates it."""
    first, _, rest = noun.partition(" ")
    return rest if rest and verb and first.startswith(verb[: max(_ECHO, len(verb) - 1)]) else noun


def ask_for_subject(clause: ClauseFrame, target: QuestionTarget, topic: ReferringExpression) -> Iterator[str]:
    """Ask for the subject of a clause: ``Who directed X?``, ``Which towns are located in X?``."""
    are_members = target.is_person and target.is_plural and clause.verb == "be" and clause.preposition != ""
    for word in target.question_words(clause.verb):
        if word == "Who" and are_members and clause.plural_complement:
            yield join_words("Who are the", clause.tail(topic.subject, True)) + "?"
            continue
        several = target.is_plural and not is_mass_noun(target.noun) and word not in ("Who", "What")
        yield (
            join_words(word, finite_form(clause.verb, clause.tense, several), clause.tail(topic.subject, several)) + "?"
        )


def ask_for_object(
    clause: ClauseFrame, target: QuestionTarget, topic: ReferringExpression, *, with_fronted_preposition: bool = True
) -> Iterator[str]:
    """Ask for the object of a clause with the topic as its subject: ``Where is X located?``.

    ``with_fronted_preposition``: yield wordings with the preposition in front too.
    """
    helper, verb = auxiliary_and_verb(clause.verb, clause.tense, topic.is_plural)
    thing, complement, preposition = topic.subject, clause.predicate(topic.is_plural), clause.preposition
    nearest = {head_noun(plain_label(kind)) for kind in target.kinds[:1]}
    is_spot = (target.is_place or (not target.kinds and complement in _PLACED)) and not nearest & (
        COUNTRY_NOUNS | WATER_NOUNS
    )
    if is_spot and preposition in ("in", "at", "on", "from"):
        yield join_words("Where", helper, thing, verb, complement, "from" if preposition == "from" else "") + "?"
    if is_spot and (target.noun in ("location", "place") or (not target.kinds and preposition == "in")):
        return
    if (complement, preposition) == ("located", "in"):
        complement = ""
    for word in target.question_words(clause.verb if clause.verb != "be" else _active_verb(clause)):
        if word == "Which people" and preposition == "by":
            continue
        yield join_words(word, helper, thing, verb, complement, preposition, clause.suffix) + "?"
        may_front = (preposition in _FRONTED and (verb or complement)) or re.search(" (?:who|that|where) ", thing)
        if with_fronted_preposition and preposition and may_front and word.startswith("Which"):
            yield (
                join_words(preposition.capitalize(), word[:1].lower() + word[1:], helper, thing, verb, complement) + "?"
            )


def ask_for_time(clause: ClauseFrame, topic: ReferringExpression, datatype: str) -> Iterator[str]:
    """Ask for the time of an event: ``When was X born?``; for its year where ``datatype`` is a year."""
    helper, verb = auxiliary_and_verb(clause.verb, clause.tense, topic.is_plural)
    for words in _TIME_WORDS.get(datatype, _TIME_WORDS["date"]):
        yield join_words(words, helper, topic.subject, verb, clause.complement) + "?"


_TIME_WORDS = {
    "time": ("At what time", "What time"),
    "gYear": ("When", "In what year", "In which year"),
    "gYearMonth": ("When", "In which month of which year"),
    "date": ("When", "On what date"),
}


def _active_verb(clause: ClauseFrame) -> str:
    """Return the verb of a passive: ``produce`` for *was produced by*."""
    return lemmatize_verb(clause.complement.split()[-1]) if clause.preposition == "by" and clause.complement else ""
