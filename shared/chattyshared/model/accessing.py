"""What a command line says of models and their costs: its settings, and what they open for one run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from chattyshared.model.budget import Budget, Meter
from chattyshared.model.opening import Access
from chattyshared.model.pace import Limits
from chattyshared.model.prices import Prices
from chattyshared.model.replies import NAME, Replies
from chattyshared.model.spending import Ledger
from chattyshared.settings import Setting

KEYS = {"openai": ("OPENAI_API_KEY",), "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY")}
"""Where a provider's key stands in the environment, the first that is set counts."""
_COSTS, _SERVERS = "Costs", "Model servers"

SPENDING = (
    Setting("max_usd", "Stop before the model's calls cost more.", "number", metavar="USD", least=0, section=_COSTS),
    Setting("max_tokens", "Stop before prompts and replies have more tokens.", "integer", metavar="N", least=0,
            section=_COSTS),
    Setting("max_calls", "Stop after so many calls of the model.", "integer", metavar="N", least=0, section=_COSTS),
    Setting("max_queries", "Stop after so many queries.", "integer", metavar="N", least=0, section=_COSTS),
    Setting("max_minutes", "Stop after so many minutes, earlier runs of the same output included.", "number",
            metavar="M", least=0, section=_COSTS),
    Setting("price", "What a model's tokens cost, in dollars a million: gpt-4o=2.5,10 (may be repeated).",
            metavar="MODEL=PROMPT,REPLY", many=True, default=(), section=_COSTS),
)  # fmt: skip
"""Limits on what a run may spend; resumed runs count on."""
DRY_RUN = Setting("dry_run", "Only estimate what the run would ask of the model, and cost.", "switch", default=False,
                  section=_COSTS)  # fmt: skip
SERVERS = (
    Setting("requests_per_minute", "Ask each model at most so often.", "number", metavar="N", least=1,
            section=_SERVERS),
    Setting("tokens_per_minute", "Ask each model for at most so many tokens.", "number", metavar="N", least=1,
            section=_SERVERS),
    Setting("reply_tokens", "Longest reply of the model, thoughts included.", "integer", metavar="N", least=1,
            section=_SERVERS),
    Setting("vllm_arg", "Option handed on to vllm serve, as in --vllm-arg=--max-model-len=8192 (may be repeated).",
            metavar="ARG", many=True, default=(), section=_SERVERS),
    Setting("no_reply_cache", "Ask again what was asked before, even with --cache-dir.", "switch", default=False,
            section=_SERVERS),
)  # fmt: skip
"""How model servers are asked. Replies are kept where ``--cache-dir`` is given."""


def keys(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the keys that an environment holds, by provider; their values are what no trace may hold."""
    found = {kind: next((environ[name] for name in names if environ.get(name)), "") for kind, names in KEYS.items()}
    return {kind: key for kind, key in found.items() if key}


@contextmanager
def accessing(
    given: Mapping[str, Any],
    environ: Mapping[str, str],
    *,
    output: Path | None = None,
    tell: Callable[[str], None] | None = None,
) -> Iterator[Access]:
    """Open what the options say: the meter of costs, kept replies, limits; closed at the end.

    ``given`` are a command's options by their Python names; those that it does not have count as not given.
    ``output`` is the file of results: what was spent is kept beside it, in ``OUTPUT.spent.jsonl``, and counted on by
    a resumed run; ``--overwrite`` begins at nothing. ``tell`` hears how a start of vllm goes on.

    Raises:
        ConfigError: a price is mistyped; the file of replies or of what was spent cannot be used.
    """
    spent = None if output is None else output.with_name(f"{output.name}.spent.jsonl")
    ledger = Ledger(spent, anew=bool(given.get("overwrite")))
    meter = Meter(_budget(given), ledger)
    folder = given.get("cache_dir")
    replies = Replies(Path(folder) / NAME) if folder and not given.get("no_reply_cache") else None
    try:
        yield Access(
            gemini_key=keys(environ).get("gemini"),
            vllm_args=tuple(given.get("vllm_arg") or ()),
            vllm_log=None if output is None else output.with_name(f"{output.name}.vllm.log"),
            tell=tell,
            reply_tokens=given.get("reply_tokens"),
            limits=Limits(
                requests_per_minute=given.get("requests_per_minute"), tokens_per_minute=given.get("tokens_per_minute")
            ),
            meter=meter,
            prices=Prices.of(given.get("price") or ()),
            replies=replies,
        )
    finally:
        meter.close()
        if replies is not None:
            replies.close()


def _budget(given: Mapping[str, Any]) -> Budget:
    return Budget(*(given.get(f"max_{name}") for name in ("usd", "tokens", "calls", "queries", "minutes")))
