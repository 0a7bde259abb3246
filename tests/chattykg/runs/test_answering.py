"""Answers from Python: equal to those of the command, resumable, and scored as objects or files."""

import json
import logging

import pytest
from chattyshared.dialogue import Answer, Value
from chattyshared.errors import ConfigError
from click.testing import CliRunner

import chattygen
import chattykg
from chattykg.cli import main


@pytest.fixture(scope="module")
def kg(demo):
    return demo


@pytest.fixture(scope="module")
def bench(kg):
    return chattygen.generate(kg, 3, turns=3)


@pytest.fixture(scope="module")
def answers(bench, kg):
    return chattykg.answer(bench, kg)


def without_times(path):
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [{key: value for key, value in line.items() if key not in ("seconds", "stages")} for line in lines]


@pytest.mark.slow
def test_answers_and_manifest_are_those_of_the_command(tmp_path, bench, answers, kg):
    bench.save(tmp_path / "b.jsonl")
    command = tmp_path / "command.jsonl"
    arguments = ["answer", "--kg", "demo", "--benchmark", str(tmp_path / "b.jsonl"), "-o", str(command)]
    assert CliRunner().invoke(main, arguments).exit_code == 0
    answers.save(tmp_path / "python.jsonl")
    assert without_times(tmp_path / "python.jsonl") == without_times(command)
    manifest = (tmp_path / "python.jsonl.run.json").read_text(encoding="utf-8")
    assert manifest == (tmp_path / "command.jsonl.run.json").read_text(encoding="utf-8")
    written = command.stat().st_mtime_ns
    again = chattykg.answer(bench, kg, path=command)  # goes on with the command's run: there is nothing to do
    assert command.stat().st_mtime_ns == written and len(again) == len(answers)
    done = CliRunner().invoke(main, ["evaluate", "--json", str(tmp_path / "b.jsonl"), str(tmp_path / "python.jsonl")])
    assert json.loads(done.stdout)["f1"] == pytest.approx(chattykg.evaluate(bench, answers).f1, abs=1e-6)


def test_answers_are_lines_by_id(bench, answers):
    assert len(answers) == 9 and [line.id for line in answers][:2] == ["d0001/1", "d0001/2"]
    assert answers["d0001/1"].question == bench[0].turns[0].question
    assert repr(answers).startswith("Answers(9 questions, ")


def test_texts_are_asked_one_by_one(kg):
    told = []
    questions = ["Who directed Inception?", "When was he born?"]
    answers = chattykg.answer(questions, kg, workers=2, on_progress=told.append)
    assert sum(told) == 2
    assert answers[1].labels == ("Christopher Nolan",)
    assert answers[2].status != "answered" and answers[2].reason is not None


class Parrot:
    """An engine of somebody's own."""

    def answer(self, question, history=(), *, span="answer"):
        return Answer((Value(f"{len(history)} before {question}", "literal"),), confidence=0.5)


def test_an_engine_of_ones_own_answers(tmp_path, bench, kg):
    answers = chattykg.answer(bench[:1], kg, engine=Parrot(), path=tmp_path / "a.jsonl")
    assert [line.labels[0].split(" before ")[0] for line in answers] == ["0", "1", "2"]
    assert answers.manifest["engine"] == {"kind": f"{__name__}.Parrot"}


def test_a_file_of_another_run_is_kept(tmp_path, bench, kg):
    path = tmp_path / "answers.jsonl"
    chattykg.answer(["Who directed Inception?"], kg, path=path)
    with pytest.raises(ConfigError, match="made by another run"):
        chattykg.answer(bench, kg, path=path)
    assert len(chattykg.answer(["How many films are there?"], kg, path=path, overwrite=True)) == 1


@pytest.mark.parametrize(
    ("questions", "options", "message"),
    [
        (None, {}, "questions are a Benchmark, the path of a file, or a list of texts"),
        ([5], {}, "a list of texts"),
        ("Who directed Inception?", {}, "Who directed Inception"),
        (["Who?"], {"workers": 0}, "workers: 0 is not at least 1"),
        (["Who?"], {"history": "none"}, "history: 'none' is none of"),
        (["Who?"], {"wording": "new"}, "wording: 'new' is none of"),
        (["Who?"], {"model": 5}, "no language model"),
    ],
)
def test_what_cannot_be_asked_is_refused(kg, questions, options, message):
    with pytest.raises(ConfigError, match=message):
        chattykg.answer(questions, kg, **options)


def test_a_run_never_writes_into_what_it_reads(tmp_path, bench, kg):
    path = tmp_path / "kg.ttl"
    path.write_text('<http://e/a> <http://www.w3.org/2000/01/rdf-schema#label> "A" .')
    for write in (lambda: chattykg.answer(bench, [path], path=path, overwrite=True),
                  lambda: chattygen.generate(str(path), path=path, overwrite=True)):  # fmt: skip
        with pytest.raises(ConfigError, match="is what is to be read"):
            write()
    for write in (lambda: bench.save(tmp_path), lambda: chattykg.answer(bench, kg, path="."), lambda: bench.save(5)):
        with pytest.raises(ConfigError, match=r"is a folder, not a file|is no path of a file"):
            write()
    assert path.read_text().startswith("<http://e/a>")


def test_what_a_function_raised_is_said(kg, caplog):
    def ask(messages):
        raise LookupError("no such deployment")

    answers = chattykg.answer(["Who directed Inception?"], kg, model=ask)
    assert [bool(line.error) for line in answers] == [True]
    assert "1 question ended in an unexpected error: LookupError" in caplog.text
    assert "(function:ask() raised LookupError('no such deployment'))" in caplog.text


def test_another_graph_is_a_warning(tmp_path, bench, caplog):
    path = tmp_path / "kg.ttl"
    path.write_text('<http://e/a> <http://www.w3.org/2000/01/rdf-schema#label> "A" .')
    chattykg.answer(bench, path)
    assert "the benchmark was made from another graph than kg.ttl" in caplog.text


def test_scores_are_those_of_objects_and_files(tmp_path, bench, answers, caplog):
    bench.save(tmp_path / "b.jsonl")
    answers.save(tmp_path / "a.jsonl")
    by_objects = chattykg.evaluate(bench, answers)
    by_files = chattykg.evaluate(tmp_path / "b.jsonl", str(tmp_path / "a.jsonl"))
    assert by_objects.figures == by_files.figures == chattykg.evaluate(bench, tmp_path / "a.jsonl").figures
    assert 0.5 < by_objects.f1 <= 1 and sum(group.n for group in by_objects.by_form.values()) <= 9
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]
    by_objects.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>") and f"{by_objects.f1:.3f}" in page
    for gold, said in ((None, answers), (bench, [])):
        with pytest.raises(ConfigError, match="cannot be scored: give a (Benchmark|Answers) or the path of a file"):
            chattykg.evaluate(gold, said)


def test_scores_and_answers_are_data_frames(bench, answers):
    pytest.importorskip("pandas")
    scores = chattykg.evaluate(bench, answers)
    frame = scores.to_pandas()
    assert list(frame["id"]) == [line.id for line in answers] == list(answers.to_pandas()["id"])
    assert frame[frame["answerable"]]["f1"].mean() == pytest.approx(scores.f1)
    first = bench[0].turns[0].answers
    assert frame["gold_answers"][0] == [value.value for value in first]


def test_answers_to_another_benchmark_are_refused(bench, answers, kg):
    other = chattygen.generate(kg, 3, turns=3, seed=99)
    with pytest.raises(ConfigError, match=r"answers are to other questions than those of the benchmark, such as d0"):
        chattykg.evaluate(other, answers)
    with pytest.raises(ConfigError, match="ids match"):
        chattykg.evaluate(bench, chattykg.answer(["Who directed Inception?"], kg))


def test_answers_to_another_state_of_a_benchmark_are_a_warning(bench, answers, caplog):
    assert len(chattykg.evaluate(bench[:2], answers).turns()) == 6
    assert "3 answers are to no question of the benchmark" in caplog.text
    assert "to another file, or another state of it" in caplog.text
