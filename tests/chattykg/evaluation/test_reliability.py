import pytest
from turns_made import A, B, gold, says, turn

from chattykg.evaluation.reliability import (
    measure_reliability,
    measure_risk,
    rank_auroc,
)


def test_bins_compare_confidence_with_the_share_of_right_answers():
    found = measure_reliability(
        [
            turn(gold(A), says(A, confidence=0.95)),
            turn(gold(A), says(A, confidence=1.0)),
            turn(gold(), says(B, confidence=0.92)),
            turn(gold(A), says(B, confidence=0.3)),
            turn(gold(A), says()),
        ]
    )
    assert found is not None
    assert found["bins"] == [
        {"low": 0.3, "n": 1, "confidence": 0.3, "right": 0.0},
        {"low": 0.9, "n": 3, "confidence": pytest.approx(2.87 / 3), "right": pytest.approx(2 / 3)},
    ]
    assert (found["n"], found["sure_n"], found["sure_precision"]) == (4, 3, pytest.approx(2 / 3))
    assert found["ece"] == pytest.approx((0.3 + 0.87) / 4)
    assert found["auroc"] == 1.0


def test_auroc_counts_ties_one_half():
    assert rank_auroc([(0.5, True), (0.5, False)]) == 0.5
    assert rank_auroc([(0.9, True), (0.5, False), (0.5, True)]) == 0.75
    assert rank_auroc([(0.1, True), (0.9, False)]) == 0.0
    assert rank_auroc([(0.9, True)]) is None


def test_without_confidences_there_is_no_reliability():
    assert measure_reliability([turn(gold(A), says(A)), turn(gold(A), None)]) is None


def test_the_curve_goes_from_the_surest_answer_down():
    found = measure_risk(
        [
            turn(gold(A), says(A, confidence=0.9)),
            turn(gold(A), says(B, confidence=0.5)),
            turn(gold(), says(B, confidence=0.4)),
            turn(gold(A), says()),
        ]
    )
    assert found == {
        "at": {
            "0.3": {"coverage": 0.75, "risk": pytest.approx(2 / 3)},
            "0.5": {"coverage": 0.5, "risk": 0.5},
            "0.7": {"coverage": 0.25, "risk": 0},
            "0.9": {"coverage": 0.25, "risk": 0},
        },
        "area": pytest.approx((0 + 1 / 2 + 2 / 3) / 3),
    }


def test_equally_sure_answers_are_one_point_whatever_their_order():
    right, wrong = turn(gold(A), says(A, confidence=0.7)), turn(gold(A), says(B, confidence=0.7))
    one, other = measure_risk([right, wrong]), measure_risk([wrong, right])
    assert one == other
    assert one["at"]["0.7"] == {"coverage": 1.0, "risk": 0.5} and one["at"]["0.9"] == {"coverage": 0, "risk": None}
    assert one["area"] == 0.5


def test_without_confidences_there_is_no_curve():
    assert measure_risk([turn(gold(A), says(A)), turn(gold(A), None)]) is None
    assert measure_risk([]) is None
