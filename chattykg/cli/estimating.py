"""What ``--dry-run`` prints: what a run would ask of its models, and cost; nothing is made, and no model is asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from chattykg.cli import resources
from chattykg.cli.resources import ModelChoice

if TYPE_CHECKING:
    from chattyshared.kg import KnowledgeGraph
    from chattyshared.model.cost_estimate import ModelCostEstimate
    from chattyshared.model.prices import Price

    from chattykg.runs.question_sets import Conversation


def print_estimate(
    options: Mapping[str, Any], conversations: Sequence[Conversation], *, is_verbalized: bool = False
) -> None:
    """Print what answering conversations would take."""
    kg = resources.open_graph(options)
    found = estimate_answers(kg, options, ModelChoice.from_options(options), conversations, is_verbalized=is_verbalized)
    number = sum(len(each.items) for each in conversations)
    if options["as_json"]:
        click.echo(json.dumps({"questions": number, **asdict(found)}))
    else:
        click.echo(f"{number} questions: {found.render_summary()}")


def estimate_answers(
    kg: KnowledgeGraph,
    options: Mapping[str, Any],
    choice: ModelChoice,
    conversations: Sequence[Conversation],
    *,
    question_count: int = 0,
    is_verbalized: bool = False,
) -> ModelCostEstimate:
    """Estimate what ``wanted`` questions (0: all) take, from these conversations; ``says``: answers are said.

    Raises:
        ConfigError: a price is mistyped; there is no question; the endpoint does not answer.
    """
    from chattyshared.commands.exit_codes import startup_errors

    from chattykg.runs.cost_estimate import estimate_answering

    outfit = resources.build_engine_config(ModelChoice(choice.spec), options)
    with startup_errors():
        return estimate_answering(
            kg, conversations, (choice.spec, dict(choice.agents)),
            open_prices(options), outfit, question_count=question_count, is_verbalized=is_verbalized,
        )  # fmt: skip


def open_prices(options: Mapping[str, Any]) -> Callable[[str], Price | None]:
    """Return what tells the price of a model's tokens, as the options say.

    Raises:
        ConfigError: a price is mistyped.
    """
    from chattyshared.model.prices import Prices

    prices = Prices.parse(options["price"])
    return lambda spec: prices.price_of_model(spec, options["base_url"])
