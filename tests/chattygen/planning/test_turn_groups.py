"""Which turns a context offers: questions over two steps, and conditions on the members of a set."""

from random import Random
from types import SimpleNamespace

import pytest
from rdflib import Literal, URIRef
from rdflib.namespace import XSD

from chattygen.planning.neighbourhoods import Neighbourhoods
from chattygen.planning.plan_context import PlanContext
from chattygen.planning.set_attributes import AnswerSet, SetAttribute
from chattygen.planning.turn_groups import set_conditions, two_hop_turns
from chattygen.planning.unambiguous_names import NameIndex
from chattygen.subgraph.bridge_entities import Bridge
from chattygen.subgraph.facts import Entity, Fact, HiddenEnds, Step, Summary


def iri(name: str) -> URIRef:
    return URIRef(f"urn:{name.replace(' ', '-')}")


def fact(label: str, kind: str, *, shape: str = "entity", form: str = "object") -> Fact:
    return Fact(1, (Step(iri(label), label),), shape, class_labels=(kind,) if kind else (), forms=(form,))  # type: ignore[arg-type]


def thing(name: str, *kinds: str) -> Entity:
    return Entity(iri(name), name, "", kinds[0], kinds)


@pytest.mark.parametrize(
    ("seed", "label", "kind", "about", "is_asked"),
    [
        ("wreck", "owner", "person", fact("employer", "company"), True),
        ("wreck", "found by", "person", fact("employer", "company"), False),  # the person who found it
        ("film", "based on", "novel", fact("author", "person"), False),  # the novel that it is based on
        ("film", "novel", "novel", fact("author", "person"), True),
        ("company", "city", "city", fact("region", "region"), True),
        ("company", "city", "city", fact("mayor", "person"), False),  # about another place
        ("city", "capital", "city", fact("mayor", "person"), True),
        ("company", "country", "country", fact("continent", "continent"), False),
    ],
)  # fmt: skip
def test_two_steps_are_asked_where_a_phrase_without_a_clause_says_the_thing_between(seed, label, kind, about, is_asked):
    between, end = thing("Bell", kind), iri("end")
    far = Summary(between, (about,), (HiddenEnds((end,), ((between.iri, iri("x"), end),)),))
    first = fact(label, kind)
    bridge = Bridge(first, "object", HiddenEnds((between.iri,), ()), far)
    context = PlanContext(Summary(thing("Umber", seed), (), ()), Neighbourhoods(), NameIndex({}), (bridge,))
    asked = [turn.fact.steps for turn in two_hop_turns(context)]
    assert asked == ([(first.last_step, about.last_step)] if is_asked else [])


@pytest.mark.parametrize("name", ["{entrant} Entry", "Entry {number}"])
def test_the_entrant_of_entries_that_are_called_after_entrants_is_no_condition(open_turtle, name: str):
    entrants = [iri(entrant) for entrant in ("Bell", "Bell", "Crow", "Dove")]
    members = tuple(iri(f"entry {number}") for number in range(4))
    values = {member: (entrant,) for member, entrant in zip(members, entrants, strict=True)}
    column = SetAttribute(Step("urn:by", "entered by"), "entity", frozenset(), values)
    cup = thing("Umber", "cup")
    entries = AnswerSet(cup, fact("entry", "entry"), HiddenEnds(members, ()), (column,))
    labels = {
        member: name.format(entrant=entrant.removeprefix("urn:"), number=number)
        for number, (member, entrant) in enumerate(zip(members, entrants, strict=True))
    }
    names = NameIndex({entrant: entrant.removeprefix("urn:") for entrant in entrants})
    context = PlanContext(Summary(cup, (), ()), Neighbourhoods({}, labels), names)
    run = SimpleNamespace(kg=open_turtle("<urn:a> <urn:b> <urn:c> ."))
    found = [one.condition.value for one in set_conditions(run, context, entries, "conjunction", Random(1))]
    assert found == (["Bell"] if "number" in name else [])


@pytest.mark.parametrize(
    ("names", "is_told"),
    [
        (("Regatta 1987", "Regatta 1994", "Regatta 2003", "Regatta 2011"), True),
        (("Regatta 1987", "Regatta 1994", "Spring Cup", "Harbour Cup"), False),
    ],
)
def test_what_the_names_of_most_members_tell_is_no_condition(names: tuple[str, ...], is_told: bool):
    members = tuple(map(iri, names))
    dates = {
        member: (Literal(f"{year}-05-01", datatype=XSD.date),)
        for member, year in zip(members, (1987, 1994, 2003, 2011), strict=True)
    }
    column = SetAttribute(Step("urn:held", "start date"), "date", frozenset({XSD.date}), dates)
    club = thing("Umber", "club")
    races = AnswerSet(club, fact("race", "race"), HiddenEnds(members, ()), (column,))
    labels = dict(zip(members, names, strict=True))
    context = PlanContext(Summary(club, (), ()), Neighbourhoods({}, labels), NameIndex({}))
    found = [one.members for one in set_conditions(SimpleNamespace(kg=None), context, races, "superlative", Random(1))]
    assert found == ([] if is_told else [(members[3],), (members[0],)])
