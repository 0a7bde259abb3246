"""The trace of a run: every model call and every query, with its place, usage and time."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO, Literal, TextIO

from chattyshared.endpoint import Endpoint, Row
from chattyshared.errors import ChattyError, ContextTooLong, file_write_error
from chattyshared.jsonlines import open_text
from chattyshared.model import Completion, LanguageModel, Request
from chattyshared.redaction import make_redactor
from chattyshared.runs.lock import OutputLock

_SHORTEST_SECRET = 8
"""Characters; a shorter key, such as those of local servers, may be a word of a prompt."""

MAX_TEXT_LENGTH = 200_000
"""Characters of a text that are recorded; hardly a prompt, and no reply that is of any use, has more."""


@dataclass(frozen=True, slots=True)
class Event:
    """One call: of a model (``said`` holds request and text) or of an endpoint (query and number of rows); or an
    unexpected error (its type, place and traceback)."""

    kind: Literal["model", "query", "note", "error"]
    span: str
    seconds: float
    data: Mapping[str, Any] = field(default_factory=dict)
    error: str = ""


class Trace:
    """Collects events, from any thread; with a path, each is appended to a JSON Lines file at once.

    The file begins with the first event, so that a run that fails before it leaves none. ``secrets`` are texts, such
    as keys, that never reach the file, wherever a server may echo them. ``anew`` begins another file in place of one
    that may lie there: events wait in ``PATH.new`` until ``keep`` says that the run has begun; a run that fails before
    it leaves what was there. From the first event until ``close`` no other process can write the file. Texts of more
    than ``LONGEST`` characters are cut: the place says so, and ``cut`` in the event how many are missing, by part.
    """

    def __init__(
        self, path: Path | None = None, *, secrets: Iterable[str] = (), replace_existing: bool = False
    ) -> None:
        self.path = path
        self.is_committed = False
        self._waiting = path.with_name(f"{path.name}.new") if replace_existing and path is not None else None
        self._redact = make_redactor(secrets, min_length=_SHORTEST_SECRET)
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
        said = {name: self._shortened(value, name, cut) for name, value in event.data.items()}
        error = self._shortened(event.error, "error", cut)
        shown = replace(event, data=said | ({"cut": cut} if cut else {}), error=error)
        self.append_lines([json.dumps(asdict(shown) | {"at": time.time()}, ensure_ascii=False)])

    def append_lines(self, lines: Iterable[str]) -> None:
        """Append events that are lines already: what another process has recorded; after ``close`` they are dropped.

        Raises:
            ConfigError: the file cannot be written.
        """
        for line in lines:
            self._write(self._redact(line))

    def _shortened(self, value: Any, part: str, cut: dict[str, int]) -> Any:
        """Return a value whose texts are not too long; adds to ``cut`` what is missing of its part."""
        if isinstance(value, Mapping):
            return {name: self._shortened(one, part, cut) for name, one in value.items()}
        if isinstance(value, list | tuple):
            return [self._shortened(one, part, cut) for one in value]
        if not isinstance(value, str) or len(value) <= MAX_TEXT_LENGTH:
            return value
        value = self._redact(value)  # before the cut, which could leave half of a secret
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
                self._file = self._file or (_open_anew(self._waiting) if self._waiting else _open(self.path))
                self._file.write(line + "\n")
                self._file.flush()
            except OSError as error:
                raise file_write_error(self.path, error) from error

    def commit(self) -> None:
        """Say that the run has begun: what it has recorded, and will, takes the place of an earlier run's.

        Raises:
            ConfigError: the file cannot be written.
        """
        with self._lock:
            self.is_committed = True
            waiting, self._waiting = self._waiting, None
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
        """Close the file, if there is one; what nobody wanted to keep goes."""
        with self._lock:
            self._closed = True
            if self._file is not None:
                with suppress(OSError):  # a full disk, which was told when the line was written
                    self._file.close()
                self._file = None
                if self._waiting is not None:
                    self._waiting.unlink(missing_ok=True)
            if self._file_lock is not None:
                self._file_lock.release()

    def __enter__(self) -> Trace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class BufferedTrace(Trace):
    """A trace that keeps its lines, without secrets, to be sent elsewhere and appended there."""

    def __init__(self, *, secrets: Iterable[str] = ()) -> None:
        super().__init__(secrets=secrets)
        self._closed = False
        self.lines: list[str] = []

    def _write(self, line: str) -> None:
        with self._lock:
            self.lines.append(line)


def file_exists(path: Path) -> bool:
    """Tell whether a file lies at a place; at an impossible one there is none."""
    try:
        return path.exists()
    except OSError:
        return False


def _open(path: Path) -> TextIO:
    """Open a trace to go on with it; the half line that a killed run may have left is taken off."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists():
        with path.open("rb+") as file:
            _trim(file)
    return open_text(path, "a")


def _open_anew(path: Path) -> TextIO:
    path.parent.mkdir(parents=True, exist_ok=True)
    return open_text(path, "w")


def _trim(file: BinaryIO) -> None:
    end = place = file.seek(0, 2)
    while place > 0:
        start = max(0, place - 65536)
        file.seek(start)
        mark = file.read(place - start).rfind(b"\n")
        if mark >= 0:
            place = start + mark + 1
            break
        place = start
    if place < end:
        file.truncate(place)


class TracedModel:
    """A model whose every call is recorded at one place of the run."""

    def __init__(self, model: LanguageModel, trace: Trace, span: str) -> None:
        self._model, self._trace, self._place = model, trace, span

    @property
    def name(self) -> str:
        """The name of the model within."""
        return self._model.name

    def complete(self, request: Request) -> Completion:
        """Complete, and record what was asked, what was said and how long it took."""
        began = time.perf_counter()
        said: dict[str, Any] = {
            "agent": request.agent, "model": self.name, "attempt": request.attempt, "digest": request.digest(),
            "messages": [asdict(message) for message in request.messages],
        }  # fmt: skip
        try:
            completion = self._model.complete(request)
        except ChattyError as error:
            said["raised"] = type(error).__name__
            if isinstance(error, ContextTooLong):
                said |= {
                    "limit": error.limit,
                    "asked": error.requested,
                }  # by these the prompt is cut, in a replay as well
            self._trace.record(Event("model", self._place, time.perf_counter() - began, said, str(error)))
            raise
        said |= {"text": completion.text, "finish": completion.finish, "usage": asdict(completion.usage)}
        self._trace.record(Event("model", self._place, time.perf_counter() - began, said))
        return completion


class TracedEndpoint:
    """An endpoint whose every query is recorded, and counted in ``queries``."""

    def __init__(self, endpoint: Endpoint, trace: Trace, span: str) -> None:
        self.name = endpoint.name
        self.query_count = 0
        self._endpoint, self._trace, self._place = endpoint, trace, span
        self._parent: TracedEndpoint | None = None
        self._lock = threading.Lock()

    def select(self, query: str) -> list[Row]:
        """Run a SELECT query and record it."""
        began = time.perf_counter()
        self._count()
        try:
            rows = self._endpoint.select(query)
        except ChattyError as error:
            self._record(query, began, error=str(error), raised=type(error).__name__)
            raise
        self._record(query, began, rows=len(rows))
        return rows

    def ask(self, query: str) -> bool:
        """Run an ASK query and record it."""
        began = time.perf_counter()
        self._count()
        try:
            truth = self._endpoint.ask(query)
        except ChattyError as error:
            self._record(query, began, error=str(error), raised=type(error).__name__)
            raise
        self._record(query, began, truth=truth)
        return truth

    def untrusted_view(self) -> Endpoint:
        """Return the view for queries that we did not build; its queries are recorded and counted here too."""
        view = TracedEndpoint(self._endpoint.untrusted_view(), self._trace, self._place)
        view._parent = self
        return view

    def _count(self) -> None:
        with self._lock:
            self.query_count += 1
        if self._parent is not None:
            self._parent._count()

    def _record(self, query: str, began: float, *, error: str = "", **said: Any) -> None:
        self._trace.record(Event("query", self._place, time.perf_counter() - began, {"query": query, **said}, error))
