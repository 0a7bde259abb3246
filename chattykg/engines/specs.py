"""Engine specs: the text that a user types for each kind of engine, and the properties of the kind."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, get_args

from chattyshared.endpoint.address import parse_address
from chattyshared.errors import ConfigError

from chattykg.strategies import ENGINE_STRATEGIES

ListingName = Literal["text2sparql", "memorized", "candidates"]
"""The engines that are given the candidate queries of a question."""
EngineName = Literal["chatty", "mkgqagent", "triad", "llm-only", "rag", "chattykg", "openai", "file", ListingName]
SPEC_SYNTAX = (
    "chatty, mkgqagent, triad, llm-only, rag, remote:text2sparql:URL, remote:chattykg:URL, remote:openai:URL (a chat "
    "endpoint), file:PREDICTIONS, memorized:BENCHMARK"
)
_REMOTE, _FROM_FILES = ("text2sparql", "chattykg", "openai"), ("file", "memorized", "candidates")
_NAMES: dict[str, EngineName] = {name: name for name in get_args(EngineName)}
_LOCAL = _NAMES.keys() - {*_REMOTE, *_FROM_FILES}


@dataclass(frozen=True, slots=True)
class EngineSpec:
    """A kind of engine and its target: a URL, a path, or an empty text."""

    kind: EngineName = "chatty"
    target: str = ""

    @property
    def runs_agents(self) -> bool:
        """Whether it runs the multi-agent graph, by a strategy of its own or as ``--strategy`` says."""
        return self.kind in ("chatty", *ENGINE_STRATEGIES)

    @property
    def needs_kg(self) -> bool:
        """Whether it needs the knowledge graph."""
        return self.runs_agents or self.lists_candidates or self.kind == "rag"

    @property
    def lists_candidates(self) -> bool:
        """Whether it is given the candidate queries of a question."""
        return self.kind in get_args(ListingName)

    @property
    def uses_model(self) -> bool:
        """Whether it needs a language model other than the embedded rules."""
        return self.kind in ("llm-only", "rag", "openai")

    @property
    def answers_in_names(self) -> bool:
        """Whether it may answer with names in place of IRIs, which are then scored against labels."""
        return self.kind in ("llm-only", "openai", "chattykg", "file")

    @property
    def answers_files(self) -> bool:
        """Whether it knows the questions of a file, by their ids, and no others."""
        return self.kind in _FROM_FILES

    @property
    def writes_queries(self) -> bool:
        """Whether its answers come from queries, which a challenge can evaluate."""
        return self.runs_agents or self.lists_candidates or self.kind in ("chattykg", "file")

    @property
    def keeps_history(self) -> bool:
        """Whether it keeps the conversation itself, one conversation at a time."""
        return self.kind == "chattykg"

    def redacted_target(self) -> str:
        """Return the target without credentials and keys, for manifests.

        Raises:
            ConfigError: the target of a remote engine is no URL.
        """
        return parse_address(self.target).name if self.kind in _REMOTE else self.target


def parse_engine_spec(spec: str) -> EngineSpec:
    """Parse the value of ``--engine``.

    Raises:
        ConfigError: the kind is unknown, or its target is missing.
    """
    text = spec.strip()
    if text in _LOCAL:
        return EngineSpec(_NAMES[text])
    kind, _, target = text.partition(":")
    if target and kind in _FROM_FILES:
        return EngineSpec(_NAMES[kind], target)
    remote, _, url = target.partition(":")
    if kind != "remote" or remote not in _REMOTE or not url:
        shown = re.sub("//[^/]*@", "//", spec)
        raise ConfigError(f"unknown engine {shown!r}: there are {SPEC_SYNTAX}")
    return EngineSpec(_NAMES[remote], url)
