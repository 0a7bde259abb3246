"""Statistics of the dialogues: turns, forms against the requested mix, links, answers, difficulty."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from chattyshared.dialogue import Dialogue, Turn
from chattyshared.question_forms import ANSWER_LINKS, LOOKUP_FORMS

from chattygen.stats.distributions import Counts, SummaryStatistics, share


@dataclass(frozen=True, slots=True)
class MixShare:
    """One entry of the mix: its requested (``wanted``) and its observed (``got``) share of the turns."""

    name: str
    wanted: float
    got: float


@dataclass(frozen=True, slots=True)
class DialogueStats:
    """Statistics of the dialogues; shares are in 0..1, and None if there is nothing to take a share of.

    ``on_answer`` is the share of the turns after the first that depend on an earlier answer; ``asks_true`` and
    ``asks_false`` count yes-no turns by their gold; ``answers`` describes the number of elements in the gold of
    answerable turns; ``unanswerable`` counts the other turns by kind.
    """

    dialogues: int
    turns: int
    turns_per_dialogue: Counts
    forms: Counts
    mix: tuple[MixShare, ...]
    links: Counts
    on_answer: float | None
    answer_types: Counts
    answer_kinds: Counts
    answers: SummaryStatistics
    answerable: float | None
    asks_true: int
    asks_false: int
    false_asks: float | None
    difficulty: Counts
    unanswerable: Counts = field(default_factory=Counts)


def describe_dialogues(dialogues: Sequence[Dialogue], mix: Iterable[tuple[str, float]] = ()) -> DialogueStats:
    """Describe the dialogues; ``mix`` holds the requested shares (of any sum)."""
    turns = [turn for dialogue in dialogues for turn in dialogue.turns]
    later = [turn for dialogue in dialogues for turn in dialogue.turns[1:]]
    asks = Counts.of(answer.value for turn in turns for answer in turn.answers if answer.kind == "boolean")
    return DialogueStats(
        dialogues=len(dialogues),
        turns=len(turns),
        turns_per_dialogue=Counts.of(str(len(dialogue.turns)) for dialogue in dialogues),
        forms=Counts.of(turn.form for turn in turns),
        mix=_mix_shares(mix, turns),
        links=Counts.of(turn.link for turn in turns),
        on_answer=share(sum(turn.link in ANSWER_LINKS for turn in later), len(later)),
        answer_types=Counts.of(turn.answer_type for turn in turns),
        answer_kinds=Counts.of(turn.answers[0].kind if turn.answers else "none" for turn in turns),
        answers=SummaryStatistics.of(len(turn.answers) for turn in turns if turn.answerable),
        answerable=share(sum(turn.answerable for turn in turns), len(turns)),
        asks_true=asks["true"],
        asks_false=asks["false"],
        false_asks=share(asks["false"], asks.total),
        difficulty=Counts.of(turn.difficulty for turn in turns),
        unanswerable=Counts.of(turn.unanswerable or "not told" for turn in turns if not turn.answerable),
    )


def _mix_shares(mix: Iterable[tuple[str, float]], turns: Sequence[Turn]) -> tuple[MixShare, ...]:
    entries = [(name, weight) for name, weight in mix if weight >= 0]
    total = sum(weight for _, weight in entries)
    if not total or not turns:
        return ()
    observed = Counts.of(map(_mix_name, turns)).shares()
    return tuple(MixShare(name, weight / total, observed.get(name, 0.0)) for name, weight in entries)


def _mix_name(turn: Turn) -> str:
    """Return the name of a turn's entry in a mix."""
    if not turn.answerable:
        return "unanswerable"
    return "lookup" if turn.form in LOOKUP_FORMS else turn.form
