"""Kinds of queries (count, superlative, negation ...): what the words of a question ask for, and what a query has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from chattyshared.language.lexicon import alternation, load_lexicon, word_set
from chattyshared.language.morphology import parse_degree
from chattyshared.sparql.analysis import QueryShape, parse_query_shape

QueryKind = str
"""What a query has beyond triple patterns: a key of the phrases or features, boolean, negation, table or unread."""
_PHRASES: Mapping[QueryKind, re.Pattern[str]] = {
    kind: re.compile(rf"\b(?:{alternation(phrases)})\b") for kind, phrases in load_lexicon("query_kinds").items()
}
_AUXILIARIES = word_set("function_words", "auxiliaries", "modals")
_NEGATIONS = word_set("closed_classes", "negations")
_EXTREMES = frozenset(("most", "least", "maximum", "minimum"))
_WORD = re.compile(r"[\w'’]+")
_NAME = re.compile(r'\[[^\[\]]*\]|"[^"\n]*"')
_NOT_AN_OPERATOR = re.compile(r"""<[^<>\s]*>|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|(?:(?<![\w-])[\w-]+|):[\w.%/-]*""")
_ARITHMETIC = re.compile(r"[)\w]\s+[-+/*]\s*[?(\w]|\?\w+[-+/*][?(\d]|\)(?:-|/\s*[?(\d])")
"""An operator; that of a property path stands directly behind its predicate."""
_COMPARISON = re.compile(r"\bFILTER\s*\(", re.IGNORECASE)
_FEATURES: Mapping[QueryKind, frozenset[str]] = {
    "count": frozenset(("COUNT",)),
    "aggregate": frozenset(("SUM", "AVG")),
    "group": frozenset(("GROUP BY",)),
    "superlative": frozenset(("LIMIT", "MAX", "MIN")),
    "negation": frozenset(("NOT EXISTS", "MINUS")),
    "optional": frozenset(("OPTIONAL",)),
    "choice": frozenset(("VALUES", "UNION")),
}


@lru_cache(maxsize=1_000)
def kinds_of_question(pattern: str) -> frozenset[QueryKind]:
    """Return the kinds that a question's words ask for; placeholders and quoted texts are no words of it."""
    text = _NAME.sub("x", pattern).casefold()
    words = _WORD.findall(text)
    kinds: set[QueryKind] = {kind for kind, phrases in _PHRASES.items() if phrases.search(text)}
    if words and words[0] in _AUXILIARIES:
        kinds.add("boolean")
    if any(word in _EXTREMES or parse_degree(word)[1] == "est" for word in words):
        kinds.add("superlative")
    if any(word in _NEGATIONS or word.endswith("n't") for word in words):
        kinds.add("negation")
    return frozenset(kinds)


@lru_cache(maxsize=10_000)
def kinds_of_query(sparql: str) -> frozenset[QueryKind]:
    """Return the kinds of a query; none for a query of plain triple patterns."""
    shape = parse_query_shape(sparql)
    return frozenset(_kinds_of_shape(shape, sparql)) if shape else frozenset(("unread",))


def _kinds_of_shape(shape: QueryShape, sparql: str) -> Iterator[QueryKind]:
    yield from (kind for kind, features in _FEATURES.items() if not features.isdisjoint(shape.features))
    if shape.form == "ASK":
        yield "boolean"
    elif len(shape.variables) > 1:
        yield "table"
    if _COMPARISON.search(sparql):
        yield "filter"
    if _ARITHMETIC.search(_NOT_AN_OPERATOR.sub("x", sparql)):
        yield "arithmetic"


def kind_overlap(kinds: frozenset[QueryKind], others: frozenset[QueryKind]) -> float:
    """Return how alike two sets of kinds are (0 to 1): the share of all their kinds that both have."""
    return len(kinds & others) / len(kinds | others) if kinds or others else 1.0


def is_lookup(sparql: str) -> bool:
    """Tell whether a query reads one fact: a list of predicates tells a model as much."""
    shape = parse_query_shape(sparql)
    return shape is not None and shape.triples <= 1 and kinds_of_query(sparql) <= {"boolean"}
