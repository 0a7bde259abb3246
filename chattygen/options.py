"""What a run of the generator shall do, as one value."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from chattyshared.agent import THETA

MIX = {
    "lookup": 50.0, "count": 10.0, "boolean": 10.0, "two-hop": 8.0,
}  # fmt: skip
"""Shares of the turns, as far as this way of generating has the forms; ``lookup`` is any plain lookup."""


@dataclass(frozen=True, slots=True)
class Options:
    """What to make, and within which bounds.

    ``rare`` and ``shadow`` are the thresholds R and S of the type selection. A seed needs ``min_predicates`` distinct
    usable predicates, a label of at most ``max_label_words`` words, and between ``min_triples`` and ``max_triples``
    triples after filtering. ``queries`` says who writes the SPARQL: ``compiled`` from the supporting facts, or the
    ``model``. A question with more than ``list_limit`` answers is not asked: its answers are counted instead.
    ``chain`` is the share of the later turns that shall hang on an earlier answer. ``workers`` never changes a result.
    """

    dialogues: int = 20
    turns: int = 5
    seed: int = 0
    workers: int = 1
    rare: float = 0.01
    shadow: float = 0.99
    min_triples: int = 5
    max_triples: int = 400
    min_predicates: int = 5
    max_label_words: int = 10
    list_limit: int = 50
    chain: float = 0.35
    theta: int = THETA
    queries: Literal["compiled", "model"] = "compiled"

    @property
    def seed_limit(self) -> int:
        """The most seeds that a run may try, whatever happens."""
        return 10 * self.dialogues + 50

    def stated(self) -> dict[str, Any]:
        """Return the options that can change a result, for the benchmark's header."""
        return {name: value for name, value in asdict(self).items() if name not in ("workers", "seed")}
