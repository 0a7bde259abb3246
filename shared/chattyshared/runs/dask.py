"""A runner on the workers of a Dask cluster; the only module that imports Dask."""

from __future__ import annotations

import logging
import queue
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from types import TracebackType
from typing import Any, TypeVar

from chattyshared.errors import ChattyError, ConfigError, WorkersLost
from chattyshared.model.spend_log import Spending
from chattyshared.runs.manifest import install_command
from chattyshared.runs.remote_worker import ItemReport, WorkerJob, close_job, pack_task, run_task, unpack_report
from chattyshared.runs.threads import StopSignal
from chattyshared.trace import Trace

WorkContext = TypeVar("WorkContext")
Item = TypeVar("Item")
Result = TypeVar("Result")

logger = logging.getLogger(__name__)
SCHEDULER_TIMEOUT = 10.0
"""Seconds that a scheduler may take to answer at the start, and that a run waits for workers before it warns."""
CHECK_INTERVAL = 2.0
"""Seconds between two checks of the number of workers."""
RESUME_HINT = "what is finished is on disk, the same command goes on from there, on this runner or another"
_RUN_NUMBERS = count(1)


class DaskCluster:
    """A connection to a scheduler, as a context manager. At the end, the jobs of this client are closed at the
    workers."""

    def __init__(self, address: str, *, timeout: float = SCHEDULER_TIMEOUT) -> None:
        """Connect.

        Raises:
            ConfigError: Dask is not installed, or no scheduler answers at ``address``.
        """
        try:
            import distributed
        except ImportError as error:
            raise ConfigError(f"a cluster (--set scheduler=) needs Dask: {install_command('dist')}") from error
        # Dask logs lost connections with tracebacks; our own errors report them.
        for name in ("client", "comm", "core", "utils"):
            logging.getLogger(f"distributed.{name}").setLevel(logging.CRITICAL)
        connect: Any = distributed.Client
        try:
            self._client: Any = connect(address, timeout=timeout, set_as_default=False, name="chatty")
        except (OSError, ValueError, TypeError) as error:
            message = " ".join(str(error).split())[:200]
            raise ConfigError(f"no Dask scheduler answers at {address} ({message})") from error
        self.address = address
        self._job_names: list[str] = []

    def __enter__(self) -> DaskCluster:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def make_runner(self, job: WorkerJob, on_spent: Callable[[Spending], None] = lambda _: None) -> DaskRunner:
        """Return a runner for one job; ``on_spent`` is called with the workers' spending."""
        self._job_names.append(job.name)
        return DaskRunner(self._client, self.address, job, on_spent)

    def close(self) -> None:
        """Close the jobs at the workers that can be reached, and disconnect."""
        with suppress(OSError, CancelledError, RuntimeError):
            if self._client.status == "running":
                for name in self._job_names:
                    self._client.run(close_job, name, on_error="ignore")
        with suppress(OSError, CancelledError, RuntimeError):
            self._client.close(timeout=2)


@dataclass(frozen=True, slots=True)
class DaskRunner:
    """Processes each item on a worker of the cluster; if the worker dies, on another one.

    As many items are in flight as the workers have threads.
    """

    client: Any
    address: str
    job: WorkerJob
    on_spent: Callable[[Spending], None]

    def map_unordered(
        self,
        work: Callable[[WorkContext, Item], Result],
        context: WorkContext,
        items: Iterable[Item],
        *,
        stop: StopSignal | None = None,
        trace: Trace | None = None,
    ) -> Iterator[tuple[int, Result]]:
        """Yield results as ``Runner`` does; ``context`` is ignored, since the workers open their own.

        Raises:
            WorkersLost: the scheduler is gone, or an item has crashed several workers.
        """
        return _ItemRun(self, work, stop, trace).map_unordered(items)


class _ItemRun:
    """One run over items: the items in flight, and the finished ones."""

    def __init__(
        self, runner: DaskRunner, work: Callable[[Any, Any], Any], stop: StopSignal | None, trace: Trace | None
    ) -> None:
        self._runner, self._client, self._work, self._stop = runner, runner.client, work, stop
        self._trace = trace if trace is not None and trace.path is not None else None
        self._finished: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._in_flight: dict[Any, int] = {}
        self._error: BaseException | None = None
        self._threads, self._checked_at, self._warned = 0, -CHECK_INTERVAL, False
        self._run_number = next(_RUN_NUMBERS)

    def map_unordered(self, items: Iterable[Any]) -> Iterator[tuple[int, Any]]:
        """Yield results as they come."""
        feed = iter(enumerate(items))
        try:
            self._fill(feed)
            while self._in_flight:
                future = self._next_finished()
                index, report = self._in_flight.pop(future), self._fetch_report(future)
                if self._trace is not None:
                    self._trace.append_lines(report.lines)
                self._runner.on_spent(report.spent)
                self._error = self._error or report.error
                for result in report.results:
                    yield index, result
                self._fill(feed)
            if self._error is not None:
                raise self._error
        finally:
            if self._in_flight:
                with suppress(OSError, CancelledError, RuntimeError):
                    self._client.cancel(list(self._in_flight))

    def _fill(self, feed: Iterator[tuple[int, Any]]) -> None:
        while (
            self._error is None and not (self._stop and self._stop.is_set()) and len(self._in_flight) < self._capacity()
        ):
            try:
                task = next(feed, None)
            except ChattyError as error:
                self._error = error  # raised like a worker's error: after the items in flight
                return
            if task is None:
                return
            index, item = task
            job = self._runner.job
            future = self._client.submit(
                run_task, pack_task(job, self._work, item, is_traced=self._trace is not None),
                key=f"{job.name}-{self._run_number}-{index}", pure=False,
            )  # fmt: skip
            self._in_flight[future] = index
            future.add_done_callback(self._finished.put)

    def _capacity(self) -> int:
        """Return how many items may be in flight: one per thread of the workers, at least one."""
        if time.monotonic() - self._checked_at >= CHECK_INTERVAL:
            with self._map_connection_errors():
                self._threads = sum(self._client.nthreads().values())
            self._checked_at = time.monotonic()
        return max(1, self._threads)

    def _next_finished(self) -> Any:
        """Wait for an item to finish; warn once if there are no workers."""
        while True:
            try:
                return self._finished.get(timeout=SCHEDULER_TIMEOUT)
            except queue.Empty:
                self._capacity()
            if not self._threads and not self._warned:
                logger.warning("the scheduler at %s has no workers: waiting for some", self._runner.address)
                self._warned = True

    def _fetch_report(self, future: Any) -> ItemReport[Any]:
        """Return the report of a finished item."""
        from distributed import KilledWorker

        with self._map_connection_errors():
            if future.status != "error":
                return unpack_report(future.result())
            error = future.exception()
        if isinstance(error, KilledWorker):
            workers = f"{error.allowed_failures + 1} workers down, one after the other"
            message = f"an item has taken {workers} ({_short_message(error)})"
            raise WorkersLost(f"{message}: look into the workers' logs; {RESUME_HINT}") from error
        if isinstance(error, ImportError) or isinstance(error.__cause__, ImportError):
            message = f"the workers cannot load what they shall do ({_short_message(error)})"
            raise ConfigError(f"{message}: install the same version of chattykg where they run") from error
        raise error

    @contextmanager
    def _map_connection_errors(self) -> Iterator[None]:
        """Map a lost scheduler to ``WorkersLost``."""
        try:
            yield
        except (CancelledError, OSError) as error:
            raise WorkersLost(
                f"the connection to the scheduler at {self._runner.address} is lost; {RESUME_HINT}"
            ) from error


def _short_message(error: Exception) -> str:
    return " ".join(str(error).split())[:200]


@contextmanager
def open_cluster(options: Mapping[str, Any]) -> Iterator[DaskCluster | None]:
    """Connect to the scheduler in a command's options; yield None for the threads runner.

    Raises:
        ConfigError: Dask is not installed, or no scheduler answers.
    """
    address = options.get("scheduler")
    if not address:
        yield None
        return
    with DaskCluster(address) as cluster:
        yield cluster
