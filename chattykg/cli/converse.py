"""``chattykg converse``: a simulated user pursues the goals of a benchmark in conversations with an engine."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import click
from chattyshared.commands.group import (
    KG_HELP,
    SettingsCommand,
    exit_on_failures,
    options_from_specs,
    print_warning,
    sanitize_for_terminal,
)
from chattyshared.commands.inputs import INPUT_FILE, take_box_graph
from chattyshared.commands.progress import show_progress
from chattyshared.option_specs import JSON_OPTION, OptionSpec

from chattykg.cli import engines, options, resources

_USER_SPECS = (
    OptionSpec("user_model", "Have this model word the user's messages; what the user does next stays with the rules. "
               "It sees the goal's question and the conversation, not the gold.", metavar="MODEL"),
    OptionSpec("patience", "Further tries of a goal that was refused or visibly misunderstood.", "integer", 2,
               minimum=0, is_setting=True),
    OptionSpec("give_up", "Goals in a row that the user gives up before it leaves.", "integer", 3, minimum=1,
               is_setting=True),
    OptionSpec("max_turns", "Messages of the user in a conversation at most.", "integer", 40, minimum=1,
               is_setting=True),
)  # fmt: skip
_FIXED = {"history": "own", "wording": "follow-up", "dry_run": False}
"""What the user decides itself, where other commands have options."""


@click.command(cls=SettingsCommand)
@click.option("--plan", type=INPUT_FILE, required=True, help="A benchmark: each dialogue is a plan, each turn a goal. "
              "A box is its own graph, unless --kg names one.")  # fmt: skip
@options.graph_options(
    OptionSpec("output", "Where the conversations go.", "output", Path("conversations.jsonl")),
    OptionSpec("show", "Print the first N conversations.", "integer", 0, "N", minimum=0),
    JSON_OPTION, *options.SYSTEM_SPECS, *_USER_SPECS,
    required=False, text=f"{KG_HELP} Engines that know no graph do without.",
)  # fmt: skip
@options.answering_options("ask")
@options_from_specs(*options.RUN_SPECS)
def converse(plan: Path, output: Path, show: int, **options: Any) -> None:
    """Let a simulated user talk with an engine, and score what the user gets to know.

    The user pursues the goals of each dialogue of the plan, not its script. It asks a follow-up where the answers that
    this builds on are there, else a question that stands alone. It answers what the engine asks back, says a refused
    question in other words, corrects what it can see to be wrong, and gives up in the end. It does not know the gold:
    a wrong answer that looks right is believed, and what hangs on it is asked about the wrong thing.

    The file has one conversation a line. Stop it whenever you like, the same command goes on from there.

    \b
    chattykg converse --kg demo --plan benchmark.jsonl --show 3
    chattykg converse --kg demo --plan benchmark.jsonl --clarify best -o best.jsonl
    chattykg converse --engine remote:openai:http://localhost:8000/v1 --plan benchmark.jsonl -o theirs.jsonl
    """
    from chattyshared.trace import trace_path_of

    from chattykg.simulation.conversation_file import (
        read_conversations,
        render_conversation,
        render_scores,
        score_conversations,
    )

    options |= _FIXED
    take_box_graph(options, plan)
    unexpected = _run(plan, output, options)
    lines = read_conversations(output)
    figures = score_conversations(lines)
    shown = [render_conversation(line) for line in lines[:show]]
    if options["json"]:
        click.echo(json.dumps(figures, ensure_ascii=False, indent=2))
    else:
        click.echo(sanitize_for_terminal("\n\n".join((*shown, render_scores(figures)))))
    if not lines:
        print_warning(f"{plan} holds no dialogue")
    if failed := figures["statuses"].get("error", 0) - unexpected.total():
        print_warning(f"{failed} conversations ended because the system failed; the same command holds them again")
    exit_on_failures({"conversation": unexpected}, options["trace"] or trace_path_of(output))


def print_conversations(file: Path, id: str | None, first: int) -> None:
    """Print the conversation of a dialogue, or without an ID the first ones.

    Raises:
        ConfigError: the file cannot be read, or no conversation has this ID.
    """
    from chattyshared.errors import ConfigError

    from chattykg.simulation.conversation_file import read_conversations, render_conversation

    lines = read_conversations(file)
    shown = lines[:first] if id is None else [line for line in lines if line["id"] == id]
    if not shown:
        raise ConfigError(f"{file}: no conversation has the ID {id}")
    more = [f"and {len(lines) - first} more (--first N shows more)"] if id is None and len(lines) > first else []
    click.echo(sanitize_for_terminal("\n\n".join((*map(render_conversation, shown), *more))))


def _run(plan: Path, output: Path, options: dict[str, Any]) -> Counter[str]:
    """Hold the conversations that the output does not have yet; return the unexpected errors."""
    from chattyshared.benchmark import read_benchmark
    from chattyshared.certificates import digest_of_file
    from chattyshared.commands.exit_codes import require_distinct_paths, startup_errors
    from chattyshared.resources import describe_address

    from chattykg.runs.answer_run import build_manifest
    from chattykg.runs.inputs import held_out_turns
    from chattykg.simulation.conversation_file import simulate_to_file
    from chattykg.simulation.goals import plans_from_dialogues
    from chattykg.simulation.simulated_user import UserSettings

    spec, benchmark = engines.select_engine_kind(options), read_benchmark(plan)
    require_distinct_paths(output, [*options["sources"], *options["experience"], plan])
    options["held_out"] = held_out_turns(benchmark.dialogues)
    limits = {limit: options[limit] for limit in ("patience", "give_up", "max_turns")}
    with (
        resources.open_model_session(options, output) as (model_options, model_factory),
        show_progress("conversations", len(benchmark)) as progress,
    ):
        opened = engines.open_selected_engine(spec, options, model_options, model_factory)
        name = options["user_model"]
        model = model_factory(name, {}) if name and name != "rules" else None
        run_options = resources.run_options(options, progress, model_options)
        with startup_errors():
            asked = {"benchmark": digest_of_file(plan)}
            made = build_manifest(opened.kg, opened.model_names, asked, run_options, opened.manifest_source)["answers"]
            resources.warn_of_other_graph(opened.kg, benchmark.fingerprint)
            plans = tuple(plans_from_dialogues(benchmark.dialogues, opened.kg))
        user = {"model": describe_address(name, options["base_url"]) if model else "rules", **limits}
        manifest = {"conversations": {**made, "user": user}}
        settings = UserSettings(
            **limits, model=model, theta=options["theta"], kg=opened.kg, answers_in_names=spec.answers_in_names
        )
        return simulate_to_file(output, plans, settings, opened.open_engine_with, manifest, run_options)
