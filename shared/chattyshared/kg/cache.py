"""What is known of one KG, kept once for all that ask it from several threads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import RLock
from typing import Any, TypeVar

from chattyshared.endpoint import Endpoint
from chattyshared.profile import Profile
from chattyshared.terms import Term

T = TypeVar("T")


class KGCache:
    """Caches of one KG: things that are made once, and what was read of single terms. Safe to share."""

    def __init__(self) -> None:
        self.labels: dict[Term, str] = {}
        self.types: dict[Term, tuple[str, ...]] = {}
        self._things: dict[str, Any] = {}
        self._lock = RLock()

    def with_fresh_terms(self) -> KGCache:
        """Return a memory with the same things but fresh labels and types."""
        other = KGCache()
        other._things, other._lock = self._things, self._lock
        return other

    def get_or_create(self, name: str, make: Callable[[], T]) -> T:
        """Return what was made under this name; make it if nobody has. Others wait meanwhile."""
        if name not in self._things:
            with self._lock:
                if name not in self._things:
                    self._things[name] = make()
        found: T = self._things[name]
        return found


@dataclass(frozen=True, slots=True)
class CachedReader:
    """An endpoint, how to read it, and what was read."""

    endpoint: Endpoint
    profile: Profile
    cache: KGCache
