"""Plain text with one question per line, distinguished from the other formats by its first line."""

from __future__ import annotations

import json
import re
from pathlib import Path

from chattyshared.errors import BenchmarkInvalid, ConfigError
from chattyshared.formats.table import is_table_head
from chattyshared.questions import Question

MAX_LINE_LENGTH = 2_000
"""Characters of the longest line that counts as a question."""
MAX_FILE_BYTES = 64 << 20
"""Bytes of the largest file that is read as plain text."""
_HEAD_BYTES = 1 << 16
_STRUCTURED = re.compile(
    r"""[{\[<@%]                                              # JSON, XML, N-Triples, Turtle, a directive of YAML
    |   ---|-\s|\?\s|[\w.-]+:(?:\s|$)                         # a document, a list or a mapping of YAML
    |   (?:prefix|base)\s+[\w-]*:?\s*<                        # RDF and SPARQL
    |   (?:select|ask|construct|describe)\b.*(?:\{|[?$]\w)    # a query
    |   ["']?(?:id|qid|no|nr|number|question)["']?\s*[,;\t|]  # the head of a table
    """,
    re.IGNORECASE | re.VERBOSE,
)


def read_plain_text(path: Path) -> tuple[Question, ...] | None:
    """Read the questions of a text file; None if it is empty or its first line belongs to another format.

    Blank lines and those that start with ``#`` are skipped; a question's id is the number of its line.

    Raises:
        ConfigError: the file does not exist or cannot be read.
        BenchmarkInvalid: it is binary or too large, or a line is no question.
    """
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
            first = next((line for _, line in _lines(head.decode("utf-8-sig", "replace"))), "")
            if not first or _is_structured(first) or is_table_head(first):
                return None
            if b"\0" in head:
                raise BenchmarkInvalid("is a binary file, no text in UTF-8", file=str(path))
            content = head + file.read(MAX_FILE_BYTES)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from error
    if len(content) > MAX_FILE_BYTES:
        raise BenchmarkInvalid(
            f"is larger than {MAX_FILE_BYTES >> 20} MB, too large for a text of questions", file=str(path)
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BenchmarkInvalid(f"not UTF-8 (byte {error.start + 1})", file=str(path)) from error
    return tuple(Question(number, _check_question(line, path, number)) for number, line in _lines(text))


def _lines(text: str) -> list[tuple[int, str]]:
    """Return the lines with content and their numbers, for any kind of line end."""
    stripped = enumerate(map(str.strip, re.split(r"\r\n|\r|\n", text)), 1)
    return [(number, line) for number, line in stripped if line and not line.startswith("#")]


def _is_structured(line: str) -> bool:
    """Tell whether the first line of a file belongs to JSON, YAML, RDF, a query or a table."""
    if _STRUCTURED.match(line):
        return True
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def _check_question(line: str, path: Path, number: int) -> str:
    """Return a line that may be a question.

    Raises:
        BenchmarkInvalid: it is too long, or has characters that no question has.
    """
    if len(line) > MAX_LINE_LENGTH:
        raise BenchmarkInvalid(f"longer than {MAX_LINE_LENGTH:,} characters, no question", file=str(path), line=number)
    if "\t" in line or line[0] in "{[":
        raise BenchmarkInvalid("a text of questions has one question a line, nothing else", file=str(path), line=number)
    if any(letter < " " or letter == "\x7f" for letter in line):
        raise BenchmarkInvalid("holds control characters, no question", file=str(path), line=number)
    return line
