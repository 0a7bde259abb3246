"""The parser: a question with a vocabulary card as parses, best first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from chattyshared.language.lexicon import word_set
from chattyshared.language.tokenizer import Token, tokenize

from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.qir import QIR, is_unknown
from chattykg.rulebook.grammar.chart import Chart, Node
from chattykg.rulebook.grammar.lexer import Lexer
from chattykg.rulebook.grammar.logical_form import write_qir
from chattykg.rulebook.grammar.normalize import normalize_tokens
from chattykg.rulebook.grammar.rules import Grammar, load_grammar
from chattykg.rulebook.grammar.semantics import Meaning, put, walk

# Origin of the numbers below: set by hand on the development sets, beside the weights of the rules.
MAX_PARSES = 5
"""Readings of a question that are returned."""
MAX_TOKENS = 90
"""Tokens of a question that are read; what follows is left out."""
WRAPPER_COST, FUNCTION_COST, CONTENT_COST = 0.1, 0.4, 2.0
"""Cost of each word outside the parsed part: of a polite phrase, of another closed class, and of content."""
SKIP_COST = 0.3
"""Cost of a word or mark inside the parsed part that no rule names."""
TOPIC_FACTOR = 0.2
"""Factor of the cost of the words before a question that refers to them by a pronoun."""
_WRAPPERS = word_set("politeness", "wrappers")
_CLOSED = word_set("function_words", "closed_class")
_MARKS = frozenset("?!.;:")


@dataclass(frozen=True, slots=True)
class Parse:
    """One reading of a question.

    Attributes:
        node: The root of the tree.
        score: The score of the tree less the cost of the words outside it; more is better.
        qir: What the question asks for.
        unused: The content words that nothing uses.
    """

    node: Node
    score: float
    qir: QIR
    unused: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sentence:
    """The tokens of a question with their chart."""

    tokens: tuple[Token, ...]
    lexer: Lexer
    chart: Chart

    def roots(self) -> Iterator[tuple[float, Node]]:
        """Yield the questions that parts of the text are, each with its score; words outside a part cost."""
        costs = [self._cost(position) for position in range(len(self.tokens))]
        for start in self._starts():
            for node in self.chart.nodes("S", start):
                before = sum(costs[:start])
                if any(condition[0] == "anaphor" for condition in node.meaning.conditions):
                    before *= TOPIC_FACTOR  # what comes before tells what the pronoun stands for
                yield node.score - before - sum(costs[node.end :]), node

    def _starts(self) -> Iterator[int]:
        yield 0
        for position in range(1, len(self.tokens)):
            before = self.tokens[position - 1]
            if before.kind == "mark" or before.lower in _WRAPPERS or before.lower in ("and", "but", "so"):
                yield position

    def _cost(self, position: int) -> float:
        token = self.tokens[position]
        if token.kind == "mark":
            return 0.0
        if token.lower in _WRAPPERS:
            return WRAPPER_COST
        return FUNCTION_COST if token.lower in _CLOSED else CONTENT_COST

    def unused(self, node: Node) -> tuple[str, ...]:
        """Return the content words that a root leaves out, and those that it has no use for."""
        preamble = self.tokens[: node.start]
        is_told = any(token.kind == "mark" or token.lower in _WRAPPERS for token in preamble)
        start = 0 if preamble and not is_told else node.start
        outside = [
            self.tokens[at]
            for at in (*range(start, node.start), *range(node.end, len(self.tokens)))
            if self._cost(at) > FUNCTION_COST
        ]
        strange = [c[2] for c in walk(node.meaning.conditions) if c[0] == "unused"]
        return (*(token.text for token in outside), *strange)

    def resolve_pronouns(self, node: Node) -> Meaning:
        """Return the meaning of a root in which pronouns stand for the last name before it."""
        meaning: Meaning = node.meaning
        names = [n for at in range(node.start) for n in self.lexer.nodes("Name", at) if n.end <= node.start]
        if not names:
            return meaning
        name = max(names, key=lambda n: (n.score, n.start)).meaning
        for condition in [c for c in meaning.conditions if c[0] == "anaphor"]:
            kept = tuple(c for c in meaning.conditions if c != condition)
            meaning = replace(meaning, conditions=put(kept, condition[1], name.text))
        return meaning


def parse(question: str, card: VocabularyCard, language: str = "english") -> tuple[Parse, ...]:
    """Parse a question with the vocabulary of a card: up to five readings, best first; none if no rule fits."""
    sentence = _read(question, card, load_grammar(language))
    found: dict[QIR, Parse] = {}
    for score, node in sorted(sentence.roots(), key=lambda pair: -pair[0])[: 3 * MAX_PARSES]:
        qir = write_qir(sentence.resolve_pronouns(node), card)
        if qir.shape != "boolean" and not is_unknown(qir.target):
            continue
        found.setdefault(qir, Parse(node, score, qir, sentence.unused(node)))
    return tuple(found.values())[:MAX_PARSES]


def _read(question: str, card: VocabularyCard, grammar: Grammar) -> Sentence:
    tokens = normalize_tokens(tokenize(question)[:MAX_TOKENS], card, grammar.words)
    lexer = Lexer(question, tokens, card)
    skipped = grammar.word_classes["@skip"]
    skips = {position: SKIP_COST for position, token in enumerate(tokens) if token.lower in skipped}
    return Sentence(tokens, lexer, Chart(grammar, [token.lower for token in tokens], lexer.nodes, skips))


def render_tree(node: Node, tokens: Sequence[Token], depth: int = 0) -> str:
    """Return a tree as text, a node a line."""
    words = " ".join(token.text for token in tokens[node.start : node.end])
    lines = [f"{'  ' * depth}{node.category} [{words}] {node.score:.2f}"]
    lines += [render_tree(child, tokens, depth + 1) for child in node.children]
    return "\n".join(lines)
