from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time

import pytest
from chattyshared.runs.threads import map_unordered


def square(number):
    return number * number


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_every_item_is_done_once(workers):
    assert sorted(map_unordered(square, range(50), workers=workers)) == [(n, n * n) for n in range(50)]


def test_one_worker_is_the_calling_thread_and_keeps_the_order():
    seen = list(map_unordered(lambda _: threading.current_thread(), range(3), workers=1))
    assert seen == [(n, threading.current_thread()) for n in range(3)]


@pytest.mark.parametrize("workers", [1, 3])
def test_items_are_taken_only_as_they_are_needed(workers):
    taken = []

    def items():
        for number in range(1000):
            taken.append(number)
            yield number

    results = map_unordered(square, items(), workers=workers)
    next(results)
    assert len(taken) <= 2 * workers
    results.close()


@pytest.mark.parametrize("workers", [1, 3])
def test_what_an_item_raises_comes_through_and_nothing_begins_after_it(workers):
    begun = []

    def work(number):
        begun.append(number)
        if number == 4:
            raise LookupError("four")
        return number

    got = []
    with pytest.raises(LookupError, match="four"):
        for index, _ in map_unordered(work, range(1000), workers=workers):
            got.append(index)
    assert {0, 1, 2, 3} <= set(got)
    assert len(begun) <= 5 + 2 * workers


def test_what_was_running_when_one_failed_is_not_lost():
    begun = threading.Event()

    def work(number):
        if number == 0:
            begun.wait(5)
            raise LookupError
        begun.set()
        time.sleep(0.05)
        return number

    got = []
    with pytest.raises(LookupError):
        for pair in map_unordered(work, [0, 1], workers=2):
            got.append(pair)
    assert got == [(1, 1)]


@pytest.mark.parametrize("workers", [1, 3])
def test_what_the_items_raise_comes_through_after_the_results(workers):
    def items():
        yield 1
        yield 2
        raise LookupError("no more")

    got = []
    with pytest.raises(LookupError, match="no more"):
        for pair in map_unordered(square, items(), workers=workers):
            got.append(pair)
    assert sorted(got) == [(0, 1), (1, 4)]


@pytest.mark.parametrize("workers", [1, 3])
def test_after_a_stop_nothing_begins(workers):
    stop = threading.Event()
    done = []
    for index, _ in map_unordered(square, range(1000), workers=workers, stop=stop):
        done.append(index)
        stop.set()
    assert 1 <= len(done) <= 2 * workers


def test_an_interrupt_ends_the_program_at_once():
    program = (
        "import signal, time\nfrom chattyshared.runs.threads import map_unordered\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a background job inherits that it is ignored
        "print('on', flush=True)\n"
        "list(map_unordered(lambda n: time.sleep(60), range(9), workers=3))"
    )
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.readline()
    time.sleep(0.2)
    began = time.perf_counter()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=20)
    assert time.perf_counter() - began < 5
    assert said.strip().endswith(b"KeyboardInterrupt")
