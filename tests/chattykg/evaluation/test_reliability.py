import pytest
from turns_made import A, B, gold, says, turn

from chattykg.evaluation.reliability import (
    ReliabilityBin,
    RiskCoveragePoint,
    compute_risk_coverage,
    measure_reliability,
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
    assert found.bins == (
        ReliabilityBin(0.3, 1, 0.3, 0.0),
        ReliabilityBin(0.9, 3, pytest.approx(2.87 / 3), pytest.approx(2 / 3)),
    )
    assert (found.n, found.sure_n, found.sure_precision) == (4, 3, pytest.approx(2 / 3))
    assert found.ece == pytest.approx((0.3 + 0.87) / 4)
    assert found.auroc == 1.0


def test_auroc_counts_ties_one_half():
    assert rank_auroc([(0.5, True), (0.5, False)]) == 0.5
    assert rank_auroc([(0.9, True), (0.5, False), (0.5, True)]) == 0.75
    assert rank_auroc([(0.1, True), (0.9, False)]) == 0.0
    assert rank_auroc([(0.9, True)]) is None


def test_without_confidences_there_is_no_reliability():
    assert measure_reliability([turn(gold(A), says(A)), turn(gold(A), None)]) is None


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
