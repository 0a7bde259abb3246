"""From the model spec that a user types, or the options of a command, to a language model with its budget."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from chattyshared.endpoint import connection_options
from chattyshared.errors import ConfigError
from chattyshared.kg import KnowledgeGraph
from chattyshared.model import LanguageModel
from chattyshared.model.budget import Budget, BudgetedEndpoint, Meter
from chattyshared.model.prices import Prices
from chattyshared.model.providers import DEFAULT_TIMEOUT, PROVIDER_BY_KIND, PROVIDERS, SPECS, Provider, provider_keys
from chattyshared.model.reply_store import FILE_NAME, ReplyStore
from chattyshared.model.rules import Rule
from chattyshared.model.spend_log import SpendLog, spend_log_path
from chattyshared.model.target import ModelOptions, ModelTarget
from chattyshared.rate_limit import RateLimits
from chattyshared.runs.lock import OutputLock

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


def collect_secrets(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the secrets that no trace may contain: all model keys, and the password and token of an endpoint."""
    keys = (environ.get(name, "") for provider in PROVIDERS for name in provider.key_variables)
    return tuple(dict.fromkeys((*filter(None, keys), *connection_options.environment_secrets(environ))))


def with_query_budget(kg: KnowledgeGraph, model_options: ModelOptions) -> KnowledgeGraph:
    """Return the same graph with its queries counted, and refused once the budget is spent."""
    return kg if model_options.meter is None else kg.with_endpoint(BudgetedEndpoint(kg.endpoint, model_options.meter))


class ModelFactory:
    """Opens models by their specs with the options of a command; each hosted model once.

    So all users of a hosted model share its rate limit and its server. The rule model is opened for each rulebook.
    """

    def __init__(
        self, options: Mapping[str, Any], environ: Mapping[str, str], model_options: ModelOptions | None = None
    ) -> None:
        """Take the options by their Python names (``base_url``, ``model_timeout``); no model is opened yet."""
        self._base_url, self._timeout = options.get("base_url"), options.get("model_timeout") or DEFAULT_TIMEOUT
        self._keys, self._model_options = provider_keys(environ), model_options
        self._models: dict[str, LanguageModel] = {}

    def __call__(self, spec: str, rulebook: Mapping[str, Rule]) -> LanguageModel:
        """Return the model of a spec; ``rulebook`` is that of the rule model.

        Raises:
            ConfigError: the model is unknown, or something that it needs is missing.
        """
        spec = spec.strip()
        if spec not in self._models:
            model = open_model(
                spec, rulebook=rulebook, base_url=self._base_url, timeout=self._timeout,
                api_key=self._keys.get(spec.partition(":")[0]), model_options=self._model_options,
            )  # fmt: skip
            if spec == "rules":
                return model
            self._models[spec] = model
        return self._models[spec]


@contextmanager
def model_session(
    options: Mapping[str, Any],
    *,
    output: Path | None = None,
    on_progress: Callable[[str], None] | None = None,
) -> Iterator[ModelOptions]:
    """Open the meter, the reply store and the limits of a run; close them at the end.

    ``options`` are a command's options by their Python names. ``output`` is the file of results: spending is logged in
    ``OUTPUT.spent.jsonl`` next to it, and a resumed run continues the log; with ``--overwrite`` it starts at zero.
    ``on_progress`` is called with the state of a starting vllm.

    Raises:
        ConfigError: a price is malformed; the reply store or the spend log cannot be used; another run is writing
        ``output``.
    """
    folder = options.get("cache_dir")
    with ExitStack() as stack:
        if output is not None:
            stack.enter_context(OutputLock(output, ".spent"))
        spend_log = SpendLog(
            None if output is None else spend_log_path(output), replace_existing=bool(options.get("overwrite"))
        )
        meter = Meter(_budget(options), spend_log)
        stack.callback(meter.close)
        replies = ReplyStore(Path(folder) / FILE_NAME) if folder and not options.get("no_reply_cache") else None
        if replies is not None:
            stack.callback(replies.close)
        yield ModelOptions(
            vllm_args=tuple(options.get("vllm_arg") or ()),
            vllm_log=None if output is None else output.with_name(f"{output.name}.vllm.log"),
            on_progress=on_progress,
            reply_tokens=options.get("reply_tokens"),
            rate_limits=RateLimits(
                requests_per_minute=options.get("requests_per_minute"),
                tokens_per_minute=options.get("tokens_per_minute"),
            ),
            meter=meter,
            prices=Prices.parse(options.get("price") or ()),
            reply_store=replies,
        )


def _budget(options: Mapping[str, Any]) -> Budget:
    return Budget(*(options.get(f"max_{name}") for name in ("usd", "tokens", "calls", "queries", "minutes")))
