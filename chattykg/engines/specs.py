"""The kinds of engine: what a user types for each, and what it needs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from chattyshared.endpoint.address import parse_address
from chattyshared.errors import ConfigError

EngineName = Literal["chatty", "llm-only", "rag", "text2sparql", "chattykg", "openai", "file"]
SPEC_SYNTAX = (
    "chatty, llm-only, rag, remote:text2sparql:URL, remote:chattykg:URL, remote:openai:URL (a chat endpoint), "
    "file:PREDICTIONS"
)
_REMOTE: dict[str, EngineName] = {"text2sparql": "text2sparql", "chattykg": "chattykg", "openai": "openai"}
_PLAIN: dict[str, EngineName] = {"chatty": "chatty", "llm-only": "llm-only", "rag": "rag"}


@dataclass(frozen=True, slots=True)
class EngineSpec:
    """A kind of engine, and where it lies: a URL, a path, or nothing."""

    kind: EngineName = "chatty"
    target: str = ""

    @property
    def needs_kg(self) -> bool:
        """Whether it cannot work without the knowledge graph at hand."""
        return self.kind in ("chatty", "rag", "text2sparql")

    @property
    def uses_model(self) -> bool:
        """Whether it asks a language model, which the rules cannot stand for."""
        return self.kind in ("llm-only", "rag", "openai")

    @property
    def answers_in_names(self) -> bool:
        """Whether it may say names where others say IRIs: names are then scored against labels."""
        return self.kind in ("llm-only", "openai", "chattykg", "file")

    @property
    def writes_queries(self) -> bool:
        """Whether its answers come from queries, which can be handed in."""
        return self.kind in ("chatty", "text2sparql", "chattykg", "file")

    @property
    def keeps_history(self) -> bool:
        """Whether it keeps the conversation itself, one at a time."""
        return self.kind == "chattykg"

    def redacted_target(self) -> str:
        """Return its place as it may be written down: without credentials, and with nothing of a key.

        Raises:
            ConfigError: it is no URL.
        """
        return parse_address(self.target).name if self.kind in _REMOTE.values() else self.target


def parse_engine_spec(spec: str) -> EngineSpec:
    """Read what a user typed.

    Raises:
        ConfigError: there is no such kind, or its second half is missing.
    """
    given = spec.strip()
    if given in _PLAIN:
        return EngineSpec(_PLAIN[given])
    kind, _, place = given.partition(":")
    if kind == "file" and place:
        return EngineSpec("file", place)
    remote, _, url = place.partition(":")
    if kind != "remote" or remote not in _REMOTE or not url:
        shown = re.sub("//[^/]*@", "//", spec)
        raise ConfigError(f"unknown engine {shown!r}: there are {SPEC_SYNTAX}")
    return EngineSpec(_REMOTE[remote], url)
