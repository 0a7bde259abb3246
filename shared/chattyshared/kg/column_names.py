"""What the columns of an exported database are called, without the table's name before and the key's mark behind."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from rdflib import Literal, URIRef

from chattyshared.kg.batches import batches
from chattyshared.terms import iri_to_words, n3

_KEYS = frozenset("id ids fk key ref".split())
"""Words that only say that a column refers to a row."""
_SAYING_NOTHING = _KEYS | frozenset("name title label".split())
"""Words that every table has a column for: without the table's name they stand for none of them."""
_ABBREVIATED = {
    "acct": "account", "addr": "address", "amt": "amount", "cat": "category", "cnt": "count", "cust": "customer",
    "dept": "department", "desc": "description", "dob": "date of birth", "emp": "employee", "fname": "first name",
    "inv": "invoice", "lname": "last name", "mgr": "manager", "num": "number", "ord": "order", "org": "organization",
    "prod": "product", "qty": "quantity", "sal": "salary", "tel": "telephone", "yr": "year",
}  # fmt: skip
"""What databases shorten by custom in the names of tables and columns."""
_LEAST = 3
"""Letters of a table's name that an abbreviation of it keeps at least."""
_GIVEN = re.compile(
    r"\b(first ?name|given ?names?|fore ?names?|f ?name|christian ?name|name first|name given|vorname)$"
)
_FAMILY = re.compile(r"\b(last ?name|family ?names?|sur ?name|l ?name|name last|name family|nachname|familienname)$")
PARTS = 4
"""Words that the longest name in two parts has of which it is tried where the second part begins."""


def expand_abbreviations(name: str) -> str:
    """Return a name with the customary abbreviations of databases written out; the same name if there are none."""
    return " ".join(_ABBREVIATED.get(word.casefold(), word) for word in name.split())


def shorten_column_name(name: str, tables: Iterable[str], *, is_reference: bool) -> tuple[str, ...]:
    """Return the names of a predicate that say less than its local name does, the longest first; mostly none.

    ``name`` is the local name as words, ``tables`` are the labels of the classes whose things have it, ``refers`` tells
    whether things stand at its end: ``visit nurse id`` of Visit becomes ``visit nurse`` and ``nurse``, and ``prod unit
    price`` of Product ``unit price``.
    """
    words = name.split()
    found = []
    if is_reference and len(words) > 1 and words[-1].casefold() in _KEYS:
        words = words[:-1]
        found.append(" ".join(words))
    before = max((_prefix(words, table.split()) for table in tables), default=0)
    if before and not _SAYING_NOTHING.issuperset(word.casefold() for word in words[before:]):
        found.append(" ".join(words[before:]))
    return tuple(found)


def _prefix(words: Sequence[str], table: Sequence[str]) -> int:
    """Count the leading words that stand for a table: words of its name in order, or their beginnings and bones."""
    place, taken = 0, 0
    for word in words[:-1]:
        fitting = (at for at in range(place, len(table)) if _stands_for(word.casefold(), table[at].casefold()))
        at = next(fitting, None)
        if at is None:
            break
        place, taken = at + 1, taken + 1
    return taken


def _stands_for(short: str, word: str) -> bool:
    """Tell whether a word is another (in the plural as well), or an abbreviation of it that keeps its order."""
    if short in (word, word.removesuffix("s")) or word == short.removesuffix("s"):
        return True
    letters = iter(word)
    return len(short) >= _LEAST and short[0] == word[0] and all(letter in letters for letter in short)


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
