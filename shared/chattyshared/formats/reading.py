"""What the readers of other people's formats share: values with their paths, one language of several, the result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from chattyshared.errors import BenchmarkInvalid, ConfigError
from chattyshared.jsonlines import to_lexical_form
from chattyshared.questions import Question

_TYPE_NAMES: Mapping[type, str] = {
    dict: "an object", list: "a list", str: "a text", bool: "true or false", int: "a number", float: "a number",
    type(None): "nothing",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class JsonNode:
    """One value of a file; ``path`` is its JSON path. An absent value is a node whose value is None."""

    value: Any
    file: str
    path: str = "$"

    def __getitem__(self, key: str) -> JsonNode:
        """Return the value of a key of an object.

        Raises:
            BenchmarkInvalid: this is no object.
        """
        return JsonNode(self.mapping().get(key), self.file, f"{self.path}.{key}")

    def __contains__(self, key: str) -> bool:
        return isinstance(self.value, dict) and self.value.get(key) is not None

    def mapping(self) -> Mapping[str, Any]:
        """Return an object's keys and values.

        Raises:
            BenchmarkInvalid: this is no object.
        """
        if not isinstance(self.value, dict):
            raise self.wrong_type("an object")
        return self.value

    def elements(self) -> Iterator[JsonNode]:
        """Yield the elements of a list; nothing if it is absent.

        Raises:
            BenchmarkInvalid: this is no list.
        """
        if self.value is None:
            return
        if not isinstance(self.value, list):
            raise self.wrong_type("a list")
        for index, value in enumerate(self.value):
            yield JsonNode(value, self.file, f"{self.path}[{index}]")

    def text(self, *, is_required: bool = True) -> str:
        """Return a text without whitespace at its ends; it may be absent unless ``is_required``.

        Raises:
            BenchmarkInvalid: this is no text, or it is empty and ``is_required``.
        """
        if self.value is None and not is_required:
            return ""
        if not isinstance(self.value, str):
            raise self.wrong_type("a text")
        if is_required and not self.value.strip():
            raise self.invalid("an empty text")
        return self.value.strip()

    def lexical_form(self) -> str:
        """Return a text, a number or a boolean in its lexical form.

        Raises:
            BenchmarkInvalid: this is an object, a list, or nothing.
        """
        if self.value is None or isinstance(self.value, dict | list):
            raise self.wrong_type("a text or a number")
        return to_lexical_form(self.value)

    def id(self, default: str | int) -> str | int:
        """Return an id as the file has it; ``default`` if it is absent.

        Raises:
            BenchmarkInvalid: this is neither a text nor a whole number.
        """
        if self.value is None:
            return default
        if isinstance(self.value, bool) or not isinstance(self.value, str | int):
            raise self.wrong_type("an id (a text or a whole number)")
        return self.value

    def invalid(self, message: str) -> BenchmarkInvalid:
        """Return an error about this value."""
        return BenchmarkInvalid(message, file=self.file, path=self.path)

    def wrong_type(self, expected: str) -> BenchmarkInvalid:
        """Return the error for a value of another type than ``expected``."""
        return self.invalid(f"{expected} should stand here, not {_TYPE_NAMES.get(type(self.value), 'this')}")


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """Questions in the file's order, sentences on what was left out or is unknown, the prefixes that the file's queries
    use without declaration, and the name of the file of the gold answers, if it is another one."""

    questions: tuple[Question, ...]
    notes: tuple[str, ...] = ()
    prefixes: Mapping[str, str] = field(default_factory=dict)
    answers_file: str = ""


def drop_empty(**options: Any) -> dict[str, Any]:
    """Return the further keys of a question (``sparql``, ``standalone`` ...) whose values are not empty."""
    return {key: value for key, value in options.items() if value not in (None, "", [])}


@dataclass(frozen=True, slots=True)
class LanguageSelection:
    """The selected tag in its most frequent spelling, and the text of each question; empty if it has none."""

    lang: str
    texts: tuple[str, ...]

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence on the number of questions that are left out, if there are any."""
        missing = self.texts.count("")
        return (f"questions that are not in the language {self.lang!r}, left out: {missing}",) if missing else ()


def select_language(texts: Sequence[Mapping[str, str]], language: str, file: str) -> LanguageSelection:
    """Select one language; ``texts`` holds each question's wordings by language tag.

    ``language`` may omit the region (``pt`` selects ``pt_BR``); empty means English, else the most frequent language.

    Raises:
        ConfigError: no question is in this language; the message lists the languages.
    """
    tags = Counter(tag for wordings in texts for tag, text in wordings.items() if text)
    if not tags:
        raise ConfigError(f"{file}: no question has a text")
    by_frequency = [tag for tag, _ in tags.most_common()]
    lang = language or (matching_tags("en", by_frequency) and "en") or by_frequency[0]
    matching = matching_tags(lang, by_frequency)
    if not matching:
        raise ConfigError(f"{file}: no question is in the language {language!r}; there are {', '.join(sorted(tags))}")
    return LanguageSelection(
        matching[0], tuple(next((each[tag] for tag in matching if each.get(tag)), "") for each in texts)
    )  # fmt: skip


def matching_tags(language: str, tags: Iterable[str]) -> list[str]:
    """Return the tags of a language: the same tag in any spelling, else its tags with a region."""
    normalized_tags = {tag: tag.replace("_", "-").casefold() for tag in tags}
    normalized_language = language.replace("_", "-").casefold()
    return [tag for tag, normalized in normalized_tags.items() if normalized == normalized_language] or [
        tag for tag, normalized in normalized_tags.items() if normalized.startswith(f"{normalized_language}-")
    ]
