"""Files of gold against files of answers."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from chattyshared import benchmark
from chattyshared.benchmark import Benchmark, make_header
from chattyshared.certificates import digest_of_file, digest_of_gold
from chattyshared.dialogue import Dialogue, Seed, Turn, Value
from chattyshared.errors import ConfigError
from chattyshared.kg.factory import open_kg
from click.testing import CliRunner

from chattykg.cli import main
from chattykg.evaluation.evaluate import evaluate, evaluate_systems
from chattykg.evaluation.metrics import GroupScore
from chattykg.evaluation.report import render_all

ADA = "https://chatty.example/Ada"
BOB = "https://chatty.example/Bob"


def lines(path: Path, *objects: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in objects), encoding="utf-8")
    return path


def turn(number: int, form: str, *answers: Value, answerable: bool = True) -> Turn:
    link = "opens" if number == 1 else "topic"
    return Turn(number, "Q?", "Q?", form, link, "x", answerable, "easy", "SELECT ?x {}", answers)  # type: ignore[arg-type]


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    seed = Seed(ADA, "Ada", "https://chatty.example/Person")
    turns = (
        turn(1, "object", Value(BOB, "iri", label="Bob")),
        turn(2, "count", Value("3", "number", "http://www.w3.org/2001/XMLSchema#integer")),
        turn(3, "object", answerable=False),
    )
    options = {"options": {}, "seed": 0, "model": "rules", "prompts": {}, "versions": {}}
    header = make_header("t", sources=["t.ttl"], fingerprint="0", triples=1, generate=options)
    benchmark.write_benchmark(tmp_path / "bench.jsonl", Benchmark(header, (Dialogue("d1", seed, turns),)))
    return tmp_path / "bench.jsonl"


def test_answers_are_paired_with_turns_by_id(tmp_path, bench):
    answers = lines(
        tmp_path / "answers.jsonl",
        {"id": "d1/1", "answers": [BOB], "labels": ["Bob"], "seconds": 0.5, "queries": 4},
        {"id": "d1/2", "answers": ["3.0"], "labels": ["3.0"]},
        {"id": "d1/3", "answers": []},
    )
    scores = evaluate(bench, answers)
    figures, whole = scores.figures, {"n": 1, "f1": 1.0, "solved": 1}
    assert (figures["questions"], figures["unanswerable"], figures["missing"]) == (3, 1, 0)
    assert (figures["f1"], figures["f1_qald_macro"], figures["false_answers"]) == (1, 1, 0)
    assert scores.by_form == {"count": GroupScore(1, 1.0, 1), "object": GroupScore(1, 1.0, 1)}
    assert figures["by_link"] == {"opens": whole, "topic": whole}
    assert (figures["model_calls"], figures["seconds_p95"], figures["queries_per_question"]) == (0, 0.45, 1.333333)


@pytest.mark.parametrize("status", [{"status": "empty"}, {"status": "unknown"}, {}])
def test_that_nothing_fits_is_right_exactly_where_gold_is_empty(tmp_path, bench, status):
    said = [{"id": f"d1/{number}", "answers": [], **status} for number in (1, 2, 3)]
    (sheet,) = evaluate_systems(bench, [lines(tmp_path / "answers.jsonl", *said)]).scorecards
    assert [sheet.headline[key].value for key in ("f1", "answered", "false_answers")] == [0, 0, 0]
    assert [turn.f1 for turn in sheet.turns] == [0, 0, 1]


def test_what_has_no_partner_is_told(tmp_path, bench):
    answers = lines(
        tmp_path / "answers.jsonl",
        {"id": "d1/1", "answers": [BOB], "error": "too slow"},
        {"id": "d9/1", "answers": [BOB]},
    )
    found = evaluate(bench, answers)
    assert (found.card.unknown_ids, found.card.failed_ids) == (("d9/1",), ("d1/1",))
    assert [found.figures[key] for key in ("missing", "f1", "f1_qald_macro")] == [3, 0, 0]


def test_questions_are_gold_by_iri_or_label_and_turns_are_counted_from_one(tmp_path):
    gold = lines(
        tmp_path / "questions.jsonl",
        {"id": 1, "question": "a", "dialogue_id": "d", "turn": 0, "answers": ["Ada", "Bob"], "answer_iris": [ADA, BOB]},
        {"id": 2, "question": "b", "dialogue_id": "d", "turn": 1, "answers": ["52"], "answer_iris": None},
        {"id": 3, "question": "c", "dialogue_id": "d", "turn": 2, "answers": []},
    )
    answers = lines(
        tmp_path / "answers.jsonl",
        {"id": 1, "answers": [ADA, "bob"]},
        {"id": "2", "answers": ["52.0"]},
        {"id": 3, "answers": [ADA]},
    )
    found = evaluate(gold, answers)
    assert [found.figures[key] for key in ("questions", "f1", "false_answers")] == [3, 1, 1]
    assert found.card.groups("turn") == {"1": GroupScore(1, 1.0, 1), "2": GroupScore(1, 1.0, 1)}
    assert found.by_form == {}


def test_questions_without_gold_and_tables_are_left_out(tmp_path):
    gold = lines(
        tmp_path / "questions.jsonl",
        {"id": "a", "question": "a"},
        {"id": "b", "question": "b", "answers": ["x", "1"], "cols": 2, "rows": [["x", "1"]]},
        {"id": "c", "question": "c", "answers": ["x"], "cols": 1},
    )
    answers = lines(tmp_path / "answers.jsonl", *({"id": id, "answers": ["x"]} for id in "abc"))
    found = evaluate(gold, answers)
    assert (found.figures["questions"], found.f1, found.card.unknown_ids) == (1, 1, ())


def test_labels_of_another_length_than_the_answers_are_not_read(tmp_path):
    gold = lines(tmp_path / "questions.jsonl", {"id": 1, "question": "a", "answers": ["Ada"]})
    answers = lines(tmp_path / "answers.jsonl", {"id": 1, "answers": [BOB, ADA], "labels": ["Ada"]})
    assert evaluate(gold, answers).f1 == 0


def test_answers_from_memory_count_apart(tmp_path):
    gold = lines(
        tmp_path / "gold.jsonl",
        {"id": "1", "question": "Who?", "answer_labels": ["Ann Lee"], "answer_iris": ["https://x.example/ann"]},
        {"id": "2", "question": "How many?", "answers": ["3"]},
        {"id": "3", "question": "Where?", "answers": ["here"]},
    )
    remembered = {"status": "answered", "grounded": False}
    answers = lines(
        tmp_path / "answers.jsonl",
        {"id": "1", "answers": ["Ann Lee"], "labels": ["Ann Lee"], "scores": [0.3], **remembered},
        {"id": "2", "answers": ["4"], "labels": ["4"], "scores": [0.3], **remembered},
        {"id": "3", "answers": ["here"]},
    )
    found = evaluate(gold, answers)
    assert (round(found.f1, 3), found.figures["answered"]) == (0.333, 0.333333)
    assert found.figures["from_memory"] == {"n": 2, "f1": 0.5, "solved": 1}
    assert "F1 of answers from memory, apart (their number)" in render_all(evaluate_systems(gold, [answers]))
    run = tmp_path / "answers.jsonl.run.json"
    for kind, f1, apart in (("llm-only", 0.667, None), ("file", 0.333, {"n": 2, "f1": 0.5, "solved": 1})):
        run.write_text(json.dumps({"answers": {"engine": {"kind": kind, "says": "names"}}}), encoding="utf-8")
        assert (round(evaluate(gold, answers).f1, 3), evaluate(gold, answers).figures["from_memory"]) == (f1, apart)


def test_scores_are_told_by_class_and_with_a_graph_by_head_torso_and_tail(tmp_path, bench):
    graph = tmp_path / "people.ttl"
    people = " ".join(f":p{n} a :Person ; :knows :Ada ." for n in range(6))
    graph.write_text(f"@prefix : <https://chatty.example/> . :Ada a :Person ; :boss :Bob . {people}", encoding="utf-8")
    content = benchmark.read_benchmark(bench)
    asked = [
        replace(turn, sparql=f"SELECT ?x {{ <{ADA}> <https://chatty.example/{name}> ?x }}")
        for turn, name in zip(content.dialogues[0].turns, ("boss", "knows", "boss"), strict=True)
    ]
    benchmark.write_benchmark(bench, replace(content, dialogues=(replace(content.dialogues[0], turns=tuple(asked)),)))
    answers = lines(tmp_path / "answers.jsonl", {"id": "d1/1", "answers": [BOB], "labels": ["Bob"]})
    groups = evaluate_systems(bench, [answers], kg=open_kg([str(graph)])).scorecards[0].groups
    assert groups("seed_class") == {"person": GroupScore(2, 0.5, 1)}
    assert groups("seed_band") == {"head": GroupScore(2, 0.5, 1)}
    assert groups("predicate_band") == {"head": GroupScore(1, 0.0, 0), "tail": GroupScore(1, 1.0, 1)}
    alone = evaluate_systems(bench, [answers]).scorecards[0].groups
    assert alone("seed_class") == groups("seed_class") and not alone("seed_band")


def certify(bench: Path, *certificates: dict[str, Any]) -> None:
    header, dialogue = map(json.loads, bench.read_text(encoding="utf-8").splitlines())
    for each, certificate in zip(dialogue["turns"], certificates, strict=True):
        each["certificate"] = {"reasons": [], "fingerprint": "0", "results": [], **certificate}
    lines(bench, header, dialogue)


def test_what_a_certificate_accepts_counts_as_the_gold_in_whose_place_it_stands(tmp_path, bench):
    digest = digest_of_file(bench)
    accepted = {"answer": BOB, "value": ADA, "reason": "same-as"}
    value = {"answer": "3", "value": "https://chatty.example/three", "reason": "node-of-value"}
    certify(
        bench, {"verdict": "certain", "alternatives": [accepted]}, {"verdict": "ambiguous", "alternatives": [value]},
        {"verdict": "certain"},
    )  # fmt: skip
    answers = lines(
        tmp_path / "answers.jsonl",
        {"id": "d1/1", "answers": [ADA, BOB]},
        {"id": "d1/2", "answers": ["https://chatty.example/three"]},
        {"id": "d1/3", "answers": []},
    )
    assert evaluate(bench, answers).f1 == 1
    assert digest_of_file(bench) == digest == benchmark.read_benchmark(bench).digest()
    asked = {"id": "q1", "question": "Who?", "answers": [BOB], "certificate": {"alternatives": [accepted]}}
    gold, answer = lines(tmp_path / "q.jsonl", asked), lines(tmp_path / "a.jsonl", {"id": "q1", "answers": [ADA]})
    assert evaluate(gold, answer).f1 == 1


def test_only_certain_questions_are_scored_where_that_is_asked(tmp_path, bench, caplog):
    answers = lines(tmp_path / "answers.jsonl", {"id": "d1/1", "answers": [BOB]}, {"id": "d1/2", "answers": ["4"]})
    with pytest.raises(ConfigError, match="no question has a certificate"):
        evaluate(bench, answers, certain=True)
    certify(bench, {"verdict": "certain"}, {"verdict": "ambiguous"}, {"verdict": "defective"})
    scored = evaluate(bench, answers, certain=True)
    assert (scored.figures["questions"], scored.f1, len(scored.turns())) == (1, 1.0, 1)
    assert "2 of 3 questions are left out: 1 ambiguous, 1 defective" in caplog.text
    assert len(evaluate(bench, answers).turns()) == 3
    certain = evaluate_systems(bench, [answers], certain_only=True)
    assert certain.notes == ("2 of 3 questions are left out: 1 ambiguous, 1 defective",)
    assert len(certain.scorecards[0].turns) == 1
    turn = benchmark.read_benchmark(bench).dialogues[0].turns[0]
    made_for = digest_of_gold(turn.sparql, [value.value for value in turn.answers])
    certain = {"verdict": "certain"}
    certify(bench, {**certain, "gold": made_for}, {**certain, "gold": "0"}, certain)
    assert len(evaluate(bench, answers, certain=True).turns()) == 2
    certify(bench, {"verdict": "certain"}, {"verdict": "ambiguous"}, {"verdict": "defective"})
    told = CliRunner().invoke(main, ["evaluate", "--certain", str(bench), str(answers)])
    assert told.exit_code == 0 and "2 of 3 questions are left out" in told.stderr
