"""The chart: all readings of all parts of a question, memoised, best first."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chattykg.rulebook.grammar.rules import Grammar, Item, Rule

# Origin of the numbers below: set by hand; the suites of tests/chattykg/rulebook read the same with larger ones.
BEAM = 4
"""Readings that are kept of one category between the same two tokens."""
MAX_NODES = 24
"""Readings that are kept of one category from the same token on, to whatever end."""
MAX_STEPS, MAX_BUILDS = 12_000, 2_500
"""Attempts to match an item, and meanings that are built, after which a parse goes no further."""
MAX_DEPTH = 80
"""Categories inside one another that are being read at a time; Python's stack holds about 100."""
LONG = 24
"""Tokens from which a text is read from its end on, so that little is read inside one another."""


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """One reading of ``tokens[start:end]`` as a category: its meaning, its score (more is better) and its parts."""

    category: str
    start: int
    end: int
    score: float
    meaning: Any
    rule: Rule | None = None
    children: tuple[Node, ...] = ()

    def leaves(self) -> Iterator[Node]:
        """Yield the lexical nodes, left to right."""
        if self.rule is None:
            yield self
        for child in self.children:
            yield from child.leaves()


class ParseChart:
    """A parse of one question.

    ``lexical`` returns the lexical nodes of a category that begin at a token; ``categories`` returns those categories.
    """

    def __init__(
        self,
        grammar: Grammar,
        words: Sequence[str],
        lexical: Callable[[str, int], Sequence[Node]],
        categories: Callable[[int], Collection[str]],
        skip_costs: Mapping[int, float],
    ) -> None:
        self._grammar, self._words, self._lexical, self._skip_costs = grammar, words, lexical, skip_costs
        self._categories = categories
        self._memo: dict[tuple[str, int], tuple[Node, ...]] = {}
        self._beginnings = grammar.beginnings
        self._steps = self._builds = self._depth = 0
        for start in reversed(range(len(words) if len(words) > LONG else 0)):
            for category in ("NPs", "VP"):
                self.nodes(category, start)

    def nodes(self, category: str, start: int) -> tuple[Node, ...]:
        """Return the readings of a category that begin at a token, best first for each end."""
        key = category, start
        if key in self._memo:
            return self._memo[key]
        if self._depth > MAX_DEPTH or self._builds > MAX_BUILDS:
            return ()
        self._memo[key] = ()
        if start >= len(self._words):
            return ()
        found, word = list(self._lexical(category, start)), self._words[start]
        beginnings = self._beginnings.get(category)
        if beginnings is None or word not in beginnings and beginnings.isdisjoint(self._categories(start)):
            self._memo[key] = _best(found)
            return self._memo[key]
        self._depth += 1
        rules = (*self._grammar.by_word.get((category, word), ()), *self._grammar.others.get(category, ()))
        for rule in rules:
            for end, children, score in self._match(rule.items, start, is_first=True):
                values: dict[str, Any] = dict.fromkeys((item.name for item in rule.items), None)
                values.update((item.name, c.meaning if isinstance(c, Node) else c) for item, c in children)
                meaning = rule.build(values)
                self._builds += 1
                if meaning is not None:
                    parts = tuple(child for _, child in children if isinstance(child, Node))
                    found.append(Node(category, start, end, score + rule.weight, meaning, rule, parts))
        self._depth -= 1
        self._memo[key] = _best(found)
        return self._memo[key]

    def _match(
        self, items: tuple[Item, ...], start: int, *, is_first: bool = False
    ) -> Iterator[tuple[int, tuple[tuple[Item, Node | str], ...], float]]:
        """Yield each way to match items from a token on: where it ends, the parts, and the sum of their scores."""
        if not items:
            yield start, (), 0.0
            return
        self._steps += 1
        if self._steps > MAX_STEPS:
            return
        item, rest = items[0], items[1:]
        if item.is_optional:
            yield from self._match(rest, start, is_first=is_first)
        for part, after in self._parts(item, start):
            if after > start or not is_first:
                for end, children, score in self._match(rest, after):
                    yield end, ((item, part), *children), score + (part.score if isinstance(part, Node) else 0.0)
        if not is_first and start in self._skip_costs:
            for end, children, score in self._match(items, start + 1):
                if end > start + 1:
                    yield end, children, score - self._skip_costs[start]

    def _parts(self, item: Item, start: int) -> Iterator[tuple[Node | str, int]]:
        """Yield what one item matches from a token on, with where it ends."""
        if item.category:
            yield from ((node, node.end) for node in self.nodes(item.category, start))
        elif start < len(self._words) and self._words[start] in item.words:
            yield self._words[start], start + 1


def _best(found: list[Node]) -> tuple[Node, ...]:
    """Keep the best readings for each end; of several with one meaning only the best."""
    kept: dict[int, list[Node]] = {}
    for node in sorted(found, key=lambda node: -node.score):
        rivals = kept.setdefault(node.end, [])
        if len(rivals) < BEAM and not any(rival.meaning == node.meaning for rival in rivals):
            rivals.append(node)
    best = [node for nodes in kept.values() for node in nodes]
    return tuple(sorted(best, key=lambda node: -node.score)[:MAX_NODES] if len(best) > MAX_NODES else best)
