"""Repair of queries in the dialects of published files to SPARQL 1.1; each change has a name.

Virtuoso accepts aggregates without AS, commas between selected items, undeclared prefixes, and names with brackets;
standard engines accept none of these. A query that is SPARQL 1.1 already is not changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from rdflib import Graph

from chattyshared.endpoint.guard import guard_query
from chattyshared.errors import UnsafeQuery
from chattyshared.sparql.query_layout import WELL_KNOWN_PREFIXES
from chattyshared.sparql.rewriting import closing_bracket

MISSING_BLANK = "a blank between an IRI and a variable"
"""The name of a change that only some parsers need: SPARQL 1.1 allows both forms."""

_OPAQUE_TOKEN = re.compile(
    r"""<[^<>"{}|^`\\\x00-\x20]*> | \"{3}.*?\"{3} | '{3}.*?'{3} | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*'
      | (?<![\w\\])\#[^\n]*""",
    re.VERBOSE | re.DOTALL,
)
_DECLARED_PREFIX = re.compile(r"\bprefix\s+([\w.-]*):\s*<", re.IGNORECASE)
_USED_PREFIX = re.compile(r"(?<![\w?$:.-])([A-Za-z][\w-]*(?:\.[\w-]+)*|):(?![/:])")
_QUERY_START = re.compile(r"\s*(?:prefix|base|select|ask)\b", re.IGNORECASE)
_IRI_BEFORE_VARIABLE = re.compile(r"(<[^<>\"{}|^`\\\x00-\x20]*>)(?=[?$]\w)")
_UNUSUAL_NAME = re.compile(r"(?<![\w?$:.<-])([A-Za-z][\w-]*):([\w.-]*(?:,_|[('!&])[\w.,()'!&-]*)")
_UNICODE_BLANKS = re.compile("[\u00a0\u1680\u2000-\u200d\u202f\u205f\u2060\u3000\ufeff]+")


@dataclass(frozen=True, slots=True)
class RepairedQuery:
    """A repaired query with its changes, or (``fault``) the reason why it cannot be repaired.

    A query that cannot be repaired stays unchanged.
    """

    text: str
    changes: tuple[str, ...] = ()
    fault: str = ""

    @property
    def was_dialect(self) -> bool:
        """Whether the query as it stood was no SPARQL 1.1 that can be run."""
        return any(change != MISSING_BLANK for change in self.changes)


@lru_cache(maxsize=1)
def _library_prefixes() -> dict[str, str]:
    return {prefix: str(namespace) for prefix, namespace in Graph(bind_namespaces="rdflib").namespaces() if prefix}


def repair_query(sparql: str, prefixes: Mapping[str, str] | None = None) -> RepairedQuery:
    """Bring a query to SPARQL 1.1; ``prefixes`` are those that its file takes for declared (before the well-known)."""
    known = {**_library_prefixes(), **WELL_KNOWN_PREFIXES, **(prefixes or {})}
    steps: tuple[tuple[str, Callable[[str], str]], ...] = (
        ("marks around the query left out", unwrap_query),
        ("odd blanks replaced", lambda text: _edit_code(text, lambda part: _UNICODE_BLANKS.sub(" ", part))),
        (MISSING_BLANK, lambda text: _IRI_BEFORE_VARIABLE.sub(r"\1 ", text)),
        ("prefixes declared", lambda text: _declare_prefixes(text, known)),
        ("what is selected put in the grammar's form", normalize_select_clauses),
        ("names that no prefix can shorten written out", lambda text: _expand_unusual_names(text, known)),
    )
    text, changes, fault = sparql, [], _find_fault(sparql)
    for name, step in steps:
        if not fault:
            break
        changed = step(text)
        if changed != text:
            text, fault = changed, _find_fault(changed)
            changes.append(name)
    return RepairedQuery(sparql, fault=fault) if fault else RepairedQuery(text, tuple(changes))


def _find_fault(sparql: str) -> str:
    """Return why a query cannot be run; empty if it can. Queries that differ only in names are parsed once."""
    if not sparql.strip():
        return "empty"
    undeclared = _undeclared_prefixes(sparql)
    if undeclared:
        return f"the prefix {undeclared[0]}: is not declared"
    if not _check_query(_make_skeleton(sparql)):
        return ""
    return _check_query(sparql)  # the message must name positions in the whole query


@lru_cache(maxsize=4096)
def _check_query(sparql: str) -> str:
    try:
        guard_query(sparql, limit=1, functions=None)
    except UnsafeQuery as error:
        return " ".join(str(error).split())
    return ""


def _make_skeleton(sparql: str) -> str:
    """Return a query with equal IRIs, strings and local names; it parses if and only if the query does."""

    def plain(match: re.Match[str]) -> str:
        return {"<": "<urn:x>", "#": ""}.get(match[0][0], '""')

    return re.sub(r"(?<=:)[A-Za-z](?:\w|\\[^\w\s])*", "x", _OPAQUE_TOKEN.sub(plain, sparql))


def _edit_code(text: str, change: Callable[[str], str]) -> str:
    """Apply a change to the text outside IRIs, strings and comments."""
    parts, end = [], 0
    for token in _OPAQUE_TOKEN.finditer(text):
        parts += [change(text[end : token.start()]), token[0]]
        end = token.end()
    return "".join([*parts, change(text[end:])])


def _undeclared_prefixes(text: str) -> tuple[str, ...]:
    code = _OPAQUE_TOKEN.sub(lambda match: " <> " if match[0][0] == "<" else ' "" ', text)
    declared = set(_DECLARED_PREFIX.findall(code))
    return tuple(dict.fromkeys(name for name in _USED_PREFIX.findall(code) if name not in declared | {"_"}))


def find_query(text: str) -> str:
    """Return the SPARQL query that a text is, or that its first code fence holds; empty if there is none."""
    parts = text.split("```", 2)
    query = unwrap_query(f"```{parts[1]}" if len(parts) > 1 else text)
    return query.strip() if _QUERY_START.match(query) else ""


def unwrap_query(text: str) -> str:
    """Remove quotes or a code fence around the whole query, and a semicolon behind it."""
    query = re.sub(r"^```\w*\s*|(?<!\s)\s*```$", "", text.strip())
    for quote in "\"'":
        if query.startswith(quote) and _QUERY_START.match(query[1:]):
            query = query[1:].removesuffix(quote)
    return query.rstrip().removesuffix(";")


def _expand_unusual_names(text: str, known: Mapping[str, str]) -> str:
    """Expand prefixed names whose local part has characters that need a full IRI (``res:Fly_(film)``)."""
    namespaces = dict(known) | dict(re.findall(r"\bprefix\s+([\w.-]+):\s*<([^<>\s]*)>", text, re.IGNORECASE))

    def full(match: re.Match[str]) -> str:
        name, local = match[1], match[2]
        while local[-1:] in (",", "!") or (local[-1:] == ")" and local.count(")") > local.count("(")):
            local = local[:-1]
        if local.endswith(".") and not re.search(r"\.\w\.$", local):  # the dot of an abbreviation belongs to the name
            local = local[:-1]
        if name not in namespaces or local.count("(") != local.count(")") or re.fullmatch(r"[\w.-]*", local):
            return match[0]
        return f"<{namespaces[name]}{local}>{match[2][len(local) :]}"

    return _edit_code(text, lambda part: _UNUSUAL_NAME.sub(full, part))


def _declare_prefixes(text: str, known: Mapping[str, str]) -> str:
    return "".join(f"PREFIX {name}: <{known[name]}> " for name in _undeclared_prefixes(text) if name in known) + text


_IRI_OR_STRING = re.compile(
    r"""<[^<>"{}|^`\\\x00-\x20]*> | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*'""",
    re.VERBOSE,
)
_SELECT_KEYWORD = re.compile(r"\bselect\b(?:\s*\b(?:distinct|reduced)\b)?", re.IGNORECASE)
_SELECT_END = re.compile(r"\{|\b(?:where|from)\b", re.IGNORECASE)
_CALL = re.compile(r"(?:[\w.-]*:)?([A-Za-z]\w*)\s*\(|_{3,}\s*\(")
"""A call of a function, whose IRI is masked by underscores."""
_INNER_ALIAS = re.compile(r"(?<!\s)\s+as\s+[?$]\w+\s*\)$", re.IGNORECASE)
_AS_VARIABLE = re.compile(r"\s*\bas\s*([?$]\w+)", re.IGNORECASE)
_HAVING = re.compile(r"\bhaving\s*(?=[A-Za-z])", re.IGNORECASE)
_HAVING_END = re.compile(r"\b(?:order|limit|offset)\b|\}|$", re.IGNORECASE)


def normalize_select_clauses(text: str) -> str:
    """Write each SELECT clause and each HAVING in the grammar's form; clauses that cannot be parsed stay unchanged.

    ``COUNT(?x)`` and ``COUNT(?x AS ?x)`` become ``(COUNT(?x) AS ?count)``, ``(?x)`` becomes ``?x``, commas between
    items are removed, and the condition of ``HAVING COUNT(?x) > 1`` gets brackets.
    """
    masked = _IRI_OR_STRING.sub(lambda match: "_" * len(match[0]), text)
    used_names = set(re.findall(r"[?$](\w+)", masked))
    parts, end = [], 0
    for start, stop in _select_clauses(masked):
        items = _parse_items(text, masked, start, stop, used_names)
        parts += [text[end:start], text[start:stop] if items is None else f" {' '.join(items)} "]
        end = stop
    return _normalize_having("".join([*parts, text[end:]]))


def _select_clauses(masked: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of the selected items of each SELECT."""
    for match in _SELECT_KEYWORD.finditer(masked):
        end = _SELECT_END.search(masked, match.end())
        if end:
            yield match.end(), end.start()


def _parse_items(text: str, masked: str, start: int, stop: int, used_names: set[str]) -> list[str] | None:
    """Return the selected items; None if they cannot be parsed."""
    items: list[str] = []
    while start < stop:
        variable = re.compile(r"[?$]\w+|\*").match(masked, start, stop)
        call = _CALL.match(masked, start, stop)
        if masked[start].isspace() or masked[start] == ",":
            start += 1
        elif variable:
            items.append(text[start : variable.end()])
            start = variable.end()
        elif masked[start] == "(" or call:
            end = closing_bracket(masked, call.end() - 1 if call else start)
            if end is None or end > stop:
                return None
            alias = _AS_VARIABLE.match(masked, end, stop) if call else None
            inner = _INNER_ALIAS.sub(")", text[start:end]) if call else text[start + 1 : end - 1]
            items.append(f"({inner} AS {alias[1]})" if alias else _name_expression(inner, used_names))
            start = alias.end() if alias else end
        else:
            return None
    return items


def _name_expression(expression: str, used_names: set[str]) -> str:
    """Return an expression as an item: a variable alone, or the expression AS a new variable."""
    expression_text = expression.strip()
    if re.fullmatch(r"[?$]\w+", expression_text):
        return expression_text
    if re.search(r"\bas\s*[?$]\w+\s*$", expression_text, re.IGNORECASE):
        return f"({expression_text})"
    call = _CALL.match(expression_text)
    base = (call and call[1] or "value").lower()
    name = next(name for name in (base, *(f"{base}{number}" for number in range(2, 1000))) if name not in used_names)
    used_names.add(name)
    return f"({expression_text} AS ?{name})"


def _normalize_having(text: str) -> str:
    masked = _IRI_OR_STRING.sub(lambda match: "_" * len(match[0]), text)
    match = _HAVING.search(masked)
    if match is None:
        return text
    end = _HAVING_END.search(masked, match.end())
    stop = end.start() if end else len(text)
    return f"{text[: match.start()]}HAVING ({text[match.end() : stop].strip()}) {text[stop:]}"
