"""``chattykg judge``: a language model rates answers, and the conversations that they make."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click
from chattyshared.commands.group import SettingsCommand
from chattyshared.commands.inputs import INPUT_FILE
from chattyshared.commands.judging import judge_options, run_judge

if TYPE_CHECKING:
    from chattyshared.answers import AnswerLine
    from chattyshared.judging.judge import JudgeTask
    from chattyshared.questions import Question


@click.command(cls=SettingsCommand)
@click.argument("files", metavar="[FILE [FILE]]", type=INPUT_FILE, nargs=-1)
@judge_options
def judge(files: tuple[Path, ...], **options: Any) -> None:
    """Have a language model rate the quality and the fluency of answers from 1 to 5.

    The first FILE holds the answers. With a second one, their questions in conversations, the judge sees the talk
    before each question, and rates whole conversations for coherence, naturalness and variety, too. It sees the gold
    answers with --gold alone. Without --model, only the ratings of --ratings are compared.

    \b
    chattykg judge answers.jsonl benchmark.jsonl --model openai:gpt-5-mini -o ratings.jsonl
    chattykg judge --ratings people.csv --ratings ratings.jsonl
    """
    from chattyshared.errors import ConfigError
    from chattyshared.formats.gold import read_gold
    from chattyshared.formats.predictions import read_predictions
    from chattyshared.questions import Question, group_by_conversation

    if len(files) > 2:
        raise click.UsageError(f"{len(files)} files: one holds answers, another their questions")
    answers, benchmark = (*files, None, None)[:2]
    if options["gold"] and not benchmark:
        raise click.UsageError("--gold goes with a file of the questions")
    lines = [line for line in (read_predictions(answers) if answers else ()) if not line.error]
    questions = tuple(Question(line.id, line.question) for line in lines if line.question)
    if benchmark:
        questions = read_gold(benchmark, lang=options["lang"], repair_queries=False).questions
    texts = {str(line.id): _answer_text(line) for line in lines}
    tasks = [task for each in group_by_conversation(questions) for task in _tasks(each, texts, options["gold"])]
    if answers and not tasks:
        raise ConfigError(f"{answers}: holds no answer to a question that is known; a second FILE names the questions")
    run_judge(tasks, files, options)


def _tasks(group: Sequence[Question], answers: Mapping[str, str], with_gold: bool) -> Iterator[JudgeTask]:
    """Yield the tasks of one conversation: each answer that there is, and the whole if no turn lacks one."""
    from chattyshared.judging.judge import ANSWER, DIALOGUE, JudgeTask, gold_text, render_turns

    turns = [(prior.question, ", ".join(prior.answers)) for prior in group[0].history]
    for question in group:
        if answer := answers.get(str(question.id)):
            gold = (gold_text(question) if with_gold else "") or "not given"
            asked = {"question": (question.question,), "answer": (answer,), "gold": (gold,)}
            yield JudgeTask(str(question.id), ANSWER, {"conversation": render_turns(turns) or ("(none)",), **asked})
        turns.append((question.question, answer or "(no answer)"))
    if len(group) > 1 and all(str(question.id) in answers for question in group):
        yield JudgeTask(str(group[0].dialogue_id), DIALOGUE, {"turns": render_turns(turns)})


def _answer_text(line: AnswerLine) -> str:
    """Return the answer of a line as people read it; one without values in words that do not tell the system."""
    from chattyshared.dialogue import Answer, Value

    from chattykg.agents.verbalizer import verbalize_by_template

    labels = line.labels if len(line.labels) == len(line.answers) else line.answers
    values = tuple(
        Value(value, "boolean" if value in ("true", "false") else "literal", label=label)
        for value, label in zip(line.answers, labels, strict=True)
    )
    without_values: Literal["empty", "unknown"] = "empty" if line.status == "empty" else "unknown"
    said, asked = verbalize_by_template(Answer(values, without_values=without_values)), line.sentence
    if not values:
        return said
    return f"{asked[:1].upper()}{asked[1:]}: {said}." if asked else f"{said}."
