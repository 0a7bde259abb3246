"""Engines for processes of their own: they answer, fail, wait to be stopped, or end their process."""

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from chattyshared.dialogue import Answer, Value
from chattyshared.errors import ConfigError, EndpointUnavailable
from chattyshared.trace import Event, Trace

from chattykg.engine import EngineResult
from chattykg.steps import AnswerProgress, AnswerStep


class ScriptedEngine:
    """Does what a question names, in the process that it is asked in."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace

    def answer_with_trace(self, question: str, history: Any = (), *, span: str, progress: AnswerProgress) -> Any:
        self._trace.record(Event("query", span, 0.0, {"query": question}))
        progress.report(AnswerStep("query", "Running query 1"))
        if question == "die":
            os._exit(3)
        if question == "fail":
            raise EndpointUnavailable("the graph is down", endpoint="orchard")
        if question == "break":
            raise ZeroDivisionError("no")
        while question == "wait":
            time.sleep(0.01)
            progress.check_stop()
        time.sleep(0.3 if question == "slow" else 0)
        return EngineResult(Answer((Value(f"{os.getpid()} {len(history)}", "literal"),)))


@contextmanager
def open_scripted_engines(options: Mapping[str, Any], trace: Trace) -> Iterator[Mapping[str, Any]]:
    if options.get("broken"):
        raise ConfigError("orchard.ttl: no such file")
    yield {"orchard": ScriptedEngine(trace)}
