"""The names in a query: its IRIs, renamed as a prompt shows them, or written out so that queries can be compared."""

from __future__ import annotations

import re
from collections.abc import Callable

from chattyshared.sparql.analysis import analyze_query
from rdflib import RDF

_PREFIX_LINE = re.compile(r"\bPREFIX\s+([\w.-]*):\s*<([^<>\s]*)>", re.IGNORECASE)
_TOKEN = re.compile(
    r"""(?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
      | (?P<iri><[^<>"{}|^`\\\s]*>)
      | (?P<name>(?<![\w?$@:])(?:[A-Za-z][\w.-]{0,99})?:(?:[\w.%-]|\\[^\w\s])*(?:[\w%-]|\\[^\w\s]))
      | (?P<a>(?<=\s)a(?=\s))""",
    re.VERBOSE,
)


def rename_iris(text: str, name_of: Callable[[str], str]) -> str:
    """Return a query, or a text with IRIs in angle brackets, on one line, with a name in place of each IRI.

    Prefixed names are resolved by the prefix declarations, which are left out.
    """
    namespaces = {match[1]: match[2] for match in _PREFIX_LINE.finditer(text)}

    def rename(token: re.Match[str]) -> str:
        if token["iri"]:
            return name_of(token["iri"][1:-1])
        prefix, _, local = (token["name"] or "").partition(":")
        local = re.sub(r"\\(.)", r"\1", local)
        return name_of(namespaces[prefix] + local) if token["name"] and prefix in namespaces else token[0]

    return " ".join(_TOKEN.sub(rename, _PREFIX_LINE.sub(" ", text)).split())


def canonical_query(sparql: str) -> str:
    """Return a text that is equal for queries that differ only in prefixes, variable names, DISTINCT or whitespace."""
    text = rename_iris(analyze_query(sparql).text, lambda iri: f"<{iri}>")
    text = _TOKEN.sub(lambda token: f"<{RDF.type}>" if token["a"] else token[0], text)
    analysis = analyze_query(text)
    return (analysis.canonical_text or " ".join(text.split())).replace("SELECT DISTINCT ", "SELECT ")
