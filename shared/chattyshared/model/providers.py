"""The table of model providers. A new provider is one row here and one module with a function ``open_provider``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from chattyshared.rate_limit import RateLimits

DEFAULT_TIMEOUT = 120.0
"""Seconds that one reply may take by default."""


@dataclass(frozen=True, slots=True)
class Provider:
    """One row of the table.

    Attributes:
        kind: what a model spec begins with, before the colon.
        module: the module with ``open_provider(target: ModelTarget) -> LanguageModel``; it is imported on first use.
        spec: the spec as error messages show it.
        option_help: the spec as the help of ``--model`` shows it.
        host: the host of its models without a base URL; the table of prices is by host.
        key_variables: the environment variables that can hold its key; the first that is set counts.
        requires_key: whether it refuses to open without a key, unless it is open and a base URL is given.
        extra: the optional dependencies that it needs, a key of ``optional-dependencies`` in ``pyproject.toml``.
        is_open: whether ``--base-url`` can name another server for it.
        is_free: whether its calls cost nothing: no rate limit, no reply store, counted only against a limit.
        has_name: whether its spec has a second half.
        max_concurrent: how many calls may be in flight at once by default.
    """

    kind: str
    module: str
    spec: str
    option_help: str
    host: str = ""
    key_variables: tuple[str, ...] = ()
    requires_key: bool = False
    extra: str = ""
    is_open: bool = False
    is_free: bool = False
    has_name: bool = True
    max_concurrent: int = RateLimits().max_concurrent


PROVIDERS: tuple[Provider, ...] = (
    Provider(
        "rules", "chattyshared.model.rules", "rules", '"rules" (embedded, free)', is_free=True, has_name=False
    ),
    Provider(
        "openai", "chattyshared.model.openai", "openai:MODEL (with a base URL for any server of its kind)",
        '"openai:NAME" (key in OPENAI_API_KEY)', host="api.openai.com", key_variables=("OPENAI_API_KEY",),
        requires_key=True, is_open=True,
    ),
    Provider(
        "gemini", "chattyshared.model.gemini", "gemini:MODEL", '"gemini:NAME" (key in GEMINI_API_KEY)',
        host="generativelanguage.googleapis.com", key_variables=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        requires_key=True, extra="gemini",
    ),
    Provider(
        "vllm", "chattyshared.model.vllm", "vllm:MODEL (started here, or running at a base URL)", '"vllm:NAME"',
        key_variables=("OPENAI_API_KEY",), extra="vllm", is_open=True,
    ),
    Provider("replay", "chattyshared.model.replay", "replay:TRACE", '"replay:TRACE"', is_free=True),
)  # fmt: skip
PROVIDER_BY_KIND: Mapping[str, Provider] = MappingProxyType({provider.kind: provider for provider in PROVIDERS})
SPECS = ", ".join(provider.spec for provider in PROVIDERS)


def provider_keys(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the keys in an environment, by the kind of provider."""
    keys = {
        provider.kind: next((environ[name] for name in provider.key_variables if environ.get(name)), "")
        for provider in PROVIDERS
    }
    return {kind: key for kind, key in keys.items() if key}


def key_variable(kind: str) -> str:
    """Return the environment variable that holds a provider's key, as messages name it."""
    return PROVIDER_BY_KIND[kind].key_variables[0]
