"""Follow-ups over a small graph: each reference stands for the thing that can have what is asked."""

from __future__ import annotations

from pathlib import Path

import pytest
from chattyshared.dialogue import Exchange
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel

from chattykg.engine import ChattyEngine
from chattykg.rulebook import RULEBOOK

FJORD = """
@prefix : <http://fjord.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Person rdfs:label "person" . :Organization rdfs:label "organization" . :Vessel rdfs:label "vessel" .
:City rdfs:label "city" .
:Museum rdfs:label "museum" . :Country rdfs:label "country" . :Band rdfs:label "band" . :Stage rdfs:label "stage" .
:Genre rdfs:label "genre" .
:memberOf rdfs:label "member of" . :owner rdfs:label "owned by" . :inCity rdfs:label "located in" .
:country rdfs:label "country" . :founded rdfs:label "founding year" .
:area rdfs:label "area" . :manager rdfs:label "manager" . :height rdfs:label "height" .
:plays rdfs:label "performs at" . :genre rdfs:label "genre" . :formed rdfs:label "year formed" .
:email rdfs:label "email address" . :length rdfs:label "length" . :landmark rdfs:label "landmark" .
:ada a :Person ; rdfs:label "Ada Berg" ; :memberOf :lake ; :height 181 .
:bo a :Person ; rdfs:label "Bo Lind" ; :memberOf :coast ; :height 175 .
:lake a :Organization ; rdfs:label "Lakeways" ; :email "info@lake.example" .
:coast a :Organization ; rdfs:label "Coastways" ; :email "info@coast.example" .
:heron a :Vessel ; rdfs:label "MF Heron" ; :owner :lake ; :manager :ada ; :length 30 .
:tern a :Vessel ; rdfs:label "MF Tern" ; :owner :lake ; :manager :bo ; :length 20 .
:gull a :Vessel ; rdfs:label "MF Gull" ; :owner :coast ; :manager :bo ; :length 25 .
:glass a :Museum ; rdfs:label "Glass Museum" ; :inCity :vik ; :founded 1929 .
:ship a :Museum ; rdfs:label "Ship Museum" ; :inCity :lund ; :founded 1950 .
:vik a :City ; rdfs:label "Vik, N.F." ; :country :no ; :area 80 ; :landmark "Old Mill" .
:lund a :City ; rdfs:label "Lund" ; :country :se ; :area 26 ; :landmark "Red Gate" .
:no a :Country ; rdfs:label "Norway" . :se a :Country ; rdfs:label "Sweden" .
:owls a :Band ; rdfs:label "Copper Owls" ; :plays :quay ; :genre :folk ; :formed 2011 .
:tram a :Band ; rdfs:label "Velvet Tram" ; :plays :park ; :genre :rock ; :formed 2015 .
:quay a :Stage ; rdfs:label "Quay Stage" . :park a :Stage ; rdfs:label "Park Stage" .
:folk a :Genre ; rdfs:label "folk" . :rock a :Genre ; rdfs:label "rock" .
"""


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> ChattyEngine:
    path: Path = tmp_path_factory.mktemp("fjord") / "fjord.ttl"
    path.write_text(FJORD, encoding="utf-8")
    return ChattyEngine(open_kg([str(path)]), RuleModel(RULEBOOK))


WHICH_CITY = "Which city is Glass Museum in?"
LAKEWAYS_OWNS = "Which vessels does Lakeways own?"


@pytest.mark.parametrize(
    ("talk", "standalone", "expected"),
    [
        ((WHICH_CITY, "Which country is its city in?"), "Which country is Glass Museum's city in?", "Norway"),
        (
            ("Who owns MF Heron?", "What is the email address of its owner?"),
            "What is the email address of MF Heron's owner?", "info@lake.example",
        ),
        (
            ("Which organization is Bo Lind a member of?", "Which vessels does the organization own?"),
            "Which vessels does Coastways own?", "MF Gull",
        ),
        (("How long is MF Heron?", "And is the vessel owned by Lakeways?"), "Is MF Heron owned by Lakeways?", "true"),
        (
            (WHICH_CITY, "How large is the city in square kilometers?"),
            'How large is "Vik, N.F." in square kilometers?', "80",
        ),
        (
            (LAKEWAYS_OWNS, "Which of them is the shortest?", "Which person manages that vessel?"),
            "Which person manages MF Tern?", "Bo Lind",
        ),
        (
            (LAKEWAYS_OWNS, "How long is the second one?", "Who manages the first vessel?"),
            "Who manages MF Heron?", "Ada Berg",
        ),
        (
            ("How tall is Ada Berg?", "Is the person a member of Lakeways?", "Are they taller than Bo Lind?"),
            "Are Ada Berg taller than Bo Lind?", "true",
        ),
        (
            ("Which stage does Copper Owls perform at?", "When was the band formed?", "What is their genre?"),
            "What is the genre of Copper Owls?", "folk",
        ),
        (
            ("Which city has the larger area, Vik, N.F. or Lund?", "What landmark does that city have?",
             "What landmark does the other one have?"),
            "What landmark does Lund have?", "Red Gate",
        ),
    ],
)  # fmt: skip
def test_a_reference_is_resolved(engine: ChattyEngine, talk: tuple[str, ...], standalone: str, expected: str) -> None:
    history: tuple[Exchange, ...] = ()
    for question in talk:
        answer = engine.answer(question, history)
        history = (*history, Exchange(question, answer))
    assert answer.standalone == standalone
    assert [value.label or value.value for value in answer.values] == [expected]


def test_a_relative_clause_ends_with_its_adjective_and_preposition(engine: ChattyEngine) -> None:
    answer = engine.answer("the shortest vessel that Lakeways does have")
    assert [value.label for value in answer.values] == ["MF Tern"]
