"""Models and budgets from the options of a command."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from chattyshared.endpoint import connection_options
from chattyshared.kg import KnowledgeGraph
from chattyshared.model import LanguageModel
from chattyshared.model.budget import Budget, BudgetedEndpoint, Meter
from chattyshared.model.prices import Prices
from chattyshared.model.providers import DEFAULT_TIMEOUT, PROVIDERS, provider_keys
from chattyshared.model.registry import open_model
from chattyshared.model.reply_store import FILE_NAME, ReplyStore
from chattyshared.model.rules import Rule
from chattyshared.model.spend_log import SpendLog, spend_log_path
from chattyshared.model.target import ModelOptions
from chattyshared.rate_limit import RateLimits
from chattyshared.runs.lock import OutputLock


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
