"""Estimates of a run's calls, tokens and cost, from a sample of it that the embedded rules have run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from chattyshared.errors import ModelError
from chattyshared.model import Completion, LanguageModel, Request, Usage
from chattyshared.model.prices import FREE, Price
from chattyshared.model.providers import PROVIDER_BY_KIND

_MIN_SHOWN_USD = 0.0001
"""Dollars; smaller amounts are shown as "less than" this."""


@dataclass(frozen=True, slots=True)
class ModelCostEstimate:
    """Estimated calls, prompt tokens, reply tokens, and dollars (None: the price is unknown)."""

    calls: int
    prompt_tokens: int
    reply_tokens: int
    usd: float | None = None

    def __add__(self, other: ModelCostEstimate) -> ModelCostEstimate:
        is_known = self.usd is not None and other.usd is not None
        return ModelCostEstimate(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.reply_tokens + other.reply_tokens,
            (self.usd or 0) + (other.usd or 0) if is_known else None,
        )

    def render_summary(self) -> str:
        """Return it in one line, as a user reads it."""
        usd = "its price is not known: --set price= says one" if self.usd is None else _format_usd(self.usd)
        return (
            f"about {self.calls} calls, {self.prompt_tokens} tokens of prompts, {self.reply_tokens} tokens of "
            f"replies; {usd} (a model that has to be asked again, or thinks before it replies, takes more)"
        )


def _format_usd(usd: float) -> str:
    """Return dollars with two decimals; below one dollar with four, since many runs cost a few cents."""
    if 0 < usd < _MIN_SHOWN_USD:
        return f"less than {_MIN_SHOWN_USD:.4f} USD"
    return f"about {usd:.{4 if 0 < usd < 1 else 2}f} USD"


class RecordingModel:
    """A model under a name that adds up the usage of its calls, also of those that fail; another model replies.

    As a stand-in for a hosted model that is usually the embedded rules. For one thread only.
    """

    def __init__(self, name: str, model: LanguageModel) -> None:
        self.name, self.usage = name, Usage()
        self._model = model

    def complete(self, request: Request) -> Completion:
        """Complete one request with the other model.

        Raises:
            ModelError: as one of its kinds.
        """
        try:
            completion = self._model.complete(request)
        except ModelError as error:
            self.usage += error.usage or Usage()
            raise
        self.usage += completion.usage
        return completion


def price_of_spec(spec: str, price_of: Callable[[str], Price | None]) -> Price | None:
    """Return the price of a spec's tokens: ``FREE`` for a free provider, else what ``price_of`` returns."""
    provider = PROVIDER_BY_KIND.get(spec.partition(":")[0])
    return FREE if provider is not None and provider.is_free else price_of(spec)


def estimate_cost(sampled: Usage, sampled_items: int, total_items: int, price: Price | None) -> ModelCostEstimate:
    """Estimate the cost of ``total_items`` from the usage of ``sampled_items`` that the rules have made.

    The rules get the same prompts as a hosted model and reply in the same form; their usage is estimated from length.

    Raises:
        ValueError: ``sampled_items`` is 0.
    """
    if sampled_items < 1:
        raise ValueError("nothing was done: there is nothing to estimate from")
    calls, prompt, reply = (
        round(number * total_items / sampled_items)
        for number in (sampled.calls, sampled.prompt_tokens, sampled.completion_tokens)
    )
    usd = None if price is None else price.cost_of(Usage(calls, prompt, reply))
    return ModelCostEstimate(calls, prompt, reply, usd)
