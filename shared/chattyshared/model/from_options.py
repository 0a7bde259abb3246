"""What a command line says of models and their costs: its settings, and what they open for one run."""

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
from chattyshared.model.providers import DEFAULT_TIMEOUT, PROVIDERS, ModelOptions, provider_keys
from chattyshared.model.registry import open_model
from chattyshared.model.reply_store import FILE_NAME, ReplyStore
from chattyshared.model.rules import Rule
from chattyshared.model.spend_log import SpendLog, spend_log_path
from chattyshared.rate_limit import RateLimits
from chattyshared.runs.lock import OutputLock


def collect_secrets(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return what no trace may hold: every key of a model, the password and the token of an endpoint."""
    named = (environ.get(name, "") for provider in PROVIDERS for name in provider.key_variables)
    return tuple(dict.fromkeys((*filter(None, named), *connection_options.environment_secrets(environ))))


def with_query_budget(kg: KnowledgeGraph, access: ModelOptions) -> KnowledgeGraph:
    """Return the same graph, whose queries are counted, and refused once the budget is spent."""
    return kg if access.meter is None else kg.with_endpoint(BudgetedEndpoint(kg.endpoint, access.meter))


class ModelFactory:
    """Opens models by their specs, as a command's options say; each hosted one once, whoever asks for it.

    So all who ask a model share its pace and its server, and two rulebooks may stand beside each other.
    """

    def __init__(
        self, options: Mapping[str, Any], environ: Mapping[str, str], model_options: ModelOptions | None = None
    ) -> None:
        """Take the options by their Python names (``base_url``, ``model_timeout``); nothing is opened yet."""
        self._base_url, self._timeout = options.get("base_url"), options.get("model_timeout") or DEFAULT_TIMEOUT
        self._keys, self._model_options = provider_keys(environ), model_options
        self._opened: dict[str, LanguageModel] = {}

    def __call__(self, spec: str, rulebook: Mapping[str, Rule]) -> LanguageModel:
        """Return the model of a spec; ``rulebook`` is what the embedded one goes by.

        Raises:
            ConfigError: the model is unknown, or lacks something.
        """
        spec = spec.strip()
        if spec not in self._opened:
            model = open_model(
                spec, rulebook=rulebook, base_url=self._base_url, timeout=self._timeout,
                api_key=self._keys.get(spec.partition(":")[0]), model_options=self._model_options,
            )  # fmt: skip
            if spec == "rules":
                return model
            self._opened[spec] = model
        return self._opened[spec]


@contextmanager
def model_session(
    options: Mapping[str, Any],
    *,
    output: Path | None = None,
    on_progress: Callable[[str], None] | None = None,
) -> Iterator[ModelOptions]:
    """Open what the options say: the meter of costs, kept replies, limits; closed at the end.

    ``given`` are a command's options by their Python names; those that it does not have count as not given.
    ``output`` is the file of results: what was spent is kept beside it, in ``OUTPUT.spent.jsonl``, and counted on by
    a resumed run; ``--overwrite`` begins at nothing. ``tell`` hears how a start of vllm goes on.

    Raises:
        ConfigError: a price is mistyped; the file of replies or of what was spent cannot be used; another run is
            writing ``output``.
    """
    folder = options.get("cache_dir")
    with ExitStack() as stack:
        if output is not None:
            stack.enter_context(OutputLock(output, ".spent"))
        ledger = SpendLog(
            None if output is None else spend_log_path(output), replace_existing=bool(options.get("overwrite"))
        )
        meter = Meter(_budget(options), ledger)
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


def _budget(given: Mapping[str, Any]) -> Budget:
    return Budget(*(given.get(f"max_{name}") for name in ("usd", "tokens", "calls", "queries", "minutes")))
