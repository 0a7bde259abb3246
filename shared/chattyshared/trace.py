"""The trace of a run: every model call and every query, with its span, stage, usage and time."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO, Literal, TextIO, TypeVar

from chattyshared.endpoint import Endpoint, Row
from chattyshared.errors import ChattyError, ContextTooLong, file_write_error
from chattyshared.jsonlines import open_text
from chattyshared.model import Completion, LanguageModel, Request
from chattyshared.redaction import make_redactor
from chattyshared.runs.lock import OutputLock
from chattyshared.runs.threads import StopSignal

Result = TypeVar("Result")
_MIN_SECRET_LENGTH = 8
"""Characters; a shorter key, for example of a local server, may be a word of a prompt."""

MAX_TEXT_LENGTH = 200_000
"""Characters of a text that are recorded; prompts and useful replies are shorter."""
RUN_TRACE_LIMIT = 200_000_000
"""Characters of a trace that no user has asked for; later events have no texts. Some 10,000 dialogues; set by hand."""
_TEXT_PARTS = frozenset({"messages", "text", "query", "traceback"})
"""The parts of an event that are left out once a trace has reached its limit."""


@dataclass(frozen=True, slots=True)
class Event:
    """One model call (``data`` has request and text), one query (query and number of rows), the end of a stage (its
    seconds without those of stages within it), a note (why a reply was refused), or an unexpected error (type, location
    and traceback)."""

    kind: Literal["model", "query", "stage", "note", "error"]
    span: str
    seconds: float
    data: Mapping[str, Any] = field(default_factory=dict)
    error: str = ""


@dataclass(slots=True)
class RunningStage:
    """The stage of the work that the current thread is in, and the seconds that stages within it took."""

    trace: Trace
    name: str
    inner_seconds: float = 0.0


_running_stage: ContextVar[RunningStage | None] = ContextVar("running_stage", default=None)


class Trace:
    """Collects events, from any thread; with a path, each is appended to a JSON Lines file at once.

    The first event creates the file, so that a run that fails before it leaves none. ``secrets`` are texts, for example
    keys, that never reach the file, even if a server echoes them. ``replace_existing`` replaces an existing file:
    events go to ``PATH.new`` until ``commit``; a run that fails before it leaves the old file. From the first event
    until ``close`` no other process can write the file. Texts of more than ``MAX_TEXT_LENGTH`` characters are cut;
    ``cut`` in the event has the number of missing characters by part. Once the file has ``max_length`` characters
    (None: no limit), events are recorded without their prompts, replies and queries.
    """

    def __init__(
        self,
        path: Path | None = None,
        *,
        secrets: Iterable[str] = (),
        replace_existing: bool = False,
        max_length: int | None = None,
    ) -> None:
        self.path = path
        self._max_length, self._length = max_length, 0
        self.is_committed = False
        self._pending_path = path.with_name(f"{path.name}.new") if replace_existing and path is not None else None
        self._redact = make_redactor(secrets, min_length=_MIN_SECRET_LENGTH)
        self._lock = threading.Lock()
        self._file: TextIO | None = None
        self._file_lock: OutputLock | None = None
        self._closed = path is None

    def record(self, event: Event) -> None:
        """Append one event; after ``close`` it is dropped.

        Raises:
            ConfigError: the file cannot be written, or another run is writing it.
        """
        if self._closed:
            return
        cut: dict[str, int] = {}
        stage = _running_stage.get()
        parts = ({"stage": stage.name} if stage else {}) | dict(event.data)
        data = {name: self._shorten(value, name, cut) for name, value in parts.items()}
        error = self._shorten(event.error, "error", cut)
        shortened = replace(event, data=data | ({"cut": cut} if cut else {}), error=error)
        self.append_lines([json.dumps(asdict(shortened) | {"at": time.time()}, ensure_ascii=False)])

    def append_lines(self, lines: Iterable[str]) -> None:
        """Append the event lines of another process; after ``close`` they are dropped.

        Raises:
            ConfigError: the file cannot be written.
        """
        for line in lines:
            line = self._redact(line)
            if self._max_length is not None and self._length > self._max_length:
                line = _without_texts(line)
            self._write(line)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Record how long a stage of the work takes; the events of this thread within it name the stage."""
        if self._closed:
            yield
            return
        outer, stage, started = _running_stage.get(), RunningStage(self, name), time.perf_counter()
        token = _running_stage.set(stage)
        try:
            yield
        finally:
            _running_stage.reset(token)
            seconds = time.perf_counter() - started
            if outer is not None:
                outer.inner_seconds += seconds
            self.record(Event("stage", "", seconds - stage.inner_seconds, {"stage": name}))

    def _shorten(self, value: Any, part: str, cut: dict[str, int]) -> Any:
        """Return a value with its long texts cut; add the number of missing characters of ``part`` to ``cut``."""
        if isinstance(value, Mapping):
            return {name: self._shorten(item, part, cut) for name, item in value.items()}
        if isinstance(value, list | tuple):
            return [self._shorten(item, part, cut) for item in value]
        if not isinstance(value, str) or len(value) <= MAX_TEXT_LENGTH:
            return value
        value = self._redact(value)  # before cutting, which could leave half of a secret
        missing = len(value) - MAX_TEXT_LENGTH
        if missing <= 0:
            return value
        cut[part] = cut.get(part, 0) + missing
        return f"{value[:MAX_TEXT_LENGTH]} [cut here: {missing} more characters]"

    def _write(self, line: str) -> None:
        with self._lock:
            if self._closed or self.path is None:
                return
            try:
                self._file_lock = self._file_lock or OutputLock(self.path)
                self._file = self._file or (_open_new(self._pending_path) if self._pending_path else _open(self.path))
                self._length = self._length or self._file.tell()
                self._length += self._file.write(line + "\n")
                self._file.flush()
            except OSError as error:
                raise file_write_error(self.path, error) from error

    def commit(self) -> None:
        """Replace an earlier run's file by this run's, once the run has begun.

        Raises:
            ConfigError: the file cannot be written.
        """
        with self._lock:
            self.is_committed = True
            waiting, self._pending_path = self._pending_path, None
            if waiting is None or self.path is None:
                return
            try:
                if self._file is None:
                    self.path.unlink(missing_ok=True)
                    return
                self._file.close()
                self._file = None
                waiting.replace(self.path)
            except OSError as error:
                raise file_write_error(self.path, error) from error

    def close(self) -> None:
        """Close the file, if there is one; without ``commit``, the events of a replacing run are removed."""
        with self._lock:
            self._closed = True
            if self._file is not None:
                with suppress(OSError):  # a full disk, which writing the line has reported
                    self._file.close()
                self._file = None
                if self._pending_path is not None:
                    self._pending_path.unlink(missing_ok=True)
            if self._file_lock is not None:
                self._file_lock.release()

    def __enter__(self) -> Trace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class BufferedTrace(Trace):
    """A trace that keeps its lines, without secrets, in memory, to be appended to another trace."""

    def __init__(self, *, secrets: Iterable[str] = ()) -> None:
        super().__init__(secrets=secrets)
        self._closed = False
        self.lines: list[str] = []

    def _write(self, line: str) -> None:
        with self._lock:
            self.lines.append(line)

    def take_lines(self) -> tuple[str, ...]:
        """Return the lines so far and forget them."""
        with self._lock:
            lines, self.lines = tuple(self.lines), []
        return lines


def note_problems(agent: str, attempt: int, rules: Sequence[str]) -> None:
    """Record, within a stage, why a reply was refused: the rules of its problems."""
    _note({"agent": agent, "attempt": attempt, "problems": list(rules)})


def note_repair(agent: str, attempt: int) -> None:
    """Record, within a stage, that a reply was read only after it had been repaired."""
    _note({"agent": agent, "attempt": attempt, "repaired": True})


def note_query_repairs(agent: str, repairs: Sequence[str]) -> None:
    """Record, within a stage, what was mended in a query that a model wrote."""
    _note({"agent": agent, "repairs": list(repairs)})


def _note(data: dict[str, Any]) -> None:
    stage = _running_stage.get()
    if stage is not None:
        stage.trace.record(Event("note", "", 0.0, data))


def trace_path_of(path: Path) -> Path:
    """Return the path of the trace of a file: ``answers.jsonl.trace.jsonl`` for ``answers.jsonl``."""
    return path.with_name(f"{path.name}.trace.jsonl")


def open_run_trace(path: Path, *, is_named: bool, overwrite: bool, secrets: Iterable[str]) -> Trace:
    """Open the trace of a run: append to the file, or replace it if the run overwrites.

    A trace file that the user named is never overwritten, and has no limit.
    """
    is_replaced = not file_exists(path) or (overwrite and not is_named)
    limit = None if is_named else RUN_TRACE_LIMIT
    return Trace(path, secrets=secrets, replace_existing=is_replaced, max_length=limit)


def _without_texts(line: str) -> str:
    """Return the line of an event without its prompt, its reply and its query."""
    event = json.loads(line)
    event["data"] = {name: part for name, part in event["data"].items() if name not in _TEXT_PARTS}
    return json.dumps(event, ensure_ascii=False)


def file_exists(path: Path) -> bool:
    """Tell whether a file exists; False for an impossible path."""
    try:
        return path.exists()
    except OSError:
        return False


def _open(path: Path) -> TextIO:
    """Open a trace for appending; the partial line of a killed run is removed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists():
        with path.open("rb+") as file:
            _drop_partial_line(file)
    return open_text(path, "a")


def _open_new(path: Path) -> TextIO:
    path.parent.mkdir(parents=True, exist_ok=True)
    return open_text(path, "w")


def _drop_partial_line(file: BinaryIO) -> None:
    end = position = file.seek(0, 2)
    while position > 0:
        start = max(0, position - 65536)
        file.seek(start)
        mark = file.read(position - start).rfind(b"\n")
        if mark >= 0:
            position = start + mark + 1
            break
        position = start
    if position < end:
        file.truncate(position)


class TracedModel:
    """A model whose calls are recorded with one span."""

    def __init__(self, model: LanguageModel, trace: Trace, span: str) -> None:
        self._model, self._trace, self._span = model, trace, span

    @property
    def name(self) -> str:
        """The name of the model within."""
        return self._model.name

    def complete(self, request: Request) -> Completion:
        """Complete one request and record request, reply and duration."""
        started = time.perf_counter()
        data: dict[str, Any] = {
            "agent": request.agent, "model": self.name, "attempt": request.attempt, "digest": request.digest(),
            "messages": [asdict(message) for message in request.messages],
        }  # fmt: skip
        if request.tools:
            data["tools"] = [tool.name for tool in request.tools]
        try:
            completion = self._model.complete(request)
        except ChattyError as error:
            data["raised"] = type(error).__name__
            if isinstance(error, ContextTooLong):
                data |= {
                    "limit": error.limit,
                    "asked": error.requested,
                }  # by these the prompt is cut, in a replay as well
            self._trace.record(Event("model", self._span, time.perf_counter() - started, data, str(error)))
            raise
        data |= {"text": completion.text, "finish": completion.finish, "usage": asdict(completion.usage)}
        self._trace.record(Event("model", self._span, time.perf_counter() - started, data))
        return completion


class TracedEndpoint:
    """An endpoint whose queries are recorded, and counted in ``query_count``."""

    def __init__(self, endpoint: Endpoint, trace: Trace, span: str) -> None:
        self.name = endpoint.name
        self.query_count = 0
        self._endpoint, self._trace, self._span = endpoint, trace, span
        self._parent: TracedEndpoint | None = None
        self._lock = threading.Lock()

    def select(self, query: str) -> list[Row]:
        """Run a SELECT query and record it."""
        return self._run(query, self._endpoint.select, lambda rows: {"rows": len(rows)})

    def ask(self, query: str) -> bool:
        """Run an ASK query and record it."""
        return self._run(query, self._endpoint.ask, lambda truth: {"truth": truth})

    def untrusted_view(self, stop: StopSignal | None = None) -> Endpoint:
        """Return the view for untrusted queries; they are recorded and counted here too."""
        view = TracedEndpoint(self._endpoint.untrusted_view(stop), self._trace, self._span)
        view._parent = self
        return view

    def _count(self) -> None:
        with self._lock:
            self.query_count += 1
        if self._parent is not None:
            self._parent._count()

    def _run(self, query: str, run: Callable[[str], Result], describe: Callable[[Result], dict[str, Any]]) -> Result:
        started = time.perf_counter()
        self._count()
        data: dict[str, Any] = {"query": query}
        try:
            result = run(query)
        except ChattyError as error:
            data["raised"] = type(error).__name__
            self._trace.record(Event("query", self._span, time.perf_counter() - started, data, str(error)))
            raise
        data |= describe(result)
        self._trace.record(Event("query", self._span, time.perf_counter() - started, data))
        return result
