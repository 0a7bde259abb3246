"""From the model spec that a user types to a language model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from typing import Any

from chattyshared.errors import ConfigError
from chattyshared.model import LanguageModel
from chattyshared.model.providers import DEFAULT_TIMEOUT, PROVIDER_BY_KIND, SPECS, Provider
from chattyshared.model.rules import Rule
from chattyshared.model.target import ModelOptions, ModelTarget

MAX_TIMEOUT = 86_400
"""The longest time, in seconds, that a user may let the program wait for one reply."""


def open_model(  # noqa: PLR0913
    spec: str,
    *,
    rulebook: Mapping[str, Rule],
    base_url: str | None = None,
    timeout: float = DEFAULT_TIMEOUT,
    api_key: str | None = None,
    model_options: ModelOptions | None = None,
) -> LanguageModel:
    """Open the model that a spec names, one of ``SPECS``.

    ``base_url`` is the address of a server with OpenAI's chat completions API (for ``openai:`` and ``vllm:`` models);
    only such a server may go without a key. No server is asked or started before the first completion. Hosted models
    have a rate limit and retries. With a meter, calls are counted (those of free models only if there is a limit);
    with a reply store, paid replies are not asked for again.

    Raises:
        ConfigError: the spec is unknown or lacks its second half; ``timeout`` is out of range; a key is missing; the
            trace cannot be read; an SDK or vllm is not installed.
    """
    if not 0 < timeout <= MAX_TIMEOUT:
        raise ConfigError(f"a reply of the model can be waited for up to {MAX_TIMEOUT:g} seconds, not {timeout:g}")
    spec = spec.strip()
    kind, _, name = spec.partition(":")
    provider = PROVIDER_BY_KIND.get(kind)
    if provider is None or (name and not provider.has_name):
        raise ConfigError(f"unknown model {spec!r}: there are {SPECS}")
    if provider.has_name and not name:
        raise ConfigError(f"the model {spec!r} lacks its second half: there are {SPECS}")
    options = model_options or ModelOptions()
    target = ModelTarget(spec, name, base_url if provider.is_open else None, timeout, api_key, rulebook, options)
    _require_key(provider, target)
    model: LanguageModel = import_module(provider.module).open_provider(target)
    return _count_free_calls(model, options) if provider.is_free else _wrap_hosted(model, provider, target)


def _require_key(provider: Provider, target: ModelTarget) -> None:
    if not provider.requires_key or target.api_key or target.base_url:
        return
    first, *others = provider.key_variables
    variables = f"{first} (or {', '.join(others)})" if others else first
    without_key = ", or the base URL of a server without keys" if provider.is_open else ""
    raise ConfigError(f"{target.spec} needs a key in {variables}{without_key}")


def _wrap_hosted(model: LanguageModel, provider: Provider, target: ModelTarget) -> LanguageModel:
    """Add, from the inside out: the rate limit with retries, the meter, the reply store."""
    from chattyshared.model.budget import BudgetedModel
    from chattyshared.model.cache import CachedModel
    from chattyshared.model.prices import Prices
    from chattyshared.model.throttle import ThrottledModel
    from chattyshared.rate_limit import RateLimiter

    options = target.options
    parameters: Mapping[str, Any] = getattr(model, "parameters", {})
    limits = options.rate_limits
    limits = replace(limits, max_concurrent=min(limits.max_concurrent, provider.max_concurrent))
    wrapped: LanguageModel = ThrottledModel(model, RateLimiter(limits))
    if options.meter is not None:
        price = (options.prices or Prices()).price_of_model(model.name, target.base_url)
        wrapped = BudgetedModel(wrapped, options.meter, price)
    return CachedModel(wrapped, options.reply_store, parameters) if options.reply_store is not None else wrapped


def _count_free_calls(model: LanguageModel, options: ModelOptions) -> LanguageModel:
    """Count the calls of a free model, if anything is limited."""
    if options.meter is None or not options.meter.is_limited:
        return model
    from chattyshared.model.budget import BudgetedModel
    from chattyshared.model.prices import FREE

    return BudgetedModel(model, options.meter, FREE)
