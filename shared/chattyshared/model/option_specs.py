"""Options and settings of models, their servers and costs; ``registry`` opens what they name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from chattyshared.errors import ConfigError
from chattyshared.option_specs import OptionSpec, did_you_mean

MAX_USD_OPTION = OptionSpec("max_usd", "Stop before the model's calls cost more.", "number", metavar="USD", minimum=0)
LIMIT_SPECS = (
    MAX_USD_OPTION,
    OptionSpec("max_tokens", "Stop before prompts and replies have more tokens.", "integer", minimum=0,
               is_setting=True),
    OptionSpec("max_calls", "Stop after so many calls of the model.", "integer", minimum=0, is_setting=True),
    OptionSpec("max_queries", "Stop after so many queries.", "integer", minimum=0, is_setting=True),
    OptionSpec("max_minutes", "Stop after so many minutes, earlier runs of the same output included.", "number",
               minimum=0, is_setting=True),
)  # fmt: skip
"""Limits on the spending of a run, resumed runs included."""
DRY_RUN_OPTION = OptionSpec(
    "dry_run", "Only estimate what the run would ask of the model, and cost.", "switch", default=False
)
MODEL_SPECS = (
    *LIMIT_SPECS,
    OptionSpec("price", "What a model's tokens cost, in dollars a million: gpt-4o=2.5,10.",
               metavar="MODEL=PROMPT,REPLY", is_repeatable=True, is_setting=True),
    OptionSpec("requests_per_minute", "Ask each model at most so often.", "number", minimum=1, is_setting=True),
    OptionSpec("tokens_per_minute", "Ask each model for at most so many tokens.", "number", minimum=1,
               is_setting=True),
    OptionSpec("reply_tokens", "Longest reply of the model, thoughts included.", "integer", minimum=1,
               is_setting=True),
    OptionSpec("vllm_arg", "Option handed on to vllm serve: --max-model-len=8192.", metavar="ARG",
               is_repeatable=True, is_setting=True),
    OptionSpec("no_reply_cache", "Ask again what was asked before, even with --cache-dir.", "switch", default=False,
               is_setting=True),
)  # fmt: skip
"""The budget of a run, and the settings of model servers. Replies are stored if ``--cache-dir`` is given."""


def parse_model_assignments(
    specs: Iterable[str], targets: Sequence[str], kind: str = "stage"
) -> tuple[str, Mapping[str, str]]:
    """Parse the values of ``--model``: return the default spec (``rules`` if none is given) and the specs by target.

    ``kind`` is the word for a target in messages: ``stage`` or ``agent``.

    Raises:
        ConfigError: a target is unknown or named twice, or there are two default models.
    """
    model_by_target: dict[str, str] = {}
    for spec in specs:
        target, mark, model = spec.partition("=")
        if not mark or ":" in target:
            target, model = "", spec
        elif target not in targets:
            raise ConfigError(f"--model: unknown {kind} {target!r}{did_you_mean(target, targets, list_known=True)}")
        if target in model_by_target:
            raise ConfigError(f"--model: two models for {target or f'all {kind}s'}")
        model_by_target[target] = model
    return model_by_target.pop("", "rules"), model_by_target
