"""``chattygen export``: writes a benchmark in another format."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from chattyshared.commands.group import options_from_specs
from chattyshared.commands.inputs import INPUT_FILE, is_standard_input_read
from chattyshared.option_specs import OptionSpec

FILE = click.Path(path_type=Path, dir_okay=False)
_SPECS = (
    OptionSpec("wording", "qald, text2sparql: how single questions are worded.", "choice", "standalone",
               choices=("standalone", "follow-up")),
    OptionSpec("answerable_only", "qald, text2sparql: leave out what the graph cannot answer.", "switch", False),
    OptionSpec("reply", "messages: what the assistant says, the answer in words or the query.", "choice", "answer",
               choices=("answer", "sparql")),
    OptionSpec("system", "messages: begin every chat with this system message.", default="", metavar="TEXT"),
    OptionSpec("dataset", "The data set's name; in text2sparql an IRI (default: that of the benchmark).", default="",
               metavar="NAME"),
    OptionSpec("lang", "The language of questions of which the benchmark states none.", default="en", metavar="TAG"),
    OptionSpec("license", 'dataset-card: its license, such as "cc-by-4.0".', default="unknown", metavar="ID"),
    OptionSpec("overwrite", "Replace existing files.", "switch", False),
)  # fmt: skip
_FORMATS = ("chattygen", "qald", "text2sparql", "convquestions", "messages", "table", "dataset-card")


@click.command()
@click.argument("file", metavar="FILE", type=INPUT_FILE)
@click.option("--to", type=click.Choice(_FORMATS), required=True, help="The format.")
@click.option("-o", "--output", type=FILE, help="The file to write (default: named after FILE, in its folder).")
@options_from_specs(*_SPECS)
def export(file: Path, output: Path | None, overwrite: bool, **options: Any) -> None:
    """Write a benchmark in another format of the field.

    \b
    chattygen      JSON as Chatty-Gen publishes it: parallel lists per dialogue
    qald           QALD JSON, a question a turn, answers as SPARQL results
    text2sparql    questions.yml of the TEXT2SPARQL challenge, and its result set as JSON
    convquestions  ConvQuestions JSON: conversations with answers as text
    messages       JSON Lines of chats, for fine-tuning (OpenAI's shape)
    table          CSV, a turn a row, for spreadsheets; all commands read it as questions with gold
    dataset-card   README.md for the Hugging Face hub, with the file of dialogues

    Croissant metadata lie in a box, with the benchmark and its part of the graph: see "chattygen box".

    \b
    Examples:
      chattygen export --to qald benchmark.jsonl
      chattygen export --to messages --reply sparql benchmark.jsonl -o train.jsonl
      chattygen export --to dataset-card --license cc-by-4.0 benchmark.jsonl -o films/README.md
    """  # noqa: D301
    from chattyshared.commands.exit_codes import require_distinct_paths
    from chattyshared.jsonlines import write_atomically

    from chattygen.export.formats import ExportOptions, export_benchmark
    from chattygen.stats import open_source

    if output is None and is_standard_input_read(click.get_current_context()):
        raise click.UsageError("standard input has no name to call the output after: name it with -o")
    files = export_benchmark(open_source(file), ExportOptions(**options), output)
    for path in files:
        require_distinct_paths(path, [file], overwrite=overwrite)
    for path, lines in files.items():
        write_atomically(path, lines)
        click.echo(path)
