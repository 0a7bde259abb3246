"""What a run would ask of a model, and cost, estimated from a small part of it that the embedded rules have done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from chattyshared.model import Completion, LanguageModel, Request, Usage
from chattyshared.model.prices import FREE, Price

_LEAST = 0.0001
"""Dollars; of less, only that is said."""


@dataclass(frozen=True, slots=True)
class ModelCostEstimate:
    """Calls, tokens of prompts and of replies, and dollars (None: the price is not known), all of them estimates."""

    calls: int
    prompt_tokens: int
    reply_tokens: int
    usd: float | None = None

    def __add__(self, other: ModelCostEstimate) -> ModelCostEstimate:
        known = self.usd is not None and other.usd is not None
        return ModelCostEstimate(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.reply_tokens + other.reply_tokens,
            (self.usd or 0) + (other.usd or 0) if known else None,
        )

    def render_summary(self) -> str:
        """Return it in one line, as a user reads it."""
        usd = "its price is not known: --price says one" if self.usd is None else _money(self.usd)
        return (
            f"about {self.calls} calls, {self.prompt_tokens} tokens of prompts, {self.reply_tokens} tokens of "
            f"replies; {usd} (a model that has to be asked again, or thinks before it replies, takes more)"
        )


def _money(usd: float) -> str:
    """Return dollars with cents; less than a dollar with four digits, since runs of a few cents are usual."""
    if 0 < usd < _LEAST:
        return f"less than {_LEAST:.4f} USD"
    return f"about {usd:.{4 if 0 < usd < 1 else 2}f} USD"


class RecordingModel:
    """Stands in for a hosted model under its name: another one, the embedded rules say, replies in its place.

    ``used`` is what its calls have used so far. For one thread.
    """

    def __init__(self, name: str, model: LanguageModel) -> None:
        self.name, self.usage = name, Usage()
        self._model = model

    def complete(self, request: Request) -> Completion:
        """Have the other model complete the request.

        Raises:
            ModelError: as one of its kinds.
        """
        completion = self._model.complete(request)
        self.usage += completion.usage
        return completion


def price_of_spec(spec: str, price_of: Callable[[str], Price | None]) -> Price | None:
    """Return the price of a spec's tokens: of a model that is free nothing, of another what ``price_of`` says."""
    return FREE if spec.partition(":")[0] in ("rules", "replay") else price_of(spec)


def estimate_cost(sampled: Usage, done: int, wanted: int, price: Price | None) -> ModelCostEstimate:
    """Estimate what ``wanted`` items take, from the usage of ``done`` of them that the rules have made.

    The rules are shown the same prompts as a hosted model, and reply in the same form; their usage is estimated by
    length.

    Raises:
        ValueError: none was done.
    """
    if done < 1:
        raise ValueError("nothing was done: there is nothing to estimate from")
    calls, prompt, reply = (
        round(number * wanted / done) for number in (sampled.calls, sampled.prompt_tokens, sampled.completion_tokens)
    )
    usd = None if price is None else price.cost_of(Usage(calls, prompt, reply))
    return ModelCostEstimate(calls, prompt, reply, usd)
