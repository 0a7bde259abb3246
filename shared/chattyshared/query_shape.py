"""What a SPARQL query is made of: its form, variables, triple patterns, predicates and features; never executed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from pyparsing import ParseException, ParseResults
from rdflib import URIRef
from rdflib.paths import Path
from rdflib.plugins.sparql.algebra import translateQuery, traverse
from rdflib.plugins.sparql.parser import parseQuery
from rdflib.plugins.sparql.parserutils import CompValue
from rdflib.plugins.sparql.sparql import SPARQLError

Features = tuple[str, ...]

FEATURES: Features = (
    "SELECT", "ASK", "DISTINCT", "COUNT", "SUM", "AVG", "MIN", "MAX", "GROUP BY", "HAVING", "ORDER BY", "LIMIT",
    "OFFSET", "FILTER", "NOT EXISTS", "EXISTS", "MINUS", "UNION", "OPTIONAL", "VALUES", "BIND", "SUBQUERY", "PATH",
)  # fmt: skip
"""The features that are told apart, in the order in which they are named."""

_TOKEN = re.compile(
    r"""(?P<iri><[^<>"{}|^`\\\x00-\x20]*>)
      | (?P<text>\"{3}.*?\"{3} | '{3}.*?'{3} | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*')
      | (?P<comment>\#[^\n]*)""",
    re.VERBOSE | re.DOTALL,
)
_PLACED = re.compile(r"urn:iri:(\d+):(.*)", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)")
_MODIFIER = re.compile(r"[+*]|\?(?!\w)")
_NAMES = re.compile(r"[?$]\w+|@[\w-]+|[\w.-]*:[\w.-]*")


@dataclass(frozen=True, slots=True)
class QueryShape:
    """What a query is made of.

    ``variables`` are the projected ones (none for ASK), ``triples`` the number of triple patterns, those within
    EXISTS and subqueries as well; ``predicates`` the IRIs in predicate position (also in paths), in the query's order,
    each once; ``features`` a selection of ``FEATURES``.
    """

    form: Literal["SELECT", "ASK"]
    variables: tuple[str, ...]
    triples: int
    predicates: tuple[str, ...]
    features: Features


def parse_query_shape(sparql: str) -> QueryShape | None:
    """Return what a query is made of; None if it is neither a SELECT nor an ASK query of SPARQL 1.1.

    Queries that differ in their IRIs and literals alone are parsed once. Tokens may stand as tightly as the grammar
    allows (``<iri>?v``).
    """
    iris: list[str] = []

    def placed(found: re.Match[str]) -> str:
        if found["iri"]:
            iris.append(found["iri"][1:-1])
            # rdflib takes a path's + * ? only where they stand tight, and a variable only where it does not.
            return f" <urn:iri:{len(iris) - 1}:>" + ("" if _MODIFIER.match(sparql, found.end()) else " ")
        return ' "" ' if found["text"] else " "

    skeleton = _TOKEN.sub(placed, sparql)
    # A language tag or a datatype stands tight behind its text.
    parsed = _parsed(" ".join(re.sub(r'"" +(?=@|\^\^)', '""', skeleton).replace("^^ ", "^^").split()))
    if parsed is None:
        return None
    form, variables, triples, places, features = parsed
    predicates = dict.fromkeys((iris[number] if number >= 0 else "") + rest for number, rest in places)
    return QueryShape(form, variables, triples, tuple(predicates), features)


def strip_query_terms(sparql: str) -> str:
    """Return a query's keywords, names and marks: without IRIs, prefixed names, variables, texts and comments."""
    return " ".join(_NAMES.sub(" ", _TOKEN.sub(" ", sparql)).split())


@lru_cache(maxsize=1024)
def _parsed(
    text: str,
) -> tuple[Literal["SELECT", "ASK"], tuple[str, ...], int, tuple[tuple[int, str], ...], Features] | None:
    try:
        tree = parseQuery(text)
        prefixes = {part.prefix or "": str(part.iri) for part in tree[0] if "iri" in part}
        tree[1] = traverse(tree[1], visitPost=lambda part: _resolved(part, prefixes))
        algebra = translateQuery(tree).algebra
    except (ParseException, SPARQLError, RecursionError, ValueError, TypeError, LookupError, AttributeError):
        return None  # the latter four: rdflib, on odd queries
    form: Literal["SELECT", "ASK"]
    if algebra.name == "SelectQuery":
        form = "SELECT"
    elif algebra.name == "AskQuery":
        form = "ASK"
    else:
        return None
    triples = [triple for part in _parts(algebra) for triple in _triples(part)]
    predicates = [iri for _, predicate, _ in triples for iri in _iris(predicate)]
    places = [_place(iri) for iri in predicates]
    variables = tuple(map(str, algebra.PV or ())) if form == "SELECT" else ()
    if "*" in text.split("WHERE")[0].split("{")[0]:
        variables = tuple(sorted(variables))  # rdflib gives them in no order
    has_path = any(isinstance(predicate, Path) for _, predicate, _ in triples)
    return form, variables, len(triples), tuple(sorted(set(places))), _features(text, has_path)


def _resolved(part: Any, prefixes: Mapping[str, str]) -> URIRef | None:
    """Write a prefixed name out; rdflib itself says of an undeclared prefix only that something is wrong."""
    if not isinstance(part, CompValue) or part.name != "pname":
        return None
    if (part.prefix or "") not in prefixes:
        raise ValueError(f"the prefix {part.prefix or ''}: is not declared")
    return URIRef(prefixes[part.prefix or ""] + _ESCAPED.sub(r"\1", part.localname or ""))


def _place(iri: URIRef) -> tuple[int, str]:
    """Return which of the query's IRIs a predicate begins with (-1: none, as for ``a``), and what follows it."""
    found = _PLACED.fullmatch(str(iri))
    return (int(found[1]), found[2]) if found else (-1, str(iri))


def _features(text: str, has_path: bool) -> Features:
    words = f" {strip_query_terms(text).upper()} "
    found = {name for name in FEATURES if re.search(rf"\b{name.replace(' ', ' +')}\b", words)}
    if len(re.findall(r"\bEXISTS\b", words)) == len(re.findall(r"\bNOT +EXISTS\b", words)):
        found.discard("EXISTS")
    if len(re.findall(r"\bSELECT\b", words)) > ("ASK" not in found):
        found.add("SUBQUERY")
    if has_path:
        found.add("PATH")
    return tuple(name for name in FEATURES if name in found)


def _triples(part: CompValue) -> Iterator[tuple[Any, Any, Any]]:
    """Yield the triple patterns of one node; within EXISTS rdflib leaves them in flat rows, as they were written."""
    if part.name == "BGP":
        yield from part.triples
    elif part.name == "TriplesBlock":
        for row in part.triples:
            yield from zip(row[::3], row[1::3], row[2::3], strict=True)


def _iris(predicate: Any) -> Iterator[URIRef]:
    """Yield the IRIs of a predicate: its own, or those that a property path is made of."""
    if isinstance(predicate, URIRef):
        yield predicate
    elif isinstance(predicate, Path):
        parts = [getattr(predicate, name) for name in ("args", "arg", "path") if hasattr(predicate, name)]
        for part in parts:
            for one in part if isinstance(part, (list, tuple)) else [part]:
                yield from _iris(one)


def _parts(algebra: Any) -> Iterator[CompValue]:
    """Yield every node of an algebra tree once, also those within expressions, subqueries and EXISTS."""
    todo, seen = [algebra], set()
    while todo:
        node = todo.pop()
        if isinstance(node, CompValue):
            if id(node) in seen:
                continue
            seen.add(id(node))
            yield node
            todo.extend(item for key, item in reversed(list(node.items())) if key != "_vars")
        elif isinstance(node, (list, tuple, ParseResults)):
            todo.extend(reversed(list(node)))
