"""How well turns make one conversation: what each needs before it, what gives it away, and a score of their thread."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from chattyshared.kg import KnowledgeGraph
from chattyshared.language.inflection import denote_places
from chattyshared.question_forms import UNANSWERABLE
from chattyshared.terms import Term

from chattygen.context.facts import Entity, Fact, Summary
from chattygen.context.neighbourhoods import Neighbourhoods
from chattygen.context.predicate_salience import tells
from chattygen.context.predicate_use import (
    ValueKind,
    denote_works,
    is_worldwide,
    kind_of_values,
    names_category,
)
from chattygen.context.subgraph import term_text
from chattygen.planning.conditions import measure_interest
from chattygen.turns import QuestionKey, TurnSpec, question_key

VALUE_INTEREST: Mapping[ValueKind, float] = {
    "entity": 1.0, "category": 0.8, "text": 0.7, "measure": 0.7, "unknown": 0.5, "contact": 0.2, "code": 0.1,
}  # fmt: skip
"""Interest, 0..1, in what a predicate states, by the kind of its values; set by hand on the development graphs, as are
all scores below."""
CATEGORY_INTEREST = 0.5
"""Interest, 0..1, in a genre, a type, an occupation."""
PARTIAL_INTEREST = 0.2
"""Interest, 0..1, in works of which the graph may hold a few of many."""
MIN_WORKS = 3
"""Works: the fewest that are no mere sample of all."""
UNANSWERABLE_INTEREST: Mapping[str, float] = {
    "not-stated": 0.6, "entity": 0.5, "presupposition": 0.5, "relation": 0.3,
}  # fmt: skip
"""Interest, 0..1, in a turn without an answer, by its kind."""
CONTINUED_CLOSENESS = 1.0
"""Closeness, 0..1, of a turn to the last one: it asks about its answer, or about something listed before."""
ASIDE_CLOSENESS = 0.6
"""Closeness of a turn about the country or the language of something that is no place: it leads away."""
WINNER_CLOSENESS = 1.15
"""Closeness of a turn about the winner of a superlative just asked for: people want to know it."""
SAME_ENTITY_CLOSENESS = 0.5
"""Closeness of a turn about the same entity as the last one."""
SHIFT_CLOSENESS = 0.5
"""Closeness of a turn that brings in another entity, which something relates to what was said."""
NEW_NAME_CLOSENESS = 0.1
"""Closeness of a turn that brings in a name from nowhere."""
THIRD_CLOSENESS = 0.2
"""Closeness of a third or later turn in a row about the same entity."""
RETURN_CLOSENESS = 0.0
"""Closeness of a turn that returns to an earlier entity or list."""
OTHER_ONE_CLOSENESS = 0.3
"""Closeness of a turn about the loser of a comparison: few people ask on about both."""
REPETITION_PENALTY = 0.4
"""Points: the loss for each turn that repeats a form other than a lookup, or a kind of measure just asked for."""
TOLD_PENALTY = 0.5
"""Points: the loss for each lookup of one thing that an earlier turn has named or told."""
ATTRIBUTES_PENALTY = 0.5
"""Points: the loss for each literal attribute of one entity after two others in a row."""
SAME_RELATION_PENALTY = 0.5
"""Points: the loss for each relation that is asked of another thing, but for the first."""
CLOSENESS_WEIGHT = 2.0
"""Points for turns that all continue from the one before."""
OPENING_WEIGHT = 1.0
"""Points for an opening of the greatest interest."""


def keys_of_telling_facts(summary: Summary, labels: Mapping[Term, str]) -> dict[int, frozenset[QuestionKey]]:
    """Return, by the number of each fact with one value, the questions for other facts whose value tells its value, or
    is told by it: of these, a dialogue asks only one."""
    texts = {fact: term_text(hidden.ends[0], labels.get(hidden.ends[0], ""))
             for fact, hidden in summary.facts_with_ends if len(hidden.ends) == 1}  # fmt: skip
    keys: dict[int, set[QuestionKey]] = defaultdict(set)
    for fact, text in texts.items():
        for other, other_text in texts.items() if fact.shape != "number" else ():
            if other is not fact and tells(text, other_text):
                keys[other.number].add(question_key(summary.entity, fact))
                keys[fact.number].add(question_key(summary.entity, other))
    return {number: frozenset(questions) for number, questions in keys.items()}


def is_prepared(turn: TurnSpec, earlier_turns: Sequence[TurnSpec]) -> bool:
    """Tell whether earlier turns ask what must come first: the list of a selection that states its set in full, unless
    it opens the dialogue, or the bridge of a two-hop question, but not just before it: people ask about it instead."""
    is_restated = turn.is_selection and not turn.picks_from_answers and not (turn.is_ordered or turn.is_of_class)
    is_path = len(turn.fact.steps) > 1
    if not is_path and not (is_restated and earlier_turns):
        return True
    needed = question_key(turn.entity, replace(turn.fact, steps=turn.fact.steps[:1]) if is_path else turn.fact)
    return any(
        needed in earlier.question_keys and earlier.kind.is_lookup and not earlier.is_ordered
        for earlier in (earlier_turns[:-1] if is_path else earlier_turns)
    )


def can_open(turn: TurnSpec) -> bool:
    """Tell whether a dialogue can begin with a turn: it names the seed, has an answer, is no yes-no question, and needs
    no other turn: nothing tells several things of a list apart before it was given."""
    is_plain = turn.answerable and not isinstance(turn.expected, bool) and not turn.is_ordered
    return turn.link == "topic" and is_plain and not turn.kind.picks_several and is_prepared(turn, ())


def turn_interest(kg: KnowledgeGraph, turn: TurnSpec) -> float:
    """Return how likely a person wants to know what a turn asks, 0..1: entities more than measures and codes."""
    if turn.unanswerable:
        return UNANSWERABLE_INTEREST[turn.unanswerable]
    condition = turn.condition
    if condition is not None and turn.other_entity is None:
        if condition.shape in ("number", "date"):
            return measure_interest(condition.step, condition.shape, condition.datatype, turn.fact.class_labels)
        return VALUE_INTEREST["entity" if condition.shape == "entity" else "text"]
    return fact_interest(kg, turn.entity, turn.fact)


def fact_interest(kg: KnowledgeGraph, entity: Entity, fact: Fact) -> float:
    """Return the interest, 0..1, in a fact of an entity."""
    step = fact.last_step
    if fact.shape == "entity" and _may_lack_works(fact):
        return PARTIAL_INTEREST
    if fact.shape == "entity":
        return CATEGORY_INTEREST if names_category(step.label, *fact.class_labels[:1]) else VALUE_INTEREST["entity"]
    if fact.shape == "date":
        return measure_interest(step, fact.shape, fact.datatype, entity.class_labels)
    is_own = len(fact.steps) == 1
    by_kind = VALUE_INTEREST[kind_of_values(kg, entity.type, step.predicate) if is_own else "text"]
    if fact.shape == "text":
        return min(by_kind, CATEGORY_INTEREST) if names_category(step.label) else by_kind
    labels = entity.class_labels if is_own else fact.via_class_labels
    return min(by_kind, VALUE_INTEREST["measure"]) * measure_interest(step, fact.shape, fact.datatype, labels)


def _may_lack_works(fact: Fact) -> bool:
    """Tell whether a graph may hold a few of many works or awards: the only song of a writer, two films of a
    director."""
    if not denote_works(fact.class_labels) or not (fact.last_step.direction == "in" or fact.asks_several):
        return False
    return fact.count < MIN_WORKS


def score_turns(kg: KnowledgeGraph, around: Neighbourhoods, turns: Sequence[TurnSpec]) -> float:
    """Return how well turns make one conversation: the mean interest of the turns, the mean closeness of each to the
    one before it, and the interest of the opening, without the losses for repetitions. About 4 points at most."""
    interests = [turn_interest(kg, turn) for turn in turns]
    near = [closeness(around, turns, index) for index in range(1, len(turns))]
    operations = Counter(turn.form if turn.answerable else UNANSWERABLE
                         for turn in turns if turn.unanswerable or not turn.kind.is_lookup)  # fmt: skip
    repeated = operations.total() - len(operations)
    repeated += sum(one.kind.asks_measure and other.kind.asks_measure and not other.repeats_question
                    for one, other in zip(turns, turns[1:], strict=False))  # fmt: skip
    return (
        sum(interests) / len(interests)
        + CLOSENESS_WEIGHT * sum(near) / max(1, len(near))
        + OPENING_WEIGHT * interests[0]
        - REPETITION_PENALTY * repeated
        - ATTRIBUTES_PENALTY * _count_listed_attributes(turns)
        - SAME_RELATION_PENALTY * max(0, _count_repeated_relations(turns) - 1)
        - TOLD_PENALTY * sum(map(partial(_is_told, turns), range(1, len(turns))))
    )


def _count_listed_attributes(turns: Sequence[TurnSpec]) -> int:
    """Return how many turns ask a number, a date or a text of the same entity as the two turns before them."""
    owners = [turn.entity.iri if turn.kind.asks_attribute else None for turn in turns]
    return sum(owner is not None and owners[index - 2 : index] == [owner] * 2 for index, owner in enumerate(owners))


def _count_repeated_relations(turns: Sequence[TurnSpec]) -> int:
    """Return how many turns ask a relation that an earlier turn has asked; a selection from a list asks its
    condition."""
    asked = Counter((turn.condition.step if turn.condition else turn.fact.last_step).path for turn in turns)
    return sum(count - 1 for count in asked.values())


def _is_told(turns: Sequence[TurnSpec], index: int) -> bool:
    """Tell whether a turn looks up one thing that an earlier turn has named or told."""
    turn = turns[index]
    is_lookup = turn.kind.family in ("lookup", "path")
    if not is_lookup or not isinstance(turn.expected, tuple) or len(turn.expected) != 1:
        return False
    return any(turn.expected[0] == earlier.entity.iri or turn.expected == earlier.expected for earlier in turns[:index])


def closeness(around: Neighbourhoods, turns: Sequence[TurnSpec], index: int) -> float:
    """Return how close a turn is to the one before it, 0..1; a name that it brings in counts if nobody said it."""
    turn = turns[index]
    own = _closeness_of_topic(turns, index)
    named = turn.named_term
    if named is None:
        return own
    said = {term for earlier in turns[:index] for term in earlier.said_terms}
    if named in said:
        return CONTINUED_CLOSENESS
    if not any(around.are_linked(named, term) for term in said):
        return NEW_NAME_CLOSENESS
    return own if turn.is_selection else min(own, SHIFT_CLOSENESS)


def _closeness_of_topic(turns: Sequence[TurnSpec], index: int) -> float:
    """Return how close what a turn is about is to the turn before it, 0..1."""
    turn, last = turns[index], turns[index - 1]
    if turn.depends_on_answer and turn.antecedent_turn == index:
        if last.condition is not None:
            return WINNER_CLOSENESS
        leads_away = is_worldwide(last.fact) and not denote_places(last.entity.class_labels)
        return ASIDE_CLOSENESS if leads_away else CONTINUED_CLOSENESS
    if turn.is_at_position:
        is_of_list = turns[turn.antecedent_turn - 1].other_entity is None
        return CONTINUED_CLOSENESS if is_of_list else OTHER_ONE_CLOSENESS
    if turn.is_of_class or turn.other_entity is not None or turn.repeats_question:
        return SHIFT_CLOSENESS
    if turn.entity.iri != last.entity.iri:
        return RETURN_CLOSENESS
    is_third = index > 1 and turns[index - 2].entity.iri == turn.entity.iri
    return THIRD_CLOSENESS if is_third else SAME_ENTITY_CLOSENESS
