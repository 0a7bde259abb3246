"""The answers of a system under test: its file, the manifest of the run, and the trace of its queries."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, count, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chattyshared.answers import AnswerLine
from chattyshared.certificates import digest_of_file
from chattyshared.errors import BenchmarkInvalid, ConfigError
from chattyshared.formats.data_frames import make_data_frame
from chattyshared.formats.detection import detect_own_format
from chattyshared.formats.predictions import read_predictions
from chattyshared.formats.qald import Wordings
from chattyshared.jsonlines import output_path, parse_json, read_lines, to_json_line, write_atomically
from chattyshared.kg import KnowledgeGraph
from chattyshared.runs.runner import Runner
from chattyshared.trace import file_exists

from chattykg.evaluation.answer_matching import element_from_answer
from chattykg.evaluation.metrics import SystemAnswer

if TYPE_CHECKING:
    from chattyshared.formats.data_frames import DataFrame

_GOLD_SUFFIXES = (".jsonl", ".json", ".csv", ".yml", ".yaml", ".zip")
"""The endings of files that may be the gold beside answers."""
_IRI = re.compile(r"<([^<>\"{}|^`\\\s]+)>")


_COLUMNS = (
    "id", "question", "status", "labels", "answers", "confidence", "sparql", "standalone", "notes", "error",
    "seconds", "queries",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers of one system: its lines by id, over which it iterates, and its manifest (empty if there is none).

    ``path`` is the file of the answers, or the name for it. ``candidates`` holds, by turn id, the IRIs in the queries
    of the turn; None if there is no trace. ``records`` are the lines of a file of ours, as JSON.
    """

    path: Path
    lines: Mapping[str, AnswerLine]
    manifest: Mapping[str, Any] = field(default_factory=dict)
    candidates: Mapping[str, frozenset[str]] | None = None
    records: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)

    def __iter__(self) -> Iterator[AnswerLine]:
        return iter(self.lines.values())

    def __len__(self) -> int:
        return len(self.lines)

    def __getitem__(self, id: str | int) -> AnswerLine:
        return self.lines[str(id)]

    def __repr__(self) -> str:
        return f"Answers({len(self)} questions, {sum(bool(line.answers) for line in self)} answered)"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the answers to a file with its manifest, as the command does; an existing file is replaced.

        Raises:
            ConfigError: the file cannot be written, or these answers are of a system that has its own format.
            StorageFailed: the disk is full.
        """
        if len(self.records) != len(self.lines):
            raise ConfigError(f"{self.path}: only answers of chattykg can be saved")
        file = output_path(path)
        write_atomically(file, map(to_json_line, self.records))
        manifest = json.dumps({"answers": self.manifest, "complete": True}, ensure_ascii=False, indent=2)
        write_atomically(file.with_name(f"{file.name}.run.json"), [manifest])
        file.with_name(f"{file.name}.trace.jsonl").unlink(missing_ok=True)  # that of the answers that are replaced

    def to_pandas(self) -> DataFrame:
        """Return a data frame with a line per question.

        Raises:
            ConfigError: pandas is not installed.
        """
        rows = ({name: getattr(line, name) for name in _COLUMNS} for line in self)
        return make_data_frame(rows, _COLUMNS)

    @property
    def model(self) -> str:
        """The model that answered."""
        return str(self.manifest.get("model", ""))

    @property
    def history(self) -> str:
        """Whose answers are in the history: own or gold."""
        return str(self.manifest.get("history", ""))

    @property
    def wording(self) -> str:
        """Which wording was asked: follow-up or standalone."""
        return str(self.manifest.get("wording", ""))

    @property
    def switches(self) -> str:
        """The parts of the engine that were turned off or varied: "mode=single"; empty without any."""
        switches = self._engine.get("switches")
        return ", ".join(f"{name}={value}" for name, value in switches.items()) if isinstance(switches, dict) else ""

    @property
    def experience(self) -> str:
        """The solved questions that the model was shown from, and how many the leak guard barred; empty without any."""
        entry = self._engine.get("experience")
        if not isinstance(entry, dict):
            return ""
        barred = entry.get("barred") or {}
        kinds = ", ".join(f"{kind} {count}" for kind, count in barred.items())
        return f"{entry.get('items')} examples, {sum(barred.values())} barred" + (f" ({kinds})" if kinds else "")

    @property
    def answers_in_names(self) -> bool:
        """Whether the system answers with names in place of IRIs, as a closed-book language model does."""
        return bool(self._engine.get("says") == "names")

    @property
    def lists_candidates(self) -> bool:
        """Whether the lists of candidate queries are what is measured: a filter has judged them, or they were given."""
        is_judged = any(candidate.verdict for line in self for candidate in line.candidates)
        return is_judged or self._engine.get("kind") in ("memorized", "candidates")

    @property
    def has_graph(self) -> bool:
        """Whether the system has a graph, as all do whose manifest does not state the contrary."""
        return bool(self._engine.get("kind") != "llm-only")

    @property
    def _engine(self) -> Mapping[str, Any]:
        """The entry of the engine in the manifest; empty if there is none."""
        engine = self.manifest.get("engine")
        return engine if isinstance(engine, dict) else {}

    @property
    def input_digest(self) -> str:
        """The digest of the file that was asked."""
        digests = self.manifest.get("asked")
        return str(next(iter(digests.values()), "")) if isinstance(digests, dict) else ""

    @property
    def wordings(self) -> Wordings:
        """Which of several wordings of a question were asked."""
        asked = self.manifest.get("asked")
        return "all" if isinstance(asked, dict) and asked.get("wordings") == "all" else "first"

    def answer_to(self, id: str) -> SystemAnswer | None:
        """Return the answer to a question; None if there is no line, or a line with an error and no query.

        If a line has an error and a query, the query failed: the answer is empty. Labels are ignored if their number
        differs from that of the answers. An answer from a model's memory counts apart, unless the system has no graph
        at all.
        """
        line = self.lines.get(id)
        if line is None or (line.error and not line.sparql):
            return None
        is_memory = self.has_graph and not line.grounded
        labels = line.labels if len(line.labels) == len(line.answers) else ()
        in_names = self.answers_in_names or is_memory
        elements = tuple(
            element_from_answer(answer, label, answers_in_names=in_names)
            for answer, label in zip_longest(line.answers, labels, fillvalue="")
        )
        rows = tuple(tuple(map(element_from_answer, row)) for row in line.rows)
        return SystemAnswer((), line, rows, elements) if is_memory else SystemAnswer(elements, line, rows)


def read_system_run(
    path: Path, kg: KnowledgeGraph | None = None, *, with_trace: bool = True, runner: Runner | None = None
) -> Answers:
    """Read a file of answers in any known format, its ``PATH.run.json`` and, with ``with_trace``, its
    ``PATH.trace.jsonl``. Queries without answers are run on ``kg`` by ``runner`` (default: the calling thread).

    Raises:
        ConfigError: a file does not exist or cannot be read; it holds only queries, and there is no ``kg``.
        BenchmarkInvalid: it has an unknown or a broken format; the manifest cannot be read.
        EndpointUnavailable: the endpoint of ``kg`` does not answer.
    """
    lines = {str(line.id): line for line in read_predictions(path, kg, runner=runner)}
    trace = path.with_name(f"{path.name}.trace.jsonl")
    candidates = _read_candidates(trace) if with_trace and file_exists(trace) else None
    return Answers(path, lines, _read_manifest(path.with_name(f"{path.name}.run.json")), candidates)


def is_answers_file(path: Path) -> bool:
    """Tell whether a file holds lines of answers, by its first one: a file of questions states no outcome."""
    try:
        _, first = next(read_lines(path))
    except (ConfigError, StopIteration):
        return False
    return isinstance(first, dict) and "id" in first and bool({"status", "confidence", "error"} & first.keys())


def is_gold_first(first: Path, second: Path) -> bool:
    """Tell whether of two files, gold and answers, the first is the gold."""
    return detect_own_format(first) == "benchmark" or (is_answers_file(second) and not is_answers_file(first))


def find_gold(answers: Answers) -> Path | None:
    """Return the file in the folder of the answers that their manifest names by its digest; None if there is none."""
    if not answers.input_digest:
        return None
    files = (path for path in sorted(answers.path.parent.glob("*")) if path.suffix in _GOLD_SUFFIXES and path.is_file())
    return next((path for path in files if _digest_of(path) == answers.input_digest), None)


def _digest_of(path: Path) -> str:
    """Return the digest of a file of questions; "" of a zip file that is no box."""
    try:
        return digest_of_file(path)
    except ConfigError:
        return ""


def name_systems(paths: Sequence[Path]) -> tuple[str, ...]:
    """Return a unique name for each file: its stem, its folder, its name, or the last parts of its path, the first that
    makes all names different. A repeated file gets ``#2``."""
    has_one_stem = len({path.stem for path in paths}) == 1
    schemes = [[path.stem for path in paths], [path.parent.name if has_one_stem else "" for path in paths]]
    schemes += (
        ["/".join(path.parts[-depth:]) for path in paths]
        for depth in range(1, max(len(path.parts) for path in paths) + 1)
    )
    different = (scheme for scheme in schemes if all(scheme) and len(set(scheme)) == len(set(paths)))
    names: list[str] = []
    for name in next(different, [str(path) for path in paths]):
        numbered = (f"{name}#{number}" for number in count(2))
        names.append(next(free for free in chain([name], numbered) if free not in names))
    return tuple(names)


def _read_manifest(path: Path) -> Mapping[str, Any]:
    """Return the part of a manifest about the answers; empty if another program wrote it."""
    if not file_exists(path):
        return {}
    try:
        manifest = parse_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BenchmarkInvalid(f"the manifest cannot be read ({error}); move it away", file=str(path)) from error
    answers = manifest.get("answers") if isinstance(manifest, dict) else None
    return answers if isinstance(answers, dict) else {}


def _read_candidates(trace: Path) -> dict[str, frozenset[str]]:
    iris_by_span: dict[str, set[str]] = {}
    for _, event in read_lines(trace, skip_partial_line=True):
        if isinstance(event, dict) and event.get("kind") == "query":
            query = (event.get("data") or {}).get("query", "")
            iris_by_span.setdefault(str(event.get("span")), set()).update(_IRI.findall(str(query)))
    return {span: frozenset(iris) for span, iris in iris_by_span.items()}
