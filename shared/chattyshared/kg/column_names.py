"""What the columns of an exported database are called, without the table's name before and the key's mark behind."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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
