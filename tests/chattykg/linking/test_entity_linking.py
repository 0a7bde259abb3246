from pathlib import Path

import pytest
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel

from chattykg.engine import ChattyEngine, Settings
from chattykg.rulebook import RULEBOOK

CIRCUS = """
@prefix : <http://circus.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Artist a rdfs:Class ; rdfs:label "artist" . :Town a rdfs:Class ; rdfs:label "town" .
:born rdfs:label "born in" . :act rdfs:label "act" .
:led rdfs:label "led by" ; rdfs:comment "The juggler at the head of the company." ; rdfs:range :Artist .
:Company a rdfs:Class ; rdfs:label "company" . :Lumen a :Company ; rdfs:label "Lumen" ; :led :ida .
:ulm a :Town ; rdfs:label "Ulmen" . :hof a :Town ; rdfs:label "Hofen" .
:ida a :Artist ; rdfs:label "Ida Brandt" ; :born :ulm ; :act "juggler" .
:noa a :Artist ; rdfs:label "Noa Silber" ; :born :ulm ; :act "acrobat" .
:per a :Artist ; rdfs:label "Per Lund" ; :born :hof ; :act "juggler" .
:eli a :Artist ; rdfs:label "Eli Vogt" ; :born :ulm ; :act "clown" .
"""


@pytest.fixture(scope="module")
def circus(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    path: Path = tmp_path_factory.mktemp("circus") / "circus.ttl"
    path.write_text(CIRCUS, encoding="utf-8")
    return open_kg([str(path)])


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Which jugglers were born in Ulmen?", {"Ida Brandt"}),
        ("Which clowns were born in Ulmen?", {"Eli Vogt"}),
        ("How many acrobats were born in Ulmen?", {"1"}),
        ("Which clowns were born in Hofen?", set()),
        ("Which artists were born in Ulmen?", {"Ida Brandt", "Noa Silber", "Eli Vogt"}),
    ],
)
def test_a_noun_that_is_a_value_keeps_its_meaning(circus: KnowledgeGraph, question: str, answers: set[str]) -> None:
    answer = ChattyEngine(circus, RuleModel(RULEBOOK)).answer(question)
    assert {value.label or value.value for value in answer.values} == answers


SELBY = """
@prefix : <http://moor.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Town a rdfs:Class ; rdfs:label "town" . :Horse a rdfs:Class ; rdfs:label "horse" . :age rdfs:label "age" .
:h a :Horse ; rdfs:label "Selby" ; :age 7 . :t a :Town ; rdfs:label "Selby" ; :age 900 .
:p rdfs:label "Selby" ; :age 44 .
"""


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("How old is the town Selby?", ["900"]),
        ("What is the age of the horse Selby?", ["7"]),
        ("How old is Selby?", []),
    ],
)
def test_a_class_before_a_name_says_which_thing_is_meant(question: str, answers: list[str], tmp_path: Path) -> None:
    (tmp_path / "moor.ttl").write_text(SELBY, encoding="utf-8")
    engine = ChattyEngine(open_kg([str(tmp_path / "moor.ttl")]), RuleModel(RULEBOOK), settings=Settings(clarify="ask"))
    assert [value.value for value in engine.answer(question).values] == answers
