"""The hierarchy of errors.

    ChattyError
      ConfigError                 the user can fix it: one clear line, exit 2
        BenchmarkInvalid          carries line and JSON path
      EndpointError               carries endpoint and query
        QueryRejected             the endpoint refuses this query
        EndpointTimeout           the query took longer than allowed
        EndpointUnavailable       down, refusing, or overloaded after the retries
        ResultUnreadable          the reply is not a SPARQL result (HTML, incomplete JSON)
          ResultCut               the server truncated the rows: carries its limit
        QueryCrashed              the query took too much memory, or crashed its process
        UnsafeQuery               the guard could not prove that the query only reads
      ModelError                  carries the model's name and the usage so far
        ModelUnavailable          down, or overloaded after the retries
        ModelRefused              the model declined
        ContextTooLong            the prompt does not fit
        ReplyInvalid              no usable reply after theta attempts: problems, last text, attempts
      BudgetSpent                 a limit was reached; what is done is kept
      AnswerStopped               nobody waits for the answer any more
      WorkersLost                 the remote workers or their scheduler are gone; what is done is kept
      StorageFailed               the disk is full, over a quota or a size limit, or broken; what is done is kept

A bad reply of a model is a ``Problem`` (see ``check``). Errors of third parties are mapped to these classes once, where
they are called, with ``from``.
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
    """The base class of all errors that callers may handle."""


class ConfigError(ChattyError):
    """An error that the user can fix, with a one-line message."""


class BenchmarkInvalid(ConfigError):
    """A file of dialogues, questions or answers is not valid.

    ``line`` counts from 1; ``path`` is the JSON path of the offending value, for example ``$.turns[2].form``.
    """

    def __init__(self, message: str, *, file: str = "", line: int = 0, path: str = "") -> None:
        where = ", ".join(part for part in (file, f"line {line}" if line else "", path) if part)
        super().__init__(f"{where}: {message}" if where else message)
        self.file, self.line, self.path = file, line, path


class EndpointError(ChattyError):
    """A query has no usable result; carries the endpoint's name and the query."""

    def __init__(self, message: str, *, endpoint: str = "", query: str = "") -> None:
        super().__init__(f"{endpoint}: {message}" if endpoint else message)
        self.endpoint, self.query = endpoint, query


class QueryRejected(EndpointError):
    """The endpoint refuses the query."""


class EndpointTimeout(EndpointError):
    """The query took longer than allowed."""


class EndpointUnavailable(EndpointError):
    """The endpoint does not answer, or is overloaded, after the retries."""


class ResultUnreadable(EndpointError):
    """The reply is not a complete SPARQL result."""


class ResultCut(ResultUnreadable):
    """The server sent fewer rows than there are; ``rows`` is its limit."""

    def __init__(self, message: str, *, endpoint: str = "", query: str = "", rows: int = 0) -> None:
        super().__init__(message, endpoint=endpoint, query=query)
        self.rows = rows


class UnsafeQuery(EndpointError):
    """The guard could not prove that the query only reads."""


class QueryCrashed(EndpointError):
    """The query took too much memory or crashed its process; other queries still run."""


QUERY_ERRORS = (UnsafeQuery, QueryRejected, ResultUnreadable, EndpointTimeout, QueryCrashed)
"""Failures of one query at an available endpoint: they fail one item, while ``EndpointUnavailable`` ends the run."""


class ModelError(ChattyError):
    """A completion failed; carries the model's name and the usage so far."""

    def __init__(self, message: str, *, model: str = "", usage: Usage | None = None) -> None:
        super().__init__(f"{model}: {message}" if model else message)
        self.model, self.usage = model, usage


class ModelUnavailable(ModelError):
    """The model's server does not answer, or is busy after the retries.

    ``reason`` decides whether to retry: ``busy`` (too many requests), ``failed`` (server error), ``lost`` (no
    connection), ``late`` (no reply in time), ``garbled`` (unreadable reply), or ``closed`` (a key, a permission or
    credit is missing: waiting does not help). ``retry_after`` are the seconds that the server asks to wait.
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
    """The prompt is too long for the model; ``limit`` and ``requested`` are tokens, if the server reports them."""

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
    """A limit of the user is reached; finished items are on disk."""


class AnswerStopped(ChattyError):
    """The work on one answer was stopped, because nobody waits for it any more."""


class WorkersLost(ChattyError):
    """The remote workers or their scheduler are gone, or an item crashes them; finished items are on disk."""


class StorageFailed(ChattyError):
    """The disk is full, over a quota or a size limit, or broken; finished items are on disk."""


STORAGE_RESUME_HINT = "the same command goes on from there once there is room"
_STORAGE_ERRNOS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})


def is_storage_error(error: OSError) -> bool:
    """Tell whether the error comes from a full or broken disk, not from the file's name or permissions."""
    return error.errno in _STORAGE_ERRNOS


def file_write_error(path: Path, error: OSError) -> StorageFailed | ConfigError:
    """Return the error for a file that cannot be written: ``StorageFailed`` for a full disk, which stops a run until
    there is room; else ``ConfigError``."""
    message = f"cannot write {path}: {error.strerror or error}"
    if is_storage_error(error):
        return StorageFailed(f"{message}; {STORAGE_RESUME_HINT}")
    return ConfigError(message)
