"""From what a user types to a language model."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from chattyshared.errors import ConfigError
from chattyshared.model import LanguageModel
from chattyshared.model.rules import Rule, Rules

SPECS = "rules, openai:MODEL (with a base URL for any server of its kind), replay:TRACE"
LONGEST = 86_400
"""Seconds that one reply may be waited for."""


def open_model(
    spec: str,
    *,
    rulebook: Mapping[str, Rule],
    base_url: str | None = None,
    timeout: float = 120,
    api_key: str | None = None,
) -> LanguageModel:
    """Open the model that a spec names: ``rules``, ``openai:MODEL`` or ``replay:TRACE``.

    ``base_url`` is the address of a server that speaks OpenAI's chat completions; only such a server may go without
    a key. Nothing is asked of a server yet.

    Raises:
        ConfigError: the spec is unknown or lacks its second half; ``timeout`` is no time to wait; a key is missing;
            the trace cannot be read.
    """
    if not 0 < timeout <= LONGEST:
        raise ConfigError(f"a reply of the model can be waited for up to {LONGEST:g} seconds, not {timeout:g}")
    kind, _, name = spec.strip().partition(":")
    if kind == "rules" and not name:
        return Rules(rulebook)
    if kind == "openai" and name:
        return _openai(name, base_url, timeout, api_key)
    if kind == "replay" and name:
        from chattyshared.model.replay import Replay

        return Replay(Path(name))
    if kind in ("openai", "replay"):
        raise ConfigError(f"the model {spec!r} lacks its second half: there are {SPECS}")
    if kind in ("gemini", "vllm"):
        raise ConfigError(f"the model {spec!r}: {kind} is not built in yet; there are {SPECS}")
    raise ConfigError(f"unknown model {spec!r}: there are {SPECS}")


def _openai(name: str, base_url: str | None, timeout: float, api_key: str | None) -> LanguageModel:
    from chattyshared.model.openai import OpenAIModel

    if not api_key and not base_url:
        raise ConfigError(f"openai:{name} needs a key in OPENAI_API_KEY, or the base URL of a server without keys")
    # The SDK insists on a key; servers without keys ignore whatever comes.
    return OpenAIModel(name, base_url=base_url, api_key=api_key or "none", timeout=timeout)
