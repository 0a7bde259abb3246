"""Queries in the dialects that published files are written in, brought to SPARQL 1.1; each change has a name.

Virtuoso takes an aggregate without AS, commas between what is selected, prefixes that nobody declared, and names that
hold brackets; standard engines take none of it. Nothing is changed in a query that is SPARQL 1.1 as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from chattyshared.endpoint.guard import guard_query
from chattyshared.errors import UnsafeQuery
from chattyshared.sparql.prefixes import WELL_KNOWN_PREFIXES

MISSING_BLANK = "a blank between an IRI and a variable"
"""The one change that only some parsers need: SPARQL 1.1 allows both."""

_HIDDEN = re.compile(
    r"""<[^<>"{}|^`\\\x00-\x20]*> | \"{3}.*?\"{3} | '{3}.*?'{3} | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*'
      | (?<![\w\\])\#[^\n]*""",
    re.VERBOSE | re.DOTALL,
)
_DECLARED = re.compile(r"\bprefix\s+([\w.-]*):\s*<", re.IGNORECASE)
_PREFIXED = re.compile(r"(?<![\w?$:.-])([A-Za-z][\w-]*(?:\.[\w-]+)*|):(?![/:])")
_TIGHT = re.compile(r"(<[^<>\"{}|^`\\\x00-\x20]*>)(?=[?$]\w)")
_ODD = re.compile(r"(?<![\w?$:.<-])([A-Za-z][\w-]*):([\w.-]*(?:,_|[('!&])[\w.,()'!&-]*)")
_BLANKS = re.compile("[\u00a0\u1680\u2000-\u200d\u202f\u205f\u2060\u3000\ufeff]+")


@dataclass(frozen=True, slots=True)
class RepairedQuery:
    """A query as it can be run, what was changed for that, and, where nothing helped, why it cannot be read.

    A hopeless query stays as it was and has no changes.
    """

    text: str
    changes: tuple[str, ...] = ()
    fault: str = ""

    @property
    def was_dialect(self) -> bool:
        """Whether the query as it stood was no SPARQL 1.1 that can be run."""
        return any(change != MISSING_BLANK for change in self.changes)


def repair_query(sparql: str, prefixes: Mapping[str, str] | None = None) -> RepairedQuery:
    """Bring a query to SPARQL 1.1; ``prefixes`` are those that its file takes for declared (before the well-known)."""
    known = {**WELL_KNOWN_PREFIXES, **(prefixes or {})}
    steps: tuple[tuple[str, Callable[[str], str]], ...] = (
        ("marks around the query left out", _unwrapped),
        ("odd blanks replaced", lambda text: _outside(text, lambda part: _BLANKS.sub(" ", part))),
        (MISSING_BLANK, lambda text: _TIGHT.sub(r"\1 ", text)),
        ("prefixes declared", lambda text: _declared(text, known)),
        ("what is selected put in the grammar's form", normalize_select_clauses),
        ("names that no prefix can shorten written out", lambda text: _spelled(text, known)),
    )
    text, changes, fault = sparql, [], _fault(sparql)
    for name, step in steps:
        if not fault:
            break
        changed = step(text)
        if changed != text:
            text, fault = changed, _fault(changed)
            changes.append(name)
    return RepairedQuery(sparql, fault=fault) if fault else RepairedQuery(text, tuple(changes))


def _fault(sparql: str) -> str:
    """Say why a query cannot be run; empty where it can be. Queries of one form are judged once."""
    if not sparql.strip():
        return "empty"
    missing = _undeclared(sparql)
    if missing:
        return f"the prefix {missing[0]}: is not declared"
    if not _judged(_skeleton(sparql)):
        return ""
    return _judged(sparql)  # the whole query, so that the sentence names its own places


@lru_cache(maxsize=4096)
def _judged(sparql: str) -> str:
    try:
        guard_query(sparql, limit=1, functions=None)
    except UnsafeQuery as error:
        return " ".join(str(error).split())
    return ""


def _skeleton(sparql: str) -> str:
    """Return a query whose IRIs, texts and local names are all alike: it parses if, and only if, the query does."""

    def plain(match: re.Match[str]) -> str:
        return {"<": "<urn:x>", "#": ""}.get(match[0][0], '""')

    return re.sub(r"(?<=:)[A-Za-z](?:\w|\\[^\w\s])*", "x", _HIDDEN.sub(plain, sparql))


def _outside(text: str, change: Callable[[str], str]) -> str:
    """Change what stands outside IRIs, texts and comments."""
    made, end = [], 0
    for match in _HIDDEN.finditer(text):
        made += [change(text[end : match.start()]), match[0]]
        end = match.end()
    return "".join([*made, change(text[end:])])


def _undeclared(text: str) -> tuple[str, ...]:
    body = _HIDDEN.sub(lambda match: " <> " if match[0][0] == "<" else ' "" ', text)
    declared = set(_DECLARED.findall(body))
    return tuple(dict.fromkeys(name for name in _PREFIXED.findall(body) if name not in declared | {"_"}))


def _unwrapped(text: str) -> str:
    """Leave out quotes or a code fence around the whole query, and a semicolon behind it."""
    bare = re.sub(r"^```\w*\s*|\s*```$", "", text.strip())
    for mark in "\"'":
        if bare.startswith(mark) and re.match(r"\s*(?:prefix|base|select|ask)\b", bare[1:], re.IGNORECASE):
            bare = bare[1:].removesuffix(mark)
    return bare.rstrip().removesuffix(";")


def _spelled(text: str, known: Mapping[str, str]) -> str:
    """Write out prefixed names whose local part holds marks that only a full IRI may hold (``res:Fly_(film)``)."""
    spaces = dict(known) | dict(re.findall(r"\bprefix\s+([\w.-]+):\s*<([^<>\s]*)>", text, re.IGNORECASE))

    def full(match: re.Match[str]) -> str:
        name, local = match[1], match[2]
        while local[-1:] in (",", "!") or (local[-1:] == ")" and local.count(")") > local.count("(")):
            local = local[:-1]
        if local.endswith(".") and not re.search(r"\.\w\.$", local):  # the dot of an abbreviation is the name's own
            local = local[:-1]
        if name not in spaces or local.count("(") != local.count(")") or re.fullmatch(r"[\w.-]*", local):
            return match[0]
        return f"<{spaces[name]}{local}>{match[2][len(local) :]}"

    return _outside(text, lambda part: _ODD.sub(full, part))


def _declared(text: str, known: Mapping[str, str]) -> str:
    return "".join(f"PREFIX {name}: <{known[name]}> " for name in _undeclared(text) if name in known) + text


_NOT_CODE = re.compile(
    r"""<[^<>"{}|^`\\\x00-\x20]*> | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*'""",
    re.VERBOSE,
)
_SELECT = re.compile(r"\bselect\b(?:\s*\b(?:distinct|reduced)\b)?", re.IGNORECASE)
_END = re.compile(r"\{|\b(?:where|from)\b", re.IGNORECASE)
_CALL = re.compile(r"(?:count|sum|avg|min|max|sample|group_concat)\s*\(", re.IGNORECASE)
_NAMED = re.compile(r"\s*\bas\s*([?$]\w+)", re.IGNORECASE)
_HAVING = re.compile(r"\bhaving\s*(?=[A-Za-z])", re.IGNORECASE)
_HAVING_END = re.compile(r"\b(?:order|limit|offset)\b|\}|$", re.IGNORECASE)


def normalize_select_clauses(text: str) -> str:
    """Write out each SELECT clause and each HAVING of a query; what cannot be read in them stays as it is.

    ``COUNT(?x)`` becomes ``(COUNT(?x) AS ?count)``, ``(?x)`` becomes ``?x``, commas between items go, and the
    condition of ``HAVING COUNT(?x) > 1`` gets its brackets.
    """
    plain = _NOT_CODE.sub(lambda match: "_" * len(match[0]), text)
    taken = set(re.findall(r"[?$](\w+)", plain))
    made, end = [], 0
    for start, stop in _clauses(plain):
        items = _items(text, plain, start, stop, taken)
        made += [text[end:start], text[start:stop] if items is None else f" {' '.join(items)} "]
        end = stop
    return _having("".join([*made, text[end:]]))


def _clauses(plain: str) -> Iterator[tuple[int, int]]:
    """Yield where what is selected begins and ends."""
    for match in _SELECT.finditer(plain):
        end = _END.search(plain, match.end())
        if end:
            yield match.end(), end.start()


def _items(text: str, plain: str, start: int, stop: int, taken: set[str]) -> list[str] | None:
    """Read what is selected, item by item; None if something else stands there."""
    items: list[str] = []
    while start < stop:
        variable = re.compile(r"[?$]\w+|\*").match(plain, start, stop)
        call = _CALL.match(plain, start, stop)
        if plain[start].isspace() or plain[start] == ",":
            start += 1
        elif variable:
            items.append(text[start : variable.end()])
            start = variable.end()
        elif call or plain[start] == "(":
            end = _closing(plain, call.end() - 1 if call else start)
            if end is None or end > stop:
                return None
            named = _NAMED.match(plain, end, stop) if call else None
            inner = text[start:end] if call else text[start + 1 : end - 1]
            items.append(f"({inner} AS {named[1]})" if named else _named(inner, taken))
            start = named.end() if named else end
        else:
            return None
    return items


def _named(expression: str, taken: set[str]) -> str:
    """Return an expression as an item: a variable alone, or with a name that no variable of the query has."""
    bare = expression.strip()
    if re.fullmatch(r"[?$]\w+", bare):
        return bare
    if re.search(r"\bas\s*[?$]\w+\s*$", bare, re.IGNORECASE):
        return f"({bare})"
    call = _CALL.match(bare)
    base = call[0].rstrip("( \t\n").lower() if call else "value"
    name = next(name for name in (base, *(f"{base}{number}" for number in range(2, 1000))) if name not in taken)
    taken.add(name)
    return f"({bare} AS ?{name})"


def _closing(plain: str, start: int) -> int | None:
    """Return the place behind the bracket that closes the one at a place."""
    depth = 0
    for place in range(start, len(plain)):
        depth += (plain[place] == "(") - (plain[place] == ")")
        if depth == 0:
            return place + 1
    return None


def _having(text: str) -> str:
    plain = _NOT_CODE.sub(lambda match: "_" * len(match[0]), text)
    match = _HAVING.search(plain)
    if match is None:
        return text
    end = _HAVING_END.search(plain, match.end())
    stop = end.start() if end else len(text)
    return f"{text[: match.start()]}HAVING ({text[match.end() : stop].strip()}) {text[stop:]}"
