"""Names in two columns: which literal predicates hold the given and the family names of people."""

from __future__ import annotations

import re
from collections.abc import Iterable

from chattyshared.terms import readable

_GIVEN = re.compile(r"\b(first ?name|given ?names?|fore ?names?|f ?name|christian ?name|name first|name given|vorname)$")
_FAMILY = re.compile(r"\b(last ?name|family ?names?|sur ?name|l ?name|name last|name family|nachname|familienname)$")


def pair(predicates: Iterable[str]) -> tuple[str, str] | None:
    """Return the predicates of given and family name among those of one class, or None.

    What stands before both in their local names must be the same (``guest_first_name``, ``guest_last_name``); of
    several such pairs the shortest prefix is the thing's own, and the others are those of somebody else.
    """
    given: dict[str, str] = {}
    family: dict[str, str] = {}
    for predicate in sorted(predicates, reverse=True):
        spoken = readable(predicate).casefold()
        for pattern, into in ((_GIVEN, given), (_FAMILY, family)):
            if found := pattern.search(spoken):
                into[spoken[: found.start()].strip()] = predicate
    both = sorted(given.keys() & family.keys(), key=lambda prefix: (len(prefix.split()), prefix))
    return (given[both[0]], family[both[0]]) if both else None


def is_part(predicate: str) -> bool:
    """Tell whether a predicate is called a given or a family name."""
    spoken = readable(predicate).casefold()
    return bool(_GIVEN.search(spoken) or _FAMILY.search(spoken))
