"""Proves by parsing that a query only reads, and gives it a row limit."""

from __future__ import annotations

import re
import threading
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from pyparsing import ParseException, ParseResults
from rdflib import URIRef
from rdflib.plugins.sparql.algebra import translateQuery, traverse
from rdflib.plugins.sparql.parser import parseQuery
from rdflib.plugins.sparql.parserutils import CompValue
from rdflib.plugins.sparql.sparql import Prologue, Query, SPARQLError

from chattyshared.endpoint import Endpoint, Row
from chattyshared.endpoint.allowed_functions import is_allowed_function, is_allowed_predicate, resolve_prologue
from chattyshared.errors import QueryRejected, UnsafeQuery

MAX_QUERY_LENGTH = 100_000
"""Characters of a query; the parser needs seconds beyond that."""

_DEEPEST, _MOST_TOKENS = 40, 1_000
_FORMS: dict[str, Literal["SELECT", "ASK"]] = {"SelectQuery": "SELECT", "AskQuery": "ASK"}
_TOKEN = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*"""' r"|'''(?:[^'\\]|\\.|'(?!''))*'''"
    r'|"(?:[^"\\\n]|\\.)*"' r"|'(?:[^'\\\n]|\\.)*'"
    r"|<[^<>\"{}|^`\\\x00-\x20]*>|#[^\n]*|[?$]?[\w:-]+|[^\s\w]",
    re.DOTALL,
)  # fmt: skip
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_ESCAPE = re.compile(r"(?P<before>\\?)\\(?:u(?P<four>[0-9A-Fa-f]{4})|U(?P<eight>[0-9A-Fa-f]{8}))")
_LEFT_ESCAPE = re.compile(r"\\[uU][0-9A-Fa-f]{4}")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_LIMIT = re.compile(r"\blimit\s+\d+", re.IGNORECASE)
_VALUES = re.compile(r"\bvalues\b", re.IGNORECASE)
_KNOWN_PREFIXES = {prefix: str(iri) for prefix, iri in Prologue().namespace_manager.namespaces()}
"""Prefixes that need no declaration for the guard, as many servers know them; whether it runs is the server's say."""
_parsing = threading.Lock()  # rdflib's grammar is one object for all threads


@dataclass(frozen=True, slots=True)
class GuardedQuery:
    """A query that only reads: the text to run, its form, and the most rows that it may bring.

    One row more than ``limit`` may come, and says that there are more. ``is_ours`` tells that the query had no limit of
    its own, or a larger one.
    """

    query: str
    form: Literal["SELECT", "ASK"]
    limit: int
    is_limit_imposed: bool


def guard_query(
    query: str, *, limit: int, allowed_services: Collection[str] = (), functions: Collection[str] | None = ()
) -> GuardedQuery:
    """Prove that a query is a SELECT or an ASK that only reads, and bound its rows.

    ``allow_service`` lists the IRIs of services that it may call (none, unless our own dialect built it), ``functions``
    the beginnings of the IRIs of functions that it may call beside the standard's; with None they are not judged, which
    whoever runs the query does.

    Raises:
        UnsafeQuery: it does not parse, is of another form, names its own dataset, calls a service or another function,
            or is too long or too deeply nested to be judged.
    """
    text = _plain(query)
    parsed, named = _parse(text, query)
    form = _FORMS.get(parsed.algebra.name)
    if form is None:
        raise _unsafe("only SELECT and ASK are run", query)
    if parsed.algebra.datasetClause:
        raise _unsafe("FROM is not taken: the dataset is the whole KG", query)
    for part in _parts(parsed.algebra):
        _check_part(part, query, allowed_services)
    if functions is not None:
        _check_names(named, query, functions)
    if form == "ASK":
        return GuardedQuery(text, form, 1, is_limit_imposed=False)
    own = _row_limit(parsed)
    if own is not None and own <= limit:
        return GuardedQuery(text, form, limit, is_limit_imposed=False)
    return GuardedQuery(_limited(text, own, limit + 1, query), form, limit, is_limit_imposed=True)


def guard_query_form(
    query: str, form: Literal["SELECT", "ASK"], *, limit: int, endpoint: str, functions: Collection[str] = ()
) -> GuardedQuery:
    """Guard a query that shall be of one form, for one endpoint.

    Raises:
        UnsafeQuery: as ``guard`` raises it, with the endpoint's name.
        QueryRejected: it is safe, but of the other form.
    """
    try:
        guarded = guard_query(query, limit=limit, functions=functions)
    except UnsafeQuery as error:
        raise UnsafeQuery(str(error), endpoint=endpoint, query=error.query) from error
    if guarded.form != form:
        article = "an" if form == "ASK" else "a"
        raise QueryRejected(f"not {article} {form} query", endpoint=endpoint, query=query)
    return guarded


def _plain(query: str) -> str:
    """Return the text as every parser reads it alike: one kind of line end, no hidden characters, no escaped syntax."""
    if len(query) > MAX_QUERY_LENGTH:
        raise _unsafe(f"longer than {MAX_QUERY_LENGTH} characters", query)
    text = query.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    if _CONTROL.search(text):
        raise _unsafe("holds control characters", query)

    def unescaped(match: re.Match[str]) -> str:
        code = int(match["four"] or match["eight"], 16)
        is_plain = code <= 0x10FFFF and not 0xD800 <= code < 0xE000 and (code >= 0xA0 or chr(code).isalnum())
        if match["before"] or not is_plain:  # parsers differ in what such an escape ends or hides
            raise _unsafe(f"holds the escape {match[0]}", query)
        return chr(code)

    text = _ESCAPE.sub(unescaped, text)
    if left := _LEFT_ESCAPE.search(text):
        raise _unsafe(f"holds the escape {left[0]}", query)
    _check_size(text, query)
    return text


def _check_size(text: str, query: str) -> None:
    """Refuse what would keep rdflib's parser busy: it takes up to milliseconds a token and recurses per bracket.

    IRIs and strings count as nothing, so that a list of thousands of VALUES passes.
    """
    depth = tokens = 0
    for match in _TOKEN.finditer(text):
        token = match[0]
        depth += (token in _OPENING) - (token in _CLOSING)
        tokens += len(token) == 1 or token[0] not in "\"'#<"
        if depth > _DEEPEST or tokens > _MOST_TOKENS:
            raise _unsafe("too deeply nested or too long to be judged", query)


@dataclass(frozen=True, slots=True)
class _Named:
    """The IRIs of the functions that a query calls, and of its predicates."""

    functions: tuple[str, ...]
    predicates: tuple[str, ...]


def _parse(text: str, query: str) -> tuple[Query, _Named]:
    """Return a query's algebra, and what its syntax tree names; names are IRIs as a server reads them."""
    try:
        with _parsing:
            tree = parseQuery(text)
            declared = [(part.prefix or "" if part.name == "PrefixDecl" else None, str(part.iri)) for part in tree[0]]
            prologue = resolve_prologue(declared, _KNOWN_PREFIXES)

            def resolved(part: Any) -> URIRef | None:
                if isinstance(part, URIRef):
                    return URIRef(prologue.resolve(str(part)))
                if not isinstance(part, CompValue) or part.name != "pname":
                    return None
                if (part.prefix or "") not in prologue.prefixes:
                    raise _unsafe(f"the prefix {part.prefix or ''}: is not declared", query)
                return URIRef(prologue.prefixes[part.prefix or ""] + (part.localname or ""))

            tree[1] = traverse(tree[1], visitPost=resolved)
            named = _named(tree[1])  # before the translation, which changes the tree and leaves parts out
            return translateQuery(tree), named
    except ParseException as error:
        place = f"line {error.lineno}, column {error.column}"
        raise _unsafe(f"does not parse: {place}: {error.msg[:200]}", query) from error
    except RecursionError as error:
        raise _unsafe("too deeply nested or too long to be judged", query) from error
    except (SPARQLError, ValueError, TypeError, LookupError, AttributeError) as error:  # in rdflib, on odd queries
        raise _unsafe(" ".join(str(error).split())[:300] or type(error).__name__, query) from error


def _parts(value: Any) -> Iterator[CompValue]:
    """Yield every node of an algebra tree, also those within expressions, subqueries and EXISTS."""
    todo = [value]
    while todo:
        node = todo.pop()
        if isinstance(node, CompValue):
            yield node
            todo.extend(item for key, item in node.items() if key != "_vars")
        elif isinstance(node, (list, tuple, ParseResults)):
            todo.extend(node)
        elif isinstance(node, dict):
            todo.extend(node.values())


def _check_part(part: CompValue, query: str, allow_service: Collection[str]) -> None:
    if part.name == "ServiceGraphPattern":
        if not (isinstance(part.term, URIRef) and str(part.term) in allow_service):
            raise _unsafe(f"SERVICE is not taken: {part.term}", query)


def _named(tree: Any) -> _Named:
    """Return what a syntax tree names, in which each predicate is a path."""
    parts = list(_parts(tree))
    steps = [part.part for part in parts if "Path" in part.name]
    flat = [each for step in steps for each in (step if isinstance(step, (list, ParseResults)) else [step])]
    return _Named(
        tuple(str(part.iri) for part in parts if part.name == "Function"),
        tuple(str(each) for each in flat if isinstance(each, URIRef)),
    )


def _check_names(named: _Named, query: str, functions: Collection[str]) -> None:
    for iri in named.functions:
        if not is_allowed_function(iri, functions):
            raise _unsafe(f"calls a function that is not allowed: {iri}", query)
    for iri in named.predicates:
        if not is_allowed_predicate(iri, functions):
            raise _unsafe(f"has a predicate that the server runs: {iri}", query)


def _row_limit(parsed: Query) -> int | None:
    """Return the outermost LIMIT."""
    outermost = parsed.algebra.p
    return outermost.length if outermost.name == "Slice" else None


def _limited(text: str, own: int | None, limit: int, query: str) -> str:
    """Write the limit behind the text, before its VALUES, or in place of a larger one; prove each by parsing."""
    if own == limit:
        return text
    if own is None:
        candidates = [f"{text}\nLIMIT {limit}"]
        candidates += [f"{text[: m.start()]}\nLIMIT {limit}\n{text[m.start() :]}" for m in _last(_VALUES, text)]
    else:
        candidates = [f"{text[: m.start()]}LIMIT {limit}{text[m.end() :]}" for m in _last(_LIMIT, text)]
    for candidate in candidates:
        try:
            if _row_limit(_parse(candidate, query)[0]) == limit:
                return candidate
        except UnsafeQuery:
            continue
    raise _unsafe("no row limit can be set", query)


def _last(pattern: re.Pattern[str], text: str, most: int = 3) -> list[re.Match[str]]:
    return list(pattern.finditer(text))[-most:][::-1]


def _unsafe(reason: str, query: str) -> UnsafeQuery:
    return UnsafeQuery(reason, query=query[:MAX_QUERY_LENGTH])


class GuardedEndpoint:
    """The view of a remote endpoint for queries that we did not build: the guard proves each, and bounds its rows."""

    def __init__(self, remote: Endpoint, row_limit: int, functions: tuple[str, ...] = ()) -> None:
        """Take the endpoint, the most rows, and the functions that queries may call beside the standard's."""
        self._remote, self._row_limit, self._functions = remote, row_limit, functions
        self.name = remote.name

    def select(self, query: str) -> list[Row]:
        """Run a SELECT query; raises UnsafeQuery where the guard refuses it, else as the endpoint does."""
        return self._remote.select(self._proved(query, "SELECT", self._row_limit))

    def ask(self, query: str) -> bool:
        """Run an ASK query; raises UnsafeQuery where the guard refuses it, else as the endpoint does."""
        return self._remote.ask(self._proved(query, "ASK", 1))

    def untrusted_view(self) -> Endpoint:
        """Return this view: it is the foreign one."""
        return self

    def _proved(self, query: str, form: Literal["SELECT", "ASK"], limit: int) -> str:
        return guard_query_form(query, form, limit=limit, endpoint=self.name, functions=self._functions).query
