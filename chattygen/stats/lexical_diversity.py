"""How it is asked: lengths, first words, entropy, distinct n-grams."""

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
    """How the questions are worded, as they stand in the dialogue unless it says standalone.

    ``first_words`` counts the first two words, ``entropy`` is theirs in bits; ``distinct_1`` and ``distinct_2`` are
    the distinct words and word pairs as a share of all (Li et al. 2016; they sink as a file grows, so compare files of
    like size); ``repeated`` is the share of the standalone questions that another dialogue asks in the same words.
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
    """Return the words of a question in small letters, without punctuation."""
    return tuple(_WORD.findall(text.casefold()))


def describe_wording(dialogues: Sequence[Dialogue]) -> WordingStats:
    """Describe the wording of all questions."""
    asked = [question_words(turn.question) for dialogue in dialogues for turn in dialogue.turns]
    alone = [question_words(turn.standalone) for dialogue in dialogues for turn in dialogue.turns]
    pairs = [pair for words in asked for pair in pairwise(words)]
    single = [word for words in asked for word in words]
    first = _first_words(asked)
    return WordingStats(
        words=SummaryStatistics.of(map(len, asked)),
        lengths=Counts.of(str(len(words)) for words in asked),
        standalone_words=SummaryStatistics.of(map(len, alone)),
        first_words=first,
        entropy=first.entropy(),
        standalone_entropy=_first_words(alone).entropy(),
        distinct_1=share(len(set(single)), len(single)),
        distinct_2=share(len(set(pairs)), len(pairs)),
        repeated=_repeated(dialogues),
    )


def _first_words(questions: Sequence[tuple[str, ...]]) -> Counts:
    return Counts.of(" ".join(words[:2]) for words in questions)


def _repeated(dialogues: Sequence[Dialogue]) -> float | None:
    """Return the share of the questions that stand in more than one dialogue."""
    where: dict[tuple[str, ...], set[str]] = {}
    questions = [(question_words(turn.standalone), dialogue.id) for dialogue in dialogues for turn in dialogue.turns]
    for words, dialogue in questions:
        where.setdefault(words, set()).add(dialogue)
    return share(sum(len(where[words]) > 1 for words, _ in questions), len(questions))
