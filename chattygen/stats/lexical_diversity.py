"""Lexical diversity: lengths, first words, entropy, distinct n-grams."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from chattyshared.dialogue import Dialogue

from chattygen.stats.distributions import Counts, SummaryStatistics, share

_WORD = re.compile(r"\w+(?:['’.-]\w+)*")


@dataclass(frozen=True, slots=True)
class WordingStats:
    """Statistics of the wording, of the questions as they stand in the dialogue unless the name says standalone.

    ``first_words`` counts the first two words, ``entropy`` is theirs in bits; ``distinct_1`` and ``distinct_2`` are the
    distinct words and word pairs as a share of all (Li et al. 2016; they fall as a file grows, so compare files of
    similar size); ``repeated`` is the share of the standalone questions that another dialogue asks in the same words.
    """

    words: SummaryStatistics
    lengths: Counts
    standalone_words: SummaryStatistics
    first_words: Counts
    entropy: float
    standalone_entropy: float
    distinct_1: float | None
    distinct_2: float | None
    repeated: float | None


def question_words(text: str) -> tuple[str, ...]:
    """Return the words of a question in lower case, without punctuation."""
    return tuple(_WORD.findall(text.casefold()))


def describe_wording(dialogues: Sequence[Dialogue]) -> WordingStats:
    """Describe the wording of all questions."""
    questions = [question_words(turn.question) for dialogue in dialogues for turn in dialogue.turns]
    standalone = [question_words(turn.standalone) for dialogue in dialogues for turn in dialogue.turns]
    pairs = [pair for words in questions for pair in pairwise(words)]
    all_words = [word for words in questions for word in words]
    first = _first_words(questions)
    return WordingStats(
        words=SummaryStatistics.of(map(len, questions)),
        lengths=Counts.of(str(len(words)) for words in questions),
        standalone_words=SummaryStatistics.of(map(len, standalone)),
        first_words=first,
        entropy=first.entropy(),
        standalone_entropy=_first_words(standalone).entropy(),
        distinct_1=share(len(set(all_words)), len(all_words)),
        distinct_2=share(len(set(pairs)), len(pairs)),
        repeated=_repeated(dialogues),
    )


def _first_words(questions: Sequence[tuple[str, ...]]) -> Counts:
    return Counts.of(" ".join(words[:2]) for words in questions)


def _repeated(dialogues: Sequence[Dialogue]) -> float | None:
    """Return the share of the questions that occur in more than one dialogue."""
    dialogues_by_words: dict[tuple[str, ...], set[str]] = {}
    questions = [(question_words(turn.standalone), dialogue.id) for dialogue in dialogues for turn in dialogue.turns]
    for words, dialogue in questions:
        dialogues_by_words.setdefault(words, set()).add(dialogue)
    return share(sum(len(dialogues_by_words[words]) > 1 for words, _ in questions), len(questions))
