from dataclasses import replace
from random import Random

import pytest
from rdflib import Graph, Literal, URIRef
from rdflib.namespace import XSD

from chattygen.context.answer_sets import AnswerSet, SetAttribute
from chattygen.context.facts import Entity, Fact, HiddenEnds, Step
from chattygen.planning.conditions import (
    bound_conditions,
    order_conditions,
    superlative_conditions,
)
from chattygen.turns import Condition, comparable_value, compile_set_query

X = "https://bakery.example/"
OWNER = Entity(URIRef(X + "Crumb"), "Crumb & Sons", X + "Bakery", "bakery")
FACT = Fact(1, (Step(X + "bakes", "bakes"),), "entity", class_labels=("bread",), count=4, forms=("list",))
LOAVES = tuple(URIRef(X + name) for name in ("Cob", "Miche", "Plait", "Tin"))


def number(value) -> Literal:
    return Literal(str(value), datatype=XSD.integer)


def members(*values: Literal | tuple[Literal, ...] | None, shape: str = "number") -> AnswerSet:
    stated = {
        loaf: value if isinstance(value, tuple) else (value,)
        for loaf, value in zip(LOAVES, values, strict=True) if value is not None
    }  # fmt: skip
    datatypes = frozenset(end.datatype for ends in stated.values() for end in ends if end.datatype)
    column = SetAttribute(Step(X + "weight", "weight in grams"), shape, datatypes, stated)  # type: ignore[arg-type]
    return AnswerSet(OWNER, FACT, HiddenEnds(LOAVES, ()), (column,))


def graph_of(some: AnswerSet) -> Graph:
    graph = Graph()
    for loaf in LOAVES:
        graph.add((OWNER.iri, URIRef(X + "bakes"), loaf))
    for column in some.attributes:
        for loaf, ends in column.values.items():
            for end in ends:
                graph.add((loaf, URIRef(column.step.predicate), end))
    return graph


def answers(some: AnswerSet, condition: Condition) -> list[URIRef]:
    return [row[0] for row in graph_of(some).query(compile_set_query(OWNER.iri, FACT, condition))]


@pytest.mark.parametrize(
    "values",
    [
        (number(400), (number(900), number(950)), number(650), number(700)),
        (Literal("NaN", datatype=XSD.double), number(900), number(650), number(700)),
    ],
    ids=["two values", "no number"],
)
def test_no_superlative_by_what_cannot_be_compared(values):
    assert list(superlative_conditions(members(*values), "most")) == []


@pytest.mark.parametrize(
    ("datatype", "lexical"),
    [
        (XSD.date, "{}-05-17"), (XSD.gYear, "{}"), (XSD.gYearMonth, "{}-05"), (XSD.dateTime, "{}-05-17T10:00:00"),
    ],
)  # fmt: skip
def test_dates_are_bounded_by_years_and_ordered_whatever_their_datatype(datatype, lexical):
    years = (1987, 2003, 1994, 2011)
    some = members(*(Literal(lexical.format(year), datatype=datatype) for year in years), shape="date")
    (late,) = bound_conditions(some, "over", Random(3))
    assert late.condition.value.isdigit() and len(late.condition.value) == 4
    assert set(answers(some, late.condition)) == set(late.members)
    (order,) = order_conditions(some, "falling")
    assert answers(some, order.condition) == list(order.members) == [LOAVES[3], LOAVES[1], LOAVES[2], LOAVES[0]]
    (first,) = superlative_conditions(some, "least")
    assert answers(some, first.condition) == [LOAVES[0]]


def test_a_date_with_a_time_zone_or_before_our_era_is_not_measured():
    for text in ("2001-02-03Z", "2001-02-03+02:00", "-0044-03-15"):
        assert comparable_value(Literal(text, datatype=XSD.date, normalize=False)) is None
    assert comparable_value(Literal("2001-02-03T10:00:00-05:00", datatype=XSD.dateTime)) is None


def test_a_bound_needs_the_unit_of_its_quantity():
    weights = [number(value) for value in (400, 900, 650, 700)]
    (attribute,) = members(*weights).attributes
    bare = replace(attribute, step=Step(X + "weight", "weight"))
    assert list(bound_conditions(members(*weights), "over", Random(1)))
    assert not list(bound_conditions(replace(members(*weights), attributes=(bare,)), "over", Random(1)))
