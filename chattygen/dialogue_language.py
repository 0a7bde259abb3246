"""The language in which the questions of a dialogue are written: its question mark, and how names stand in it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_DOWN, Decimal

from chattyshared.errors import ConfigError
from chattyshared.kg import KnowledgeGraph
from chattyshared.language.identification import ENGLISH
from chattyshared.language.quantities import number_readings
from chattyshared.language.scripts import Language, contains_name, known_languages

_MAX_ENDING = 3
"""Letters of the longest ending of a name in other languages than English ("Nolans"); set by hand."""
_COMMON_MARKS = "?？"
"""Question marks that are read in every language, beside its own."""


@dataclass(frozen=True, slots=True)
class DialogueLanguage:
    """The language of a dialogue by its tag (``de``, ``pt-br``); English unless said."""

    tag: str = ENGLISH

    @property
    def is_english(self) -> bool:
        """Whether the rules for English wording hold."""
        return self._entry.tag == ENGLISH

    @property
    def is_spaced(self) -> bool:
        """Whether spaces stand between its words."""
        return self._entry.is_spaced

    def as_prompt_text(self) -> str:
        """Return the language, and what a prompt must say of it."""
        if self.is_english:
            return 'English that ends with "?"'
        name, mark = self._entry.name, self._entry.question_mark
        rule = f'contains "{mark}"' if self._marks_inside else f'ends with "{mark}"'
        return (
            f"{name} that {rule} (names and given texts stay letter by letter, numbers and dates are in digits as"
            f" {name} writes them; all else is said as a speaker of {name} says it, also what these rules and the lines"
            f" say in English; pronouns have the gender of their noun in {name}, or are left out where {name} does so)"
        )

    def asks(self, text: str) -> bool:
        """Tell whether a text carries one question mark where the language puts it."""
        marks = _COMMON_MARKS + self._entry.question_mark
        stripped = text.rstrip()
        if self._marks_inside and self._entry.question_mark in stripped:
            return True
        return stripped[-1:] in marks and stripped[-2:-1] not in marks if stripped else False

    def contains_name(self, text: str, name: str) -> bool:
        """Tell whether a text contains a name; in other languages than English with an ending, or within a word."""
        if self.is_english:
            return contains_name(text, name)
        before, after = self._entry.attached_letters
        start = r"(?<!\w)" if not before else ""
        end = "" if after else rf"\w{{0,{_MAX_ENDING}}}(?!\w)"
        return contains_name(text, name) or bool(
            re.search(f"{start}{re.escape(name.casefold())}{end}", text.casefold())
        )

    @property
    def _marks_inside(self) -> bool:
        return self._entry.question_mark in _MARKS_INSIDE

    @property
    def _entry(self) -> Language:
        return find_language(self.tag)


_MARKS_INSIDE = "՞"
"""Question marks that stand on a vowel of the word that is asked for."""


def primary_subtag(tag: str) -> str:
    """Return the language of a tag without region and script: "pt" of "pt-BR"."""
    return tag.replace("_", "-").partition("-")[0].casefold()


def find_language(tag: str) -> Language:
    """Return the language of a tag.

    Raises:
        ConfigError: the table of languages does not have it.
    """
    main = primary_subtag(tag)
    known = {language.tag: language for language in known_languages()}
    if main not in known:
        raise ConfigError(f"--lang {tag}: unknown language; there are {', '.join(sorted(known))}")
    return known[main]


def prefer_labels(kg: KnowledgeGraph, tags: Iterable[str]) -> KnowledgeGraph:
    """Return the KG with its labels preferred in the first of these languages that it has; the same KG if none."""
    first = next((tag for tag in tags if tag in kg.profile.languages), "")
    return kg.with_language(first) if first else kg


def numbers_in(text: str) -> frozenset[Decimal]:
    """Return the numbers in a text, in any digits, with the separators of any language, and their parts."""
    numbers = number_readings(text)
    parts = (Decimal(digits) for digits in re.findall(r"\d+", text))
    return numbers.union(parts, (number.to_integral_value(ROUND_DOWN) for number in numbers))
