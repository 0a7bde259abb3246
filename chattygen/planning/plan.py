"""The values of planning: the plan of a dialogue, and the plans of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from chattyshared.question_forms import ANSWER_LINKS, LOOKUP, UNANSWERABLE
from chattyshared.terms import Term
from rdflib import URIRef

from chattygen.rejection import SeedRejected
from chattygen.sampling.seeds import Slot
from chattygen.turns import TurnSpec


@dataclass(frozen=True, slots=True)
class DialoguePlan:
    """The turns of one dialogue in order, and how many there are of each kind.

    ``turn_counts`` counts forms (``lookup``: all lookup forms; ``unanswerable``, also by kind), the links ``position``
    and ``shift``, turns that depend on an answer, but for those about the loser of a comparison (``hang``), and yes-no
    questions by their truth (``true``, ``false``).
    ``coherence`` is the score of the turns as one conversation, in points. ``labels`` are known ones of its answers.
    """

    turns: tuple[TurnSpec, ...]
    turn_counts: Mapping[str, int] = field(default_factory=dict)
    coherence: float = 0.0
    labels: Mapping[Term, str] = field(default_factory=dict)

    @property
    def relations(self) -> frozenset[str]:
        """The predicates and paths that its turns ask or select by."""
        conditions = (turn.condition.step for turn in self.turns if turn.condition is not None)
        return frozenset(step.predicate for step in (*conditions, *(turn.fact.last_step for turn in self.turns)))

    @property
    def answers(self) -> tuple[URIRef, ...]:
        """The entities that are answers, each once."""
        terms = (term for turn in self.turns if isinstance(turn.expected, tuple) for term in turn.expected)
        return tuple(dict.fromkeys(term for term in terms if isinstance(term, URIRef)))


def kind_count_name(kind: str) -> str:
    """Return the name under which unanswerable turns of a kind are counted."""
    return f"{UNANSWERABLE}/{kind}"


def quota_name(turn: TurnSpec, mix_names: frozenset[str]) -> str:
    """Return the name under which a mix counts a turn: its form, one name for all lookups that the mix does not name,
    and one for turns without an answer."""
    if turn.unanswerable:
        return UNANSWERABLE
    return LOOKUP if turn.kind.is_lookup and turn.form not in mix_names else turn.form


def plan_with_counts(turns: tuple[TurnSpec, ...], coherence: float, mix_names: frozenset[str]) -> DialoguePlan:
    """Return a plan with its counts and its score; ``mix_names`` are the forms that the mix names."""
    counts: Counter[str] = Counter()
    for turn in turns:
        is_other_one = turn.link == "position" and turns[turn.antecedent_turn - 1].other_entity is not None
        counts["hang"] += turn.link in ANSWER_LINKS and not is_other_one
        counts[quota_name(turn, mix_names)] += 1
        if turn.unanswerable:
            counts[kind_count_name(turn.unanswerable)] += 1
            continue
        if turn.link in ("position", "shift"):
            counts[turn.link] += 1
        if isinstance(turn.expected, bool):
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
