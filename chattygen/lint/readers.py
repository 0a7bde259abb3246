"""Read files of dialogues for the rules: our benchmarks, leniently line by line, and the published JSON of Chatty-Gen
and Maestro."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from chattyshared import benchmark
from chattyshared.certificates import EXCLUSIONS, certificate_from_json
from chattyshared.check import Finding
from chattyshared.dialogue import Certificate, Dialogue, Seed, Triples, Value
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
    header = first["benchmark"]
    expected_turns = turns or _integer(header["generate"]["options"].get("turns"))
    schema = LineSchema(benchmark.BENCHMARK_SCHEMA, "dialogue")
    dialogues: list[DialogueView] = []
    for number, value in lines:
        findings = [*_schema_findings(value, schema, path, number)]
        dialogue = _dialogue_view(value, f"line {number}", expected_turns, findings)
        if any(other.id == dialogue.id for other in dialogues):
            findings.append(Finding("format", f"the id {dialogue.id!r} is taken"))
            dialogue = _dialogue_view(value, f"line {number}", expected_turns, findings)
        dialogues.append(dialogue)
    return LintSource(path.name, "chatty", tuple(dialogues), header)


def _schema_findings(value: Any, schema: LineSchema, path: Path, number: int) -> Iterator[Finding]:
    """Yield where a line breaks the schema; gold of a turn that is marked unanswerable has a rule of its own."""
    lenient = json.loads(json.dumps(value))
    for turn in _objects(lenient.get("turns")) if isinstance(lenient, dict) else ():
        if turn.get("answerable") is False:
            turn["answerable"] = True
    try:
        schema.check(lenient, file=path, line=number)
    except BenchmarkInvalid as error:
        yield Finding("format", str(error).removeprefix(f"{path}, "))


def _dialogue_view(value: Any, default_id: str, turns: int, findings: list[Finding]) -> DialogueView:
    value = value if isinstance(value, dict) else {}
    seed = value.get("seed") if isinstance(value.get("seed"), dict) else {}
    rows = _objects(value.get("turns"))
    numbers = [row.get("turn") for row in rows]
    numbering = []
    if numbers != list(range(1, len(rows) + 1)):
        numbering.append(Finding("misaligned", f"the turns are numbered {', '.join(map(str, numbers))}"))
    turn_views = tuple(_turn_view(row, number) for number, row in enumerate(rows, 1))
    entity = Seed(*(_string(seed, name) for name in ("iri", "label", "type")))
    return DialogueView(
        _string(value, "id") or default_id, entity, turn_views, turns, (*findings, *numbering),
        lang=_string(value, "lang"),
    )  # fmt: skip


def _turn_view(row: Mapping[str, Any], number: int) -> TurnView:
    answers = tuple(
        Value(_string(answer, "value"), answer.get("kind", "literal"),
              *(_string(answer, name) for name in ("datatype", "lang", "label")))
        for answer in _objects(row.get("answers"))
    )  # fmt: skip
    return TurnView(
        number, _string(row, "question"), _string(row, "standalone"), _string(row, "sparql"), _string(row, "form"),
        _string(row, "link"), _string(row, "answer_type"), row.get("answerable") is not False, answers,
        _triples(row.get("triples")), _triples(row.get("witness")), _string(row, "unanswerable"),
        _certificate(row.get("certificate")),
    )  # fmt: skip


def _certificate(value: Any) -> Certificate | None:
    if not isinstance(value, dict):
        return None
    lists = {name: texts for name in EXCLUSIONS if isinstance(texts := value.get(name), list)}
    return certificate_from_json({name: map(str, texts) for name, texts in lists.items()})


def _question_view(dialogue: Dialogue) -> DialogueView:
    """Return a single question; its file states neither form nor link."""
    views = (
        TurnView(turn.turn, turn.question, turn.standalone, turn.sparql, answers=turn.answers)
        for turn in dialogue.turns
    )
    return DialogueView(dialogue.id, dialogue.seed, tuple(views))


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


def _objects(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _string(value: Mapping[str, Any], name: str) -> str:
    field_value = value.get(name)
    return field_value if isinstance(field_value, str) else ""


def _integer(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _triples(value: Any) -> Triples:
    rows = (row for row in value if isinstance(row, list) and len(row) == 3) if isinstance(value, list) else ()
    return tuple((str(s), str(p), str(o)) for s, p, o in rows)
