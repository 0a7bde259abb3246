"""``chattygen judge``: a language model rates conversations, or compares those of two files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from chattyshared.commands.group import SettingsCommand, options_from_specs
from chattyshared.commands.inputs import INPUT_FILE
from chattyshared.commands.judging import judge_options, run_judge
from chattyshared.option_specs import OptionSpec


@click.command(cls=SettingsCommand)
@click.argument("files", metavar="[FILE [FILE]]", type=INPUT_FILE, nargs=-1)
@judge_options
@options_from_specs(
    OptionSpec("pairs", "Compare so many pairs of all; as many as the shorter file has conversations unless said.",
               "integer", metavar="N", minimum=1, is_setting=True),
    OptionSpec("seed", "Seed of the order in which conversations are paired.", "integer", 0, is_setting=True),
)  # fmt: skip
def judge(files: tuple[Path, ...], **options: Any) -> None:
    """Have a language model rate the conversations of A from 1 to 5, or compare those of A with those of B.

    Ratings are coherence, naturalness and variety. A pair is shown in both orders, without the names of the files: who
    chooses the same position twice has said nothing, which counts as a tie and as position bias. The files are
    benchmarks, or files of the field (Chatty-Gen, ConvQuestions, ...). Without --model, only the ratings of --ratings
    are compared.

    \b
    Examples:
      chattygen judge benchmark.jsonl --model openai:gpt-5-mini -o ratings.jsonl
      chattygen judge ours.jsonl ConvQuestions_test.json --model openai:gpt-5-mini --set pairs=100 -o pairs.jsonl
      chattygen judge --ratings people.csv --ratings ratings.jsonl
    """  # noqa: D301
    from chattyshared.judging.judge import pair_tasks, read_conversations

    if len(files) > 2:
        raise click.UsageError(f"{len(files)} files: one is rated, two are compared")
    tasks = [read_conversations(path, options["lang"], with_gold=options["gold"]) for path in files] or [[]]
    run_judge(
        pair_tasks(tasks[0], tasks[1], options["pairs"], options["seed"]) if tasks[1:] else tasks[0], files, options
    )
