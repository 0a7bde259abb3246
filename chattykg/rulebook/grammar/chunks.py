"""The chunks of a question, and what the forms of their words tell: plurals, participles, numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from chattyshared.language.closed_classes import IRREGULAR, NOUN_ING, NUMBERS, SCALES
from chattyshared.language.morphology import is_english_word, lemma_of
from chattyshared.language.quantities import normalize_quantity
from chattyshared.language.tokenizer import Token
from chattyshared.language.wordnet import antonyms, noun_kinds, similar_adjectives
from chattyshared.literals import parse_number

from chattykg.linking.vocabulary_card import Mention

ORDINAL_FORM = re.compile(r"(\d{1,3})(?:st|nd|rd|th)$")
_WITH_UNIT = re.compile(r"(\d+(?:\.\d+)?)([a-z%€$°]{1,6})$")


@dataclass(frozen=True, slots=True)
class Chunk:
    """Tokens ``start`` to ``end`` of a question and what is known of them.

    Attributes:
        text: The words as they are written.
        lower: The words in lower case.
        value: The number, date or period in its normal form.
        unit: The unit that is written together with a number ("20g").
        adjective: The positive form of a gradable adjective.
        country: The country of a demonym.
        group: The mention of a class.
        predicate: The mention of a predicate.
        classes: The IRIs of the class.
        types: The classes of the vertices that a name may name.
        is_numeric: It names a predicate of numbers.
        is_literal: It names a predicate of literals.
        is_plural: Its last word is a plural noun.
        is_naming: It is a word for names ("name", "title").
        is_known: The graph's vocabulary knows it.
        truths: The values for true and false of a predicate of truth values.
    """

    text: str
    lower: str
    start: int
    end: int
    value: str = ""
    unit: str = ""
    adjective: str = ""
    country: str = ""
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
    def is_class_only(self) -> bool:
        """Tell whether the words name a class and no predicate."""
        return self.group is not None and self.predicate is None


def is_plural(text: str, is_capital: bool) -> bool:
    """Tell whether the last word of a text is a plural noun."""
    last = text.lower().rsplit(" ", 1)[-1]
    if last in ("people", "children", "men", "women", "staff"):
        return True
    if not last.endswith("s") or last.endswith(("ss", "us", "is")):
        return False
    return lemma_of(last) != last or not is_capital and len(last) > 5 and not is_english_word(last)


def is_adjective(word: str) -> bool:
    """Tell whether a word is an adjective."""
    return bool(similar_adjectives(word) or antonyms(word, "adjective"))


def is_participle(word: str) -> bool:
    """Tell whether a word looks like a participle or a past form."""
    if word in IRREGULAR:
        return True
    if word.endswith("ing"):
        return word not in NOUN_ING and len(word) > 4
    return word.endswith("ed") and len(word) > 3 and word not in ("red", "speed", "breed", "seed", "hundred")


def is_only_participle(word: str) -> bool:
    """Tell whether a word is a participle or past form, and no noun ("born", not "cut")."""
    return is_participle(word) and not word.endswith("ing") and not noun_kinds(word)


def read_date(text: str) -> str:
    """Return the ISO form of a date of more than a year, or ""."""
    found = normalize_quantity(text)
    return found if re.fullmatch(r"\d{4}-\d\d(-\d\d)?", found) else ""


def read_number(tokens: Sequence[Token], position: int) -> Chunk | None:
    """Return the number that begins at a token, with its scale ("3 million") and unit ("20g")."""
    token, unit = tokens[position], ""
    value: Decimal | None = None
    if token.kind == "number":
        value = parse_number(token.lower.replace(",", "").lstrip("$€£"))
    elif token.lower == "a" and position + 1 < len(tokens) and tokens[position + 1].lower in SCALES:
        value = Decimal(1)
    elif token.lower in NUMBERS:
        value = Decimal(NUMBERS[token.lower])
    elif (found := _WITH_UNIT.match(token.lower)) and not ORDINAL_FORM.match(token.lower):
        value, unit = Decimal(found[1]) * SCALES.get(found[2], 1), found[2]
    if value is None:
        return None
    end = position + 1
    while end < len(tokens) and tokens[end].lower in SCALES and tokens[end].lower not in ("m", "k"):
        value *= SCALES[tokens[end].lower]
        end += 1
    text = f"{value:f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return Chunk(token.text, token.lower, position, end, value=text, unit="" if unit in SCALES else unit)
