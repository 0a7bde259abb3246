"""A resumable run into files: the header and the finished dialogues in one, the rejected seeds in another."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

from chattyshared.benchmark import dialogue_to_json, header_to_json, make_header
from chattyshared.errors import BenchmarkInvalid, ConfigError
from chattyshared.jsonlines import read_lines
from chattyshared.kg import KnowledgeGraph
from chattyshared.language.identification import ENGLISH
from chattyshared.language.scripts import known_languages
from chattyshared.model import LanguageModel
from chattyshared.runs.manifest import program_versions
from chattyshared.runs.output import Output
from chattyshared.runs.runner import Runner
from chattyshared.runs.threads import StopSignal
from chattyshared.trace import Trace

from chattygen.dialogue_language import DialogueLanguage, primary_subtag
from chattygen.mix import form_coverage
from chattygen.options import Options
from chattygen.pipeline import generate
from chattygen.runs.accounting import GenerationCounts
from chattygen.runs.slots import SlotResult
from chattygen.stage_models import stage_model
from chattygen.wording.approaches import agents_of

logger = logging.getLogger(__name__)
LANGUAGE_PACKAGES = ("inflect", "simplemma")
"""Packages whose version can change the wording of the rule model."""


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
    """Generate into a benchmark file, or resume one; a dialogue is on disk before ``on_progress`` is called.

    Rejected seeds go to ``PATH.rejected.jsonl``. ``profile`` is what the user states about the KG; another profile is
    another run. The manifest of a complete run says which forms are short of the mix. ``runner`` makes the dialogues
    (default: threads of this process). Equal runs give equal bytes, with any runner, and interrupted or not.

    Raises:
        ConfigError: the model does not write a language, or the file belongs to another run or cannot be written.
        EndpointError, ModelError: the endpoint or the model fails; finished dialogues are kept.
        BudgetSpent: ``stop`` was set; finished dialogues are kept.
        WorkersLost: the runner has no workers left; finished dialogues are kept.
    """
    _require_written_languages(kg, model, options)
    header = make_run_header(kg, model, options)
    rejected_path = path.with_name(f"{path.name}.rejected.jsonl")
    stated_profile = {"profile": dict(profile)} if profile else {}
    manifest = {"command": "chattygen generate", "benchmark": header, **stated_profile}
    counts = GenerationCounts()
    with Output(
        path, manifest, header=header_to_json(header), side_files={"rejected": rejected_path}, overwrite=overwrite,
        add_number=with_file_id,
    ) as output:  # fmt: skip
        if output.is_complete:
            return _count_file(path, rejected_path)
        done: dict[int, str] = {}
        for index, lines in _read_finished(output):
            dialogues = lines.get("", ())
            done[index] = dialogues[0]["seed"]["iri"] if dialogues else ""
            counts.add(dialogues, lines.get("rejected", ()))
            on_progress(counts)
        for result in generate(kg, model, options, done=done, trace=trace, stop=stop, runner=runner):
            lines = lines_of(result)
            output.record_lines(result.index, lines)
            counts.add(lines[""], lines["rejected"])
            on_progress(counts)
        short = (row for row in form_coverage(counts.forms, options.mix) if row.is_short)
        output.complete({"short_forms": {row.form: row.to_json() for row in short}})
    return counts


def with_file_id(dialogue: Mapping[str, Any], number: int) -> Mapping[str, Any]:
    """Return the line of a dialogue with its id in the file; the ids have no gaps."""
    return {**dialogue, "id": f"d{number:04d}"}


def make_run_header(kg: KnowledgeGraph, model: LanguageModel, options: Options) -> dict[str, Any]:
    """Return the header of the benchmark: the KG, the options, the model, the digests of the prompts, the versions."""
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
    """Return the lines of one slot by file (empty text: the benchmark)."""
    return {
        "": [dialogue_to_json(dialogue) for dialogue in result.dialogues],
        "rejected": [rejected.to_json() for rejected in result.rejected],
    }


def _read_finished(output: Output) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the index and the lines of each slot that an interrupted run has finished."""
    if not output.journal_path.exists():
        return
    try:
        for _, entry in read_lines(output.journal_path):
            if output.is_finished(entry["index"]):
                yield entry["index"], entry["lines"]
    except BenchmarkInvalid:
        # A killed run left a truncated line: the output repeats this slot and all that follow.
        return


def _count_file(path: Path, rejected: Path) -> GenerationCounts:
    """Return the counts of a finished file."""
    counts = GenerationCounts()
    dialogues = [line for _, line in read_lines(path)][1:]
    for _, aligned in groupby(dialogues, key=lambda dialogue: dialogue.get("alignment") or dialogue["id"]):
        counts.add(tuple(aligned), ())
    if rejected.exists():
        counts.add((), [line for _, line in read_lines(rejected)])
    return counts


def _require_written_languages(kg: KnowledgeGraph, model: LanguageModel, options: Options) -> None:
    """Refuse other languages than English where the rules write the questions; warn where the names are in another.

    Raises:
        ConfigError: the rules do not write one of the languages.
    """
    writers = [agent.name for agent in agents_of(options) if "language" in agent.prompt.variable_names()]
    is_by_rules = any(stage_model(model, agent).name == "rules" for agent in writers)
    for tag in options.lang:
        if is_by_rules and not DialogueLanguage(tag).is_english:
            raise ConfigError(f"--lang {tag}: the embedded rules write English only; --model names one that writes it")
    first = next(iter(kg.profile.languages), "")
    known = {language.tag: language.name for language in known_languages()}
    if is_by_rules and ENGLISH not in kg.profile.languages and primary_subtag(first) in known:
        name = known[primary_subtag(first)]
        logger.warning(
            "the names of the graph are in %s; the embedded rules write English: use --model with --lang %s",
            name,
            first,
        )
