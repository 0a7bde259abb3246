"""Answers to questions as people put them, over an invented harbour: averages, alternatives, kinds, roles, manners."""

import pytest
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel

from chattykg.engine import ChattyEngine
from chattykg.rulebook import RULEBOOK

HARBOUR = """
@prefix e: <http://harbour.example/d/> . @prefix o: <http://harbour.example/o/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
e:s1 a o:Ship ; rdfs:label "Gannet" ; o:kind "ferry" ; o:colour "red" ; o:length 120 ; o:captain e:liv ; o:berth e:q1 ;
  o:lifeboat true ; o:loadingEnd e:june ; o:calledAt e:q1 ; o:cargo "salt" , "hay" ; o:runtime 95 ; o:flag e:no .
e:s2 a o:Ship ; rdfs:label "Petrel" ; o:kind "ferry" ; o:colour "blue" ; o:length 90 ; o:captain e:ole ; o:berth e:q2 ;
  o:lifeboat false ; o:loadingEnd e:july ; o:calledAt e:q1 , e:q2 ; o:cargo "salt" ; o:runtime 140 ; o:flag e:dk .
e:s3 a o:Ship ; rdfs:label "Star" ; o:kind "tanker" ; o:colour "green" ; o:length 240 ; o:captain e:ann ; o:berth e:q2 ;
  o:lifeboat true ; o:loadingEnd e:june ; o:status "in dock" ; o:runtime 110 ; o:flag e:no .
e:june a o:Month ; rdfs:label "June" . e:july a o:Month ; rdfs:label "July" .
e:no a o:Country ; rdfs:label "Norway" . e:dk a o:Country ; rdfs:label "Denmark" .
e:q1 a o:Quay ; rdfs:label "North Quay" . e:q2 a o:Quay ; rdfs:label "Fish Quay" .
e:liv a o:Person ; rdfs:label "Liv Dahl" ; o:birthDate "1970-02-02"^^xsd:date ; o:nationality e:no ; o:gender "female" .
e:ole a o:Person ; rdfs:label "Ole Krog" ; o:birthDate "1985-07-17"^^xsd:date ; o:nationality e:dk ; o:gender "male" .
e:ann a o:Person ; rdfs:label "Ann Moe" ; o:birthDate "1959-12-01"^^xsd:date ; o:nationality e:no ; o:gender "female" .
e:jon a o:Person ; rdfs:label "Jon Vik" ; o:birthDate "1940-01-01"^^xsd:date ; o:nationality e:no ; o:gender "male" .
"""


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    path = tmp_path_factory.mktemp("harbour") / "harbour.ttl"
    path.write_text(HARBOUR, encoding="utf-8")
    return open_kg([str(path)])


@pytest.fixture(scope="module")
def engine(kg: KnowledgeGraph) -> ChattyEngine:
    return ChattyEngine(kg, RuleModel(RULEBOOK))


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Which ships are longer than average?", ["Star"]),
        ("Which ships have a length below the average of all ships?", ["Gannet", "Petrel"]),
        ("Is Star longer than the average ship?", ["true"]),
        ("Which ships are no longer than 120?", ["Gannet", "Petrel"]),
        ("Which ships run at least 110 minutes?", ["Petrel", "Star"]),
        ("Which ships are red or blue?", ["Gannet", "Petrel"]),
        ("How many red or green ships are there?", ["2"]),
        ("List all ferries.", ["Gannet", "Petrel"]),
        ("What is the longest ferry?", ["Gannet"]),
        ("Which ships have a lifeboat?", ["Gannet", "Star"]),
        ("Which ships don't have a lifeboat?", ["Petrel"]),
        ("Which ships stop loading in June?", ["Gannet", "Star"]),
        ("Which ships are in dock?", ["Star"]),
        ("At which quay does Star lie?", ["Fish Quay"]),
        ("Which ships have at least two cargoes?", ["Gannet"]),
        ("Who is the oldest captain?", ["Ann Moe"]),
        ("How many captains are from Norway?", ["2"]),
        ("Which captains are women?", ["Ann Moe", "Liv Dahl"]),
        ("Which ships called at North Quay but not Fish Quay?", ["Gannet"]),
        ("I hope you are well! Could you perhaps tell me where the Star is berthed? Thanks!", ["Fish Quay"]),
    ],
)
def test_question_is_answered(engine: ChattyEngine, question: str, answers: list[str]) -> None:
    answer = engine.answer(question)
    assert sorted(value.label or value.value for value in answer.values) == answers


def test_mean_is_taken_over_things_of_the_kind_that_is_asked_for(engine: ChattyEngine) -> None:
    """The mean of the ferries, 105, and not that of all ships, 150."""
    answer = engine.answer("Which ferries are longer than average?")
    assert [value.label for value in answer.values] == ["Gannet"]
