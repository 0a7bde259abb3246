"""A file of gold against a file of answers: what is paired with what, and what has no partner."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from chattyshared import benchmark, questions
from chattyshared.answers import AnswerLine, read_answers

from chattykg.evaluation.elements import gold_text, gold_value, said
from chattykg.evaluation.metrics import Gold, Said, Scores, score


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The scores, the ids of answer lines that no question has, and of those that hold an error, in file order."""

    scores: Scores
    unknown: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()


def evaluate(gold: Path, answers: Path) -> Evaluation:
    """Score a file of answers against a benchmark or a file of questions with gold.

    A question without an answer line, or with one that holds an error, counts as unanswered.

    Raises:
        ConfigError: a file is not there or cannot be read.
        BenchmarkInvalid: a line does not keep its format; names file, line and JSON path.
    """
    right = tuple(read_gold(gold))
    lines = {str(line.id): line for line in read_answers(answers)}
    asked = {turn.id for turn in right}
    return Evaluation(
        score((turn, _said(lines.get(turn.id))) for turn in right),
        unknown=tuple(id for id in lines if id not in asked),
        failed=tuple(id for id, line in lines.items() if id in asked and line.error),
    )


def read_gold(path: Path) -> Iterator[Gold]:
    """Yield what is right at each turn of a benchmark or of a file of questions.

    Raises:
        ConfigError: the file is not there or cannot be read.
        BenchmarkInvalid: a line does not keep its format.
    """
    if questions.sniff(path) == "benchmark":
        yield from _of_benchmark(benchmark.read(path))
    else:
        yield from _of_questions(questions.read_questions(path))


def _of_benchmark(read: benchmark.Benchmark) -> Iterator[Gold]:
    for dialogue in read.dialogues:
        for turn in dialogue.turns:
            elements = tuple(gold_value(value) for value in turn.answers) if turn.answerable else ()
            yield Gold(benchmark.turn_id(dialogue, turn), elements, turn.turn, turn.form, turn.link)


def _of_questions(read: tuple[questions.Question, ...]) -> Iterator[Gold]:
    """Yield gold; a question with none, or with a table of several columns for gold, is asked but not scored."""
    for conversation in questions.conversations(read):
        for position, question in enumerate(conversation, 1):
            texts = question.gold()
            scored = texts is not None and not _is_table(question)
            elements = tuple(gold_text(*each) for each in texts or ())
            yield Gold(str(question.id), elements, position, scored=scored)


def _is_table(question: questions.Question) -> bool:
    columns = question.extra.get("cols")
    return isinstance(columns, int) and columns > 1


def _said(line: AnswerLine | None) -> Said | None:
    if line is None or line.error:
        return None
    labels = line.labels if len(line.labels) == len(line.answers) else ()
    elements = tuple(said(answer, label) for answer, label in zip_longest(line.answers, labels, fillvalue=""))
    return Said(elements, line.seconds, line.queries, line.usage)
