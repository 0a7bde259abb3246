"""What a snapshot may hold. No heavy import here, so that the help is fast."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SnapshotOptions:
    """``max_triples`` bounds what the gold queries match; ``skip_large`` leaves out the turns that exceed it.

    ``distractors`` are the further entities of each class, ``seed`` is the seed of their sample. The defaults are set
    by hand: a graph of 500,000 triples is loaded in a few seconds.
    """

    distractors: int = 50
    max_triples: int = 500_000
    skip_large: bool = False
    seed: int = 0


DEFAULTS = SnapshotOptions()
