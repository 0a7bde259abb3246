"""How the turns of a plan are made: each with its query, what it must give, and what it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from chattyshared.dialogue import Link, Triples
from chattyshared.terms import Term, Triple
from rdflib import Literal, URIRef

from chattygen.planning.conditions import Picked, measure
from chattygen.planning.planned_turn import Key, Piece
from chattygen.planning.set_attributes import Column, Members
from chattygen.planning.sparql_compiler import (
    Criterion,
    Pattern,
    criterion_pattern,
    member_pattern,
    of_set,
    of_two,
    whether,
)
from chattygen.stages import gold
from chattygen.stages.queries import Bound, compile_query, spelled
from chattygen.stages.questions import Proposed
from chattygen.stages.turn_plan import Condition
from chattygen.subgraph.facts import Entity, Fact, Hidden


def path(fact: Fact) -> tuple[str, ...]:
    """Return the predicates of a fact, each with its direction."""
    return tuple(("" if step.direction == "out" else "^") + step.predicate for step in fact.steps)


def key_of(entity: Entity, fact: Fact) -> Key:
    """Return what a plain question about a fact asks."""
    return (str(entity.iri), *path(fact))


def plain(
    entity: Entity, fact: Fact, hidden: Hidden, form: str, *, link: Link = "topic", back: int = -1
) -> Piece:  # fmt: skip
    """Return a turn that asks one fact: a lookup, a count, a yes-no question or two hops.

    Raises:
        ValueError: a term cannot be written into a query.
    """
    sparql = compile_query(entity, fact, hidden, form)
    expected: tuple[Term, ...] | bool | int = hidden.ends
    result: tuple[Term, ...] | bool = hidden.ends
    if form == "boolean":
        expected = result = hidden.truth
    elif form == "count":
        expected = fact.count
    bound = Bound(Proposed("", form, fact.number), entity, fact, hidden, sparql, result)
    keys = {key_of(entity, fact)}
    if fact.shape == "entity" and len(hidden.ends) > 1:
        # Another predicate, or the same from the other side, may lead to the very same things.
        keys.add((str(entity.iri), "", *sorted(map(str, hidden.ends))))
    if len(fact.steps) > 1:
        keys |= {(str(far), path(fact)[-1]) for triple in hidden.triples[:1] for far in (triple[0], triple[2])}
    return Piece(
        form, entity, fact, sparql, expected, frozenset(keys), link, bound.pattern, gold.witness(bound),
        gold.answer_type(bound), gold.difficulty(bound, link), back=back,
    )  # fmt: skip


def unanswerable(entity: Entity, fact: Fact) -> Piece:
    """Return a turn that asks what the KG usually states, but not of this thing: its query gives nothing."""
    form = fact.forms[0]
    sparql = compile_query(entity, fact, Hidden((), ()), form)
    bound = Bound(Proposed("", form, fact.number), entity, fact, Hidden((), ()), sparql, ())
    return Piece(
        form, entity, fact, sparql, (), frozenset({key_of(entity, fact)}), "topic", bound.pattern, (),
        gold.answer_type(bound), "medium", answerable=False,
    )  # fmt: skip


def from_set(members: Members, picked: Picked, form: str, *, link: Link = "topic", back: int = -1) -> Piece:
    """Return a turn that picks from a set, counts what a condition picks, or asks for the set in order.

    Raises:
        ValueError: a term cannot be written into a query.
    """
    owner, fact, criterion = members.owner, members.fact, picked.criterion
    counted = form == "count"
    sparql = of_set(owner.iri, fact, criterion, counted=counted)
    ordered = picked.criterion.pick in ("rising", "falling")
    held = () if criterion.pick in ("without", "lacks") else criterion_pattern(criterion)
    own = [triple for triple in members.hidden.triples if {triple[0], triple[2]} & set(picked.members)]
    values = () if criterion.pick in ("without", "lacks") else _stated(picked.column, picked.members, criterion)
    kind = fact.kinds[0] if fact.kinds else "entity"
    keys = {(*key_of(owner, fact), criterion.step.predicate)} | ({key_of(owner, fact)} if ordered else set())
    return Piece(
        form, owner, fact, sparql, len(picked.members) if counted else picked.members, frozenset(keys), link,
        (*member_pattern(owner.iri, fact), *held), _spelled((*own, *values)), "integer" if counted else kind,
        "medium" if ordered else "hard", condition=picked.condition, back=back, ordered=ordered,
    )  # fmt: skip


def _stated(column: Column, members: Iterable[URIRef], criterion: Criterion) -> list[Triple]:
    predicate = URIRef(column.step.predicate)
    return [
        (member, predicate, end) for member in members for end in column.values.get(member, ())
        if criterion.pick != "with" or end == criterion.given
    ]  # fmt: skip


def compared(
    one: Entity, other: Entity, fact: Fact, values: tuple[Literal, Literal], pick: Condition, *, polar: bool
) -> Piece:  # fmt: skip
    """Return a turn that asks which of two things has the greater (or smaller) value, or whether the first has.

    Raises:
        ValueError: a term cannot be written into a query.
    """
    criterion = Criterion(pick.pick, fact.last, fact.shape, values[0].datatype)
    predicate = URIRef(fact.last.predicate)
    sparql = whether(one.iri, other.iri, criterion) if polar else of_two(one.iri, other.iri, criterion)
    first = first_wins(values, pick.pick)
    pattern: Pattern = ((str(one.iri), str(predicate), "?v"), (str(other.iri), str(predicate), "?w"))
    witness: list[Triple] = [(one.iri, predicate, values[0]), (other.iri, predicate, values[1])]
    keys = frozenset({(str(one.iri), str(predicate)), (str(other.iri), str(predicate))})
    return Piece(
        "comparison", one, fact, sparql, first if polar else ((one if first else other).iri,), keys, "topic", pattern,
        _spelled(witness) if first or not polar else (), "boolean" if polar else one.noun or "entity", "medium",
        condition=pick, other=other, polar=polar,
    )  # fmt: skip


def first_wins(values: tuple[Literal, Literal], pick: str) -> bool:
    """Tell whether the first of two values is the greater (``most``) or the smaller one."""
    left, right = measure(values[0]), measure(values[1])
    assert left is not None and right is not None
    greater = left > right  # type: ignore[operator]
    return greater if pick == "most" else not greater


def _spelled(triples: Sequence[Triple]) -> Triples:
    return tuple(spelled(triple) for triple in triples[: gold.WITNESSES])
