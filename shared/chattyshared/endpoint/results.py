"""Results as rdflib terms, from Oxigraph's own values and from SPARQL's JSON, with the lexical forms kept."""

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

# rdflib logs a warning, with a traceback, for each literal such as "2020-13-45"^^xsd:date that a KG may well hold.
logging.getLogger("rdflib.term").setLevel(logging.ERROR)

MAX_RESULT_BYTES = 64 << 20
"""Bytes of the largest result that is taken, written as JSON: some hundred thousand rows."""
_MOST_PARTS = 1_000_000
"""Objects and arrays that any result may have; a larger one may have one more for each 12 bytes."""
_ASK_VARIABLE = "__ASK_RETVAL"
"""Virtuoso answers ASK with a result set of this one variable; no row at all means false."""


def _boolean(text: str) -> bool:
    """Read an xsd:boolean; rdflib's own reader warns of each other text, and takes it for false."""
    truth = parse_boolean(text)
    if truth is None:
        raise ValueError(f"{text} is no boolean")
    return truth


bind(XSD.boolean, bool, _boolean)


class InvalidResult(ValueError):
    """A body that is no SPARQL result in JSON; the sentence says why."""


def too_large_message(max_bytes: int) -> str:
    """Return the sentence about a result that is larger than any that is taken."""
    return f"the answer has more than {max_bytes >> 20} MB: ask for fewer rows"


def convert_solutions(solutions: ox.QuerySolutions) -> Iterator[Row]:
    """Yield the solutions of an Oxigraph query as rows."""
    names = [variable.value for variable in solutions.variables]
    convert = _converter()
    for solution in solutions:
        yield {
            name: convert(term) for name, term in zip(names, solution, strict=True) if term is not None
        }  # fmt: skip


def parse_result_json(body: bytes) -> list[Row] | bool:
    """Read a SPARQL result in JSON: rows of a SELECT, or the truth of an ASK (as Virtuoso writes it, too).

    Raises:
        Unreadable: it is no JSON, not whole, or not of this shape.
    """
    try:
        # A few bytes of each object or array become a hundred in memory; a term of a result takes more than thirty.
        if body.count(b"{") + body.count(b"[") > _MOST_PARTS + len(body) // 12:
            raise ValueError("too many parts for its size")
        said = parse_json(body)
    except ValueError as error:
        raise InvalidResult(f"no whole JSON ({error})") from error
    try:
        if "boolean" in said:
            return _truth(said["boolean"])
        variables, bindings = said["head"].get("vars", []), said["results"]["bindings"]
        if variables == [_ASK_VARIABLE]:
            return any(binding[_ASK_VARIABLE]["value"] not in ("0", "false") for binding in bindings)
        iri = _iris()
        return [{name: _term(value, iri) for name, value in binding.items()} for binding in bindings]
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise InvalidResult(f"JSON, but no SPARQL result ({type(error).__name__}: {error})") from error


def _truth(value: Any) -> bool:
    if value in ("true", "false"):
        return bool(value == "true")
    if not isinstance(value, bool):
        raise TypeError(f"a truth value of type {type(value).__name__}")
    return value


def _converter() -> Callable[[Any], Term]:
    iri = _iris()

    def convert(term: Any) -> Term:
        if isinstance(term, ox.NamedNode):
            return iri(term.value)
        if isinstance(term, ox.Literal):
            return _literal(term.value, term.language, term.datatype.value, iri)
        return BNode(term.value)

    return convert


def _term(value: Mapping[str, Any], iri: Callable[[str], URIRef]) -> Term:
    kind, text = value["type"], value["value"]
    if kind not in ("uri", "literal", "typed-literal", "bnode"):
        raise ValueError(f"a term of type {kind!r}")
    if not isinstance(text, str):
        raise TypeError(f"a value of type {type(text).__name__}")
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode()  # half a surrogate pair, which nothing could write
    if kind == "uri":
        return iri(text)
    if kind == "bnode":
        return BNode(text)
    return _literal(text, value.get("xml:lang"), value.get("datatype"), iri)


def _literal(text: str, language: str | None, datatype: str | None, iri: Callable[[str], URIRef]) -> Literal:
    if language:
        try:
            return Literal(text, lang=language)
        except ValueError:
            return Literal(text, lang=language.replace("_", "-"))  # "en_US" is common in harvested data
    if datatype is None or datatype == str(XSD.string):
        return Literal(text)
    return Literal(text, datatype=iri(datatype), normalize=False)


def _iris() -> Callable[[str], URIRef]:
    """Make a constructor of IRIs that makes each but once: a result repeats the same few thousands of times."""
    return lru_cache(maxsize=50_000)(URIRef)


_END = re.compile(r"(?:\s+limit\s+(?P<limit>\d+))?(?:\s+offset\s+(?P<offset>\d+))?\s*$", re.IGNORECASE)
_NO_PAGES = re.compile(r"\boffset\s+\d+\s+limit\s+\d+\s*$|\bvalues\s*\S+\s*\{[^{}]*\}\s*$|#[^\n]*$", re.IGNORECASE)
_QUOTED = re.compile(r"""<[^<>\s]*>|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'""")
_PROLOGUE = re.compile(r"\s*(?:(?:prefix\s+\S*\s*<[^>]*>|base\s*<[^>]*>)\s*)*", re.IGNORECASE)


def fetch_pages(select: Callable[[str], list[Row]], query: str, cut: ResultCut, *, max_rows: int) -> list[Row]:
    """Return all rows of a SELECT query that a server has cut, or one more than ``most``, with ``select`` to ask it.

    Without ORDER BY nothing but the server's habit keeps pages apart: so the rows are counted by the server as well.

    Raises:
        ResultCut: the same, where the query cannot be paged, or the pages hold another number of rows than there are.
        EndpointError: as ``select`` raises it.
    """
    end = _END.search(query)
    if cut.rows < 1 or end is None or _NO_PAGES.search(_QUOTED.sub("<>", query)):
        raise cut
    body, first = query[: end.start()], int(end["offset"] or 0)
    wanted = min(max_rows + 1, int(end["limit"] or max_rows + 1))
    rows: list[Row] = []
    while len(rows) < wanted:
        page = select(f"{body} LIMIT {min(cut.rows, wanted - len(rows))} OFFSET {first + len(rows)}")
        rows += page
        if not page:
            break
    if len(rows) < wanted and len(rows) != _counted(select, body) - first:
        raise cut
    return rows


def _counted(select: Callable[[str], list[Row]], body: str) -> int:
    prologue = _PROLOGUE.match(body)
    begins = prologue.end() if prologue else 0
    found = select(f"{body[:begins]} SELECT (COUNT(*) AS ?chatty_rows) WHERE {{ {{ {body[begins:]} }} }} LIMIT 1")
    return read_count(found[0]["chatty_rows"]) if found else -1
