"""``chattykg show`` and ``export``: the answers of a system, readable in a terminal or in a format of the field."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import click
from chattyshared.commands.group import options_from_specs
from chattyshared.commands.inputs import INPUT_FILE
from chattyshared.commands.samples import FIRST_OPTION, print_samples
from chattyshared.option_specs import LANG_OPTION, OVERWRITE_OPTION, OptionSpec

from chattykg.cli.options import GOLD_OPTION


@click.command()
@click.argument("answers", metavar="ANSWERS", type=INPUT_FILE)
@click.argument("id", metavar="[GOLD|ID]", required=False)
@options_from_specs(
    FIRST_OPTION, LANG_OPTION, GOLD_OPTION,
    OptionSpec("wrong", "Only the answers that are not exactly right.", "switch", False),
)  # fmt: skip
def show(answers: Path, id: str | None, gold: Path | None, wrong: bool, first: int, lang: str) -> None:
    """Show the questions of ANSWERS with what was answered, and what is right.

    With an ID of a dialogue (d0003) or of a turn (d0003/2) it shows the turns in full: question, gold, query, answer,
    the stage at which it failed, notes, and the reason why there is no answer. Gold and answers may stand in either
    order.

    ANSWERS is what "chattykg answer -o" wrote, or anything else that "chattykg evaluate" reads. Of conversations that
    "chattykg converse" wrote it shows what was said, and what became of each goal.

    \b
    chattykg show answers.jsonl
    chattykg show answers.jsonl --wrong
    chattykg show --wrong benchmark.jsonl answers.jsonl
    chattykg show answers.jsonl d0003/2 --gold benchmark.jsonl
    chattykg show conversations.jsonl d0003
    """
    from chattyshared.pages.samples import select_samples

    from chattykg.cli.converse import print_conversations
    from chattykg.evaluation.evaluate import read_asked_file
    from chattykg.evaluation.samples import samples_of_answers, samples_of_systems
    from chattykg.evaluation.system_runs import is_gold_first, read_system_run
    from chattykg.simulation.conversation_file import is_conversation_file

    if id and gold is None and Path(id).is_file():
        gold, id = Path(id), None
    if gold is not None and is_gold_first(answers, gold):
        answers, gold = gold, answers
    if is_conversation_file(answers):
        if gold or wrong or lang:
            raise click.UsageError("conversations hold their verdicts: leave out --gold, --wrong and --lang")
        print_conversations(answers, id, first)
        return
    system = read_system_run(answers, with_trace=False)
    file = read_asked_file(system, gold, lang)
    if file is None and wrong:
        raise click.UsageError(
            f"--wrong compares with gold, and no file in the folder of {answers} is the one that was asked: "
            "name it with --gold"
        )
    name = answers.stem
    samples = samples_of_systems(file, [(name, system)]) if file else samples_of_answers(system, name)
    if wrong:
        samples = tuple(one for one in (select_samples(samples, id) if id else samples) if one.is_wrong)
        if not samples:
            click.echo("nothing is wrong here")
            return
    print_samples(samples, id, first)


@click.command()
@click.argument("answers", metavar="ANSWERS", type=INPUT_FILE)
@click.option("--to", type=click.Choice(["qald"]), required=True, help="The format.")
@options_from_specs(
    OptionSpec("output", "The file to write (default: named after ANSWERS, in its folder).", "output"),
    OptionSpec("dataset", "The name of the data set (default: that of the gold).", default="", metavar="NAME"),
    replace(LANG_OPTION, help="The language of the questions, where the gold holds several or none."),
    OVERWRITE_OPTION, GOLD_OPTION,
)  # fmt: skip
def export(  # noqa: PLR0913
    answers: Path, *, to: str, gold: Path | None, output: Path | None, dataset: str, lang: str, overwrite: bool
) -> None:
    """Write ANSWERS in another format, for the tools of others.

    \b
    qald  QALD-9 JSON with the system's queries and answers in place of gold, as GERBIL takes it

    The ids and the wordings are those of "chattygen export --to qald", so that both files go together.

    \b
    chattykg export --to qald answers.jsonl --gold benchmark.jsonl -o answers.qald.json
    """
    from chattyshared.commands.exit_codes import require_distinct_paths
    from chattyshared.formats.qald import answers_to_qald
    from chattyshared.jsonlines import write_atomically

    from chattykg.evaluation.evaluate import read_asked_file
    from chattykg.evaluation.system_runs import read_system_run

    system = read_system_run(answers, with_trace=False)
    file = read_asked_file(system, gold, lang)
    if file is None:
        raise click.UsageError("name the file of the questions with --gold")
    output = output or answers.with_name(f"{answers.stem}.{to}.json")
    require_distinct_paths(output, [answers, file.path], overwrite=overwrite)
    content = answers_to_qald(file.questions, system.lines, dataset=dataset or file.path.stem, language=lang or "en")
    write_atomically(output, [json.dumps(content, ensure_ascii=False, allow_nan=False, indent=2)])
    click.echo(output)
