"""Questions from a clause: for its subject, its object, its time, and yes-no questions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from chattyshared.language.inflection import (
    denote_persons,
    denote_places,
    head_noun,
    plain_label,
    pluralize,
)

from chattygen.lexicalization.lexicon import AGENT_NOUNS, COUNTRY_NOUNS, WATER_NOUNS
from chattygen.lexicalization.predicate_frames import ClauseFrame
from chattygen.lexicalization.word_forms import class_noun_of, is_mass_noun, lemmatize_verb, past_tense, third_person


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
        return denote_persons(self.kinds)

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

    @property
    def pronoun(self) -> str:
        """The question word without a noun."""
        return "Who" if self.is_person else "What"

    @property
    def takes_plural_verb(self) -> bool:
        """Whether its noun takes a verb in the plural."""
        return self.is_plural and not is_mass_noun(self.noun)

    def question_words(self, verb: str = "") -> Iterator[str]:
        """Yield the question words, the most natural first; ``which producer`` does not go with *produced*."""
        if self.kinds and AGENT_NOUNS.get(head_noun(self.noun), ("",))[0] == verb != "":
            yield "Who"
            return
        if self.is_person:
            yield "Who"
        if self.noun:
            noun = _drop_echo(self.noun, verb)
            yield f"Which {noun}"
            if not self.is_person:
                yield f"What {noun}"
        if not self.kinds:
            yield self.default_word


def _drop_echo(noun: str, verb: str) -> str:
    """Return a noun without a first word that repeats the verb: which *operating company* operates it."""
    first, _, rest = noun.partition(" ")
    return rest if rest and verb and first.startswith(verb[: max(_ECHO, len(verb) - 1)]) else noun


_ECHO = 4
"""Letters of a verb that a word repeats, at least; set by hand."""


def form_of_be(tense: str, several: bool) -> str:
    """Return the form of ``be``."""
    return {("present", False): "is", ("present", True): "are", ("past", False): "was", ("past", True): "were"}[
        tense, several
    ]


def ask_for_subject(clause: ClauseFrame, target: QuestionTarget, thing: str) -> Iterator[str]:
    """Ask for the subject of a clause: ``Who directed X?``, ``Which towns are located in X?``."""
    for word in target.question_words(clause.verb):
        if word == "Which person":  # English says "who"
            continue
        is_plural = target.takes_plural_verb and word not in ("Who", "What")
        if is_plural and clause.preposition == "of" and clause.predicate(True) == word.split()[-1]:
            yield _join(word, "does", thing, "have")  # which stations are stations of the line
        elif clause.verb == "be":
            yield _join(
                word, form_of_be(clause.tense, is_plural), clause.predicate(is_plural), clause.preposition, thing
            )
        else:
            verb = (
                past_tense(clause.verb)
                if clause.tense == "past"
                else clause.verb
                if is_plural
                else third_person(clause.verb)
            )
            yield _join(word, verb, clause.complement, clause.preposition, thing)


_PLACED = frozenset("located based situated housed kept buried born".split())
"""Participles whose place is asked with *where*, also where nothing says that the answer is a place."""


def ask_for_object(
    clause: ClauseFrame,
    target: QuestionTarget,
    thing: str,
    *,
    with_fronted_preposition: bool = True,
    has_plural_subject: bool = False,
) -> Iterator[str]:
    """Ask for the object of a clause: ``Where is X located?``, ``Which films did X direct?``.

    ``thing`` is its subject. ``with_fronted_preposition``: yield wordings with the preposition in front too.
    """
    helper, verb = _auxiliary_and_verb(clause, has_plural_subject)
    complement = clause.complement
    nearest = {head_noun(plain_label(kind)) for kind in target.kinds[:1]}
    is_spot = (target.is_place or (not target.kinds and complement in _PLACED)) and not nearest & (
        COUNTRY_NOUNS | WATER_NOUNS
    )
    if is_spot and clause.preposition in ("in", "at", "on"):
        yield _join("Where", helper, thing, verb, complement)
    if clause.preposition == "from" and is_spot:
        yield _join("Where", helper, thing, verb, complement, "from")
    if is_spot and (target.noun in ("location", "place") or (not target.kinds and clause.preposition == "in")):
        return
    if (complement, clause.preposition) == ("located", "in"):
        complement = ""
    for word in target.question_words(clause.verb if clause.verb != "be" else _active_verb(clause)):
        if word == "Which person" or (word == "Which people" and clause.preposition == "by"):
            continue
        yield _join(word, helper, thing, verb, complement, clause.preposition)
        if (
            with_fronted_preposition
            and clause.preposition
            and ((clause.preposition in _FRONTED and (verb or complement)) or re.search(" (?:who|that|where) ", thing))
            and word.startswith("Which")
        ):
            yield _join(clause.preposition.capitalize(), word[:1].lower() + word[1:], helper, thing, verb, complement)


_FRONTED = ("in", "at", "on")
"""Prepositions that a question with a name begins with; others begin one about a relative clause only."""


def ask_for_time(clause: ClauseFrame, thing: str, datatype: str, *, has_plural_subject: bool = False) -> Iterator[str]:
    """Ask for the time of an event: ``When was X born?``; for its year where ``datatype`` is a year."""
    helper, verb = _auxiliary_and_verb(clause, has_plural_subject)
    rest = (helper, thing, verb, clause.complement)
    if datatype == "time":  # not when: that would be a date
        yield _join("At what time", *rest)
        yield _join("What time", *rest)
        return
    yield _join("When", *rest)
    if datatype == "gYear":
        yield _join("In what year", *rest)
        yield _join("In which year", *rest)
    elif datatype == "gYearMonth":
        yield _join("In which month of which year", *rest)
    else:
        yield _join("On what date", *rest)


def ask_whether(
    clause: ClauseFrame, subject: str, thing: str, *, prep: str | None = None, has_plural_subject: bool = False
) -> str:
    """Ask whether a clause is true: ``Did X direct Y?``, ``Is X located in Y?``."""
    helper, verb = _auxiliary_and_verb(clause, has_plural_subject)
    return _join(
        helper.capitalize(), subject, verb, clause.complement, clause.preposition if prep is None else prep, thing
    )


def _auxiliary_and_verb(clause: ClauseFrame, is_plural: bool) -> tuple[str, str]:
    """Return the auxiliary and the main verb behind the subject."""
    if clause.verb == "be":
        return form_of_be(clause.tense, is_plural), ""
    return ("did" if clause.tense == "past" else "do" if is_plural else "does"), clause.verb


def _active_verb(clause: ClauseFrame) -> str:
    """Return the verb of a passive: ``produce`` for *was produced by*."""
    return lemmatize_verb(clause.complement.split()[-1]) if clause.preposition == "by" and clause.complement else ""


def _join(*parts: str) -> str:
    return " ".join(part for part in parts if part) + "?"
