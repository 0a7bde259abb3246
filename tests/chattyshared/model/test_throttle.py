from __future__ import annotations

import threading
import time

import pytest
from chattyshared.errors import ModelRefused, ModelUnavailable
from chattyshared.model import Completion, Message, Request, Usage
from chattyshared.model.throttle import RETRIES, ThrottledModel
from chattyshared.rate_limit import RateLimiter, RateLimits
from wire.still_clock import StillClock

ASKED = Request("a", (Message("user", "x" * 400),))


class Script:
    """Says or raises one thing after another, the last for ever; knows when it was asked."""

    name = "m"

    def __init__(self, clock, *said):
        self.clock, self.said, self.times = clock, list(said), []

    def complete(self, request):
        self.times.append(self.clock())
        said = self.said.pop(0) if len(self.said) > 1 else self.said[0]
        if isinstance(said, Exception):
            raise said
        return said


def throttled(clock, *said, **limits):
    script = Script(clock, *said)
    pace = RateLimiter(RateLimits(**limits), clock=clock, sleep=clock.sleep)
    return script, ThrottledModel(script, pace, sleep=clock.sleep, jitter=lambda: 0.5)


WELL = Completion("x", Usage(1, 100, 100))


def test_requests_a_minute():
    clock = StillClock()
    script, model = throttled(clock, WELL, requests_per_minute=3)
    for _ in range(7):
        model.complete(ASKED)
    assert script.times == [0, 0, 0, 60, 60, 60, 120]


def test_tokens_a_minute_are_guessed_before_and_known_afterwards():
    clock = StillClock()
    script, model = throttled(clock, WELL, tokens_per_minute=499)
    for _ in range(4):
        model.complete(ASKED)  # guessed at 100, 200 in truth
    assert script.times == [0, 0, 60, 60]


def test_a_prompt_larger_than_a_minute_s_tokens_is_tried_in_an_empty_minute():
    clock = StillClock()
    script, model = throttled(clock, WELL, tokens_per_minute=50)
    for _ in range(2):
        model.complete(ASKED)
    assert script.times == [0, 60]


def test_waits_grow_and_a_part_of_them_is_chance():
    clock = StillClock()
    _, model = throttled(clock, ModelUnavailable("down", reason="lost"))
    with pytest.raises(ModelUnavailable, match="^down$"):
        model.complete(ASKED)
    assert clock.naps == [0.5 * 0.875, 0.875, 1.75, 3.5]


def test_every_reason_says_how_often_it_is_worth_asking_again():
    assert RETRIES == {"busy": 8, "failed": 4, "lost": 4, "late": 1, "garbled": 1, "closed": 0}
    for reason, retries in RETRIES.items():
        clock = StillClock()
        script, model = throttled(clock, ModelUnavailable("no", reason=reason))
        with pytest.raises(ModelUnavailable):
            model.complete(ASKED)
        assert len(script.times) == 1 + retries, reason


def test_a_model_that_declines_is_not_asked_again_and_what_went_before_is_counted():
    clock = StillClock()
    lost = ModelUnavailable("half", reason="garbled", usage=Usage(1, 100))
    script, model = throttled(clock, lost, ModelRefused("no", usage=Usage(1, 100, 5)))
    with pytest.raises(ModelRefused) as caught:
        model.complete(ASKED)
    assert (len(script.times), caught.value.usage) == (2, Usage(2, 200, 5))


def test_when_one_is_asked_to_wait_all_wait():
    clock = StillClock()
    script, model = throttled(clock, ModelUnavailable("busy", reason="busy", retry_after=20), WELL)
    model.complete(ASKED)
    model.rate_limiter.pause(5)
    model.complete(ASKED)
    assert script.times == [0, 20, 25]


def test_calls_refused_together_halve_the_number_once_and_it_creeps_up():
    pace = RateLimiter(RateLimits(max_concurrent=16))
    calls = [pace.begin_call(1) for _ in range(16)]
    for call in calls:
        pace.end_call(call, is_busy=True)
    assert pace.concurrency_limit == 8
    for _ in range(8):
        pace.end_call(pace.begin_call(1), is_success=True)
    assert pace.concurrency_limit == 8
    for _ in range(1 + 9 + 10 + 11 + 12 + 13 + 14 + 15 + 50):
        pace.end_call(pace.begin_call(1), is_success=True)
    assert pace.concurrency_limit == 16


def test_it_never_falls_below_one():
    pace = RateLimiter(RateLimits(max_concurrent=2))
    for _ in range(9):
        pace.end_call(pace.begin_call(1), is_busy=True)
    assert pace.concurrency_limit == 1


def test_it_is_halved_from_what_was_in_flight():
    pace = RateLimiter(RateLimits(max_concurrent=64))
    for call in [pace.begin_call(1) for _ in range(4)]:
        pace.end_call(call, is_busy=True)
    assert pace.concurrency_limit == 2


def test_no_more_calls_are_in_flight_than_may_be():
    release = threading.Event()

    class Slow:
        name = "m"

        def complete(self, request):
            in_flight.append(request)
            peak.append(len(in_flight))
            release.wait(2)
            in_flight.pop()
            return WELL

    in_flight, peak = [], []
    model = ThrottledModel(Slow(), RateLimiter(RateLimits(max_concurrent=2)))
    threads = [threading.Thread(target=model.complete, args=(ASKED,)) for _ in range(5)]
    for thread in threads:
        thread.start()
    time.sleep(0.02)
    release.set()
    for thread in threads:
        thread.join()
    assert max(peak) == 2


def test_a_long_wait_is_told_once(caplog):
    clock = StillClock()
    _, model = throttled(clock, ModelUnavailable("busy", reason="busy", retry_after=20))
    with pytest.raises(ModelUnavailable):
        model.complete(ASKED)
    assert [record.getMessage() for record in caplog.records if record.levelname == "WARNING"] == [
        "busy; asked again in 20 seconds"
    ]


@pytest.mark.parametrize(
    ("said", "told"),
    [("", "30 were empty"), ("Let me see.", "hold no JSON"), (('{"a', "length"), "30 were cut off after 5 tokens")],
)
def test_a_model_that_gives_nothing_usable_is_given_up_after_ten_items(said, told):
    text, finish = said if isinstance(said, tuple) else (said, "stop")
    replies = [Completion(text, Usage(1, 10, 5), finish)] * 29
    _, model = throttled(StillClock(), *replies, Completion("{}", Usage(1, 10, 5)), *replies, replies[0])
    asked = Request("test", (), {"type": "object"}, {})
    for _ in range(59):
        model.complete(asked)
    with pytest.raises(ModelUnavailable, match=told):
        model.complete(asked)


def test_a_text_that_was_asked_for_is_usable():
    _, model = throttled(StillClock(), *[Completion("", Usage(1, 10, 5))] * 40)
    assert {model.complete(Request("test", (), None, {})).text for _ in range(40)} == {""}
