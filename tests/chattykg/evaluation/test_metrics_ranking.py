import pytest
from chattyshared.answers import AnswerLine
from chattyshared.dialogue import Value

from chattykg.evaluation.answer_matching import element_from_answer, element_from_gold_texts, element_from_value
from chattykg.evaluation.metrics import (
    MEASURES,
    Gold,
    SystemAnswer,
    ndcg,
    ndcg_of_positions,
    reciprocal_rank,
    score_turn,
    tied_ranks,
)

A, B, C, D, E, F = (f"https://harbor.example/{name}" for name in "ABCDEF")


def turn(right: str, *answers: str, scores: tuple[float, ...] = ()):
    return score_turn(
        Gold("q", (element_from_value(Value(right, "iri")),)),
        SystemAnswer(tuple(map(element_from_answer, answers)), AnswerLine("q", scores=scores)),
    )


def test_ties_share_a_rank_and_the_next_score_has_the_next():
    assert tied_ranks((0.9, 0.9, 0.5, 0.5, 0.1), 5) == (1, 1, 2, 2, 3)
    assert tied_ranks((), 3) == (1, 2, 3)
    assert tied_ranks((1.0,), 2) == (1, 2)
    assert tied_ranks((), 0) == ()


def test_a_right_answer_among_those_tied_at_the_top_counts():
    tied = turn(B, A, B, scores=(0.7, 0.7))
    assert (tied.is_first_right, tied.first_right_rank) == (False, 1)
    assert turn(B, A, B, scores=(0.7, 0.6)).first_right_rank == 2
    assert turn(B, A, B).first_right_rank == 2
    assert turn(C, A, B).first_right_rank is None


def test_hit_at_5_looks_at_five_ranks():
    fifth, sixth = turn(E, A, B, C, D, E), turn(F, A, B, C, D, E, F)
    assert [MEASURES["hit_at_5"](each) for each in (fifth, sixth)] == [1, 0]
    assert [MEASURES["mrr"](each) for each in (fifth, sixth)] == [0.2, pytest.approx(1 / 6)]


def test_doubles_take_no_rank():
    assert turn(B, A, A, A, B).first_right_rank == 2
    assert turn(B, A, A, B, scores=(0.9, 0.9, 0.4)).first_right_rank == 2


def test_no_answer_has_no_rank_and_a_missing_label_matches_no_missing_prediction():
    silent = score_turn(Gold("q", (element_from_gold_texts(A),)), SystemAnswer(()))
    assert (silent.first_right_rank, reciprocal_rank(silent.first_right_rank)) == (None, 0.0)
    unlabelled = score_turn(Gold("q", (element_from_gold_texts(A, ""),)), SystemAnswer((element_from_answer(B, ""),)))
    assert (unlabelled.first_right_rank, unlabelled.is_first_right) == (None, False)
    assert score_turn(Gold("q", (element_from_gold_texts(A, "none"),)), SystemAnswer(())).first_right_rank is None


def test_a_boolean_is_right_by_its_value_alone():
    right = Gold("q", (element_from_value(Value("true", "boolean")),))
    assert [
        score_turn(right, SystemAnswer((element_from_answer(text),))).first_right_rank for text in ("yes", "True", "no")
    ] == [1, 1, None]


def test_ndcg_of_an_order_is_lower_backwards():
    assert ndcg_of_positions([0, 1, 2], 3) == 1
    assert 0 < ndcg_of_positions([2, 1, 0], 3) < ndcg_of_positions([1, 0, 2], 3) < 1
    assert ndcg_of_positions([None, 0, 1, 2], 3) < 1
    assert ndcg_of_positions([], 3) == 0
    assert ndcg_of_positions([0, 0, 0], 3) == ndcg_of_positions([0], 3)
    assert ndcg([], []) == 0
