"""Caches of one KG, shared by all threads that query it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import RLock
from typing import Any, Literal, TypeVar

from chattyshared.endpoint import Endpoint
from chattyshared.profile import Profile
from chattyshared.terms import Term

T = TypeVar("T")


class KGCache:
    """Labels, types and predicates of terms, and values that are computed once. Safe to share between threads."""

    def __init__(self) -> None:
        self.labels: dict[Term, str] = {}
        self.types: dict[Term, tuple[str, ...]] = {}
        self.predicates: dict[Term, tuple[tuple[str, Literal["out", "in"], int], ...]] = {}
        self._values: dict[str, Any] = {}
        self._lock = RLock()

    def with_fresh_terms(self) -> KGCache:
        """Return a cache with the same values but nothing of single terms."""
        copy = KGCache()
        copy._values, copy._lock = self._values, self._lock
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
