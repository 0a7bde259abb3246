import pytest
from turns_made import A, B, gold, says, turn

from chattykg.evaluation.significance import bootstrap_intervals, run_paired_test


def turns(right: int, wrong: int, size: int = 1):
    """Make dialogues of ``size`` turns, all right or all wrong."""
    made = []
    for number in range(right + wrong):
        for place in range(size):
            said = says(A) if number < right else says(B)
            made.append(turn(gold(A, id=f"{number}/{place}", dialogue=str(number)), said))
    return made


def test_intervals_hold_the_mean_and_repeat():
    found = bootstrap_intervals(turns(30, 10))["f1"]
    assert found.low < 0.75 < found.high
    assert 0.55 < found.low and found.high < 0.9
    assert bootstrap_intervals(turns(30, 10))["f1"] == found
    few = [bootstrap_intervals(turns(30, 10), seed=seed, samples=20)["f1"] for seed in range(5)]
    assert len(set(few)) > 1


def test_turns_of_one_dialogue_stand_and_fall_together():
    alone = bootstrap_intervals(turns(30, 10))["f1"]
    together = bootstrap_intervals(turns(3, 1, size=10))["f1"]
    assert together.high - together.low > 2 * (alone.high - alone.low)


def test_intervals_of_what_never_varies_are_points_and_of_nothing_none():
    found = bootstrap_intervals(turns(5, 0))
    assert (found["f1"].low, found["f1_qald_macro"].high, found["answered"].low) == (1, 1, 1)
    assert bootstrap_intervals([]) == {}


def test_a_clear_winner_is_told_from_chance():
    better, worse = turns(40, 0), turns(20, 20)
    found = run_paired_test(worse, better)
    assert found.difference == 0.5
    assert found.p < 0.001
    assert found.interval.low > 0.3


def test_equal_systems_have_no_difference():
    found = run_paired_test(turns(5, 5), turns(5, 5))
    assert (found.difference, found.p, found.interval.low, found.interval.high) == (0, 1, 0, 0)


def test_one_question_more_is_chance():
    assert run_paired_test(turns(5, 5), turns(6, 4)).p > 0.9
    assert run_paired_test([], []).p == 1


def test_no_p_is_less_than_so_few_dialogues_can_reach():
    for count in range(1, 16):
        found = run_paired_test(turns(0, count), turns(count, 0))
        assert (found.units, found.least_p) == (count, 2 ** (1 - count))
        assert found.p >= found.least_p
        assert count > 11 or found.p == found.least_p
    assert run_paired_test(turns(0, 4), turns(3, 1)).p == 0.25  # of the four, three differ
    assert run_paired_test(turns(0, 1, size=9), turns(1, 0, size=9)).p == 1  # turns of one dialogue are one unit


def test_other_turns_are_refused():
    with pytest.raises(ValueError, match="on the same turns"):
        run_paired_test(turns(1, 0), turns(2, 0))
