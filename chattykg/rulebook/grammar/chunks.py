"""The chunks of a question, and the numbers among them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from chattyshared.language.languages import QuestionLanguage
from chattyshared.language.tokenizer import Token
from chattyshared.literals import parse_number

from chattykg.linking.vocabulary_card import Mention

ORDINAL_FORM = re.compile(r"(\d{1,3})(?:st|nd|rd|th)$")
_ACRONYM = re.compile(r"[A-Z]{2,}s?")
_WITH_UNIT = re.compile(r"(\d+(?:\.\d+)?)([a-z%€$°]{1,6})$")


@dataclass(frozen=True, slots=True)
class Chunk:
    """Tokens ``start`` to ``end`` of a question and what is known of them.

    ``value`` is the normal form of a number, a date or a period, ``unit`` what is written together with it ("20g");
    ``adjective`` the positive form of a gradable one. ``group`` and ``predicate`` are the mentions of a class
    (``classes``: their IRIs) and of a predicate, which may be one of literals or of numbers; ``truths`` are its values
    for true and false. ``types`` are the classes of what a name may name. ``is_plural``: the last word is a plural
    noun; ``is_naming``: a word for names ("title"); ``is_known``: the graph's vocabulary has it.
    """

    text: str
    lower: str
    start: int
    end: int
    value: str = ""
    unit: str = ""
    adjective: str = ""
    group: Mention | None = None
    predicate: Mention | None = None
    classes: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()
    is_literal: bool = False
    is_numeric: bool = False
    is_plural: bool = False
    is_naming: bool = False
    is_known: bool = False
    truths: tuple[str, str] | None = None

    @property
    def is_kind(self) -> bool:
        """Tell whether the words name a thing or a value only, which may be a kind ("two dogs" of a species)."""
        return self.is_known and self.group is None and self.predicate is None

    @property
    def is_acronym(self) -> bool:
        """Tell whether the words are one of capital letters, perhaps with the ending of a plural ("IPAs")."""
        return _ACRONYM.fullmatch(self.text) is not None

    @property
    def is_class_only(self) -> bool:
        """Tell whether the words name a class and no predicate."""
        return self.group is not None and self.predicate is None


def read_number(tokens: Sequence[Token], position: int, language: QuestionLanguage) -> Chunk | None:
    """Return the number that begins at a token, with its scale ("3 million") and unit ("20g")."""
    token, unit, scales = tokens[position], "", language.scales
    value: Decimal | None = None
    if token.kind == "number":
        value = parse_number(language.morphology.read_digits(token.lower).lstrip("$€£"))
    elif token.lower == "a" and position + 1 < len(tokens) and tokens[position + 1].lower in scales:
        value = Decimal(1)
    elif token.lower in language.numbers:
        value = Decimal(language.numbers[token.lower])
    elif (found := _WITH_UNIT.match(token.lower)) and not ORDINAL_FORM.match(token.lower):
        value, unit = Decimal(found[1]) * scales.get(found[2], 1), found[2]
    if value is None:
        return None
    end = position + 1
    while end < len(tokens) and tokens[end].lower in scales and tokens[end].lower not in ("m", "k"):
        value *= scales[tokens[end].lower]
        end += 1
    text = f"{value:f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return Chunk(token.text, token.lower, position, end, value=text, unit="" if unit in scales else unit)
