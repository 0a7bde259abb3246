import pytest
from turns_made import A, B, gold, says, turn

from chattykg.evaluation.risk_coverage import Point, curve, thinned


def test_the_curve_goes_from_the_surest_answer_down():
    found = curve(
        [
            turn(gold(A), says(A, confidence=0.9)),
            turn(gold(A), says(B, confidence=0.5)),
            turn(gold(), says(B, confidence=0.4)),
            turn(gold(A), says()),
        ]
    )
    assert found is not None
    assert found.points == (
        Point(0.9, 0.25, 0.0, 1, 0, 3),
        Point(0.5, 0.5, 0.5, 1, 1, 2),
        Point(0.4, 0.75, pytest.approx(2 / 3), 1, 2, 1),
    )
    assert found.area == pytest.approx((0 + 1 / 2 + 2 / 3) / 3)


def test_equally_sure_answers_are_one_point_whatever_their_order():
    right, wrong = turn(gold(A), says(A, confidence=0.7)), turn(gold(A), says(B, confidence=0.7))
    one, other = curve([right, wrong]), curve([wrong, right])
    assert one == other
    assert one is not None and one.points == (Point(0.7, 1.0, 0.5, 1, 1, 0),)
    assert one.area == 0.5


def test_without_confidences_there_is_no_curve():
    assert curve([turn(gold(A), says(A)), turn(gold(A), None)]) is None
    assert curve([]) is None


def test_a_long_curve_keeps_its_ends():
    points = [Point(1 - n / 100, n / 100, 0.0, n, 0, 100 - n) for n in range(1, 101)]
    kept = thinned(points, 5)
    assert (len(kept), kept[0], kept[-1]) == (5, points[0], points[-1])
    assert thinned(points[:3], 5) == tuple(points[:3])
