"""Writing the JSON that Chatty-Gen publishes, so that its scripts and its readers take our dialogues."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from chattyshared.dialogue import Dialogue, Triples
from chattyshared.model import Usage

ERROR_COUNTERS: Mapping[str, str] = {
    "context length": "Context Length Error",
    "question": "Question Validation Error",
    "question JSON": "Question Json Error",
    "triples": "Triples Validation Error",
    "triples JSON": "Triples Json Error",
    "query": "Sparql Validation Error",
    "query JSON": "Sparql Json Error",
    "dialogue": "Dialogue Validation Error",
    "dialogue JSON": "Dialogue Json Error",
}
"""Chatty-Gen's name for each error class that it counts."""
_COUNTED_WITH = {"alignment": "dialogue"}
"""The classes that it has no counter for, by the class of the stage that found them."""


def to_chatty_gen(
    dialogues: Sequence[Dialogue], *, errors: Iterable[str] = (), seconds: float | None = None
) -> dict[str, Any]:
    """Return a file: ``data`` with parallel lists per dialogue, ``analysis``, ``cost``, time and error counters.

    ``errors`` are the error classes of the seeds that failed (classes that Chatty-Gen does not count are left out,
    also of ``seeds_used``, so that it stays the sum of dialogues and counters); ``seconds`` is what the run took.
    """
    classes = (_COUNTED_WITH.get(error, error) for error in errors)
    failed = Counter(ERROR_COUNTERS[error] for error in classes if error in ERROR_COUNTERS)
    queries = sum(len(dialogue.turns) for dialogue in dialogues)
    return {
        "seeds_used": len(dialogues) + failed.total(),
        "data": [_dialogue(dialogue) for dialogue in dialogues],
        "analysis": {
            "types": _first_words(dialogues),
            "cost": _costs([dialogue.usage for dialogue in dialogues]),
            "execution": {"Correct": queries},
        },
        "cost": _tokens(sum((dialogue.usage for dialogue in dialogues), Usage())),
        "total_time": seconds,
        "average_time": seconds / len(dialogues) if seconds is not None and dialogues else None,
        **{name: failed[name] for name in ERROR_COUNTERS.values()},
    }


def _dialogue(dialogue: Dialogue) -> dict[str, Any]:
    turns = dialogue.turns
    return {
        "seed_entity": dialogue.seed.iri,
        "seed_label": dialogue.seed.label,
        "dialogue": [turn.question for turn in turns],
        "original": [turn.standalone for turn in turns],
        "queries": [turn.sparql for turn in turns],
        "triples": [_triples(turn.triples) for turn in turns],
        "cost": _tokens(dialogue.usage),
        "query_status": {"Correct": len(turns)},
    }


def _triples(triples: Triples) -> list[list[str]]:
    """Return triples as Chatty-Gen shows them when they are summarized: what is asked for is empty."""
    return [["" if term.startswith("?") else term for term in triple] for triple in triples]


def _first_words(dialogues: Iterable[Dialogue]) -> dict[str, int]:
    words = (re.findall(r"\S+", turn.standalone)[:2] for dialogue in dialogues for turn in dialogue.turns)
    return dict(Counter(" ".join(two).casefold() for two in words).most_common())


def _tokens(usage: Usage) -> dict[str, int]:
    return {
        "total_tokens": usage.prompt_tokens + usage.completion_tokens,
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
    }


def _costs(usages: Sequence[Usage]) -> dict[str, dict[str, float]]:
    each = [_tokens(usage) for usage in usages]
    columns = {name: [one[name] for one in each] for name in _tokens(Usage())} if each else {}
    ways: dict[str, Callable[[list[int]], float]] = {"Average": fmean, "Minimum": min, "Maximum": max, "Total": sum}
    return {way: {name: take(column) for name, column in columns.items()} for way, take in ways.items()}
