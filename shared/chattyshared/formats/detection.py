"""Detection of a file's format by its content, never by its name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

import yaml

from chattyshared.errors import BenchmarkInvalid, ConfigError
from chattyshared.formats.box import open_jsonl
from chattyshared.jsonlines import parse_json

_YAML_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MAX_YAML_DEPTH = 100
_MAX_YAML_NODES = 10_000_000
"""Nodes of a YAML file, counted each time that an alias repeats them."""

FileFormat = Literal[
    "benchmark", "questions", "qald", "lc-quad", "lc-quad-2", "chatty-gen", "convquestions", "text2sparql", "maestro",
    "candidates", "table",
]  # fmt: skip
"""The formats; ``qald`` includes KGQAn's sets and Chatty-KG's files."""

KNOWN_FORMATS = (
    "a benchmark or a file of questions of ours (JSON Lines), QALD, LC-QuAD 1 or 2, Chatty-Gen, Chatty-KG, "
    'ConvQuestions, TEXT2SPARQL (questions.yml), Maestro, or CSV with a column "question"; where no gold is needed, a '
    "text with a question a line"
)


def first_line(path: Path) -> str:
    """Return the first line that is not blank; empty if there is none, or none in UTF-8.

    Raises:
        ConfigError: the file does not exist or cannot be read.
    """
    try:
        with open_jsonl(path) as file:
            line: bytes = next((line for line in file if line.strip(b" \t\r\n\xef\xbb\xbf")), b"")
        return line.decode("utf-8-sig").lstrip("\r").partition("\r")[0]
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError:
        return ""


def detect_own_format(path: Path) -> Literal["benchmark", "questions", ""]:
    """Detect our formats by the first line; empty for other files, including JSON over several lines.

    Raises:
        ConfigError: the file does not exist or cannot be read.
    """
    try:
        value = json.loads(first_line(path))
    except (ValueError, RecursionError):
        return ""
    if not isinstance(value, dict):
        return ""
    return "benchmark" if "benchmark" in value else "questions" if isinstance(value.get("question"), str) else ""


def read_text(path: Path) -> str:
    """Read a text file.

    Raises:
        ConfigError: the file does not exist or cannot be read.
        BenchmarkInvalid: it is empty or not UTF-8.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise BenchmarkInvalid(f"not UTF-8 (byte {error.start + 1})", file=str(path)) from error
    if not text.strip():
        raise BenchmarkInvalid("the file is empty", file=str(path))
    return text


def read_json_or_yaml(path: Path, expected: str = KNOWN_FORMATS) -> Any:
    """Read JSON or YAML; ``expected`` names the expected files in messages.

    Raises:
        ConfigError: the file does not exist or cannot be read.
        BenchmarkInvalid: it is empty or neither JSON nor YAML.
    """
    text = read_text(path)
    try:
        return parse_json(text)
    except ValueError as error:
        if first := _first_object(text):
            raise BenchmarkInvalid(_json_lines_message(first, expected), file=str(path), line=1) from error
        if text.lstrip()[0] in "{[":
            raise BenchmarkInvalid(f"not JSON: {error}", file=str(path)) from error
    try:
        _check_yaml(text)
        return yaml.load(text, Loader=_YAML_LOADER)  # noqa: S506 - both are safe
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        reason = " ".join(str(error).split())[:200]
        raise BenchmarkInvalid(f"neither JSON nor YAML: {reason}", file=str(path)) from error


def detect_format(value: Any, path: Path) -> FileFormat:
    """Detect the format of a parsed file by its keys and those of its first item.

    Raises:
        BenchmarkInvalid: it is no known format.
    """
    keys = _keys(value)
    if "questions" in keys and isinstance(value["questions"], list):
        first = _keys(next(iter(value["questions"]), None))
        question = value["questions"][0].get("question") if first else None
        return "text2sparql" if isinstance(question, dict) and "string" not in question else "qald"
    first = _keys(next(iter(value), None)) if isinstance(value, list) else keys
    if "question" in first and first & {"candidates", "queries"}:
        return "candidates"
    if isinstance(value, dict):
        if isinstance(value.get("data"), list):
            return "chatty-gen"
        raise BenchmarkInvalid(_unknown_format_message(value), file=str(path))
    for format, distinctive in _DISTINCTIVE_KEYS:
        if first & distinctive:
            return format
    if isinstance(value, list) and "question" in first and isinstance(value[0]["question"], str):
        return "questions"
    raise BenchmarkInvalid(_unknown_format_message(value), file=str(path))


_OWN_KINDS: tuple[tuple[str, frozenset[str]], ...] = (
    ("a benchmark (JSON Lines with a header)", frozenset({"benchmark"})),
    ('a file of answers (of "chattykg answer -o")', frozenset({"id", "answers", "sparql"})),
    ('a file of answers (of "chattykg answer -o")', frozenset({"id", "error"})),
    ('a file of ratings (of "judge")', frozenset({"id", "rater", "ratings"})),
    ("a file of questions (JSON Lines)", frozenset({"id", "question"})),
    ("a trace", frozenset({"kind", "span", "data"})),
    ("a file of rejected seeds (OUTPUT.rejected.jsonl)", frozenset({"stage", "problems"})),
    ("a file of what was spent (OUTPUT.spent.jsonl)", frozenset({"calls", "prompt_tokens", "queries"})),
    ("the manifest of a run (OUTPUT.run.json)", frozenset({"command", "complete"})),
)
"""The kinds of our files by the keys of their first line."""


def own_file_kind(first: Any) -> str:
    """Return the kind of our files that starts with this JSON value; empty if there is none."""
    return next((kind for kind, distinctive in _OWN_KINDS if distinctive <= _keys(first)), "")


def _check_yaml(text: str) -> None:
    """Check depth and size of YAML before it is loaded: the parser's recursion could end the process.

    Raises:
        ValueError: it is too deep or too large.
        YAMLError: it is no YAML.
    """
    sizes: dict[str | None, int] = {}
    open_collections: list[tuple[str | None, int]] = []
    nodes = 0
    for event in yaml.parse(text, Loader=_YAML_LOADER):
        if isinstance(event, yaml.CollectionEndEvent):
            anchor, nodes_before = open_collections.pop()
            sizes[anchor] = nodes - nodes_before
            continue
        if isinstance(event, yaml.NodeEvent):
            nodes += sizes.get(event.anchor, 1) if isinstance(event, yaml.AliasEvent) else 1
        if isinstance(event, yaml.CollectionStartEvent):
            open_collections.append((event.anchor, nodes))
        if len(open_collections) > _MAX_YAML_DEPTH:
            raise ValueError("nested too deeply")
        if nodes > _MAX_YAML_NODES:
            raise ValueError("its aliases repeat too much")


def _first_object(text: str) -> Any:
    """Return the object on the first line, as in JSON Lines; None if there is none."""
    try:
        value = json.loads(text.lstrip().partition("\n")[0])
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _json_lines_message(first: Any, expected: str) -> str:
    """Return the message about JSON Lines in place of another file: which of our files it is, or which key it lacks."""
    if kind := own_file_kind(first):
        return f"this is {kind}, which is not what is read here; expected is {expected}"
    if "question" in first:
        return f'"question" is no text; expected is {expected}'
    if expected != KNOWN_FORMATS:
        return f"JSON Lines of no kind that is known here; expected is {expected}"
    return f'JSON Lines without the key "question" (there are {", ".join(map(repr, first)) or "none"})'


_DISTINCTIVE_KEYS: tuple[tuple[FileFormat, frozenset[str]], ...] = (
    ("lc-quad-2", frozenset({"sparql_wikidata", "NNQT_question", "sparql_dbpedia18"})),
    ("lc-quad", frozenset({"corrected_question", "sparql_query", "intermediary_question", "sparql_template_id"})),
    ("maestro", frozenset({"questionString", "questionStringTagged"})),
    ("chatty-gen", frozenset({"dialogue", "original", "queries"})),
    ("convquestions", frozenset({"questions", "conv_id", "seed_entity_text"})),
)


def _unknown_format_message(value: Any) -> str:
    """Return the message about an unknown format, or about a file of a system's answers."""
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
