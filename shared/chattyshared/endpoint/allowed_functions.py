"""The functions that an untrusted query may call: those of SPARQL and GeoSPARQL, and those that a profile adds.

Servers run their own code behind the IRIs of functions (Virtuoso ``bif:`` and ``sql:``, Jena ``java:``). A function is
refused unless it is known to only compute a value. IRIs are resolved as a server does, with BASE and PREFIX.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urldefrag, urljoin

XSD = "http://www.w3.org/2001/XMLSchema#"
GEOSPARQL = "http://www.opengis.net/def/function/geosparql/"
XPATH = "http://www.w3.org/2005/xpath-functions#"
_XPATH_FUNCTIONS = frozenset(
    "abs ceiling ceil concat contains current-dateTime day-from-dateTime encode-for-uri ends-with floor "
    "hours-from-dateTime lower-case matches minutes-from-dateTime month-from-dateTime not replace round "
    "seconds-from-dateTime starts-with string-length substring substring-after substring-before timezone-from-dateTime "
    "upper-case year-from-dateTime".split()
)
"""The XPath functions on which SPARQL 1.1 defines its own; others read documents and the environment."""
_SERVER_CODE = re.compile(r"(?:bif|sql|java|javascript|js):", re.IGNORECASE)
"""IRIs that a server runs even in predicate position."""
_VIRTUOSO_TEXT_SEARCH = "bif:contains"
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_LETTERS = re.compile(r"[A-Za-z]+")
_LOCAL_NAME = re.compile(r"(?:[\w-]+(?:\.[\w-]+)*)?")


def is_allowed_function(iri: str, allowed: Iterable[str] = ()) -> bool:
    """Tell whether a query may call a function; ``allowed`` are the IRI prefixes that a profile allows."""
    for namespace in (XSD, GEOSPARQL):
        if iri.startswith(namespace) and _LETTERS.fullmatch(iri.removeprefix(namespace)):
            return True
    if iri.startswith(XPATH) and iri.removeprefix(XPATH) in _XPATH_FUNCTIONS:
        return True
    return any(iri.startswith(prefix) and _LOCAL_NAME.fullmatch(iri.removeprefix(prefix)) for prefix in allowed)


def is_allowed_predicate(iri: str, allowed: Iterable[str] = ()) -> bool:
    """Tell whether a query may use a predicate: any except server code; Virtuoso's text search only reads."""
    return not _SERVER_CODE.match(iri) or iri == _VIRTUOSO_TEXT_SEARCH or is_allowed_function(iri, allowed)


def is_absolute(iri: str) -> bool:
    """Tell whether an IRI has a scheme."""
    return bool(_SCHEME.match(iri))


@dataclass(frozen=True, slots=True)
class QueryPrologue:
    """The IRIs that a query declares: its base (empty without one) and its prefixes."""

    base: str
    prefixes: Mapping[str, str]

    def resolve(self, iri: str) -> str:
        """Return an IRI as a server resolves it; a relative IRI without a base stays relative."""
        return _resolve_iri(self.base, iri)


def resolve_prologue(declared: Iterable[tuple[str | None, str]], known: Mapping[str, str]) -> QueryPrologue:
    """Resolve declarations in order: pairs of a prefix (None: BASE) and an IRI, relative to the base before it.

    ``known`` are prefixes that need no declaration.

    Raises:
        ValueError: a prefix or BASE is declared twice with different IRIs; servers differ in which one they use.
    """
    base, prefixes = "", dict(known)
    first: dict[str | None, str] = {}
    for prefix, reference in declared:
        iri = _resolve_iri(base, reference)
        if first.setdefault(prefix, iri) != iri:
            raise ValueError("BASE is declared twice" if prefix is None else f"the prefix {prefix}: is declared twice")
        if prefix is None:
            base = iri
        else:
            prefixes[prefix] = iri
    return QueryPrologue(base, prefixes)


def _resolve_iri(base: str, iri: str) -> str:
    if is_absolute(iri) or not base:
        return iri
    if re.match(r"https?://", base, re.IGNORECASE):
        resolved = urljoin(base, iri) if iri else urldefrag(base).url  # an empty reference drops the base's fragment
        return resolved + ("#" if iri.endswith("#") else "")  # urljoin drops an empty fragment
    # For another scheme only the scheme itself matters.
    return f"{re.match(r'(?:[^:]*:)?(?:[^?#]*/)?', base)[0]}{iri}"  # type: ignore[index]  # matches always


def check_function_prefixes(prefixes: Collection[str]) -> None:
    """Check the IRI prefixes of functions that a profile allows.

    Raises:
        ValueError: one is no prefix of an absolute IRI.
    """
    for prefix in prefixes:
        if not is_absolute(prefix) or re.search(r"[\s<>\"{}|\\^`]", prefix):
            raise ValueError(f"{prefix!r} is no beginning of an IRI")
