"""Query results as rdflib terms with unchanged lexical forms, from Oxigraph and from SPARQL JSON; pagination."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

import pyoxigraph as ox
from rdflib import BNode, Literal, URIRef
from rdflib.namespace import XSD
from rdflib.term import bind

from chattyshared.endpoint import Row
from chattyshared.errors import ResultCut
from chattyshared.jsonlines import parse_json
from chattyshared.literals import parse_boolean, read_count
from chattyshared.terms import Term

# rdflib logs a warning with a traceback for each invalid literal, for example "2020-13-45"^^xsd:date.
logging.getLogger("rdflib.term").setLevel(logging.ERROR)

MAX_RESULT_BYTES = 64 << 20
"""Bytes of the largest accepted result in JSON: some hundred thousand rows."""
_MAX_PARTS = 1_000_000
"""Objects and arrays that any result may have, plus one for each 12 bytes."""
MAX_CACHED_TERMS = 20_000
"""IRIs, and literals, that are kept: the results of a run repeat a few of them thousands of times."""
_STRING = str(XSD.string)
STATEMENT_KINDS = ("triple", "statement")
"""How results call a statement as a term: SPARQL 1.2, and stores before it."""
_ASK_VARIABLE = "__ASK_RETVAL"
"""Virtuoso answers ASK with a table of this single variable; no row means false."""


def _read_boolean(text: str) -> bool:
    """Convert an xsd:boolean; rdflib's own converter logs a warning for an invalid text and returns false."""
    truth = parse_boolean(text)
    if truth is None:
        raise ValueError(f"{text} is no boolean")
    return truth


bind(XSD.boolean, bool, _read_boolean)


class InvalidResult(ValueError):
    """A body is no SPARQL result in JSON; the message says why."""


def too_large_message(max_bytes: int) -> str:
    """Return the message about a result of more than ``max_bytes`` bytes."""
    return f"the answer has more than {max_bytes >> 20} MB: ask for fewer rows"


def convert_solutions(solutions: ox.QuerySolutions) -> Iterator[Row]:
    """Yield the solutions of an Oxigraph query as rows, without those that hold a statement."""
    names = [variable.value for variable in solutions.variables]
    for solution in solutions:
        if any(isinstance(term, ox.Triple) for term in solution):
            continue
        yield {name: convert_term(term) for name, term in zip(names, solution, strict=True) if term is not None}


def parse_result_json(body: bytes) -> list[Row] | bool:
    """Parse a SPARQL result in JSON: rows of a SELECT, or the truth value of an ASK, also in Virtuoso's form.

    Rows that hold a statement (a triple term of RDF 1.2) are left out.

    Raises:
        InvalidResult: it is no JSON, incomplete, or no SPARQL result.
    """
    try:
        # A few bytes of an object or array become a hundred in memory; a term of a result has more than thirty bytes.
        if body.count(b"{") + body.count(b"[") > _MAX_PARTS + len(body) // 12:
            raise ValueError("too many parts for its size")
        result = parse_json(body)
    except ValueError as error:
        raise InvalidResult(f"no whole JSON ({error})") from error
    try:
        if "boolean" in result:
            return _parse_boolean(result["boolean"])
        variables, bindings = result["head"].get("vars", []), result["results"]["bindings"]
        if variables == [_ASK_VARIABLE]:
            return any(binding[_ASK_VARIABLE]["value"] not in ("0", "false") for binding in bindings)
        plain = [row for row in bindings if not any(value["type"] in STATEMENT_KINDS for value in row.values())]
        return [{name: _parse_term(value) for name, value in binding.items()} for binding in plain]
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise InvalidResult(f"JSON, but no SPARQL result ({type(error).__name__}: {error})") from error


def _parse_boolean(value: Any) -> bool:
    if value in ("true", "false"):
        return bool(value == "true")
    if not isinstance(value, bool):
        raise TypeError(f"a truth value of type {type(value).__name__}")
    return value


def convert_term(term: Any) -> Term:
    """Return a term of Oxigraph as one of rdflib."""
    if isinstance(term, ox.NamedNode):
        return _build_iri(term.value)
    if isinstance(term, ox.Literal):
        return _build_literal(term.value, term.language, term.datatype.value)
    return BNode(term.value)


def _parse_term(value: Mapping[str, Any]) -> Term:
    kind, text = value["type"], value["value"]
    if kind not in ("uri", "literal", "typed-literal", "bnode"):
        raise ValueError(f"a term of type {kind!r}")
    if not isinstance(text, str):
        raise TypeError(f"a value of type {type(text).__name__}")
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode()  # half a surrogate pair cannot be written
    if kind == "uri":
        return _build_iri(text)
    if kind == "bnode":
        return BNode(text)
    return _build_literal(text, value.get("xml:lang"), value.get("datatype"))


@lru_cache(maxsize=MAX_CACHED_TERMS)
def _build_iri(text: str) -> URIRef:
    return URIRef(text)


@lru_cache(maxsize=MAX_CACHED_TERMS)
def _build_literal(text: str, language: str | None, datatype: str | None) -> Literal:
    if language:
        try:
            return Literal(text, lang=language)
        except ValueError:
            return Literal(text, lang=language.replace("_", "-"))  # "en_US" is common in harvested data
    if datatype is None or datatype == _STRING:
        return Literal(text)
    return Literal(text, datatype=_build_iri(datatype), normalize=False)


_TRAILING_LIMIT = re.compile(r"(?:\s+limit\s+(?P<limit>\d+))?(?:\s+offset\s+(?P<offset>\d+))?\s*$", re.IGNORECASE)
_UNPAGEABLE = re.compile(r"\boffset\s+\d+\s+limit\s+\d+\s*$|\bvalues\s*\S+\s*\{[^{}]*\}\s*$|#[^\n]*$", re.IGNORECASE)
_IRI_OR_STRING = re.compile(r"""<[^<>\s]*>|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'""")
_PROLOGUE = re.compile(r"\s*(?:(?:prefix\s+\S*\s*<[^>]*>|base\s*<[^>]*>)\s*)*", re.IGNORECASE)


def fetch_pages(select: Callable[[str], list[Row]], query: str, error: ResultCut, *, max_rows: int) -> list[Row]:
    """Return all rows of a SELECT query whose result a server has cut, at most ``max_rows + 1``, in pages.

    Without ORDER BY pages may overlap, so the number of rows is compared with the server's own count.

    Raises:
        ResultCut: ``error`` itself, if the query cannot be paged or the number of rows is wrong.
        EndpointError: ``select`` raises it.
    """
    end = _TRAILING_LIMIT.search(query)
    if error.rows < 1 or end is None or _UNPAGEABLE.search(_IRI_OR_STRING.sub("<>", query)):
        raise error
    body, offset = query[: end.start()], int(end["offset"] or 0)
    row_count = min(max_rows + 1, int(end["limit"] or max_rows + 1))
    rows: list[Row] = []
    while len(rows) < row_count:
        page = select(f"{body} LIMIT {min(error.rows, row_count - len(rows))} OFFSET {offset + len(rows)}")
        rows += page
        if not page:
            break
    if len(rows) < row_count and len(rows) != _count_rows(select, body) - offset:
        raise error
    return rows


def _count_rows(select: Callable[[str], list[Row]], body: str) -> int:
    prologue = _PROLOGUE.match(body)
    body_start = prologue.end() if prologue else 0
    rows = select(
        f"{body[:body_start]} SELECT (COUNT(*) AS ?chatty_rows) WHERE {{ {{ {body[body_start:]} }} }} LIMIT 1"
    )
    return read_count(rows[0]["chatty_rows"]) if rows else -1
