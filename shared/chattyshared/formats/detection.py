"""Which format of the field a file is in, told by its content; never by its name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

import yaml

from chattyshared.errors import BenchmarkInvalid, ConfigError
from chattyshared.jsonlines import parse_json

_YAML: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DEEPEST_YAML = 100
_MOST_NODES = 10_000_000
"""Nodes of a YAML file, each counted as often as aliases repeat it."""

FileFormat = Literal[
    "benchmark", "questions", "qald", "lc-quad", "lc-quad-2", "chatty-gen", "convquestions", "text2sparql", "maestro",
]  # fmt: skip
"""The formats; ``qald`` stands for KGQAn's sets and Chatty-KG's files as well."""

KNOWN_FORMATS = (
    "a benchmark or a file of questions of ours (JSON Lines), QALD, LC-QuAD 1 or 2, Chatty-Gen, Chatty-KG, "
    "ConvQuestions, TEXT2SPARQL (questions.yml), or Maestro; where no gold is needed, a text with a question a line"
)


def detect_own_format(path: Path) -> Literal["benchmark", "questions", ""]:
    """Tell our formats by their first line; what is no JSON by its first line alone may be JSON of many lines.

    Raises:
        ConfigError: the file is not there or cannot be read.
    """
    try:
        with path.open("rb") as file:
            first = next((line for line in file if line.strip(b" \t\r\n\xef\xbb\xbf")), b"")
        value = json.loads(first.decode("utf-8-sig"))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from error
    except (ValueError, RecursionError):
        return ""
    if not isinstance(value, dict):
        return ""
    return "benchmark" if "benchmark" in value else "questions" if isinstance(value.get("question"), str) else ""


def read_json_or_yaml(path: Path, expected: str = KNOWN_FORMATS) -> Any:
    """Read JSON, or else YAML; ``expected`` is what a message says of the files that may come here.

    Raises:
        ConfigError: the file is not there or cannot be read.
        BenchmarkInvalid: it is empty or neither of both.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise BenchmarkInvalid(f"not UTF-8 (byte {error.start + 1})", file=str(path)) from error
    if not text.strip():
        raise BenchmarkInvalid("the file is empty", file=str(path))
    try:
        return parse_json(text)
    except ValueError as error:
        if first := _object_of(text):
            raise BenchmarkInvalid(_said_of_lines(first, expected), file=str(path), line=1) from error
        if text.lstrip()[0] in "{[":
            raise BenchmarkInvalid(f"not JSON: {error}", file=str(path)) from error
    try:
        _check_yaml(text)
        return yaml.load(text, Loader=_YAML)  # noqa: S506 - both are safe
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        said = " ".join(str(error).split())[:200]
        raise BenchmarkInvalid(f"neither JSON nor YAML: {said}", file=str(path)) from error


def detect_format(value: Any, path: Path) -> FileFormat:
    """Tell the format of a parsed file by its keys and those of its first item.

    Raises:
        BenchmarkInvalid: it is none of the formats known.
    """
    keys = _keys(value)
    if "questions" in keys and isinstance(value["questions"], list):
        first = _keys(next(iter(value["questions"]), None))
        return "text2sparql" if first and isinstance(value["questions"][0].get("question"), dict) else "qald"
    if isinstance(value, dict):
        if isinstance(value.get("data"), list):
            return "chatty-gen"
        raise BenchmarkInvalid(_unknown(value), file=str(path))
    first = _keys(next(iter(value), None)) if isinstance(value, list) else frozenset()
    for format, telling in _TELLING:
        if first & telling:
            return format
    raise BenchmarkInvalid(_unknown(value), file=str(path))


_OURS: tuple[tuple[str, frozenset[str]], ...] = (
    ("a benchmark (JSON Lines with a header)", frozenset({"benchmark"})),
    ('a file of answers (of "chattykg answer -o")', frozenset({"id", "answers", "sparql"})),
    ('a file of answers (of "chattykg answer -o")', frozenset({"id", "error"})),
    ("a file of questions (JSON Lines)", frozenset({"id", "question"})),
    ("a trace (of --trace)", frozenset({"kind", "span", "data"})),
    ("a file of rejected seeds (OUTPUT.rejected.jsonl)", frozenset({"stage", "problems"})),
    ("a file of what was spent (OUTPUT.spent.jsonl)", frozenset({"calls", "prompt_tokens", "queries"})),
    ("the manifest of a run (OUTPUT.run.json)", frozenset({"command", "complete"})),
)
"""Our kinds of files by the keys of their first line."""


def own_file_kind(first: Any) -> str:
    """Return which of our kinds of files begins with this line of JSON; empty if none does."""
    return next((kind for kind, telling in _OURS if telling <= _keys(first)), "")


def _check_yaml(text: str) -> None:
    """Check that YAML is no deeper than the parser can build, whose own stack ends the process, and no larger.

    Raises:
        ValueError: it is.
        YAMLError: it is no YAML.
    """
    sizes: dict[str | None, int] = {}
    opened: list[tuple[str | None, int]] = []
    nodes = 0
    for event in yaml.parse(text, Loader=_YAML):
        if isinstance(event, yaml.CollectionEndEvent):
            anchor, before = opened.pop()
            sizes[anchor] = nodes - before
            continue
        if isinstance(event, yaml.NodeEvent):
            nodes += sizes.get(event.anchor, 1) if isinstance(event, yaml.AliasEvent) else 1
        if isinstance(event, yaml.CollectionStartEvent):
            opened.append((event.anchor, nodes))
        if len(opened) > _DEEPEST_YAML:
            raise ValueError("nested too deeply")
        if nodes > _MOST_NODES:
            raise ValueError("its aliases repeat too much")


def _object_of(text: str) -> Any:
    """Return the object that the first line holds by itself, as in JSON Lines; None if there is none."""
    try:
        value = json.loads(text.lstrip().partition("\n")[0])
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _said_of_lines(first: Any, expected: str) -> str:
    """Say of JSON Lines where another file is wanted which of our files it is, or which key it lacks."""
    if kind := own_file_kind(first):
        return f"this is {kind}, which is not what is read here; expected is {expected}"
    if "question" in first:
        return f'"question" is no text; expected is {expected}'
    if expected != KNOWN_FORMATS:
        return f"JSON Lines of no kind that is known here; expected is {expected}"
    return f'JSON Lines without the key "question" (there are {", ".join(map(repr, first)) or "none"})'


_TELLING: tuple[tuple[FileFormat, frozenset[str]], ...] = (
    ("lc-quad-2", frozenset({"sparql_wikidata", "NNQT_question", "sparql_dbpedia18"})),
    ("lc-quad", frozenset({"corrected_question", "sparql_query", "intermediary_question", "sparql_template_id"})),
    ("maestro", frozenset({"questionString", "questionStringTagged"})),
    ("chatty-gen", frozenset({"dialogue", "original", "queries"})),
    ("convquestions", frozenset({"questions", "conv_id", "seed_entity_text"})),
)


def _unknown(value: Any) -> str:
    """Say that a file is of no known format; if it is one that holds a system's answers, say that."""
    if kind := own_file_kind(value):
        return f"this is {kind}, which holds no questions; expected is {KNOWN_FORMATS}"
    first = next(iter(value), None) if isinstance(value, list) else None
    if {"qname", "endpoint", "query"} <= _keys(first):
        return "these are a system's answers to a TEXT2SPARQL questions file, not questions: name the questions file"
    if isinstance(value, dict) and value and all(isinstance(each, dict) for key, each in value.items() if ":" in key):
        if any(":" in key for key in value):
            return "this is a TEXT2SPARQL result set, which holds no questions: name the questions file beside it"
    return f"of no format that is known here: {KNOWN_FORMATS}"


def _keys(value: Any) -> frozenset[str]:
    return frozenset(map(str, value)) if isinstance(value, dict) else frozenset()
