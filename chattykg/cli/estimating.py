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
    from chattyshared.model.cost_estimate import Forecast
    from chattyshared.model.prices import Price

    from chattykg.runs.question_sets import Conversation


def foretell_answers(given: Mapping[str, Any], conversations: Sequence[Conversation], *, says: bool = False) -> None:
    """Print what answering conversations would take."""
    kg = resources.open_graph(given)
    found = of_answers(kg, given, ModelChoice.of(given), conversations, says=says)
    number = sum(len(each.asked) for each in conversations)
    if given["as_json"]:
        click.echo(json.dumps({"questions": number, **asdict(found)}))
    else:
        click.echo(f"{number} questions: {found.said()}")


def of_answers(
    kg: KnowledgeGraph,
    given: Mapping[str, Any],
    choice: ModelChoice,
    conversations: Sequence[Conversation],
    *,
    wanted: int = 0,
    says: bool = False,
) -> Forecast:
    """Estimate what ``wanted`` questions (0: all) take, from these conversations; ``says``: answers are said.

    Raises:
        ConfigError: a price is mistyped; there is no question; the endpoint does not answer.
    """
    from chattyshared.commands.exit_codes import starting

    from chattykg.runs.cost_estimate import estimate

    outfit = resources.fitted(ModelChoice(choice.spec), given)
    with starting():
        return estimate(
            kg, conversations, (choice.spec, dict(choice.agents)),
            prices_of(given), outfit, wanted=wanted, says=says,
        )  # fmt: skip


def prices_of(given: Mapping[str, Any]) -> Callable[[str], Price | None]:
    """Return what tells the price of a model's tokens, as the options say.

    Raises:
        ConfigError: a price is mistyped.
    """
    from chattyshared.model.prices import Prices

    prices = Prices.of(given["price"])
    return lambda spec: prices.of_model(spec, given["base_url"])
