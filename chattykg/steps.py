"""The steps of answering a question, reported while they happen, and the stop of an answer that nobody waits for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

from chattyshared.dialogue import LinkedTerm
from chattyshared.endpoint import Endpoint, Row
from chattyshared.errors import AnswerStopped, ModelError
from chattyshared.model import Completion, LanguageModel, Request, Usage, count_characters
from chattyshared.runs.threads import StopSignal, StopWithReason, stop_error

from chattykg.strategies import find_model_strategy

StepKind = Literal["understood", "linked", "model", "tool", "query", "check"]


@dataclass(frozen=True, slots=True)
class AnswerStep:
    """One step of an answer: its kind for programs and a text for people.

    ``understood``: the standalone question; ``linked``: what the mentions are linked to (``links``); ``model``: a
    language model is asked; ``tool``: the agent looks something up; ``query``: a candidate query runs (``sparql``);
    ``check``: the result is checked.
    """

    kind: StepKind
    text: str
    sparql: str = ""
    links: tuple[LinkedTerm, ...] = ()


Observer = Callable[[AnswerStep], None]
"""Takes the steps of one answer, in the thread that answers."""


def ignore_step(_: AnswerStep) -> None:
    """Take a step and do nothing."""


@runtime_checkable
class AnswerMeter(StopSignal, Protocol):
    """A stop signal that also counts the model calls and queries of one answer, from the thread that answers."""

    def begin_call(self, model: str, expected: Usage) -> object:
        """Count a call of a model that begins; return the first argument of ``end_call``.

        Raises:
            BudgetSpent: it would exceed a limit.
        """

    def end_call(self, call: object, usage: Usage | None) -> None:
        """Count what a call used (None: unknown)."""

    def count_query(self) -> None:
        """Count a query."""


class AnswerProgress:
    """Reports the steps of one answer to an observer, each once, and ends the work when one of some signals is set.

    Signals that are an ``AnswerMeter`` count the calls and queries of the answer.
    """

    def __init__(self, observer: Observer = ignore_step, *stops: StopSignal) -> None:
        self._observer, self._stops = observer, stops
        self._meters = tuple(stop for stop in stops if isinstance(stop, AnswerMeter))
        self._reported: set[tuple[StepKind, str]] = set()
        self._queries: set[str] = set()

    def report(self, step: AnswerStep) -> None:
        """Report a step, unless the same one was reported before.

        Raises:
            AnswerStopped, BudgetSpent: as ``check_stop`` does.
        """
        self.check_stop()
        if (step.kind, step.text) not in self._reported:
            self._reported.add((step.kind, step.text))
            self._observer(step)

    def report_query(self, sparql: str) -> None:
        """Report that a candidate query runs now, unless it ran before.

        Raises:
            AnswerStopped, BudgetSpent: as ``check_stop`` does.
        """
        if sparql not in self._queries:
            self._queries.add(sparql)
            self.report(AnswerStep("query", f"Running query {len(self._queries)}", sparql=sparql))

    def check_stop(self) -> None:
        """Go on, unless a stop signal is set.

        Raises:
            BudgetSpent: the signal is a limit and has a reason.
            AnswerStopped: nobody waits for the answer any more.
        """
        for stop in self._stops:
            if stop.is_set():
                raise stop_error(stop) if isinstance(stop, StopWithReason) else AnswerStopped("the answer was stopped")

    def is_set(self) -> bool:
        """Tell whether the work is stopped."""
        return any(stop.is_set() for stop in self._stops)

    def complete(self, model: LanguageModel, request: Request) -> Completion:
        """Complete a request of the answer, unless it is stopped; the meters count the call, also a failed one.

        Raises:
            AnswerStopped, BudgetSpent: the answer is stopped, or a limit is reached; no call was made.
            ModelError: as the model raises it.
        """
        self.check_stop()
        expected, usage = Usage(1, count_characters(request) // 4), None
        with ExitStack() as calls:
            for meter in self._meters:
                call = meter.begin_call(model.name, expected)
                calls.callback(lambda counter, begun: counter.end_call(begun, usage), meter, call)
            try:
                completion = model.complete(request)
            except ModelError as error:
                usage = error.usage
                raise
            usage = completion.usage
        return completion

    def count_query(self) -> None:
        """Count a query that is sent, unless the answer is stopped.

        Raises:
            AnswerStopped, BudgetSpent: as ``check_stop`` does.
        """
        self.check_stop()
        for meter in self._meters:
            meter.count_query()


class StoppableModel:
    """A model that makes no further call once the answer is stopped; calls of a hosted model are reported as steps."""

    def __init__(self, model: LanguageModel, progress: AnswerProgress) -> None:
        self._model, self._progress = model, progress
        self._is_reported = find_model_strategy(model.name).is_promptable

    @property
    def name(self) -> str:
        """The name of the model within."""
        return self._model.name

    def complete(self, request: Request) -> Completion:
        """Complete one request.

        Raises:
            AnswerStopped, BudgetSpent: the answer is stopped; no call was made.
            ModelError: as the model raises it.
        """
        if self._is_reported:
            task = request.agent.rpartition("/")[2]
            attempt = f", attempt {request.attempt}" if request.attempt > 1 else ""
            self._progress.report(AnswerStep("model", f"Asking {self.name} ({task}{attempt})"))
        return self._progress.complete(self._model, request)


class StoppableEndpoint:
    """An endpoint that sends no further query once the answer is stopped."""

    def __init__(self, endpoint: Endpoint, progress: AnswerProgress) -> None:
        self.name = endpoint.name
        self._endpoint, self._progress = endpoint, progress

    def select(self, query: str) -> list[Row]:
        """Run a SELECT query.

        Raises:
            AnswerStopped, BudgetSpent: the answer is stopped; the query was not sent.
            EndpointError: as the endpoint raises it.
        """
        self._progress.count_query()
        return self._endpoint.select(query)

    def ask(self, query: str) -> bool:
        """Run an ASK query.

        Raises:
            AnswerStopped, BudgetSpent: the answer is stopped; the query was not sent.
            EndpointError: as the endpoint raises it.
        """
        self._progress.count_query()
        return self._endpoint.ask(query)

    def untrusted_view(self, stop: StopSignal | None = None) -> Endpoint:
        """Return the view for untrusted queries, which end where they are when the answer is stopped."""
        return StoppableEndpoint(self._endpoint.untrusted_view(stop or self._progress), self._progress)


def describe_update(question: str, update: Mapping[str, Any]) -> Iterator[AnswerStep]:
    """Yield the steps that an agent's change of the state shows."""
    standalone = update.get("standalone", "")
    if standalone not in ("", question):
        yield AnswerStep("understood", f"Understood as: {standalone}")
    links = tuple(
        LinkedTerm(mention, str(one.term), one.label, round(one.score, 4), one.types[0] if one.types else "")
        for mention, groups in (update.get("linked") or {}).items()
        for group in groups[:1]
        for one in group.candidates[:1]
        if one.kind == "vertex"
    )
    if links:
        yield AnswerStep("linked", f"Linked {', '.join(map(_link_text, links))}", links=links)


def _link_text(link: LinkedTerm) -> str:
    meaning = "" if link.mention.casefold() == link.label.casefold() else f" to {link.label}"
    return f"“{link.mention[:80]}”{meaning}{f' ({link.type})' if link.type else ''}"
