"""What a command line lets users say of models, their servers and their costs; see ``accessing`` for what it opens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from chattyshared.errors import ConfigError
from chattyshared.option_specs import OptionSpec, did_you_mean

_COSTS, _SERVERS = "Costs", "Model servers"

BUDGET_OPTIONS = (
    OptionSpec(
        "max_usd", "Stop before the model's calls cost more.", "number", metavar="USD", minimum=0, section=_COSTS
    ),
    OptionSpec(
        "max_tokens",
        "Stop before prompts and replies have more tokens.",
        "integer",
        metavar="N",
        minimum=0,
        section=_COSTS,
    ),
    OptionSpec(
        "max_calls", "Stop after so many calls of the model.", "integer", metavar="N", minimum=0, section=_COSTS
    ),
    OptionSpec("max_queries", "Stop after so many queries.", "integer", metavar="N", minimum=0, section=_COSTS),
    OptionSpec(
        "max_minutes",
        "Stop after so many minutes, earlier runs of the same output included.",
        "number",
        metavar="M",
        minimum=0,
        section=_COSTS,
    ),
    OptionSpec(
        "price",
        "What a model's tokens cost, in dollars a million: gpt-4o=2.5,10 (may be repeated).",
        metavar="MODEL=PROMPT,REPLY",
        is_repeatable=True,
        default=(),
        section=_COSTS,
    ),
)
"""Limits on what a run may spend; resumed runs count on."""
DRY_RUN_OPTION = OptionSpec(
    "dry_run", "Only estimate what the run would ask of the model, and cost.", "switch", default=False, section=_COSTS
)
SERVER_OPTIONS = (
    OptionSpec(
        "requests_per_minute", "Ask each model at most so often.", "number", metavar="N", minimum=1, section=_SERVERS
    ),
    OptionSpec(
        "tokens_per_minute",
        "Ask each model for at most so many tokens.",
        "number",
        metavar="N",
        minimum=1,
        section=_SERVERS,
    ),
    OptionSpec(
        "reply_tokens",
        "Longest reply of the model, thoughts included.",
        "integer",
        metavar="N",
        minimum=1,
        section=_SERVERS,
    ),
    OptionSpec(
        "vllm_arg",
        "Option handed on to vllm serve, as in --vllm-arg=--max-model-len=8192 (may be repeated).",
        metavar="ARG",
        is_repeatable=True,
        default=(),
        section=_SERVERS,
    ),
    OptionSpec(
        "no_reply_cache",
        "Ask again what was asked before, even with --cache-dir.",
        "switch",
        default=False,
        section=_SERVERS,
    ),
)
"""How model servers are asked. Replies are kept where ``--cache-dir`` is given."""


def parse_model_assignments(
    specs: Iterable[str], targets: Sequence[str], kind: str = "stage"
) -> tuple[str, Mapping[str, str]]:
    """Read what ``--model`` says: the spec for all places that are not named (``rules`` unless said), and the others.

    ``kind`` is what a place is called in messages: ``stage`` or ``agent``.

    Raises:
        ConfigError: a place is unknown or named twice, or two models are for all.
    """
    named: dict[str, str] = {}
    for spec in specs:
        place, mark, model = spec.partition("=")
        if not mark or ":" in place:
            place, model = "", spec
        elif place not in targets:
            raise ConfigError(f"--model: unknown {kind} {place!r}{did_you_mean(place, targets, list_known=True)}")
        if place in named:
            raise ConfigError(f"--model: two models for {place or f'all {kind}s'}")
        named[place] = model
    return named.pop("", "rules"), named
