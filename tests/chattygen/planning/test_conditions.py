from dataclasses import replace
from random import Random

import pytest
from chattyshared.terms import n3
from rdflib import Graph, Literal, URIRef
from rdflib.namespace import XSD
from rdflib.plugins.sparql import prepareQuery

from chattygen.planning.conditions import (
    bound_conditions,
    comparable_predicates,
    comparable_value,
    has_adjective,
    is_gradable,
    is_obscure,
    is_sayable,
    measure_interest,
    order_conditions,
    superlative_conditions,
)
from chattygen.planning.set_attributes import AnswerSet, SetAttribute
from chattygen.planning.sparql_compiler import Criterion, comparison_ask_query, comparison_query, set_query
from chattygen.stages.turn_plan import Condition
from chattygen.subgraph.facts import Entity, Fact, HiddenEnds, Step

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


def answers(some: AnswerSet, criterion: Criterion) -> list[URIRef]:
    return [row[0] for row in graph_of(some).query(set_query(OWNER.iri, FACT, criterion))]


def test_a_superlative_needs_one_winner():
    (found,) = superlative_conditions(members(number(400), number(900), number(650), number(700)), "most")
    assert found.members == (LOAVES[1],)
    assert list(superlative_conditions(members(number(400), number(900), number(900), number(700)), "most")) == []
    (least,) = superlative_conditions(members(number(400), number(900), number(900), number(700)), "least")
    assert least.members == (LOAVES[0],)


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


@pytest.mark.parametrize("pick", ["over", "under"])
def test_a_bound_is_round_and_divides_the_set(pick):
    some = members(number(410), number(903), number(655), number(738))
    for chance in range(10):
        (found,) = bound_conditions(some, pick, Random(chance))
        bound = int(found.condition.value)
        assert bound % 100 == 0 and bound not in (410, 903, 655, 738)
        assert 0 < len(found.members) < 4
        assert set(answers(some, found.criterion)) == set(found.members)


def test_whole_numbers_get_whole_bounds_or_none():
    assert list(bound_conditions(members(number(1), number(2), number(3), number(2)), "over", Random(1))) == []
    (found,) = bound_conditions(members(number(1), number(4), number(1), number(4)), "over", Random(1)) or (None,)
    assert found.condition.value in ("2", "3")


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
    assert set(answers(some, late.criterion)) == set(late.members)
    (order,) = order_conditions(some, "falling")
    assert answers(some, order.criterion) == list(order.members) == [LOAVES[3], LOAVES[1], LOAVES[2], LOAVES[0]]
    (first,) = superlative_conditions(some, "least")
    assert answers(some, first.criterion) == [LOAVES[0]]


def test_a_date_with_a_time_zone_or_before_our_era_is_not_measured():
    for text in ("2001-02-03Z", "2001-02-03+02:00", "-0044-03-15"):
        assert comparable_value(Literal(text, datatype=XSD.date, normalize=False)) is None
    assert comparable_value(Literal("2001-02-03T10:00:00-05:00", datatype=XSD.dateTime)) is None


def test_an_order_has_a_place_for_each_and_no_two_on_one():
    assert list(order_conditions(members(number(1), number(2), number(2), number(3)), "rising")) == []
    (order,) = order_conditions(members(number(1), number(2), number(4), number(3)), "rising")
    assert order.members == (LOAVES[0], LOAVES[1], LOAVES[3], LOAVES[2])


def test_only_like_values_that_differ_are_compared():
    one = {"a": number(3), "b": Literal("1990", datatype=XSD.gYear), "c": number(4), "d": Literal("x")}
    other = {
        "a": Literal("2.5", datatype=XSD.decimal), "b": Literal("1990-01-02", datatype=XSD.date), "c": number(4),
        "d": Literal("y"),
    }  # fmt: skip
    assert list(comparable_predicates(one, other)) == ["a"]


@pytest.mark.parametrize("pick", ["with", "without"])
def test_what_is_stated_and_what_is_not(pick):
    rye, wheat = URIRef(X + "rye"), URIRef(X + "wheat")
    column = SetAttribute(Step(X + "flour", "flour"), "entity", frozenset(), {
        LOAVES[0]: (rye,), LOAVES[1]: (rye, wheat), LOAVES[2]: (wheat,),
    })  # fmt: skip
    some = AnswerSet(OWNER, FACT, HiddenEnds(LOAVES, ()), (column,))
    found = answers(some, Criterion(pick, column.step, "entity", None, rye))
    expected = {"with": LOAVES[:2], "without": LOAVES[2:]}
    assert sorted(found) == sorted(expected[pick])


def test_a_bound_needs_the_unit_of_its_quantity():
    weights = [number(value) for value in (400, 900, 650, 700)]
    (attribute,) = members(*weights).attributes
    bare = replace(attribute, step=Step(X + "weight", "weight"))
    assert list(bound_conditions(members(*weights), "over", Random(1)))
    assert not list(bound_conditions(replace(members(*weights), attributes=(bare,)), "over", Random(1)))


@pytest.mark.parametrize(
    ("label", "value", "is_said"),
    [
        ("baked by", "Ann Crumb", True), ("job title", "Base manager", True), ("genre", "rye bread", True),
        ("contractor", "Hill Ltd", False), ("time zone", "Eastern Time", False),
    ],
)  # fmt: skip
def test_a_condition_on_a_value_is_said_by_a_verb_or_a_kind(label: str, value: str, is_said: bool):
    kind = "with" if is_said else "without"
    assert is_sayable(Condition(kind, Step(X + label, label), "entity", "", value), ("bread",)) is is_said


def test_comparisons_compile_to_what_they_say():
    weight = Criterion("most", Step(X + "weight", "weight"), "number", XSD.integer)
    graph = graph_of(members(number(400), number(900), number(650), number(700)))
    assert [row[0] for row in graph.query(comparison_query(LOAVES[0], LOAVES[2], weight))] == [LOAVES[2]]
    assert graph.query(comparison_ask_query(LOAVES[0], LOAVES[2], weight)).askAnswer is False
    assert graph.query(comparison_ask_query(LOAVES[1], LOAVES[2], weight)).askAnswer is True


def test_a_count_with_a_condition():
    over = Criterion("over", Step(X + "weight", "weight"), "number", XSD.integer, number(600))
    query = set_query(OWNER.iri, FACT, over, is_count=True)
    prepareQuery(query)
    assert query == (
        f"SELECT (COUNT(DISTINCT ?x) AS ?n) WHERE {{ {n3(OWNER.iri)} <{X}bakes> ?x . ?x <{X}weight> ?v . "
        "FILTER(?v > 600) }"
    )


@pytest.mark.parametrize(
    ("label", "shape", "kind", "adjective", "gradable"),
    [
        ("height", "number", "tower", True, True),
        ("unit price", "number", "product", True, True),
        ("number of seats", "number", "stadium", False, True),
        ("birth date", "date", "person", False, True),
        ("floor number", "number", "lift", False, False),
        ("share", "number", "show", False, False),
        ("acceleration", "number", "car", False, False),
    ],
)
def test_a_measure_is_compared_by_an_adjective_a_verb_or_counted_things(label, shape, kind, adjective, gradable):
    asked = (Step(f"https://m.example/{label}", label), shape, "", (kind,))
    assert (has_adjective(*asked), is_gradable(*asked)) == (adjective, gradable)


def test_numbers_that_only_their_owner_understands_interest_nobody():
    assert is_obscure("rope used") and not is_obscure("ropes used")
    assert is_obscure("vat percent") and is_obscure("level") and not is_obscure("weight")
    level, weight = (measure_interest(Step(f"urn:{n}", n), "number", "", ("tool",)) for n in ("level", "weight"))
    assert level < 0.1 < weight
