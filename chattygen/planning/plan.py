"""Plans and what they count for: forms, links, truths."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from chattyshared.question_forms import ANSWER_LINKS, LOOKUP_FORMS
from rdflib import URIRef

from chattygen.planning.planned_turn import PlannedTurn
from chattygen.rejection import SeedRejected
from chattygen.sampling.seeds import Slot
from chattygen.stages.turn_plan import TurnPlan


@dataclass(frozen=True, slots=True)
class DialoguePlan:
    """The turns of one dialogue, each as it is asked and as it is answered, and how many there are of each kind.

    ``tally`` counts forms (``lookup``: any plain one; ``unanswerable``), the links ``hang``, ``position`` and
    ``shift``, and yes-no questions by their truth (``true``, ``false``).
    """

    turns: tuple[tuple[TurnPlan, PlannedTurn], ...]
    turn_counts: Mapping[str, int] = field(default_factory=dict)


def plan_with_counts(turns: tuple[tuple[TurnPlan, PlannedTurn], ...]) -> DialoguePlan:
    """Return a plan with its tally."""
    tally: Counter[str] = Counter()
    for ask, piece in turns:
        tally["unanswerable" if not piece.answerable else "lookup" if ask.form in LOOKUP_FORMS else ask.form] += 1
        tally["hang"] += ask.link in ANSWER_LINKS
        if ask.link in ("position", "shift"):
            tally[ask.link] += 1
        if isinstance(piece.expected, bool):
            tally["true" if piece.expected else "false"] += 1
    return DialoguePlan(turns, tally)


@dataclass(frozen=True, slots=True)
class DialoguePlans:
    """What was planned for some places of a run: by seed its plan, or why there is none; and by place what the plan
    chosen for it counts for, so that another seed in its place can be asked alike."""

    by_seed: Mapping[URIRef, DialoguePlan | SeedRejected] = field(default_factory=dict)
    counts_by_slot: Mapping[int, Mapping[str, int]] = field(default_factory=dict)

    def of_slot(self, slot: Slot) -> DialoguePlans:
        """Return the plans of one slot and of its candidates alone."""
        return DialoguePlans(
            {iri: self.by_seed[iri] for iri in slot.candidates if iri in self.by_seed},
            {slot.index: self.counts_by_slot[slot.index]} if slot.index in self.counts_by_slot else {},
        )
