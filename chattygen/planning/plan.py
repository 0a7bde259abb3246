"""The values of planning: one turn of a plan, the plan of a dialogue, and the plans of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from chattyshared.dialogue import Certificate, Difficulty, LinkName, Triples, UnanswerableKind
from chattyshared.question_forms import ANSWER_LINKS, LOOKUP_FORMS, UNANSWERABLE
from chattyshared.terms import Term
from rdflib import URIRef

from chattygen.planning.sparql_compiler import TextPatterns
from chattygen.rejection import SeedRejected
from chattygen.sampling.seeds import Slot
from chattygen.stages.turn_plan import Condition, TurnPlan
from chattygen.subgraph.facts import Entity, Fact

QuestionKey = tuple[str, ...]
"""What a turn asks: the entity's IRI and the predicates that lead from it."""
SINGULAR_FORMS = frozenset({"count", "two-hop", "boolean"})
"""Forms that a dialogue has once at most, unless the mix wants more: several of them are mechanical."""


@dataclass(frozen=True, slots=True)
class PlannedTurn:
    """One turn of a plan before it has its number.

    ``expected`` is what the query must give: the terms (in order if ``is_ordered``), a number, or a truth.
    ``antecedent_index`` is the index, within its group, of the turn that it depends on (-1: none). ``question_keys``
    identify what it asks, so that nothing is asked twice. ``unanswerable`` is the kind of a turn that the KG cannot
    answer; ``certificate`` says what the KG does not contain.
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
    condition: Condition | None = None
    other_entity: Entity | None = None
    is_yes_no: bool = False
    position: int = 0
    antecedent_index: int = -1
    is_ordered: bool = False
    unanswerable: UnanswerableKind | Literal[""] = ""
    certificate: Certificate | None = None

    @property
    def answerable(self) -> bool:
        """Whether the KG can answer."""
        return not self.unanswerable

    @property
    def exclusive_keys(self) -> frozenset[QuestionKey]:
        """What no other turn of the dialogue may have: what it asks, and its form if that is asked once only."""
        return self.question_keys | {(self.form,)} if self.form in SINGULAR_FORMS else self.question_keys

    @property
    def leaves_topic(self) -> bool:
        """Whether it is about something that no other turn is about, so that it comes last."""
        return bool(self.unanswerable) and self.link == "shift"

    @property
    def mentioned_class_labels(self) -> tuple[str, ...]:
        """The classes of the entities that the turn mentions, most specific first."""
        if self.other_entity is not None:
            return self.other_entity.class_labels
        counts = self.form == "count" or self.fact.shape != "entity"
        return () if counts else self.fact.class_labels or ("something",)


@dataclass(frozen=True, slots=True)
class DialoguePlan:
    """The turns of one dialogue, each as it is asked and as it is answered, and how many there are of each kind.

    ``turn_counts`` counts forms (``lookup``: all lookup forms; ``unanswerable``, also by kind), the links ``position``
    and ``shift``, turns that depend on an answer, but for those about the loser of a comparison (``hang``), and yes-no
    questions by their truth (``true``, ``false``).
    ``coherence`` is the score of the turns as one conversation, in points. ``labels`` are known ones of its answers.
    """

    turns: tuple[tuple[TurnPlan, PlannedTurn], ...]
    turn_counts: Mapping[str, int] = field(default_factory=dict)
    coherence: float = 0.0
    labels: Mapping[Term, str] = field(default_factory=dict)

    @property
    def answers(self) -> tuple[URIRef, ...]:
        """The entities that are answers, each once."""
        terms = (term for _, turn in self.turns if isinstance(turn.expected, tuple) for term in turn.expected)
        return tuple(dict.fromkeys(term for term in terms if isinstance(term, URIRef)))


def kind_count_name(kind: str) -> str:
    """Return the name under which unanswerable turns of a kind are counted."""
    return f"{UNANSWERABLE}/{kind}"


def plan_with_counts(turns: tuple[tuple[TurnPlan, PlannedTurn], ...], coherence: float) -> DialoguePlan:
    """Return a plan with its counts and its score."""
    counts: Counter[str] = Counter()
    for turn_plan, turn in turns:
        is_other_one = turn_plan.link == "position" and turns[turn_plan.antecedent_turn - 1][1].other_entity is not None
        counts["hang"] += turn_plan.link in ANSWER_LINKS and not is_other_one
        if turn.unanswerable:
            counts[UNANSWERABLE] += 1
            counts[kind_count_name(turn.unanswerable)] += 1
            continue
        counts["lookup" if turn_plan.form in LOOKUP_FORMS else turn_plan.form] += 1
        if turn_plan.link in ("position", "shift"):
            counts[turn_plan.link] += 1
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
