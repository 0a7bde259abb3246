"""Read files of dialogues for the rules: our benchmarks, of which a broken line is one finding, and the published JSON
of Chatty-Gen and Maestro."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from chattyshared import benchmark
from chattyshared.check import Finding
from chattyshared.dialogue import Dialogue, Seed
from chattyshared.errors import BenchmarkInvalid
from chattyshared.formats import chatty_gen, maestro
from chattyshared.jsonlines import LineSchema, read_lines

from chattygen.lint.dialogue_view import DialogueView, TurnView


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
        return LintSource(path.name, "maestro", tuple(map(_question_view, questions)))
    release = chatty_gen.read_release(path)
    dialogues = tuple(
        _published_view(published, number, turns or release.turns)
        for number, published in enumerate(release.dialogues, 1)
    )
    return LintSource(path.name, "chatty-gen", dialogues)


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
        fault = _schema_fault(value, schema, path, number)
        if fault:
            view = DialogueView(f"line {number}", Seed("", "", ""), (), 0, (Finding("format", fault),))
        else:
            view = _dialogue_view(benchmark.dialogue_from_json(value), expected_turns)
        if any(other.id == view.id for other in dialogues):
            taken = Finding("format", f"the id {view.id!r} is taken")
            view = replace(view, file_findings=(*view.file_findings, taken))
        dialogues.append(view)
    return LintSource(path.name, "chatty", tuple(dialogues), header)


def _schema_fault(value: Any, schema: LineSchema, path: Path, number: int) -> str:
    """Return where a line breaks the schema; gold of a turn that is marked unanswerable has a rule of its own."""
    lenient = copy.deepcopy(value)
    turns = lenient.get("turns") if isinstance(lenient, dict) else None
    for turn in turns if isinstance(turns, list) else ():
        if isinstance(turn, dict) and turn.get("answerable") is False:
            turn["answerable"] = True
    try:
        schema.check(lenient, file=path, line=number)
    except BenchmarkInvalid as error:
        return str(error).removeprefix(f"{path}, ")
    return ""


def _dialogue_view(dialogue: Dialogue, expected_turns: int) -> DialogueView:
    numbers = [turn.turn for turn in dialogue.turns]
    findings = []
    if numbers != list(range(1, len(numbers) + 1)):
        findings.append(Finding("misaligned", f"the turns are numbered {', '.join(map(str, numbers))}"))
    views = tuple(
        TurnView(number, turn.question, turn.standalone, turn.sparql, turn.form, turn.link, turn.answer_type,
                 turn.answerable, turn.answers, turn.triples, turn.witness, turn.unanswerable or "", turn.certificate)
        for number, turn in enumerate(dialogue.turns, 1)
    )  # fmt: skip
    return DialogueView(dialogue.id, dialogue.seed, views, expected_turns, tuple(findings), lang=dialogue.lang)


def _question_view(dialogue: Dialogue) -> DialogueView:
    """Return a single question; its file states neither form nor link."""
    view = _dialogue_view(dialogue, 0)
    return replace(view, turns=tuple(replace(turn, form="", link="") for turn in view.turns))


def _published_view(published: chatty_gen.PublishedDialogue, number: int, turns: int) -> DialogueView:
    """Pair the lists by index, as far as all of them reach."""
    findings = []
    if not published.is_aligned:
        sizes = f"{len(published.dialogue)} turns, {len(published.original)} standalone questions, "
        sizes += f"{len(published.queries)} queries"
        if published.triples:
            sizes += f", triples for {len(published.triples)}"
        findings.append(Finding("misaligned", sizes))
    turn_views = tuple(
        TurnView(
            index,
            question,
            standalone,
            sparql,
            triples=published.triples[index - 1] if index <= len(published.triples) else (),
        )
        for index, (question, standalone, sparql) in enumerate(
            zip(published.dialogue, published.original, published.queries, strict=False), 1
        )
    )
    length = max(len(published.dialogue), len(published.original))
    if turns and length != turns and len(turn_views) == turns:
        findings.append(Finding("turn-count", f"{length} turns, not {turns}"))
    return DialogueView(
        f"d{number:04d}", Seed(published.seed_iri, published.seed_label, ""), turn_views, turns, tuple(findings)
    )
