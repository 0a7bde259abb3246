"""The published figures, each by its own formula: every row is a trap that some table has fallen into."""

import pytest
from chattyshared.figures import Estimate
from turns_made import A, B, C, card, gold, says, turn

from chattykg.evaluation.metrics import (
    harmonic_mean,
    mean_f1,
    micro_f1,
    qald_macro,
    trust_score,
)
from chattykg.evaluation.report import render_screen


def test_micro_counts_all_elements_together():
    turns = [turn(gold(A), says(A)), turn(gold(A, B, C), says(A, "x", "y", "z", "w"))]
    assert micro_f1(turns) == pytest.approx(harmonic_mean(2 / 6, 2 / 4))


def test_the_macro_of_qald_is_no_mean_of_f1():
    turns = [turn(gold(A), says(A)), turn(gold(A, B), says()), turn(gold(A), says(B)), turn(gold(A), None)]
    assert mean_f1(turns) == 0.25
    assert qald_macro(turns) == pytest.approx(harmonic_mean(2 / 4, 1 / 4))


def test_over_all_questions_empty_gold_is_right_by_silence():
    silent, wrong, absent = turn(gold(), says()), turn(gold(), says(A)), turn(gold(), None)
    assert [each.f1 for each in (silent, wrong, absent)] == [1, 0, 0]
    assert qald_macro([silent, wrong]) == 0.5


def test_answered_only_leaves_silence_out_as_the_in_run_score_does():
    turns = [turn(gold(A), says(A)), turn(gold(A), says()), turn(gold(A), None), turn(gold(), says(A))]
    values = card(*turns).values
    assert (values["answered_only.f1"], values["f1"].value) == (Estimate(1, 1), pytest.approx(1 / 3))


def test_follow_ups_alone_leave_first_turns_out():
    turns = [turn(gold(A, position=1), says(A)), turn(gold(A, position=2), says(B)), turn(gold(position=3), says())]
    assert card(*turns).values["follow_ups_only.f1"] == Estimate(0, 1)


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
    assert mean_f1([]) == micro_f1([]) == qald_macro([]) == 0
    assert card().values["f1"] == Estimate(0, 0)
    assert render_screen([card()]).splitlines()[0].split(maxsplit=2) == ["F1", "-", "no turn has gold"]
