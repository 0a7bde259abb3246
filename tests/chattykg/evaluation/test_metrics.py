from pathlib import Path
from types import SimpleNamespace

import pytest
from turns_made import A, B, C, gold, says

from chattykg.evaluation.answer_matching import element_from_answer, element_from_gold_texts
from chattykg.evaluation.metrics import (
    FalseAnswerRate,
    Gold,
    GroupScore,
    SystemAnswer,
    percentile,
    score_turn,
    trust_score,
)
from chattykg.evaluation.scorecard import Scorecard
from chattykg.evaluation.system_runs import Answers


def rates(right: Gold, what: SystemAnswer | None) -> tuple[float, float, float]:
    turn = score_turn(right, what)
    return turn.precision, turn.recall, turn.f1


def score_run(pairs) -> SimpleNamespace:
    """Return the headline figures as attributes; estimates as their values."""
    card = Scorecard("ours", Answers(Path("ours.jsonl"), {}), tuple(pairs))
    return SimpleNamespace(**{key: getattr(value, "value", value) for key, value in card.headline.items()})


def test_a_turn_is_scored_on_sets():
    assert rates(gold(A, B), says(A, B)) == (1, 1, 1)
    assert rates(gold(A, B), says(B, A, B)) == (1, 1, 1)
    assert rates(gold(A, B), says(A)) == (1, 0.5, pytest.approx(2 / 3))
    assert rates(gold(A), says(A, B, C)) == (pytest.approx(1 / 3), 1, 0.5)
    assert rates(gold(A), says(B)) == (0, 0, 0)


def test_empty_gold_is_right_exactly_if_nothing_is_said():
    assert rates(gold(), says()) == (1, 1, 1)
    assert rates(gold(), says(A)) == (0, 0, 0)
    assert score_turn(gold(), says()).is_first_right
    assert not score_turn(gold(), says(A)).is_first_right


def test_silence_where_there_is_gold():
    turn = score_turn(gold(A), says())
    assert (turn.precision, turn.recall, turn.f1) == (0, 0, 0)
    assert turn.qald_precision == 1
    assert not turn.is_answered and not turn.is_first_right


def test_a_missing_answer_is_wrong_in_every_rule():
    for right in (gold(A), gold()):
        turn = score_turn(right, None)
        assert (turn.precision, turn.recall, turn.f1, turn.qald_precision) == (0, 0, 0, 0)
        assert not turn.is_answered and not turn.is_first_right


def test_the_top_answer_is_the_first_one():
    assert score_turn(gold(B), says(B, A)).is_first_right
    assert not score_turn(gold(B), says(A, B)).is_first_right


def test_a_name_is_right_for_every_vertex_of_that_name():
    right = Gold("q", (element_from_gold_texts("Rome", A), element_from_gold_texts("rome", B)))
    assert rates(right, says("Rome")) == (1, 1, 1)
    assert rates(right, SystemAnswer((element_from_answer(A, "Rome"),))) == (1, 0.5, pytest.approx(2 / 3))
    assert rates(
        Gold("q", (element_from_gold_texts("Rome"),)),
        SystemAnswer((element_from_answer(A, "Rome"), element_from_answer(B, "Rome"))),
    ) == (1, 1, 1)
    assert rates(right, SystemAnswer((element_from_answer(C, "Rome"),))) == (1, 1, 1)


def test_a_missing_answer_has_no_precision_in_the_qald_macro():
    scores = score_run([(gold(A), says(A)), (gold(A), None)])
    assert scores.f1_qald_macro == 0.5
    assert scores.missing == 1
    assert scores.answered == 0.5


def test_the_headline_leaves_unanswerable_turns_out():
    scores = score_run([(gold(A, position=1), says(A)), (gold(position=2), says(A)), (gold(position=3), says())])
    assert (scores.questions, scores.unanswerable) == (3, 2)
    assert (scores.f1, scores.precision, scores.f1_qald_macro, scores.p_at_1, scores.answered) == (1, 1, 1, 1, 1)
    assert scores.false_answers == 0.5
    assert scores.by_turn == {"1": GroupScore(1, 1.0, 1)}


def test_false_answers_are_counted_by_kind_where_the_file_tells_it():
    kinds = ("place", "place", "class", "")
    scores = score_run((gold(unanswerable=kind), says(A) if n != 1 else says()) for n, kind in enumerate(kinds))
    assert scores.false_answers == 0.75
    assert scores.false_answers_by_kind == {"class": FalseAnswerRate(1, 1.0), "place": FalseAnswerRate(2, 0.5)}


def test_what_is_remembered_is_a_false_answer_where_there_is_no_gold():
    memory = SystemAnswer(remembered=says(A).elements)
    scores = score_run([(gold(A), memory), (gold(unanswerable="place"), memory)])
    assert (scores.false_answers, scores.false_answers_by_kind["place"].false_answers) == (1, 1)
    assert (scores.answered, scores.from_memory) == (0, GroupScore(1, 1.0, 1))
    assert [trust_score(score_turn(each, memory)) for each in (gold(A), gold())] == [0, -1]


def test_turns_left_out_of_the_scoring_cost_but_do_not_count():
    asked = [(gold(A), says(A, seconds=1, queries=2)), (gold(A, is_scored=False), says(B, seconds=3, queries=4))]
    scores = score_run(asked)
    assert (scores.questions, scores.f1) == (1, 1)
    assert (scores.seconds_per_question, scores.queries_per_question) == (2, 3)


def test_percentiles_lie_between_neighbours():
    assert percentile([], 50) == 0
    assert percentile([7], 95) == 7
    assert percentile([1, 2], 50) == 1.5
    assert percentile([3, 1, 2], 100) == 3
    assert percentile([3, 1, 2], 0) == 1
