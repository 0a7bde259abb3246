"""Other things of a class, drawn once per run: rivals of a seed, and values that might stand in another's place."""

from __future__ import annotations

from random import Random
from threading import Lock

from chattyshared.kg import KnowledgeGraph
from rdflib import URIRef

from chattygen.salience import is_writable

KEPT = 60


class Stock:
    """Keeps up to ``KEPT`` entities of each class that is asked for. Safe to use from several threads.

    What it gives depends on the run's seed and the class alone, not on who asks first.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[int, str], tuple[URIRef, ...]] = {}
        self._lock = Lock()

    def some(self, kg: KnowledgeGraph, type_iri: str, *, seed: int, chance: Random, number: int) -> list[URIRef]:
        """Return up to ``number`` entities of a class, by chance.

        Raises:
            EndpointError: the endpoint does not answer.
        """
        key = (seed, type_iri)
        with self._lock:
            if key not in self._kept:
                drawn = kg.draw(type_iri, chance=Random(f"{seed}/stock/{type_iri}"), limit=KEPT)
                self._kept[key] = tuple(sorted(iri for iri in drawn if is_writable(iri)))
            kept = self._kept[key]
        return chance.sample(kept, min(number, len(kept)))
