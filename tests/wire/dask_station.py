"""A station without graph or model, and work that is slow, fails or kills, for tests of runners."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from chattyshared.errors import ConfigError, ModelRefused
from chattyshared.model import Usage
from chattyshared.model.budget import Meter
from chattyshared.runs.remote_worker import WorkerResources
from chattyshared.trace import Event, Trace


@contextmanager
def station(given: Mapping[str, Any]) -> Iterator[WorkerResources[tuple[Path, Meter, Trace]]]:
    """Open a folder in which each item leaves a file with the process that began it."""
    folder, meter, key = Path(given["folder"]), Meter(), os.environ.get("OPENAI_API_KEY", "")
    if given.get("fails"):
        raise ConfigError(given["fails"])
    yield WorkerResources(lambda trace: (folder, meter, trace), meter, {"graph": "spoons"}, (key,))
    (folder / f"closed-{os.getpid()}").touch()


def work(world: tuple[Path, Meter, Trace], item: str) -> str:
    """Do what the item says, and return it in capitals."""
    folder, meter, trace = world
    (folder / f"{item}-{os.getpid()}").touch()
    meter.end_call(meter.begin_call(Usage(1)), Usage(1, 10, 2))
    trace.record(Event("note", item, 0.0, {"key": os.environ.get("OPENAI_API_KEY", "")}))
    if item.startswith("slow"):
        time.sleep(1.5)
    if item == "refused":
        raise ModelRefused("no")
    if item == "broken":
        raise ValueError("a mistake in the program")
    if item == "deadly":
        os.kill(os.getpid(), signal.SIGKILL)
    return item.upper()
