"""``chattygen show``: the dialogues of a benchmark or a file of questions, readable in a terminal."""

from __future__ import annotations

from pathlib import Path

import click
from chattyshared.commands.group import options_from_specs
from chattyshared.commands.inputs import INPUT_FILE
from chattyshared.commands.samples import FIRST_OPTION, print_samples
from chattyshared.option_specs import LANG_OPTION


@click.command()
@click.argument("file", metavar="FILE", type=INPUT_FILE)
@click.argument("id", metavar="[ID]", required=False)
@options_from_specs(FIRST_OPTION, LANG_OPTION)
def show(file: Path, id: str | None, first: int, lang: str) -> None:
    """Show the dialogues of FILE with their gold answers.

    With an ID of a dialogue (d0003) or of a turn (d0003/2) it shows the turns in full: question, standalone question,
    gold with IRIs, form, link, the triples that support the answer, and the query.

    FILE is anything that "chattygen audit" reads.

    \b
    Examples:
      chattygen show benchmark.jsonl
      chattygen show benchmark.jsonl d0003/2
      chattygen show --first 20 qald-9-test-multilingual.json
    """  # noqa: D301
    from chattyshared.formats.gold import read_gold
    from chattyshared.pages.samples import samples_of_gold

    print_samples(samples_of_gold(read_gold(file, lang=lang, repair_queries=False)), id, first)
