"""Benchmark files: a header and one dialogue per line; every line is validated against the shipped schema."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from chattyshared.certificates import certificate_from_json, certificate_to_json, digest_of_lines, value_to_json
from chattyshared.check import truncate_middle
from chattyshared.dialogue import Dialogue, Seed, Triples, Turn, Value
from chattyshared.errors import BenchmarkInvalid
from chattyshared.jsonlines import LineSchema, output_path, read_lines, to_json_line, write_atomically
from chattyshared.model import Usage

if TYPE_CHECKING:
    from chattyshared.formats.data_frames import DataFrame

BENCHMARK_SCHEMA = "benchmark.schema.json"
TURN_COLUMNS = (
    "id", "dialogue", "turn", "question", "standalone", "labels", "answers", "form", "link", "answer_type",
    "answerable", "difficulty", "sparql", "seed", "seed_label",
)  # fmt: skip
"""The columns of tables of turns."""
FORMAT = 2
"""The version of the file format that is written; versions 1 and 2 are read."""


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A benchmark: its header, and its dialogues in the file's order. It iterates over the dialogues."""

    header: Mapping[str, Any]
    dialogues: tuple[Dialogue, ...]

    def __iter__(self) -> Iterator[Dialogue]:
        return iter(self.dialogues)

    def __len__(self) -> int:
        return len(self.dialogues)

    @overload
    def __getitem__(self, index: int) -> Dialogue: ...

    @overload
    def __getitem__(self, index: slice) -> Benchmark: ...

    def __getitem__(self, index: int | slice) -> Dialogue | Benchmark:
        """Return a dialogue, or the benchmark of a part of the dialogues."""
        return Benchmark(self.header, self.dialogues[index]) if isinstance(index, slice) else self.dialogues[index]

    def __repr__(self) -> str:
        turns = sum(len(dialogue.turns) for dialogue in self.dialogues)
        return f"Benchmark({self.name!r}: {len(self)} dialogues, {turns} turns)"

    @property
    def name(self) -> str:
        """The name in the header."""
        return str(self.header["name"])

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the KG that it was made from; empty if the header has none."""
        return str(self.header.get("kg", {}).get("fingerprint", ""))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the benchmark to a file, which the commands read; an existing file is replaced.

        Raises:
            ConfigError: the file cannot be written.
            StorageFailed: the disk is full.
        """
        write_benchmark(output_path(path), self)

    def digest(self) -> str:
        """Return the digest of the saved file, as manifests of answers state it."""
        return digest_of_lines(f"{line}\n".encode(errors="backslashreplace") for line in benchmark_lines(self))

    def to_pandas(self) -> DataFrame:
        """Return a data frame with a line per turn.

        Raises:
            ConfigError: pandas is not installed.
        """
        from chattyshared.formats.data_frames import make_data_frame

        rows = (turn_row(dialogue, turn) for dialogue in self.dialogues for turn in dialogue.turns)
        return make_data_frame(rows, TURN_COLUMNS)


def make_header(
    name: str, *, sources: Iterable[str], fingerprint: str, triples: int, generate: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the header of a benchmark; ``generate`` holds ``options, seed, model, prompts, versions`` (no times)."""
    kg = {"sources": list(sources), "fingerprint": fingerprint, "triples": triples}
    return {"name": name, "format": FORMAT, "kg": kg, "generate": dict(generate)}


def header_to_json(header: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON object of the first line."""
    return {"benchmark": dict(header)}


def turn_id(dialogue: Dialogue, turn: Turn) -> str:
    """Return the ``id`` of a turn in answers files: ``d0001/2``."""
    return f"{dialogue.id}/{turn.turn}"


def read_benchmark(path: Path) -> Benchmark:
    """Read a benchmark file.

    Raises:
        ConfigError: the file is not there or cannot be read.
        BenchmarkInvalid: it is empty, its first line is not a header, or a line is not valid; it has file, line and
        JSON path.
    """
    lines = read_lines(path)
    first = next(lines, None)
    if first is None:
        raise BenchmarkInvalid("the file is empty", file=str(path))
    number, header = first
    if not isinstance(header, dict) or "benchmark" not in header:
        raise BenchmarkInvalid('the header is missing (a line {"benchmark": ...})', file=str(path), line=number)
    LineSchema(BENCHMARK_SCHEMA, "header").check(header, file=path, line=number)
    schema = LineSchema(BENCHMARK_SCHEMA, "dialogue")
    dialogues: dict[str, Dialogue] = {}
    for number, value in lines:
        schema.check(value, file=path, line=number)
        dialogue = dialogue_from_json(value)
        if dialogue.id in dialogues:
            raise BenchmarkInvalid(f"the id {dialogue.id!r} is taken", file=str(path), line=number, path="$.id")
        for index, turn in enumerate(dialogue.turns):
            if turn.turn != index + 1:
                message = f"turn {turn.turn} where turn {index + 1} should stand"
                raise BenchmarkInvalid(message, file=str(path), line=number, path=f"$.turns[{index}].turn")
        dialogues[dialogue.id] = dialogue
    return Benchmark(header["benchmark"], tuple(dialogues.values()))


def write_benchmark(path: Path, benchmark: Benchmark) -> None:
    """Write a whole benchmark file.

    Raises:
        ConfigError: the file cannot be written.
    """
    write_atomically(path, benchmark_lines(benchmark))
    path.with_name(f"{path.name}.run.json").unlink(missing_ok=True)  # it said what made the file that is replaced


def benchmark_lines(benchmark: Benchmark) -> Iterator[str]:
    """Yield the lines of a benchmark's file."""
    yield to_json_line(header_to_json(benchmark.header))
    yield from (to_json_line(dialogue_to_json(dialogue)) for dialogue in benchmark.dialogues)


def turn_row(dialogue: Dialogue, turn: Turn) -> dict[str, Any]:
    """Return a turn with its dialogue under the names of ``TURN_COLUMNS``."""
    return {
        **{name: getattr(turn, name) for name in TURN_COLUMNS if hasattr(turn, name)},
        "id": turn_id(dialogue, turn),
        "dialogue": dialogue.id,
        "seed": dialogue.seed.iri,
        "seed_label": dialogue.seed.label,
        "answers": [value.value for value in turn.answers],
        "labels": [value.text for value in turn.answers],
    }


def dialogue_to_json(dialogue: Dialogue) -> dict[str, Any]:
    """Return the JSON object of a dialogue."""
    seed = dialogue.seed
    language = {"lang": dialogue.lang, "alignment": dialogue.alignment}
    return {
        "id": dialogue.id,
        **{name: text for name, text in language.items() if text},
        "seed": {"iri": seed.iri, "label": seed.label, "type": seed.type},
        "turns": [turn_to_json(turn) for turn in dialogue.turns],
        "usage": usage_to_json(dialogue.usage),
    }


def dialogue_from_json(value: Mapping[str, Any]) -> Dialogue:
    """Return the dialogue of a valid JSON object."""
    return Dialogue(
        id=value["id"],
        seed=Seed(**value["seed"]),
        turns=tuple(turn_from_json(turn) for turn in value["turns"]),
        usage=usage_from_json(value.get("usage", {})),
        lang=value.get("lang", ""),
        alignment=value.get("alignment", ""),
    )


def turn_to_json(turn: Turn) -> dict[str, Any]:
    """Return the JSON object of a turn; what only some turns have only if it has it."""
    data: dict[str, Any] = {
        "turn": turn.turn,
        "question": turn.question,
        "standalone": turn.standalone,
        "form": turn.form,
        "link": turn.link,
        "answer_type": turn.answer_type,
        "answerable": turn.answerable,
        "difficulty": turn.difficulty,
        "sparql": turn.sparql,
        "answers": [value_to_json(answer) for answer in turn.answers],
        "triples": [list(triple) for triple in turn.triples],
        "witness": [list(triple) for triple in turn.witness],
    }
    if turn.unanswerable:
        data["unanswerable"] = turn.unanswerable
    if turn.certificate is not None:
        data["certificate"] = certificate_to_json(turn.certificate)
    if turn.reworded_by:
        data["reworded_by"] = turn.reworded_by
    return data


def turn_from_json(value: Mapping[str, Any]) -> Turn:
    """Return the turn of a valid JSON object."""
    certificate = value.get("certificate")
    parsed = {
        "answers": tuple(Value(**answer) for answer in value["answers"]),
        "triples": _parse_triples(value["triples"]),
        "witness": _parse_triples(value["witness"]),
        "certificate": None if certificate is None else certificate_from_json(certificate),
    }
    return Turn(**{**value, **parsed})


def usage_to_json(usage: Usage) -> dict[str, Any]:
    """Return the JSON object of a usage: ``usd`` if the price is known, ``estimated`` if tokens are estimates from
    length."""
    data: dict[str, Any] = {
        "calls": usage.calls,
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
    }
    if usage.usd is not None:
        data["usd"] = usage.usd
    if usage.estimated:
        data["estimated"] = True
    return data


def usage_from_json(value: Mapping[str, Any]) -> Usage:
    """Return the usage of a JSON object; missing numbers are 0.

    Raises:
        BenchmarkInvalid: a field is not a number, or negative.
    """
    usd = value.get("usd")
    try:
        return Usage(
            calls=int(value.get("calls", 0)),
            prompt_tokens=int(value.get("prompt_tokens", 0)),
            completion_tokens=int(value.get("completion_tokens", 0)),
            usd=None if usd is None else float(usd),
            estimated=value.get("estimated", False),
        )
    except (TypeError, ValueError, OverflowError) as error:
        raise BenchmarkInvalid(f"not a usage: {truncate_middle(json.dumps(value))}", path="$.usage") from error


def _parse_triples(value: Iterable[Iterable[str]]) -> Triples:
    return tuple((subject, predicate, object_) for subject, predicate, object_ in value)
