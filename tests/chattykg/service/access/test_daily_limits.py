"""Limits a day: what reaches them, what survives a restart, and what a broken clock or file does."""

import logging
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from chattyshared.errors import ConfigError
from chattyshared.model import Usage

from chattykg.service.access.daily_limits import DailyBudget, DailyLimitReached, DailyLimits

NO_LIMITS = DailyLimits()
DAY = 86_400


class Clock:
    def __init__(self):
        self.now = datetime(2026, 11, 23, 22, 30, tzinfo=UTC).timestamp()

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def left(budget, account="", limits=NO_LIMITS):
    return {(state["of"], state["what"]): state["left"] for state in budget.describe(account, limits)}


def call(budget, account, usage, limits=NO_LIMITS):
    budget.begin_call(account, limits)
    budget.end_call(account, usage)


def test_a_limit_of_questions_holds_until_the_next_day(clock):
    budget = DailyBudget(DailyLimits(questions=2), clock=clock)
    budget.begin_question("", NO_LIMITS)
    budget.begin_question("", NO_LIMITS)
    with pytest.raises(DailyLimitReached) as error:
        budget.begin_question("", NO_LIMITS)
    said = "the service's limit of 2 questions a day is reached; it begins anew at 00:00 UTC"
    assert (str(error.value), error.value.seconds) == (said, 90 * 60 + 1)
    assert budget.describe("", NO_LIMITS) == [
        {"what": "questions a day", "limit": 2, "left": 0, "of": "service", "resets": "2026-11-24T00:00:00Z"}
    ]
    clock.now += 2 * 3600
    budget.begin_question("", NO_LIMITS)
    assert left(budget) == {("service", "questions a day"): 1}


def test_a_key_has_its_own_limit_within_that_of_the_service(clock):
    budget, own = DailyBudget(DailyLimits(questions=3), clock=clock), DailyLimits(questions=2)
    for _ in range(2):
        budget.begin_question("alice", own)
    with pytest.raises(DailyLimitReached, match="your key's limit of 2 questions a day"):
        budget.begin_question("alice", own)
    budget.begin_question("bob", own)
    with pytest.raises(DailyLimitReached, match="the service's limit of 3 questions a day"):
        budget.begin_question("bob", own)
    assert left(budget, "bob", own) == {("key", "questions a day"): 1, ("service", "questions a day"): 0}


def test_tokens_and_money_are_counted_after_each_call(clock):
    budget, own = DailyBudget(DailyLimits(usd=1.0), clock=clock), DailyLimits(tokens=1000)
    call(budget, "alice", Usage(1, 300, 100, usd=0.6), own)
    assert left(budget, "alice", own) == {("key", "tokens a day"): 600, ("service", "USD a day"): 0.4}
    call(budget, "bob", Usage(1, 300, 100, usd=0.6))
    with pytest.raises(DailyLimitReached, match="the service's limit of 1 USD a day"):
        budget.begin_question("carol", NO_LIMITS)
    with pytest.raises(DailyLimitReached, match="1 USD"):
        budget.begin_call("carol", NO_LIMITS)


def test_a_limit_of_questions_does_not_stop_the_calls_of_the_last_one(clock):
    budget = DailyBudget(DailyLimits(questions=1), clock=clock)
    budget.begin_question("", NO_LIMITS)
    call(budget, "", Usage(1, 5, 5))
    with pytest.raises(DailyLimitReached, match="the service's limit of 1 questions a day"):
        budget.begin_question("", NO_LIMITS)


def test_fifty_questions_at_once_keep_a_limit(clock):
    budget = DailyBudget(DailyLimits(questions=20), clock=clock)

    def ask(_):
        try:
            budget.begin_question("", NO_LIMITS)
        except DailyLimitReached:
            return False
        return True

    with ThreadPoolExecutor(10) as pool:
        assert sum(pool.map(ask, range(50))) == 20


def test_a_restart_remembers_the_day(tmp_path, clock):
    path, limits = tmp_path / "spent.sqlite", DailyLimits(questions=2, usd=1.0)
    budget = DailyBudget(limits, path, clock=clock)
    budget.begin_question("alice", NO_LIMITS)
    call(budget, "alice", Usage(1, 10, 90, usd=0.4))
    again = DailyBudget(limits, path, clock=clock)  # the first one was killed
    assert left(again) == {("service", "questions a day"): 1, ("service", "USD a day"): 0.6}
    clock.now += DAY
    tomorrow = DailyBudget(limits, path, clock=clock)
    assert left(tomorrow) == {("service", "questions a day"): 2, ("service", "USD a day"): 1.0}


@pytest.mark.parametrize("is_kept", [True, False])
def test_a_clock_that_jumps_back_gives_nothing_for_free(tmp_path, clock, is_kept):
    budget = DailyBudget(DailyLimits(questions=2), tmp_path / "spent.sqlite" if is_kept else None, clock=clock)
    budget.begin_question("", NO_LIMITS)
    clock.now += 400 * DAY
    assert left(budget) == {("service", "questions a day"): 2}
    clock.now -= 400 * DAY + 3600
    assert left(budget) == {("service", "questions a day"): 1}


@pytest.mark.parametrize("content", [b"no database at all, but some text" * 9, None])
def test_a_broken_file_is_refused_at_the_start(tmp_path, content):
    path = tmp_path / "spent.sqlite"
    if content is None:
        path.mkdir()
    else:
        path.write_bytes(content)
    with pytest.raises(ConfigError, match="what was spent today cannot be kept there"):
        DailyBudget(DailyLimits(questions=2), path)


def test_no_question_is_taken_while_it_cannot_be_written(tmp_path, clock, caplog):
    path = tmp_path / "spent.sqlite"
    budget = DailyBudget(DailyLimits(usd=1.0), path, clock=clock)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("ALTER TABLE daily_spending RENAME TO gone")
    with caplog.at_level(logging.WARNING):
        for _ in range(5):
            budget.end_call("", Usage(1, 10, 10, usd=0.1))
    assert len(caplog.records) == 1 and "no question is taken until it can" in caplog.text
    with pytest.raises(ConfigError, match="cannot be kept there"):
        budget.begin_question("", NO_LIMITS)
    other.execute("ALTER TABLE gone RENAME TO daily_spending")
    other.close()
    budget.begin_question("", NO_LIMITS)
    assert left(DailyBudget(DailyLimits(usd=1.0), path, clock=clock)) == {("service", "USD a day"): 0.5}
