"""An experience: solved questions of one graph, and the protocol by which agents get examples from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from chattyshared.kg import KnowledgeGraph

from chattykg.linking.vocabulary_card import VocabularyCard


@dataclass(frozen=True, slots=True)
class ExperienceItem:
    """A standalone question with its right query, or one that the graph cannot answer.

    ``pattern`` is the question with classes in place of its names. ``form`` is the question's form in the benchmark;
    ``qir`` its representation (None: none is known). ``attempt`` is the query of a first attempt that was wrong, and
    ``feedback`` says what was wrong with it; both are empty if the first attempt was right, or if nobody tried.
    ``unused`` are the words for which the graph has nothing: the question cannot be answered, and the query
    is one without answers.
    """

    question: str
    sparql: str
    pattern: str = ""
    form: str = ""
    qir: Mapping[str, Any] | None = None
    attempt: str = ""
    feedback: str = ""
    unused: tuple[str, ...] = ()

    @property
    def is_success(self) -> bool:
        """Whether no attempt went wrong."""
        return not self.feedback


@dataclass(frozen=True, slots=True)
class Experience:
    """The items of a file, and its header: where they come from."""

    header: Mapping[str, Any]
    items: tuple[ExperienceItem, ...]

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the graph."""
        return str(self.header["kg"]["fingerprint"])


class ExampleSource(Protocol):
    """Finds the solved questions that help with a question."""

    def find_examples(self, question: str, card: VocabularyCard, kg: KnowledgeGraph) -> tuple[ExperienceItem, ...]:
        """Return the items for a prompt, nearest first; none if nothing is near."""
