"""The examples of a run: read from experience files, freed of leaks, with the entry for the manifest."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chattyshared.jsonlines import output_path
from chattyshared.kg import KnowledgeGraph

from chattykg.experience.experience_file import experience_digest, read_experience_of
from chattykg.experience.leak_guard import GuardedItems, HeldOutQuestion, bar_leaks
from chattykg.experience.retrieval import ExamplePool
from chattykg.strategies import find_model_strategy

ExperienceSource = str | os.PathLike[str] | Iterable[str | os.PathLike[str]] | None
"""The file of an experience, or several."""
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SelectedExamples:
    """The pool that agents search, the guarded items in it, and the digest of the files."""

    pool: ExamplePool
    guarded: GuardedItems
    digest: str

    def to_manifest(self) -> dict[str, Any]:
        """Return the manifest entry: the digest of the files, how many items they hold, how many were barred."""
        return {"digest": self.digest, "items": self.guarded.total, "barred": dict(self.guarded.barred)}


def examples_from(
    source: ExperienceSource, kg: KnowledgeGraph, model: str, held_out: Iterable[HeldOutQuestion] | None = None
) -> SelectedExamples | None:
    """Return the examples that a Python caller names for a model (None: none, or the model uses none).

    Raises:
        ConfigError: it is no path, a file cannot be read, or is of another graph.
    """
    if source is None:
        return None
    is_one = isinstance(source, str | os.PathLike) or not isinstance(source, Iterable)
    sources: Iterable[object] = (source,) if is_one else source  # type: ignore[assignment]
    selected = select_examples(tuple(map(output_path, sources)), kg, held_out)
    if find_model_strategy(model).is_promptable:
        return selected
    logger.warning("the rules use no examples: they answer alike with and without an experience")
    return None


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
