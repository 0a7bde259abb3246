"""Questions made of a clause: who does it, what is it done to, is it so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from chattygen.rulebook.lexicon import AGENTS, REALMS
from chattygen.rulebook.predicate_frames import Clause
from chattygen.rulebook.words import (
    class_noun,
    head,
    is_mass,
    lemma,
    mean_person,
    mean_place,
    past,
    plain,
    plural,
    third,
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a question asks for: the labels of its class (nearest first), and whether there are several."""

    kinds: tuple[str, ...]
    several: bool
    unknown: str = "What"

    @property
    def is_person(self) -> bool:
        """Whether one asks ``who``."""
        return mean_person(self.kinds)

    @property
    def is_place(self) -> bool:
        """Whether one may ask ``where``."""
        return mean_place(self.kinds) and not self.is_person

    @property
    def noun(self) -> str:
        """The class's noun in the right number, or the empty string."""
        if not self.kinds:
            return ""
        noun = class_noun(self.kinds[0])
        return plural(noun) if self.several else noun

    @property
    def agrees(self) -> bool:
        """Whether its noun takes a verb in the plural."""
        return self.several and not is_mass(self.noun)

    def words(self, verb: str = "") -> Iterator[str]:
        """Yield the question words for it, the most natural first; ``which producer`` does not go with *produced*."""
        if self.kinds and AGENTS.get(head(self.noun), ("",))[0] == verb != "":
            yield "Who"
            return
        if self.is_person:
            yield "Who"
        if self.noun:
            yield f"Which {self.noun}"
            if not self.is_person:
                yield f"What {self.noun}"
        if not self.kinds:
            yield self.unknown


def be(tense: str, several: bool) -> str:
    """Return the form of ``be``."""
    return {("present", False): "is", ("present", True): "are", ("past", False): "was", ("past", True): "were"}[
        tense, several
    ]


def asks_subject(clause: Clause, wanted: Wanted, thing: str) -> Iterator[str]:
    """Ask for the sentence's subject: ``Who directed X?``, ``Which towns are located in X?``."""
    for word in wanted.words(clause.verb):
        if word == "Which person":  # one says who
            continue
        many = wanted.agrees and word not in ("Who", "What")
        if clause.verb == "be":
            yield _join(word, be(clause.tense, many), clause.predicate(many), clause.prep, thing)
        else:
            verb = past(clause.verb) if clause.tense == "past" else clause.verb if many else third(clause.verb)
            yield _join(word, verb, clause.said, clause.prep, thing)


def asks_object(
    clause: Clause, wanted: Wanted, thing: str, *, fronted: bool = True, many: bool = False
) -> Iterator[str]:
    """Ask for the sentence's object: ``Where is X located?``, ``Which films did X direct?``.

    ``thing`` is its subject, in the plural if ``many``; ``fronted``: also with the preposition in front.
    """
    helper, verb = _split(clause, many)
    said = clause.said
    spot = wanted.is_place and not {head(plain(kind)) for kind in wanted.kinds[:1]} & REALMS
    if spot and clause.prep in ("in", "at", "on"):
        yield _join("Where", helper, thing, verb, said)
    if clause.prep == "from" and spot:
        yield _join("Where", helper, thing, verb, said, "from")
    if spot and wanted.noun in ("location", "place"):
        return
    for word in wanted.words(clause.verb if clause.verb != "be" else _active(clause)):
        if word == "Which person" or (word == "Which people" and clause.prep == "by"):
            continue
        yield _join(word, helper, thing, verb, said, clause.prep)
        if fronted and clause.prep and (verb or said or clause.prep not in ("from", "by")) and word.startswith("Which"):
            yield _join(clause.prep.capitalize(), word[:1].lower() + word[1:], helper, thing, verb, said)
        if clause.prep == "by" and word == "Who" and (verb or said):
            yield _join("By whom", helper, thing, verb, said)


def asks_time(clause: Clause, thing: str, datatype: str, *, many: bool = False) -> Iterator[str]:
    """Ask when it happened: ``When was X born?``; by its year where only the year is known."""
    helper, verb = _split(clause, many)
    rest = (helper, thing, verb, clause.said)
    if datatype == "time":  # not when: that would be a date
        yield _join("At what time", *rest)
        yield _join("What time", *rest)
        return
    yield _join("When", *rest)
    if datatype == "gYear":
        yield _join("In which year", *rest)
        yield _join("In what year", *rest)
        yield _join("What year", *rest, "in")
    elif datatype == "gYearMonth":
        yield _join("In which month of which year", *rest)
    else:
        yield _join("On what date", *rest)
        yield _join("On which date", *rest)
        yield _join("On which day", *rest)
        yield _join("When exactly", *rest)


def asks_whether(clause: Clause, subject: str, thing: str, *, prep: str | None = None, many: bool = False) -> str:
    """Ask whether it is so: ``Did X direct Y?``, ``Is X located in Y?``; ``many``: the subject is a plural."""
    helper, verb = _split(clause, many)
    return _join(helper.capitalize(), subject, verb, clause.said, clause.prep if prep is None else prep, thing)


def _split(clause: Clause, many: bool) -> tuple[str, str]:
    """Return the auxiliary and the verb that stays behind."""
    if clause.verb == "be":
        return be(clause.tense, many), ""
    return ("did" if clause.tense == "past" else "do" if many else "does"), clause.verb


def _active(clause: Clause) -> str:
    """Return the verb of a passive: ``produce`` for *was produced by*."""
    return lemma(clause.said.split()[-1]) if clause.prep == "by" and clause.said else ""


def _join(*parts: str) -> str:
    return " ".join(part for part in parts if part) + "?"
