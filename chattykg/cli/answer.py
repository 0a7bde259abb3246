"""``chattykg answer``: one question, a benchmark, or a file of questions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from chattyshared.commands import plain, warn

from chattykg.cli import asked, opening, options
from chattykg.cli.asked import Asking
from chattykg.cli.opening import ModelChoice
from chattykg.cli.progress import progress
from chattykg.cli.showing import grounds, said

ANSWERS = Path("answers.jsonl")


@click.command()
@click.argument("question", required=False)
@options.kg_options
@click.option("--benchmark", type=options.FILE, help="Answer the dialogues of this benchmark.")
@click.option(
    "--questions",
    type=options.FILE,
    help="Answer this file of questions, conversations in order: JSON Lines of ours, or a file of the field (QALD, "
    "LC-QuAD, Chatty-Gen, ConvQuestions, TEXT2SPARQL, Maestro); its format is found by its content.",
)
@click.option("--lang", metavar="TAG", default="", help="The language of a file of QUESTIONS that holds several.")
@click.option("-o", "--output", type=options.FILE, help=f"Where the answers go; {ANSWERS} unless said.")
@click.option("--json", "as_json", is_flag=True, help="Print the answer to QUESTION as one JSON object.")
@options.model_options
@options.engine_options
@options.asking_options
@options.run_options
@options.say_option
@options.trace_option
def answer(question: str | None, benchmark: Path | None, questions: Path | None, **given: Any) -> None:
    """Answer QUESTION, or all questions of a file, over a knowledge graph.

    One question is answered on the spot: the answer (with --say in a sentence), then what the question was understood
    as, which entities and relations it was linked to, the facts that support the answer, and the SPARQL query.

    \b
    chattykg answer --kg demo "Who directed Inception?"
    chattykg answer --kg a.ttl --kg b.nt.gz --json "How many rivers are there?"

    A file of answers has one line a question. What is finished is on disk at once: stop it whenever you like, the
    same command goes on from there.

    \b
    chattykg answer --kg my.ttl --benchmark bench.jsonl -o answers.jsonl
    chattykg answer --kg https://example.org/sparql --questions questions.jsonl --workers 4
    """
    if sum(part is not None for part in (question, benchmark, questions)) != 1:
        raise click.UsageError('give exactly one of "QUESTION", --benchmark FILE and --questions FILE')
    if question is not None:
        partner = "--benchmark or --questions"
        _refuse(given, output=partner, history="--benchmark", wording=partner, lang="--questions")
        _one(question, given)
    elif questions is not None:
        _refuse(given, as_json="a QUESTION", say="a QUESTION", history="--benchmark")
        asking = asked.of_questions(questions, given["wording"], given["lang"])
        for remark in asking.remarks:
            warn(remark)
        _many(asking, given)
    elif benchmark is not None:
        _refuse(given, as_json="a QUESTION", say="a QUESTION", lang="--questions")
        _many(asked.of_benchmark(benchmark, given["wording"]), given)


def _refuse(given: dict[str, Any], **partners: str) -> None:
    """Refuse options that were given without what they go with."""
    defaults = {"history": "own", "wording": "follow-up"}
    for name, partner in partners.items():
        if given[name] not in (None, False, "", defaults.get(name)):
            raise click.UsageError(f"--{name.removeprefix('as_').replace('_', '-')} goes with {partner}")


def _one(question: str, given: dict[str, Any]) -> None:
    """Answer one question and print the answer."""
    import json

    from chattyshared.exits import starting
    from chattyshared.trace import Trace, TracedModel

    from chattykg.answer_files import open_engine
    from chattykg.answering import ask
    from chattykg.conversations import Asked
    from chattykg.saying import say

    # Bytes that are no UTF-8 come from the shell as surrogates, which nothing can write.
    question = question.encode(errors="replace").decode()
    choice = ModelChoice.of(given)
    model, outfit = opening.open_model(choice), opening.outfit(choice, given)
    kg = opening.open_graph(given)
    with Trace(given["trace"], secrets=opening.secrets()) as trace, starting():
        found, line = ask(open_engine(kg, model, trace, outfit), Asked(0, "1", question), ())
        spoken = say(question, found, TracedModel(model, trace, "1")) if given["say"] and "error" not in line else ""
    if given["as_json"]:
        click.echo(json.dumps(line, ensure_ascii=False, indent=2))
    elif "error" not in line:
        click.echo(f"{plain(spoken) or said(found)}\n\n{grounds(found, question)}")
    if "error" in line:
        click.echo(f"chattykg: {plain(str(line['error']))}", err=True)
        click.get_current_context().exit(3)


def _many(asking: Asking, given: dict[str, Any]) -> None:
    """Answer the questions of a file into another."""
    from chattyshared.exits import apart, starting

    from chattykg.answer_files import Way, answer_into, manifest, open_engine

    choice, path = ModelChoice.of(given), given["output"] or ANSWERS
    apart(path, [*given["sources"], asking.source])
    model, outfit = opening.open_model(choice), opening.outfit(choice, given)
    kg = opening.open_graph(given)
    with progress("answers", asking.size) as told:
        way = Way(
            given["history"], given["wording"], given["workers"], given["overwrite"], given["trace"],
            secrets=opening.secrets(), told=told,
        )  # fmt: skip
        with starting():
            made = manifest(kg, choice.stated(), asking.stated, way, outfit)
        if asking.fingerprint not in ("", made["answers"]["kg"]["fingerprint"]):
            warn(f"the benchmark was made from another graph than {kg.name}, or from another state of it")
        tally = answer_into(path, asking.conversations, lambda trace: open_engine(kg, model, trace, outfit), made, way)
    answers = tally.asked + tally.kept - tally.errors
    click.echo(f"{path}: {answers} answers" + (" (were there already)" if tally.kept and not tally.asked else ""))
    if not asking.size:
        warn(f"{asking.source} holds no question")
    if tally.errors:
        warn(f"{tally.errors} questions ended in an error; the same command asks them again")
