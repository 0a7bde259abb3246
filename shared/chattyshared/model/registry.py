"""From what a user types to a language model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chattyshared.errors import ConfigError
from chattyshared.model import LanguageModel
from chattyshared.model.rate_limit import RateLimits
from chattyshared.model.rules import Rule, RuleModel

if TYPE_CHECKING:
    from chattyshared.model.budget import Meter
    from chattyshared.model.prices import Prices
    from chattyshared.model.reply_store import ReplyStore

SPECS = (
    "rules, openai:MODEL (with a base URL for any server of its kind), gemini:MODEL, "
    "vllm:MODEL (started here, or running at a base URL), replay:TRACE"
)
KINDS = ("openai", "gemini", "vllm", "replay")
LONGEST = 86_400
"""Seconds that one reply may be waited for."""


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """How models are reached and what they may cost, besides their names; the defaults are what most want.

    ``gemini_key``: the key of ``gemini:`` models (``api_key`` of ``open_model`` is that of the others).
    ``vllm_args``, ``vllm_log``, ``tell``: options of ``vllm serve``, the file for what it prints, and who hears how its
    start goes on. ``reply_tokens``: the longest reply. ``limits``: how fast a server may be asked. ``meter``: counts
    what is spent; ``prices``: what the user says that tokens cost. ``replies``: where paid replies are kept.
    """

    gemini_key: str | None = field(default=None, repr=False)
    vllm_args: tuple[str, ...] = ()
    vllm_log: Path | None = None
    on_progress: Callable[[str], None] | None = None
    reply_tokens: int | None = None
    rate_limits: RateLimits = field(default_factory=RateLimits)
    meter: Meter | None = None
    prices: Prices | None = None
    reply_store: ReplyStore | None = None


def open_model(  # noqa: PLR0913
    spec: str,
    *,
    rulebook: Mapping[str, Rule],
    base_url: str | None = None,
    timeout: float = 120,
    api_key: str | None = None,
    model_options: ModelOptions | None = None,
) -> LanguageModel:
    """Open the model that a spec names, one of ``SPECS``.

    ``base_url`` is the address of a server that speaks OpenAI's chat completions (of ``openai:`` and ``vllm:`` models;
    a Gemini key never goes there); only such a server may go without a key. Nothing is asked of a server, and none is
    started, before the first completion. Hosted models are asked at a pace, and again where that is worth it; with a
    meter, calls are counted (those of the rules and of a replay only if there is a limit); with kept replies, what was
    paid for is not asked again.

    Raises:
        ConfigError: the spec is unknown or lacks its second half; ``timeout`` is no time to wait; a key is missing;
            the trace cannot be read; an SDK or vllm is not installed.
    """
    if not 0 < timeout <= LONGEST:
        raise ConfigError(f"a reply of the model can be waited for up to {LONGEST:g} seconds, not {timeout:g}")
    model_options = model_options or ModelOptions()
    kind, _, name = spec.strip().partition(":")
    if kind == "rules" and not name:
        return _free(RuleModel(rulebook), model_options)
    if kind not in KINDS:
        raise ConfigError(f"unknown model {spec!r}: there are {SPECS}")
    if not name:
        raise ConfigError(f"the model {spec!r} lacks its second half: there are {SPECS}")
    if kind == "replay":
        from chattyshared.model.replay import ReplayModel

        return _free(ReplayModel(Path(name)), model_options)
    if kind == "openai":
        if not api_key and not base_url:
            raise ConfigError(f"{spec.strip()} needs a key in OPENAI_API_KEY, or the base URL of a server without keys")
        return _wrapped(_openai(spec.strip(), base_url, timeout, api_key, model_options), model_options, base_url)
    if kind == "gemini":
        return _wrapped(_gemini(name, timeout, model_options), model_options, None)
    return _wrapped(
        _vllm(name, base_url, timeout, api_key, model_options), model_options, base_url or "http://localhost"
    )


def _openai(
    spec: str, base_url: str | None, timeout: float, api_key: str | None, access: ModelOptions
) -> LanguageModel:
    from chattyshared.model.openai import OpenAIModel

    # The SDK insists on a key; servers without keys ignore whatever comes.
    return OpenAIModel(
        spec.partition(":")[2], base_url=base_url, api_key=api_key or "none", timeout=timeout,
        reply_tokens=access.reply_tokens, name=spec,
    )  # fmt: skip


def _gemini(name: str, timeout: float, access: ModelOptions) -> LanguageModel:
    from chattyshared.model.gemini import GeminiModel

    if not access.gemini_key:
        raise ConfigError(f"gemini:{name} needs a key in GEMINI_API_KEY (or GOOGLE_API_KEY)")
    return GeminiModel(name, api_key=access.gemini_key, timeout=timeout, reply_tokens=access.reply_tokens)


def _vllm(name: str, base_url: str | None, timeout: float, api_key: str | None, access: ModelOptions) -> LanguageModel:
    from chattyshared.model.vllm import VllmModel, VllmServer

    if base_url:
        return _openai(f"vllm:{name}", base_url, timeout, api_key, access)
    served = VllmServer(name, access.vllm_args, log=access.vllm_log, on_progress=access.on_progress)
    served.find_executable()
    return VllmModel(name, served, timeout=timeout, reply_tokens=access.reply_tokens)


def _wrapped(model: LanguageModel, access: ModelOptions, base_url: str | None) -> LanguageModel:
    """Ask at a pace, count what is really asked, and keep what was paid for: from the inside out."""
    from chattyshared.model.budget import BudgetedModel
    from chattyshared.model.cache import CachedModel
    from chattyshared.model.prices import Prices
    from chattyshared.model.rate_limit import RateLimiter
    from chattyshared.model.throttle import ThrottledModel

    parameters: Mapping[str, Any] = getattr(model, "parameters", {})
    asked: LanguageModel = ThrottledModel(model, RateLimiter(access.rate_limits))
    if access.meter is not None:
        price = (access.prices or Prices()).price_of_model(model.name, base_url)
        asked = BudgetedModel(asked, access.meter, price)
    return CachedModel(asked, access.reply_store, parameters) if access.reply_store is not None else asked


def _free(model: LanguageModel, access: ModelOptions) -> LanguageModel:
    """Count calls that cost nothing, if anything is limited."""
    if access.meter is None or not access.meter.is_limited:
        return model
    from chattyshared.model.budget import BudgetedModel
    from chattyshared.model.prices import FREE

    return BudgetedModel(model, access.meter, FREE)
