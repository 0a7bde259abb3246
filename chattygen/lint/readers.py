"""Read files of dialogues for the rules: our benchmarks, of which a broken line is one finding, and the published JSON
of Chatty-Gen and Maestro."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal

from chattyshared import benchmark
from chattyshared.check import Finding
from chattyshared.dialogue import Dialogue, Seed, Turn
from chattyshared.errors import BenchmarkInvalid
from chattyshared.formats import chatty_gen, maestro
from chattyshared.jsonlines import LineSchema, read_lines

from chattygen.lint.dialogue_view import DialogueView, TurnView

_TURN_FIELDS = tuple(each.name for each in fields(Turn))


@dataclass(frozen=True, slots=True)
class LintSource:
    """A file: its name, its format, its dialogues, and the header (empty for other formats)."""

    name: str
    format: Literal["chatty", "chatty-gen", "maestro"]
    dialogues: tuple[DialogueView, ...]
    header: Mapping[str, Any] = field(default_factory=dict)


def read_source(path: Path, *, turns: int = 0) -> LintSource:
    """Read a file of dialogues; ``turns`` is how many each should have (0: as the file states).

    Raises:
        ConfigError: the file does not exist or cannot be read.
        BenchmarkInvalid: it is neither a benchmark with a header nor JSON of Chatty-Gen or Maestro.
    """
    if _is_benchmark(path):
        return _read_benchmark(path, turns)
    questions = maestro.read_maestro(path)
    if questions is not None:
        return LintSource(path.name, "maestro", tuple(map(_without_forms, map(_dialogue_view, questions))))
    release = chatty_gen.read_release(path)
    dialogues = []
    for dialogue, published in zip(chatty_gen.to_dialogues(release), release.dialogues, strict=True):
        view = replace(_without_forms(_dialogue_view(dialogue, turns or release.turns)), has_gold=False)
        parts = (published.dialogue, published.original, published.queries, published.triples)
        sizes = (
            f"of unequal length: turns, standalone questions, queries, triples: {', '.join(map(str, map(len, parts)))}"
        )
        dialogues.append(view if published.is_aligned else replace(view, findings=(Finding("format", sizes),)))
    return LintSource(path.name, "chatty-gen", tuple(dialogues))


def _is_benchmark(path: Path) -> bool:
    """Recognize our files by their first line; a first line that is no JSON may begin a JSON text of many lines."""
    try:
        _, first = next(read_lines(path), (0, None))
    except BenchmarkInvalid:
        return False
    return isinstance(first, dict) and "data" not in first


def _read_benchmark(path: Path, turns: int) -> LintSource:
    lines = read_lines(path)
    number, first = next(lines)
    if "benchmark" not in first:
        message = 'neither a benchmark (the header {"benchmark": ...} is missing) nor JSON of Chatty-Gen (no "data")'
        raise BenchmarkInvalid(message, file=str(path), line=number)
    LineSchema(benchmark.BENCHMARK_SCHEMA, "header").check(first, file=path, line=number)
    header, schema = first["benchmark"], LineSchema(benchmark.BENCHMARK_SCHEMA, "dialogue")
    stated = header["generate"]["options"].get("turns")
    expected_turns = turns or (stated if type(stated) is int else 0)
    dialogues: list[DialogueView] = []
    for number, value in lines:
        try:
            schema.check(value, file=path, line=number)
            view = _dialogue_view(benchmark.dialogue_from_json(value), expected_turns)
        except BenchmarkInvalid as error:
            fault = Finding("format", str(error).removeprefix(f"{path}, "))
            view = DialogueView(f"line {number}", Seed("", "", ""), (), 0, (fault,))
        if any(other.id == view.id for other in dialogues):
            view = replace(view, findings=(*view.findings, Finding("format", f"the id {view.id!r} is taken")))
        dialogues.append(view)
    return LintSource(path.name, "chatty", tuple(dialogues), header)


def view_turns(turns: Iterable[Turn]) -> tuple[TurnView, ...]:
    """Return turns as the rules see them, numbered from 1."""
    views = (TurnView(*(getattr(turn, name) for name in _TURN_FIELDS)) for turn in turns)
    return tuple(replace(view, turn=number) for number, view in enumerate(views, 1))


def _dialogue_view(dialogue: Dialogue, expected_turns: int = 0) -> DialogueView:
    numbers = [turn.turn for turn in dialogue.turns]
    is_numbered = numbers == list(range(1, len(numbers) + 1))
    order = Finding("format", f"the turns are numbered {', '.join(map(str, numbers))}")
    turns = view_turns(dialogue.turns)
    return DialogueView(
        dialogue.id, dialogue.seed, turns, expected_turns, () if is_numbered else (order,), dialogue.lang
    )


def _without_forms(view: DialogueView) -> DialogueView:
    """Return a dialogue of a file that states no forms of questions."""
    return replace(view, turns=tuple(replace(turn, form="") for turn in view.turns))
