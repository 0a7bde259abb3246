"""Questions that several threads ask at the same moment: one of them asks, the others wait for what it hears."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from typing import Generic, TypeVar

from chattyshared.errors import EndpointError

Result = TypeVar("Result")


class RequestCoalescer(Generic[Result]):
    """What is being asked right now; nothing is kept once it is answered. Safe to use from many threads."""

    def __init__(self) -> None:
        self._asked: dict[str, Future[Result]] = {}
        self._lock = threading.Lock()

    def run_once(self, key: str, request: Callable[[], Result]) -> Result:
        """Return what ``ask`` returns; it is called unless it runs for this key already.

        Raises:
            EndpointError: what ``ask`` raised, for all who waited.
        """
        with self._lock:
            others = self._asked.get(key)
            mine = self._asked.setdefault(key, Future())
        if others is not None:
            try:
                return others.result()
            except CancelledError:
                return request()  # whoever asked was interrupted
        try:
            mine.set_result(request())
        except EndpointError as error:
            mine.set_exception(error)
            raise
        finally:
            with self._lock:
                del self._asked[key]
            mine.cancel()  # unless it is done
        return mine.result()
