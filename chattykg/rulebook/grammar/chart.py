"""The chart: all readings of all parts of a question, memoised, best first."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chattykg.rulebook.grammar.rules import Grammar, Item, Rule, Suffix

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


_Match = tuple[int, tuple[tuple[Item, Node | str], ...], float]
"""One way to match items: where it ends, the parts, and the sum of their scores."""


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
        self._nodes: list[dict[str, tuple[Node, ...]]] = [{} for _ in range(len(words) + 1)]
        self._matches: list[dict[Suffix, Sequence[_Match]]] = [{} for _ in range(len(words) + 1)]
        self._symbols = [*(self._symbols_at(start) for start in range(len(words))), frozenset()]
        self._steps = self._builds = self._depth = 0
        for start in reversed(range(len(words) if len(words) > LONG else 0)):
            for category in ("NPs", "VP"):
                self.nodes(category, start)

    def _symbols_at(self, start: int) -> frozenset[str]:
        """Return the word at a token, its lexical categories, and the categories that may begin with one of these."""
        names = {self._words[start], *self._categories(start)}
        return frozenset(names).union(*(self._grammar.openings.get(name, ()) for name in names))

    def nodes(self, category: str, start: int) -> tuple[Node, ...]:
        """Return the readings of a category that begin at a token, best first for each end."""
        known = self._nodes[start]
        if category in known:
            return known[category]
        if category not in self._symbols[start]:
            return ()
        if self._depth > MAX_DEPTH or self._builds > MAX_BUILDS:
            return ()
        known[category] = ()
        found = list(self._lexical(category, start))
        self._depth += 1
        for rule in self._grammar.by_category.get(category, ()):
            if not rule.suffix.symbols.isdisjoint(self._symbols[start]):
                self._apply(rule, start, found)
        self._depth -= 1
        known[category] = _best(found)
        return known[category]

    def _apply(self, rule: Rule, start: int, found: list[Node]) -> None:
        """Add the readings by one rule that begin at a token."""
        for end, children, score in self._match_first(rule.suffix, start):
            values: dict[str, Any] = dict.fromkeys([item.name for item in rule.items])
            for item, child in children:
                values[item.name] = child.meaning if isinstance(child, Node) else child
            meaning = rule.build(values)
            self._builds += 1
            if meaning is not None:
                parts = tuple([child for _, child in children if isinstance(child, Node)])
                found.append(Node(rule.category, start, end, score + rule.weight, meaning, rule, parts))

    def _match_first(self, suffix: Suffix | None, start: int) -> Iterator[_Match]:
        """Yield each way to match the items of a rule from a token on; the first part that matches is not empty."""
        if suffix is None:
            yield start, (), 0.0
            return
        self._steps += 1
        if self._steps > MAX_STEPS:
            return
        if suffix.item.is_optional:
            yield from self._match_first(suffix.rest, start)
        for part, after, part_score in self._parts(suffix.item, start):
            if after > start:
                for end, children, score in self._match(suffix.rest, after):
                    yield end, ((suffix.item, part), *children), score + part_score

    def _match(self, suffix: Suffix | None, start: int) -> Sequence[_Match]:
        """Return each way to match items from a token on."""
        if suffix is None:
            return ((start, (), 0.0),)
        known, cost = self._matches[start], self._skip_costs.get(start)
        if suffix in known:
            return known[suffix]
        is_hopeless = cost is None and not suffix.is_optional and suffix.symbols.isdisjoint(self._symbols[start])
        self._steps += not is_hopeless
        if is_hopeless or self._steps > MAX_STEPS:
            return ()
        item, rest = suffix.item, suffix.rest
        found = list(self._match(rest, start)) if item.is_optional else []
        for part, after, part_score in self._parts(item, start):
            matches = self._match(rest, after)
            found += [(end, ((item, part), *children), score + part_score) for end, children, score in matches]
        if cost is not None:
            matches = self._match(suffix, start + 1)
            found += [(end, children, score - cost) for end, children, score in matches if end > start + 1]
        known[suffix] = found
        return found

    def _parts(self, item: Item, start: int) -> Sequence[tuple[Node | str, int, float]]:
        """Return what one item matches from a token on, each with where it ends and its score."""
        if item.category:
            return [(node, node.end, node.score) for node in self.nodes(item.category, start)]
        if start < len(self._words) and self._words[start] in item.words:
            return ((self._words[start], start + 1, 0.0),)
        return ()


def _best(found: list[Node]) -> tuple[Node, ...]:
    """Keep the best readings for each end; of several with one meaning only the best."""
    kept: dict[int, list[Node]] = {}
    for node in sorted(found, key=lambda node: -node.score):
        rivals = kept.setdefault(node.end, [])
        if len(rivals) < BEAM and not any(rival.meaning == node.meaning for rival in rivals):
            rivals.append(node)
    best = [node for nodes in kept.values() for node in nodes]
    return tuple(sorted(best, key=lambda node: -node.score)[:MAX_NODES] if len(best) > MAX_NODES else best)
