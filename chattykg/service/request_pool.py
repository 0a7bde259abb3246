"""Does work in threads, some at a time, in order for each conversation; a client that leaves stops its work."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from typing import TypeVar, cast

from chattyshared.errors import AnswerStopped
from chattyshared.runs.containment import UnexpectedError, catch_unexpected
from chattyshared.runs.threads import StopSignal

from chattykg.service.errors import RETRY_HEADERS, Failure
from chattykg.steps import AnswerProgress, AnswerStep

Result = TypeVar("Result")
Work = Callable[[AnswerProgress], Result]
"""Answers in a thread; reports its steps, and ends when the progress is stopped."""
MAX_QUEUED_REQUESTS = 1_000
"""Requests that may wait for one of the workers; further ones are refused with 503."""
MAX_WAITING_PER_SESSION = 8
"""Requests that may wait for one conversation, or queries of one client, while one works; further ones are refused with
429."""
_logger = logging.getLogger(__name__)


class RequestPool:
    """Runs work in threads, ``workers`` at a time, so that the event loop stays free.

    Work that takes more than ``seconds``, and that of a canceled request, stops at its next step, query or call of a
    model, and keeps its worker until then.
    """

    def __init__(self, workers: int, seconds: float) -> None:
        self._workers, self._seconds, self._count = workers, seconds, 0
        self._executor = ThreadPoolExecutor(workers, thread_name_prefix="answer")
        self._session_locks: dict[str, tuple[asyncio.Lock, int]] = {}

    @property
    def running_count(self) -> int:
        """The number of questions that are being answered."""
        return min(self._count, self._workers)

    @property
    def waiting_count(self) -> int:
        """The number of questions that wait for a worker."""
        return max(0, self._count - self._workers)

    async def run(self, work: Work[Result], *limits: StopSignal) -> Result:
        """Run work when a worker is free; one of ``limits`` stops it too.

        Raises:
            Failure: 503, too many requests wait already; 504, it takes too long; 500, an unexpected error.
        """
        items = [item async for item in self.stream(work, *limits)]
        return cast("Result", items[-1])

    async def stream(
        self, work: Work[Result], *limits: StopSignal, pause: float = 10
    ) -> AsyncGenerator[AnswerStep | Result | None]:
        """Yield the steps of some work as they happen, and its result; None after each ``pause`` seconds of silence.

        Raises:
            Failure: 503, too many requests wait already; 504, it takes too long; 500, an unexpected error.
        """
        self.require_room()
        self._count += 1
        loop, left = asyncio.get_running_loop(), threading.Event()
        steps: asyncio.Queue[AnswerStep | Failure | None] = asyncio.Queue()
        clocks: list[asyncio.TimerHandle] = []

        def tell(step: AnswerStep) -> None:
            loop.call_soon_threadsafe(steps.put_nowait, step)

        def start_clock() -> None:
            why = f"the answer takes more than {self._seconds:g} s: ask for less at once, or in other words"
            if not left.is_set():
                clocks.append(loop.call_later(self._seconds, steps.put_nowait, Failure(504, why)))

        def begin() -> Result | UnexpectedError:
            loop.call_soon_threadsafe(start_clock)
            return catch_unexpected(partial(work, AnswerProgress(tell, left, *limits)))

        def finish(future: asyncio.Future[Result | UnexpectedError]) -> None:
            self._count -= 1
            steps.put_nowait(None)
            _ = future.cancelled() or future.exception()  # nobody may wait for it any more

        running = loop.run_in_executor(self._executor, begin)
        running.add_done_callback(finish)
        try:
            while not running.done() or not steps.empty():
                try:
                    step = await asyncio.wait_for(steps.get(), pause)
                except TimeoutError:
                    yield None
                    continue
                if isinstance(step, Failure):
                    raise step
                if step is not None:
                    yield step
            if running.cancelled():
                raise AnswerStopped("the service stops")
            result = running.result()
            if isinstance(result, UnexpectedError):
                _logger.error("a request failed: %s\n%s", result, result.traceback)
                raise Failure(500, result.sentence)
            yield result
        finally:
            left.set()
            running.cancel()
            for clock in clocks:
                clock.cancel()

    def require_room(self) -> None:
        """Check that another request may wait for a worker.

        Raises:
            Failure: 503, too many requests wait already.
        """
        if self._count >= MAX_QUEUED_REQUESTS + self._workers:
            raise Failure(503, "too many questions are waiting: ask again in some seconds", RETRY_HEADERS)

    @asynccontextmanager
    async def hold_session(self, session: str) -> AsyncIterator[None]:
        """Let one request at a time work on a session ("": a new one); others wait in order without a worker.

        A client's queries are a session, too.

        Raises:
            Failure: 429, too many requests wait for this session already.
        """
        if not session:
            yield
            return
        lock, users = self._session_locks.get(session, (asyncio.Lock(), 0))
        if users > MAX_WAITING_PER_SESSION:
            raise Failure(
                429, "too many requests of yours wait already: ask again when one of them has its answer", RETRY_HEADERS
            )
        self._session_locks[session] = lock, users + 1
        try:
            async with lock:
                yield
        finally:
            lock, users = self._session_locks.pop(session)
            if users > 1:
                self._session_locks[session] = lock, users - 1

    def close(self) -> None:
        """Take no more work, and drop what has not begun."""
        self._executor.shutdown(wait=False, cancel_futures=True)
