"""Answers to questions that group, count, compare and point by the noun they ask with, over an invented theatre."""

import pytest
from chattyshared.dialogue import Exchange
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel

from chattykg.engine import ChattyEngine
from chattykg.rulebook import RULEBOOK

THEATRE = """
@prefix e: <http://stage.example/d/> . @prefix o: <http://stage.example/o/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
o:length rdfs:comment "The running time in seconds." .
e:p1 a o:Play ; rdfs:label "The Mill" ; o:director e:ann ; o:music e:bo ; o:released 2003 ; o:stars e:cy ;
  o:length 5400 ; o:prizes 2 ; o:width 900 ; o:height 40 ; o:region "Fen" ; o:country e:nor .
e:p2 a o:Play ; rdfs:label "Night Rain" ; o:director e:ann ; o:music e:cy ; o:released 2018 ; o:stars e:bo , e:cy ;
  o:length 9000 ; o:prizes 0 ; o:width 700 ; o:height 90 ; o:region "Moor" ; o:country e:nor .
e:p3 a o:Play ; rdfs:label "Old Salt" ; o:director e:bo ; o:music e:bo ; o:released 2010 ;
  o:length 3000 ; o:prizes 5 ; o:width 950 ; o:height 80 ; o:region "Fen" ; o:country e:nor ;
  o:backer "Guild of Sail Makers and Painters of Vik" .
e:nor a o:Country ; rdfs:label "Norland" .
e:ann a o:Person ; rdfs:label "Ann Moe" ; o:areaOfExpertise e:dance ; o:dateOfDeath "1990-02-02"^^xsd:date .
e:bo a o:Person ; rdfs:label "Bo Lind" ; o:areaOfExpertise e:dance , e:light ; o:dateOfDeath "1980-05-01"^^xsd:date .
e:cy a o:Person ; rdfs:label "Cy Holm" ; o:citizenship e:nor . e:nor o:area 5000 .
e:dance a o:Skill ; rdfs:label "Dance" . e:light a o:Skill ; rdfs:label "Light" .
e:h1 a o:Hospital ; rdfs:label "Holm Hospital" ; o:teachingHospital true ; o:contract e:c1 , e:c2 ; o:supervisor e:cy .
e:h2 a o:Hospital ; rdfs:label "Vik Hospital" ; o:teachingHospital false ; o:contract e:c2 .
e:h3 a o:Hospital ; rdfs:label "Sund Hospital" ; o:teachingHospital false ; o:contract e:c3 .
e:c1 a o:Firm ; rdfs:label "Alva" ; o:country e:nor ; o:addressLocality "Vik" . e:c2 a o:Firm ; rdfs:label "Berg" .
e:c3 a o:Firm ; rdfs:label "Corp Nine" .
e:f1 a o:Ferry ; rdfs:label "Gull" ; o:passengerCapacity 300 .
e:f2 a o:Ferry ; rdfs:label "Tern" ; o:passengerCapacity 120 .
"""


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    path = tmp_path_factory.mktemp("theatre") / "theatre.ttl"
    path.write_text(THEATRE, encoding="utf-8")
    return open_kg([str(path)])


@pytest.fixture(scope="module")
def engine(kg: KnowledgeGraph) -> ChattyEngine:
    return ChattyEngine(kg, RuleModel(RULEBOOK))


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Which director has the most plays?", ["Ann Moe"]),
        ("Which director worked on the most plays?", ["Ann Moe"]),
        ("Who did the music for The Mill?", ["Bo Lind"]),
        ("Which plays that Bo Lind did the music for were released after 2005?", ["Old Salt"]),
        ("Who starred more than once?", ["Cy Holm"]),
        ("Did Old Salt win more prizes than The Mill?", ["true"]),
        ("Did Old Salt win fewer prizes than The Mill?", ["false"]),
        ("Did Bo Lind die earlier than Ann Moe?", ["true"]),
        ("Which plays are longer than 2 hours?", ["Night Rain"]),
        ("How many plays longer than 60 minutes are there?", ["2"]),
        ("Which plays are wider than 800 and higher than 50?", ["Old Salt"]),
        ('Which of "The Mill", "Night Rain" and "Old Salt" are not from Fen?', ["Night Rain"]),
        ("Which of The Mill and Night Rain in Norland won the most prizes?", ["The Mill"]),
        ("What does Bo Lind know about?", ["Dance", "Light"]),
        ("Who knows about both Dance and Light?", ["Bo Lind"]),
        ("Is Holm Hospital a teaching hospital?", ["true"]),
        ("Which hospitals have contracts with Alva or Berg?", ["Holm Hospital", "Vik Hospital"]),
        ("Which hospitals have contracts with Alva and Berg?", ["Holm Hospital"]),
        ("Which ferry can carry more passengers, Gull or Tern?", ["Gull"]),
        ("In which city is Alva located?", ["Vik"]),
        ("How many countries is Cy Holm a citizen of?", ["1"]),
        ("Is Old Salt backed by Guild of Sail Makers and Painters of Vik?", ["true"]),
    ],
)
def test_answers(engine: ChattyEngine, question: str, answers: list[str]) -> None:
    said = engine.answer(question)
    assert sorted(value.label or value.value for value in said.values) == answers


@pytest.mark.parametrize(
    ("first", "then", "answers"),
    [
        ("How many plays did Ann Moe direct?", "Who has the most?", ["Ann Moe"]),
        ("How many hospitals are there?", "And ferries?", ["2"]),
        ("List all hospitals.", "And ferries?", ["Gull", "Tern"]),
    ],
)
def test_follow_ups(engine: ChattyEngine, first: str, then: str, answers: list[str]) -> None:
    history = (Exchange(first, engine.answer(first)),)
    said = engine.answer(then, history)
    assert sorted(value.label or value.value for value in said.values) == answers
