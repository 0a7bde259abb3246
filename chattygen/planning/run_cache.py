"""What is read once per run: other things of each class, what most of them state, and who bears a name."""

from __future__ import annotations

from collections import Counter
from random import Random
from threading import Lock

from chattyshared.kg import KnowledgeGraph
from rdflib import URIRef

from chattygen.subgraph.facts import Fact
from chattygen.subgraph.predicate_salience import is_writable

MAX_CACHED = 60
TaggedName = tuple[str, str]
"""A name: its text and its language."""


class RunCache:
    """Keeps up to ``KEPT`` entities of each class that is asked for. Safe to use from several threads.

    ``bearers``: by naming predicates, who bears a name; ``usual``: by class and by the predicates that are never asked
    about, the facts that most entities of the class have; ``turns``: how many seeds that could not carry a plan could
    carry how many turns.

    What it gives depends on the run's seed and the class alone, not on who asks first.
    """

    def __init__(self) -> None:
        self.name_bearers: dict[tuple[str, ...], dict[TaggedName, frozenset[URIRef]]] = {}
        self.common_facts: dict[tuple[str, frozenset[str]], tuple[Fact, ...]] = {}
        self.reached_turns: Counter[int] = Counter()
        self._kept: dict[tuple[int, str], tuple[URIRef, ...]] = {}
        self._lock = Lock()

    def with_own_counts(self) -> RunCache:
        """Return a view that shares what is read, and counts ``turns`` by itself."""
        other = object.__new__(RunCache)
        other.__dict__.update(self.__dict__)
        other.reached_turns = Counter()
        return other

    def sample_entities(
        self, kg: KnowledgeGraph, type_iri: str, *, seed: int, rng: Random, number: int
    ) -> list[URIRef]:
        """Return up to ``number`` entities of a class, by chance.

        Raises:
            EndpointError: the endpoint does not answer.
        """
        key = (seed, type_iri)
        with self._lock:
            if key not in self._kept:
                drawn = kg.sample_entities(type_iri, rng=Random(f"{seed}/stock/{type_iri}"), limit=MAX_CACHED)
                self._kept[key] = tuple(sorted(iri for iri in drawn if is_writable(iri)))
            kept = self._kept[key]
        return rng.sample(kept, min(number, len(kept)))
