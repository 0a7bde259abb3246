"""Questions about relations with attributes, and about amounts: things that the graph keeps without a name."""

from __future__ import annotations

from pathlib import Path

import pytest
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel

from chattykg.engine import ChattyEngine
from chattykg.linking.statement_nodes import find_measure_predicates, find_naming_predicates, find_statement_nodes
from chattykg.rulebook import RULEBOOK

HONEY = """
@prefix : <http://hives.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:mira a :Beekeeper ; rdfs:label "Mira Holt" . :jon a :Beekeeper ; rdfs:label "Jon Esk" .
:ada a :Beekeeper ; rdfs:label "Ada Bloom" . :tove a :Mentor ; rdfs:label "Tove Lind" .
:spring a :Show ; rdfs:label "Spring Honey Show" . :autumn a :Show ; rdfs:label "Autumn Fair" .
:north a :Guild ; rdfs:label "North Guild" . :south a :Guild ; rdfs:label "South Guild" .
:acacia a :Honey ; rdfs:label "Acacia Gold" ; :retail [ a :Retail ; :amount 8.5 ; :currency "EUR" ] .
:heather a :Honey ; rdfs:label "Heather Dark" ; :retail [ a :Retail ; :amount 12.5 ; :currency "EUR" ] .
:retail rdfs:label "price" .
[] a :Placing ; :show :spring ; :entrant :mira ; :rank 1 ; :score 91 ; :year "2015"^^xsd:gYear .
[] a :Placing ; :show :spring ; :entrant :jon ; :rank 2 ; :score 88 ; :year "2015"^^xsd:gYear .
[] a :Placing ; :show :spring ; :entrant :jon ; :rank 1 ; :score 95 ; :year "2016"^^xsd:gYear .
[] a :Placing ; :show :spring ; :entrant :mira ; :rank 2 ; :score 90 ; :year "2016"^^xsd:gYear .
[] a :Placing ; :show :autumn ; :entrant :mira ; :rank 1 ; :score 80 ; :year "2016"^^xsd:gYear .
[] a :Membership ; :member :mira ; :organisation :north ; :from 2008 ; :to 2012 ; :role "warden" .
[] a :Membership ; :member :mira ; :organisation :south ; :from 2013 ; :role "steward" .
[] a :Membership ; :member :jon ; :organisation :north ; :from 2010 ; :role "steward" .
[] a :Coaching ; :coach :tove ; :pupil :jon ; :since "2009-04-01"^^xsd:date .
[] a :Coaching ; :coach :ada ; :pupil :mira ; :since "2011-04-01"^^xsd:date .
[] a :Coaching ; :coach :mira ; :pupil :ada ; :since "2014-04-01"^^xsd:date .
"""


@pytest.fixture(scope="module")
def honey(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    path: Path = tmp_path_factory.mktemp("honey") / "honey.ttl"
    path.write_text(HONEY, encoding="utf-8")
    return open_kg([str(path)])


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Who won the Spring Honey Show in 2015?", set()),
        ("What was Jon Esk's score at the Spring Honey Show in 2016?", {"95"}),
        ("Did Jon Esk win the Spring Honey Show in 2016?", set()),
        ("Which guild did Mira Holt belong to in 2010?", {"North Guild"}),
        ("Which guild did Mira Holt belong to in 2014?", {"South Guild"}),
        ("Who is currently a member of the North Guild?", {"Jon Esk"}),
        ("Since when has Jon Esk been a member of the North Guild?", {"2010"}),
        ("Until when was Mira Holt a member of the North Guild?", {"2012"}),
        ("Which role does Mira Holt have at the South Guild?", {"steward"}),
        ("Which beekeepers have worked for two guilds?", {"Mira Holt"}),
        ("Who coached Jon Esk?", {"Tove Lind"}),
        ("Who coached Mira Holt?", {"Ada Bloom"}),
        ("Who was coached by Mira Holt?", {"Ada Bloom"}),
        ("How much does Acacia Gold cost?", {"8.5"}),
        ("What is the price of Heather Dark?", {"12.5"}),
    ],
)
def test_a_question_is_of_one_connector(honey: KnowledgeGraph, question: str, answers: set[str]) -> None:
    answer = ChattyEngine(honey, RuleModel(RULEBOOK)).answer(question)
    assert {value.label or value.value for value in answer.values} == answers


def test_connectors_and_measures_are_told_apart_by_what_they_link(honey: KnowledgeGraph) -> None:
    found = {each.entry.label: each for each in find_statement_nodes(honey)}
    assert set(found) == {"placing", "membership", "coaching"}
    membership = found["membership"]
    assert membership.begin is not None and membership.begin.entry.label == "from"
    assert membership.end is not None and membership.end.entry.label == "to"
    assert len(found["placing"].times) == 1
    assert [
        entry.label for entry in find_measure_predicates(honey.vocabulary, find_naming_predicates(honey)).values()
    ] == ["amount"]


def test_who_asks_how_much_is_told_the_amount_of_a_price_that_has_a_label(tmp_path: Path) -> None:
    path = tmp_path / "ferry.ttl"
    path.write_text(
        """@prefix : <http://ferry.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        :day a :Ticket ; rdfs:label "Day Pass" ; :price :p1 . :week a :Ticket ; rdfs:label "Week Pass" ; :price :p2 .
        :p1 a :Price ; rdfs:label "9,50 EUR" ; :amount 9.5 ; :currency "EUR" .
        :p2 a :Price ; rdfs:label "30,00 EUR" ; :amount 30.25 ; :currency "EUR" .""",
        encoding="utf-8",
    )
    engine = ChattyEngine(open_kg([str(path)]), RuleModel(RULEBOOK))
    assert [value.value for value in engine.answer("How much does the Week Pass cost?").values] == ["30.25"]


def test_a_length_is_no_price(tmp_path: Path) -> None:
    path = tmp_path / "boats.ttl"
    path.write_text(
        """@prefix : <http://boats.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        :dart a :Boat ; rdfs:label "Blue Dart" ; :length [ a :Amount ; :value 31.5 ; :unit "m" ] .
        :arrow a :Boat ; rdfs:label "Blue Arrow" ; :length [ a :Amount ; :value 28.5 ; :unit "m" ] ; :price 900 .
        :holm a :Town ; rdfs:label "Holm" ; :landArea [ a :Amount ; :value 12.5 ; :unit "km2" ] .""",
        encoding="utf-8",
    )
    engine = ChattyEngine(open_kg([str(path)]), RuleModel(RULEBOOK))
    assert [value.value for value in engine.answer("How long is the Blue Dart?").values] == ["31.5"]
    assert [value.value for value in engine.answer("How much is the Blue Arrow?").values] == ["900"]
    assert not engine.answer("How much is the Blue Dart?").values
    assert not engine.answer("What is the price of Holm?").values


HOMES = """
@prefix : <http://homes.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:UNIT a rdfs:Class ; rdfs:label "UNIT" . :BLDG a rdfs:Class ; rdfs:label "BLDG" . :REQ a rdfs:Class ; rdfs:label "REQ" .
:UNIT.unit_cd rdfs:label "unit_cd" . :UNIT.area_sqm rdfs:label "area_sqm" . :UNIT.renov_yr rdfs:label "renov_yr" .
:UNIT.bldg_id rdfs:label "bldg_id" . :BLDG.bldg_nm rdfs:label "bldg_nm" . :BLDG.constr_yr rdfs:label "constr_yr" .
:REQ.unit_id rdfs:label "unit_id" . :REQ.descr rdfs:label "descr" . :TEN.unit_id rdfs:label "unit_id" .
:u1 a :UNIT ; :UNIT.unit_cd "SG-01" ; :UNIT.area_sqm 71.5 ; :UNIT.renov_yr 2014 ; :UNIT.bldg_id :b1 .
:u2 a :UNIT ; :UNIT.unit_cd "SG-02" ; :UNIT.area_sqm 48.0 ; :UNIT.renov_yr 2017 ; :UNIT.bldg_id :b1 .
:u3 a :UNIT ; :UNIT.unit_cd "NP-01" ; :UNIT.area_sqm 55.5 ; :UNIT.renov_yr 2019 ; :UNIT.bldg_id :b2 .
:b1 a :BLDG ; :BLDG.bldg_nm "Sunny Garden" ; :BLDG.constr_yr 1986 .
:b2 a :BLDG ; :BLDG.bldg_nm "North Park" ; :BLDG.constr_yr 1998 .
:r1 a :REQ ; :REQ.descr "tile missing" ; :REQ.unit_id :u1 . :r2 a :REQ ; :REQ.descr "lost keys" ; :REQ.unit_id :u3 .
:t1 a :TEN ; :TEN.unit_id :u1 ; :TEN.rent 500 . :t2 a :TEN ; :TEN.unit_id :u3 ; :TEN.rent 620 .
"""


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    path: Path = tmp_path_factory.mktemp("homes") / "homes.ttl"
    path.write_text(HOMES, encoding="utf-8")
    return open_kg([str(path)])


def test_a_class_with_a_code_of_its_own_name_is_no_relation(homes: KnowledgeGraph) -> None:
    names = find_naming_predicates(homes)
    assert "http://homes.example/UNIT.unit_cd" in names
    assert "http://homes.example/UNIT" not in {r.entry.iri for r in find_statement_nodes(homes)}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ('What is the unit of "tile missing"?', ["SG-01"]),
        ("In which year was North Park built?", ["1998"]),
        ("Which units are smaller than 60 square meters?", ["NP-01", "SG-02"]),
        ('Which of "SG-01", "SG-02" and "NP-01" are smaller than 50 square metres?', ["SG-02"]),
        ("Is Sunny Garden publicly traded?", []),
    ],
)
def test_a_thing_with_a_code_is_asked_as_things_are(homes: KnowledgeGraph, question: str, expected: list[str]) -> None:
    answer = ChattyEngine(homes, RuleModel(RULEBOOK)).answer(question)
    assert sorted(value.label or value.value for value in answer.values) == expected
