"""``chattykg answer``: one question, a benchmark, or a file of questions."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
from chattyshared.commands.group import (
    KG_HELP,
    SectionedCommand,
    config_option,
    exit_on_failures,
    kg_option,
    print_warning,
    sanitize_for_terminal,
)
from chattyshared.commands.inputs import INPUT_FILE, STDIN_ARGUMENT, copy_standard_input

from chattykg.cli import engines, inputs, options, resources
from chattykg.cli.estimating import print_estimate
from chattykg.cli.inputs import AnswerInput
from chattykg.cli.progress import show_progress
from chattykg.cli.rendering import render_answer, render_evidence

DEFAULT_OUTPUT = Path("answers.jsonl")


@click.command(cls=SectionedCommand)
@click.argument("question", required=False)
@kg_option(f"{KG_HELP} Engines that know no graph do without.", required=False)
@options.reading_options
@click.option("--benchmark", type=INPUT_FILE, help="Answer the dialogues of this benchmark.")
@click.option(
    "--questions",
    type=INPUT_FILE,
    help="Answer this file of questions, conversations in order: text with a question a line (# begins a comment), "
    "JSON Lines of ours, or a file of the field (QALD, LC-QuAD, Chatty-Gen, ConvQuestions, TEXT2SPARQL, Maestro); its "
    "format is found by its content.",
)
@click.option(
    "--text2sparql",
    "challenge",
    type=INPUT_FILE,
    help="Answer this questions file of TEXT2SPARQL in all of its languages, and write answers.json as the challenge "
    "wants it; the answers themselves lie beside it.",
)
@click.option("--lang", metavar="TAG", default="", help="The language of a file of QUESTIONS that holds several.")
@click.option("-o", "--output", type=options.FILE, help=f"Where the answers go; {DEFAULT_OUTPUT} unless said.")
@click.option("--json", "as_json", is_flag=True, help="Print the answer to QUESTION as one JSON object.")
@engines.engine_option
@engines.context_option
@engines.dataset_option
@options.model_options
@options.engine_options
@options.theta_option
@options.asking_options
@options.run_options
@options.say_option
@options.trace_option
@config_option
@options.dry_run_option
@options.cost_options
@options.machine_options
def answer(
    question: str | None, benchmark: Path | None, questions: Path | None, challenge: Path | None, **options: Any
) -> None:
    """Answer QUESTION, or all questions of a file, over a knowledge graph.

    One question is answered on the spot: the answer (with --say in a sentence), then what the question was understood
    as, which entities and relations it was linked to, the facts that support the answer, and the SPARQL query.

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
    """
    if sum(part is not None for part in (question, benchmark, questions, challenge)) != 1:
        raise click.UsageError(
            'give exactly one of "QUESTION", --benchmark FILE, --questions FILE and --text2sparql FILE'
        )
    if question is not None:
        partner = "--benchmark or --questions"
        _refuse(options, output=partner, history="--benchmark", wording=partner, lang="--questions")
        _one(_from_standard_input() if question == STDIN_ARGUMENT else question, options)
    elif questions is not None:
        _refuse(options, as_json="a QUESTION", say="a QUESTION", history="--benchmark")
        asking = inputs.read_questions_input(questions, options["wording"], options["lang"])
        for remark in asking.notes:
            print_warning(remark)
        _end(_many(asking, options))
    elif benchmark is not None:
        _refuse(options, as_json="a QUESTION", say="a QUESTION", lang="--questions")
        _end(_many(inputs.read_benchmark_input(benchmark, options["wording"]), options))
    elif challenge is not None:
        _refuse(options, as_json="a QUESTION", say="a QUESTION", history="--benchmark", wording="--benchmark")
        _challenge(challenge, options)


def _refuse(given: dict[str, Any], **partners: str) -> None:
    """Refuse options that were given without what they go with."""
    defaults = {"history": "own", "wording": "follow-up"}
    for name, partner in partners.items():
        if name == "as_json" and given["dry_run"]:
            continue
        if given[name] not in (None, False, "", defaults.get(name)):
            raise click.UsageError(f"--{name.removeprefix('as_').replace('_', '-')} goes with {partner}")


def _from_standard_input() -> str:
    """Return the question that standard input holds.

    Raises:
        UsageError: it holds none, or several lines.
    """
    text = copy_standard_input(click.get_current_context()).read_text(encoding="utf-8-sig", errors="replace")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) != 1:
        raise click.UsageError(
            f"standard input holds {len(lines)} lines, not one QUESTION; --questions - answers a question a line"
        )
    return lines[0]


def _one(question: str, given: dict[str, Any]) -> None:
    """Answer one question and print the answer."""
    import json

    from chattyshared.answers import has_error
    from chattyshared.commands.exit_codes import startup_errors
    from chattyshared.trace import Trace, TracedModel

    from chattykg.agents.verbalizer import verbalize_answer, verbalize_by_template
    from chattykg.runs.batch import answer_question
    from chattykg.runs.question_sets import Conversation, QuestionItem

    # Bytes that are no UTF-8 come from the shell as surrogates, which nothing can write.
    question = question.encode(errors="replace").decode()
    kind, asked_first = engines.select_engine_kind(given), QuestionItem(0, "1", question)
    if kind.kind == "file":
        raise click.UsageError("a file of predictions answers the questions of a file: --questions or --benchmark")
    if given["dry_run"]:
        print_estimate(given, [Conversation((asked_first,))], is_verbalized=bool(given["say"]))
        return
    with (
        resources.open_model_session(given) as (access, opened),
        Trace(given["trace"], secrets=resources.secrets()) as trace,
    ):
        seat, spoken = engines.open_selected_engine(kind, given, access, opened), ""
        with startup_errors():
            found, outcome = answer_question(seat.open_engine_with(trace), asked_first, ())
            line = outcome.line
            if outcome.failure is not None:
                outcome.failure.record(trace, "1")
            if given["say"] and not has_error(line):
                model = TracedModel(seat.model, trace, "1") if seat.model else None
                spoken = verbalize_answer(question, found, model) if model else verbalize_by_template(found)
    if given["as_json"]:
        click.echo(json.dumps(line, ensure_ascii=False, indent=2))
    elif "error" not in line:
        click.echo(f"{sanitize_for_terminal(spoken) or render_answer(found)}\n\n{render_evidence(found, question)}")
    if "error" in line:
        click.echo(f"chattykg: {sanitize_for_terminal(str(line['error']))}", err=True)
        click.get_current_context().exit(3)


def _challenge(path: Path, given: dict[str, Any]) -> None:
    """Answer a questions file of TEXT2SPARQL into answers.json, by way of a file of answers beside it."""
    import json

    from chattyshared.answers import read_answers
    from chattyshared.commands.exit_codes import require_distinct_paths
    from chattyshared.errors import ConfigError
    from chattyshared.formats import text2sparql_answers
    from chattyshared.jsonlines import write_atomically

    kind, output = engines.select_engine_kind(given), given["output"] or Path("answers.json")
    if not kind.writes_queries:
        raise click.UsageError(f"the engine {kind.kind} writes no queries, which is what answers.json holds")
    lines = output.with_suffix(".jsonl") if output.suffix == ".json" else output.with_name(f"{output.name}.jsonl")
    asking, read = inputs.read_challenge_input(path, given["lang"])
    dataset = given["dataset"] or (read.dataset if kind.kind in ("text2sparql", "chattykg") else "")
    require_distinct_paths(output, [*given["sources"], path, lines])
    if output.exists() and not lines.exists() and not given["overwrite"]:
        raise ConfigError(f"{output} is there already: choose another name, or overwrite it with --overwrite")
    done = _many(asking, {**given, "output": lines, "dataset": dataset})
    if given["dry_run"]:
        return
    queries = {str(line.id): line.sparql for line in read_answers(lines) if line.answers}
    made = text2sparql_answers.to_answers_json(
        read, queries, kind.redacted_target() if kind.kind == "text2sparql" else ""
    )
    write_atomically(output, [json.dumps(made, ensure_ascii=False, indent=2)])
    click.echo(f"{output}: {sum(bool(one['query']) for one in made)} queries to {len(made)} questions")
    _end(done)


@dataclass(frozen=True, slots=True)
class _Done:
    """The unexpected errors of a run, by type and place, and the trace that holds their tracebacks."""

    unexpected: Counter[str] = field(default_factory=Counter)
    trace: Path | None = None


def _end(done: _Done) -> None:
    """Exit with 3 if questions ended in unexpected errors."""
    exit_on_failures({"question": done.unexpected}, done.trace)


def _many(asking: AnswerInput, given: dict[str, Any]) -> _Done:
    """Answer the questions of a file into another."""
    if given["dry_run"]:
        engines.select_engine_kind(given)
        print_estimate(given, asking.conversations)
        return _Done()
    from chattyshared.commands.exit_codes import require_distinct_paths, startup_errors
    from chattyshared.kg.profile_file import profile_file_to_json
    from chattyshared.runs.cluster_job import open_cluster_runner
    from chattyshared.runs.dask import open_cluster

    from chattykg.cli.cluster_worker import ENGINE_WORKER
    from chattykg.runs.answer_run import RunOptions, answer_to_file, build_manifest, trace_path_of
    from chattykg.runs.question_sets import link_gold_answers

    kind, path = engines.select_engine_kind(given), given["output"] or DEFAULT_OUTPUT
    if kind.keeps_history and any(conversation.history for conversation in asking.conversations):
        raise click.UsageError("this engine keeps the conversation itself: the history of a question cannot reach it")
    require_distinct_paths(path, [*given["sources"], asking.source, *([kind.target] if kind.kind == "file" else [])])
    with (
        open_cluster(given) as cluster,
        resources.open_model_session(given, path) as (access, opened),
        show_progress("answers", asking.question_count) as told,
    ):
        seat = engines.open_selected_engine(kind, given, access, opened)
        with startup_errors():
            manifest = seat.manifest_source.to_manifest()
            runner = open_cluster_runner(
                cluster, ENGINE_WORKER, given, seat.kg, access.meter, resources.secrets(), manifest
            )
        way = RunOptions(
            given["history"], given["wording"], given["workers"], given["overwrite"], given["trace"],
            secrets=resources.secrets(), on_progress=told, stop=access.meter,
            profile=profile_file_to_json(given["profile"]), runner=runner,
        )  # fmt: skip
        with startup_errors():
            made = build_manifest(seat.kg, seat.model_names, asking.manifest_entry, way, seat.manifest_source)
            talks = asking.conversations
            if seat.kg and way.history == "gold":
                talks = link_gold_answers(talks, seat.kg)
        if seat.kg and asking.fingerprint not in ("", made["answers"]["kg"]["fingerprint"]):
            print_warning(f"the benchmark was made from another graph than {seat.kg.name}, or from another state of it")
        tally = answer_to_file(path, talks, seat.open_engine_with, made, way)
    answers = tally.asked + tally.kept - tally.errors
    click.echo(f"{path}: {answers} answers" + (" (were there already)" if tally.kept and not tally.asked else ""))
    if not asking.question_count:
        print_warning(f"{asking.source} holds no question")
    if others := tally.errors - tally.unexpected.total():
        print_warning(f"{others} questions ended in an error; {engines.retry_hint(seat.model_names)}")
    return _Done(tally.unexpected, given["trace"] or trace_path_of(path))
