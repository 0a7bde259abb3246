"""What no relation carries the verb of is not answered by the only relation that leads to such a thing."""

from __future__ import annotations

from pathlib import Path

import pytest
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel

from chattykg.engine import ChattyEngine
from chattykg.rulebook import RULEBOOK

COAST = """
@prefix : <http://coast.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Ship rdfs:label "ship" . :City rdfs:label "city" . :District rdfs:label "district" . :Film rdfs:label "film" .
:Person rdfs:label "person" . :Product rdfs:label "product" . :Company rdfs:label "company" .
:Country rdfs:label "country" . :Post rdfs:label "post" .
:passengers rdfs:label "passengers" . :population rdfs:label "population" . :locatedIn rdfs:label "located in" .
:setIn rdfs:label "set in" . :author rdfs:label "author" . :shotIn rdfs:label "filming location" .
:owner rdfs:label "owner" . :madeIn rdfs:label "made in" . :office rdfs:label "office" .
:role rdfs:label "role" . :holder rdfs:label "holder" . :vessel rdfs:label "vessel" . :since rdfs:label "since" .
:aurora a :Ship ; rdfs:label "MS Aurora" ; :passengers 400 ; :owner :nord .
:boreas a :Ship ; rdfs:label "MS Boreas" ; :passengers 250 ; :owner :nord .
:oslo a :City ; rdfs:label "Oslo" ; :population 700000 . :bergen a :City ; rdfs:label "Bergen" ; :population 280000 .
:no a :Country ; rdfs:label "Norway" . :se a :Country ; rdfs:label "Sweden" .
:hd a :District ; rdfs:label "Harbour District" ; :locatedIn :oslo .
:od a :District ; rdfs:label "Old District" ; :locatedIn :bergen .
:storm a :Film ; rdfs:label "The Storm" ; :setIn :bergen ; :author :bob .
:calm a :Film ; rdfs:label "The Calm" ; :setIn :oslo ; :author :ann ; :shotIn :bergen .
:ann a :Person ; rdfs:label "Ann Berg" . :bob a :Person ; rdfs:label "Bob Dahl" .
:nord a :Company ; rdfs:label "Nordline" ; :office :hd . :sud a :Company ; rdfs:label "Sudline" ; :office :od .
:lamp a :Product ; rdfs:label "Blue Lamp" ; :madeIn :no . :chair a :Product ; rdfs:label "Red Chair" ; :madeIn :se .
:captain rdfs:label "captain" . :cook rdfs:label "cook" .
:p1 a :Post ; :role :captain ; :holder :ann ; :vessel :boreas ; :since 2019 .
:p2 a :Post ; :role :cook ; :holder :bob ; :vessel :boreas ; :since 2020 .
"""


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> ChattyEngine:
    path: Path = tmp_path_factory.mktemp("coast") / "coast.ttl"
    path.write_text(COAST, encoding="utf-8")
    return ChattyEngine(open_kg([str(path)]), RuleModel(RULEBOOK))


@pytest.mark.parametrize(
    "question",
    [
        "How many people sang in Oslo?",
        "How many singers live in Oslo?",
        "How many passengers died on MS Aurora?",
        "Who lives in Harbour District?",
        "Who sang in Harbour District?",
        "Where is the Blue Lamp sold?",
        "In which country is the Blue Lamp sold?",
        "In how many countries is the Blue Lamp sold?",
        "Where was The Storm filmed?",
        "Who wrote Oslo?",
        "What is the name of the captain of MS Aurora?",
    ],
)
def test_a_verb_that_no_relation_carries_is_not_answered(engine: ChattyEngine, question: str) -> None:
    assert engine.answer(question).values == ()


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many people live in Oslo?", ["700000"]),
        ("How many passengers can MS Aurora carry?", ["400"]),
        ("In which country was the Blue Lamp made?", ["Norway"]),
        ("In which country was the Blue Lamp produced?", ["Norway"]),
        ("Where was The Calm filmed?", ["Bergen"]),
        ("Where is The Storm set?", ["Bergen"]),
        ("Who wrote The Storm?", ["Bob Dahl"]),
        ("Which districts are in Oslo?", ["Harbour District"]),
        ("What is the name of the captain of MS Boreas?", ["Ann Berg"]),
    ],
)
def test_a_verb_that_a_relation_carries_is_answered(engine: ChattyEngine, question: str, expected: list[str]) -> None:
    assert [value.label or value.value for value in engine.answer(question).values] == expected
