"""The values of planning: the plan of a dialogue, and the plans of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from chattyshared.question_forms import FORM_BY_NAME, LOOKUP, UNANSWERABLE
from chattyshared.terms import Term
from rdflib import URIRef

from chattygen.rejection import SeedRejected
from chattygen.sampling.seeds import Slot
from chattygen.turns import TurnSpec

LIKE_SHARE = 0.75
"""Share of its relations, 0..1, that a dialogue has in common with one that is like it; from the issue that asked."""


@dataclass(frozen=True)
class DialoguePlan:
    """The turns of one dialogue in order, and how many there are of each kind.

    ``turn_counts`` counts forms (``lookup``: all lookup forms; ``unanswerable``, also by kind), the links ``position``
    and ``shift``, turns that depend on an answer, but for those about the loser of a comparison (``hang``), and yes-no
    questions by their truth (``true``, ``false``), and the
    opening by its kind.
    ``coherence`` is the score of the turns as one conversation, in points. ``labels`` are known ones of its answers.
    """

    turns: tuple[TurnSpec, ...]
    turn_counts: Mapping[str, int] = field(default_factory=dict)
    coherence: float = 0.0
    labels: Mapping[Term, str] = field(default_factory=dict)

    @cached_property
    def relations(self) -> frozenset[str]:
        """The predicates that its turns ask or select by."""
        asked = (step for turn in self.turns for step in turn.fact.steps if not turn.is_of_class)
        selecting = (turn.condition.step for turn in self.turns if turn.condition is not None)
        return frozenset(step.predicate for step in (*asked, *selecting))

    @cached_property
    def topics(self) -> frozenset[str]:
        """Its relations, and the conditions on all things of a class, which another dialogue could repeat."""
        return self.relations.union(turn.topic for turn in self.turns)

    def is_like(self, other: DialoguePlan) -> bool:
        """Tell whether two plans have most of their relations in common."""
        fewest = min(len(self.relations), len(other.relations))
        return len(self.relations & other.relations) >= LIKE_SHARE * fewest

    @property
    def answers(self) -> tuple[URIRef, ...]:
        """The entities that are answers, each once."""
        terms = (term for turn in self.turns if isinstance(turn.expected, tuple) for term in turn.expected)
        return tuple(dict.fromkeys(term for term in terms if isinstance(term, URIRef)))


def kind_count_name(kind: str) -> str:
    """Return the name under which unanswerable turns of a kind are counted."""
    return f"{UNANSWERABLE}/{kind}"


def opening_count_name(name: str) -> str:
    """Return the name under which openings of a kind are counted, by a name of the mix; what opens no dialogue (a
    yes-no question, one without an answer) leaves its share to lookups."""
    form = FORM_BY_NAME.get(name)
    return f"opens/{LOOKUP if form is None or form.is_yes_no else form.family}"


def quota_name(turn: TurnSpec, mix_names: frozenset[str]) -> str:
    """Return the name under which a mix counts a turn: its form, one name for all lookups that the mix does not name,
    and one for turns without an answer."""
    if turn.unanswerable:
        return UNANSWERABLE
    return LOOKUP if turn.kind.is_lookup and turn.form not in mix_names else turn.form


def plan_with_counts(turns: tuple[TurnSpec, ...], coherence: float, mix_names: frozenset[str]) -> DialoguePlan:
    """Return a plan with its counts and its score; ``mix_names`` are the forms that the mix names."""
    counts = Counter({opening_count_name(turns[0].form): 1})
    for turn in turns:
        is_other_one = turn.is_at_position and turns[turn.antecedent_turn - 1].other_entity is not None
        counts["hang"] += turn.depends_on_answer and not is_other_one
        counts[quota_name(turn, mix_names)] += 1
        if turn.link_quota:
            counts[turn.link_quota] += 1
        if turn.unanswerable:
            counts[kind_count_name(turn.unanswerable)] += 1
        elif isinstance(turn.expected, bool):
            counts["true" if turn.expected else "false"] += 1
    return DialoguePlan(turns, counts, coherence)


@dataclass(frozen=True, slots=True)
class DialoguePlans:
    """The plans for some slots of a run: by seed its plan, or why there is none; and by slot the counts of the plan
    chosen for it, so that another seed in that slot can get a similar one."""

    by_seed: Mapping[URIRef, DialoguePlan | SeedRejected] = field(default_factory=dict)
    counts_by_slot: Mapping[int, Mapping[str, int]] = field(default_factory=dict)

    def of_slot(self, slot: Slot) -> DialoguePlans:
        """Return only the plans of one slot and of its candidates."""
        return DialoguePlans(
            {iri: self.by_seed[iri] for iri in slot.candidates if iri in self.by_seed},
            {slot.index: self.counts_by_slot[slot.index]} if slot.index in self.counts_by_slot else {},
        )
