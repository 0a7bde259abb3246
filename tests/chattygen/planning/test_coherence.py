"""What a turn needs before it, what gives it away, and how drafts are scored."""

from dataclasses import replace

import pytest
from rdflib import Literal, URIRef
from rdflib.namespace import XSD

from chattygen.planning.coherence import (
    can_open,
    fact_interest,
    keys_of_telling_facts,
    needed_question,
    repeats_bridge,
    score_turns,
    tells,
)
from chattygen.planning.plan import PlannedTurn
from chattygen.planning.turn_construction import question_key, single_fact_turn
from chattygen.stages.turn_plan import Condition, TurnPlan
from chattygen.subgraph.facts import Entity, Fact, HiddenEnds, Step, Summary

PRESS = Entity(URIRef("https://prints.example/p1"), "Inkwell", "", "press", ("press",))
TOWN = Entity(URIRef("https://prints.example/t1"), "Fernhill", "", "town", ("town",))
SEAT = Fact(1, (Step("urn:seat", "seat"),), "entity", class_labels=("town",), forms=("object", "boolean"))
STAFF = Fact(2, (Step("urn:staff", "staff"),), "number", "integer", forms=("number", "boolean"))
MAYOR = Fact(3, (SEAT.steps[0], Step("urn:mayor", "mayor")), "entity", forms=("two-hop",))
PAPERS = Fact(4, (Step("urn:paper", "paper"),), "entity", class_labels=("paper",), count=2, forms=("list", "count"))
MAYORS = HiddenEnds((URIRef("urn:m"),), ((TOWN.iri, URIRef("urn:mayor"), URIRef("urn:m")),))


def ask(fact: Fact, form: str, *ends: URIRef | Literal, entity: Entity = PRESS) -> PlannedTurn:
    hidden = HiddenEnds(ends, tuple((entity.iri, URIRef(fact.last_step.predicate), end) for end in ends))
    return single_fact_turn(entity, fact, hidden, form)


def numbered(*turns: PlannedTurn, antecedents: tuple[int, ...] = ()) -> list[tuple[TurnPlan, PlannedTurn]]:
    befores = antecedents or (0,) * len(turns)
    return [
        (TurnPlan(n, turn.form, "opens" if n == 1 else turn.link, turn.entity, turn.fact, antecedent_turn=before), turn)
        for n, (turn, before) in enumerate(zip(turns, befores, strict=True), 1)
    ]


def test_a_two_hop_question_needs_its_bridge_and_a_selection_its_list():
    two_hop = single_fact_turn(PRESS, MAYOR, MAYORS, "two-hop")
    assert needed_question(two_hop) == question_key(PRESS, SEAT)
    selection = replace(
        ask(PAPERS, "list", URIRef("urn:a")), form="filter", condition=Condition("most", SEAT.steps[0], "date")
    )
    assert needed_question(selection) == question_key(PRESS, PAPERS)
    assert needed_question(replace(selection, link="among")) is None
    assert needed_question(ask(SEAT, "object", TOWN.iri)) is None


def test_yes_no_questions_and_what_needs_another_turn_do_not_open():
    assert can_open(ask(SEAT, "object", TOWN.iri))
    assert not can_open(ask(SEAT, "boolean", TOWN.iri))
    assert not can_open(single_fact_turn(PRESS, MAYOR, MAYORS, "two-hop"))
    assert not can_open(replace(ask(SEAT, "object", TOWN.iri), unanswerable="not-stated"))


@pytest.mark.parametrize(
    ("text", "value", "is_told"),
    [
        ("Mill Lane 4, 50920 Fernhill", "Fernhill", True), ("1994-06-07", "1994", True), ("Scottish", "Scotland", True),
        ("a Norwegian press", "Norway", True), ("Fernhillside", "Fernhill", False), ("Room 4", "4", False),
    ],
)  # fmt: skip
def test_a_text_tells_a_value_that_it_contains_or_names_by_its_people(text: str, value: str, is_told: bool):
    assert tells(text, value) is is_told


def test_a_name_tells_a_name_that_differs_from_it_only_by_its_class():
    assert tells("Old Mill 1996 Trench B", "Old Mill excavation 1996", "excavation")
    assert not tells("Old Mill 1996 Trench B", "Old Mill excavation 2001", "excavation")
    assert not tells("Trench B", "excavation", "excavation")


def test_of_an_address_and_its_town_only_one_is_asked():
    address = replace(STAFF, number=3, steps=(Step("urn:address", "address"),), shape="text", forms=("literal",))
    ends = ((TOWN.iri,), (Literal(7),), (Literal("Mill Lane 4, Fernhill"),))
    summary = Summary(PRESS, (SEAT, STAFF, address), tuple(HiddenEnds(end, ()) for end in ends))
    keys = keys_of_telling_facts(summary, {TOWN.iri: "Fernhill"})
    assert keys == {1: {question_key(PRESS, address)}, 3: {question_key(PRESS, SEAT)}}


def test_either_of_two_entities_gives_the_other_away():
    home = replace(SEAT, steps=(Step("urn:home-of", "home of"),))
    there, back = ask(SEAT, "object", TOWN.iri), ask(home, "object", PRESS.iri, entity=TOWN)
    assert there.question_keys & back.question_keys


def test_a_continued_answer_scores_higher_than_a_return(open_turtle):
    kg = open_turtle("<urn:a> <urn:b> <urn:c> .")
    size = Fact(1, (Step("urn:size", "size"),), "date", "date", forms=("date",))
    seat = ask(SEAT, "object", TOWN.iri)
    about_town = replace(ask(size, "date", Literal("1900-01-01", datatype=XSD.date), entity=TOWN), link="answer")
    about_press = ask(size, "date", Literal("1900-01-02", datatype=XSD.date))
    near = score_turns(kg, numbered(about_press, seat, about_town, antecedents=(0, 0, 2)))
    far = score_turns(kg, numbered(seat, about_press, about_town, antecedents=(0, 0, 1)))
    assert near - 0.8 > far - 1.0  # without the openings: a date and an entity


@pytest.mark.parametrize(
    ("kind", "direction", "count", "several", "interest"),
    [
        ("film", "in", 2, False, 0.2), ("film", "in", 3, False, 1.0), ("award", "out", 1, True, 0.2),
        ("award", "out", 1, False, 1.0), ("club", "in", 1, False, 1.0),
    ],
)  # fmt: skip
def test_two_works_or_awards_may_be_a_few_of_many(kind, direction, count, several, interest):
    step = Step("urn:made", "made", direction)
    some = Fact(1, (step,), "entity", class_labels=(kind,), count=count, forms=("list",), allows_several=several)
    assert fact_interest(None, PRESS, some) == interest


def test_what_was_told_and_the_country_of_a_person_score_less(open_turtle):
    kg = open_turtle("<urn:a> <urn:b> <urn:c> .")
    size = Fact(1, (Step("urn:size", "size"),), "date", "date", forms=("date",))
    home = replace(SEAT, steps=(Step("urn:home", "home"),))
    country = replace(SEAT, class_labels=("country",))
    other = replace(TOWN, iri=URIRef("urn:other"))
    told, new = (ask(home, "object", town.iri) for town in (TOWN, other))
    seat, date = ask(SEAT, "object", TOWN.iri), Literal("1900-01-01", datatype=XSD.date)
    assert score_turns(kg, numbered(seat, new)) > score_turns(kg, numbered(seat, told))
    about_town = replace(ask(size, "date", date, entity=TOWN), link="answer")
    scores = [score_turns(kg, numbered(ask(fact, "object", TOWN.iri), about_town, antecedents=(0, 1)))
              for fact in (SEAT, country)]  # fmt: skip
    assert scores[0] > scores[1]


def test_a_third_attribute_and_a_relation_asked_thrice_score_less(open_turtle):
    kg = open_turtle("<urn:a> <urn:b> <urn:c> .")
    size, age, staff = (ask(replace(STAFF, steps=(Step(f"urn:{name}", name),)), "number", Literal(value))
                        for value, name in enumerate(("size", "age", "staff")))  # fmt: skip
    seat, town = ask(SEAT, "object", TOWN.iri), replace(TOWN, iri=URIRef("urn:other"))
    assert score_turns(kg, numbered(size, seat, age, staff)) > 0.5 + score_turns(kg, numbered(size, age, staff, seat))
    again = replace(ask(SEAT, "object", town.iri, entity=town), link="shift")
    once_more = replace(again, entity=replace(town, iri=URIRef("urn:third")), expected=(URIRef("urn:fourth"),))
    other = replace(once_more, fact=replace(SEAT, steps=(Step("urn:home", "home"),)))
    assert score_turns(kg, numbered(seat, again, other)) > score_turns(kg, numbered(seat, again, once_more))


def test_codes_and_repeated_forms_score_less(open_turtle):
    flags = "\n".join(
        f'<urn:p{n}> a <urn:Press> ; <urn:flag> "{"NY"[n % 2]}" ; <urn:motto> "Print {n} a day" .' for n in range(8)
    )
    kg, press = open_turtle(flags), replace(PRESS, type="urn:Press")
    flag, motto = (Fact(n, (Step(f"urn:{name}", name),), "text", forms=("literal", "boolean"))
                   for n, name in enumerate(("flag", "motto"), 1))  # fmt: skip

    def score(fact: Fact, *forms: str) -> float:
        mottos = [Literal(f"Print {n} a day") for n in range(len(forms))]
        turns = zip(forms, mottos, strict=True)
        return score_turns(kg, numbered(*(ask(fact, form, value, entity=press) for form, value in turns)))

    assert score(motto, "literal") > score(flag, "literal")
    assert score(motto, "literal", "boolean", "literal") > score(motto, "literal", "boolean", "boolean")


def test_a_two_hop_question_repeats_the_path_right_after_its_bridge():
    two_hop = single_fact_turn(PRESS, MAYOR, MAYORS, "two-hop")
    assert repeats_bridge(two_hop, ask(SEAT, "object", TOWN.iri))
    assert not repeats_bridge(two_hop, ask(STAFF, "number", Literal(7)))
