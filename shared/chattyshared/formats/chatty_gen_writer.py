"""Writer of the JSON that Chatty-Gen publishes, for its scripts and readers."""

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
"""Our error classes without a counter in Chatty-Gen, and the class that they are counted with."""


def to_chatty_gen(
    dialogues: Sequence[Dialogue], *, errors: Iterable[str] = (), seconds: float | None = None
) -> dict[str, Any]:
    """Return a file: ``data`` with parallel lists per dialogue, ``analysis``, ``cost``, time and error counters.

    ``errors`` are the error classes of the failed seeds. Classes that Chatty-Gen does not count are left out, also from
    ``seeds_used``, which is the sum of dialogues and counters. ``seconds`` is the duration of the run.
    """
    classes = (_COUNTED_WITH.get(error, error) for error in errors)
    failed = Counter(ERROR_COUNTERS[error] for error in classes if error in ERROR_COUNTERS)
    queries = sum(len(dialogue.turns) for dialogue in dialogues)
    return {
        "seeds_used": len(dialogues) + failed.total(),
        "data": [_format_dialogue(dialogue) for dialogue in dialogues],
        "analysis": {
            "types": _count_first_words(dialogues),
            "cost": _cost_statistics([dialogue.usage for dialogue in dialogues]),
            "execution": {"Correct": queries},
        },
        "cost": _token_counts(sum((dialogue.usage for dialogue in dialogues), Usage())),
        "total_time": seconds,
        "average_time": seconds / len(dialogues) if seconds is not None and dialogues else None,
        **{name: failed[name] for name in ERROR_COUNTERS.values()},
    }


def _format_dialogue(dialogue: Dialogue) -> dict[str, Any]:
    turns = dialogue.turns
    return {
        "seed_entity": dialogue.seed.iri,
        "seed_label": dialogue.seed.label,
        "dialogue": [turn.question for turn in turns],
        "original": [turn.standalone for turn in turns],
        "queries": [turn.sparql for turn in turns],
        "triples": [_format_triples(turn.triples) for turn in turns],
        "cost": _token_counts(dialogue.usage),
        "query_status": {"Correct": len(turns)},
    }


def _format_triples(triples: Triples) -> list[list[str]]:
    """Return triples as Chatty-Gen writes summarized ones: variables are empty."""
    return [["" if term.startswith("?") else term for term in triple] for triple in triples]


def _count_first_words(dialogues: Iterable[Dialogue]) -> dict[str, int]:
    words = (re.findall(r"\S+", turn.standalone)[:2] for dialogue in dialogues for turn in dialogue.turns)
    return dict(Counter(" ".join(pair).casefold() for pair in words).most_common())


def _token_counts(usage: Usage) -> dict[str, int]:
    return {
        "total_tokens": usage.prompt_tokens + usage.completion_tokens,
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
    }


def _cost_statistics(usages: Sequence[Usage]) -> dict[str, dict[str, float]]:
    token_counts = [_token_counts(usage) for usage in usages]
    columns = (
        {name: [counts[name] for counts in token_counts] for name in _token_counts(Usage())} if token_counts else {}
    )
    statistics: dict[str, Callable[[list[int]], float]] = {
        "Average": fmean,
        "Minimum": min,
        "Maximum": max,
        "Total": sum,
    }
    return {
        statistic: {name: function(column) for name, column in columns.items()}
        for statistic, function in statistics.items()
    }
