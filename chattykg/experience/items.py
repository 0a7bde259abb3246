"""The items of an experience: solved questions of one graph, and where they come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from chattykg.linking.similarity import Similarity
from chattykg.linking.vocabulary_card import VocabularyCard


@dataclass(frozen=True, slots=True)
class ExperienceItem:
    """A standalone question with its right query.

    ``form`` is the question's form in the benchmark; ``qir`` its representation (empty: none is known). ``feedback``
    says what was wrong with the first attempt, whose query is ``attempt``, and what mended it; ``is_success`` is true
    if the first attempt was right, or if there was none because the query is gold.
    """

    question: str
    sparql: str
    form: str = ""
    qir: Mapping[str, Any] | None = None
    attempt: str = ""
    feedback: str = ""
    is_success: bool = True


class ExampleSource(Protocol):
    """Finds the solved questions that help with a question."""

    def find_examples(self, question: str, card: VocabularyCard, similarity: Similarity) -> tuple[ExperienceItem, ...]:
        """Return the items for a prompt, nearest first; none if nothing is near."""
