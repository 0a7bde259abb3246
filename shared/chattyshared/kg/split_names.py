"""Names in two columns: which literal predicates hold the given and the family names of people."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from rdflib import Literal, URIRef

from chattyshared.kg.batches import batches
from chattyshared.terms import iri_to_words, n3

_GIVEN = re.compile(
    r"\b(first ?name|given ?names?|fore ?names?|f ?name|christian ?name|name first|name given|vorname)$"
)
_FAMILY = re.compile(r"\b(last ?name|family ?names?|sur ?name|l ?name|name last|name family|nachname|familienname)$")
PARTS = 4
"""Words that the longest name in two parts has of which it is tried where the second part begins."""


def split_name_patterns(names: Iterable[str], pairs: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield graph patterns for things (``?s``) whose given and family name make one of some names (``?x``).

    ``?p`` is the predicate of the given name; a name is cut at each of its blanks in turn. Nothing without ``pairs``.
    """
    cut = [
        (" ".join(words[:place]), " ".join(words[place:]))
        for words in map(str.split, names)
        for place in range(1, min(len(words), PARTS))
    ]
    rows = [f"({n3(Literal(a))} {n3(Literal(b))} {n3(Literal(f'{a} {b}'))})" for a, b in cut]
    columns = " ".join(f"({n3(URIRef(given))} {n3(URIRef(family))})" for given, family in pairs)
    for batch in batches(rows, 300) if columns else ():
        stated = f"VALUES (?p ?p2) {{ {columns} }} ?s ?p ?given ; ?p2 ?family"
        yield f"VALUES (?given ?family ?x) {{ {' '.join(batch)} }} {stated}"


def find_name_pair(predicates: Iterable[str]) -> tuple[str, str] | None:
    """Return the predicates of given and family name among those of one class, or None.

    What stands before both in their local names must be the same (``guest_first_name``, ``guest_last_name``); of
    several such pairs the shortest prefix is the thing's own, and the others are those of somebody else.
    """
    given: dict[str, str] = {}
    family: dict[str, str] = {}
    for predicate in sorted(predicates, reverse=True):
        spoken = iri_to_words(predicate).casefold()
        for pattern, into in ((_GIVEN, given), (_FAMILY, family)):
            if found := pattern.search(spoken):
                into[spoken[: found.start()].strip()] = predicate
    both = sorted(given.keys() & family.keys(), key=lambda prefix: (len(prefix.split()), prefix))
    return (given[both[0]], family[both[0]]) if both else None


def is_name_part(predicate: str) -> bool:
    """Tell whether a predicate is called a given or a family name."""
    spoken = iri_to_words(predicate).casefold()
    return bool(_GIVEN.search(spoken) or _FAMILY.search(spoken))
