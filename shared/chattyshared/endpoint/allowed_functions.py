"""Which functions a query that we did not build may call: those of SPARQL and GeoSPARQL, and what a profile adds.

Servers run code of their own behind the IRIs of functions (Virtuoso ``bif:`` and ``sql:``, Jena ``java:``), so all that
is not known to compute a value only is refused. IRIs are judged as a server reads them, with BASE and PREFIX.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urljoin

XSD = "http://www.w3.org/2001/XMLSchema#"
GEOSPARQL = "http://www.opengis.net/def/function/geosparql/"
XPATH = "http://www.w3.org/2005/xpath-functions#"
_OF_XPATH = frozenset(
    "abs ceiling ceil concat contains current-dateTime day-from-dateTime encode-for-uri ends-with floor "
    "hours-from-dateTime lower-case matches minutes-from-dateTime month-from-dateTime not replace round "
    "seconds-from-dateTime starts-with string-length substring substring-after substring-before timezone-from-dateTime "
    "upper-case year-from-dateTime".split()
)
"""The XPath functions by which SPARQL 1.1 defines its own; others read documents and environments."""
_SERVER_CODE = re.compile(r"(?:bif|sql|java|javascript|js):", re.IGNORECASE)
"""What a server runs also where it stands as a predicate."""
_TEXT_SEARCH = "bif:contains"
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_LETTERS = re.compile(r"[A-Za-z]+")
_NAME = re.compile(r"(?:[\w-]+(?:\.[\w-]+)*)?")


def is_allowed_function(iri: str, allowed: Iterable[str] = ()) -> bool:
    """Tell whether a query may call a function; ``more`` are the beginnings of IRIs that a profile allows."""
    for space in (XSD, GEOSPARQL):
        if iri.startswith(space) and _LETTERS.fullmatch(iri.removeprefix(space)):
            return True
    if iri.startswith(XPATH) and iri.removeprefix(XPATH) in _OF_XPATH:
        return True
    return any(iri.startswith(start) and _NAME.fullmatch(iri.removeprefix(start)) for start in allowed)


def is_allowed_predicate(iri: str, allowed: Iterable[str] = ()) -> bool:
    """Tell whether a query may use a predicate: all but those that a server runs; a text search only reads."""
    return not _SERVER_CODE.match(iri) or iri == _TEXT_SEARCH or is_allowed_function(iri, allowed)


def is_absolute(iri: str) -> bool:
    """Tell whether an IRI has a scheme."""
    return bool(_SCHEME.match(iri))


@dataclass(frozen=True, slots=True)
class QueryPrologue:
    """The IRIs that a query declares: its base, if it has one, and its prefixes."""

    base: str
    prefixes: Mapping[str, str]

    def resolve(self, iri: str) -> str:
        """Return an IRI as a server reads it; a relative one without a base stays as it is."""
        return _resolved(self.base, iri)


def resolve_prologue(declared: Iterable[tuple[str | None, str]], known: Mapping[str, str]) -> QueryPrologue:
    """Read declarations in their order: pairs of a prefix (None: BASE) and an IRI, relative to the base before it.

    ``known`` are prefixes that need no declaration.

    Raises:
        ValueError: one is declared twice, and differently: servers differ in which of both they take.
    """
    base, prefixes = "", dict(known)
    seen: dict[str | None, str] = {}
    for prefix, written in declared:
        iri = _resolved(base, written)
        if seen.setdefault(prefix, iri) != iri:
            raise ValueError("BASE is declared twice" if prefix is None else f"the prefix {prefix}: is declared twice")
        if prefix is None:
            base = iri
        else:
            prefixes[prefix] = iri
    return QueryPrologue(base, prefixes)


def _resolved(base: str, iri: str) -> str:
    if is_absolute(iri) or not base:
        return iri
    if re.match(r"https?://", base, re.IGNORECASE):
        return urljoin(base, iri) + ("#" if iri.endswith("#") else "")  # an empty fragment gets lost
    # Of another scheme: what matters is that it stays.
    return f"{re.match(r'(?:[^:]*:)?(?:[^?#]*/)?', base)[0]}{iri}"  # type: ignore[index]  # matches always


def check_function_prefixes(prefixes: Collection[str]) -> None:
    """Check what a profile allows.

    Raises:
        ValueError: one is no beginning of an absolute IRI.
    """
    for start in prefixes:
        if not is_absolute(start) or re.search(r"[\s<>\"{}|\\^`]", start):
            raise ValueError(f"{start!r} is no beginning of an IRI")
