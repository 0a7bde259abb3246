"""The values that a predicate is read as: clauses in which it can be said, a noun, a unit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Clause:
    """A way to say the relation as a sentence.

    ``verb`` is a base form, or ``be`` with what follows it in ``said`` (``directed``, ``a member``); ``many`` is that
    for several subjects. ``prep`` stands before the object. ``flipped``: the triple's object is the sentence's subject.
    """

    verb: str
    said: str = ""
    many: str = ""
    prep: str = ""
    tense: Literal["present", "past"] = "present"
    flipped: bool = False

    def predicate(self, several: bool) -> str:
        """Return what follows ``be``, for one subject or several."""
        return self.many if several and self.many else self.said


@dataclass(frozen=True, slots=True)
class Relation:
    """A predicate in English: ``noun`` is what the object is to the subject (singular; empty if there is none).

    ``unit`` is that of its numbers, ``counts`` the plural of the things whose number it is, ``done`` the base form of
    what the subject did with its objects. ``gap`` is the noun for what a clause leaves open (the *side* that one drives
    on), ``article`` stands before it. ``of`` leads from the noun to what has it (the man of the match *in* a game).
    """

    noun: str
    clauses: tuple[Clause, ...] = ()
    unit: str = ""
    counts: str = ""
    done: str = ""
    gap: str = ""
    article: str = ""
    of: str = "of"
