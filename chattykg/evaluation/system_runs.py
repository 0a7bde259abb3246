"""A system under test: its file of answers, and what lies beside it: what made it, and the trace of its queries."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, count, zip_longest
from pathlib import Path
from typing import Any

from chattyshared.answers import AnswerLine
from chattyshared.errors import BenchmarkInvalid
from chattyshared.formats.predictions import read_predictions
from chattyshared.jsonlines import parse_json, read_lines
from chattyshared.kg import KnowledgeGraph
from chattyshared.runs.runner import Runner
from chattyshared.trace import file_exists

from chattykg.evaluation.answer_matching import element_from_answer
from chattykg.evaluation.metrics import SystemAnswer

_IRI = re.compile(r"<([^<>\"{}|^`\\\s]+)>")


@dataclass(frozen=True, slots=True)
class SystemRun:
    """One file of answers: its lines by id, and what its manifest says (empty where there is none).

    ``candidates`` holds the IRIs that the queries of each turn name; None where there is no trace.
    """

    path: Path
    lines: Mapping[str, AnswerLine]
    manifest: Mapping[str, Any] = field(default_factory=dict)
    candidates: Mapping[str, frozenset[str]] | None = None

    @property
    def model(self) -> str:
        """The model that answered."""
        return str(self.manifest.get("model", ""))

    @property
    def history(self) -> str:
        """Whose answers made the history: own or gold."""
        return str(self.manifest.get("history", ""))

    @property
    def wording(self) -> str:
        """Which wording was asked: follow-up or standalone."""
        return str(self.manifest.get("wording", ""))

    @property
    def answers_in_names(self) -> bool:
        """Whether it knows no IRIs, and says names in their place, as a language model alone does."""
        engine = self.manifest.get("engine")
        return isinstance(engine, dict) and engine.get("says") == "names"

    @property
    def input_digest(self) -> str:
        """The digest of the file that was asked."""
        asked = self.manifest.get("asked")
        return str(next(iter(asked.values()), "")) if isinstance(asked, dict) else ""

    @property
    def failed_ids(self) -> frozenset[str]:
        """The ids of the lines that hold an error."""
        return frozenset(id for id, line in self.lines.items() if line.error)

    def answer_to(self, id: str) -> SystemAnswer | None:
        """Return what was said to a question; None where there is no line, or one with an error.

        An error beside a query is the query's: the system has spoken, and nothing came of it.
        """
        line = self.lines.get(id)
        return (
            None
            if line is None or (line.error and not line.sparql)
            else system_answer_of(line, answers_in_names=self.answers_in_names)
        )


def read_system_run(
    path: Path, kg: KnowledgeGraph | None = None, *, with_trace: bool = True, runner: Runner | None = None
) -> SystemRun:
    """Read a file of answers in any known format, and what lies beside it: ``PATH.run.json`` and (if ``traced``)
    ``PATH.trace.jsonl``. Queries without answers are run on ``kg``, by ``runner`` if said.

    Raises:
        ConfigError: a file is not there or cannot be read; it holds queries alone, and no ``kg`` is given.
        BenchmarkInvalid: it is of no known format or does not keep its own; the manifest is none.
        EndpointUnavailable: nobody answers for ``kg``.
    """
    lines = {str(line.id): line for line in read_predictions(path, kg, runner=runner)}
    trace = path.with_name(f"{path.name}.trace.jsonl")
    candidates = _candidates(trace) if with_trace and file_exists(trace) else None
    return SystemRun(path, lines, _manifest(path.with_name(f"{path.name}.run.json")), candidates)


def name_systems(paths: Sequence[Path]) -> tuple[str, ...]:
    """Return a name for each file, no two the same: the shortest of its stem, its folder, its name, and its path from
    some folder on, by which all are told apart; a file that is given again gets ``#2``."""
    parts = [path.parts for path in paths]
    schemes = [[path.stem for path in paths], [path.name for path in paths]]
    if len(set(schemes[0])) == 1:
        schemes.insert(1, [path.parent.name for path in paths])
    schemes += (["/".join(each[-depth:]) for each in parts] for depth in range(2, max(map(len, parts), default=0) + 1))
    for scheme in schemes:
        if all(scheme) and len(set(scheme)) == len(set(paths)):
            return tuple(_numbered(scheme))
    return tuple(_numbered(map(str, paths)))


def _numbered(names: Iterable[str]) -> Iterator[str]:
    """Yield names; of two that are the same, the second gets ``#2``."""
    taken: set[str] = set()
    for name in names:
        free = next(each for each in chain([name], (f"{name}#{number}" for number in count(2))) if each not in taken)
        taken.add(free)
        yield free


def system_answer_of(line: AnswerLine, *, answers_in_names: bool = False) -> SystemAnswer:
    """Return what a line says; labels of another number than its answers cannot be read beside them and are not."""
    labels = line.labels if len(line.labels) == len(line.answers) else ()
    pairs = zip_longest(line.answers, labels, fillvalue="")
    elements = tuple(element_from_answer(answer, label, answers_in_names=answers_in_names) for answer, label in pairs)
    return SystemAnswer(
        elements, line.seconds, line.queries, line.usage, line.scores,
        tuple(tuple(element_from_answer(cell) for cell in row) for row in line.rows),
        line.confidence, line.sparql, line.stages, line.has_links, frozenset(line.entities), frozenset(line.relations),
        line.candidate_queries,
    )  # fmt: skip


def _manifest(path: Path) -> Mapping[str, Any]:
    """Return what a manifest says of the answers; one that another program wrote says nothing here."""
    if not file_exists(path):
        return {}
    try:
        read = parse_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BenchmarkInvalid(f"the manifest cannot be read ({error}); move it away", file=str(path)) from error
    made = read.get("answers") if isinstance(read, dict) else None
    return made if isinstance(made, dict) else {}


def _candidates(trace: Path) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for _, event in read_lines(trace, skip_partial_line=True):
        if isinstance(event, dict) and event.get("kind") == "query":
            query = (event.get("data") or {}).get("query", "")
            found.setdefault(str(event.get("span")), set()).update(_IRI.findall(str(query)))
    return {place: frozenset(iris) for place, iris in found.items()}
