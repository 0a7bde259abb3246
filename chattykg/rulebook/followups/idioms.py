"""Idioms: the rows of ``followups.toml`` of a language, and a question as they are matched with it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from chattyshared.language.languages import QuestionLanguage
from chattyshared.language.lexicon import alternation, load_lexicon
from chattyshared.language.tokenizer import LONGEST, Token, tokenize

NAME = "\ue000"
"""The mark that stands for each character of a name."""
_PART = re.compile(r"@(\w+)")
_END = " ?!.,"


@dataclass(frozen=True, slots=True)
class Row:
    """An idiom: what it looks like (``find``, ``before``), what is said for it, and what else its row tells."""

    find: re.Pattern[str]
    before: re.Pattern[str] | None
    say: str
    kind: str
    traits: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Idioms:
    """The idioms of a language by table, and its other patterns by name."""

    tables: Mapping[str, tuple[Row, ...]]
    patterns: Mapping[str, re.Pattern[str]]
    joining: Mapping[str, str]
    superlatives: Mapping[str, str]
    positions: Mapping[str, int]
    outer: tuple[re.Pattern[str], ...]
    bound: tuple[re.Pattern[str], ...]


@cache
def load_idioms(language: QuestionLanguage) -> Idioms:
    """Return the idioms of a language; it has none if its ``followups.toml`` has no ``parts``."""
    lists = load_lexicon("closed_classes", language.name) | load_lexicon("followups", language.name)
    parts = {**lists.get("parts", {}), "function": alternation(language.function_words), "name": f"(?:{NAME}+)"}

    def expand(match: re.Match[str]) -> str:
        part = parts.get(match[1])
        return f"(?:{alternation(lists[match[1]])})" if part is None else _PART.sub(expand, part)

    def compile_text(text: str) -> re.Pattern[str]:
        return re.compile(_PART.sub(expand, text))

    def row(entry: Mapping[str, Any]) -> Row:
        before = compile_text(entry["before"]) if "before" in entry else None
        return Row(compile_text(entry.get("find", "")), before, entry.get("say", "{}"), entry.get("kind", ""), entry)

    tables = ("openings", "references", "additions", "completions", "wholes", "descriptions")
    patterns = ("fragment_opening", "fragment", "bare_fragment", "inward", "choosing", "counting")
    return Idioms(
        {table: tuple(map(row, lists.get(table, ()))) for table in tables},
        {name: compile_text(lists[name]) for name in patterns},
        lists["joining"],
        lists["superlatives"],
        {**language.ordinals, **lists["positions"]},
        tuple(map(compile_text, lists["outer"])),
        tuple(map(compile_text, lists["bound"])),
    )


@dataclass(frozen=True, slots=True)
class Utterance:
    """A question, and the same with marks in the place of its names; its first letter is small if it begins none."""

    text: str
    masked: str
    tokens: tuple[Token, ...]

    def whole(self) -> str:
        """Return the masked text without the marks at its end."""
        return self.masked.rstrip(_END)

    def groups(self, match: re.Match[str]) -> dict[str, str]:
        """Return the named groups of a match in the masked text as the question writes them."""
        spans = {name: match.span(name) for name, value in match.groupdict().items() if value is not None}
        return {name: self.text[start:end] for name, (start, end) in spans.items()} | {
            "whole": self.text[: match.end()]
        }

    def token_at(self, start: int) -> int:
        """Return the index of the token at a place."""
        return next(index for index, token in enumerate(self.tokens) if token.end > start)


def read_utterance(text: str, language: QuestionLanguage, names: Iterable[str]) -> Utterance:
    """Mark the names in a question: what is quoted or written as names are, and the given names.

    Of a text that is longer than the tokenizer reads nothing is matched.
    """
    if len(text) > LONGEST:
        return Utterance(text, "", ())
    tokens = tokenize(text)
    spans = [(t.start - 1, t.end + 1) for t in tokens if t.kind == "quoted"]
    spans += [(t.start, t.end) for at, t in enumerate(tokens) if _is_name(tokens, at, language)]
    for name in names:
        spans += [match.span() for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE)]
    marked = list(text[:1].lower() + text[1:])
    for start, end in spans:
        marked[start:end] = NAME * (end - start)
    masked = re.sub(f"(?<={NAME}) (?={NAME})", NAME, "".join(marked))
    return Utterance(text, masked, tokens)


def _is_name(tokens: Sequence[Token], at: int, language: QuestionLanguage) -> bool:
    """Tell whether a token is written as names are; at the beginning of a question every word has a capital."""
    token = tokens[at]
    if token.kind != "word" or not language.is_name_like(token.text) or token.lower in language.function_words:
        return False
    others = [other for other in tokens if other.kind != "mark"]
    is_alone = len(others) == 1 or others[1].kind == "possessive" or others[1].text[:1].isupper()
    return at > 0 or is_alone and token.lower not in language.commands
