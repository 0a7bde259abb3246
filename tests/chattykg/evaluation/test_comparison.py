"""Several files of answers against one file of gold, from the files to the table, the page and the CSV."""

import csv
import hashlib
import io
import json
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from chattyshared.errors import BenchmarkInvalid
from chattyshared.figures import Estimate

from chattykg.evaluation.comparison import EvaluationSet
from chattykg.evaluation.evaluate import evaluate_systems
from chattykg.evaluation.export import evaluation_to_csv, evaluation_to_json
from chattykg.evaluation.report import SCREEN_LINES, findings_of, render_all, render_page, render_screen
from chattykg.evaluation.system_runs import name_systems

AURORA, BOREALIS = "https://harbor.example/Aurora", "https://harbor.example/Borealis"
SAILS = "https://harbor.example/sails"
QUERY = f"SELECT ?x WHERE {{ <{AURORA}> <{SAILS}> ?x }}"
SILENT = {"id": 2, "answers": []}


def lines(path: Path, *objects: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in objects), encoding="utf-8")
    return path


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    return lines(
        tmp_path / "harbor.jsonl",
        {"id": 1, "question": "Who sails Aurora?", "lang": "en", "answers": [BOREALIS], "sparql": QUERY,
         "dialogue_id": "d", "turn": 1},
        {"id": 2, "question": "Seit wann?", "lang": "de", "answers": ["1990"], "dialogue_id": "d", "turn": 2},
        {"id": 3, "question": "=Which berths?", "lang": "de", "answers": ["b1", "12", "b2", "9"], "cols": 2,
         "rows": [["b1", 12], ["b2", 9]]},
        {"id": 4, "question": "Is it <old>?", "lang": "en", "answers": [True]},
    )  # fmt: skip


def answers(path: Path, gold: Path, *objects: dict[str, Any], **made: str) -> Path:
    asked = {"questions": hashlib.sha256(gold.read_bytes()).hexdigest()[:16]}
    manifest = {"answers": {"asked": asked, "model": "rules", "history": "own", "wording": "follow-up", **made}}
    path.with_name(f"{path.name}.run.json").write_text(json.dumps(manifest), encoding="utf-8")
    return lines(path, *objects)


@pytest.fixture
def bench(tmp_path: Path, gold: Path) -> EvaluationSet:
    told = {"sparql": QUERY, "links": {"entities": [{"mention": "Aurora", "iri": AURORA}]}, "confidence": 0.8}
    follow = answers(
        tmp_path / "follow.jsonl", gold,
        {"id": 1, "answers": [BOREALIS], "queries": 3, "usage": {"calls": 2}, "stages": {"linking": 0.5}, **told},
        {"id": 2, "answers": ["1991"], **told},
        {"id": 3, "answers": ["b1", "b2"], "rows": [["b1", "12", "x"], ["b2", "8", "x"]]},
        {"id": 4, "answers": [], "error": "too slow"},
    )  # fmt: skip
    alone = answers(
        tmp_path / "alone.jsonl", gold,
        {"id": 1, "answers": [BOREALIS]}, {"id": 2, "answers": ["1990"]}, {"id": 4, "answers": ["yes"]},
        wording="standalone",
    )  # fmt: skip
    return evaluate_systems(gold, [follow, alone])


def test_each_system_has_its_sheet(bench):
    follow, alone = bench.scorecards
    assert (follow.name, follow.values["f1"].value, alone.values["f1"].value) == ("follow", pytest.approx(1 / 3), 1)
    assert dict(follow.values["failures"].items) == {"selection": 1, "execution": 1}
    assert (follow.values["linking.vertices"], follow.values["linking.predicates"]) == (Estimate(1, 1), Estimate(1, 1))
    assert follow.values["linking.candidates"] is None
    assert (len(follow.lines), follow.values["queries"], follow.values["model_calls"]) == (3, 3, 2)
    assert follow.values["seconds_per_stage"].linking == pytest.approx(0.5 / 3)
    assert (alone.values["linking"], alone.values["risk_coverage"], alone.values["failures"].items) == (None, None, ())


def test_tables_count_by_their_rows_alone(bench):
    follow, alone = bench.scorecards
    assert (follow.values["questions"], follow.values["rows.assigned"].n, follow.values["rows.tables"]) == (3, 4, 1)
    assert follow.values["rows.tables_exact"].value == 0
    assert follow.values["rows.tables_assigned"].value == pytest.approx(6 / 7)
    assert alone.values["rows.tables_assigned"].value == 0


def test_runs_that_differ_in_wording_alone_show_retention(bench):
    (effect,) = bench.effects
    assert (effect.comparison.first, effect.comparison.second) == ("alone", "follow")
    assert effect.retained_percent == pytest.approx(100 / 3)


def test_runs_that_differ_in_more_show_nothing(tmp_path, gold):
    one = answers(tmp_path / "one.jsonl", gold, {"id": 1, "answers": []}, SILENT, model="x")
    other = answers(tmp_path / "other.jsonl", gold, {"id": 1, "answers": []}, SILENT, wording="standalone", model="y")
    assert evaluate_systems(gold, [one, other]).effects == ()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("own", "right", "said"),
    [
        (24, 12, "200.0 % kept [141.2, 342.9], better on 12 turns, worse on 0, p = 0.0005: the run that should be "
                 "harder is better, so this is no cost; see the turns that differ"),
        (23, 22, "104.5 % kept [100.0, 115.8], better on 1 turns, worse on 0, p = 1.0000: no difference beyond chance"),
        (8, 24, "33.3 % kept [16.7, 54.2], better on 0 turns, worse on 16, p = 0.0005"),
    ],
)  # fmt: skip
def test_what_is_kept_is_told_with_how_sure_it_is(tmp_path, own, right, said):
    gold = lines(tmp_path / "gold.jsonl", *({"id": n, "question": "?", "answers": [AURORA]} for n in range(24)))
    runs = [
        answers(tmp_path / f"{name}.jsonl", gold, *({"id": n, "answers": [AURORA] * (n < number)} for n in range(24)),
                history=history)
        for name, number, history in (("own", own, "own"), ("right", right, "gold"))
    ]  # fmt: skip
    (line,) = (
        line for line in render_all(evaluate_systems(gold, runs)).splitlines() if line.startswith("error propagation")
    )
    drop = f"F1 {right / 24:.3f} (right) -> {own / 24:.3f} (own)"
    assert line == f"error propagation (own history): {drop}, {said}"
    (effect,) = evaluation_to_json(evaluate_systems(gold, runs))["effects"]
    assert effect["interval"][0] <= effect["kept"] <= effect["interval"][1]


def test_won_and_lost_are_told(bench):
    (contest,) = bench.comparisons
    assert [other.gold.id for _, other in contest.wins] == ["2", "4"]
    assert (contest.losses, contest.ties, contest.test.n) == ((), 1, 3)


def test_answers_to_another_file_are_told(tmp_path, gold, bench):
    assert bench.mismatched_systems == ()
    elsewhere = answers(tmp_path / "elsewhere.jsonl", bench.scorecards[0].system.path, {"id": 1, "answers": []}, SILENT)
    assert evaluate_systems(gold, [elsewhere]).mismatched_systems == ("elsewhere",)


def test_candidates_are_what_the_queries_of_a_turn_name(tmp_path, gold):
    path = lines(tmp_path / "a.jsonl", {"id": 1, "answers": [], "links": {}, "sparql": ""}, SILENT)
    event = {"kind": "query", "span": "1", "seconds": 0, "data": {"query": f"SELECT * {{ <{AURORA}> ?p ?o }}"}}
    lines(tmp_path / "a.jsonl.trace.jsonl", event, {"kind": "model", "span": "1", "data": {"text": BOREALIS}})
    (sheet,) = evaluate_systems(gold, [path]).scorecards
    assert (sheet.values["linking.candidates"].value, sheet.values["linking.vertices"].value) == (1, 0)


def test_a_manifest_that_is_none_is_told(tmp_path, gold):
    path = lines(tmp_path / "a.jsonl", {"id": 1, "answers": []}, SILENT)
    (tmp_path / "a.jsonl.run.json").write_text("{", encoding="utf-8")
    with pytest.raises(BenchmarkInvalid, match=r"a\.jsonl\.run\.json: the manifest cannot be read .* move it away"):
        evaluate_systems(gold, [path])


def test_files_are_called_apart():
    assert name_systems([Path("x/a.jsonl"), Path("x/b.jsonl")]) == ("a", "b")
    assert name_systems([Path("x/a.jsonl"), Path("y/a.jsonl")]) == ("x", "y")
    assert name_systems([Path("x/a.jsonl"), Path("y/a.jsonl"), Path("y/b.jsonl")]) == (
        "x/a.jsonl",
        "y/a.jsonl",
        "y/b.jsonl",
    )
    assert name_systems([Path("x/a.json"), Path("x/a.jsonl")]) == ("a.json", "a.jsonl")
    assert name_systems([Path("a.jsonl"), Path("old/a.jsonl")]) == ("a.jsonl", "old/a.jsonl")
    assert name_systems([Path("x/run/a.jsonl"), Path("y/run/a.jsonl")]) == ("x/run/a.jsonl", "y/run/a.jsonl")


def test_no_two_files_are_called_alike():
    paths = [Path(text) for text in ("a", "a#2", "b.json", "b.jsonl", "x/a", "y/a", "x/y/a", "y/y/a", "/y/a")]
    for several in (*product(paths, repeat=2), *product(paths, repeat=3)):
        called = name_systems(several)
        assert len(set(called)) == len(called) == len(several) and all(called), several


def test_the_table_stands_side_by_side(bench):
    text = render_all(bench)
    head, *rows = text.splitlines()
    assert head.split() == ["follow", "alone"]
    assert ["F1", "0.333", "[0.000,", "0.500]", "1.000", "[1.000,", "1.000]"] in [row.split() for row in rows]
    assert "1 -> " not in text and "won  0.00 -> 1.00  2  Seit wann?" in text
    assert "follow-up language (retention): F1 1.000 (alone) -> 0.333 (follow), 33.3 % kept" in text


def test_the_first_screen_has_at_most_twenty_lines(tmp_path):
    forms = [f"form{n:02}" for n in range(30)]
    rows = [{"id": n, "question": "?", "answers": [AURORA]} for n in range(60)]
    gold = lines(tmp_path / "gold.jsonl", *rows)
    runs = [answers(tmp_path / f"run{n}.jsonl", gold, *({"id": n, "answers": [AURORA]} for n in range(60 - n)))
            for n in range(12)]  # fmt: skip
    for count in (1, 3, 12):
        found = evaluate_systems(gold, runs[:count])
        cards = [replace(card, pairs=tuple((replace(gold, form=forms[n % 30]), answer)
                                           for n, (gold, answer) in enumerate(card.pairs)))
                 for card in found.scorecards]  # fmt: skip
        text = render_screen(cards, findings_of(found))
        assert 6 < len(text.splitlines()) <= SCREEN_LINES - 2, count
        assert ("F1 by form (turns), the first" in text) == (count < 6)
        assert ("more comparisons" in text) == (count > 11)


def test_the_json_of_several_is_a_list_and_of_one_an_object(tmp_path, gold, bench):
    read = json.loads(json.dumps(evaluation_to_json(bench)))
    assert [each["name"] for each in read["systems"]] == ["follow", "alone"]
    assert read["contests"][0]["won"][0] == {"id": "2", "question": "Seit wann?", "first": 0, "second": 1}
    assert read["effects"][0]["kept"] == 33.333333
    one = evaluation_to_json(evaluate_systems(gold, [bench.scorecards[0].system.path]))
    assert (one["f1"], one["exact"], one["by_lang"]["en"]) == (
        0.333333, 0.333333, {"n": 2, "f1": 0.5, "solved": 1},
    )  # fmt: skip
    assert one["text2sparql"]["official"]["f"] == 0.5 and one["text2sparql"]["corrected"]["f"] == 0.333333


def test_the_csv_has_a_line_per_question_and_system(bench):
    rows = list(csv.DictReader(io.StringIO(evaluation_to_csv(bench))))
    assert [(row["system"], row["id"]) for row in rows] == [(s, i) for s in ("follow", "alone") for i in "124"]
    assert (rows[1]["failure"], rows[2]["failure"], rows[3]["failure"]) == ("selection", "execution", "")
    assert (rows[0]["queries"], rows[0]["model_calls"], rows[0]["sparql"]) == ("3", "2", QUERY)
    assert [(row["gold_answers"], row["given_answers"]) for row in rows[1:3]] == [("1990", "1991"), ("true", "")]


def test_the_page_is_whole_and_nothing_in_it_is_from_outside(bench):
    text = render_page(bench)
    assert text.startswith("<!doctype html>") and text.endswith("</html>")
    assert "Is it &lt;old&gt;?" in text and "<old>" not in text
    assert not any(word in text for word in ("<link", "src=", "@import", "url("))
    assert "by the first stage that failed" in text and "33.3 % kept" in text


def test_the_page_of_one_system_shows_what_went_wrong(bench, gold):
    text = render_page(evaluate_systems(gold, [bench.scorecards[0].system.path]))
    data = json.loads(text.partition('id="sample-data">')[2].partition("</script>")[0])
    wrong = [sample["question"] for sample in data["samples"] if any(a.get("f1", 1) < 1 for a in sample["answers"])]
    assert "Seit wann?" in wrong
