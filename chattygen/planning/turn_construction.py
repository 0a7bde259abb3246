"""Construct the turns of a plan: each with its query, its expected result, and its witness triples."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from chattyshared.dialogue import LinkName, Triples
from chattyshared.terms import Term, Triple
from rdflib import URIRef

from chattygen.planning.conditions import SelectedMembers, comparable_value
from chattygen.planning.plan import PlannedTurn, QuestionKey
from chattygen.planning.set_attributes import AnswerSet, SetAttribute
from chattygen.planning.sparql_compiler import (
    Criterion,
    comparison_ask_query,
    comparison_pattern,
    comparison_query,
    criterion_pattern,
    member_pattern,
    set_query,
)
from chattygen.stages import gold
from chattygen.stages.queries import BoundQuestion, compile_query, to_benchmark_triple
from chattygen.stages.questions import ProposedQuestion
from chattygen.stages.turn_plan import Condition
from chattygen.subgraph.facts import Entity, Fact, HiddenEnds, MissingFact

ComparedValues = tuple[HiddenEnds, HiddenEnds]
"""What a fact hides of two entities: one value of each."""


def predicate_path(fact: Fact) -> tuple[str, ...]:
    """Return the predicates of a fact, each with its direction."""
    return tuple(("" if step.direction == "out" else "^") + step.predicate for step in fact.steps)


def question_key(entity: Entity, fact: Fact) -> QuestionKey:
    """Return what a lookup of a fact asks."""
    return (str(entity.iri), *predicate_path(fact))


def single_fact_turn(
    entity: Entity, fact: Fact, hidden: HiddenEnds, form: str, *, link: LinkName = "topic", antecedent_index: int = -1
) -> PlannedTurn:
    """Return a turn that asks one fact: a lookup, a count, a yes-no or a two-hop question.

    Raises:
        ValueError: a term cannot be written into a query.
    """
    sparql = compile_query(entity, fact, hidden, form)
    expected: tuple[Term, ...] | bool | int = hidden.ends
    result: tuple[Term, ...] | bool = hidden.ends
    if form == "boolean":
        expected = result = hidden.is_offer_true
    elif form == "count":
        expected = fact.count
    bound = BoundQuestion(ProposedQuestion("", form, fact.number), entity, fact, hidden, sparql, result)
    question_keys = {question_key(entity, fact)}
    if fact.shape == "entity" and len(hidden.ends) > 1:
        # Another predicate, or the same in the other direction, may lead to the same entities.
        question_keys.add((str(entity.iri), "", *sorted(map(str, hidden.ends))))
    elif fact.shape == "entity":
        # Either of two entities gives the other away.
        question_keys.add(("", *sorted(map(str, (entity.iri, *hidden.ends)))))
    if len(fact.steps) > 1:
        question_keys |= {
            (str(far), predicate_path(fact)[-1]) for triple in hidden.triples[:1] for far in (triple[0], triple[2])
        }
    return PlannedTurn(
        form,
        entity,
        fact,
        sparql,
        expected,
        frozenset(question_keys),
        link,
        bound.pattern,
        gold.witness_triples(bound),
        gold.answer_type(bound),
        gold.difficulty(bound, link),
        antecedent_index=antecedent_index,
    )


def missing_fact_turn(entity: Entity, missing: MissingFact) -> PlannedTurn:
    """Return a turn about a fact that the KG states of other entities of the class, but not of this one: its query
    gives nothing."""
    fact, form = missing.fact, missing.fact.forms[0]
    sparql = compile_query(entity, fact, HiddenEnds((), ()), form)
    bound = BoundQuestion(ProposedQuestion("", form, fact.number), entity, fact, HiddenEnds((), ()), sparql, ())
    return PlannedTurn(
        form,
        entity,
        fact,
        sparql,
        (),
        frozenset({question_key(entity, fact)}),
        "topic",
        bound.pattern,
        (),
        gold.answer_type(bound),
        unanswerable=missing.kind,
    )


def set_turn(
    answer_set: AnswerSet,
    selection: SelectedMembers,
    form: str,
    *,
    link: LinkName = "topic",
    antecedent_index: int = -1,
) -> PlannedTurn:
    """Return a turn that selects from a set, counts what a condition selects, or lists the set in order.

    Raises:
        ValueError: a term cannot be written into a query.
    """
    owner, fact, criterion = answer_set.owner, answer_set.fact, selection.criterion
    is_count_form = form == "count"
    sparql = set_query(owner.iri, fact, criterion, is_count=is_count_form)
    is_ordered = selection.criterion.kind in ("rising", "falling")
    is_negated = criterion.kind == "without"
    condition_patterns = () if is_negated else criterion_pattern(criterion)
    member_triples = answer_set.hidden.triples_to(selection.members)
    values = () if is_negated else _stated_values(selection.attribute, selection.members, criterion)
    class_label = fact.class_labels[0] if fact.class_labels else "entity"
    question_keys = {(*question_key(owner, fact), criterion.step.predicate)} | (
        {question_key(owner, fact)} if is_ordered else set()
    )
    return PlannedTurn(
        form,
        owner,
        fact,
        sparql,
        len(selection.members) if is_count_form else selection.members,
        frozenset(question_keys),
        link,
        (*member_pattern(owner.iri, fact), *condition_patterns),
        _to_triples((*member_triples, *values)),
        "integer" if is_count_form else class_label,
        "medium" if is_ordered else "hard",
        condition=selection.condition,
        antecedent_index=antecedent_index,
        is_ordered=is_ordered,
    )


def _stated_values(attribute: SetAttribute, members: Iterable[URIRef], criterion: Criterion) -> list[Triple]:
    predicate = URIRef(attribute.step.predicate)
    return [
        (member, predicate, end)
        for member in members
        for end in attribute.values.get(member, ())
        if criterion.kind != "with" or end == criterion.value
    ]


def comparison_turn(
    one: Entity, other: Entity, fact: Fact, values: ComparedValues, condition: Condition, *, is_yes_no: bool
) -> PlannedTurn:
    """Return a turn that asks which of two entities has the greater (or smaller) value, or whether the first one has.

    ``values`` are what the fact hides of each of them.

    Raises:
        ValueError: a term cannot be written into a query.
    """
    value, predicate = values[0].ends[0], fact.last_step.predicate
    criterion = Criterion(condition.kind, fact.last_step, fact.shape, getattr(value, "datatype", None))
    sparql = (
        comparison_ask_query(one.iri, other.iri, criterion)
        if is_yes_no
        else comparison_query(one.iri, other.iri, criterion)
    )
    first = first_wins(values, condition.kind)
    witness = [triple for hidden in values for triple in hidden.triples]
    question_keys = frozenset({(str(one.iri), predicate), (str(other.iri), predicate)})
    return PlannedTurn(
        "comparison",
        one,
        fact,
        sparql,
        first if is_yes_no else ((one if first else other).iri,),
        question_keys,
        "topic",
        comparison_pattern(one.iri, other.iri, fact.last_step),
        _to_triples(witness) if first or not is_yes_no else (),
        "boolean" if is_yes_no else one.noun or "entity",
        "medium",
        condition=condition,
        other_entity=other,
        is_yes_no=is_yes_no,
    )


def first_wins(values: ComparedValues, kind: str) -> bool:
    """Tell whether the first of two values is the greater (``most``) or the smaller one."""
    left, right = (comparable_value(hidden.ends[0]) for hidden in values)
    assert left is not None and right is not None
    greater = left > right  # type: ignore[operator]
    return greater if kind == "most" else not greater


def _to_triples(triples: Sequence[Triple]) -> Triples:
    return tuple(to_benchmark_triple(triple) for triple in triples[: gold.MAX_WITNESS_TRIPLES])
