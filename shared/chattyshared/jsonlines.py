"""Untrusted JSON, and JSON Lines files: read with line numbers, written whole or not at all."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, NoReturn, TextIO

import jsonschema

from chattyshared.check import truncate_middle
from chattyshared.errors import BenchmarkInvalid, ConfigError, file_write_error
from chattyshared.formats.box import open_jsonl
from chattyshared.runs.lock import is_device

_MAX_NUMBER = 1e100
"""The largest number of a line: a float holds it, and the sums and squares that statistics make of it."""
_MAX_DIGITS = 300
"""Digits of a whole number in untrusted JSON: every float holds so many."""
_MAX_DEPTH = 100
"""Levels of nesting in untrusted JSON: code that walks a value recurses."""
_MAX_PARTS = 1_000_000
"""Objects, arrays and commas in untrusted JSON: a few bytes of each become a hundred in memory."""
_HALF_PAIR = re.compile(r"[\ud800-\udfff]|\\u[dD][89a-fA-F]")


def to_json_line(value: Any) -> str:
    """Return one line of JSON (no line end): keys as given, no escapes but those that JSON needs."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def to_lexical_form(value: Any) -> str:
    """Return a JSON scalar as the lexical form of a literal: ``true``, ``5``, a string unchanged; empty for null."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value)


def parse_json(text: str | bytes, **hooks: Any) -> Any:
    """Parse JSON of any source; ``hooks`` are those of ``json.loads``.

    Raises:
        ValueError: it is no JSON, or nested too deeply for the parser.
    """
    try:
        return json.loads(text, **hooks)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def parse_untrusted_json(text: str | bytes, *, nonfinite_as_null: bool = False) -> Any:
    """Parse JSON that a server or a model sent; half a surrogate pair in it becomes a question mark.

    With ``nonfinite_as_null``, numbers that JSON or a float does not know (NaN, 1e999) become null; else they are
    refused.

    Raises:
        ValueError: it is not JSON, is nested too deeply, has too many parts, or numbers that no float holds.
    """
    text = text.decode("utf-8-sig") if isinstance(text, bytes) else text
    if sum(map(text.count, "[{,")) > _MAX_PARTS:
        raise ValueError("too many parts")
    value = parse_json(text, **(_LENIENT_HOOKS if nonfinite_as_null else STRICT_HOOKS))
    _check_depth(value)
    if _HALF_PAIR.search(text):
        # UTF-8 cannot hold half a surrogate pair: it would break every file that it reaches.
        return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace").decode("utf-8"))
    return value


def read_lines(path: Path, *, skip_partial_line: bool = False) -> Iterator[tuple[int, Any]]:
    """Yield each line that is not blank, parsed, with its number (from 1); of a box, those of its benchmark.

    With ``skip_partial_line``, a last line without its line end (its writer was killed) is left out, not refused.

    Raises:
        ConfigError: the file is not there or cannot be read.
        BenchmarkInvalid: a line is not UTF-8 or not JSON.
    """
    try:
        with open_jsonl(path) as file:
            for number, raw in enumerate(file, 1):
                if not raw.strip(b" \t\r\n\xef\xbb\xbf") or (skip_partial_line and not raw.endswith(b"\n")):
                    continue
                yield number, _parse_line(raw, path, number)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from error


def _parse_line(raw: bytes, path: Path, number: int) -> Any:
    try:
        # Some editors write a byte order mark at the start of a file.
        text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
        return parse_json(text, parse_constant=_refuse, parse_float=_read_float, parse_int=_read_int)
    except UnicodeDecodeError as error:
        raise BenchmarkInvalid(f"not UTF-8 (byte {error.start + 1})", file=str(path), line=number) from error
    except json.JSONDecodeError as error:
        raise BenchmarkInvalid(f"not JSON: {error.msg} (column {error.colno})", file=str(path), line=number) from error
    except ValueError as error:
        raise BenchmarkInvalid(f"not JSON: {error}", file=str(path), line=number) from error


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _read_float(text: str) -> float:
    number = float(text)
    if abs(number) > _MAX_NUMBER:
        raise ValueError(f"{truncate_middle(text)} is too large a number")
    return number


def _read_int(text: str) -> int:
    _read_float(text)
    return int(text)


def _read_finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:40]} is too large")
    return number


def _read_short_int(text: str) -> int:
    if len(text) > _MAX_DIGITS:
        raise ValueError(f"a number of {len(text)} digits is too large")
    return int(text)


def _or_null(read: Callable[[str], Any]) -> Callable[[str], Any]:
    def read_or_null(text: str) -> Any:
        try:
            return read(text)
        except ValueError:
            return None

    return read_or_null


STRICT_HOOKS: Mapping[str, Any] = {
    "strict": False, "parse_float": _read_finite, "parse_int": _read_short_int, "parse_constant": _refuse,
}  # fmt: skip
"""The hooks of ``json.loads`` for untrusted JSON: control characters in strings pass, NaN and Infinity do not."""
_LENIENT_HOOKS = {name: _or_null(hook) if name != "strict" else hook for name, hook in STRICT_HOOKS.items()}


def _check_depth(value: Any) -> None:
    level = [value]
    for _ in range(_MAX_DEPTH):
        holders = [part for part in level if isinstance(part, dict | list)]
        if not holders:
            return
        level = [part for holder in holders for part in (holder.values() if isinstance(holder, dict) else holder)]
    raise ValueError("nested too deeply")


class LineSchema:
    """One definition of a shipped JSON Schema that checks single lines."""

    def __init__(self, resource: str, definition: str) -> None:
        self._validator = jsonschema.Draft202012Validator(
            {"$ref": f"#/$defs/{definition}", "$defs": _schema(resource)["$defs"]}
        )

    def check(self, value: Any, *, file: Path, line: int) -> None:
        """Check one parsed line.

        Raises:
            BenchmarkInvalid: it breaks the schema; carries file, line and JSON path of the first error.
        """
        errors = sorted(self._validator.iter_errors(value), key=lambda error: [str(part) for part in error.path])
        if errors:
            raise BenchmarkInvalid(
                truncate_middle(errors[0].message), file=str(file), line=line, path=errors[0].json_path
            )


@cache
def _schema(resource: str) -> Mapping[str, Any]:
    schema: Mapping[str, Any] = json.loads(files("chattydata").joinpath(resource).read_text(encoding="utf-8"))
    return schema


def open_text(path: Path, mode: Literal["a", "w"]) -> TextIO:
    """Open a file of JSON text for writing.

    Half a surrogate pair, which UTF-8 cannot hold, becomes a JSON escape.
    """
    return path.open(mode, encoding="utf-8", errors="backslashreplace", newline="\n")


def output_path(path: object) -> Path:
    """Return the path of a file that a Python caller names.

    Raises:
        ConfigError: it is no path, or a folder.
    """
    if not isinstance(path, str | os.PathLike):
        raise ConfigError(f"{path!r:.100} is no path of a file")
    if Path(path).is_dir():
        raise ConfigError(f"{path}: is a folder, not a file")
    return Path(path)


def write_atomically(path: Path, lines: Iterable[str]) -> None:
    """Write a text file whole or not at all; each line gets its line end. A device is written to, not replaced.

    Raises:
        ConfigError: the file cannot be written.
        StorageFailed: the disk is full.
    """
    temporary = path.with_name(f"{path.name}.tmp")
    try:
        if is_device(path):
            with open_text(path, "w") as file:
                file.writelines(f"{line}\n" for line in lines)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        with open_text(temporary, "w") as file:
            for line in lines:
                file.write(line + "\n")
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink()
        raise file_write_error(path, error) from error
