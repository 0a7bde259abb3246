"""The parser: a question with a vocabulary card as parses, best first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from chattyshared.language.languages import QuestionLanguage
from chattyshared.language.morphology import PREPOSITIONS
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
STRANDED_COST = 1.0
"""Cost of a preposition that ends a question outside the parsed part: it tells the relation."""
SKIP_COST = 0.3
"""Cost of a word or mark inside the parsed part that no rule names."""
TOPIC_FACTOR = 0.2
"""Factor of the cost of the words before a question that refers to them by a pronoun."""
_SENTENCE_ENDS = frozenset("?!.")
_QUANTIFIERS = ("@average", "@sum", "@max", "@min", "@ascending", "@descending", "@info")
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


@dataclass(frozen=True, slots=True)
class Sentence:
    """The tokens of a question with their chart."""

    tokens: tuple[Token, ...]
    lexer: Lexer
    chart: ParseChart
    skipped: frozenset[str]
    _sums: dict[tuple[int, int], float] = field(default_factory=dict, compare=False, repr=False)

    @property
    def language(self) -> QuestionLanguage:
        """The language of the question."""
        return self.lexer.language

    @property
    def _joints(self) -> frozenset[str]:
        """The words behind which a question may begin."""
        return self.language.wrappers | self.language.joints

    def roots(self) -> Iterator[tuple[float, Node]]:
        """Yield the questions that parts of the text are, each with its score; words outside a part cost."""
        for start in self._starts():
            before = self._cost_of(0, start)
            for node in self.chart.nodes("S", start):
                factor = 1.0
                conditions = getattr(node.meaning, "conditions", ())
                if any(condition[0] == "anaphor" for condition in conditions):
                    factor = TOPIC_FACTOR  # what comes before tells what the pronoun stands for
                yield node.score - factor * before - self._cost_of(node.end, len(self.tokens)), node

    def _cost_of(self, start: int, end: int) -> float:
        """Return the cost of some words outside the parsed part."""
        if (start, end) not in self._sums:
            self._sums[start, end] = sum(self._costs(start, end))
        return self._sums[start, end]

    def _starts(self) -> Iterator[int]:
        yield 0
        for position in range(1, len(self.tokens)):
            before = self.tokens[position - 1]
            if before.kind == "mark" or before.lower in self._joints:
                yield position

    def _costs(self, start: int, end: int) -> Iterator[float]:
        """Yield the cost of each of some words outside the parsed part.

        In a clause by which users speak of themselves ("I am planning a trip") only what the graph may know costs more.
        """
        while start < end:
            stop = next((at for at in range(start, end) if self.tokens[at].lower in _CLAUSE_MARKS), end - 1) + 1
            is_clause = not start or self.tokens[start - 1].lower in _CLAUSE_MARKS or self.tokens[start].kind == "mark"
            is_talk = is_clause and self._is_talk(start, stop)
            for position in range(start, stop):
                known = self.lexer.is_known(position)
                yield min(self._cost(position), WRAPPER_COST) if is_talk and not known else self._cost(position)
            start = stop

    def _is_talk(self, start: int, end: int) -> bool:
        """Tell whether a clause begins with words by which users speak of themselves."""
        for token in self.tokens[start:end]:
            if token.lower in self.language.words("politeness", "speakers"):
                return True
            if token.lower not in self._joints and token.lower not in self.language.closed_words:
                return False
        return False

    def _cost(self, position: int) -> float:
        token = self.tokens[position]
        if token.kind == "mark":
            return 0.0
        if token.lower in self.language.wrappers:
            return WRAPPER_COST
        is_last = all(each.kind == "mark" for each in self.tokens[position + 1 :])
        if is_last and token.lower in PREPOSITIONS:
            return STRANDED_COST
        is_closed = token.lower in self.language.closed_words or token.lower in self.skipped
        return FUNCTION_COST if is_closed else CONTENT_COST

    def unused(self, node: Node) -> tuple[str, ...]:
        """Return the content words that a root leaves out, and those that it has no use for."""
        marks = [at + 1 for at in range(node.start) if self.tokens[at].lower in _CLAUSE_MARKS]
        ranges = ((max(marks, default=0), node.start), (node.end, len(self.tokens)))
        outside = [
            self.tokens[start + offset].text
            for start, end in ranges
            for offset, cost in enumerate(self._costs(start, end))
            if cost > FUNCTION_COST
        ]
        conditions = tuple(walk(getattr(node.meaning, "conditions", ())))
        phrases = {c[2] for c in conditions if c[0] == "relation"}
        strange = [c[2] for c in conditions if c[0] == "unused" and c[2] not in phrases]
        return (*outside, *strange)

    def resolve_pronouns(self, node: Node) -> Meaning:
        """Return the meaning of a root in which each pronoun stands for the last name before it, the best known one."""
        meaning: Meaning = node.meaning
        for condition in [c for c in meaning.conditions if c[0] == "anaphor"]:
            place = int(condition[1].rpartition("@")[2])
            names = [n for at in range(place) for n in self.lexer.nodes("Name", at) if n.end <= place]
            if names:
                name = max(names, key=lambda n: (n.score, n.start)).meaning
                kept = tuple(c for c in meaning.conditions if c != condition)
                meaning = replace(meaning, conditions=put(kept, condition[1], name.text))
        return meaning


def parse(question: str, card: VocabularyCard) -> tuple[Parse, ...]:
    """Parse a question with the vocabulary of a card: up to five readings, best first; none if no rule fits."""
    sentence = read_sentence(question, card)
    found: dict[QIR, Parse] = {}
    for score, node in sorted(sentence.roots(), key=lambda pair: -pair[0])[: 3 * MAX_PARSES]:
        qir = write_qir(sentence.resolve_pronouns(node), card)
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
    quantifying = (grammar.word_classes.get(name, frozenset()) for name in _QUANTIFIERS)
    quantifiers = (language.wrappers & language.commands).union(*quantifying)
    lexer = Lexer(question, tokens, card, quantifiers)
    skips = {position: SKIP_COST for position, token in enumerate(tokens) if token.lower in skipped}
    chart = ParseChart(grammar, [token.lower for token in tokens], lexer.nodes, lexer.categories, skips)
    return Sentence(tokens, lexer, chart, skipped)


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
