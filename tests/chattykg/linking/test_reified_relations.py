"""Questions about relations with attributes, and about amounts: things that the graph keeps without a name."""

from __future__ import annotations

from pathlib import Path

import pytest
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel

from chattykg.engine import ChattyEngine
from chattykg.linking.reified_relations import find_measure_predicates, find_naming_predicates, find_reified_relations
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
        ("Who won the Spring Honey Show in 2015?", {"Mira Holt"}),
        ("Who won the Spring Honey Show?", {"Mira Holt", "Jon Esk"}),
        ("Who came second in the Spring Honey Show in 2016?", {"Mira Holt"}),
        ("What was Jon Esk's score at the Spring Honey Show in 2016?", {"95"}),
        ("What place did Jon Esk take in the Spring Honey Show in 2015?", {"2"}),
        ("Which shows did Mira Holt win?", {"Spring Honey Show", "Autumn Fair"}),
        ("Did Jon Esk win the Spring Honey Show in 2015?", {"false"}),
        ("Did Jon Esk win the Spring Honey Show in 2016?", {"true"}),
        ("Who won the Spring Honey Show after 2015?", {"Jon Esk"}),
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
    found = {each.entry.label: each for each in find_reified_relations(honey.vocabulary, find_naming_predicates(honey))}
    assert set(found) == {"placing", "membership", "coaching"}
    membership = found["membership"]
    assert membership.begin_attribute is not None and membership.begin_attribute.label == "from"
    assert membership.end_attribute is not None and membership.end_attribute.label == "to"
    assert found["placing"].rank_attribute is not None and found["placing"].time_attribute is not None
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
