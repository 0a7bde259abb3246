import json
from pathlib import Path

import pytest
from chattyshared.jsonlines import read_lines
from click.testing import CliRunner

import chattygen
from chattykg.cli import main

RECORDED = Path(__file__).parents[1] / "recorded"
QUESTIONS = RECORDED / "questions.jsonl"
REPLAY = ("--model", f"replay:{RECORDED / 'staged.trace.jsonl'}", "--strategy", "staged")


def run(*arguments: object, code: int = 0):
    done = CliRunner().invoke(main, list(map(str, arguments)), prog_name="chattykg")
    assert done.exit_code == code, done.output
    return done


@pytest.fixture
def train(tmp_path):
    path = tmp_path / "train.jsonl"
    chattygen.generate("demo", dialogues=3, turns=4, seed=3).save(path)
    return path


def test_a_benchmark_is_learned_without_a_model_and_written_alike_again(train, tmp_path):
    path = tmp_path / "demo.experience.jsonl"
    said = run("learn", "--kg", "demo", "--benchmark", train, "-o", path).stdout
    header, *items = (line for _, line in read_lines(path))
    assert header["experience"]["learn"]["model"] == ""
    assert said == f"{path}: {len(items)} solved questions\n"
    assert 6 <= len(items) <= 12
    assert all(item["success"] and item["query"] for item in items)
    content = path.read_bytes()
    run("learn", "--kg", "demo", "--benchmark", train, "-o", path)
    assert path.read_bytes() == content


def test_a_model_tries_the_questions_first_and_continues_where_it_stopped(tmp_path):
    path = tmp_path / "demo.experience.jsonl"
    done = run("learn", "--kg", "demo", "--benchmark", QUESTIONS, *REPLAY, "-o", path)
    assert f"{path}: 5 solved questions: 5 right at the first attempt, 0 kept with feedback" in done.stdout
    again = run("learn", "--kg", "demo", "--benchmark", QUESTIONS, *REPLAY, "-o", path)
    assert "5 answers (were there already)" in again.stdout


def test_the_guard_bars_what_is_asked_in_a_file_and_the_manifest_counts_it(tmp_path):
    experience, answers = tmp_path / "demo.experience.jsonl", tmp_path / "answers.jsonl"
    run("learn", "--kg", "demo", "--benchmark", QUESTIONS, "-o", experience)
    given = ("--experience", experience, *REPLAY, "-o", answers)
    done = run("answer", "--kg", "demo", "--questions", QUESTIONS, *given)
    assert "all examples share something with the questions that are asked: none is shown" in done.stderr
    manifest = json.loads(answers.with_name("answers.jsonl.run.json").read_text())["answers"]["engine"]
    assert (manifest["experience"]["items"], manifest["experience"]["barred"]) == (5, {"question": 5})
    assert "5 examples, 5 barred (question 5)" in run("evaluate", "--all", QUESTIONS, answers).stdout


def test_the_rules_say_that_they_use_no_examples(train, tmp_path):
    path = tmp_path / "demo.experience.jsonl"
    run("learn", "--kg", "demo", "--benchmark", train, "-o", path)
    done = run("answer", "--kg", "demo", "--experience", path, "Who directed Inception?")
    assert "the rules use no examples" in done.stderr


def test_another_graph_and_another_file_are_refused(train, tmp_path):
    graph, path = tmp_path / "other.ttl", tmp_path / "demo.experience.jsonl"
    graph.write_text('<http://b.org/a> <http://www.w3.org/2000/01/rdf-schema#label> "a" .')
    assert (
        "was made from another graph than other.ttl"
        in run("learn", "--kg", graph, "--benchmark", train, "-o", path, code=2).stderr
    )
    run("learn", "--kg", "demo", "--benchmark", train, "-o", path)
    other = run("learn", "--kg", "demo", "--benchmark", QUESTIONS, "-o", path, code=2)
    assert "was learned from something else" in other.stderr
    run("learn", "--kg", "demo", "--benchmark", QUESTIONS, "-o", path, "--overwrite")
