"""Changes of a query's text: further items, another slice, its pattern alone, other IRIs or names for them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from rdflib import RDF, URIRef

from chattyshared.sparql.analysis import OPAQUE_TOKEN, PREFIX_DECLARATION, TERM_TOKEN, analyze_query, expand_name
from chattyshared.sparql.query_layout import WELL_KNOWN_PREFIXES
from chattyshared.terms import n3

_FORM = re.compile(r"\b(?:select|ask)\b", re.IGNORECASE)
_WHERE = re.compile(r"\bwhere\s*$", re.IGNORECASE)
_ORDER = re.compile(r"\border\s+by\b", re.IGNORECASE)
_SLICE = re.compile(r"\b(limit|offset)\s+(\d+)", re.IGNORECASE)
_ORDER_END = re.compile(r"\b(?:limit|offset|values)\b|$", re.IGNORECASE)
_ORDER_KEY = re.compile(r"(?:asc|desc)\s*+(?=\()|[?$]\w+|(?<![\w:-])[\w:-]++\s*+\(|(?<!\s)\s*+\(", re.IGNORECASE)
_SUBQUERY = re.compile(r"\{\s*select\b", re.IGNORECASE)
_TOKEN = re.compile(
    r"""(?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
      | (?P<iri><[^<>"{}|^`\\\s]*>)
      | (?P<name>(?<![\w?$@:])(?:[A-Za-z][\w.-]{0,99})?:(?:[\w.%-]|\\[^\w\s])*(?:[\w%-]|\\[^\w\s]))
      | (?P<a>(?<=\s)a(?=\s))""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class QueryText:
    """The parts of a SELECT or ASK query: prologue, form with the selected items, pattern in braces, and modifiers.

    ``limit`` and ``offset`` are those of the whole query; ``order_keys`` are the expressions of its ORDER BY.
    """

    prologue: str
    head: str
    pattern: str
    modifiers: str

    @property
    def limit(self) -> int | None:
        """The LIMIT; None without one."""
        return self._slice("limit")

    @property
    def offset(self) -> int:
        """The OFFSET; 0 without one."""
        return self._slice("offset") or 0

    @property
    def order_keys(self) -> tuple[str, ...]:
        """The expressions that order the solutions, without ASC and DESC."""
        masked = _mask(self.modifiers)
        start = _ORDER.search(masked)
        if start is None:
            return ()
        keys, end = [], _ORDER_END.search(masked, start.end())
        position, stop = start.end(), end.start() if end else len(masked)
        while position < stop and (key := _ORDER_KEY.search(masked, position, stop)):
            position = key.end()
            if key[0][0] not in "?$":
                opening = masked.index("(", key.end() - 1)
                position = closing_bracket(masked, opening) or stop
                is_direction = key[0].strip().casefold() in ("asc", "desc")
                keys.append(self.modifiers[opening if is_direction else key.start() : position])
            else:
                keys.append(key[0])
        return tuple(keys)

    @property
    def subqueries(self) -> Iterator[str]:
        """The SELECT queries within the pattern, each as a query of its own."""
        masked = _mask(self.pattern)
        for match in _SUBQUERY.finditer(masked):
            end = closing_bracket(masked, match.start(), "{}") or len(masked)
            yield f"{self.prologue}{self.pattern[match.start() + 1 : end - 1]}"

    def select(self, items: str, limit: int = 0) -> str:
        """Return the query with other selected items, and with a ``limit`` instead of its LIMIT and OFFSET if one is
        given."""
        modifiers = self.modifiers
        for match in reversed(list(_SLICE.finditer(_mask(modifiers))) if limit else []):
            modifiers = modifiers[: match.start()] + modifiers[match.end() :]
        distinct = " DISTINCT" if re.match(r"select\s+distinct\b", self.head, re.IGNORECASE) else ""
        end = f" LIMIT {limit}" if limit else ""
        return f"{self.prologue}SELECT{distinct} {items} WHERE {self.pattern}{modifiers.rstrip()}{end}"

    @property
    def solutions(self) -> str:
        """The query for the bindings of all variables of the pattern: no aggregates, no order."""
        return f"{self.prologue}SELECT DISTINCT * WHERE {self.pattern}"

    @property
    def items(self) -> str:
        """The selected items as they are written; empty for ASK."""
        return re.sub(r"^(?:select|ask)\b\s*(?:distinct\b|reduced\b)?", "", self.head, flags=re.IGNORECASE).strip()

    def _slice(self, name: str) -> int | None:
        values = (match[2] for match in _SLICE.finditer(_mask(self.modifiers)) if match[1].casefold() == name)
        return next((int(value) for value in values), None)


def split_query(sparql: str) -> QueryText | None:
    """Return the parts of a query; None if they cannot be told apart."""
    masked = _mask(sparql)
    form = _FORM.search(masked)
    opening = masked.find("{", form.end()) if form else -1
    if form is None or opening < 0:
        return None
    end = closing_bracket(masked, opening, "{}") or len(sparql)
    where = _WHERE.search(masked, form.end(), opening)
    head = sparql[form.start() : where.start() if where else opening]
    return QueryText(sparql[: form.start()], head.strip(), sparql[opening:end], sparql[end:])


def replace_iris(sparql: str, replacements: Mapping[str, str]) -> str:
    """Return a query with other IRIs in place of some, whether it writes them in full or with a prefix."""
    namespaces = {**WELL_KNOWN_PREFIXES, **dict(PREFIX_DECLARATION.findall(sparql))}

    def replace(token: re.Match[str]) -> str:
        new = replacements.get(token["iri"] or expand_name(token["name"], namespaces))
        return token[0] if new is None else n3(URIRef(new))

    return TERM_TOKEN.sub(replace, sparql)


def _mask(text: str) -> str:
    """Return a text of the same length without the content of IRIs, strings and comments."""
    return OPAQUE_TOKEN.sub(lambda match: "_" * len(match[0]), text)


def closing_bracket(masked: str, start: int, brackets: str = "()") -> int | None:
    """Return the position behind the bracket that closes the one at ``start``; None without one."""
    depth = 0
    for position in range(start, len(masked)):
        depth += (masked[position] == brackets[0]) - (masked[position] == brackets[1])
        if depth == 0:
            return position + 1
    return None


def rename_iris(text: str, name_of: Callable[[str], str]) -> str:
    """Return a query, or a text with IRIs in angle brackets, on one line, with a name in place of each IRI.

    Prefixed names are resolved by the prefix declarations, which are left out.
    """
    namespaces = {match[1]: match[2] for match in PREFIX_DECLARATION.finditer(text)}

    def rename(token: re.Match[str]) -> str:
        if token["iri"]:
            return name_of(token["iri"][1:-1])
        prefix, _, local = (token["name"] or "").partition(":")
        local = re.sub(r"\\(.)", r"\1", local)
        return name_of(namespaces[prefix] + local) if token["name"] and prefix in namespaces else token[0]

    return " ".join(_TOKEN.sub(rename, PREFIX_DECLARATION.sub(" ", text)).split())


def canonical_query(sparql: str) -> str:
    """Return a text that is equal for queries that differ only in prefixes, variable names, DISTINCT or whitespace."""
    text = rename_iris(analyze_query(sparql).text, lambda iri: f"<{iri}>")
    text = _TOKEN.sub(lambda token: f"<{RDF.type}>" if token["a"] else token[0], text)
    analysis = analyze_query(text)
    return (analysis.canonical_text or " ".join(text.split())).replace("SELECT DISTINCT ", "SELECT ")
