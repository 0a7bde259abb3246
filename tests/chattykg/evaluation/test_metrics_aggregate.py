"""The published figures, each by its own formula: every row is a trap that some table has fallen into."""

from dataclasses import asdict

import pytest
from turns_made import A, B, C, gold, says, turn

from chattykg.evaluation.metrics import (
    aggregate_turns,
    harmonic_mean,
    select_answerable,
    select_answered,
    select_follow_ups,
    trust_score,
)


def test_micro_counts_all_elements_together():
    found = aggregate_turns([turn(gold(A), says(A)), turn(gold(A, B, C), says(A, "x", "y", "z", "w"))])
    assert found.precision_micro == pytest.approx(2 / 6)
    assert found.recall_micro == pytest.approx(2 / 4)
    assert found.f1_micro == pytest.approx(harmonic_mean(1 / 3, 1 / 2))


def test_the_macro_of_qald_is_no_mean_of_f1():
    turns = [turn(gold(A), says(A)), turn(gold(A, B), says()), turn(gold(A), says(B)), turn(gold(A), None)]
    found = aggregate_turns(turns)
    assert found.f1 == 0.25
    assert found.f1_qald_macro == pytest.approx(harmonic_mean(2 / 4, 1 / 4))


def test_over_all_questions_empty_gold_is_right_by_silence():
    silent, wrong, absent = turn(gold(), says()), turn(gold(), says(A)), turn(gold(), None)
    assert [each.f1 for each in (silent, wrong, absent)] == [1, 0, 0]
    assert aggregate_turns([silent, wrong]).f1_qald_macro == 0.5


def test_answered_only_leaves_silence_out_as_the_in_run_score_does():
    turns = [turn(gold(A), says(A)), turn(gold(A), says()), turn(gold(A), None), turn(gold(), says(A))]
    assert aggregate_turns(select_answered(turns)).f1 == 1
    assert aggregate_turns(select_answerable(turns)).f1 == pytest.approx(1 / 3)


def test_follow_ups_alone_leave_first_turns_out():
    turns = [turn(gold(A, position=1), says(A)), turn(gold(A, position=2), says(B)), turn(gold(position=3), says())]
    assert (aggregate_turns(select_follow_ups(turns)).n, aggregate_turns(select_follow_ups(turns)).p_at_1) == (1, 0)


def test_trust_rewards_what_is_right_and_punishes_what_is_wrong():
    assert trust_score(turn(gold(A, B), says(A, B))) == 1
    assert trust_score(turn(gold(A, B), says(A))) == -1  # not gold's set: F1 is not 1
    assert trust_score(turn(gold(A), says())) == trust_score(turn(gold(A), None)) == 0
    assert trust_score(turn(gold(), says())) == 1
    assert trust_score(turn(gold(), says(A))) == -1


def test_exact_match_is_gold_and_nothing_else():
    assert turn(gold(A, B), says(B, A, A)).is_exact
    assert not turn(gold(A, B), says(A)).is_exact
    assert not turn(gold(A), says(A, B)).is_exact


def test_of_nothing_all_rates_are_nothing():
    assert set(asdict(aggregate_turns([])).values()) == {0}
