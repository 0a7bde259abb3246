"""Answers over numbers that are written as texts, and over durations: right, or less sure and with a note."""

from __future__ import annotations

from pathlib import Path

import pytest
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel

from chattykg.engine import ChattyEngine
from chattykg.rulebook import RULEBOOK

FILMS = """
@prefix : <http://films.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
:Film rdfs:label "film" . :budget rdfs:label "budget" . :duration rdfs:label "duration" . :gross rdfs:label "gross" .
:Path rdfs:label "path" . :length rdfs:label "length" .
:a a :Film ; rdfs:label "Alpha" ; :budget "$1 billion" ; :gross "5 EUR" ; :duration "PT1H50M"^^xsd:duration .
:b a :Film ; rdfs:label "Bravo" ; :budget "$12.5 million" ; :gross "8 EUR" ; :duration "PT150M"^^xsd:duration .
:c a :Film ; rdfs:label "Charlie" ; :budget "$900,000" ; :gross "7 USD" ; :duration "PT95M"^^xsd:duration .
:p a :Path ; rdfs:label "Ridge Path" ; :length "0.2 km" . :q a :Path ; rdfs:label "Mill Path" ; :length "112 m" .
:r a :Path ; rdfs:label "Lake Path" ; :length "80 m" .
:quartz a skos:Concept ; skos:prefLabel "Quartz" ; skos:broader :mineral . :mineral a skos:Concept ;
  skos:prefLabel "Mineral" .
"""


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> ChattyEngine:
    path: Path = tmp_path_factory.mktemp("films") / "films.ttl"
    path.write_text(FILMS, encoding="utf-8")
    return ChattyEngine(open_kg([str(path)]), RuleModel(RULEBOOK))


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("Which film has the highest budget?", ["Alpha"]),
        ("What is the total budget of all films?", ["1013400000"]),
        ("Which films have a budget of more than 10 million?", ["Alpha", "Bravo"]),
        ("Which path has the greatest length?", ["Ridge Path"]),
        ("Which paths have a length of more than 0.1 km?", ["Mill Path", "Ridge Path"]),
        ("Which films have a duration of more than 2 hours?", ["Bravo"]),
        ("Which films have a duration of less than 100 minutes?", ["Charlie"]),
    ],
)
def test_values_in_several_units_are_compared_in_one(engine: ChattyEngine, question: str, values: list[str]) -> None:
    answer = engine.answer(question)
    assert [value.label or value.value for value in answer.values] == values
    assert all(note.startswith("Compared in ") for note in answer.notes)


def test_a_threshold_says_its_unit(engine: ChattyEngine) -> None:
    answer = engine.answer("Which films have a duration of more than 2 hours?")
    assert answer.notes == ("Compared in seconds.",)


def test_values_that_are_left_out_are_counted_and_make_unsure(engine: ChattyEngine) -> None:
    answer = engine.answer("Which film has the highest gross?")
    assert [value.label for value in answer.values] == ["Bravo"]
    assert answer.confidence < 0.5 and "1 of 3 numbers" in answer.notes[0]


def test_a_name_that_a_reading_leaves_out_is_no_unknown_word(engine: ChattyEngine) -> None:
    answer = engine.answer("What is the broader concept of Quartz?")
    assert answer.reason is not None and answer.reason.text.endswith("belongs to the rest of the question.")
