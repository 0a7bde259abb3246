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

LEAGUE = """
@prefix : <http://league.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Race rdfs:label "race" . :Rower rdfs:label "rower" . :Season rdfs:label "season" . :Hit rdfs:label "hit" .
:Club rdfs:label "club" . :Country rdfs:label "country" . :Contract rdfs:label "contract" . :Hall rdfs:label "hall" .
:homeHits rdfs:label "hits of the home crew" . :awayHits rdfs:label "hits of the away crew" .
:inSeason rdfs:label "season" . :inRace rdfs:label "in race" . :judge rdfs:label "judge" . :hall rdfs:label "hall" .
:nationality rdfs:label "nationality" . :nickname rdfs:label "nickname" . :built rdfs:label "year built" .
:hasContract rdfs:label "has contract" . :withClub rdfs:label "with club" . :fits rdfs:label "compatible hall" .
:end rdfs:label "end date" .
:r1 a :Race ; rdfs:label "Owls v Trams" ; :homeHits 3 ; :awayHits 1 ; :inSeason :s24 ; :judge :ida ; :hall :quay .
:r2 a :Race ; rdfs:label "Owls v Gulls" ; :homeHits 2 ; :awayHits 4 ; :inSeason :s23 ; :judge :ida ; :hall :mill .
:h1 a :Hit ; :inRace :r1 . :h2 a :Hit ; :inRace :r2 .
:s24 a :Season ; rdfs:label "River Cup 2024" ; :end "2024-06-01"^^xsd:date .
:s23 a :Season ; rdfs:label "River Cup 2023" ; :end "2023-06-02"^^xsd:date .
:ida a :Rower ; rdfs:label "Ida Falk" ; :nationality :no ; :hasContract :c1 .
:per a :Rower ; rdfs:label "Per Moe" ; :nationality :se ; :hasContract :c2 .
:c1 a :Contract ; :withClub :owls . :c2 a :Contract ; :withClub :gulls .
:owls a :Club ; rdfs:label "Owl Rowing" ; :nickname "Citizens" . :gulls a :Club ; rdfs:label "Gull Rowing" .
:no a :Country ; rdfs:label "Norland" . :se a :Country ; rdfs:label "Sudland" .
:quay a :Hall ; rdfs:label "Quay Hall" ; :built 1931 ; :fits :mill .
:mill a :Hall ; rdfs:label "Weavers' Row" ; :built 1952 ; :fits :quay .
"""


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> ChattyEngine:
    path: Path = tmp_path_factory.mktemp("league") / "league.ttl"
    path.write_text(LEAGUE, encoding="utf-8")
    return ChattyEngine(open_kg([str(path)]), RuleModel(RULEBOOK))


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
            "What is Copper Owls's genre?", "folk",
        ),
        (
            ("Which city has the larger area, Vik, N.F. or Lund?", "What landmark does that city have?",
             "What landmark does the other one have?"),
            "What landmark does Lund have?", "Red Gate",
        ),
        (
            ("Which city has the larger area, Vik, N.F. or Lund?", "What landmark does the other city have?"),
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


@pytest.mark.parametrize(
    ("talk", "expected"),
    [
        (("What is the hall of Owls v Gulls?", "How many hits did the away crew have in the race?"), "4"),
        (("Which races did Ida Falk judge?", "Which of them were not in the season River Cup 2024?"), "Owls v Gulls"),
        (("Which of Ida Falk and Per Moe are not citizens of Sudland?",), "Ida Falk"),
        (("What is the nationality of Per Moe?", "Is the rower under contract with Gull Rowing?"), "true"),
        (("When was Quay Hall built?", "What about Weavers' Row?"), "1952"),
        (("Which hall is the hall Quay Hall compatible with?",), "Weavers' Row"),
    ],
)
def test_a_league_is_asked_about(league: ChattyEngine, talk: tuple[str, ...], expected: str) -> None:
    history: tuple[Exchange, ...] = ()
    for question in talk:
        answer = league.answer(question, history)
        history = (*history, Exchange(question, answer))
    assert [value.label or value.value for value in answer.values] == [expected]
