"""``chattykg answer``: one question, a benchmark, or a file of questions."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from chattyshared.commands.group import (
    KG_HELP,
    SettingsCommand,
    exit_on_failures,
    flag_of,
    options_from_specs,
    print_warning,
    sanitize_for_terminal,
)
from chattyshared.commands.inputs import STDIN_ARGUMENT, copy_standard_input, take_box_graph
from chattyshared.commands.progress import show_progress
from chattyshared.model.option_specs import DRY_RUN_OPTION
from chattyshared.option_specs import JSON_OPTION, OptionSpec
from chattyshared.runs.runner import SCHEDULER_SETTING

from chattykg.cli import engines, options, resources
from chattykg.cli.engines import ENGINE_WORKER
from chattykg.cli.rendering import render_answer, render_evidence
from chattykg.cli.resources import print_estimate
from chattykg.settings import HISTORY_OPTION, WORDING_OPTION

if TYPE_CHECKING:
    from chattykg.runs.batch import BatchCounts
    from chattykg.runs.inputs import AnswerInput

DEFAULT_OUTPUT = Path("answers.jsonl")


@click.command(cls=SettingsCommand)
@click.argument("question", required=False)
@options.graph_options(
    OptionSpec("benchmark", 'Answer the dialogues of this benchmark. A box of "chattygen box" is its own graph, unless '
               "--kg names one.", "file"),
    OptionSpec("questions", "Answer this file of questions, conversations in order: text with a question a line (# "
               "begins a comment), JSON Lines of ours, or a file of the field (QALD, LC-QuAD, Chatty-Gen, "
               "ConvQuestions, TEXT2SPARQL, Maestro); its format is found by its content.", "file"),
    OptionSpec("text2sparql", "Answer this questions file of TEXT2SPARQL in all of its languages, and write "
               "answers.json as the challenge wants it; the answers themselves lie beside it.", "file"),
    OptionSpec("output", f"Where the answers go; {DEFAULT_OUTPUT} unless said.", "output"),
    OptionSpec("lang", "The language of a file of questions that holds several.", default="", metavar="TAG",
               is_setting=True),
    OptionSpec("wordings", "Which wordings in that language are asked, if a question has several.", "choice", "first",
               choices=("first", "all"), is_setting=True),
    *options.SYSTEM_SPECS,
    required=False, text=f"{KG_HELP} Engines that know no graph do without.",
)  # fmt: skip
@options.answering_options()
@options_from_specs(
    HISTORY_OPTION, WORDING_OPTION, *options.RUN_SPECS, DRY_RUN_OPTION, JSON_OPTION, options.SAY_SETTING,
    SCHEDULER_SETTING,
)  # fmt: skip
def answer(
    question: str | None, benchmark: Path | None, questions: Path | None, text2sparql: Path | None, **options: Any
) -> None:
    """Answer QUESTION, or all questions of a file, over a knowledge graph.

    One question is answered on the spot: the answer (in a sentence with --set say=on), then what it was
    understood as, which entities and relations it was linked to, the facts that support the answer, and its query.

    \b
    chattykg answer --kg demo "Who directed Inception?"
    chattykg answer --kg a.ttl --kg b.nt.gz --json "How many rivers are there?"

    A file of answers has one line a question. What is finished is on disk at once: stop it whenever you like, the
    same command goes on from there.

    \b
    chattykg answer --kg my.ttl --benchmark benchmark.jsonl -o answers.jsonl
    chattykg answer --kg https://example.org/sparql --questions questions.jsonl --workers 4
    chattykg answer --engine llm-only --model openai:gpt-4o-mini --benchmark benchmark.jsonl -o llm-only.jsonl
    chattykg answer --kg corporate.ttl --text2sparql questions.yml -o answers.json
    chattykg answer --kg my.ttl --engine candidates:other-system.json -o kept.jsonl
    """
    from chattykg.runs import inputs

    questions = _take_candidates(options, question, benchmark, questions, text2sparql) or questions
    if question is not None:
        files = "--benchmark or --questions"
        _refuse_without(options, output=files, history="--benchmark", wording=files, lang="--questions")
        _answer_one(_question_from_stdin() if question == STDIN_ARGUMENT else question, options)
    elif questions is not None:
        _refuse_without(options, json="a QUESTION", say="a QUESTION", history="--benchmark")
        answer_input = inputs.read_questions_input(questions, options["wording"], options["lang"], options["wordings"])
        for note in answer_input.notes:
            print_warning(note)
        exit_with(answer_file(answer_input, options))
    elif benchmark is not None:
        _refuse_without(options, json="a QUESTION", say="a QUESTION", lang="--questions")
        take_box_graph(options, benchmark)  # a box is also the graph, unless another was named
        exit_with(answer_file(inputs.read_benchmark_input(benchmark, options["wording"]), options))
    elif text2sparql is not None:
        _refuse_without(options, json="a QUESTION", say="a QUESTION", history="--benchmark", wording="--benchmark")
        _answer_challenge(text2sparql, options)


def _take_candidates(options: dict[str, Any], *sources: str | Path | None) -> Path | None:
    """Return the file of candidate queries that the engine answers from, if it is the only source of questions.

    Raises:
        UsageError: there is no source of questions, or more than one.
    """
    kind, _, candidates = options["engine"].partition(":")
    candidates = candidates if kind == "candidates" else ""
    given = [source for source in sources if source is not None]
    if len(given) > 1 or not (given or candidates):
        raise click.UsageError(
            'give exactly one of "QUESTION", --benchmark FILE, --questions FILE and --text2sparql FILE'
        )
    return None if given else Path(candidates)


def _refuse_without(options: dict[str, Any], **partners: str) -> None:
    """Refuse options that were given without their partner.

    Raises:
        UsageError: names the option and its partner.
    """
    defaults = {"history": "own", "wording": "follow-up"}
    for name, partner in partners.items():
        if name == "json" and options["dry_run"]:
            continue
        if options[name] not in (None, False, "", defaults.get(name)):
            raise click.UsageError(f"{flag_of(name)} goes with {partner}")


def _question_from_stdin() -> str:
    """Return the question on standard input.

    Raises:
        UsageError: it has no line, or several.
    """
    text = copy_standard_input(click.get_current_context()).read_text(encoding="utf-8-sig", errors="replace")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) != 1:
        raise click.UsageError(
            f"standard input holds {len(lines)} lines, not one QUESTION; --questions - answers a question a line"
        )
    return lines[0]


def _answer_one(question: str, options: dict[str, Any]) -> None:
    """Answer one question and print the answer."""
    import json

    from chattyshared.answers import has_error
    from chattyshared.commands.exit_codes import startup_errors
    from chattyshared.trace import Trace, TracedModel

    from chattykg.agents.verbalizer import verbalize_answer, verbalize_by_template
    from chattykg.runs.batch import answer_question
    from chattykg.runs.question_sets import Conversation, QuestionItem

    # Bytes that are no UTF-8 come from the shell as surrogates, which cannot be encoded.
    question = question.encode(errors="replace").decode()
    spec, item = engines.select_engine_kind(options), QuestionItem(0, "1", question)
    if spec.answers_files:
        raise click.UsageError(f"the engine {spec.kind} answers the questions of a file: --questions or --benchmark")
    if options["dry_run"]:
        print_estimate(options, [Conversation((item,))], is_verbalized=bool(options["say"]))
        return
    with (
        resources.open_model_session(options) as (model_options, model_factory),
        Trace(options["trace"], secrets=resources.secrets()) as trace,
    ):
        opened, sentence = engines.open_selected_engine(spec, options, model_options, model_factory), ""
        with startup_errors():
            answer, outcome = answer_question(opened.open_engine_with(trace), item, ())
            line = outcome.line
            if outcome.failure is not None:
                outcome.failure.record(trace, "1")
            if options["say"] and not has_error(line):
                model = TracedModel(opened.model, trace, "1") if opened.model else None
                sentence = verbalize_answer(question, answer, model) if model else verbalize_by_template(answer)
            evidence = render_evidence(answer, question, opened.kg) if not options["json"] else ""
    if options["json"]:
        click.echo(json.dumps(line, ensure_ascii=False, indent=2))
    elif "error" not in line:
        click.echo(f"{sanitize_for_terminal(sentence) or render_answer(answer)}\n\n{evidence}")
    if "error" in line:
        click.echo(f"chattykg: {sanitize_for_terminal(str(line['error']))}", err=True)
        click.get_current_context().exit(3)


def _answer_challenge(path: Path, options: dict[str, Any]) -> None:
    """Answer a questions file of TEXT2SPARQL into answers.json, with a file of answers next to it."""
    import json

    from chattyshared.answers import read_answers
    from chattyshared.commands.exit_codes import require_distinct_paths
    from chattyshared.errors import ConfigError
    from chattyshared.formats import text2sparql
    from chattyshared.jsonlines import write_atomically

    from chattykg.runs import inputs

    spec, output = engines.select_engine_kind(options), options["output"] or Path("answers.json")
    if not spec.writes_queries:
        raise click.UsageError(f"the engine {spec.kind} writes no queries, which is what answers.json holds")
    lines = output.with_suffix(".jsonl") if output.suffix == ".json" else output.with_name(f"{output.name}.jsonl")
    answer_input, challenge = inputs.read_challenge_input(path, options["lang"])
    dataset = options["dataset"] or (challenge.dataset if spec.kind in ("text2sparql", "chattykg") else "")
    require_distinct_paths(output, [*options["sources"], path, lines])
    if output.exists() and not lines.exists() and not options["overwrite"]:
        raise ConfigError(f"{output} is there already: choose another name, or overwrite it with --overwrite")
    failures = answer_file(answer_input, {**options, "output": lines, "dataset": dataset})
    if options["dry_run"]:
        return
    queries = {str(line.id): line.sparql for line in read_answers(lines) if line.answers}
    entries = text2sparql.to_answers_json(
        challenge, queries, spec.redacted_target() if spec.kind == "text2sparql" else ""
    )
    write_atomically(output, [json.dumps(entries, ensure_ascii=False, indent=2)])
    click.echo(f"{output}: {sum(bool(entry['query']) for entry in entries)} queries to {len(entries)} questions")
    exit_with(failures)


@dataclass(frozen=True, slots=True)
class RunFailures:
    """The unexpected errors of a run by type and place, and the trace with their tracebacks."""

    unexpected: Counter[str] = field(default_factory=Counter)
    trace: Path | None = None


def exit_with(failures: RunFailures) -> None:
    """Exit with 3 if there were unexpected errors."""
    exit_on_failures({"question": failures.unexpected}, failures.trace)


def answer_file(answer_input: AnswerInput, options: dict[str, Any]) -> RunFailures:
    """Answer the questions of a file into a file of answers."""
    if options["dry_run"]:
        engines.select_engine_kind(options)
        print_estimate(options, answer_input.conversations)
        return RunFailures()
    from chattyshared.commands.exit_codes import require_distinct_paths, startup_errors
    from chattyshared.runs.cluster_job import open_cluster_runner
    from chattyshared.runs.dask import open_cluster
    from chattyshared.trace import trace_path_of

    from chattykg.runs.answer_run import answer_to_file, build_manifest
    from chattykg.runs.question_sets import link_gold_answers

    spec, path = engines.select_engine_kind(options), options["output"] or DEFAULT_OUTPUT
    if spec.keeps_history and any(conversation.history for conversation in answer_input.conversations):
        raise click.UsageError("this engine keeps the conversation itself: the history of a question cannot reach it")
    options = {**options, "held_out": answer_input.held_out}
    read = [*options["sources"], *options.get("experience", ()), *filter(None, [answer_input.source])]
    require_distinct_paths(path, [*read, spec.target] if spec.answers_files else read)
    with (
        open_cluster(options) as cluster,
        resources.open_model_session(options, path) as (model_options, model_factory),
        show_progress("answers", answer_input.question_count) as progress,
    ):
        opened = engines.open_selected_engine(spec, options, model_options, model_factory)
        with startup_errors():
            engine_entry = opened.manifest_source.to_manifest()
            runner = open_cluster_runner(
                cluster,
                ENGINE_WORKER,
                options,
                opened.kg,
                model_options.meter,
                resources.secrets(),
                engine_entry,
            )
        run_options = resources.run_options(options, progress, model_options, runner)
        with startup_errors():
            manifest = build_manifest(
                opened.kg, opened.model_names, answer_input.manifest_entry, run_options, opened.manifest_source
            )
            conversations = answer_input.conversations
            if opened.kg and run_options.history == "gold":
                conversations = link_gold_answers(conversations, opened.kg)
        resources.warn_of_other_graph(opened.kg, answer_input.fingerprint)
        counts = answer_to_file(path, conversations, opened.open_engine_with, manifest, run_options)
    _report(path, answer_input, counts, opened.model_names)
    return RunFailures(counts.unexpected, options["trace"] or trace_path_of(path))


def _report(path: Path, answer_input: AnswerInput, counts: BatchCounts, model_names: str) -> None:
    """Print how many questions were answered, and warn of errors."""
    answers = counts.asked + counts.kept - counts.errors
    click.echo(f"{path}: {answers} answers" + (" (were there already)" if counts.kept and not counts.asked else ""))
    if not answer_input.question_count:
        print_warning(f"{answer_input.source} holds no question")
    if expected := counts.errors - counts.unexpected.total():
        print_warning(f"{expected} questions ended in an error; {engines.retry_hint(model_names)}")
