"""Which questions the predicates of a class can carry, by how its things use them."""

from dataclasses import replace
from random import Random

import pytest
from rdflib import Literal

from chattygen.subgraph.facts import Fact, Step
from chattygen.subgraph.predicate_use import (
    allows_several,
    frequent_values,
    is_condition,
    is_confirmed,
    is_constant,
    is_near_unique,
    is_open,
    is_single_valued,
    kind_of_terms,
    kind_of_values,
    looks_like_measure,
    sensible_forms,
)

V = "https://shop.example/"
CUSTOMER = f"{V}Customer"


@pytest.fixture
def shop(open_turtle):
    """Twenty customers in three towns of one country; three lack a telephone and guests."""
    lines = [f"@prefix v: <{V}> ."]
    for n in range(20):
        lines.append(
            f'v:town{n % 3} a v:Town . v:c{n} a v:Customer ; v:friend v:c{(n + 1) % 20}, v:c{(n + 7) % 20} ; '
            f'v:town v:town{n % 3} ; v:country v:Ruritania ; v:street "{n} Main Street" ; '
            f'v:status "{"NY"[n % 2]}" ; v:paid "{("yes", "no")[n % 2]}" ; v:desk v:desk{n} ; '
            f'v:customerNumber {1000 + n} ; v:active {n % 2} ; v:grade "{("AAA", "BBB", "C")[n % 3]}" ; '
            f'v:typeCode "{("BULK", "TANK")[n % 2]}" ; v:team "{("BULK", "TANK")[n % 2]}" ; '
            f'v:level "{("gold", "silver")[n % 2]}" ; v:mail "c{n}@shop.example" ; v:power "{80 + n}" ; '
            f'v:age {30 + n} ; v:note "{n} times here, and always friendly" ; v:hobby v:h1, v:h{2 + n % 5}'
            + (f' ; v:phone "(0{n:02d}) 555-01{n:02d}" ; v:guest v:c{n % 4}, v:c{4 + n % 3}' if n > 2 else "") + " ."
        )  # fmt: skip
    return open_turtle("\n".join(lines))


def test_a_predicate_that_some_lack_is_open(shop):
    assert is_open(shop, CUSTOMER, f"{V}phone") and not is_open(shop, CUSTOMER, f"{V}town")
    assert is_open(shop, f"{V}NoClass", f"{V}town")


def test_values_have_kinds(shop):
    kinds = {
        "town": "entity", "age": "measure", "power": "measure", "status": "code", "active": "code", "grade": "code",
        "paid": "code", "level": "category", "mail": "contact", "phone": "contact", "street": "text", "note": "text",
        "customerNumber": "code", "typeCode": "code", "team": "category", "no": "unknown",
    }  # fmt: skip
    assert {name: kind_of_values(shop, CUSTOMER, V + name) for name in kinds} == kinds


def test_one_value_for_nearly_all_is_constant(shop):
    assert is_constant(shop, CUSTOMER, f"{V}country") and not is_constant(shop, CUSTOMER, f"{V}town")
    assert is_constant(shop, CUSTOMER, f"{V}hobby")


def test_values_that_identify_are_near_unique(shop):
    names = ("street", "mail", "phone", "desk", "town", "level", "age")
    assert [name for name in names if is_near_unique(shop, CUSTOMER, V + name)] == ["street", "mail", "phone", "desk"]


def test_one_value_is_the_rule_or_not(shop):
    assert is_single_valued(shop, CUSTOMER, f"{V}town") and not is_single_valued(shop, CUSTOMER, f"{V}hobby")
    assert not is_single_valued(shop, f"{V}Town", f"{V}town", is_inverse=True)


@pytest.mark.parametrize(
    ("name", "direction", "forms"),
    [
        ("town", "out", ["lookup", "boolean"]),  # no count: one value is the rule
        ("friend", "out", ["lookup", "count", "boolean"]),  # three things or more, each with facts of its own
        ("guest", "out", ["lookup"]),  # some customers have none: neither counted nor denied
        ("level", "out", ["lookup"]),  # a category: nobody guesses it
        ("age", "out", ["lookup"]),
        ("mail", "out", ["lookup"]),
        ("note", "out", ["lookup"]),
        ("status", "out", []),
        ("country", "out", []),
        ("town", "in", ["lookup", "boolean"]),  # things of no class: nobody counts things
        ("guest", "in", []),
    ],
)
def test_a_fact_has_the_forms_that_a_person_would_ask(shop, name, direction, forms):
    shape = "number" if name == "age" else "entity" if name in ("town", "friend", "guest", "country") else "text"
    fact = Fact(1, (Step(V + name, name, direction),), shape, count=3, forms=("lookup", "count", "boolean"))
    others = CUSTOMER if name in ("friend", "guest") else f"{V}Town"
    owner, ends = (CUSTOMER, others) if direction == "out" else (f"{V}Town", CUSTOMER)
    assert list(sensible_forms(shop, owner, replace(fact, end_classes=(ends,)))) == forms
    assert "count" not in sensible_forms(shop, owner, replace(fact, end_classes=(ends,), count=13))


def test_things_are_selected_by_what_nearly_all_state_and_what_differs(shop):
    shapes = {
        "town": "entity", "friend": "entity", "country": "entity", "guest": "entity", "desk": "entity", "level": "text",
        "power": "text",
        "status": "text", "mail": "text", "street": "text", "phone": "text", "note": "text", "age": "number",
        "active": "number",
    }  # fmt: skip
    kept = [name for name, shape in shapes.items() if is_condition(shop, CUSTOMER, V + name, shape)]
    assert kept == ["town", "friend", "level", "age"]


def test_values_for_others_are_those_that_several_things_have(open_turtle):
    cities = "v:a v:zone 'CET' . v:b v:zone 'CET' . v:c v:zone 'EET', 'EET'@et . v:d v:zone 'EET' . v:e v:zone 'WET' ."
    kg = open_turtle(f"@prefix v: <{V}> . {cities}" + " ".join(f"v:{name} a v:City ." for name in "abcde"))
    found = frequent_values(kg, f"{V}City", f"{V}zone", Literal("WET"), Random(1))
    assert sorted(found) == [Literal("CET"), Literal("EET")]


def test_numbers_with_units_and_dates_look_like_measures():
    texts = ("5,64 EUR", "1984", "1993-07-09", "12 %", "Apollo 11", "5th Avenue")
    assert [text for text in texts if looks_like_measure(text)] == ["5,64 EUR", "1984", "1993-07-09", "12 %"]


def test_persons_are_no_parts_of_what_has_them(shop):
    for label, kind, forms in (("has part", "person", []), ("part", "person", []), ("part", "engine", ["lookup"]),
                               ("member", "person", ["lookup"])):  # fmt: skip
        step = Step(f"{V}friend", label)
        fact = Fact(1, (step,), "entity", "", (kind,), 3, ("lookup",), end_classes=(CUSTOMER,))
        assert list(sensible_forms(shop, CUSTOMER, fact)) == forms


@pytest.mark.parametrize(
    ("ends", "name", "owner", "forms"),
    [
        ("Person", "born", "City", []),
        ("Person", "club", "Club", ["subject", "count", "boolean"]),
        ("Player", "born", "City", ["subject", "count", "boolean"]),
        ("Song", "origin", "Country", []),
        ("Song Film", "origin", "Country", []),
        ("Song Film", "studio", "Studio", ["subject", "boolean"]),
        ("Album", "recorded", "City", []),
        ("Ship", "built", "City", ["subject", "count", "boolean"]),
        ("Town", "land", "Country", []),
        ("Town", "boss", "Chief", ["subject", "count", "boolean"]),
    ],
)
def test_no_graph_holds_a_population_or_counts_the_things_of_a_country(open_turtle, ends, name, owner, forms):
    classes = ends.split()
    lines = [f"v:e{n} a v:{classes[n % len(classes)]} ; v:{name} v:o{n % 3} ; v:size {n} ." for n in range(9)]
    lines += [f"v:o{n} a v:{owner} ." for n in range(3)]
    kg = open_turtle(f"@prefix v: <{V}> . {' '.join(lines)}")
    step, asked = Step(V + name, name, "in"), ("subject", "count", "boolean")
    fact = Fact(1, (step,), "entity", "", (ends.lower(),), 3, asked, end_classes=tuple(V + one for one in classes))
    assert list(sensible_forms(kg, V + owner, fact)) == forms


@pytest.mark.parametrize(
    ("name", "owner", "is_asked"),
    [
        ("http://purl.org/dc/terms/subject", "Person", False), ("http://purl.org/dc/terms/subject", "Book", True),
        (f"{V}agent", "Book", False), (f"{V}keeper", "Book", True),
    ],
)  # fmt: skip
def test_nobody_asks_for_topics_of_persons_or_by_words_for_anything(open_turtle, name, owner, is_asked):
    lines = [f"v:e{n} a v:{owner} ; <{name}> v:o{n % 3} ; v:size {n} . v:o{n % 3} a v:Topic ." for n in range(9)]
    kg = open_turtle(f"@prefix v: <{V}> . {' '.join(lines)}")
    step = Step(name, name.rpartition("/")[2])
    fact = Fact(1, (step,), "entity", "", ("topic",), 1, ("object",), end_classes=(f"{V}Topic",))
    assert list(sensible_forms(kg, V + owner, fact)) == (["object"] if is_asked else [])


@pytest.mark.parametrize(
    ("label", "kind", "is_asked"),
    [
        ("home port", "harbour", False), ("team", "team", False), ("located in", "city", True), ("city", "city", True),
        ("mayor", "person", True), ("crosses", "river", True),
    ],
)  # fmt: skip
def test_people_confirm_where_a_thing_is_what_a_verb_says_and_persons(label, kind, is_asked):
    fact = Fact(1, (Step(V + label, label),), "entity", "", (kind,), 1, ("object", "boolean"))
    assert is_confirmed(fact, "entity") is is_asked


def test_four_capitals_that_make_no_word_are_a_code():
    texts = (("SETL", "HBRX"), ("BULK", "TANK"), ("SETLE", "HBRXO"))
    assert [kind_of_terms([Literal(text) for text in some]) for some in texts] == ["code", "text", "text"]


def test_a_thing_may_have_several_where_one_value_is_not_the_rule(shop):
    """A town with one customer is still asked for its customers; a customer with one friend, for friends."""
    asked = {}
    for name, direction, owner in (
        ("friend", "out", CUSTOMER), ("town", "out", CUSTOMER), ("age", "out", CUSTOMER), ("town", "in", f"{V}Town"),
        ("unknown", "out", CUSTOMER),
    ):  # fmt: skip
        fact = Fact(1, (Step(V + name, name, direction),), "entity", count=1, end_classes=(CUSTOMER,))
        found = replace(fact, allows_several=allows_several(shop, owner, fact))
        asked[name, direction] = found.asks_several
    assert [key for key, several in asked.items() if several] == [("friend", "out"), ("town", "in")]


def test_several_values_are_asked_for_as_several():
    one = Fact(1, (Step(f"{V}friend", "friend"),), "entity")
    asked = [replace(one, count=n, allows_several=several).asks_several for n in (1, 2) for several in (False, True)]
    assert asked == [False, True, True, True]
