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

KEYS = {"openai": ("OPENAI_API_KEY",), "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY")}
"""Where a provider's key stands in the environment, the first that is set counts."""


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
