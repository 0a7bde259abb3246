"""The parser: a question with a vocabulary card as parses, best first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from chattyshared.language.languages import QuestionLanguage
from chattyshared.language.lexicon import word_map, word_set
from chattyshared.language.morphology import PREPOSITIONS
from chattyshared.language.tokenizer import Token, tokenize
from rapidfuzz.distance import OSA

from chattykg.linking.vocabulary_card import Mention, VocabularyCard
from chattykg.qir import QIR, is_unknown
from chattykg.rulebook.grammar.chart import Node, ParseChart
from chattykg.rulebook.grammar.lexer import Lexer
from chattykg.rulebook.grammar.logical_form import write_qir
from chattykg.rulebook.grammar.meanings import Meaning, put, walk
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
_MIN_LETTERS = 4
"""Letters of the shortest word whose spelling is corrected."""
_HAPPENING = word_map("verbs", "place_taking")
_SENTENCE_ENDS = frozenset("?!.")
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

    @property
    def language(self) -> QuestionLanguage:
        """The language of the question."""
        return self.lexer.language

    def roots(self) -> Iterator[tuple[float, Node]]:
        """Yield the questions that parts of the text are, each with its score; words outside a part cost."""
        costs = [self._cost(position) for position in range(len(self.tokens))]
        for start in range(len(self.tokens)):
            before = self.tokens[start - 1]
            if start and before.kind != "mark" and before.lower not in self.language.wrappers | self.language.joints:
                continue
            for node in self.chart.nodes("S", start):
                conditions = getattr(node.meaning, "conditions", ())
                is_topic = any(condition[0] == "anaphor" for condition in conditions)  # what comes before tells it
                factor = TOPIC_FACTOR if is_topic else 1.0
                yield node.score - factor * sum(costs[:start]) - sum(costs[node.end :]), node

    def _cost(self, position: int) -> float:
        token = self.tokens[position]
        if token.kind == "mark":
            return 0.0
        if token.lower in self.language.wrappers:
            return WRAPPER_COST
        if token.lower in PREPOSITIONS and all(each.kind == "mark" for each in self.tokens[position + 1 :]):
            return STRANDED_COST
        is_closed = token.lower in self.language.closed_words or token.lower in self.skipped
        return FUNCTION_COST if is_closed else CONTENT_COST

    def unused(self, node: Node) -> tuple[str, ...]:
        """Return the content words that a root leaves out, and those that it has no use for."""
        marks = [at + 1 for at in range(node.start) if self.tokens[at].lower in _CLAUSE_MARKS]
        ranges = ((max(marks, default=0), node.start), (node.end, len(self.tokens)))
        outside = [
            self.tokens[at].text for start, end in ranges for at in range(start, end) if self._cost(at) > FUNCTION_COST
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
    spelt = [_normalize(token, card, grammar.words) for token in _happening(_shortened(tokenize(question), card), card)]
    tokens = tuple(_without_phrases(spelt, skipped))
    lexer = Lexer(question, tokens, card, grammar)
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


def _happening(tokens: Sequence[Token], card: VocabularyCard) -> Iterator[Token]:
    """Yield tokens in which "take place" is the verb "happen" in the same form, where no predicate is called so."""
    labels = [m for m in card.mentions if m.kind == "predicate"]
    for before, token, after in zip((None, *tokens), tokens, (*tokens[1:], None), strict=False):
        if after and _takes_place(token, after, labels):
            yield replace(token, text=_HAPPENING[token.lower], lower=_HAPPENING[token.lower], end=after.end)
        elif not before or not _takes_place(before, token, labels):
            yield token


def _takes_place(verb: Token, noun: Token, labels: Sequence[Mention]) -> bool:
    is_label = any(m.start <= verb.start and noun.end <= m.end for m in labels)
    return verb.lower in _HAPPENING and noun.lower == "place" and not is_label


def _normalize(token: Token, card: VocabularyCard, closed_words: frozenset[str]) -> Token:
    if token.kind != "word":
        return token
    language = card.language
    if token.lower in language.abbreviations:
        return replace(token, lower=language.abbreviations[token.lower])
    if len(token.lower) < _MIN_LETTERS or token.is_capitalized and token.start:
        return token
    usual = language.morphology.correct_spelling(token.lower)
    if language.morphology.is_word(usual):
        return replace(token, lower=usual) if usual != token.lower else token
    kinds = {m.kind for m in card.mentions if m.start <= token.start and token.end <= m.end}
    if kinds - {"predicate"}:
        return token
    verbs = verb_forms() if language.words("verbs", "common", "questions_only") else frozenset()
    words = verbs if kinds else closed_words | verbs
    return replace(token, lower=_nearest(token.lower, words) or token.lower)


def _nearest(word: str, words: frozenset[str]) -> str:
    """Return the one word at a distance of one letter; of several the one with the same ends, if it is one."""
    near = [each for each in words if abs(len(each) - len(word)) < 2 and OSA.distance(each, word, score_cutoff=1) == 1]
    alike = [each for each in near if len(each) >= _MIN_LETTERS and (each[0], each[-1]) == (word[0], word[-1])]
    return near[0] if len(near) == 1 else alike[0] if len(alike) == 1 else ""


@cache
def verb_forms() -> frozenset[str]:
    """Return the forms of verbs that questions are asked with, without those that nouns have too ("films")."""
    verbs = [verb for verb in word_set("verbs", "common", "questions_only") if len(verb) >= _MIN_LETTERS]
    return frozenset(form for verb in verbs for form in _regular_forms(verb))


def _regular_forms(verb: str) -> tuple[str, ...]:
    stem = verb.removesuffix("e")
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return f"{verb[:-1]}ied", f"{verb}ing"
    return f"{stem}ed", f"{stem}ing"


def render_tree(node: Node, tokens: Sequence[Token], depth: int = 0) -> str:
    """Return a tree as text, a node a line."""
    words = " ".join(token.text for token in tokens[node.start : node.end])
    lines = [f"{'  ' * depth}{node.category} [{words}] {node.score:.2f}"]
    lines += [render_tree(child, tokens, depth + 1) for child in node.children]
    return "\n".join(lines)
