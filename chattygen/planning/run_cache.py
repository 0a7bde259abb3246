"""What is read once per run: other things of each class, what most of them state, and who bears a name."""

from __future__ import annotations

from collections import Counter
from random import Random
from threading import Lock

from chattyshared.kg import KnowledgeGraph
from rdflib import URIRef

from chattygen.subgraph.facts import Fact
from chattygen.subgraph.predicate_salience import is_writable

KEPT = 60
Spelling = tuple[str, str]
"""A name: its text and its language."""


class Stock:
    """Keeps up to ``KEPT`` entities of each class that is asked for. Safe to use from several threads.

    ``bearers``: by naming predicates, who bears a name; ``usual``: by class and by the predicates that are never asked
    about, the facts that most entities of the class have; ``turns``: how many seeds that could not carry a plan could
    carry how many turns.

    What it gives depends on the run's seed and the class alone, not on who asks first.
    """

    def __init__(self) -> None:
        self.bearers: dict[tuple[str, ...], dict[Spelling, frozenset[URIRef]]] = {}
        self.usual: dict[tuple[str, frozenset[str]], tuple[Fact, ...]] = {}
        self.turns: Counter[int] = Counter()
        self._kept: dict[tuple[int, str], tuple[URIRef, ...]] = {}
        self._lock = Lock()

    def apart(self) -> Stock:
        """Return a view that shares what is read, and counts ``turns`` by itself."""
        other = object.__new__(Stock)
        other.__dict__.update(self.__dict__)
        other.turns = Counter()
        return other

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
