"""Files of dialogues for the rules: our benchmarks, read leniently line by line, and Chatty-Gen's published JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from chattyshared import benchmark
from chattyshared.dialogue import Seed, Triples, Value
from chattyshared.errors import BenchmarkInvalid
from chattyshared.formats import chatty_gen
from chattyshared.jsonlines import LineSchema, read_lines

from chattygen.lint.defect import LintFinding
from chattygen.lint.dialogue_view import DialogueView, TurnView


@dataclass(frozen=True, slots=True)
class LintSource:
    """A file: its name, whose format it keeps, its dialogues, and the header (empty for Chatty-Gen's)."""

    name: str
    format: Literal["chatty", "chatty-gen"]
    dialogues: tuple[DialogueView, ...]
    header: Mapping[str, Any] = field(default_factory=dict)


def read_source(path: Path, *, turns: int = 0) -> LintSource:
    """Read a file of dialogues; ``turns`` is how many each shall have (0: as the file says).

    Raises:
        ConfigError: the file is not there or cannot be read.
        BenchmarkInvalid: it is neither a benchmark with a header nor Chatty-Gen's JSON.
    """
    if _is_ours(path):
        return _ours(path, turns)
    release = chatty_gen.read_release(path)
    made = tuple(_theirs(one, place, turns or release.turns) for place, one in enumerate(release.dialogues, 1))
    return LintSource(path.name, "chatty-gen", made)


def _is_ours(path: Path) -> bool:
    """Tell our files by their first line; what is no JSON by its first line alone may be a JSON text of many lines."""
    try:
        _, first = next(read_lines(path), (0, None))
    except BenchmarkInvalid:
        return False
    return isinstance(first, dict) and "data" not in first


def _ours(path: Path, turns: int) -> LintSource:
    lines = read_lines(path)
    number, first = next(lines)
    if "benchmark" not in first:
        said = 'neither a benchmark (the header {"benchmark": ...} is missing) nor JSON of Chatty-Gen (no "data")'
        raise BenchmarkInvalid(said, file=str(path), line=number)
    LineSchema(benchmark.BENCHMARK_SCHEMA, "header").check(first, file=path, line=number)
    header = first["benchmark"]
    asked = turns or _number(header["generate"]["options"].get("turns"))
    schema = LineSchema(benchmark.BENCHMARK_SCHEMA, "dialogue")
    talks: list[DialogueView] = []
    for number, value in lines:
        found = [*_faults(value, schema, path, number)]
        talk = _talk(value, f"line {number}", asked, found)
        if any(other.id == talk.id for other in talks):
            found.append(LintFinding("format", 0, f"the id {talk.id!r} is taken"))
            talk = _talk(value, f"line {number}", asked, found)
        talks.append(talk)
    return LintSource(path.name, "chatty", tuple(talks), header)


def _faults(value: Any, schema: LineSchema, path: Path, number: int) -> Iterator[LintFinding]:
    """Say where a line does not keep the schema; gold of a turn that is marked unanswerable has a rule of its own."""
    lax = json.loads(json.dumps(value))
    for turn in _dicts(lax.get("turns")) if isinstance(lax, dict) else ():
        if turn.get("answerable") is False:
            turn["answerable"] = True
    try:
        schema.check(lax, file=path, line=number)
    except BenchmarkInvalid as error:
        yield LintFinding("format", 0, str(error).removeprefix(f"{path}, "))


def _talk(value: Any, place: str, turns: int, found: list[LintFinding]) -> DialogueView:
    value = value if isinstance(value, dict) else {}
    seed = value.get("seed") if isinstance(value.get("seed"), dict) else {}
    rows = _dicts(value.get("turns"))
    numbers = [row.get("turn") for row in rows]
    more = []
    if numbers != list(range(1, len(rows) + 1)):
        more.append(LintFinding("misaligned", 0, f"the turns are numbered {', '.join(map(str, numbers))}"))
    lines = tuple(_line(row, number) for number, row in enumerate(rows, 1))
    entity = Seed(*(_text(seed, name) for name in ("iri", "label", "type")))
    return DialogueView(_text(value, "id") or place, entity, lines, turns, (*found, *more))


def _line(row: Mapping[str, Any], number: int) -> TurnView:
    answers = tuple(
        Value(_text(one, "value"), one.get("kind", "literal"), _text(one, "datatype"), _text(one, "lang"),
              _text(one, "label"))
        for one in _dicts(row.get("answers"))
    )  # fmt: skip
    return TurnView(
        number, _text(row, "question"), _text(row, "standalone"), _text(row, "sparql"), _text(row, "form"),
        _text(row, "link"), _text(row, "answer_type"), row.get("answerable") is not False, answers,
        _triples(row.get("triples")), _triples(row.get("witness")),
    )  # fmt: skip


def _theirs(one: chatty_gen.PublishedDialogue, number: int, turns: int) -> DialogueView:
    """Pair the lists by index, as far as all of them reach."""
    found = []
    if not one.is_aligned:
        sizes = f"{len(one.dialogue)} turns, {len(one.original)} standalone questions, {len(one.queries)} queries"
        if one.triples:
            sizes += f", triples for {len(one.triples)}"
        found.append(LintFinding("misaligned", 0, sizes))
    lines = tuple(
        TurnView(place, asked, standalone, sparql, triples=one.triples[place - 1] if place <= len(one.triples) else ())
        for place, (asked, standalone, sparql) in enumerate(
            zip(one.dialogue, one.original, one.queries, strict=False), 1
        )
    )
    length = max(len(one.dialogue), len(one.original))
    if turns and length != turns and len(lines) == turns:
        found.append(LintFinding("turn-count", 0, f"{length} turns, not {turns}"))
    return DialogueView(f"d{number:04d}", Seed(one.seed_iri, one.seed_label, ""), lines, turns, tuple(found))


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _text(value: Mapping[str, Any], name: str) -> str:
    given = value.get(name)
    return given if isinstance(given, str) else ""


def _number(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _triples(value: Any) -> Triples:
    rows = (row for row in value if isinstance(row, list) and len(row) == 3) if isinstance(value, list) else ()
    return tuple((str(s), str(p), str(o)) for s, p, o in rows)
