"""Peers' scores with their traps; the figures of TEXT2SPARQL are those that its own program printed for these sets."""

import json
import subprocess
from pathlib import Path

import pytest
from turns_made import A, B, C, D, gold, says, turn
from wire.text2sparql_client import program

from chattykg.evaluation.answer_matching import element_from_answer
from chattykg.evaluation.external_metrics import score_text2sparql, score_text2sparql_corrected, triad_f1
from chattykg.evaluation.metrics import SystemAnswer, TurnScore


def official(one: TurnScore) -> float:
    return score_text2sparql([one]).f


def corrected(one: TurnScore) -> float:
    return score_text2sparql_corrected([one]).f


def test_a_right_no_is_worth_nothing_officially():
    assert official(turn(gold("false"), says("false"))) == 0
    assert corrected(turn(gold("false"), says("false"))) == 1


def test_a_wrong_no_is_right_officially():
    assert official(turn(gold("true"), says("false"))) == 1
    assert corrected(turn(gold("true"), says("false"))) == 0


def test_empty_gold_is_worth_nothing_officially():
    assert official(turn(gold(), says())) == official(turn(gold(), says(A))) == 0
    assert (corrected(turn(gold(), says())), corrected(turn(gold(), says(A)))) == (1, 0)


def test_questions_without_an_answer_line_drop_out_officially():
    turns = [turn(gold(A), says(A)), turn(gold(A), None)]
    assert (score_text2sparql(turns).n, score_text2sparql(turns).f) == (1, 1)
    assert (score_text2sparql_corrected(turns).n, score_text2sparql_corrected(turns).f) == (2, 0.5)


def test_values_are_texts_officially_and_all_columns_are_one_set():
    assert official(turn(gold("3"), says("3.0"))) == 0
    assert corrected(turn(gold("3"), says("3.0"))) == 1
    table = SystemAnswer((element_from_answer(A),), rows=((element_from_answer(A), element_from_answer("1990")),))
    assert official(turn(gold(A), table)) == pytest.approx(2 / 3)
    assert official(turn(gold(A, B, C), says(A, D))) == pytest.approx(0.4)


def test_order_is_not_measured_officially():
    forth, back = (turn(gold(A, B, C, is_ordered=True), says(*order)) for order in ((A, B, C), (C, B, A)))
    assert score_text2sparql([forth]).ndcg == score_text2sparql([back]).ndcg == 1
    assert score_text2sparql_corrected([forth]).ndcg == 1 > score_text2sparql_corrected([back]).ndcg


def test_ndcg_is_that_of_the_order_of_bytes():
    found = score_text2sparql([turn(gold("b", "a", "c", is_ordered=True), says("zz", "a", "b", "aa"))])
    assert (found.ndcg, found.f) == (pytest.approx(0.49818925746641285), pytest.approx(0.5714285714285715))
    found = score_text2sparql([turn(gold("ä", "z", "Z", is_ordered=True), says("ä", "q", "Z"))])
    assert found.ndcg == pytest.approx(0.7039180890341347)


def test_the_mean_of_ndcg_is_averaged_in_once_more():
    turns = [turn(gold(A), says(B)), turn(gold(A, B, is_ordered=True), says(A, B))]
    assert score_text2sparql(turns).f_ndcg == pytest.approx(2 / 3)
    assert score_text2sparql_corrected(turns).f_ndcg == 0.5


def test_triad_divides_by_lists():
    twice = triad_f1([turn(gold(A), says(A, A))])
    assert twice == pytest.approx(2 / 3, abs=1e-4) and twice < 2 / 3
    assert triad_f1([turn(gold(), says())]) == triad_f1([turn(gold(A), None)]) == 0


def test_empty_gold_drops_out_of_the_programs_mean_today():
    turns = [turn(gold(), says()), turn(gold(A), says(A)), turn(gold("false"), says("false"))]
    assert (score_text2sparql(turns).n, score_text2sparql(turns).f) == (3, pytest.approx(1 / 3))
    found = score_text2sparql(turns, with_empty_gold=False)
    assert (found.n, found.f) == (2, 0.5)


@pytest.mark.skipif(program() is None, reason="no client: python tests/wire/text2sparql_client.py installs it")
def test_the_official_score_is_that_of_the_client(tmp_path: Path):
    turns = [
        turn(gold("true", id="x:1-en"), says("false")),
        turn(gold("false", id="x:2-en"), says("false")),
        turn(gold(A, B, C, id="x:3-en"), says(A, D)),
        turn(gold("b", "a", "c", id="x:4-en", is_ordered=True), says("zz", "a", "b", "aa")),
        turn(gold("ä", "z", "Z", id="x:5-en", is_ordered=True), says("ä", "q", "Z")),
        turn(gold(A, id="x:6-en"), says()),
        turn(gold(id="x:7-en"), says()),
        turn(gold(id="x:8-en"), says(A)),
    ]
    right: dict[str, object] = {one.gold.id: _weights([e.text for e in one.gold.elements]) for one in turns}
    right["order_required"] = [one.gold.id for one in turns if one.gold.is_ordered]
    told = {one.gold.id: _weights([e.text for e in one.answer.elements]) for one in turns if one.answer}
    (tmp_path / "true.json").write_text(json.dumps(right))
    (tmp_path / "told.json").write_text(json.dumps(told))
    command = [str(program()), "evaluate", "x", "true.json", "told.json", "-o", "out.json"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    mean = json.loads((tmp_path / "out.json").read_text())["average"]
    found = score_text2sparql(turns, with_empty_gold=False)
    assert (found.precision, found.recall, found.f, found.ndcg, found.f_ndcg) == pytest.approx(
        (mean["set_P"], mean["set_recall"], mean["set_F"], mean["ndcg"], mean["set_F_ndcg"])
    )


def _weights(texts: list[str]) -> dict[str, int]:
    if texts in (["true"], ["false"]):
        return {"true": int(texts == ["true"])}
    return dict.fromkeys(texts, 1)
