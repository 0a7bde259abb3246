"""One turn of a plan before it has its number."""

from __future__ import annotations

from dataclasses import dataclass

from chattyshared.dialogue import Difficulty, LinkName, Triples
from chattyshared.terms import Term

from chattygen.planning.sparql_compiler import TextPatterns
from chattygen.stages.turn_plan import Condition
from chattygen.subgraph.facts import Entity, Fact

QuestionKey = tuple[str, ...]
"""What a turn asks: the thing's IRI and the predicates that lead from it."""


@dataclass(frozen=True, slots=True)
class PlannedTurn:
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
    question_keys: frozenset[QuestionKey]
    link: LinkName = "topic"
    pattern: TextPatterns = ()
    witness: Triples = ()
    answer_type: str = ""
    difficulty: Difficulty = "medium"
    answerable: bool = True
    condition: Condition | None = None
    other_entity: Entity | None = None
    is_yes_no: bool = False
    position: int = 0
    antecedent_index: int = -1
    is_ordered: bool = False

    @property
    def mentioned_class_labels(self) -> tuple[str, ...]:
        """The kinds of thing that the turn brings up, nearest first."""
        if self.other_entity is not None:
            return self.other_entity.class_labels
        counts = self.form == "count" or self.fact.shape != "entity"
        return () if counts else self.fact.class_labels or ("something",)
