"""Query results as rdflib terms with unchanged lexical forms, from Oxigraph and from any result format."""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any
from xml.etree import ElementTree

import pyoxigraph as ox
from rdflib import BNode, Literal, URIRef
from rdflib.namespace import XSD
from rdflib.query import Result
from rdflib.term import bind

from chattyshared.endpoint import Row
from chattyshared.jsonlines import parse_json
from chattyshared.literals import parse_boolean
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


RESULT_TYPES = (
    "application/sparql-results+json, application/sparql-results+xml;q=0.8, text/tab-separated-values;q=0.5, "
    "text/csv;q=0.2"
)
"""The result formats that are read, for the header Accept."""
_XML = "{http://www.w3.org/2005/sparql-results#}"
_TSV_HEAD = re.compile(rb"\?\w+(?:\t\?\w+)*\r?\n")
_FOREIGN_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\(?:U([0-9a-fA-F]{8})|(['>]))")
"""Escapes of Turtle, which some servers copy into JSON."""


class InvalidResult(ValueError):
    """A body is no SPARQL result; the message says why."""


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


def parse_result(body: bytes, content_type: str = "", charset: str = "utf-8") -> list[Row] | bool:
    """Parse a SPARQL result in JSON, XML, TSV or CSV: rows of a SELECT, or the truth value of an ASK.

    The format is that of the content; ``content_type`` decides only for CSV, which tells neither numbers nor languages.

    Rows that hold a statement (a triple term of RDF 1.2) are left out.

    Raises:
        InvalidResult: it is no SPARQL result, or incomplete.
    """
    try:
        if charset != "utf-8":
            body = body.decode(charset).encode()
        # A few bytes of an element become a hundred in memory; a term of a result has more than thirty bytes.
        if sum(map(body.count, (b"{", b"[", b"<"))) > _MAX_PARTS + len(body) // 12:
            raise ValueError("too many parts for its size")
        body = body.removeprefix(b"\xef\xbb\xbf").lstrip()
        if body.startswith(b"<") and _XML[1:-1].encode() in body[:2000]:
            return _parse_xml(body)
        is_tsv = content_type == "text/tab-separated-values" or _TSV_HEAD.match(body) is not None
        if (is_tsv or content_type == "text/csv") and (truth := parse_boolean(body.decode().strip())) is not None:
            return truth
        if (is_tsv or content_type == "text/csv") and not body.endswith(b"\n"):
            raise ValueError("the last line has no end")
        if is_tsv:
            solutions = ox.parse_query_results(body, ox.QueryResultsFormat.TSV)
            return [] if isinstance(solutions, ox.QueryBoolean) else list(convert_solutions(solutions))
        if content_type == "text/csv":
            rows = Result.parse(io.BytesIO(body), format="csv").bindings
            return [{str(name): term for name, term in row.items() if isinstance(term, Term)} for row in rows]
    except (ValueError, LookupError, SyntaxError) as error:
        raise InvalidResult(f"no whole result ({error})") from error
    return _parse_json(body)


def _parse_xml(body: bytes) -> list[Row] | bool:
    if b"<!DOCTYPE" in body:
        raise ValueError("XML with a document type")
    rows: list[Row] = []
    for _, element in ElementTree.iterparse(io.BytesIO(body)):
        if element.tag == f"{_XML}boolean":
            return _parse_boolean((element.text or "").strip())
        if element.tag == f"{_XML}result" and any(element.iter(f"{_XML}triple")):
            element.clear()
        elif element.tag == f"{_XML}result":
            rows.append({
                binding.attrib["name"]: _parse_term({
                    "type": term.tag.removeprefix(_XML), "value": term.text or "",
                    "datatype": term.get("datatype"),
                    "xml:lang": term.get("{http://www.w3.org/XML/1998/namespace}lang"),
                })
                for binding in element for term in binding[:1]
            })  # fmt: skip
            element.clear()
    return rows


def _parse_json(body: bytes) -> list[Row] | bool:
    """Parse a result in JSON, also with Virtuoso's table for ASK, control characters in texts, and null for unbound."""
    try:
        try:
            result = parse_json(body, strict=False)
        except ValueError:
            text = _FOREIGN_ESCAPE.sub(
                lambda match: match[1] + (chr(int(match[2], 16)) if match[2] else match[3]), body.decode()
            )
            result = parse_json(text, strict=False)
    except (ValueError, OverflowError) as error:
        raise InvalidResult(f"no whole JSON ({error})") from error
    try:
        if "boolean" in result:
            return _parse_boolean(result["boolean"])
        variables, bindings = (result.get("head") or {}).get("vars", []), result["results"]["bindings"]
        if variables == [_ASK_VARIABLE]:
            return any(binding[_ASK_VARIABLE]["value"] not in ("0", "false") for binding in bindings)
        plain = [{name: value for name, value in row.items() if value is not None} for row in bindings]  # null: unbound
        return [
            {name: _parse_term(value) for name, value in row.items()}
            for row in plain
            if not any(value["type"] in STATEMENT_KINDS for value in row.values())
        ]
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise InvalidResult(f"JSON, but no SPARQL result ({type(error).__name__}: {error})") from error


def _parse_boolean(value: Any) -> bool:
    truth = parse_boolean(str(value).lower()) if isinstance(value, bool | int | str) else None
    if truth is None:
        raise TypeError(f"a truth value of type {type(value).__name__}")
    return truth


def convert_term(term: Any) -> Term:
    """Return a term of Oxigraph as one of rdflib."""
    if isinstance(term, ox.NamedNode):
        return _build_iri(term.value)
    if isinstance(term, ox.Literal):
        return _build_literal(term.value, term.language, term.datatype.value)
    return BNode(term.value)


def _parse_term(value: Mapping[str, Any]) -> Term:
    kind, text = re.sub("[^a-z]", "", str(value["type"]).lower()), value["value"]  # "uri", "IRI", "typed-literal" ...
    is_iri, is_blank = kind in ("uri", "iri"), kind.startswith(("bnode", "blank"))
    if not (is_iri or is_blank or kind.endswith("literal")):
        raise ValueError(f"a term of type {value['type']!r}")
    if not isinstance(text, str):
        raise TypeError(f"a value of type {type(text).__name__}")
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode()  # half a surrogate pair cannot be written
    if is_iri:
        return _build_iri(text)
    if is_blank:
        return BNode(text)
    return _build_literal(text, value.get("xml:lang") or value.get("lang"), value.get("datatype"))


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
