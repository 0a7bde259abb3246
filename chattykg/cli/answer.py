"""``chattykg answer``: one question, a benchmark, or a file of questions."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
from chattyshared.commands.group import KG, Sectioned, config_option, end_with_failures, kg_option, plain, warn
from chattyshared.commands.inputs import INPUT, STANDARD, standard_input

from chattykg.cli import engines, inputs, options, resources
from chattykg.cli.estimating import foretell_answers
from chattykg.cli.inputs import Asking
from chattykg.cli.progress import progress
from chattykg.cli.rendering import grounds, said

ANSWERS = Path("answers.jsonl")


@click.command(cls=Sectioned)
@click.argument("question", required=False)
@kg_option(f"{KG} Engines that know no graph do without.", required=False)
@options.reading_options
@click.option("--benchmark", type=INPUT, help="Answer the dialogues of this benchmark.")
@click.option(
    "--questions",
    type=INPUT,
    help="Answer this file of questions, conversations in order: text with a question a line (# begins a comment), "
    "JSON Lines of ours, or a file of the field (QALD, LC-QuAD, Chatty-Gen, ConvQuestions, TEXT2SPARQL, Maestro); its "
    "format is found by its content.",
)
@click.option(
    "--text2sparql",
    "challenge",
    type=INPUT,
    help="Answer this questions file of TEXT2SPARQL in all of its languages, and write answers.json as the challenge "
    "wants it; the answers themselves lie beside it.",
)
@click.option("--lang", metavar="TAG", default="", help="The language of a file of QUESTIONS that holds several.")
@click.option("-o", "--output", type=options.FILE, help=f"Where the answers go; {ANSWERS} unless said.")
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
    question: str | None, benchmark: Path | None, questions: Path | None, challenge: Path | None, **given: Any
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
        _refuse(given, output=partner, history="--benchmark", wording=partner, lang="--questions")
        _one(_from_standard_input() if question == STANDARD else question, given)
    elif questions is not None:
        _refuse(given, as_json="a QUESTION", say="a QUESTION", history="--benchmark")
        asking = inputs.of_questions(questions, given["wording"], given["lang"])
        for remark in asking.remarks:
            warn(remark)
        _end(_many(asking, given))
    elif benchmark is not None:
        _refuse(given, as_json="a QUESTION", say="a QUESTION", lang="--questions")
        _end(_many(inputs.of_benchmark(benchmark, given["wording"]), given))
    elif challenge is not None:
        _refuse(given, as_json="a QUESTION", say="a QUESTION", history="--benchmark", wording="--benchmark")
        _challenge(challenge, given)


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
    text = standard_input(click.get_current_context()).read_text(encoding="utf-8-sig", errors="replace")
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
    from chattyshared.commands.exit_codes import starting
    from chattyshared.trace import Trace, TracedModel

    from chattykg.agents.verbalizer import by_template, say
    from chattykg.runs.batch import ask
    from chattykg.runs.question_sets import Asked, Conversation

    # Bytes that are no UTF-8 come from the shell as surrogates, which nothing can write.
    question = question.encode(errors="replace").decode()
    kind, asked_first = engines.chosen(given), Asked(0, "1", question)
    if kind.kind == "file":
        raise click.UsageError("a file of predictions answers the questions of a file: --questions or --benchmark")
    if given["dry_run"]:
        foretell_answers(given, [Conversation((asked_first,))], says=bool(given["say"]))
        return
    with resources.accessed(given) as (access, opened), Trace(given["trace"], secrets=resources.secrets()) as trace:
        seat, spoken = engines.seat(kind, given, access, opened), ""
        with starting():
            found, outcome = ask(seat.engine_with(trace), asked_first, ())
            line = outcome.line
            if outcome.failure is not None:
                outcome.failure.record(trace, "1")
            if given["say"] and not has_error(line):
                model = TracedModel(seat.model, trace, "1") if seat.model else None
                spoken = say(question, found, model) if model else by_template(found)
    if given["as_json"]:
        click.echo(json.dumps(line, ensure_ascii=False, indent=2))
    elif "error" not in line:
        click.echo(f"{plain(spoken) or said(found)}\n\n{grounds(found, question)}")
    if "error" in line:
        click.echo(f"chattykg: {plain(str(line['error']))}", err=True)
        click.get_current_context().exit(3)


def _challenge(path: Path, given: dict[str, Any]) -> None:
    """Answer a questions file of TEXT2SPARQL into answers.json, by way of a file of answers beside it."""
    import json

    from chattyshared.answers import read_answers
    from chattyshared.commands.exit_codes import apart
    from chattyshared.errors import ConfigError
    from chattyshared.formats import text2sparql_answers
    from chattyshared.jsonlines import write_whole

    kind, output = engines.chosen(given), given["output"] or Path("answers.json")
    if not kind.writes_queries:
        raise click.UsageError(f"the engine {kind.kind} writes no queries, which is what answers.json holds")
    lines = output.with_suffix(".jsonl") if output.suffix == ".json" else output.with_name(f"{output.name}.jsonl")
    asking, read = inputs.of_challenge(path, given["lang"])
    dataset = given["dataset"] or (read.dataset if kind.kind in ("text2sparql", "chattykg") else "")
    apart(output, [*given["sources"], path, lines])
    if output.exists() and not lines.exists() and not given["overwrite"]:
        raise ConfigError(f"{output} is there already: choose another name, or overwrite it with --overwrite")
    done = _many(asking, {**given, "output": lines, "dataset": dataset})
    if given["dry_run"]:
        return
    queries = {str(line.id): line.sparql for line in read_answers(lines) if line.answers}
    made = text2sparql_answers.answers(read, queries, kind.address() if kind.kind == "text2sparql" else "")
    write_whole(output, [json.dumps(made, ensure_ascii=False, indent=2)])
    click.echo(f"{output}: {sum(bool(one['query']) for one in made)} queries to {len(made)} questions")
    _end(done)


@dataclass(frozen=True, slots=True)
class _Done:
    """The unexpected errors of a run, by type and place, and the trace that holds their tracebacks."""

    unexpected: Counter[str] = field(default_factory=Counter)
    trace: Path | None = None


def _end(done: _Done) -> None:
    """Exit with 3 if questions ended in unexpected errors."""
    end_with_failures({"question": done.unexpected}, done.trace)


def _many(asking: Asking, given: dict[str, Any]) -> _Done:
    """Answer the questions of a file into another."""
    if given["dry_run"]:
        engines.chosen(given)
        foretell_answers(given, asking.conversations)
        return _Done()
    from chattyshared.commands.exit_codes import apart, starting
    from chattyshared.kg.profile_file import stated_in
    from chattyshared.runs.cluster_job import hire
    from chattyshared.runs.dask import clustered

    from chattykg.cli.cluster_worker import STATION
    from chattykg.runs.answer_run import Way, answer_into, manifest, trace_beside
    from chattykg.runs.question_sets import with_links

    kind, path = engines.chosen(given), given["output"] or ANSWERS
    if kind.keeps_history and any(conversation.before for conversation in asking.conversations):
        raise click.UsageError("this engine keeps the conversation itself: the history of a question cannot reach it")
    apart(path, [*given["sources"], asking.source, *([kind.place] if kind.kind == "file" else [])])
    with (
        clustered(given) as cluster,
        resources.accessed(given, path) as (access, opened),
        progress("answers", asking.size) as told,
    ):
        seat = engines.seat(kind, given, access, opened)
        with starting():
            runner = hire(
                cluster, STATION, given, seat.kg, access.meter, resources.secrets(), seat.fitted.stated()
            )  # fmt: skip
        way = Way(
            given["history"], given["wording"], given["workers"], given["overwrite"], given["trace"],
            secrets=resources.secrets(), told=told, stop=access.meter, profile=stated_in(given["profile"]),
            runner=runner,
        )  # fmt: skip
        with starting():
            made = manifest(seat.kg, seat.named, asking.stated, way, seat.fitted)
            talks = (
                with_links(asking.conversations, seat.kg) if seat.kg and way.history == "gold" else asking.conversations
            )
        if seat.kg and asking.fingerprint not in ("", made["answers"]["kg"]["fingerprint"]):
            warn(f"the benchmark was made from another graph than {seat.kg.name}, or from another state of it")
        tally = answer_into(path, talks, seat.engine_with, made, way)
    answers = tally.asked + tally.kept - tally.errors
    click.echo(f"{path}: {answers} answers" + (" (were there already)" if tally.kept and not tally.asked else ""))
    if not asking.size:
        warn(f"{asking.source} holds no question")
    if others := tally.errors - tally.unexpected.total():
        warn(f"{others} questions ended in an error; {engines.after_errors(seat.named)}")
    return _Done(tally.unexpected, given["trace"] or trace_beside(path))
