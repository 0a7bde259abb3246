"""The guard of untrusted queries: proves by parsing that a query only reads, and sets its row limit."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from pyparsing import ParseException, ParseResults
from rdflib import URIRef
from rdflib.plugins.sparql.algebra import translateQuery, traverse
from rdflib.plugins.sparql.parserutils import CompValue
from rdflib.plugins.sparql.sparql import Prologue, Query, SPARQLError

from chattyshared.endpoint import Endpoint, Row
from chattyshared.endpoint.allowed_functions import is_allowed_function, is_allowed_predicate, resolve_prologue
from chattyshared.errors import QueryRejected, ResultUnreadable, UnsafeQuery
from chattyshared.runs.threads import StopSignal
from chattyshared.sparql.analysis import is_update, parse_query

MAX_QUERY_LENGTH = 100_000
"""Characters of a query; the parser takes seconds for a longer one."""

_MAX_DEPTH, _MAX_TOKENS = 40, 1_000
_FORMS: dict[str, Literal["SELECT", "ASK"]] = {"SelectQuery": "SELECT", "AskQuery": "ASK"}
_TOKEN = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*"""' r"|'''(?:[^'\\]|\\.|'(?!''))*'''"
    r'|"(?:[^"\\\n]|\\.)*"' r"|'(?:[^'\\\n]|\\.)*'"
    r"|<[^<>\"{}|^`\\\x00-\x20]*>|#[^\n]*|[?$]?[\w:-]+|[^\s\w]",
    re.DOTALL,
)  # fmt: skip
_OPERATORS, _OPERATOR_COST = frozenset("+-*/|&"), 4
"""Each operand of an expression passes through a rule of the grammar for each kind of operator."""
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_ESCAPE = re.compile(r"(?P<before>\\?)\\(?:u(?P<four>[0-9A-Fa-f]{4})|U(?P<eight>[0-9A-Fa-f]{8}))")
_LEFT_ESCAPE = re.compile(r"\\[uU][0-9A-Fa-f]{4}")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_LIMIT = re.compile(r"\blimit\s+\d+", re.IGNORECASE)
_VALUES = re.compile(r"\bvalues\b", re.IGNORECASE)
_KNOWN_PREFIXES = {prefix: str(iri) for prefix, iri in Prologue().namespace_manager.namespaces()}
"""Prefixes that the guard accepts without declaration, as many servers do; the server may still reject the query."""
_OTHER_FORM = "only SELECT and ASK are run"


@dataclass(frozen=True, slots=True)
class GuardedQuery:
    """A query that only reads: the text to run, its form, and the largest number of rows.

    The result may have one row more than ``limit``, which shows that there are more. ``is_limit_imposed`` tells that
    the query had no limit of its own, or a larger one.
    """

    query: str
    form: Literal["SELECT", "ASK"]
    limit: int
    is_limit_imposed: bool


def guard_query(
    query: str, *, limit: int, allowed_services: Collection[str] = (), functions: Collection[str] | None = ()
) -> GuardedQuery:
    """Prove that a query is a SELECT or an ASK that only reads, and limit its rows.

    ``allowed_services`` are the IRIs of services that it may call, ``functions`` the IRI prefixes of functions that it
    may call besides the standard ones; with None functions are not checked here.

    Raises:
        UnsafeQuery: it does not parse, is of another form, names its own dataset, calls a service or another function,
            or is too long or too deeply nested to be checked.
    """
    text = _normalize(query)
    parsed, names = _parse_query(text, query)
    form = _FORMS.get(parsed.algebra.name)
    if form is None:
        raise _unsafe_query(_OTHER_FORM, query)
    if parsed.algebra.datasetClause:
        raise _unsafe_query("FROM is not taken: the dataset is the whole KG", query)
    for node in _nodes(parsed.algebra):
        if node.name == "ServiceGraphPattern" and str(node.term) not in allowed_services:
            raise _unsafe_query(f"SERVICE is not taken: {node.term}", query)
    if functions is not None:
        _check_names(*names, query, functions)
    if form == "ASK":
        return GuardedQuery(text, form, 1, is_limit_imposed=False)
    current = _row_limit(parsed)
    if current is not None and current <= limit:
        return GuardedQuery(text, form, limit, is_limit_imposed=False)
    return GuardedQuery(_set_limit(text, current, limit + 1, query), form, limit, is_limit_imposed=True)


def _normalize(query: str) -> str:
    """Return a text that all parsers read alike: one kind of line end, no control characters, no escaped syntax."""
    if len(query) > MAX_QUERY_LENGTH:
        raise _unsafe_query(f"longer than {MAX_QUERY_LENGTH} characters", query)
    text = query.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    if _CONTROL.search(text):
        raise _unsafe_query("holds control characters", query)

    def unescape(match: re.Match[str]) -> str:
        code = int(match["four"] or match["eight"], 16)
        is_plain = code <= 0x10FFFF and not 0xD800 <= code < 0xE000 and (code >= 0xA0 or chr(code).isalnum())
        if match["before"] or not is_plain:  # parsers disagree about such an escape
            raise _unsafe_query(f"holds the escape {match[0]}", query)
        return chr(code)

    text = _ESCAPE.sub(unescape, text)
    if remaining := _LEFT_ESCAPE.search(text):
        raise _unsafe_query(f"holds the escape {remaining[0]}", query)
    _check_size(text, query)
    return text


def _check_size(text: str, query: str) -> None:
    """Refuse a query that takes rdflib's parser long: up to milliseconds per token, and recursion per bracket.

    IRIs and strings do not count, so that thousands of VALUES pass.
    """
    depth = tokens = 0
    for match in _TOKEN.finditer(text):
        token = match[0]
        depth += (token in _OPENING) - (token in _CLOSING)
        tokens += _OPERATOR_COST if token in _OPERATORS else len(token) == 1 or token[0] not in "\"'#<"
        if depth > _MAX_DEPTH or tokens > _MAX_TOKENS:
            raise _unsafe_query("too deeply nested or too long to be judged", query)


def _parse_query(text: str, query: str) -> tuple[Query, tuple[list[str], list[str]]]:
    """Return a query's algebra, and the IRIs in its syntax tree as a server resolves them."""
    try:
        tree = parse_query(text)
        declared = [(part.prefix or "" if part.name == "PrefixDecl" else None, str(part.iri)) for part in tree[0]]
        prologue = resolve_prologue(declared, _KNOWN_PREFIXES)

        def resolve(part: Any) -> URIRef | None:
            if isinstance(part, URIRef):
                return URIRef(prologue.resolve(str(part)))
            if not isinstance(part, CompValue) or part.name != "pname":
                return None
            if (part.prefix or "") not in prologue.prefixes:
                raise _unsafe_query(f"the prefix {part.prefix or ''}: is not declared", query)
            return URIRef(prologue.prefixes[part.prefix or ""] + (part.localname or ""))

        tree[1] = traverse(tree[1], visitPost=resolve)
        names = _collect_names(tree[1])  # the translation changes the tree and omits parts
        return translateQuery(tree), names
    except ParseException as error:
        if is_update(text):
            raise _unsafe_query(_OTHER_FORM, query) from error
        position = f"line {error.lineno}, column {error.column}"
        raise _unsafe_query(f"does not parse: {position}: {error.msg[:200]}", query) from error
    except RecursionError as error:
        raise _unsafe_query("too deeply nested or too long to be judged", query) from error
    except (SPARQLError, ValueError, TypeError, LookupError, AttributeError) as error:  # in rdflib, on odd queries
        raise _unsafe_query(" ".join(str(error).split())[:300] or type(error).__name__, query) from error


def _nodes(value: Any) -> Iterator[CompValue]:
    """Yield every node of a tree, including those within expressions, subqueries and EXISTS."""
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, CompValue):
            yield node
            stack.extend(item for key, item in node.items() if key != "_vars")
        elif isinstance(node, (list, tuple, ParseResults)):
            stack.extend(node)
        elif isinstance(node, dict):
            stack.extend(node.values())


def _collect_names(tree: Any) -> tuple[list[str], list[str]]:
    """Return the IRIs of functions and predicates of a syntax tree, in which each predicate is a path."""
    nodes = list(_nodes(tree))
    steps = [part.part for part in nodes if "Path" in part.name]
    predicates = [iri for step in steps for iri in (step if isinstance(step, (list, ParseResults)) else [step])]
    functions = [str(part.iri) for part in nodes if part.name == "Function"]
    return functions, [str(iri) for iri in predicates if isinstance(iri, URIRef)]


def _check_names(called: Iterable[str], predicates: Iterable[str], query: str, functions: Collection[str]) -> None:
    for iri in called:
        if not is_allowed_function(iri, functions):
            raise _unsafe_query(f"calls a function that is not allowed: {iri}", query)
    for iri in predicates:
        if not is_allowed_predicate(iri, functions):
            raise _unsafe_query(f"has a predicate that the server runs: {iri}", query)


def _row_limit(parsed: Query) -> int | None:
    """Return the outermost LIMIT; None without one."""
    outermost = parsed.algebra.p
    return outermost.length if outermost.name == "Slice" else None


def _set_limit(text: str, current: int | None, limit: int, query: str) -> str:
    """Write the limit at the end, before VALUES, or in place of a larger limit; verify each candidate by parsing."""
    if current == limit:
        return text
    if current is None:
        candidates = [f"{text}\nLIMIT {limit}"]
        candidates += [f"{text[: m.start()]}\nLIMIT {limit}\n{text[m.start() :]}" for m in _last_matches(_VALUES, text)]
    else:
        candidates = [f"{text[: m.start()]}LIMIT {limit}{text[m.end() :]}" for m in _last_matches(_LIMIT, text)]
    for candidate in candidates:
        try:
            if _row_limit(_parse_query(candidate, query)[0]) == limit:
                return candidate
        except UnsafeQuery:
            continue
    raise _unsafe_query("no row limit can be set", query)


def _last_matches(pattern: re.Pattern[str], text: str, count: int = 3) -> list[re.Match[str]]:
    return list(pattern.finditer(text))[-count:][::-1]


def _unsafe_query(reason: str, query: str) -> UnsafeQuery:
    return UnsafeQuery(reason, query=query[:MAX_QUERY_LENGTH])


class GuardedEndpoint:
    """A view of an endpoint for untrusted queries: each is guarded and its rows are limited; ``run`` runs it."""

    def __init__(self, name: str, row_limit: int, functions: tuple[str, ...] = ()) -> None:
        """Set the name, the row limit, and the IRI prefixes of functions besides the standard ones."""
        self.name = name
        self._row_limit, self._functions = row_limit, functions

    def run(self, guarded: GuardedQuery, query: str) -> list[Row] | bool:
        """Run a guarded query; ``query`` is its text as it came.

        Raises:
            EndpointError: it failed.
        """
        raise NotImplementedError

    def select(self, query: str) -> list[Row]:
        """Run a SELECT query and return all of its solutions, in order.

        Raises:
            UnsafeQuery: the guard could not prove that the query only reads.
            QueryRejected: it is an ASK query, or the endpoint rejects it.
            ResultUnreadable: it has more solutions than the row limit.
            EndpointError: it failed otherwise.
        """
        guarded = self._guard(query, "SELECT")
        rows = self.run(guarded, query)
        assert isinstance(rows, list)
        if len(rows) > guarded.limit:
            raise ResultUnreadable(f"more than {guarded.limit} rows", endpoint=self.name, query=query)
        return rows

    def ask(self, query: str) -> bool:
        """Run an ASK query and return its truth; raises as ``select`` does."""
        return bool(self.run(self._guard(query, "ASK"), query))

    def untrusted_view(self, stop: StopSignal | None = None) -> Endpoint:
        """Return this view itself."""
        return self

    def _guard(self, query: str, form: Literal["SELECT", "ASK"]) -> GuardedQuery:
        try:
            guarded = guard_query(query, limit=self._row_limit, functions=self._functions)
        except UnsafeQuery as error:
            raise UnsafeQuery(str(error), endpoint=self.name, query=error.query) from error
        if guarded.form != form:
            article = "an" if form == "ASK" else "a"
            raise QueryRejected(f"not {article} {form} query", endpoint=self.name, query=query)
        return guarded
