"""Queries in the dialects that published files are written in, brought to SPARQL 1.1; each change has a name.

Virtuoso takes an aggregate without AS, commas between what is selected, prefixes that nobody declared, and names that
hold brackets; standard engines take none of it. Nothing is changed in a query that is SPARQL 1.1 as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from chattyshared.endpoint.guard import guard
from chattyshared.errors import UnsafeQuery
from chattyshared.formats.prefixes import WELL_KNOWN
from chattyshared.formats.selecting import written_out

TIGHT = "a blank between an IRI and a variable"
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
class Mended:
    """A query as it can be run, what was changed for that, and, where nothing helped, why it cannot be read.

    A hopeless query stays as it was and has no changes.
    """

    text: str
    changes: tuple[str, ...] = ()
    fault: str = ""

    @property
    def is_dialect(self) -> bool:
        """Whether the query as it stood was no SPARQL 1.1 that can be run."""
        return any(change != TIGHT for change in self.changes)


def mended(sparql: str, prefixes: Mapping[str, str] | None = None) -> Mended:
    """Bring a query to SPARQL 1.1; ``prefixes`` are those that its file takes for declared (before the well-known)."""
    known = {**WELL_KNOWN, **(prefixes or {})}
    steps: tuple[tuple[str, Callable[[str], str]], ...] = (
        ("marks around the query left out", _unwrapped),
        ("odd blanks replaced", lambda text: _outside(text, lambda part: _BLANKS.sub(" ", part))),
        (TIGHT, lambda text: _TIGHT.sub(r"\1 ", text)),
        ("prefixes declared", lambda text: _declared(text, known)),
        ("what is selected put in the grammar's form", written_out),
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
    return Mended(sparql, fault=fault) if fault else Mended(text, tuple(changes))


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
        guard(sparql, limit=1, functions=None)
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
