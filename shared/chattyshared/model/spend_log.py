"""What a run has spent so far, kept in a file beside its output, so that a resumed run counts on."""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, TextIO

from chattyshared.errors import BenchmarkInvalid, ConfigError, file_write_error
from chattyshared.jsonlines import open_text, read_lines, to_json_line, write_atomically
from chattyshared.model import Usage

_TOKENS = {field.name for field in fields(Usage)}


@dataclass(frozen=True, slots=True)
class Spending:
    """What was spent: the usage of all model calls, the queries, and the seconds of wall clock; adds with ``+``.

    Raises:
        ValueError: a number is negative or not finite.
    """

    usage: Usage = field(default_factory=Usage)
    queries: int = 0
    seconds: float = 0.0

    def __post_init__(self) -> None:
        if self.queries < 0 or not 0 <= self.seconds < math.inf:
            raise ValueError(f"no number of queries and seconds: {self.queries}, {self.seconds}")

    def __add__(self, other: Spending) -> Spending:
        return Spending(self.usage + other.usage, self.queries + other.queries, self.seconds + other.seconds)

    def __sub__(self, earlier: Spending) -> Spending:
        """Return what was spent since an earlier state of the same count."""
        now, then = self.usage, earlier.usage
        usage = Usage(
            now.calls - then.calls,
            now.prompt_tokens - then.prompt_tokens,
            now.completion_tokens - then.completion_tokens,
            now.cached_tokens - then.cached_tokens,
            None if now.usd is None else now.usd - (then.usd or 0),
            now.estimated,
        )
        return Spending(usage, self.queries - earlier.queries, self.seconds - earlier.seconds)

    @property
    def tokens(self) -> int:
        """The tokens of prompts and replies."""
        return self.usage.prompt_tokens + self.usage.completion_tokens

    def render_summary(self) -> str:
        """Return it in one line, as a user reads it."""
        usd = "" if self.usage.usd is None else f", {self.usage.usd:.4f} USD"
        about = "about " if self.usage.estimated else ""
        return f"{self.usage.calls} calls, {about}{self.tokens} tokens{usd}, {self.queries} queries"


def usage_of_run(results: Usage, spent: Usage) -> Usage:
    """Return what a run has used: what it has spent, which counts calls that belong to no result as well.

    Where more stands in its results than was spent (rules without a limit, replies that were kept), it is theirs.
    """
    return spent if spent.calls > results.calls else results


def spend_log_path(output: Path) -> Path:
    """Return where the spending of a run into a file of results is kept."""
    return output.with_name(f"{output.name}.spent.jsonl")


class SpendLog:
    """A JSON Lines file of what was spent, one entry a model call, written at once; without a path it only adds up.

    Safe to call from several threads. One run writes it at a time.
    """

    def __init__(self, path: Path | None = None, *, replace_existing: bool = False) -> None:
        """Read what earlier runs have spent; ``anew`` forgets it (the output is made anew as well).

        Raises:
            ConfigError: the file cannot be read, or is none of spending.
        """
        self.path = path
        self._lock = threading.Lock()
        self._file: TextIO | None = None
        self._failure: OSError | None = None
        earlier = None if path is None or replace_existing else _read(path)
        self._is_resumed = earlier is not None
        self.earlier_spending = earlier or Spending()

    def add(self, spent: Spending) -> None:
        """Write one entry.

        Raises:
            ConfigError: the file cannot be written.
            StorageFailed: the disk takes no more; no later entry is written either.
        """
        if self.path is None:
            return
        with self._lock:
            if self._failure is not None:
                raise file_write_error(self.path, self._failure)
            try:
                self._file = self._file or self._open(self.path)
                self._file.write(to_json_line(_row(spent)) + "\n")
                self._file.flush()
            except OSError as error:
                self._failure = error
                raise file_write_error(self.path, error) from error

    def close(self) -> None:
        """Close the file.

        Raises:
            ConfigError, StorageFailed: it cannot be written.
        """
        with self._lock:
            file, self._file = self._file, None
            try:
                if file is not None:
                    file.close()
            except OSError as error:
                if self._failure is None:  # else it was raised when the entry was written
                    assert self.path is not None
                    raise file_write_error(self.path, error) from error

    def _open(self, path: Path) -> TextIO:
        # Written whole from what was read: the half line that a killed run may have left goes.
        write_atomically(path, [to_json_line(_row(self.earlier_spending))] if self._is_resumed else [])
        return open_text(path, "a")


def _row(spent: Spending) -> Mapping[str, Any]:
    return {**asdict(spent.usage), "queries": spent.queries, "seconds": round(spent.seconds, 3)}


def _read(path: Path) -> Spending | None:
    """Return the sum of what a file tells, or None if it tells nothing."""
    try:
        entries = [_spent(row) for _, row in read_lines(path, skip_partial_line=True)] if path.exists() else []
        return sum(entries, Spending()) if entries else None
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror or error}") from error
    except (BenchmarkInvalid, KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise ConfigError(f"{path} does not tell what was spent ({error}): take it away, or use --overwrite") from error


def _spent(row: Mapping[str, Any]) -> Spending:
    usage = Usage(**{name: value for name, value in row.items() if name in _TOKENS})
    return Spending(usage, int(row["queries"]), float(row["seconds"]))
