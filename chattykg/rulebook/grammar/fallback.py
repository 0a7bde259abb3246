"""Keywords: a terse question whose words no rule joins ("city largest population", "films Ridley Scott director")."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from chattyshared.language.languages import Morphology
from chattyshared.language.lexicon import word_set
from chattyshared.language.tokenizer import Token

from chattykg.rulebook.grammar.chart import Node
from chattykg.rulebook.grammar.chunks import Chunk
from chattykg.rulebook.grammar.comparisons import most
from chattykg.rulebook.grammar.lexer import Lexer
from chattykg.rulebook.grammar.meanings import Meaning
from chattykg.rulebook.grammar.noun_phrases import name, of, restrict, thing
from chattykg.rulebook.grammar.properties import has_most, modifier, relate
from chattykg.rulebook.grammar.questions import ask

# Origin of the numbers below: set by hand, beside the weights of the rules.
KEYWORD_COST = 2.5
"""Cost of joining words that no rule joins."""
MAX_KEYWORDS = 8
"""Words of the longest question that is read as keywords."""
_CATEGORIES = ("Name", "Country", "ClassN", "Rel", "AdjEst", "Adj")
_COUNT_WORDS = word_set("nouns", "counts")
_LOW = frozenset(("lowest", "smallest", "least", "minimum", "fewest"))


def read_keywords(tokens: Sequence[Token], lexer: Lexer, ignored: frozenset[str]) -> Iterator[Node]:
    """Yield the question that keywords ask, if each word is known to the graph, ignored, or asks for a count."""
    words = [at for at, token in enumerate(tokens) if token.kind != "mark" and token.lower not in ignored]
    if not 1 < len(words) <= MAX_KEYWORDS:
        return
    is_count = any(tokens[at].lower in _COUNT_WORDS for at in words)
    chunks = _chunks([at for at in words if tokens[at].lower not in _COUNT_WORDS], lexer)
    meaning = _join(chunks, lexer.words, is_count=is_count) if chunks else None
    if meaning is not None:
        score = sum(node.score for node in chunks) - KEYWORD_COST
        yield Node("S", 0, len(tokens), score, meaning, None, tuple(chunks))


def _chunks(words: Sequence[int], lexer: Lexer) -> list[Node]:
    """Return the best chunks that cover all of some words, left to right; none if a word is in no chunk."""
    found: list[Node] = []
    for at in words:
        if found and at < found[-1].end:
            continue
        nodes = [node for category in _CATEGORIES for node in lexer.nodes(category, at)]
        if not nodes:
            return []
        found.append(max(nodes, key=lambda node: (node.end, node.score)))
    return found


def _join(chunks: Sequence[Node], words: Morphology, *, is_count: bool) -> Meaning | None:
    """Return the question for what keywords name: a class with its properties, or what a name has."""
    groups = [node for node in chunks if node.category == "ClassN"]
    names = [node for node in chunks if node.category in ("Name", "Country")]
    relations = [node for node in chunks if node.category == "Rel"]
    nouns = [node for node in relations if groups or not words.is_only_verb(node.meaning.lower)]
    if groups:
        entity = thing(groups[0].meaning)
        properties = [_property(node.meaning) for node in names] + list(_superlatives(chunks))
    elif names and nouns and not is_count:
        entity = name(names[0].meaning)
        properties = [_property(node.meaning) for node in names[1:]]
    else:
        return None
    ranked = {id(noun) for adjective, noun in pairwise(chunks) if adjective.category == "AdjEst"}
    plain = [node.meaning for node in nouns if id(node) not in ranked]
    if len(groups) > 1 or groups and not names and not properties and not is_count:
        return None
    if groups and names and plain:
        related = restrict(entity, *(relate(noun, name(names[0].meaning)) for noun in plain))
        return ask("list", related) if related is not None else None
    target: Meaning | None = restrict(entity, *properties)
    for noun in plain:
        target = of(noun, target) if target is not None else None
    return ask("count" if is_count else "list", target) if target is not None else None


def _property(chunk: Chunk) -> Meaning:
    return modifier(replace(chunk, text=chunk.country or chunk.text))


def _superlatives(chunks: Sequence[Node]) -> Iterator[Meaning]:
    """Yield the superlatives, each with the number behind it that it ranks by."""
    for node, following in zip(chunks, (*chunks[1:], None), strict=True):
        if node.category != "AdjEst":
            continue
        is_ranked = following is not None and following.category == "Rel"
        direction = "no" if node.meaning.lower in _LOW else "yes"
        yield has_most(most("count", direction), following.meaning) if is_ranked and following else most(node.meaning)
