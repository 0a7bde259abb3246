"""Everything that can go wrong in the world, as one tree.

    ChattyError
      ConfigError                 the user can fix it: one clear line, exit 2
        BenchmarkInvalid          carries line and JSON path
      EndpointError               carries endpoint and query
        QueryRejected             the endpoint does not take this query
        EndpointTimeout           the query took longer than allowed
        EndpointUnavailable       down, refusing, or overloaded after the retries
        ResultUnreadable          the answer is no SPARQL result (HTML, half a JSON)
          ResultCut               the server sends no more rows than it likes: carries how many
        QueryCrashed              the query took too much memory, or ended the process that ran it
        UnsafeQuery               the guard could not prove that the query only reads
      ModelError                  carries the model's name and the usage so far
        ModelUnavailable          down, or overloaded after the retries
        ModelRefused              the model declined
        ContextTooLong            the prompt does not fit
        ReplyInvalid              no usable reply after theta attempts: problems, last text, attempts
      BudgetSpent                 a limit on money, tokens or queries was reached; what is done is kept
      WorkersLost                 the workers elsewhere, or their scheduler, are gone; what is done is kept
      StorageFailed               the disk is full, over a quota or a size limit, or broken; what is done is kept

A bad *answer* is a ``Problem`` (see ``check``); a bad *world* is one of these, mapped once at the edge with ``from``.
"""

from __future__ import annotations

import errno
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from chattyshared.check import Problem
    from chattyshared.model import Usage

UnavailableReason = Literal["busy", "failed", "lost", "late", "garbled", "closed"]
"""Why a model is unavailable."""


class ChattyError(Exception):
    """The root: anything of ours that a caller may want to catch."""


class ConfigError(ChattyError):
    """Something that the user can fix, said in one line."""


class BenchmarkInvalid(ConfigError):
    """A file of dialogues, questions or answers that does not keep its format.

    ``line`` counts from 1; ``path`` is the JSON path of the offending value, for example ``$.turns[2].form``.
    """

    def __init__(self, message: str, *, file: str = "", line: int = 0, path: str = "") -> None:
        where = ", ".join(part for part in (file, f"line {line}" if line else "", path) if part)
        super().__init__(f"{where}: {message}" if where else message)
        self.file, self.line, self.path = file, line, path


class EndpointError(ChattyError):
    """A query that brought no usable result; carries the endpoint's name and the query."""

    def __init__(self, message: str, *, endpoint: str = "", query: str = "") -> None:
        super().__init__(f"{endpoint}: {message}" if endpoint else message)
        self.endpoint, self.query = endpoint, query


class QueryRejected(EndpointError):
    """The endpoint says that the query is wrong."""


class EndpointTimeout(EndpointError):
    """The query took longer than it may."""


class EndpointUnavailable(EndpointError):
    """Nobody answers, or only to say that they are busy, after the retries."""


class ResultUnreadable(EndpointError):
    """What came back is not a whole SPARQL result."""


class ResultCut(ResultUnreadable):
    """The server sent fewer rows than there are; ``rows`` is the most that it sends at a time."""

    def __init__(self, message: str, *, endpoint: str = "", query: str = "", rows: int = 0) -> None:
        super().__init__(message, endpoint=endpoint, query=query)
        self.rows = rows


class UnsafeQuery(EndpointError):
    """The guard could not prove that the query only reads."""


class QueryCrashed(EndpointError):
    """The query took too much memory, or ended the process that ran it; other queries still run."""


QUERY_ERRORS = (UnsafeQuery, QueryRejected, ResultUnreadable, EndpointTimeout, QueryCrashed)
"""Failures of one query at an endpoint that is there: an item's failure, where ``EndpointUnavailable`` ends a run."""


class ModelError(ChattyError):
    """A completion that did not come; carries the model's name and what was used so far."""

    def __init__(self, message: str, *, model: str = "", usage: Usage | None = None) -> None:
        super().__init__(f"{model}: {message}" if model else message)
        self.model, self.usage = model, usage


class ModelUnavailable(ModelError):
    """The model's server does not answer, or is busy after the retries.

    ``reason`` tells whether it is worth asking again: ``busy`` (too many requests), ``failed`` (an error of its own),
    ``lost`` (no connection), ``late`` (no reply in time), ``garbled`` (a reply that cannot be read), or ``closed``
    (a key, a right or money is missing: waiting does not help). ``retry_after`` are the seconds that it asks to wait.
    """

    def __init__(
        self,
        message: str,
        *,
        model: str = "",
        usage: Usage | None = None,
        reason: UnavailableReason = "closed",
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message, model=model, usage=usage)
        self.reason, self.retry_after = reason, retry_after


class ModelRefused(ModelError):
    """The model declined to answer."""


class ContextTooLong(ModelError):
    """The prompt is longer than the model takes; ``limit`` and ``asked`` are tokens, where the server tells them."""

    def __init__(
        self,
        message: str,
        *,
        model: str = "",
        usage: Usage | None = None,
        limit: int | None = None,
        requested: int | None = None,
    ) -> None:
        super().__init__(message, model=model, usage=usage)
        self.limit, self.requested = limit, requested


class ReplyInvalid(ModelError):
    """No reply passed its checks; carries the problems, the last text and the number of attempts."""

    def __init__(
        self,
        message: str,
        *,
        model: str = "",
        usage: Usage | None = None,
        problems: Sequence[Problem] = (),
        text: str = "",
        attempts: int = 0,
    ) -> None:
        super().__init__(message, model=model, usage=usage)
        self.problems, self.text, self.attempts = tuple(problems), text, attempts


class BudgetSpent(ChattyError):
    """A limit that the user set was reached; what is done is on disk."""


class WorkersLost(ChattyError):
    """Who does the work elsewhere is gone, or keeps dying of it; what is done is on disk."""


class StorageFailed(ChattyError):
    """The disk takes no more: it is full, over a quota or a size limit, or broken; what is done is on disk."""


STORAGE_RESUME_HINT = "the same command goes on from there once there is room"
_STORAGE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})


def is_storage_error(error: OSError) -> bool:
    """Tell whether a file cannot be written for want of room, whatever its name and its rights."""
    return error.errno in _STORAGE


def file_write_error(path: Path, error: OSError) -> StorageFailed | ConfigError:
    """Return the error for a file that cannot be written: a disk that takes no more stops a run, which can go on once
    there is room; anything else is the user's to fix."""
    said = f"cannot write {path}: {error.strerror or error}"
    if is_storage_error(error):
        return StorageFailed(f"{said}; {STORAGE_RESUME_HINT}")
    return ConfigError(said)
