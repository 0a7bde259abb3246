"""The parser: a question with a vocabulary card as parses, best first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from chattyshared.language.languages import QuestionLanguage
from chattyshared.language.tokenizer import Token, tokenize

from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.qir import QIR, is_unknown
from chattykg.rulebook.grammar.chart import Node, ParseChart
from chattykg.rulebook.grammar.lexer import Lexer
from chattykg.rulebook.grammar.logical_form import write_qir
from chattykg.rulebook.grammar.meanings import Meaning, put, walk
from chattykg.rulebook.grammar.normalize import normalize_tokens
from chattykg.rulebook.grammar.rules import load_grammar

# Origin of the numbers below: set by hand on the development sets, beside the weights of the rules.
MAX_PARSES = 5
"""Readings of a question that are returned."""
MAX_TOKENS = 72
"""Tokens of the longest question that is read."""
WRAPPER_COST, FUNCTION_COST, CONTENT_COST = 0.1, 0.4, 2.0
"""Cost of each word outside the parsed part: of a polite phrase, of another closed class, and of content."""
SKIP_COST = 0.3
"""Cost of a word or mark inside the parsed part that no rule names."""
TOPIC_FACTOR = 0.2
"""Factor of the cost of the words before a question that refers to them by a pronoun."""
_SENTENCE_ENDS = frozenset("?!.")
_QUANTIFIERS = ("@average", "@sum", "@max", "@min", "@ascending", "@descending")
_CLAUSE_MARKS = frozenset((",", ".", "!", "?", ";", ":", "-", "–", "—", "…"))


@dataclass(frozen=True, slots=True)
class Parse:
    """One reading of a question: the root of its tree, and what it asks for.

    ``score`` is that of the tree less the cost of the words outside it; ``unused`` are content words without a use.
    """

    node: Node
    score: float
    qir: QIR
    unused: tuple[str, ...] = ()


def parse(question: str, card: VocabularyCard) -> tuple[Parse, ...]:
    """Parse a question with the vocabulary of a card: up to five readings, best first; none if no rule fits."""
    sentence = read_sentence(question, card)
    found: dict[QIR, Parse] = {}
    for score, node in sorted(sentence.roots(), key=lambda pair: -pair[0])[: 3 * MAX_PARSES]:
        qir = write_qir(sentence.resolve_pronouns(node.meaning), card)
        if qir.shape != "boolean" and not is_unknown(qir.target) or not qir.is_bound():
            continue
        found.setdefault(qir, Parse(node, score, qir, sentence.unused(node)))
    return tuple(found.values())[:MAX_PARSES]


def read_sentence(question: str, card: VocabularyCard) -> Sentence:
    """Return the tokens of a question with a chart of its parts."""
    language = card.language
    grammar = load_grammar(language.name)
    skipped = grammar.word_classes["@skip"]
    tokens = normalize_tokens(_shortened(tokenize(question), card), card, grammar.words)
    tokens = tuple(_without_phrases(tokens, skipped))
    quantifiers = frozenset().union(*(grammar.word_classes.get(name, ()) for name in _QUANTIFIERS))
    lexer = Lexer(question, tokens, card, quantifiers | language.wrappers & language.commands)
    skips = {position: SKIP_COST for position, token in enumerate(tokens) if token.lower in skipped}
    chart = ParseChart(grammar, [token.lower for token in tokens], lexer.nodes, lexer.categories, skips)
    sentence = Sentence(tokens, lexer, chart)
    costs = tuple(sentence.cost_of(position, skipped) for position in range(len(tokens)))
    return replace(sentence, costs=costs, talk_costs=tuple(sentence.talk_costs_of(costs)))


@dataclass(frozen=True, slots=True)
class Sentence:
    """The tokens of a question with their chart.

    ``costs`` are those of each word outside the parsed part; ``talk_costs`` are lower in clauses by which users speak
    of themselves ("I am planning a trip"): there only what the graph may know costs more than a polite word.
    """

    tokens: tuple[Token, ...]
    lexer: Lexer
    chart: ParseChart
    costs: tuple[float, ...] = ()
    talk_costs: tuple[float, ...] = ()

    @property
    def language(self) -> QuestionLanguage:
        """The language of the question."""
        return self.lexer.language

    def roots(self) -> Iterator[tuple[float, Node]]:
        """Yield the questions that parts of the text are, each with its score; words outside a part cost."""
        joints = self.language.wrappers | self.language.joints
        for start in range(len(self.tokens)):
            if start and self.tokens[start - 1].kind != "mark" and self.tokens[start - 1].lower not in joints:
                continue
            for node in self.chart.nodes("S", start):
                refers = any(c[0] == "anaphor" for c in node.meaning.conditions)
                factor = TOPIC_FACTOR if refers else 1.0  # what comes before tells what the pronoun stands for
                yield node.score - factor * sum(self.talk_costs[:start]) - sum(self._costs_behind(node.end)), node

    def _costs_behind(self, end: int) -> tuple[float, ...]:
        """Return the costs of the words from a token on; the rest of its clause is no talk of its own."""
        marks = (at for at in range(end, len(self.tokens)) if self.tokens[at].lower in _CLAUSE_MARKS)
        stop = next(marks, len(self.tokens))
        return self.costs[end:stop] + self.talk_costs[stop:]

    def cost_of(self, position: int, skipped: frozenset[str]) -> float:
        """Return the cost of a word outside the parsed part."""
        token = self.tokens[position]
        if token.kind == "mark":
            return 0.0
        if token.lower in self.language.wrappers:
            return WRAPPER_COST
        return FUNCTION_COST if token.lower in self.language.closed_words | skipped else CONTENT_COST

    def talk_costs_of(self, costs: Sequence[float]) -> Iterator[float]:
        """Yield the cost of each word, lower in clauses that begin with words by which users speak of themselves."""
        start, opening = 0, self.language.wrappers | self.language.joints | self.language.closed_words
        for end, token in enumerate(self.tokens, 1):
            if token.lower not in _CLAUSE_MARKS and end < len(self.tokens):
                continue
            speakers, words = self.language.words("politeness", "speakers"), self.tokens[start:end]
            first = next((word.lower for word in words if word.lower in speakers or word.lower not in opening), "")
            for position in range(start, end):
                is_plain = first in speakers and not self.lexer.is_known(position)
                yield min(costs[position], WRAPPER_COST) if is_plain else costs[position]
            start = end

    def unused(self, node: Node) -> tuple[str, ...]:
        """Return the content words that a root leaves out, and those that it has no use for."""
        begin = max((at + 1 for at in range(node.start) if self.tokens[at].lower in _CLAUSE_MARKS), default=0)
        costs = (*self.talk_costs[: node.start], *self.costs[node.start : node.end], *self._costs_behind(node.end))
        places = (*range(begin, node.start), *range(node.end, len(self.tokens)))
        outside = [self.tokens[at].text for at in places if costs[at] > FUNCTION_COST]
        conditions = tuple(walk(node.meaning.conditions))
        phrases = {c[2] for c in conditions if c[0] == "relation"}
        return (*outside, *(c[2] for c in conditions if c[0] == "unused" and c[2] not in phrases))

    def resolve_pronouns(self, meaning: Meaning) -> Meaning:
        """Return the meaning of a root in which each pronoun stands for the last name before it, the best known one."""
        for condition in [c for c in meaning.conditions if c[0] == "anaphor"]:
            place = int(condition[1].rpartition("@")[2])
            names = [n for at in range(place) for n in self.lexer.nodes("Name", at) if n.end <= place]
            if names:
                name = max(names, key=lambda n: (n.score, n.start)).meaning
                kept = tuple(c for c in meaning.conditions if c != condition)
                meaning = replace(meaning, conditions=put(kept, condition[1], name.text))
        return meaning


def _without_phrases(tokens: Sequence[Token], phrases: frozenset[str]) -> Iterator[Token]:
    """Yield tokens without the phrases of several words that ask for nothing ("at the moment")."""
    lengths = sorted({phrase.count(" ") + 1 for phrase in phrases if " " in phrase}, reverse=True)
    position = 0
    while position < len(tokens):
        texts = {length: " ".join(t.lower for t in tokens[position : position + length]) for length in lengths}
        found = next((length for length, text in texts.items() if text in phrases), 0)
        yield from tokens[position : position + (not found)]
        position += found or 1


def _shortened(tokens: Sequence[Token], card: VocabularyCard) -> Sequence[Token]:
    """Return at most MAX_TOKENS tokens: of a longer text those of its sentences that name something of the graph.

    Nothing is returned of a text that is still longer, for what was left out could not be told from what was not said.
    """
    if len(tokens) <= MAX_TOKENS:
        return tokens
    starts = {mention.start for mention in card.mentions}
    kept: list[Token] = []
    sentence: list[Token] = []
    for token in tokens:
        sentence.append(token)
        if token.lower in _SENTENCE_ENDS:
            kept += sentence if any(each.start in starts for each in sentence) else []
            sentence = []
    kept += sentence
    return kept if len(kept) <= MAX_TOKENS else ()


def render_tree(node: Node, tokens: Sequence[Token], depth: int = 0) -> str:
    """Return a tree as text, a node a line."""
    words = " ".join(token.text for token in tokens[node.start : node.end])
    lines = [f"{'  ' * depth}{node.category} [{words}] {node.score:.2f}"]
    lines += [render_tree(child, tokens, depth + 1) for child in node.children]
    return "\n".join(lines)
