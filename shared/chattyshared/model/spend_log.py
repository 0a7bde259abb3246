"""The spending of a run, logged in a file next to its output, so that a resumed run continues the count."""

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

_USAGE_FIELDS = {field.name for field in fields(Usage)}


@dataclass(frozen=True, slots=True)
class Spending:
    """Usage of all model calls, number of queries, and seconds of wall clock; adds with ``+``.

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
        """Return the spending since an earlier state of the same count."""
        usage_now, usage_then = self.usage, earlier.usage
        usage = Usage(
            usage_now.calls - usage_then.calls,
            usage_now.prompt_tokens - usage_then.prompt_tokens,
            usage_now.completion_tokens - usage_then.completion_tokens,
            usage_now.cached_tokens - usage_then.cached_tokens,
            None if usage_now.usd is None else usage_now.usd - (usage_then.usd or 0),
            usage_now.estimated,
        )
        return Spending(usage, self.queries - earlier.queries, self.seconds - earlier.seconds)

    @property
    def tokens(self) -> int:
        """The tokens of prompts and replies."""
        return self.usage.prompt_tokens + self.usage.completion_tokens

    def render_summary(self) -> str:
        """Return a summary in one line, for users."""
        usd = "" if self.usage.usd is None else f", {self.usage.usd:.4f} USD"
        about = "about " if self.usage.estimated else ""
        return f"{self.usage.calls} calls, {about}{self.tokens} tokens{usd}, {self.queries} queries"


def usage_of_run(results: Usage, spent: Usage) -> Usage:
    """Return the usage of a run: its spending, which includes calls that belong to no result.

    If the results have more calls (rules without a limit, stored replies), it is the results' usage.
    """
    return spent if spent.calls > results.calls else results


def spend_log_path(output: Path) -> Path:
    """Return the path of the spend log of an output file."""
    return output.with_name(f"{output.name}.spent.jsonl")


class SpendLog:
    """A JSON Lines file of spending, one entry per model call, written at once; without a path nothing is written.

    Safe to call from several threads. Only one run may write it at a time.
    """

    def __init__(self, path: Path | None = None, *, replace_existing: bool = False) -> None:
        """Read the spending of earlier runs; ``replace_existing`` ignores it.

        Raises:
            ConfigError: the file cannot be read, or is not a spend log.
        """
        self.path = path
        self._lock = threading.Lock()
        self._file: TextIO | None = None
        self._failure: OSError | None = None
        earlier = None if path is None or replace_existing else _read_total(path)
        self._is_resumed = earlier is not None
        self.earlier_spending = earlier or Spending()

    def add(self, spent: Spending) -> None:
        """Write one entry.

        Raises:
            ConfigError: the file cannot be written.
            StorageFailed: the disk is full or failing; no later entry is written either.
        """
        if self.path is None:
            return
        with self._lock:
            if self._failure is not None:
                raise file_write_error(self.path, self._failure)
            try:
                self._file = self._file or self._open(self.path)
                self._file.write(to_json_line(_to_json(spent)) + "\n")
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
                if self._failure is None:  # otherwise ``add`` has raised it
                    assert self.path is not None
                    raise file_write_error(self.path, error) from error

    def _open(self, path: Path) -> TextIO:
        # Rewritten as one entry: this drops a partial line of a killed run.
        write_atomically(path, [to_json_line(_to_json(self.earlier_spending))] if self._is_resumed else [])
        return open_text(path, "a")


def _to_json(spent: Spending) -> Mapping[str, Any]:
    return {**asdict(spent.usage), "queries": spent.queries, "seconds": round(spent.seconds, 3)}


def _read_total(path: Path) -> Spending | None:
    """Return the sum of the entries in a file, or None if there are none."""
    try:
        entries = [_parse_entry(row) for _, row in read_lines(path, skip_partial_line=True)] if path.exists() else []
        return sum(entries, Spending()) if entries else None
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror or error}") from error
    except (BenchmarkInvalid, KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise ConfigError(f"{path} does not tell what was spent ({error}): take it away, or use --overwrite") from error


def _parse_entry(row: Mapping[str, Any]) -> Spending:
    usage = Usage(**{name: value for name, value in row.items() if name in _USAGE_FIELDS})
    return Spending(usage, int(row["queries"]), float(row["seconds"]))
