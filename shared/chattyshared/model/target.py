"""What a provider opens: a model, how to reach it, and the options of its calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chattyshared.model import Request
from chattyshared.model.budget import Meter
from chattyshared.model.prices import Prices
from chattyshared.model.reply_store import ReplyStore
from chattyshared.rate_limit import RateLimits


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """How models are asked and what they may cost; the defaults suit most runs.

    ``vllm_args`` are options of ``vllm serve``, ``vllm_log`` the file for its output; ``on_progress`` is called with
    the state of its start. ``reply_tokens`` limits each reply. ``rate_limits`` bound how fast a server is asked.
    ``meter`` counts what is spent; ``prices`` are the user's prices. ``reply_store`` keeps paid replies.
    """

    vllm_args: tuple[str, ...] = ()
    vllm_log: Path | None = None
    on_progress: Callable[[str], None] | None = None
    reply_tokens: int | None = None
    rate_limits: RateLimits = field(default_factory=RateLimits)
    meter: Meter | None = None
    prices: Prices | None = None
    reply_store: ReplyStore | None = None


@dataclass(frozen=True, slots=True)
class ModelTarget:
    """What a provider opens: ``spec`` as the user typed it, ``name`` its second half, and how to reach the model."""

    spec: str
    name: str
    base_url: str | None
    timeout: float
    api_key: str | None = field(repr=False)
    rulebook: Mapping[str, Callable[[Request], Any]]
    options: ModelOptions
