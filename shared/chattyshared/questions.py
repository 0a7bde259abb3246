"""Files of questions, with gold or without."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from chattyshared.answers import AnswerLine, answer_to_json, error_to_json, has_error, read_answers
from chattyshared.errors import BenchmarkInvalid
from chattyshared.jsonlines import LineSchema, read_lines, to_lexical_form

__all__ = [
    "AnswerLine", "PriorTurn", "Question", "answer_to_json", "group_by_conversation", "error_to_json", "has_error",
    "read_answers", "read_questions", "detect_gold_format",
]  # fmt: skip

_KNOWN = ("id", "question", "dialogue_id", "turn", "lang", "kg", "history", "answers", "answer_iris", "answer_labels")

_UNPAIRED = "a message of the user needs one of the assistant behind it"


@dataclass(frozen=True, slots=True)
class PriorTurn:
    """A turn before those of the file: a question and its answers as texts, none where it was not answered."""

    question: str
    answers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a file.

    ``id`` is as the file has it (a number stays one), or the line's number. ``answers`` is None where the file has no
    gold, and empty where the right answer is to say nothing. ``history`` are the turns before its conversation's first.
    ``extra`` holds the line's other keys.
    """

    id: str | int
    question: str
    dialogue_id: str | int | None = None
    turn: float | None = None
    lang: str = ""
    kg: str = ""
    answers: tuple[str, ...] | None = None
    answer_iris: tuple[str, ...] = ()
    answer_labels: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)
    history: tuple[PriorTurn, ...] = ()

    @property
    def sparql(self) -> str:
        """The gold query, where the file has one."""
        return self._text("sparql")

    @property
    def standalone(self) -> str:
        """The question as it stands without its conversation, where the file has it."""
        return self._text("standalone")

    def gold(self) -> tuple[tuple[str, ...], ...] | None:
        """Return the gold answer, each element as the texts that count as it; None where there is no gold.

        Lists of another length than ``answers`` cannot be read beside it: then the longest list alone is the gold.
        """
        lists = [given for given in (self.answers, self.answer_iris, self.answer_labels) if given]
        if not lists:
            return None if self.answers is None else ()
        longest = max(lists, key=len)
        beside = [given for given in lists if len(given) == len(longest)]
        return tuple(tuple(dict.fromkeys(filter(None, texts))) for texts in zip(*beside, strict=True))

    def _text(self, key: str) -> str:
        given = self.extra.get(key)
        return given if isinstance(given, str) else ""


def read_questions(path: Path) -> tuple[Question, ...]:
    """Read a file of questions, in the order of its lines.

    Raises:
        ConfigError: the file is not there or cannot be read.
        BenchmarkInvalid: it is empty, a line does not keep the format, two lines have one id, or a later turn of a
            conversation has a history.
    """
    schema = LineSchema("questions.schema.json", "question")
    questions: dict[str, Question] = {}
    lines: dict[str, int] = {}
    for number, value in read_lines(path):
        schema.check(value, file=path, line=number)
        question = _question(value, number, path)
        if str(question.id) in questions:
            raise BenchmarkInvalid(f"the id {question.id!r} is taken", file=str(path), line=number, path="$.id")
        questions[str(question.id)], lines[str(question.id)] = question, number
    if not questions:
        raise BenchmarkInvalid("the file is empty", file=str(path))
    for conversation in group_by_conversation(questions.values()):
        for later in conversation[1:]:
            if later.history:
                why = (
                    "only the first turn of a conversation may have a history: the file holds the turns before this one"
                )
                raise BenchmarkInvalid(why, file=str(path), line=lines[str(later.id)], path="$.history")
    return tuple(questions.values())


def group_by_conversation(questions: Iterable[Question]) -> tuple[tuple[Question, ...], ...]:
    """Group questions by conversation, each ordered by turn; a question of no conversation stands alone.

    Conversations come in the order of their first lines; questions without a turn keep their places at the end.
    """
    groups: dict[tuple[str, str], list[Question]] = {}
    for question in questions:
        alone = question.dialogue_id is None
        key = ("question", str(question.id)) if alone else ("dialogue", str(question.dialogue_id))
        groups.setdefault(key, []).append(question)
    return tuple(tuple(sorted(group, key=_place)) for group in groups.values())


def detect_gold_format(path: Path) -> Literal["benchmark", "questions"]:
    """Tell whether a file of gold is one of our benchmarks or a file of questions, by its first line.

    Raises:
        ConfigError: the file is not there or cannot be read.
        BenchmarkInvalid: it is neither.
    """
    number, first = next(read_lines(path), (0, None))
    if number == 0:
        raise BenchmarkInvalid("the file is empty", file=str(path))
    if isinstance(first, dict) and "benchmark" in first:
        return "benchmark"
    if isinstance(first, dict) and "question" in first:
        return "questions"
    said = 'neither a benchmark (the header {"benchmark": ...} is missing) nor a question (no "question")'
    raise BenchmarkInvalid(said, file=str(path), line=number)


def _place(question: Question) -> float:
    return float("inf") if question.turn is None else question.turn


def _question(value: Mapping[str, Any], number: int, path: Path) -> Question:
    given = value.get("id")
    answers = value.get("answers")
    return Question(
        id=number if given is None else given,
        question=value["question"],
        dialogue_id=value.get("dialogue_id"),
        turn=value.get("turn"),
        lang=value.get("lang") or "",
        kg=value.get("kg") or "",
        history=_history(value.get("history") or (), number, path),
        answers=None if answers is None else tuple(map(to_lexical_form, answers)),
        answer_iris=tuple(map(to_lexical_form, value.get("answer_iris") or ())),
        answer_labels=tuple(map(to_lexical_form, value.get("answer_labels") or ())),
        extra={key: part for key, part in value.items() if key not in _KNOWN},
    )


def _history(items: Iterable[Mapping[str, Any]], number: int, path: Path) -> tuple[PriorTurn, ...]:
    """Read earlier turns, as turns or as the messages of a chat; messages of the system are left out.

    Raises:
        BenchmarkInvalid: an item is neither, a message of the user has no reply, or a reply has no message before it.
    """

    def fault(place: int, why: str) -> BenchmarkInvalid:
        return BenchmarkInvalid(why, file=str(path), line=number, path=f"$.history[{place}]")

    turns: list[PriorTurn] = []
    asked: tuple[int, str] | None = None
    for place, item in enumerate(items):
        role = item.get("role")
        if asked and role not in ("assistant", "system"):
            raise fault(asked[0], _UNPAIRED)
        if role is None and "question" in item:
            turns.append(PriorTurn(item["question"], _texts(item.get("answer"))))
        elif role is None or "content" not in item:
            raise fault(place, 'neither a turn {"question", "answer"} nor a message {"role", "content"}')
        elif role == "user":
            asked = (place, item["content"])
        elif role == "assistant" and asked is None:
            raise fault(place, "a message of the assistant needs one of the user before it")
        elif role == "assistant" and asked:
            turns.append(PriorTurn(asked[1], _texts(item["content"])))
            asked = None
    if asked:
        raise fault(asked[0], _UNPAIRED)
    return tuple(turns)


def _texts(answer: Any) -> tuple[str, ...]:
    texts = map(to_lexical_form, answer if isinstance(answer, list) else [answer])
    return tuple(text for text in texts if text.strip())
