"""Resumable result files: with a manifest, a journal during the run, and lines in index order."""

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
"""The lines of one index by file: ``""`` is the main file, other keys are those of ``side_files``."""


class Output:
    """The files of one run, as a context manager; ``record_lines`` may be called from any thread.

    Nothing is written before the first ``record_lines`` (or ``complete``): a run that fails at its start leaves no
    files and, with ``overwrite``, loses nothing of an earlier run. Until ``close`` no other process can open the same
    output.
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
        """Check what an earlier run has left.

        ``add_number`` returns a line of the main file with its number (from 1). The journal has lines without numbers,
        since these are known only when all earlier lines are written.

        ``needs_retry`` tells which lines of an earlier run must be made again; it gets each line once, in index order,
        and needs exactly one line per index in the main file.

        Raises:
            ConfigError: without ``overwrite``, there is a file of a run with another manifest (the message says what
            differs) or of no run; or another run is writing the output.
        """
        if needs_retry is not None and side_files:
            raise ValueError("lines can be redone in the main file alone")
        self.path = path
        self.manifest_path = path.with_name(f"{path.name}.run.json")
        self.journal_path = path.with_name(f"{path.name}.journal.jsonl")
        self.is_complete = False
        self._paths = {"": path, **(side_files or {})}
        self._manifest: dict[str, Any] = json.loads(to_json_line(dict(manifest)))
        self._header, self._needs_retry, self._add_number = header, needs_retry, add_number
        self._lock = threading.Lock()
        self._pending: dict[int, LinesByFile] = {}
        self._needs_more = False
        self._closed = False
        self._next_index = 0
        self._line_count = 0
        self._files: dict[str, TextIO] = {}
        self._journal: TextIO | None = None
        with ExitStack() as stack:
            self._file_lock = stack.enter_context(OutputLock(path))
            try:
                if not overwrite:
                    self._read_earlier_run()
            except OSError as error:
                raise file_write_error(self.path, error) from error
            if not self.is_complete:
                stack.pop_all()  # ``close`` releases the lock

    def __enter__(self) -> Output:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def is_finished(self, index: int) -> bool:
        """Tell whether the lines of an index are on disk."""
        with self._lock:
            return self.is_complete or index < self._next_index or index in self._pending

    def record_lines(self, index: int, lines: LinesByFile) -> None:
        """Record the lines of one index (possibly none); they are on disk when this returns.

        Raises:
            ConfigError: the files cannot be written.
            StorageFailed: the disk is full or failing; no more lines can be recorded.
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
                self._open_files()
                assert self._journal is not None
                self._journal.write(_journal_entry(index, lines) + "\n")
                self._journal.flush()
                self._pending[index] = lines
                self._write_ready()
            except OSError as error:
                self._close_after_failure()
                raise file_write_error(self.path, error) from error

    def complete(self, report: Mapping[str, Any] | None = None) -> None:
        """Finish the run: write all lines, mark the manifest as complete, with what is to ``report`` of the result, and
        remove the journal.

        Raises:
            ConfigError: the files cannot be written.
            StorageFailed: the disk is full or failing.
        """
        if self.is_complete:
            return
        with self._lock:
            try:
                self._open_files()
                for index in sorted(self._pending):
                    self._write_lines(self._pending.pop(index))
                self._close_files()
                ending = {"complete": True} | ({"report": dict(report)} if report else {})
                write_atomically(self.manifest_path, [_to_indented_json(self._manifest | ending)])
                self.journal_path.unlink(missing_ok=True)
            except OSError as error:
                self._close_after_failure()
                raise file_write_error(self.path, error) from error
            self.is_complete = True

    def close(self) -> None:
        """Close the files; the same run can continue later from what is recorded.

        Raises:
            ConfigError, StorageFailed: the files cannot be written.
        """
        with self._file_lock, self._lock:
            self._closed = True
            try:
                self._close_files()
            except OSError as error:
                raise file_write_error(self.path, error) from error

    def _read_earlier_run(self) -> None:
        """Read what an earlier run has left."""
        if not self.manifest_path.exists():
            if self.path.exists():
                raise ConfigError(
                    f"{self.path} is there already and no {self.manifest_path.name} says what made it: "
                    "choose another name, or overwrite it with --overwrite"
                )
            return
        earlier = self._read_manifest()
        was_complete = bool(earlier.pop("complete", False))
        earlier.pop("report", None)
        if differences := describe_differences(earlier, self._manifest):
            raise ConfigError(
                f"{self.path} was made by another run ({'; '.join(dict.fromkeys(differences))}): "
                "choose another name, or overwrite it with --overwrite"
            )
        if was_complete and self.path.exists():
            self._pending = self._read_back() if self._needs_retry else {}
            self.is_complete = self._needs_retry is None or not self._needs_more
        elif not was_complete:
            self._pending = self._read_journal()

    def _read_manifest(self) -> dict[str, Any]:
        try:
            earlier = parse_json(self.manifest_path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ConfigError(f"{self.manifest_path} cannot be read ({error}); --overwrite starts anew") from error
        if not isinstance(earlier, dict):
            raise ConfigError(f"{self.manifest_path} holds no JSON object; --overwrite starts anew")
        return earlier

    def _read_back(self) -> dict[int, LinesByFile]:
        assert self._needs_retry is not None
        lines = [line for _, line in read_lines(self.path)][0 if self._header is None else 1 :]
        lines_by_index = {index: {"": [line]} for index, line in enumerate(lines) if not self._needs_retry(line)}
        self._needs_more = len(lines_by_index) < len(lines)
        return dict(lines_by_index)

    def _read_journal(self) -> dict[int, LinesByFile]:
        """Read the recorded lines, up to the first incomplete line (of a killed run)."""
        lines_by_index: dict[int, LinesByFile] = {}
        if not self.journal_path.exists():
            # It is written before the manifest, so somebody has removed it, and the lines' indexes are lost.
            raise ConfigError(f"{self.path} is half done and {self.journal_path.name} is gone; --overwrite starts anew")
        try:
            for _, entry in read_lines(self.journal_path, skip_partial_line=True):
                lines_by_index[entry["index"]] = entry["lines"]
        except (BenchmarkInvalid, KeyError, TypeError) as error:
            logger.warning("%s: %s; what follows is made again", self.journal_path, error)
        if self._needs_retry is None:
            return lines_by_index
        return {
            index: lines
            for index, lines in sorted(lines_by_index.items())
            if not any(map(self._needs_retry, lines.get("", ())))
        }

    def _open_files(self) -> None:
        """Rewrite the files from what is recorded; the journal comes first, so that a kill in between loses nothing."""
        if self._journal is not None:
            return
        write_atomically(
            self.journal_path, [_journal_entry(index, lines) for index, lines in sorted(self._pending.items())]
        )
        write_atomically(self.manifest_path, [_to_indented_json(self._manifest | {"complete": False})])
        for name, path in self._paths.items():
            write_atomically(path, [to_json_line(self._header)] if self._header is not None and not name else [])
            self._files[name] = open_text(path, "a")
        self._journal = open_text(self.journal_path, "a")
        self._write_ready()

    def _write_ready(self) -> None:
        while (lines := self._pending.pop(self._next_index, None)) is not None:
            self._write_lines(lines)
            self._next_index += 1

    def _write_lines(self, lines: LinesByFile) -> None:
        for name, file_lines in lines.items():
            file = self._files[name]
            if not name:
                file_lines = [
                    self._add_number(line, number) for number, line in enumerate(file_lines, self._line_count + 1)
                ]
                self._line_count += len(file_lines)
            file.writelines(to_json_line(line) + "\n" for line in file_lines)
            file.flush()

    def _close_files(self) -> None:
        with ExitStack() as stack:  # closes all, even if one fails
            for file in (*self._files.values(), *([self._journal] if self._journal else [])):
                stack.callback(file.close)
            self._files, self._journal = {}, None

    def _close_after_failure(self) -> None:
        """Close the files after a failure; unwritten buffers belong to no finished index."""
        self._closed = True
        with suppress(OSError):
            self._close_files()


def _journal_entry(index: int, lines: LinesByFile) -> str:
    return to_json_line({"index": index, "lines": lines})


def _to_indented_json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


_SECTION_PREFIX = re.compile(r"^(?:(?:benchmark|generate|answers|options|settings)\.)+")
"""The sections of a manifest that contain options; messages show the options' own names."""
_MAX_SHOWN = 120
"""The most characters of a value in a message."""


def describe_differences(earlier: Any, current: Any, path: str = "") -> list[str]:
    """Return the differences of two manifests: each option by its name, with both values unless they are long
    tables."""
    if isinstance(earlier, dict) and isinstance(current, dict):
        keys = [*earlier, *(key for key in current if key not in earlier)]
        return [
            difference
            for key in keys
            for difference in describe_differences(earlier.get(key), current.get(key), f"{path}.{key}" if path else key)
        ]
    if earlier == current and type(earlier) is type(current):
        return []
    option, earlier_text, current_text = _SECTION_PREFIX.sub("", path), to_json_line(earlier), to_json_line(current)
    if isinstance(earlier, dict | list) and len(earlier_text) + len(current_text) > _MAX_SHOWN:
        return [f"{option}: others there than now"]
    return [f"{option}: {earlier_text[:_MAX_SHOWN]} there, {current_text[:_MAX_SHOWN]} now"]
