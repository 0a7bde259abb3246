import pytest
from turns_made import A, B, gold, says, turn

from chattykg.evaluation.risk_coverage import RiskCoveragePoint, compute_risk_coverage


def test_the_curve_goes_from_the_surest_answer_down():
    found = compute_risk_coverage(
        [
            turn(gold(A), says(A, confidence=0.9)),
            turn(gold(A), says(B, confidence=0.5)),
            turn(gold(), says(B, confidence=0.4)),
            turn(gold(A), says()),
        ]
    )
    assert found is not None
    assert found.points == (
        RiskCoveragePoint(0.9, 0.25, 0.0, 1, 0, 3),
        RiskCoveragePoint(0.5, 0.5, 0.5, 1, 1, 2),
        RiskCoveragePoint(0.4, 0.75, pytest.approx(2 / 3), 1, 2, 1),
    )
    assert found.area == pytest.approx((0 + 1 / 2 + 2 / 3) / 3)


def test_equally_sure_answers_are_one_point_whatever_their_order():
    right, wrong = turn(gold(A), says(A, confidence=0.7)), turn(gold(A), says(B, confidence=0.7))
    one, other = compute_risk_coverage([right, wrong]), compute_risk_coverage([wrong, right])
    assert one == other
    assert one is not None and one.points == (RiskCoveragePoint(0.7, 1.0, 0.5, 1, 1, 0),)
    assert one.area == 0.5


def test_without_confidences_there_is_no_curve():
    assert compute_risk_coverage([turn(gold(A), says(A)), turn(gold(A), None)]) is None
    assert compute_risk_coverage([]) is None
