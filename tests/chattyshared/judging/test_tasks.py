import json

import pytest
from chattyshared.errors import ConfigError
from chattyshared.judging.tasks import JudgeTask, gold_text, pair_tasks, read_conversations, render_turns
from chattyshared.questions import Question


def tasks(letter: str, count: int) -> list[JudgeTask]:
    return [JudgeTask(f"{letter}{n}", "judge/dialogue", {"turns": (f"1. {letter}{n}?",)}) for n in range(count)]


def write(path, *questions):
    path.write_text("".join(json.dumps(question) + "\n" for question in questions), encoding="utf-8")
    return path


def test_the_judge_sees_gold_only_if_asked(tmp_path):
    turns = ({"id": 1, "dialogue_id": "d", "turn": 1, "question": "Who?", "answers": ["http://x/Ann"],
              "answer_labels": ["Ann"]}, {"id": 2, "dialogue_id": "d", "turn": 2, "question": "Why?", "answers": []},
             {"id": 3, "question": "Alone?"})  # fmt: skip
    path = write(tmp_path / "q.jsonl", *turns)
    (blind,), (open_eyed,) = (read_conversations(path, "", with_gold=with_gold) for with_gold in (False, True))
    assert blind == JudgeTask("d", "judge/dialogue", {"turns": ("1. Who?", "2. Why?")})
    assert open_eyed.variables["turns"] == ("1. Who?", "Answer: Ann", "2. Why?", "Answer: there is none")


def test_questions_without_conversations_are_refused(tmp_path):
    with pytest.raises(ConfigError, match="holds no conversation"):
        read_conversations(write(tmp_path / "q.jsonl", {"question": "Who?"}), "", with_gold=False)


def test_a_convquestions_file_is_read(tmp_path):
    turns = [
        {"question": "Who wrote it?", "answer": "Q1", "answer_text": "Ann"},
        {"question": "When?", "answer": "1999"},
    ]
    path = tmp_path / "c.json"
    path.write_text(json.dumps([{"conv_id": 7, "domain": "x", "seed_entity_text": "x", "questions": turns}]))
    assert [(task.id, task.variables["turns"]) for task in read_conversations(path, "", with_gold=True)] == [
        ("7", ("1. Who wrote it?", "Answer: Ann", "2. When?", "Answer: 1999"))
    ]


def test_without_gold_nothing_is_said():
    assert (gold_text(Question(1, "Who?")), render_turns([("Who?", ""), ("Why?", "x")])) == (
        "", ("1. Who?", "2. Why?", "Answer: x")
    )  # fmt: skip


def test_pairs_are_as_many_as_the_shorter_file_has_and_seeded():
    first, second = tasks("a", 3), tasks("b", 5)
    pairs = pair_tasks(first, second, None, 0)
    assert len(pairs) == 3 == len({pair.id.split("|")[0] for pair in pairs}) == len({pair.id[3:] for pair in pairs})
    assert pairs == pair_tasks(first, second, None, 0) != pair_tasks(first, second, None, 1)
    row, column = pairs[0].id.split("|")
    assert pairs[0].variables == {"first": (f"1. {row}?",), "second": (f"1. {column}?",)}


def test_more_pairs_are_taken_of_all_and_none_twice():
    first, second = tasks("a", 3), tasks("b", 5)
    assert len({pair.id for pair in pair_tasks(first, second, 11, 0)}) == 11
    assert len({pair.id for pair in pair_tasks(first, second, 99, 0)}) == 15
