"""A run of the generator into a file: header, dialogues as they are finished, rejected seeds beside; resumable."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from chattyshared.benchmark import dialogue_to_json, header_to_json, make_header
from chattyshared.errors import BenchmarkInvalid
from chattyshared.jsonlines import read_lines
from chattyshared.kg import KnowledgeGraph
from chattyshared.model import LanguageModel
from chattyshared.runs.manifest import program_versions
from chattyshared.runs.output import Output
from chattyshared.runs.runner import Runner
from chattyshared.runs.threads import StopSignal
from chattyshared.trace import Trace

from chattygen.approaches.registry import agents_of
from chattygen.options import Options
from chattygen.pipeline import generate
from chattygen.runs.accounting import GenerationCounts
from chattygen.runs.slots import SlotResult

LANGUAGE_PACKAGES = ("inflect", "simplemma")
"""Packages whose version can change the rule model's wording."""


def record_run(  # noqa: PLR0913
    kg: KnowledgeGraph,
    model: LanguageModel,
    options: Options,
    path: Path,
    *,
    overwrite: bool = False,
    trace: Trace | None = None,
    stop: StopSignal | None = None,
    profile: Mapping[str, Any] | None = None,
    runner: Runner | None = None,
    on_progress: Callable[[GenerationCounts], None] = lambda _: None,
) -> GenerationCounts:
    """Generate into a benchmark file, or go on with one; every finished dialogue is on disk before ``watch`` hears.

    Rejected seeds go to ``OUT.rejected.jsonl``. ``profile`` is what the user has stated of the KG: with another one
    it is another run. ``runner`` is who makes the dialogues, threads of this process unless said. Equal runs give equal
    bytes, broken and resumed ones too, whoever made them.

    Raises:
        ConfigError: another run's file lies there, or it cannot be written.
        EndpointError, ModelError: the world went away; what is finished is kept.
        BudgetSpent: ``stop`` was set; what is finished is kept.
        WorkersLost: who makes the dialogues elsewhere is gone; what is finished is kept.
    """
    header = make_run_header(kg, model, options)
    beside = {"rejected": path.with_name(f"{path.name}.rejected.jsonl")}
    stated = {"profile": dict(profile)} if profile else {}
    manifest = {"command": "chattygen generate", "benchmark": header, **stated}
    tally = GenerationCounts()
    with Output(
        path, manifest, header=header_to_json(header), side_files=beside, overwrite=overwrite, add_number=with_file_id
    ) as output:
        if output.is_complete:
            return _tally_of(path, beside["rejected"])
        done: dict[int, str] = {}
        for index, lines in _earlier(output):
            dialogue = next(iter(lines.get("", ())), None)
            done[index] = dialogue["seed"]["iri"] if dialogue else ""
            tally.add(dialogue, list(lines.get("rejected", ())))
            on_progress(tally)
        for made in generate(kg, model, options, done=done, trace=trace, stop=stop, runner=runner):
            lines = lines_of(made)
            output.record_lines(made.index, lines)
            tally.add(next(iter(lines[""]), None), lines["rejected"])
            on_progress(tally)
        output.complete()
    return tally


def with_file_id(dialogue: Mapping[str, Any], number: int) -> Mapping[str, Any]:
    """Return a dialogue's line with the id that it has in the file: they follow one another without a gap."""
    return {**dialogue, "id": f"d{number:04d}"}


def make_run_header(kg: KnowledgeGraph, model: LanguageModel, options: Options) -> dict[str, Any]:
    """Return the benchmark's header: the KG, the options, the model, the prompts' digests and the versions."""
    prompts = {agent.name: agent.prompt.digest for agent in agents_of(options)}
    return make_header(
        f"{kg.name}: {options.dialogues} dialogues of {options.turns} turns",
        sources=kg.name.split(", "),
        fingerprint=kg.fingerprint(),
        triples=kg.count_triples(),
        generate={
            "options": options.to_header(),
            "seed": options.seed,
            "model": model.name,
            "prompts": prompts,
            "versions": program_versions(*LANGUAGE_PACKAGES),
        },
    )


def lines_of(result: SlotResult) -> dict[str, list[dict[str, Any]]]:
    """Return the lines of one slot by file."""
    return {
        "": [dialogue_to_json(result.dialogue)] if result.dialogue else [],
        "rejected": [rejected.to_json() for rejected in result.rejected],
    }


def _earlier(output: Output) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield what an unfinished earlier run has put, as far as the output itself takes it for finished."""
    if not output.journal_path.exists():
        return
    try:
        for _, entry in read_lines(output.journal_path):
            if output.is_finished(entry["index"]):
                yield entry["index"], entry["lines"]
    except BenchmarkInvalid:
        # A line that was cut off by a kill: the output makes what follows again, too.
        return


def _tally_of(path: Path, rejected: Path) -> GenerationCounts:
    """Count what a finished file holds."""
    tally = GenerationCounts()
    for number, (_, line) in enumerate(read_lines(path)):
        if number:
            tally.add(line, [])
    if rejected.exists():
        tally.add(None, [line for _, line in read_lines(rejected)])
    return tally
