import pytest
from turns_made import A, B, gold, says, turn

from chattykg.evaluation.reliability import ReliabilityBin, measure_reliability, rank_auroc


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
