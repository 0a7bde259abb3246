"""What engines do differently: how to search text in a query."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal as Choice

from rdflib import Literal

from chattyshared.endpoint import Endpoint
from chattyshared.errors import EndpointError
from chattyshared.terms import n3

_WORD = re.compile(r"\w+")
_SAMPLE = (
    """SELECT ?text WHERE { ?s ?p ?text FILTER(isLiteral(?text) && REGEX(STR(?text), "^[A-Za-z]{5,}")) } LIMIT 1"""
)


@dataclass(frozen=True, slots=True)
class Dialect:
    """One engine's way of searching text; ``plain`` is portable SPARQL and goes through all labels."""

    name: Choice["plain", "virtuoso"]

    def label_pattern(self, variable: str, words: Sequence[str]) -> str:
        """Return a graph pattern that holds where the text of ``?variable`` has all of the words, in any case.

        It stands inside a WHERE behind the triple that binds the variable: ``?s rdfs:label ?label . PATTERN``. With
        Virtuoso words are whole words; in portable SPARQL they may be parts of words.

        Raises:
            ValueError: there is no word (letters or digits) to search for, or the variable is no plain name.
        """
        tokens = tuple(dict.fromkeys(token.casefold() for word in words for token in _WORD.findall(word)))
        if not tokens:
            raise ValueError("no word to search for")
        if not re.fullmatch(r"[A-Za-z_]\w*", variable):
            raise ValueError(f"not the name of a variable: {variable!r}")
        if self.name == "virtuoso":
            searched = " AND ".join(f"'{token}'" for token in tokens)
            return f"?{variable} <bif:contains> {n3(Literal(searched))} ."
        tests = " && ".join(f"CONTAINS(LCASE(STR(?{variable})), {n3(Literal(token))})" for token in tokens)
        return f"FILTER({tests})"


PLAIN = Dialect("plain")
VIRTUOSO = Dialect("virtuoso")


def detect(endpoint: Endpoint) -> Dialect:
    """Find an endpoint's dialect by what it does: search, in each special way, for a word that it is known to hold.

    An engine that has a text search but no text index answers nothing there, and is taken as plain; so is one that
    fails. Takes two queries at most.
    """
    try:
        sample = endpoint.select(_SAMPLE)
        if not sample:
            return PLAIN
        pattern = VIRTUOSO.label_pattern("text", _WORD.findall(str(sample[0]["text"]))[:1])
        return VIRTUOSO if endpoint.ask(f"ASK {{ ?s ?p ?text . {pattern} }}") else PLAIN
    except EndpointError:
        return PLAIN
