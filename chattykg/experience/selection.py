"""The examples of a run: read from experience files, freed of leaks, with the entry for the manifest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chattyshared.kg import KnowledgeGraph

from chattykg.experience.experience_file import experience_digest, read_experience_of
from chattykg.experience.leak_guard import GuardedItems, HeldOutQuestion, bar_leaks
from chattykg.experience.retrieval import ExamplePool


@dataclass(frozen=True, slots=True)
class SelectedExamples:
    """The pool that agents search, the guarded items in it, and the digest of the files."""

    pool: ExamplePool
    guarded: GuardedItems
    digest: str

    def to_manifest(self) -> dict[str, Any]:
        """Return the manifest entry: the digest of the files, how many items they hold, how many were barred."""
        return {"digest": self.digest, "items": self.guarded.total, "barred": dict(self.guarded.barred)}


def select_examples(
    paths: Sequence[Path], kg: KnowledgeGraph, held_out: Iterable[HeldOutQuestion] | None = None
) -> SelectedExamples:
    """Read experience files of a graph; leave out what leaks to questions under test (None: nothing is under test).

    Raises:
        ConfigError: a file cannot be read, or is of another graph.
    """
    items = read_experience_of(paths, kg)
    guarded = bar_leaks(items, held_out or (), kg.profile.types)
    pool = ExamplePool(guarded.items, bars_same_question=held_out is not None)
    return SelectedExamples(pool, guarded, experience_digest(paths))
