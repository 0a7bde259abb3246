"""A system under test: its file of answers, and what lies beside it: what made it, and the trace of its queries."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any

from chattyshared.answers import AnswerLine, read_answers
from chattyshared.errors import BenchmarkInvalid
from chattyshared.jsonlines import read_lines
from chattyshared.trace import is_there

from chattykg.evaluation.elements import said
from chattykg.evaluation.metrics import Said

_IRI = re.compile(r"<([^<>\"{}|^`\\\s]+)>")


@dataclass(frozen=True, slots=True)
class System:
    """One file of answers: its lines by id, and what its manifest says (empty where there is none).

    ``candidates`` holds the IRIs that the queries of each turn name; None where there is no trace.
    """

    path: Path
    lines: Mapping[str, AnswerLine]
    made: Mapping[str, Any] = field(default_factory=dict)
    candidates: Mapping[str, frozenset[str]] | None = None

    @property
    def model(self) -> str:
        """The model that answered."""
        return str(self.made.get("model", ""))

    @property
    def history(self) -> str:
        """Whose answers made the history: own or gold."""
        return str(self.made.get("history", ""))

    @property
    def wording(self) -> str:
        """Which wording was asked: follow-up or standalone."""
        return str(self.made.get("wording", ""))

    @property
    def asked(self) -> str:
        """The digest of the file that was asked."""
        asked = self.made.get("asked")
        return str(next(iter(asked.values()), "")) if isinstance(asked, dict) else ""

    @property
    def errors(self) -> frozenset[str]:
        """The ids of the lines that hold an error."""
        return frozenset(id for id, line in self.lines.items() if line.error)

    def said(self, id: str) -> Said | None:
        """Return what was said to a question; None where there is no line, or one with an error."""
        line = self.lines.get(id)
        return None if line is None or line.error else said_of(line)


def read_system(path: Path, *, traced: bool = True) -> System:
    """Read a file of answers, and ``PATH.run.json`` and (if ``traced``) ``PATH.trace.jsonl`` if they lie beside it.

    Raises:
        ConfigError: a file is not there or cannot be read.
        BenchmarkInvalid: a line does not keep the format; the manifest is none.
    """
    lines = {str(line.id): line for line in read_answers(path)}
    trace = path.with_name(f"{path.name}.trace.jsonl")
    candidates = _candidates(trace) if traced and is_there(trace) else None
    return System(path, lines, _manifest(path.with_name(f"{path.name}.run.json")), candidates)


def names(paths: Sequence[Path]) -> tuple[str, ...]:
    """Return a short name for each file: its own, with its folder where two are called alike."""
    stems = [path.stem for path in paths]
    if len(set(stems)) == len(stems):
        return tuple(stems)
    folders = [path.parent.name or str(path.parent) for path in paths]
    if len(set(stems)) == 1 and len(set(folders)) == len(folders):
        return tuple(folders)
    return tuple(map(str, paths))


def said_of(line: AnswerLine) -> Said:
    """Return what a line says; labels of another number than its answers cannot be read beside them and are not."""
    labels = line.labels if len(line.labels) == len(line.answers) else ()
    elements = tuple(said(answer, label) for answer, label in zip_longest(line.answers, labels, fillvalue=""))
    return Said(
        elements, line.seconds, line.queries, line.usage, line.scores,
        tuple(tuple(said(cell) for cell in row) for row in line.rows),
        line.confidence, line.sparql, line.stages, line.told, frozenset(line.entities), frozenset(line.relations),
    )  # fmt: skip


def _manifest(path: Path) -> Mapping[str, Any]:
    """Return what a manifest says of the answers; one that another program wrote says nothing here."""
    if not is_there(path):
        return {}
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BenchmarkInvalid(f"the manifest cannot be read ({error}); move it away", file=str(path)) from error
    made = read.get("answers") if isinstance(read, dict) else None
    return made if isinstance(made, dict) else {}


def _candidates(trace: Path) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for _, event in read_lines(trace, torn=True):
        if isinstance(event, dict) and event.get("kind") == "query":
            query = (event.get("said") or {}).get("query", "")
            found.setdefault(str(event.get("place")), set()).update(_IRI.findall(str(query)))
    return {place: frozenset(iris) for place, iris in found.items()}
