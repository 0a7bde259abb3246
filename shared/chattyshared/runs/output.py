"""Result files that can be resumed: a manifest beside them, a journal while the run lasts, lines in index order."""

from __future__ import annotations

import json
import logging
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO

from chattyshared.errors import BenchmarkInvalid, ConfigError, file_write_error
from chattyshared.jsonlines import open_text, parse_json, read_lines, to_json_line, write_atomically
from chattyshared.runs.lock import OutputLock

logger = logging.getLogger(__name__)

LinesByFile = Mapping[str, Sequence[Mapping[str, Any]]]
"""The lines of one index by file: ``""`` is the main file, the others go by their names in ``beside``."""


class Output:
    """The files of one run. Use as a context manager; ``put`` may be called from any thread.

    Nothing is written before the first ``put`` (or ``complete``), so a run that fails at its start leaves no trace of
    itself and, with ``overwrite``, nothing of an earlier run is lost by it. From its making until ``close`` no other
    process can open the same output.
    """

    def __init__(  # noqa: PLR0913
        self,
        path: Path,
        manifest: Mapping[str, Any],
        *,
        header: Mapping[str, Any] | None = None,
        side_files: Mapping[str, Path] | None = None,
        overwrite: bool = False,
        needs_retry: Callable[[Mapping[str, Any]], bool] | None = None,
        add_number: Callable[[Mapping[str, Any], int], Mapping[str, Any]] = lambda line, _: line,
    ) -> None:
        """Look at what lies there.

        ``numbered`` returns a line of the main file as it shall be written, given its number there (from 1): the
        journal keeps lines without it, since they are put before anybody knows how many stand before them.

        ``redo`` tells which lines of an earlier run must be made again; it sees each line once, in index order, and
        needs exactly one line per index in the main file.

        Raises:
            ConfigError: an earlier run of another manifest lies there (says what differs), or a file of no run at
                all, and ``overwrite`` is not given; or another run is writing there.
        """
        if needs_retry is not None and side_files:
            raise ValueError("lines can be redone in the main file alone")
        self.path = path
        self.manifest_path = path.with_name(f"{path.name}.run.json")
        self.journal_path = path.with_name(f"{path.name}.journal.jsonl")
        self.is_complete = False
        self._paths = {"": path, **(side_files or {})}
        self._manifest: dict[str, Any] = json.loads(to_json_line(dict(manifest)))
        self._header, self._redo, self._numbered = header, needs_retry, add_number
        self._lock = threading.Lock()
        self._done: dict[int, LinesByFile] = {}
        self._missing = False
        self._closed = False
        self._written = 0
        self._lines = 0
        self._files: dict[str, TextIO] = {}
        self._journal: TextIO | None = None
        with ExitStack() as stack:
            self._file_lock = stack.enter_context(OutputLock(path))
            try:
                if not overwrite:
                    self._look()
            except OSError as error:
                raise file_write_error(self.path, error) from error
            if not self.is_complete:
                stack.pop_all()  # released by ``close``

    def __enter__(self) -> Output:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def is_finished(self, index: int) -> bool:
        """Tell whether the lines of an index are on disk."""
        with self._lock:
            return self.is_complete or index < self._written or index in self._done

    def record_lines(self, index: int, lines: LinesByFile) -> None:
        """Record the lines of one index, which may be none at all: on disk when this returns.

        Raises:
            ConfigError: the files cannot be written.
            StorageFailed: the disk takes no more; nothing can be put any more.
            ValueError: the index is finished already, or a file is unknown (a programmer's mistake).
        """
        if unknown := sorted(lines.keys() - self._paths.keys()):
            raise ValueError(f"no such file beside {self.path}: {unknown}")
        if self.is_finished(index):
            raise ValueError(f"index {index} is finished already")
        if self._closed:
            raise ValueError(f"{self.path} is closed")
        with self._lock:
            try:
                self._begin()
                assert self._journal is not None
                self._journal.write(_entry(index, lines) + "\n")
                self._journal.flush()
                self._done[index] = lines
                self._extend()
            except OSError as error:
                self._abandon()
                raise file_write_error(self.path, error) from error

    def complete(self) -> None:
        """Say that every index has been put: files are whole, the manifest says so, the journal is gone.

        Raises:
            ConfigError: the files cannot be written.
            StorageFailed: the disk takes no more.
        """
        if self.is_complete:
            return
        with self._lock:
            try:
                self._begin()
                for index in sorted(self._done):
                    self._write(self._done.pop(index))
                self._close()
                write_atomically(self.manifest_path, [_pretty(self._manifest | {"complete": True})])
                self.journal_path.unlink(missing_ok=True)
            except OSError as error:
                self._abandon()
                raise file_write_error(self.path, error) from error
            self.is_complete = True

    def close(self) -> None:
        """Close the files; what has been put stays, and the same run goes on from there.

        Raises:
            ConfigError, StorageFailed: the files cannot be written.
        """
        with self._file_lock, self._lock:
            self._closed = True
            try:
                self._close()
            except OSError as error:
                raise file_write_error(self.path, error) from error

    def _look(self) -> None:
        """Find out what an earlier run has left."""
        if not self.manifest_path.exists():
            if self.path.exists():
                raise ConfigError(
                    f"{self.path} is there already and no {self.manifest_path.name} says what made it: "
                    "choose another name, or overwrite it with --overwrite"
                )
            return
        earlier = self._read_manifest()
        was_complete = bool(earlier.pop("complete", False))
        if found := describe_differences(earlier, self._manifest):
            raise ConfigError(
                f"{self.path} was made by another run ({'; '.join(dict.fromkeys(found))}): "
                "choose another name, or overwrite it with --overwrite"
            )
        if was_complete and self.path.exists():
            self._done = self._read_back() if self._redo else {}
            self.is_complete = self._redo is None or not self._missing
        elif not was_complete:
            self._done = self._read_journal()

    def _read_manifest(self) -> dict[str, Any]:
        try:
            earlier = parse_json(self.manifest_path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ConfigError(f"{self.manifest_path} cannot be read ({error}); --overwrite starts anew") from error
        if not isinstance(earlier, dict):
            raise ConfigError(f"{self.manifest_path} holds no JSON object; --overwrite starts anew")
        return earlier

    def _read_back(self) -> dict[int, LinesByFile]:
        assert self._redo is not None
        lines = [line for _, line in read_lines(self.path)][0 if self._header is None else 1 :]
        kept = {index: {"": [line]} for index, line in enumerate(lines) if not self._redo(line)}
        self._missing = len(kept) < len(lines)
        return dict(kept)

    def _read_journal(self) -> dict[int, LinesByFile]:
        """Read back what was put; from the first line that is not whole (a run was killed) nothing is taken."""
        done: dict[int, LinesByFile] = {}
        if not self.journal_path.exists():
            # It is laid before the manifest: somebody took it away, and with it the places of the lines.
            raise ConfigError(f"{self.path} is half done and {self.journal_path.name} is gone; --overwrite starts anew")
        try:
            for _, entry in read_lines(self.journal_path, skip_partial_line=True):
                done[entry["index"]] = entry["lines"]
        except (BenchmarkInvalid, KeyError, TypeError) as error:
            logger.warning("%s: %s; what follows is made again", self.journal_path, error)
        if self._redo is None:
            return done
        return {index: lines for index, lines in sorted(done.items()) if not any(map(self._redo, lines.get("", ())))}

    def _begin(self) -> None:
        """Lay the files anew from what is known; the journal comes first, so that a kill in between loses nothing."""
        if self._journal is not None:
            return
        write_atomically(self.journal_path, [_entry(index, lines) for index, lines in sorted(self._done.items())])
        write_atomically(self.manifest_path, [_pretty(self._manifest | {"complete": False})])
        for name, path in self._paths.items():
            write_atomically(path, [to_json_line(self._header)] if self._header is not None and not name else [])
            self._files[name] = open_text(path, "a")
        self._journal = open_text(self.journal_path, "a")
        self._extend()

    def _extend(self) -> None:
        while (lines := self._done.pop(self._written, None)) is not None:
            self._write(lines)
            self._written += 1

    def _write(self, lines: LinesByFile) -> None:
        for name, some in lines.items():
            file = self._files[name]
            if not name:
                some = [self._numbered(line, number) for number, line in enumerate(some, self._lines + 1)]
                self._lines += len(some)
            file.writelines(to_json_line(line) + "\n" for line in some)
            file.flush()

    def _close(self) -> None:
        with ExitStack() as stack:  # all are closed, though one may fail
            for file in (*self._files.values(), *([self._journal] if self._journal else [])):
                stack.callback(file.close)
            self._files, self._journal = {}, None

    def _abandon(self) -> None:
        """Close the files after a failure: what they hold back cannot be written, and is in no index that is done."""
        self._closed = True
        with suppress(OSError):
            self._close()


def _entry(index: int, lines: LinesByFile) -> str:
    return to_json_line({"index": index, "lines": lines})


def _pretty(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


_ROOMS = re.compile(r"^(?:(?:benchmark|generate|answers|options|settings)\.)+")
"""The parts of a manifest that options stand in; a user knows them by their own names."""
_SHOWN = 120
"""Characters of a value that a message shows."""


def describe_differences(earlier: Any, now: Any, path: str = "") -> list[str]:
    """Say where two manifests differ: each option by its name, with both values unless they are long tables."""
    if isinstance(earlier, dict) and isinstance(now, dict):
        keys = [*earlier, *(key for key in now if key not in earlier)]
        return [
            said
            for key in keys
            for said in describe_differences(earlier.get(key), now.get(key), f"{path}.{key}" if path else key)
        ]
    if earlier == now and type(earlier) is type(now):
        return []
    named, then, new = _ROOMS.sub("", path), to_json_line(earlier), to_json_line(now)
    if isinstance(earlier, dict | list) and len(then) + len(new) > _SHOWN:
        return [f"{named}: others there than now"]
    return [f"{named}: {then[:_SHOWN]} there, {new[:_SHOWN]} now"]
