import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from wire.model_server import Fault, ModelServer, completion, error

from chattygen.cli import main

QUESTIONS = "".join(
    json.dumps({"id": f"{d}/{t}", "dialogue_id": d, "turn": t, "question": f"{d} {t}?"}) + "\n"
    for d in ("d1", "d2", "d3") for t in (1, 2)
)  # fmt: skip
RATED = {"reason": "r", "coherence": 5, "naturalness": 4, "variety": 3}
PEOPLE = "id,rater,criterion,score\n"


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    server = ModelServer().start()
    server.always = Fault(body=completion(json.dumps(RATED)))
    yield server
    server.stop()


@pytest.fixture
def talks(tmp_path) -> Path:
    path = tmp_path / "talks.jsonl"
    path.write_text(QUESTIONS)
    return path


def judge(*arguments: object, code: int = 0):
    done = CliRunner().invoke(main, ["judge", *map(str, arguments)], prog_name="chattygen")
    assert done.exit_code == code, done.output
    return done


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_a_run_resumes_and_asks_again_what_had_no_rating(server, talks, tmp_path):
    out = tmp_path / "ratings.jsonl"
    options = (talks, "--model", "openai:m", "--base-url", server.url, "-o", out, "--set", "theta=1")
    good = server.always.body
    server.faults.extend([Fault(body=good), Fault(body=completion("I cannot say")), Fault(400, error("no"))])
    done = judge(*options)
    assert "2 of 3 are without a rating, 1 since no reply held one; the same command asks" in done.stderr
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert [(line["id"], "ratings" in line, line.get("unread")) for line in lines] == [
        ("d1", True, None), ("d2", False, True), ("d3", False, False)
    ]  # fmt: skip
    judge(*options)
    judge(*options)
    assert len(server.asked) == 5 and out.read_text().count('"coherence": 5') == 3
    assert "made by another run (theta: 1 there, 2 now)" in judge(*options, "--set", "theta=2", code=2).stderr


def test_people_and_the_judge_are_compared(server, talks, tmp_path):
    people = write(tmp_path / "p.csv", f"{PEOPLE}d1,Ann,coherence,5\nd2,Ann,coherence,4\nd1,Ben,coherence,5\n")
    options = (talks, "--model", "openai:m", "--base-url", server.url, "-o", tmp_path / "r.jsonl")
    text = judge(*options, "--ratings", people).stdout
    assert "human-model" in text and "Ann and openai:m" in text and "undefined" in text
    unknown = write(tmp_path / "u.csv", f"{PEOPLE}d9,Ann,coherence,5\n")
    asked = len(server.asked)
    assert "line 2: nothing that is judged has the id 'd9'" in judge(*options, "--ratings", unknown, code=2).stderr
    assert len(server.asked) == asked


def test_earlier_ratings_by_the_same_model_are_refused_before_it_is_asked(server, talks, tmp_path):
    options = (talks, "--model", "openai:m", "--base-url", server.url, "-o")
    judge(*options, tmp_path / "a.jsonl")
    asked = len(server.asked)
    done = judge(*options, tmp_path / "b.jsonl", "--ratings", tmp_path / "a.jsonl", code=2)
    assert "--ratings: openai:m has rated these already" in done.stderr and len(server.asked) == asked


def test_two_tables_of_people_need_no_model(tmp_path):
    first = write(tmp_path / "a.csv", f"{PEOPLE}1,Ann,fluency,1\n2,Ann,fluency,2\n3,Ann,fluency,3\n4,Ann,fluency,5\n")
    second = write(tmp_path / "b.csv", f"{PEOPLE}1,Ben,fluency,1\n2,Ben,fluency,3\n3,Ben,fluency,3\n4,Ben,fluency,4\n")
    summary = json.loads(judge("--ratings", first, "--ratings", second, "--json").stdout)
    (row,) = summary["agreement"]
    assert (row["raters"], row["kind"], row["exact"]) == ("Ann and Ben", "human-human", 0.5)
    assert row["kappa"] == pytest.approx(1 - 0.5 / (54 / 16))
    linear = json.loads(judge("--ratings", first, "--ratings", second, "--json", "--weights", "linear").stdout)
    assert linear["agreement"][0]["kappa"] == pytest.approx(1 - 0.5 / (24 / 16))
    assert (
        "fluency    human-human  Ann and Ben  4  0.852    0.5" in judge("--ratings", first, "--ratings", second).stdout
    )


def test_bad_input_is_one_line_and_exit_2(talks, tmp_path):
    empty = write(tmp_path / "e.csv", PEOPLE)
    for arguments, message in (
        ((talks,), "the rules have no opinion"),
        ((talks, "--model", "rules"), "the rules have no opinion"),
        ((), "--ratings FILE"),
        (("--ratings", empty), "there is not one rating"),
        (("--ratings", tmp_path / "none.csv"), "No such file"),
        ((talks, talks, talks, "--model", "openai:m"), "3 files: one is rated, two are compared"),
        ((talks, "--model", "coherence=openai:m"), "unknown"),
    ):
        done = judge(*arguments, code=2)
        assert message in done.stderr and done.stderr.count("\n") == 1
