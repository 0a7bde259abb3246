"""Nouns for kinds that the graph lacks are read as its nearest wider class, with a note, unless they assert."""

import pytest
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel

from chattykg.engine import ChattyEngine
from chattykg.rulebook import RULEBOOK

FLEET = """
@prefix e: <http://fleet.example/d/> . @prefix o: <http://fleet.example/o/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
e:v1 a o:Vessel ; rdfs:label "Gannet" ; o:owner e:c1 ; o:passengerCapacity 300 ; o:parkedAt e:b1 .
e:v2 a o:Vessel ; rdfs:label "Petrel" ; o:owner e:c1 ; o:passengerCapacity 90 .
e:v3 a o:Vessel ; rdfs:label "Star" ; o:owner e:c2 ; o:passengerCapacity 240 .
e:c1 a o:Company ; rdfs:label "Bluewake" . e:c2 a o:Company ; rdfs:label "Northline" .
e:b1 a o:Building ; rdfs:label "Mill Hall" ; o:height 20 . e:b2 a o:Building ; rdfs:label "Row Hall" ; o:height 9 .
"""


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> ChattyEngine:
    path = tmp_path_factory.mktemp("fleet") / "fleet.ttl"
    path.write_text(FLEET, encoding="utf-8")
    return ChattyEngine(open_kg([str(path)]), RuleModel(RULEBOOK))


@pytest.mark.parametrize(
    ("question", "noun", "answers"),
    [
        ("Which boats have a passenger capacity of more than 200?", "boats", {"Gannet", "Star"}),
        ("Which ferries does Bluewake own?", "ferries", {"Gannet", "Petrel"}),
        ("How many tankers does Bluewake own?", "tankers", {"2"}),
    ],
)
def test_a_noun_of_a_narrower_kind_is_read_as_the_class_with_a_note(
    engine: ChattyEngine, question: str, noun: str, answers: set[str]
) -> None:
    answer = engine.answer(question)
    assert {value.label or value.value for value in answer.values} == answers
    assert f'"{noun}" is read as vessel: the graph has no narrower class.' in answer.notes


def test_an_empty_answer_has_the_note_too(engine: ChattyEngine) -> None:
    answer = engine.answer("Which boats have a passenger capacity of more than 2000?")
    assert answer.status == "empty"
    assert any(note.startswith('"boats" is read as vessel') for note in answer.notes)


@pytest.mark.parametrize(
    "question",
    ["Is the Gannet a tanker?", "Are there any tankers?", "Which vessels are ferries?", "Which ships are tankers?"],
)
def test_a_narrower_kind_is_not_asserted_of_the_members_of_a_wider_class(engine: ChattyEngine, question: str) -> None:
    assert engine.answer(question).status == "unknown"


def test_a_class_of_the_graph_has_no_note(engine: ChattyEngine) -> None:
    answer = engine.answer("Which vessels does Bluewake own?")
    assert {value.label for value in answer.values} == {"Gannet", "Petrel"}
    assert not answer.notes
