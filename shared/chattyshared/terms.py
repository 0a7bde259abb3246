"""RDF terms, on rdflib's: reading IRIs aloud, telling kinds apart, writing terms into queries."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from urllib.parse import unquote

from rdflib import BNode, Literal, URIRef
from rdflib.namespace import XSD

Term = URIRef | BNode | Literal
Triple = tuple[Term, URIRef, Term]

NUMERIC_DATATYPES = frozenset(
    XSD[name]
    for name in (
        "integer decimal float double int long short byte nonNegativeInteger positiveInteger "
        "negativeInteger nonPositiveInteger unsignedInt unsignedLong unsignedShort unsignedByte"
    ).split()
)
DATE_DATATYPES = frozenset(XSD[name] for name in "date dateTime gYear gYearMonth".split())

_STRING = XSD.string
_FORBIDDEN = re.compile(r'[<>"{}|^`\\\x00-\x20\ud800-\udfff]')
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_IRI_TEXT = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://|urn:)\S+")
_LITERAL = re.compile(r'"(.*)"(?:@[A-Za-z0-9-]+|\^\^\S+)?', flags=re.DOTALL)
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})
_UNWRITABLE = re.compile("[\x00\ud800-\udfff]")
_SPELLED_ESCAPE = re.compile(r"\\\\([uU])(?=[0-9A-Fa-f]{4})")

_HUNGARIAN = re.compile(
    r"(?:(?<=^)|(?<=\.))(?P<mark>str|txt|mem|dte|dtm|lng|bln|bol|int|cur|dbl|sng)(?P<name>[A-Z]\w+)$"
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def local_name(iri: str) -> str:
    """Return the part of an IRI after the last ``#``, ``/`` or ``:``, percent-decoded."""
    tail = iri.rstrip("/#")
    for mark in "#/:":
        if mark in tail:
            head, _, last = tail.rpartition(mark)
            if last:
                return unquote(last)
    return unquote(tail)


def has_opaque_name(iri: str) -> bool:
    """Tell whether the local name of an IRI has a digit: an identifier (``P57``), not words."""
    return any(character.isdigit() for character in local_name(iri))


@lru_cache(maxsize=65_536)
def iri_to_words(iri: str) -> str:
    """Return an IRI's local name as words: ``birthPlace`` and ``birth_place`` become ``birth place``.

    Capitals that only mark the beginning of a word are lowered (``HTTPServer``: HTTP server); those of names with
    separators stay (``Lord_of_the_Rings``). The mark of a datatype before a column is left out (``strOccupation``:
    occupation; ``dteBirth``: birth date).
    """
    name = _HUNGARIAN.sub(_without_datatype, local_name(iri))
    chunks = name.replace("_", " ").replace("-", " ").split()
    words = " ".join(_split_camel_case(chunk) for chunk in chunks)
    return words[:1].lower() + words[1:] if words[1:2].islower() or len(words) == 1 else words


def _without_datatype(match: re.Match[str]) -> str:
    is_date = match["mark"].startswith("dt") and not match["name"].endswith("ed")
    return match["name"] + ("Date" if is_date else "")


def _split_camel_case(chunk: str) -> str:
    first, *rest = _CAMEL.split(chunk)
    return " ".join([first, *(word if word[1:2].isupper() else word.lower() for word in rest)])


def triple_to_text(triple: tuple[str, str, str], labels: Mapping[str, str]) -> str:
    """Return a triple of N-Triples terms (IRIs without angle brackets) in words, with the labels of IRIs if known."""
    return ", ".join(labels.get(term) or _term_to_text(term, index != 1) for index, term in enumerate(triple))


def _term_to_text(term: str, is_name: bool) -> str:
    """Return a term as words: the text of a literal, the words of a predicate, the local name of a vertex."""
    literal = _LITERAL.fullmatch(term)
    if literal:
        return literal[1]
    if "://" not in term:
        return term
    return local_name(term).replace("_", " ") if is_name else iri_to_words(term)


def is_writable(iri: str) -> bool:
    """Tell whether an IRI can be written into a query: it is absolute, without characters that would end it early."""
    return _SCHEME.match(iri) is not None and _FORBIDDEN.search(iri) is None


def is_property_path(text: str) -> bool:
    """Tell whether a text is a property path of IRIs in angle brackets, and nothing else that a query would read."""
    steps = re.split(r"[\s()|/^*+?]+(?=<|$)|(?<=>)[\s()|/^*+?]+", text)
    return all(not step or (step[0] + step[-1] == "<>" and is_writable(step[1:-1])) for step in steps)


def is_iri(text: str) -> bool:
    """Tell whether a text is an IRI and not a name: it has a scheme with ``//``, or is a URN."""
    return _IRI_TEXT.fullmatch(text) is not None


def n3(term: Term) -> str:
    """Return a term in SPARQL syntax.

    Raises:
        ValueError: the IRI is relative or has characters that would end it early, or the term is a blank node.
    """
    if isinstance(term, URIRef):
        if not is_writable(term):
            raise ValueError(f"not an IRI: {str(term)[:80]!r}")
        return f"<{term}>"
    if isinstance(term, BNode):
        raise ValueError("a blank node cannot be named in a query")
    return _literal(term)


def _literal(term: Literal) -> str:
    text = _UNWRITABLE.sub("", str(term)).translate(_ESCAPES)
    # Some engines expand \\uXXXX before they parse, even behind an escaped backslash: then a text that spells such an
    # escape would change, or end the literal. The letter is written as an escape itself.
    text = _SPELLED_ESCAPE.sub(lambda spelled: f"\\\\\\U{ord(spelled[1]):08X}", text)
    if term.language:
        return f'"{text}"@{term.language}'
    if term.datatype and term.datatype != _STRING:
        return f'"{text}"^^{n3(term.datatype)}'
    return f'"{text}"'
