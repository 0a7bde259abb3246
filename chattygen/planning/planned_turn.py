"""One turn of a plan before it has its number."""

from __future__ import annotations

from dataclasses import dataclass

from chattyshared.dialogue import Difficulty, Link, Triples
from chattyshared.terms import Term

from chattygen.planning.sparql_compiler import Pattern
from chattygen.stages.turn_plan import Condition
from chattygen.subgraph.facts import Entity, Fact

Key = tuple[str, ...]
"""What a turn asks: the thing's IRI and the predicates that lead from it."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One turn of a plan before it has its number.

    ``expected`` is what the query must give: the terms (in order where ``ordered``), a number, or a truth. ``back``
    is the place, within the same block, of the turn that it hangs on (-1: none). ``keys`` say what it asks, so that
    nothing is asked twice. ``near`` are the kinds of thing that it brings up.
    """

    form: str
    entity: Entity
    fact: Fact
    sparql: str
    expected: tuple[Term, ...] | bool | int
    keys: frozenset[Key]
    link: Link = "topic"
    pattern: Pattern = ()
    witness: Triples = ()
    answer_type: str = ""
    difficulty: Difficulty = "medium"
    answerable: bool = True
    condition: Condition | None = None
    other: Entity | None = None
    polar: bool = False
    position: int = 0
    back: int = -1
    ordered: bool = False

    @property
    def near(self) -> tuple[str, ...]:
        """The kinds of thing that the turn brings up, nearest first."""
        if self.other is not None:
            return self.other.kinds
        counts = self.form == "count" or self.fact.shape != "entity"
        return () if counts else self.fact.kinds or ("something",)
