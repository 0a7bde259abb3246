"""rdflib's SPARQL parser, which reads one text at a time."""

from __future__ import annotations

import threading

from pyparsing import ParseException, ParseResults
from rdflib.plugins.sparql.parser import parseQuery, parseUpdate

_lock = threading.Lock()
"""The grammar is one object for all threads, and two that enter it at once leave it unable to parse anything."""


def parse_query(text: str) -> ParseResults:
    """Return the syntax tree of a query: its prologue and its form.

    Raises:
        ParseException, RecursionError, SPARQLError, ValueError, TypeError, LookupError, AttributeError: it does not
            parse; rdflib raises the last ones on odd queries.
    """
    with _lock:
        return parseQuery(text)


def is_update(text: str) -> bool:
    """Tell whether a text that is no query is a SPARQL update."""
    try:
        with _lock:
            return "request" in parseUpdate(text)
    except (ParseException, RecursionError):
        return False
