"""Runners process many items, in threads of this process or on remote workers, with equal results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeVar

from chattyshared.option_specs import OptionSpec
from chattyshared.runs.threads import StopSignal, map_unordered

if TYPE_CHECKING:
    from chattyshared.trace import Trace

WorkContext = TypeVar("WorkContext")
Item = TypeVar("Item")
Result = TypeVar("Result")

SCHEDULER_SETTING = OptionSpec(
    "scheduler",
    "Have the workers of a Dask cluster work, each with as many threads as it was started with, not threads of this "
    "process (--workers): the address of its scheduler, as in tcp://10.0.0.1:8786. Limits a minute and a second hold "
    "for each worker process by itself. Budgets are counted here as work comes back, and can be exceeded by what the "
    "workers have in hand. Keys stand in the workers' own environment.",
    default="", metavar="ADDRESS", is_setting=True,
)  # fmt: skip
"""The runner of a command: threads, or the cluster at this address."""


class Runner(Protocol):
    """Processes items, several at a time."""

    def map_unordered(
        self,
        work: Callable[[WorkContext, Item], Result],
        context: WorkContext,
        items: Iterable[Item],
        *,
        stop: StopSignal | None = None,
        trace: Trace | None = None,
    ) -> Iterator[tuple[int, Result]]:
        """Yield ``(index, work(context, item))`` for each item, in the order in which they finish.

        ``context`` cannot be pickled: graph, models, trace. Remote workers open their own, and their events are
        appended to ``trace``. ``work`` is a module-level function, and items and results are plain values, so that they
        can be pickled. Items are taken only as needed. Once ``stop`` is set, no item begins; running items are finished
        and yielded.

        Raises:
            Exception: what ``work`` (or the iterable) raised first, after the results of the running items.
            WorkersLost: there are no workers left.
        """


@dataclass(frozen=True, slots=True)
class ThreadRunner:
    """Processes items in threads of this process; with one worker, in the calling thread."""

    workers: int = 1

    def map_unordered(
        self,
        work: Callable[[WorkContext, Item], Result],
        context: WorkContext,
        items: Iterable[Item],
        *,
        stop: StopSignal | None = None,
        trace: Trace | None = None,
    ) -> Iterator[tuple[int, Result]]:
        """Yield results as ``Runner`` does; events go to the trace of ``context``."""
        return map_unordered(partial(work, context), items, workers=self.workers, stop=stop)
