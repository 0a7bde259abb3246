"""Graphs as strangers make them: nested nodes, lists, numbers as text, ontologies, files of Wikibase, ancient dates."""

from __future__ import annotations

from pathlib import Path

import pytest
from chattyshared.dialogue import Answer
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel
from click.testing import CliRunner

from chattygen.cli import main as generate_main
from chattykg.cli import main
from chattykg.engine import ChattyEngine
from chattykg.rulebook import RULEBOOK

PREFIXES = """@prefix : <http://ships.example/> . @prefix l: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
"""
NESTED = """
:Ship l:label "ship" . :captain l:label "captain" . :crew l:label "crew" . :born l:label "place of birth" .
:Person l:label "person" .
:argo a :Ship ; l:label "Argo" ; :captain [ a :Person ; l:label "Ida Moe" ; :born :oslo ] ; :crew ( :p :q ) .
:vega a :Ship ; l:label "Vega" ; :captain [ a :Person ] ; :crew ( ( :p ) ) .
:p a :Person ; l:label "Per Dahl" . :q a :Person ; l:label "Eva Lund" . :oslo l:label "Oslo" .
"""
TEXTS = """
:Town l:label "town" . :population l:label "population" . :fee l:label "fee" . :code l:label "code" .
:a a :Town ; l:label "Alton" ; :population "1,234" ; :fee "5 EUR" ; :code "A-1" .
:b a :Town ; l:label "Belham" ; :population "12,000" ; :fee "12 EUR" ; :code "B" .
:c a :Town ; l:label "Corby" ; :population "50" ; :fee "free" ; :code "7" .
"""
BOATS = """
:Vessel a owl:Class . :Boat a owl:Class ; l:subClassOf :Vessel . :Dinghy a owl:Class ; l:subClassOf :Boat .
"""
ANCIENT = """
:Battle l:label "battle" . :date l:label "date" . :Film l:label "film" . :duration l:label "duration" .
:a a :Battle ; l:label "Actium" ; :date "-0031"^^xsd:gYear .
:p a :Battle ; l:label "Philippi" ; :date "-0042"^^xsd:gYear .
:h a :Battle ; l:label "Hastings" ; :date "1066"^^xsd:gYear .
:f a :Film ; l:label "Alpha" ; :duration "PT1H50M"^^xsd:duration .
:g a :Film ; l:label "Beta" ; :duration "PT95M"^^xsd:duration .
"""
WINES = """
:Wine a owl:Class ; l:label "wine" . :maker a owl:ObjectProperty ; l:label "made by" .
:Red a owl:Class ; l:subClassOf [ a owl:Restriction ; owl:onProperty :maker ] .
:White a owl:Class ; l:subClassOf [ a owl:Restriction ; owl:onProperty :maker ] .
:r a :Red ; l:label "Foxen Red" ; :maker :foxen . :w a :White ; l:label "Foxen White" ; :maker :foxen .
:foxen l:label "Foxen" .
"""


@pytest.fixture
def ask(tmp_path: Path):
    def asked(turtle: str, question: str) -> Answer:
        path = tmp_path / "graph.ttl"
        path.write_text(PREFIXES + turtle, encoding="utf-8")
        return ChattyEngine(open_kg([str(path)]), RuleModel(RULEBOOK)).answer(question)

    return asked


@pytest.mark.parametrize(
    ("turtle", "question", "texts"),
    [
        (NESTED, "Who is the captain of Argo?", ["Ida Moe"]),
        (NESTED, "Where was Ida Moe born?", ["Oslo"]),
        (NESTED, "Who is in the crew of Argo?", ["Eva Lund", "Per Dahl"]),
        (NESTED, "Is Eva Lund in the crew of Vega?", ["no"]),
        (NESTED, "How many people are there?", ["4"]),
        (TEXTS, "Which town has the largest population?", ["Belham"]),
        (TEXTS, "Which towns have a population of more than 1000?", ["Alton", "Belham"]),
        (TEXTS, "What is the total population of the towns?", ["13284"]),
        (TEXTS, "What is the fee of Alton?", ["5 EUR"]),
        (ANCIENT, "Which battle was in 42 BC?", ["Philippi"]),
        (ANCIENT, "Which battles were before 35 BC?", ["Philippi"]),
        (ANCIENT, "Which battles were in the 1st century BC?", ["Actium", "Philippi"]),
        (ANCIENT, "Which film has the longest duration?", ["Alpha"]),
        (BOATS, "Is a dinghy a vessel?", ["yes"]),
        (BOATS, "Are dinghies boats?", ["yes"]),
        (BOATS, "Is a vessel a dinghy?", ["no"]),
    ],
)
def test_a_graph_is_read_as_it_is_meant(ask, turtle: str, question: str, texts: list[str]):
    assert [value.text for value in ask(turtle, question).values] == texts


def test_what_has_no_name_is_no_answer(ask):
    answer = ask(NESTED, "Who is the captain of Vega?")
    assert not answer.values and "has no name" in answer.explanation


def test_texts_that_are_no_numbers_are_left_out_with_a_note(ask):
    answer = ask(TEXTS, "Which town has the highest fee?")
    assert [value.text for value in answer.values] == ["Belham"]
    assert "1 of 3 values in the graph are no numbers, and left out." in answer.notes


def test_values_that_a_list_repeats_are_summed_with_a_note(ask):
    scores = ':ann a :Player ; l:label "Ann" ; :score {} . :bob a :Player ; l:label "Bob" ; :score (3 5) .'
    assert 'The values of "score" are lists, of which an equal value counts once.' in (
        ask(scores.format("(4 8 4)"), "What is the total score of Ann?").notes
    )
    assert not ask(scores.format("(4 8)"), "What is the total score of Ann?").notes


def test_texts_without_one_reading_are_not_compared(ask):
    assert not ask(TEXTS, "Which town has the highest code?").values


def test_durations_are_compared_with_a_number_of_a_unit(ask):
    answer = ask(ANCIENT, "Which films have a duration of more than 100 minutes?")
    assert [value.text for value in answer.values] == ["Alpha"]


def test_a_class_without_things_is_left_out_with_a_note(ask):
    answer = ask(WINES, "Which wines are made by Foxen?")
    assert [value.text for value in answer.values] == ["Foxen Red", "Foxen White"]
    assert any("nothing to be a wine" in note for note in answer.notes)


def test_a_refusal_says_what_is_not_read_of_an_ontology(ask):
    answer = ask(WINES, "Which grapes does the Merlot have?")
    assert any("2 restrictions are not read" in note for note in answer.notes)


def test_evidence_has_labels(tmp_path: Path):
    (tmp_path / "graph.ttl").write_text(PREFIXES + NESTED, encoding="utf-8")
    shown = CliRunner().invoke(
        main, ["answer", "--kg", str(tmp_path / "graph.ttl"), "How many people are in the crew of Argo?"]
    )
    assert "Argo, crew, Eva Lund" in shown.output


def test_types_promise_what_can_be_planned(tmp_path: Path):
    (tmp_path / "graph.ttl").write_text(PREFIXES + NESTED, encoding="utf-8")
    shown = CliRunner().invoke(generate_main, ["types", "--kg", str(tmp_path / "graph.ttl")])
    assert shown.output.count("can carry 5 turns") == 2
    assert shown.output.count("seeds with") == 1


WIKIBASE = """@prefix wd: <http://www.wikidata.org/entity/> . @prefix wdt: <http://www.wikidata.org/prop/direct/> .
@prefix s: <http://schema.org/> . @prefix w: <http://wikiba.se/ontology#> .
wd:Q1 a w:Item ; l:label "Eiffel Tower" ; wdt:P31 wd:Q2 ; wdt:P2048 330 . wd:Q2 a w:Item ; l:label "tower" .
wd:P31 a w:Property ; l:label "instance of" ; w:directClaim wdt:P31 .
wd:P2048 a w:Property ; l:label "height" ; w:directClaim wdt:P2048 .
<https://en.example/Eiffel_Tower> a s:Article ; s:about wd:Q1 ; s:name "Eiffel Tower" .
<https://fr.example/Eiffel_Tower> a s:Article ; s:about wd:Q1 ; s:name "Eiffel Tower" .
"""


def test_a_file_of_one_item_has_the_class_that_it_states(ask, tmp_path: Path):
    assert [value.text for value in ask(WIKIBASE, "How many towers are there?").values] == ["1"]
    kg = open_kg([str(tmp_path / "graph.ttl")])
    assert [(each.label, each.count) for each in kg.types()] == [("tower", 1)]
    assert [hit.iri for hit in kg.search(["Eiffel Tower"])["Eiffel Tower"]] == ["http://www.wikidata.org/entity/Q1"]
