"""A runner whose workers are those of a Dask cluster: the only file that imports Dask."""

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
from chattyshared.runs.runner import scheduler_of
from chattyshared.runs.threads import StopSignal
from chattyshared.trace import Trace

WorkContext = TypeVar("WorkContext")
Item = TypeVar("Item")
Result = TypeVar("Result")

logger = logging.getLogger(__name__)
PATIENCE = 10.0
"""Seconds that a scheduler may take to answer at the start, and that a run waits for workers before it says so."""
LOOK = 2.0
"""Seconds between two looks at how many workers there are."""
RESUME_HINT = "what is finished is on disk, the same command goes on from there, on this runner or another"
_SHIFTS = count(1)


class DaskCluster:
    """A connection to a scheduler; use as a context manager. Jobs that it has begun are closed at the workers."""

    def __init__(self, address: str, *, timeout: float = PATIENCE) -> None:
        """Connect.

        Raises:
            ConfigError: Dask is not installed, or no scheduler answers there.
        """
        try:
            import distributed
        except ImportError as error:
            raise ConfigError(f"--runner dask needs Dask: {install_command('dist')}") from error
        # What it logs of lost connections, with tracebacks, is told by our own errors.
        for name in ("client", "comm", "core", "utils"):
            logging.getLogger(f"distributed.{name}").setLevel(logging.CRITICAL)
        connect: Any = distributed.Client
        try:
            self._client: Any = connect(address, timeout=timeout, set_as_default=False, name="chatty")
        except (OSError, ValueError, TypeError) as error:
            said = " ".join(str(error).split())[:200]
            raise ConfigError(f"no Dask scheduler answers at {address} ({said})") from error
        self.address = address
        self._names: list[str] = []

    def __enter__(self) -> DaskCluster:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def make_runner(self, job: WorkerJob, on_spent: Callable[[Spending], None] = lambda _: None) -> DaskRunner:
        """Return a runner for one job; ``counted`` hears what the workers spend."""
        self._names.append(job.name)
        return DaskRunner(self._client, self.address, job, on_spent)

    def close(self) -> None:
        """Have the jobs closed at the workers, as far as they can be reached, and leave."""
        with suppress(OSError, CancelledError, RuntimeError):
            if self._client.status == "running":
                for name in self._names:
                    self._client.run(close_job, name, on_error="ignore")
        with suppress(OSError, CancelledError, RuntimeError):
            self._client.close(timeout=2)


@dataclass(frozen=True, slots=True)
class DaskRunner:
    """Has each item done by a worker of the cluster. An item whose worker dies is done again by another one.

    As many items are under way as the workers have threads.
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
        """Yield results as ``Runner`` says; ``world`` stays here, the workers open their own.

        Raises:
            WorkersLost: the scheduler is gone, or an item has taken several workers down.
        """
        return _Shift(self, work, stop, trace).map_unordered(items)


class _Shift:
    """One run over items: what is in flight, and what comes home."""

    def __init__(
        self, runner: DaskRunner, work: Callable[[Any, Any], Any], stop: StopSignal | None, trace: Trace | None
    ) -> None:
        self._runner, self._client, self._work, self._stop = runner, runner.client, work, stop
        self._trace = trace if trace is not None and trace.path is not None else None
        self._home: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._flying: dict[Any, int] = {}
        self._error: BaseException | None = None
        self._threads, self._looked, self._said = 0, -LOOK, False
        self._number = next(_SHIFTS)

    def map_unordered(self, items: Iterable[Any]) -> Iterator[tuple[int, Any]]:
        """Yield results as they come."""
        feed = iter(enumerate(items))
        try:
            self._fill(feed)
            while self._flying:
                future = self._next()
                index, report = self._flying.pop(future), self._fetched(future)
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
            if self._flying:
                with suppress(OSError, CancelledError, RuntimeError):
                    self._client.cancel(list(self._flying))

    def _fill(self, feed: Iterator[tuple[int, Any]]) -> None:
        while self._error is None and not (self._stop and self._stop.is_set()) and len(self._flying) < self._places():
            try:
                taken = next(feed, None)
            except ChattyError as error:
                self._error = error  # told like a worker's: after what is in flight has come home
                return
            if taken is None:
                return
            index, item = taken
            job = self._runner.job
            future = self._client.submit(
                run_task, pack_task(job, self._work, item, is_traced=self._trace is not None),
                key=f"{job.name}-{self._number}-{index}", pure=False,
            )  # fmt: skip
            self._flying[future] = index
            future.add_done_callback(self._home.put)

    def _places(self) -> int:
        """Return how many items may be in flight: one a thread of the workers; one where there is none yet."""
        if time.monotonic() - self._looked >= LOOK:
            with self._reaching():
                self._threads = sum(self._client.nthreads().values())
            self._looked = time.monotonic()
        return max(1, self._threads)

    def _next(self) -> Any:
        """Wait for an item to come home; say once if nobody is there to work on it."""
        while True:
            try:
                return self._home.get(timeout=PATIENCE)
            except queue.Empty:
                self._places()
            if not self._threads and not self._said:
                logger.warning("the scheduler at %s has no workers: waiting for some", self._runner.address)
                self._said = True

    def _fetched(self, future: Any) -> ItemReport[Any]:
        """Return the report of an item that has come home."""
        from distributed import KilledWorker

        with self._reaching():
            if future.status != "error":
                return unpack_report(future.result())
            error = future.exception()
        if isinstance(error, KilledWorker):
            said = f"an item has taken {error.allowed_failures + 1} workers down, one after the other ({_brief(error)})"
            raise WorkersLost(f"{said}: look into the workers' logs; {RESUME_HINT}") from error
        if isinstance(error, ImportError) or isinstance(error.__cause__, ImportError):
            said = f"the workers cannot load what they shall do ({_brief(error)})"
            raise ConfigError(f"{said}: install the same version of chattykg where they run") from error
        raise error

    @contextmanager
    def _reaching(self) -> Iterator[None]:
        """Turn a scheduler that is gone into the end of the run."""
        try:
            yield
        except (CancelledError, OSError) as error:
            raise WorkersLost(
                f"the connection to the scheduler at {self._runner.address} is lost; {RESUME_HINT}"
            ) from error


def _brief(error: Exception) -> str:
    return " ".join(str(error).split())[:200]


@contextmanager
def open_cluster(options: Mapping[str, Any]) -> Iterator[DaskCluster | None]:
    """Connect to the scheduler that a command's options name; None where threads work.

    Raises:
        ConfigError: the options do not fit each other, Dask is not installed, or no scheduler answers.
    """
    address = scheduler_of(options)
    if not address:
        yield None
        return
    with DaskCluster(address) as cluster:
        yield cluster
