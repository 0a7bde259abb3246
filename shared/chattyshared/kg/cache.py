"""Caches of one KG, shared by all threads that query it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from threading import Lock, RLock
from typing import Any, Literal, TypeVar

from chattyshared.endpoint import Endpoint
from chattyshared.profile import Profile
from chattyshared.terms import Term

T = TypeVar("T")


MAX_SHARED_TERMS = 200_000
"""Terms whose labels all questions share; with more of them the next question begins anew."""
MAX_RECENT = 1_000
"""Results of one kind that are kept, the latest used."""


class RecentResults:
    """The results of one function that were used last; several threads may ask for them at once."""

    def __init__(self, limit: int = MAX_RECENT) -> None:
        self._limit = limit
        self._results: OrderedDict[Hashable, Any] = OrderedDict()
        self._lock = Lock()

    def get_or_create(self, key: Hashable, create: Callable[[], T]) -> T:
        """Return the result for a key; create it if it is not kept. Other threads do not wait meanwhile."""
        with self._lock:
            if key in self._results:
                self._results.move_to_end(key)
                result: T = self._results[key]
                return result
        result = create()
        with self._lock:
            self._results[key] = result
            while len(self._results) > self._limit:
                self._results.popitem(last=False)
        return result


class KGCache:
    """Labels, types and predicates of terms, and values that are computed once. Safe to share between threads.

    ``endpoint`` reads the terms that several copies of a KG share; None: each copy reads its own.
    """

    def __init__(self) -> None:
        self.endpoint: Endpoint | None = None
        self._clear_terms()
        self._values: dict[str, Any] = {}
        self._lock = RLock()

    def _clear_terms(self) -> None:
        self.labels: dict[Term, str] = {}
        self.types: dict[Term, tuple[str, ...]] = {}
        self.predicates: dict[Term, tuple[tuple[str, Literal["out", "in"], int], ...]] = {}
        self.recent: dict[str, RecentResults] = {}

    def with_fresh_terms(self) -> KGCache:
        """Return a cache with the same values but nothing of single terms."""
        copy = KGCache()
        copy._values, copy._lock = self._values, self._lock
        return copy

    def with_shared_terms(self, endpoint: Endpoint) -> KGCache:
        """Return a cache with the same values and the same terms; an endpoint reads the terms that are missing.

        A full cache is left to the copies that use it.
        """
        copy = self.with_fresh_terms()
        with self._lock:
            if max(len(self.labels), len(self.types), len(self.predicates)) > MAX_SHARED_TERMS:
                self._clear_terms()
            copy.labels, copy.types = self.labels, self.types
            copy.predicates, copy.recent = self.predicates, self.recent
        copy.endpoint = endpoint
        return copy

    def get_or_create(self, name: str, create: Callable[[], T]) -> T:
        """Return the value of this name; create it if there is none. Other threads wait meanwhile."""
        if name not in self._values:
            with self._lock:
                if name not in self._values:
                    self._values[name] = create()
        value: T = self._values[name]
        return value


@dataclass(frozen=True, slots=True)
class CachedReader:
    """An endpoint, the profile to read it by, and the cache of what was read."""

    endpoint: Endpoint
    profile: Profile
    cache: KGCache

    @property
    def term_endpoint(self) -> Endpoint:
        """The endpoint that reads labels, types and predicates of terms."""
        return self.cache.endpoint or self.endpoint
