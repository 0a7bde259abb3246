import pytest
from chattyshared.dialogue import Value

from chattykg.evaluation.aggregate_metrics import Rates, rates
from chattykg.evaluation.answer_matching import gold_text, gold_value, said
from chattykg.evaluation.metrics import Gold, Said, score_turn
from chattykg.evaluation.ranking_metrics import in_order, ndcg, ranks, reciprocal

A, B, C, D, E, F = (f"https://harbor.example/{name}" for name in "ABCDEF")


def turn(right: str, *answers: str, scores: tuple[float, ...] = ()):
    return score_turn(Gold("q", (gold_value(Value(right, "iri")),)), Said(tuple(map(said, answers)), scores=scores))


def test_ties_share_a_rank_and_the_next_score_has_the_next():
    assert ranks((0.9, 0.9, 0.5, 0.5, 0.1), 5) == (1, 1, 2, 2, 3)
    assert ranks((), 3) == (1, 2, 3)
    assert ranks((1.0,), 2) == (1, 2)
    assert ranks((), 0) == ()


def test_a_right_answer_among_those_tied_at_the_top_counts():
    tied = turn(B, A, B, scores=(0.7, 0.7))
    assert (tied.first_right, tied.rank) == (False, 1)
    assert turn(B, A, B, scores=(0.7, 0.6)).rank == 2
    assert turn(B, A, B).rank == 2
    assert turn(C, A, B).rank is None


def test_hit_at_5_looks_at_five_ranks():
    fifth, sixth = turn(E, A, B, C, D, E), turn(F, A, B, C, D, E, F)
    assert rates([fifth]).hit_at_5 == 1
    assert rates([sixth]).hit_at_5 == 0
    assert (rates([fifth]).mrr, rates([sixth]).mrr) == (0.2, pytest.approx(1 / 6))


def test_doubles_take_no_rank():
    assert turn(B, A, A, A, B).rank == 2
    assert turn(B, A, A, B, scores=(0.9, 0.9, 0.4)).rank == 2


def test_no_answer_has_no_rank_and_a_missing_label_matches_no_missing_prediction():
    silent = score_turn(Gold("q", (gold_text(A),)), Said(()))
    assert (silent.rank, reciprocal(silent.rank)) == (None, 0.0)
    unlabelled = score_turn(Gold("q", (gold_text(A, ""),)), Said((said(B, ""),)))
    assert (unlabelled.rank, unlabelled.first_right) == (None, False)
    assert score_turn(Gold("q", (gold_text(A, "none"),)), Said(())).rank is None


def test_a_boolean_is_right_by_its_value_alone():
    right = Gold("q", (gold_value(Value("true", "boolean")),))
    assert [score_turn(right, Said((said(text),))).rank for text in ("yes", "True", "no")] == [1, 1, None]


def test_p_at_1_above_hit_at_5_is_refused():
    with pytest.raises(AssertionError, match="P@1 above Hit@5"):
        Rates(n=1, p_at_1=0.5, p_at_1_tied=0.5, hit_at_5=0.4)


def test_ndcg_of_an_order_is_lower_backwards():
    assert in_order([0, 1, 2], 3) == 1
    assert 0 < in_order([2, 1, 0], 3) < in_order([1, 0, 2], 3) < 1
    assert in_order([None, 0, 1, 2], 3) < 1
    assert in_order([], 3) == 0
    assert in_order([0, 0, 0], 3) == in_order([0], 3)
    assert ndcg([], []) == 0
