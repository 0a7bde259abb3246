"""What a run of the generator shall do, as one value."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from chattyshared.agent import THETA

Approach = Literal["planned", "multi-stage", "simplified", "single-shot"]

MIX: tuple[tuple[str, float], ...] = (
    ("lookup", 50.0), ("count", 10.0), ("boolean", 10.0), ("two-hop", 8.0), ("superlative", 4.0), ("comparison", 3.0),
    ("filter", 4.0), ("conjunction", 3.0), ("negation", 3.0), ("unanswerable", 5.0),
)  # fmt: skip
"""Shares of the turns, in percent; ``lookup`` is any plain lookup (object, subject, list, literal, date, number)."""


@dataclass(frozen=True, slots=True)
class Options:
    """What to make, and within which bounds.

    Types: ``domains`` are IRI prefixes of the classes that count (empty: detected), ``types`` and ``no_types`` name
    classes (IRI or label) to keep or to leave out, ``rare`` and ``shadow`` are the thresholds R and S of the type
    selection, and ``shadow_by`` says by which ratio (overlap / parent as in the paper, child / parent as in its code).

    Seeds: a seed needs ``min_predicates`` distinct usable predicates, a label of at most ``max_label_words`` words,
    between ``min_triples`` and ``max_triples`` triples after filtering, and a context of at most ``max_tokens`` tokens;
    ``popularity`` are the shares of head, torso and tail (empty: uniform); ``seeds`` are IRIs to take instead.

    Subgraph: ``hops``, ``direction``, ``shape`` (chains are two steps), ``blocked`` predicates; ``context``: whether a
    prompt sees one line per predicate with its objects hidden, or the triples. ``lang``: the language of labels and
    texts (empty: the KG's first).

    ``mix`` holds shares of the turns by form; ``chain`` is the share of the later turns that shall hang on an earlier
    answer. ``queries``: who writes the SPARQL. A question with more than ``list_limit`` answers is not asked: its
    answers are counted instead. ``workers`` never changes a result.
    """

    approach: Approach = "multi-stage"
    context: Literal["summarized", "full"] = "summarized"
    dialogues: int = 20
    turns: int = 5
    seed: int = 0
    workers: int = 1
    domains: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    no_types: tuple[str, ...] = ()
    rare: float = 0.01
    shadow: float = 0.99
    shadow_by: Literal["overlap", "child"] = "overlap"
    lang: str = ""
    seeds: tuple[str, ...] = ()
    popularity: tuple[tuple[str, float], ...] = ()
    min_triples: int = 5
    max_triples: int = 400
    min_predicates: int = 5
    max_label_words: int = 10
    max_tokens: int = 3_000
    hops: Literal[1, 2] = 2
    direction: Literal["out", "in", "both"] = "both"
    shape: Literal["star", "chain", "both"] = "both"
    blocked: tuple[str, ...] = ()
    list_limit: int = 50
    mix: tuple[tuple[str, float], ...] = MIX
    chain: float = 0.4
    theta: int = THETA
    queries: Literal["compiled", "llm"] = "compiled"
    max_seeds: int = 0

    @property
    def seed_limit(self) -> int:
        """The most seeds that a run may try, whatever happens."""
        return self.max_seeds or 10 * self.dialogues + 50

    def stated(self) -> dict[str, Any]:
        """Return the options that can change a result, for the benchmark's header."""
        return {name: value for name, value in asdict(self).items() if name not in ("workers", "seed")}
