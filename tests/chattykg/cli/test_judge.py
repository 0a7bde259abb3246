import json

import pytest
from click.testing import CliRunner
from wire.model_server import Fault, ModelServer, completion

from chattykg.cli import main

TURNS = (("d/1", "Who wrote Emma?"), ("d/2", "Was she born in 1775?"), ("d/3", "Why?"))


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    server = ModelServer().start()
    reply = {"reason": "r", "response_quality": 5, "fluency": 4}
    talk = {"reason": "r", "coherence": 5, "naturalness": 4, "variety": 3}
    server.says = lambda asked: Fault(
        body=completion(json.dumps(talk if "Conversation:" in asked["messages"][1]["content"] else reply))
    )
    yield server
    server.stop()


@pytest.fixture
def files(tmp_path):
    gold, answers = tmp_path / "gold.jsonl", tmp_path / "answers.jsonl"
    gold_lines = [
        {"id": id, "dialogue_id": "d", "turn": n, "question": question, "answers": ["gold"] if n == 1 else []}
        for n, (id, question) in enumerate(TURNS, 1)
    ]
    lines = [
        {"id": "d/1", "question": TURNS[0][1], "status": "answered", "answers": ["http://x/JA"],
         "labels": ["Jane Austen"], "sparql": "", "sentence": "the author of Emma"},
        {"id": "d/2", "question": TURNS[1][1], "status": "answered", "answers": ["true"], "sparql": ""},
        {"id": "d/3", "question": TURNS[2][1], "status": "unknown", "answers": [], "sparql": "",
         "reason": {"code": "not-stated", "text": "The filter deleted all"}, "notes": ["Deleted: 3 of 5."]},
    ]  # fmt: skip
    for path, values in ((gold, gold_lines), (answers, lines)):
        path.write_text("".join(json.dumps(value) + "\n" for value in values))
    return gold, answers


def judge(*arguments, code=0):
    done = CliRunner().invoke(main, ["judge", *map(str, arguments)], prog_name="chattykg")
    assert done.exit_code == code, done.output
    return done


def shown(server):
    return [asked["messages"][1]["content"] for asked in server.asked]


def test_answers_are_judged_in_their_conversation_without_gold(server, files, tmp_path):
    gold, answers = files
    options = ("--model", "openai:m", "--base-url", server.url, "-o", tmp_path / "r.jsonl")
    summary = json.loads(judge(answers, gold, *options, "--json").stdout)
    assert {row["criterion"]: row["n"] for row in summary["means"]} == {
        "response_quality": 3, "fluency": 3, "coherence": 1, "naturalness": 1, "variety": 1
    }  # fmt: skip
    first, second, third, talk = shown(server)
    assert "Talk before the question:\n(none)" in first and "Right answer: not given" in first
    assert "Answer to rate: The author of Emma: Jane Austen." in first
    assert "1. Who wrote Emma?\nAnswer: The author of Emma: Jane Austen." in second and "rate: Yes." in second
    assert "Answer to rate: I do not know." in third and "eleted" not in "".join(shown(server))
    assert talk.count("Answer: ") == 3 and "gold" not in "".join(shown(server))


def test_gold_is_shown_on_demand(server, files, tmp_path):
    gold, answers = files
    options = ("--model", "openai:m", "--base-url", server.url, "-o", tmp_path / "r.jsonl")
    judge(answers, gold, "--gold", *options)
    assert "Right answer: gold" in shown(server)[0] and "Right answer: there is none" in shown(server)[1]
    assert "--gold goes with a file of the questions" in judge(answers, "--gold", *options, code=2).stderr


def test_answers_alone_are_judged_by_their_own_questions(server, files, tmp_path):
    judge(files[1], "--model", "openai:m", "--base-url", server.url, "-o", tmp_path / "r.jsonl")
    assert len(server.asked) == 3 and all("(none)" in prompt for prompt in shown(server))


def test_an_empty_answer_is_shown_as_none_without_the_notes_of_the_system(server, files, tmp_path):
    line = {"id": "d/3", "question": "Why?", "status": "empty", "answers": [], "sparql": "", "notes": ["Deleted: 3."]}
    files[1].write_text(json.dumps(line) + "\n")
    judge(files[1], "--model", "openai:m", "--base-url", server.url, "-o", tmp_path / "r.jsonl")
    assert "Answer to rate: None." in shown(server)[0] and "Deleted" not in shown(server)[0]


def test_a_conversation_with_a_missing_or_failed_answer_is_not_judged_as_a_whole(server, files, tmp_path):
    gold, answers = files
    lines = answers.read_text().splitlines(keepends=True)
    answers.write_text(lines[0] + lines[1] + '{"id": "d/3", "question": "Why?", "error": "lost"}\n')
    judge(answers, gold, "--model", "openai:m", "--base-url", server.url, "-o", tmp_path / "r.jsonl")
    assert len(server.asked) == 2
