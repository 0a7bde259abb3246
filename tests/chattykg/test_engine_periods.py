"""Decades and centuries are ranges of years, over dates, years and whole numbers."""

import pytest
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel

from chattykg.engine import ChattyEngine
from chattykg.rulebook import RULEBOOK

GRAPH = """
@prefix : <https://bridges.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Bridge a rdfs:Class ; rdfs:label "bridge" . :Tunnel a rdfs:Class ; rdfs:label "tunnel" .
:Dam a rdfs:Class ; rdfs:label "dam" .
:opened rdfs:label "opening date" . :built rdfs:label "year built" . :year rdfs:label "construction year" .
:a a :Bridge ; rdfs:label "Ashford" ; :opened "1980-01-01"^^xsd:date .
:b a :Bridge ; rdfs:label "Birchley" ; :opened "1989-12-31"^^xsd:date .
:c a :Bridge ; rdfs:label "Calder" ; :opened "1990-01-01"^^xsd:date .
:d a :Bridge ; rdfs:label "Dunmore" ; :opened "1885-06-01"^^xsd:date .
:e a :Tunnel ; rdfs:label "Edge Hill" ; :built "1984"^^xsd:gYear .
:f a :Tunnel ; rdfs:label "Foss" ; :built "1992"^^xsd:gYear .
:g a :Dam ; rdfs:label "Gairn" ; :year 1987 . :h a :Dam ; rdfs:label "Hoy" ; :year 2003 .
"""
EIGHTIES = {"Ashford", "Birchley"}


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    path = tmp_path_factory.mktemp("graph") / "bridges.ttl"
    path.write_text(GRAPH)
    return ChattyEngine(open_kg([str(path)]), RuleModel(RULEBOOK))


@pytest.mark.parametrize(
    ("question", "labels"),
    [
        ("Which bridges were opened in the 80s?", EIGHTIES),
        ("Which bridges were opened in the 1980s?", EIGHTIES),
        ("Which bridges were opened in the '80s?", EIGHTIES),
        ("Which bridges were opened in the 1980's?", EIGHTIES),
        ("Which bridges were opened during the eighties?", EIGHTIES),
        ("Which bridges were opened in the nineteen-eighties?", EIGHTIES),
        ("Which bridges were opened in the early 80s?", {"Ashford"}),
        ("Which bridges were opened in the late eighties?", {"Birchley"}),
        ("Which bridges were opened before the 80s?", {"Dunmore"}),
        ("Which bridges were opened after the 80s?", {"Calder"}),
        ("Which bridges were opened since the 80s?", {*EIGHTIES, "Calder"}),
        ("Which bridges were opened in the 19th century?", {"Dunmore"}),
        ("Which bridges were opened in the nineteenth century?", {"Dunmore"}),
        ("Which bridges were opened in the twentieth century?", {*EIGHTIES, "Calder"}),
        ("Which tunnels were built in the 80s?", {"Edge Hill"}),
        ("Which dams have a construction year in the 80s?", {"Gairn"}),
        ("Which bridges were opened in the 70s?", set()),
        ("Which bridges were opened between the 80s and the 90s?", {*EIGHTIES, "Calder"}),
        ("Which bridges were opened from the 80s to the 90s?", {*EIGHTIES, "Calder"}),
        ("Which bridges were opened between 1985 and the 90s?", {"Birchley", "Calder"}),
        ("Which bridges were opened between the 80s and 1989?", EIGHTIES),
        ("Which bridges were opened in the 80s and 90s?", {*EIGHTIES, "Calder"}),
        ("Which bridges were opened in the 80s or the 90s?", {*EIGHTIES, "Calder"}),
        ("Which bridges were opened between the 80s and the 90s in history?", {*EIGHTIES, "Calder"}),
        ("Which dams have a construction year in the noughties?", {"Hoy"}),
    ],
)
def test_a_period_is_a_range_of_years(engine, question, labels):
    assert {value.label for value in engine.answer(question, ()).values} == labels


@pytest.mark.parametrize(
    ("question", "unused"),
    [
        ("Which 80s bridges are there?", "80s"),
        ("Which 1980s bridges are there?", "1980s"),
        ("Which eighties bridges are there?", "eighties"),
        ("Which late eighties bridges are there?", "late eighties"),
        ("Which 80s bridges were opened in the 90s?", "80s"),
        ("Which bridges were opened between the 80s?", "80s"),
        ("Which bridges were opened in the frumbies?", "frumbies"),
    ],
)
def test_a_period_or_a_word_behind_a_preposition_that_is_not_read_is_named(engine, question, unused):
    answer = engine.answer(question, ())
    assert (answer.reason.code, answer.values) == ("unknown-qualifier", ())
    assert unused in " ".join(answer.unused)


def test_two_periods_are_not_read_as_one(engine):
    either = engine.answer("Which bridges were opened in the 80s and 60s?", ())
    each = [engine.answer(f"Which bridges were opened in the {period}?", ()) for period in ("80s", "60s")]
    assert {v.value for v in either.values} == {v.value for answer in each for v in answer.values} != set()


@pytest.mark.parametrize(
    ("question", "year"),
    [("In which year was Birchley opened?", "1989"), ("In what year was Edge Hill built?", "1984")],
)
def test_of_a_date_the_year_is_answered_where_a_year_is_asked_for(engine, question, year):
    assert [value.value for value in engine.answer(question).values] == [year]


@pytest.mark.parametrize(
    ("question", "labels"),
    [
        ("Which films did Christopher Nolan direct after 2009?", {"Inception", "Interstellar"}),
        ("What films did Harrison Ford act in before 1980?", {"Star Wars"}),
    ],
)
def test_the_time_of_what_somebody_made_is_the_date_of_the_work(question, labels):
    engine = ChattyEngine(open_kg(["demo"]), RuleModel(RULEBOOK))
    assert {value.label for value in engine.answer(question, ()).values} == labels
