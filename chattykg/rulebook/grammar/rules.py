"""The rule file: word classes and weighted rules, each with the expression that builds its meaning.

A line of a rule file is one of these::

    == Title: "example question" ==          a group of rules
    @be = is are was were                    a word class
    Q -> who|what VP : ask(list, VP) [0.2]   a rule: category, items, meaning, weight

An item is a category (``NP``), a choice of words (``who|what``), or a word class (``@be``). A ``?`` behind an item
makes it optional. In the meaning, a category stands for the meaning of its item (``NP2`` for the second ``NP``), a
lower-case word for itself, and ``f(...)`` for one of ``OPERATIONS``. A rule without a meaning passes its
first item on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from types import FunctionType
from typing import Any

from chattyshared.errors import ConfigError

from chattykg.rulebook.grammar import entities, properties, questions

Build = Callable[[Mapping[str, Any]], Any]
_RULE = re.compile(
    r"(?P<category>[A-Z][A-Za-z]*) -> (?P<items>.*?)(?: : (?P<meaning>.+?))?(?: \[(?P<weight>-?[\d.]+)\])?$"
)
_WORD_CLASS = re.compile(r"(?P<name>@[a-z_]+) = (?P<words>.+)$")
_GROUP = re.compile(r"== .+ ==$")
_PART = re.compile(r"[\w@<>=!.'+-]+|[(),]")
_MODULES = (entities, properties, questions)
OPERATIONS: Mapping[str, Callable[..., Any]] = {
    name.removesuffix("_"): function
    for module in _MODULES
    for name, function in vars(module).items()
    if isinstance(function, FunctionType) and function.__module__ == module.__name__ and not name.startswith("_")
}
"""The public functions of some modules, by name (``not`` for ``not_``)."""


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a rule: a category, or (``words``) one of some words; ``name`` is its name in the meaning."""

    name: str
    category: str = ""
    words: frozenset[str] = frozenset()
    is_optional: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Suffix:
    """The last items of rules: the first of them, and those behind it (None: there are no more).

    Rules that end alike share their suffixes, so that a chart matches each of them once from one token on. What it
    matches begins with one of the ``symbols``, words and categories; ``is_optional``: all items are, so it matches
    nothing too.
    """

    item: Item
    rest: Suffix | None
    symbols: frozenset[str]
    is_optional: bool


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """A rule with its weight (a log score; more is better) and the function that builds its meaning."""

    category: str
    items: tuple[Item, ...]
    suffix: Suffix
    build: Build
    weight: float
    text: str


@dataclass(frozen=True, eq=False)
class Grammar:
    """The rules of a language, and its word classes by their names."""

    rules: tuple[Rule, ...]
    word_classes: Mapping[str, frozenset[str]]

    @cached_property
    def by_category(self) -> Mapping[str, tuple[Rule, ...]]:
        """Return the rules of each category."""
        found: dict[str, list[Rule]] = {}
        for rule in self.rules:
            found.setdefault(rule.category, []).append(rule)
        return {category: tuple(rules) for category, rules in found.items()}

    @cached_property
    def beginnings(self) -> Mapping[str, frozenset[str]]:
        """Return for each category the words and the categories that it may begin with, itself included."""
        found = {rule.category: {rule.category} for rule in self.rules}
        grows = True
        while grows:
            sizes = sum(map(len, found.values()))
            for rule in self.rules:
                for item in rule.items:
                    found[rule.category] |= found.get(item.category, {item.category}) if item.category else item.words
                    if not item.is_optional:
                        break
            grows = sum(map(len, found.values())) > sizes
        return {category: frozenset(names) for category, names in found.items()}

    @cached_property
    def openings(self) -> Mapping[str, frozenset[str]]:
        """Return for each word and category the categories that may begin with it."""
        found: dict[str, set[str]] = {}
        for category, names in self.beginnings.items():
            for name in names:
                found.setdefault(name, set()).add(category)
        return {name: frozenset(categories) for name, categories in found.items()}

    @cached_property
    def words(self) -> frozenset[str]:
        """Return all words that rules name."""
        return frozenset(word for rule in self.rules for item in rule.items for word in item.words)


@cache
def load_grammar(language: str) -> Grammar:
    """Load the rules of a language.

    Raises:
        ConfigError: there is no rule file of this language, or a line of it is wrong.
    """
    path = files("chattykg.rulebook.grammar").joinpath(f"{language}.gram")
    if not path.is_file():
        raise ConfigError(f"there are no grammar rules for {language}")
    return read_grammar(path.read_text(encoding="utf-8"), OPERATIONS)


def read_grammar(text: str, operations: Mapping[str, Callable[..., Any]]) -> Grammar:
    """Read the text of a rule file; ``operations`` are the functions that meanings may call.

    Raises:
        ConfigError: a line is no rule, or its meaning is unreadable or calls an unknown operation.
    """
    classes: dict[str, frozenset[str]] = {}
    rules: list[Rule] = []
    suffixes: dict[tuple[Item, Suffix | None], Suffix] = {}
    for number, line in enumerate(text.splitlines(), 1):
        line = line.rstrip()
        if not line or line.startswith("#") or _GROUP.match(line):
            continue
        if found := _WORD_CLASS.match(line):
            classes[found["name"]] = frozenset(word.replace("_", " ") for word in found["words"].split())
        elif found := _RULE.match(line):
            items = _items(found["items"], classes, number)
            build = _Expression(found["meaning"] or items[0].name, items, operations, number).build
            suffix = _suffix_of(items, suffixes)
            rules.append(Rule(found["category"], items, suffix, build, float(found["weight"] or 0), line))
        else:
            raise ConfigError(f"line {number} of the grammar is no rule: {line}")
    return Grammar(tuple(rules), classes)


def _items(text: str, classes: Mapping[str, frozenset[str]], line: int) -> tuple[Item, ...]:
    items: list[Item] = []
    counts: dict[str, int] = {}
    for part in text.split():
        body = part.removesuffix("?") if len(part) > 1 else part
        if body[0].isupper():
            counts[body] = counts.get(body, 0) + 1
            name = body if counts[body] == 1 else f"{body}{counts[body]}"
            items.append(Item(name, category=body, is_optional=body != part))
            continue
        words: set[str] = set()
        for word in body.split("|"):
            if word.startswith("@") and word not in classes:
                raise ConfigError(f"line {line} of the grammar names an unknown word class: {word}")
            words |= classes[word] if word.startswith("@") else {word}
        items.append(Item(body, words=frozenset(words), is_optional=body != part))
    return tuple(items)


def _suffix_of(items: tuple[Item, ...], known: dict[tuple[Item, Suffix | None], Suffix]) -> Suffix:
    """Return the items of a rule as a suffix; ``known`` holds the suffixes of the rules before it."""
    item, rest = items[0], _suffix_of(items[1:], known) if len(items) > 1 else None
    own = frozenset((item.category,)) if item.category else item.words
    further = rest.symbols if rest and item.is_optional else frozenset()
    is_optional = item.is_optional and (rest is None or rest.is_optional)
    return known.setdefault((item, rest), Suffix(item, rest, own | further, is_optional))


class _Expression:
    """The expression of a rule's meaning, compiled to a function of the meanings of its items."""

    def __init__(
        self, text: str, items: tuple[Item, ...], operations: Mapping[str, Callable[..., Any]], line: int
    ) -> None:
        self._parts = _PART.findall(text)
        self._names, self._operations = {item.name for item in items}, operations
        self._place = f"line {line} of the grammar"
        self.build, _ = self._read()
        if self._parts:
            raise ConfigError(f"{self._place} has an unreadable meaning: {text}")

    def _read(self) -> tuple[Build, bool]:
        """Return the function of the next part, and whether it calls an operation."""
        if not self._parts:
            raise ConfigError(f"{self._place} has an unfinished meaning")
        head = self._parts.pop(0)
        if self._parts[:1] != ["("]:
            return self._leaf(head), False
        if head not in self._operations:
            raise ConfigError(f"{self._place} calls an unknown operation: {head}")
        self._parts.pop(0)
        arguments: list[tuple[Build, bool]] = []
        while self._parts[:1] != [")"]:
            arguments.append(self._read())
            if self._parts[:1] == [","]:
                self._parts.pop(0)
        self._parts.pop(0)
        return _call(self._operations[head], arguments), True

    def _leaf(self, head: str) -> Build:
        if head in self._names:
            return lambda values: values[head]
        if head[0].isupper():
            raise ConfigError(f"{self._place} names no item of its rule: {head}")
        constant = "" if head == "-" else head.replace("_", " ")
        return lambda values: constant


def _call(operation: Callable[..., Any], arguments: Sequence[tuple[Build, bool]]) -> Build:
    """Return the function that calls an operation; where an inner call has no meaning, the whole has none."""

    def build(values: Mapping[str, Any]) -> Any:
        found = [argument(values) for argument, _ in arguments]
        if any(value is None and is_call for value, (_, is_call) in zip(found, arguments, strict=True)):
            return None
        return operation(*found)

    return build
