"""``--dry-run``: prints the estimated calls, tokens and price of a run; no model is asked."""

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
    """Print the estimated cost of answering conversations."""
    kg = resources.open_graph(options)
    estimate = estimate_answers(
        kg, options, ModelChoice.from_options(options), conversations, is_verbalized=is_verbalized
    )
    count = sum(len(conversation.items) for conversation in conversations)
    if options["as_json"]:
        click.echo(json.dumps({"questions": count, **asdict(estimate)}))
    else:
        click.echo(f"{count} questions: {estimate.render_summary()}")


def estimate_answers(
    kg: KnowledgeGraph,
    options: Mapping[str, Any],
    choice: ModelChoice,
    conversations: Sequence[Conversation],
    *,
    question_count: int = 0,
    is_verbalized: bool = False,
) -> ModelCostEstimate:
    """Estimate the cost of ``question_count`` questions (0: all) from these conversations.

    Raises:
        ConfigError: a price cannot be parsed, there is no question, or the endpoint does not answer.
    """
    from chattyshared.commands.exit_codes import startup_errors

    from chattykg.runs.cost_estimate import estimate_answering

    config = resources.build_engine_config(choice, options)
    config = resources.with_experience(config, choice, kg, options.get("experience", ()))
    with startup_errors():
        return estimate_answering(
            kg, conversations, (choice.spec, dict(choice.agents)),
            open_prices(options), config, question_count=question_count, is_verbalized=is_verbalized,
        )  # fmt: skip


def open_prices(options: Mapping[str, Any]) -> Callable[[str], Price | None]:
    """Return the function that gives the price of a model's tokens, from the options.

    Raises:
        ConfigError: a price cannot be parsed.
    """
    from chattyshared.model.prices import Prices

    prices = Prices.parse(options["price"])
    return lambda spec: prices.price_of_model(spec, options["base_url"])
