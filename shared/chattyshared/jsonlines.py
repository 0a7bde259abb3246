"""JSON Lines files: read with line numbers, written whole or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, NoReturn, TextIO

import jsonschema

from chattyshared.check import truncate_middle
from chattyshared.errors import BenchmarkInvalid, ConfigError, file_write_error

_LARGEST = 1e100
"""The largest number that is taken: a float holds it, and the sums and squares that statistics make of it."""


def to_json_line(value: Any) -> str:
    """Return one line of JSON (no line end): keys as given, no escapes but those that JSON needs."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def to_lexical_form(value: Any) -> str:
    """Return a JSON scalar as the lexical form of a literal: ``true``, ``5``, text as it is; null is empty."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value)


def parse_json(text: str | bytes, **hooks: Any) -> Any:
    """Parse JSON that somebody else wrote; ``hooks`` are those of ``json.loads``.

    Raises:
        ValueError: it is no JSON, or nested too deeply for the parser.
    """
    try:
        return json.loads(text, **hooks)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def read_lines(path: Path, *, skip_partial_line: bool = False) -> Iterator[tuple[int, Any]]:
    """Yield each line that is not blank, parsed, with its number (from 1).

    With ``torn``, a last line that lost its end (its writer was killed) is left out instead of refused.

    Raises:
        ConfigError: the file is not there or cannot be read.
        BenchmarkInvalid: a line is not UTF-8 or not JSON.
    """
    try:
        with path.open("rb") as file:
            for number, raw in enumerate(file, 1):
                if not raw.strip(b" \t\r\n\xef\xbb\xbf") or (skip_partial_line and not raw.endswith(b"\n")):
                    continue
                yield number, _parsed(raw, path, number)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from error


def _parsed(raw: bytes, path: Path, number: int) -> Any:
    try:
        # The mark that some editors set in front of a file is no part of its first line.
        text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
        return parse_json(text, parse_constant=_refuse, parse_float=_float, parse_int=_int)
    except UnicodeDecodeError as error:
        raise BenchmarkInvalid(f"not UTF-8 (byte {error.start + 1})", file=str(path), line=number) from error
    except json.JSONDecodeError as error:
        raise BenchmarkInvalid(f"not JSON: {error.msg} (column {error.colno})", file=str(path), line=number) from error
    except ValueError as error:
        raise BenchmarkInvalid(f"not JSON: {error}", file=str(path), line=number) from error


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{truncate_middle(name)} is no JSON number")


def _float(written: str) -> float:
    number = float(written)
    if abs(number) > _LARGEST:
        raise ValueError(f"{truncate_middle(written)} is too large a number")
    return number


def _int(written: str) -> int:
    _float(written)
    return int(written)


class LineSchema:
    """One definition of a shipped JSON Schema, as a check of single lines."""

    def __init__(self, resource: str, definition: str) -> None:
        self._validator = jsonschema.Draft202012Validator(
            {"$ref": f"#/$defs/{definition}", "$defs": _schema(resource)["$defs"]}
        )

    def check(self, value: Any, *, file: Path, line: int) -> None:
        """Check one parsed line.

        Raises:
            BenchmarkInvalid: it does not keep the schema; names file, line and JSON path of the first thing wrong.
        """
        found = sorted(self._validator.iter_errors(value), key=lambda error: [str(part) for part in error.path])
        if found:
            raise BenchmarkInvalid(
                truncate_middle(found[0].message), file=str(file), line=line, path=found[0].json_path
            )


@cache
def _schema(resource: str) -> Mapping[str, Any]:
    schema: Mapping[str, Any] = json.loads(files("chattydata").joinpath(resource).read_text(encoding="utf-8"))
    return schema


def open_text(path: Path, mode: Literal["a", "w"]) -> TextIO:
    """Open a file of JSON text for writing.

    Half a surrogate pair, which a terminal or a model may hand in and UTF-8 cannot hold, becomes a JSON escape.
    """
    return path.open(mode, encoding="utf-8", errors="backslashreplace", newline="\n")


def write_atomically(path: Path, lines: Iterable[str]) -> None:
    """Write a text file so that it is there whole or not at all; each line gets its line end.

    Raises:
        ConfigError: the file cannot be written.
        StorageFailed: the disk takes no more.
    """
    beside = path.with_name(f"{path.name}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open_text(beside, "w") as file:
            for line in lines:
                file.write(line + "\n")
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        with suppress(OSError):
            beside.unlink()
        raise file_write_error(path, error) from error
