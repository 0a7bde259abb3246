"""Rules for what a graph does not hold whole: lists and counts over open predicates, conditions that members of a list
have no value for."""

from __future__ import annotations

from collections.abc import Iterator

from chattyshared.check import Finding
from chattyshared.language.inflection import head_noun
from chattyshared.terms import iri_to_words

from chattygen.lint.dialogue_view import DialogueView, TurnView
from chattygen.lint.kg_facts import KGFacts
from chattygen.lint.query_parts import conditioned_lists, facts_of
from chattygen.planning.missing_facts import surely_answers
from chattygen.subgraph.predicate_use import WORLDWIDE, is_population


def completeness_rules(dialogue: DialogueView, kg_facts: KGFacts) -> Iterator[Finding]:
    """Judge what questions close over; only a KG tells it."""
    for turn in dialogue.turns:
        if turn.query.syntax_error:
            continue
        if not turn.answerable:
            yield from _answered_elsewhere(dialogue, turn, kg_facts)
        else:
            yield from _missing_values(turn, kg_facts)
            yield from _open_lists(turn, kg_facts)


def _missing_values(turn: TurnView, kg_facts: KGFacts) -> Iterator[Finding]:
    """A negation, filter, count or superlative needs the value of each member."""
    lacking = kg_facts.usage.lacking.get(turn.number, 0)
    if lacking:
        message = f'{lacking} members of the list lack the value: "{turn.question}"'
        yield Finding("missing-values", message, turn=turn.number)


def _open_lists(turn: TurnView, kg_facts: KGFacts) -> Iterator[Finding]:
    """A list, or a count, of the things that lead to an entity needs a predicate that all of them state."""
    query = turn.query
    is_list = len(turn.answers or ()) > 1 and not any(reading.conditions for reading in conditioned_lists(query))
    for entity, predicate, side in facts_of(query) if query.form == "SELECT" else ():
        claims = kg_facts.usage.claims.get((turn.number, predicate))
        label = (*kg_facts.usage.labels.get(predicate, ()), iri_to_words(predicate))[0]
        owner, members = kg_facts.usage.class_labels.get(entity, ()), _member_labels(turn, kg_facts)
        is_listed = query.counted_variables or (is_list and side == "in")
        is_wide = bool(query.counted_variables) and not WORLDWIDE.isdisjoint(map(head_noun, owner))
        if is_listed and side == "in" and (is_wide or is_population(owner, members, label)):
            yield Finding("open-list", f'no graph holds all by their "{label}": "{turn.question}"', turn=turn.number)
        elif is_listed and claims is not None and claims.is_open:
            yield Finding("open-list", f'the graph leaves out many a "{label}": "{turn.question}"', turn=turn.number)


def _member_labels(turn: TurnView, kg_facts: KGFacts) -> tuple[str, ...]:
    """Return the labels of the class of a list's members, or the class that the file states."""
    known = (kg_facts.usage.class_labels.get(answer.value, ()) for answer in turn.answers or ())
    return next(filter(None, known), (turn.answer_type,) if turn.answer_type else ())


def _answered_elsewhere(dialogue: DialogueView, turn: TurnView, kg_facts: KGFacts) -> Iterator[Finding]:
    """No other predicate of the entity, and no earlier turn, answers what is said to be unanswerable."""
    usage = kg_facts.usage
    for entity, predicate, side in facts_of(turn.query):
        label, kind = (*usage.labels.get(predicate, ()), iri_to_words(predicate))[0], usage.kind_of(predicate)
        earlier = {fact[1] for other in dialogue.turns[: turn.number - 1] if other.answers
                   for fact in facts_of(other.query) if fact[0] == entity and fact[2] == side}  # fmt: skip
        others = {other.iri: other for other in usage.stated.get((entity, side), ()) if kind in ("", other.kind)}
        names = {**{iri: iri_to_words(iri) for iri in earlier}, **{iri: each.label for iri, each in others.items()}}
        name = next((name for iri, name in names.items() if iri != predicate and surely_answers(label, name)), "")
        if name:
            yield Finding("answered-elsewhere", f'"{name}" answers it: "{turn.question}"', turn=turn.number)
            return
