"""Export formats: the files of each format, and their contents."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from chattyshared.dialogue import Dialogue
from chattyshared.errors import ConfigError
from chattyshared.formats import chatty_gen, convquestions, qald, table, text2sparql
from chattyshared.jsonlines import to_json_line

from chattygen.export import dataset_card
from chattygen.stats import BenchmarkSource

ExportFormat = Literal["chattygen", "qald", "text2sparql", "convquestions", "messages", "table", "dataset-card"]
FileContents = Mapping[Path, Iterable[str]]
"""The lines of each file by path."""

SINGLE_QUESTION_FORMATS = frozenset({"qald", "text2sparql"})
"""Formats of single questions: only these have ``wording`` and ``answerable_only``."""


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """The format, and its options.

    ``wording`` is that of single questions; ``answerable_only`` leaves out single questions without an answer.
    ``reply`` is the content of the assistant's messages in chats, ``system`` the first message. ``lang`` is the
    language tag of the questions, ``dataset`` the IRI or name of the data set (empty: that of the benchmark),
    ``license`` the license on the card.
    """

    to: ExportFormat
    wording: Literal["standalone", "follow-up"] = "standalone"
    answerable_only: bool = False
    reply: Literal["answer", "sparql"] = "answer"
    system: str = ""
    lang: str = "en"
    dataset: str = ""
    license: str = "unknown"


def export_benchmark(source: BenchmarkSource, options: ExportOptions, output: Path | None = None) -> FileContents:
    """Return the contents of the files of a format; ``output`` is the main file (None: next to the benchmark).

    Raises:
        ConfigError: the file states no gold, or the format does not have a given option.
    """
    if not source.is_annotated:
        raise ConfigError(f"{source.path} states no gold answers: only benchmarks of `chattygen generate` are exported")
    if options.answerable_only and options.to not in SINGLE_QUESTION_FORMATS:
        raise ConfigError(f"a dialogue cannot leave out turns: {options.to} holds whole dialogues")
    if options.answerable_only:
        source = replace(source, dialogues=tuple(_drop_unanswerable(source.dialogues)))
    return _WRITERS[options.to](source, options, output or default_path(source, options.to))


def default_path(source: BenchmarkSource, export_format: ExportFormat) -> Path:
    """Return the path of the main file of a format, in the folder of the benchmark."""
    stem = source.path.stem
    if export_format == "chattygen":
        # Readers of these files take the number of dialogues and of turns from the name.
        turns = max((len(dialogue.turns) for dialogue in source.dialogues), default=0)
        return source.path.with_name(f"{stem}_e11_{len(source.dialogues)}_{turns}.json")
    if export_format == "dataset-card":
        return source.path.with_name(f"{stem}-dataset") / "README.md"
    endings = {
        "qald": "qald.json", "text2sparql": "questions.yml", "convquestions": "convquestions.json",
        "messages": "messages.jsonl", "table": "csv",
    }  # fmt: skip
    return source.path.with_name(f"{stem}.{endings[export_format]}")


def _drop_unanswerable(dialogues: Iterable[Dialogue]) -> Iterator[Dialogue]:
    for dialogue in dialogues:
        turns = tuple(turn for turn in dialogue.turns if turn.answerable)
        yield replace(dialogue, turns=turns)


def _chattygen(source: BenchmarkSource, options: ExportOptions, path: Path) -> FileContents:
    errors = [name for name, number in source.seeds["errors"].items for _ in range(number)] if source.seeds else []
    seconds = source.timing["seconds"] if source.timing else None
    return {path: _indented(chatty_gen.to_chatty_gen(source.dialogues, errors=errors, seconds=seconds))}


def _qald(source: BenchmarkSource, options: ExportOptions, path: Path) -> FileContents:
    dataset = options.dataset or source.name
    content = qald.to_qald(source.dialogues, dataset=dataset, language=options.lang, wording=options.wording)
    return {path: _indented(content)}


def _text2sparql(source: BenchmarkSource, options: ExportOptions, path: Path) -> FileContents:
    prefix = re.sub(r"[^a-z0-9]+", "", source.path.stem.casefold()).lstrip("0123456789") or "benchmark"
    dataset = options.dataset or f"urn:chatty:{source.header.get('kg', {}).get('fingerprint', prefix)}:"
    questions = text2sparql.render_questions(
        source.dialogues, dataset=dataset, prefix=prefix, language=options.lang, wording=options.wording
    )
    gold = text2sparql.to_result_set(source.dialogues, prefix=prefix, language=options.lang)
    return {path: [questions.rstrip("\n")], path.with_name(f"{path.stem}_result_set.json"): _indented(gold)}


def _convquestions(source: BenchmarkSource, options: ExportOptions, path: Path) -> FileContents:
    return {path: _indented(convquestions.to_convquestions(source.dialogues))}


def _messages(source: BenchmarkSource, options: ExportOptions, path: Path) -> FileContents:
    return {
        path: map(to_json_line, convquestions.to_chats(source.dialogues, reply=options.reply, system=options.system))
    }


def _table(source: BenchmarkSource, options: ExportOptions, path: Path) -> FileContents:
    return {path: [table.to_table(source.dialogues).removesuffix("\n")]}


def _dataset_card(source: BenchmarkSource, options: ExportOptions, path: Path) -> FileContents:
    card = dataset_card.render_card(source, name=options.dataset, language=options.lang, license=options.license)
    return {
        path: [card],
        path.with_name(dataset_card.DATA_FILE): map(to_json_line, dataset_card.to_rows(source.dialogues)),
    }


def _indented(value: Any) -> list[str]:
    return [json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2)]


_WRITERS: Mapping[str, Callable[[BenchmarkSource, ExportOptions, Path], FileContents]] = {
    "chattygen": _chattygen,
    "qald": _qald,
    "text2sparql": _text2sparql,
    "convquestions": _convquestions,
    "messages": _messages,
    "table": _table,
    "dataset-card": _dataset_card,
}
