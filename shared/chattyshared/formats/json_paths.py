"""A value within a parsed file, with where it stands: what readers of foreign JSON and YAML take apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from chattyshared.errors import BenchmarkInvalid
from chattyshared.jsonlines import to_lexical_form

_NAMES: Mapping[type, str] = {
    dict: "an object", list: "a list", str: "a text", bool: "true or false", int: "a number", float: "a number",
    type(None): "nothing",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class JsonNode:
    """One value of a file; ``path`` is its JSON path. What is absent is a part whose value is None."""

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
        """Yield the elements of a list; nothing where there is none.

        Raises:
            BenchmarkInvalid: this is no list.
        """
        if self.value is None:
            return
        if not isinstance(self.value, list):
            raise self.wrong_type("a list")
        for place, value in enumerate(self.value):
            yield JsonNode(value, self.file, f"{self.path}[{place}]")

    def text(self, *, is_required: bool = True) -> str:
        """Return a text, without blanks at its ends; unless it is ``needed``, it may be absent.

        Raises:
            BenchmarkInvalid: this is no text, or an empty one where one is needed.
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
        """Return an id as the file has it; ``otherwise`` where it has none.

        Raises:
            BenchmarkInvalid: this is neither a text nor a whole number.
        """
        if self.value is None:
            return default
        if isinstance(self.value, bool) or not isinstance(self.value, str | int):
            raise self.wrong_type("an id (a text or a whole number)")
        return self.value

    def invalid(self, message: str) -> BenchmarkInvalid:
        """Return the error that says what is wrong here."""
        return BenchmarkInvalid(message, file=self.file, path=self.path)

    def wrong_type(self, expected: str) -> BenchmarkInvalid:
        """Return the error for a value of another kind than is wanted."""
        return self.invalid(f"{expected} should stand here, not {_NAMES.get(type(self.value), 'this')}")
