"""What is judged: conversations, pairs of conversations, and answers, as the prompts show them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from chattyshared.errors import ConfigError
from chattyshared.formats.gold import read_gold
from chattyshared.questions import Question, group_by_conversation

DIALOGUE, PAIR, ANSWER = "judge/dialogue", "judge/pair", "judge/answer"


@dataclass(frozen=True, slots=True)
class JudgeTask:
    """One thing to judge: its id, the name of the prompt, and the prompt's variables."""

    id: str
    prompt: str
    variables: Mapping[str, Any]


def render_turns(turns: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Return the lines of a conversation: each question with its number, and its answer unless that is empty."""
    lines = ((f"{n}. {question}", f"Answer: {answer}") for n, (question, answer) in enumerate(turns, 1))
    return tuple(line for pair in lines for line in pair if line != "Answer: ")


def gold_text(question: Question) -> str:
    """Return the gold answer as a text, by labels where there are any; empty without gold."""
    gold = question.gold()
    return "" if gold is None else ", ".join(texts[-1] for texts in gold if texts) or "there is none"


def read_conversations(path: Path, lang: str, *, with_gold: bool) -> list[JudgeTask]:
    """Return a rating task for each conversation of a file of any known format; ``ConfigError`` if there is none."""
    groups = group_by_conversation(read_gold(path, lang=lang, repair_queries=False).questions)
    tasks = []
    for group in (group for group in groups if group[0].dialogue_id is not None):
        turns = render_turns((turn.question, gold_text(turn) if with_gold else "") for turn in group)
        tasks.append(JudgeTask(str(group[0].dialogue_id), DIALOGUE, {"turns": turns}))
    if not tasks:
        raise ConfigError(f"{path}: holds no conversation")
    return tasks


def pair_tasks(first: list[JudgeTask], second: list[JudgeTask], pairs: int | None, seed: int) -> list[JudgeTask]:
    """Return comparisons of two shuffled lists: as many as the shorter one has tasks, or ``pairs`` of all."""
    rows, columns = (Random(f"{seed}/{n}").sample(tasks, len(tasks)) for n, tasks in enumerate((first, second)))
    every = ((a, columns[(n + shift) % len(columns)]) for shift in range(len(columns)) for n, a in enumerate(rows))
    return [
        JudgeTask(f"{a.id}|{b.id}", PAIR, {"first": a.variables["turns"], "second": b.variables["turns"]})
        for a, b in islice(every, pairs or min(len(rows), len(columns)))
    ]
