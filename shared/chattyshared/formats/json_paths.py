"""A value in a parsed JSON or YAML file together with its path, for readers of other people's formats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from chattyshared.errors import BenchmarkInvalid
from chattyshared.jsonlines import to_lexical_form

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
