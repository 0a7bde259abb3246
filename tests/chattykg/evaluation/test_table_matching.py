import pytest

from chattykg.evaluation.answer_matching import element_from_answer, element_from_gold_texts
from chattykg.evaluation.table_matching import MAX_ASSIGNED_ROWS, RowScore, max_assignment_weight, score_rows


def rows(make, *texts: str):
    return [tuple(make(cell) for cell in text.split()) for text in texts]


def compare(gold: list[str], answer: list[str]) -> RowScore:
    return score_rows(rows(element_from_gold_texts, *gold), rows(element_from_answer, *answer))


def test_equal_tables_are_right_in_any_order_of_rows_and_columns():
    assert compare(["a 1", "b 2"], ["2 b", "1.0 A"]) == RowScore(1, 1)


def test_extra_columns_are_forgiven_by_assignment_and_not_by_identity():
    assert compare(["a b c", "d e f"], ["c x a b", "f e d y"]) == RowScore(0, 1)


def test_extra_rows_are_not_forgiven():
    found = compare(["a b", "g h"], ["a b", "c d", "e f"])
    assert found.assigned == pytest.approx(0.5)  # one of two found; one row beyond gold's two
    assert found.exact == pytest.approx(0.4)


def test_rows_that_are_half_right_count_by_what_they_hold_of_gold():
    found = compare(["a b", "d e f"], ["a b c", "d e"])
    assert found.assigned == pytest.approx(0.9090909)
    assert found.exact == 0


def test_the_assignment_is_the_best_one_and_not_the_first():
    assert compare(["a b", "a c"], ["a", "a b"]).assigned == pytest.approx(2 * 0.75 / 1.75)


def test_empty_tables():
    assert compare([], []) == RowScore(1, 1)
    assert compare(["a"], []) == compare([], ["a"]) == RowScore(0, 0)


def test_doubles_count_once():
    assert compare(["a b", "a b", "c d"], ["a b", "c d", "c d"]) == RowScore(1, 1)


def test_nothing_in_common_is_nothing():
    assert compare(["a b"], ["c d"]) == RowScore(0, 0)


def test_many_half_right_rows_are_left_to_the_identical_ones():
    gold = [f"k{i} v" for i in range(MAX_ASSIGNED_ROWS + 5)]
    found = compare([*gold, "x y"], [*(f"z{i} v" for i in range(MAX_ASSIGNED_ROWS + 5)), "x y"])
    assert found.exact == found.assigned == pytest.approx(1 / (MAX_ASSIGNED_ROWS + 6))


def test_weights_are_assigned_greatest_sum_first():
    assert max_assignment_weight([[0.9, 0.8], [0.8, 0.1]]) == pytest.approx(1.6)
    assert max_assignment_weight([[0.5], [0.7], [0.2]]) == pytest.approx(0.7)
    assert max_assignment_weight([[0.1, 0.2, 0.9]]) == pytest.approx(0.9)
    assert max_assignment_weight([[7, 5, 11], [5, 4, 1], [9, 3, 2]]) == pytest.approx(24)
