"""Questions for what a graph does not state, and whose nearest predicates say something else, over an invented lake."""

import pytest
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel

from chattykg.engine import ChattyEngine
from chattykg.linking.similarity import lexical_similarity
from chattykg.rulebook import RULEBOOK

LAKE = """
@prefix e: <http://lake.example/d/> . @prefix o: <http://lake.example/o/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
o:openedOn rdfs:label "opened on" . o:foundingDate rdfs:label "founding date" . o:weeklyWage rdfs:label "weekly wage" .
o:hasContract rdfs:label "has contract" . o:passengerCapacity rdfs:label "passenger capacity" .
o:runsAllYear rdfs:label "runs all year" . o:playsIn rdfs:label "plays in" . o:nationality rdfs:label "nationality" .
o:parking rdfs:label "parking" . o:buildingName rdfs:label "building name" . o:facility rdfs:label "facility" .
e:p1 a o:Pier ; rdfs:label "Alder" ; o:openedOn "1970-05-01"^^xsd:date .
e:p2 a o:Pier ; rdfs:label "Birch Castle" . e:p3 a o:Pier ; rdfs:label "Cedar" ; o:openedOn "1981-05-01"^^xsd:date .
e:l1 a o:Line ; rdfs:label "Swan Line" ; o:pier e:p1 , e:p2 ; o:operator e:f1 ; o:boat e:b1 ; o:runsAllYear true .
e:l2 a o:Line ; rdfs:label "Heron Line" ; o:pier e:p2 , e:p3 ; o:operator e:f1 ; o:boat e:b2 ; o:runsAllYear false .
e:b1 a o:Boat ; rdfs:label "Ilse" ; o:passengerCapacity 120 .
e:b2 a o:Boat ; rdfs:label "Maren" ; o:passengerCapacity 80 .
e:f1 a o:Company ; rdfs:label "Lakeways" ; o:foundingDate "1955-01-01"^^xsd:date .
e:t1 a o:Team ; rdfs:label "Lake Rovers" ; o:playsIn e:g1 . e:g1 a o:League ; rdfs:label "North League" .
e:m1 a o:Person ; rdfs:label "Ida Berg" ; o:hasContract e:k1 ; o:nationality e:no .
e:m2 a o:Person ; rdfs:label "Per Lind" ; o:hasContract e:k2 ; o:nationality e:no .
e:no a o:Country ; rdfs:label "Norway" .
e:k1 a o:Contract ; rdfs:label "contract 1" ; o:weeklyWage 700 .
e:h1 a o:Building ; rdfs:label "Mill House" ; o:buildingName "Old Mill House" ; o:parking true ; o:facility e:s1 .
e:h2 a o:Building ; rdfs:label "Gull House" ; o:buildingName "House of the Gull" ; o:parking false ; o:facility e:s2 .
e:s1 a o:Facility ; rdfs:label "heated pool" . e:s2 a o:Facility ; rdfs:label "garden" .
e:k2 a o:Contract ; rdfs:label "contract 2" ; o:weeklyWage 500 .
"""


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> ChattyEngine:
    path = tmp_path_factory.mktemp("lake") / "lake.ttl"
    path.write_text(LAKE, encoding="utf-8")
    return ChattyEngine(open_kg([str(path)]), RuleModel(RULEBOOK))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("When was the Alder pier opened?", ["1970-05-01"]),
        ("How many passengers used the Swan Line last year?", []),
        ("Does Ida Berg play for Lake Rovers?", []),
        ("Who earns more than 600 euros a week?", ["Ida Berg"]),
        ("Where is Ida Berg from?", ["Norway"]),
        ("Where does Ida Berg come from?", ["Norway"]),
        ("Which pier is the most expensive?", []),
        ("Which pier is the oldest?", ["Alder"]),
        ("Which buildings have a gym?", []),
        ("Which buildings have a garden?", ["Gull House"]),
    ],
)
def test_what_is_asked_of_a_thing_is_not_answered_of_another(
    engine: ChattyEngine, question: str, expected: list[str]
) -> None:
    assert [value.label or value.value for value in engine.answer(question).values] == expected


def test_half_an_answer_is_less_sure(engine: ChattyEngine) -> None:
    whole = engine.answer("When was Alder opened?")
    half = engine.answer("When was Alder opened and when was Birch Castle opened?")
    assert half.values == whole.values
    assert half.confidence <= whole.confidence / 2


def test_two_words_of_their_own_are_not_alike_by_their_letters() -> None:
    assert lexical_similarity("desert", "dessert") < 0.5 < lexical_similarity("elevatn", "elevation")


COMPOUNDS = """
@prefix : <https://club.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:foot rdfs:label "strong foot" . :position rdfs:label "position" .
:keeper a :Position ; rdfs:label "goalkeeper" .
:a a :Player ; rdfs:label "Ann" ; :position :keeper ; :foot "left" .
:b a :Player ; rdfs:label "Bo" ; :position :keeper ; :foot "right" .
"""


@pytest.mark.parametrize("word", ["left-footed", "left-handed"])
def test_a_part_of_a_compound_is_no_value(tmp_path, word):
    (tmp_path / "club.ttl").write_text(COMPOUNDS, encoding="utf-8")
    engine = ChattyEngine(open_kg([str(tmp_path / "club.ttl")]), RuleModel(RULEBOOK))
    assert not engine.answer(f"How many {word} goalkeepers are there?").values
