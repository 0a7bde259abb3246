"""Files of questions, with or without gold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chattyshared.answers import AnswerLine, answer_to_json, error_to_json, has_error, read_answers
from chattyshared.errors import BenchmarkInvalid
from chattyshared.jsonlines import LineSchema, read_lines, to_lexical_form

__all__ = [
    "AnswerLine", "PriorTurn", "Question", "answer_to_json", "group_by_conversation", "error_to_json", "has_error",
    "read_answers", "read_questions",
]  # fmt: skip

_KNOWN_KEYS = (
    "id",
    "question",
    "dialogue_id",
    "turn",
    "lang",
    "kg",
    "history",
    "answers",
    "answer_iris",
    "answer_labels",
)

_UNPAIRED = "a message of the user needs one of the assistant behind it"


@dataclass(frozen=True, slots=True)
class PriorTurn:
    """A turn before those of the file: a question and the texts of its answers (none if it was not answered)."""

    question: str
    answers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a file.

    ``id`` is that of the file (a number stays a number), or the line's number. ``answers`` is None without gold, and
    empty if the gold answer is empty. ``history`` are the turns before the first of its conversation. ``extra`` holds
    the line's other keys.
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
        """The gold query, if the file has one."""
        return self._text("sparql")

    @property
    def standalone(self) -> str:
        """The context-independent question, if the file has it."""
        return self._text("standalone")

    def gold(self) -> tuple[tuple[str, ...], ...] | None:
        """Return the gold answer, each element as its accepted texts; None without gold.

        Lists of different lengths cannot be aligned: only the longest lists count.
        """
        lists = [values for values in (self.answers, self.answer_iris, self.answer_labels) if values]
        if not lists:
            return None if self.answers is None else ()
        longest = max(lists, key=len)
        aligned = [values for values in lists if len(values) == len(longest)]
        return tuple(tuple(dict.fromkeys(filter(None, texts))) for texts in zip(*aligned, strict=True))

    def _text(self, key: str) -> str:
        value = self.extra.get(key)
        return value if isinstance(value, str) else ""


def read_questions(path: Path, values: Sequence[Any] | None = None) -> tuple[Question, ...]:
    """Read a file of questions, in the order of its lines; ``values`` are those of a file that is one JSON array.

    Raises:
        ConfigError: the file is not there or cannot be read.
        BenchmarkInvalid: it is empty, a line is not valid, two lines have the same id, or a later turn of a
        conversation has a history.
    """
    schema = LineSchema("questions.schema.json", "question")
    certified = LineSchema("benchmark.schema.json", "certified")
    questions: dict[str, Question] = {}
    lines: dict[str, int] = {}
    for number, value in read_lines(path) if values is None else enumerate(values, 1):
        schema.check(value, file=path, line=number)
        certified.check(value, file=path, line=number)
        question = _parse_question(value, number, path)
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
    """Group questions by conversation, each ordered by turn; a question without a conversation is its own group.

    Conversations are in the order of their first lines; questions without a turn come last, in file order.
    """
    groups: dict[tuple[str, str], list[Question]] = {}
    for question in questions:
        alone = question.dialogue_id is None
        key = ("question", str(question.id)) if alone else ("dialogue", str(question.dialogue_id))
        groups.setdefault(key, []).append(question)
    return tuple(
        tuple(sorted(group, key=lambda question: float("inf") if question.turn is None else question.turn))
        for group in groups.values()
    )


def _parse_question(value: Mapping[str, Any], number: int, path: Path) -> Question:
    given_id = value.get("id")
    answers = value.get("answers")
    return Question(
        id=number if given_id is None else given_id,
        question=value["question"],
        dialogue_id=value.get("dialogue_id"),
        turn=value.get("turn"),
        lang=value.get("lang") or "",
        kg=value.get("kg") or "",
        history=_parse_history(value.get("history") or (), number, path),
        answers=None if answers is None else tuple(map(to_lexical_form, answers)),
        answer_iris=tuple(map(to_lexical_form, value.get("answer_iris") or ())),
        answer_labels=tuple(map(to_lexical_form, value.get("answer_labels") or ())),
        extra={key: part for key, part in value.items() if key not in _KNOWN_KEYS},
    )


def _parse_history(items: Iterable[Mapping[str, Any]], number: int, path: Path) -> tuple[PriorTurn, ...]:
    """Read earlier turns, as turns or as chat messages; system messages are left out.

    Raises:
        BenchmarkInvalid: an item is neither, a user message has no reply, or a reply has no user message before it.
    """

    def fault(index: int, why: str) -> BenchmarkInvalid:
        return BenchmarkInvalid(why, file=str(path), line=number, path=f"$.history[{index}]")

    turns: list[PriorTurn] = []
    pending: tuple[int, str] | None = None
    for index, item in enumerate(items):
        role = item.get("role")
        if pending and role not in ("assistant", "system"):
            raise fault(pending[0], _UNPAIRED)
        if role is None and "question" in item:
            turns.append(PriorTurn(item["question"], _texts(item.get("answer"))))
        elif role is None or "content" not in item:
            raise fault(index, 'neither a turn {"question", "answer"} nor a message {"role", "content"}')
        elif role == "user":
            pending = (index, item["content"])
        elif role == "assistant" and pending is None:
            raise fault(index, "a message of the assistant needs one of the user before it")
        elif role == "assistant" and pending:
            turns.append(PriorTurn(pending[1], _texts(item["content"])))
            pending = None
    if pending:
        raise fault(pending[0], _UNPAIRED)
    return tuple(turns)


def _texts(answer: Any) -> tuple[str, ...]:
    texts = map(to_lexical_form, answer if isinstance(answer, list) else [answer])
    return tuple(text for text in texts if text.strip())
