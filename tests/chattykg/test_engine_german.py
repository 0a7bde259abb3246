"""German questions and follow-ups, answered by the rules over a graph with German labels."""

from __future__ import annotations

from pathlib import Path

import pytest
from chattyshared.dialogue import Answer, Exchange
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel

from chattykg.engine import ChattyEngine
from chattykg.rulebook import RULEBOOK

GRAPH = """
@prefix : <https://werft.example/> .
@prefix v: <https://werft.example/v/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
v:C1 rdfs:label "Schiff"@de . v:C2 rdfs:label "Werft"@de . v:C3 rdfs:label "Person"@de . v:C4 rdfs:label "Stadt"@de .
v:P1 rdfs:label "Länge"@de ; rdfs:comment "In Metern."@de .
v:P2 rdfs:label "Baujahr"@de . v:P3 rdfs:label "Werft"@de . v:P4 rdfs:label "Kapitän"@de .
v:P5 rdfs:label "Geburtsort"@de . v:P6 rdfs:label "Standort"@de . v:P7 rdfs:label "Passagiere pro Jahr"@de .
v:P8 rdfs:label "Eigentümer"@de . v:P9 rdfs:label "fahrbereit"@de . v:P10 rdfs:label "Geburtsdatum"@de .
:s1 a v:C1 ; rdfs:label "Möwe"@de ; v:P1 42.5 ; v:P2 "1931"^^xsd:gYear ; v:P3 :w1 ; v:P4 :p1 ; v:P7 900 ; v:P9 true .
:s2 a v:C1 ; rdfs:label "Seeadler"@de ; v:P1 88.0 ; v:P2 "1954"^^xsd:gYear ; v:P3 :w2 ; v:P4 :p2 ; v:P7 5200 ;
  v:P8 :p2 ; v:P9 false .
:s3 a v:C1 ; rdfs:label "Nordlicht"@de ; v:P1 61.0 ; v:P2 "1962"^^xsd:gYear ; v:P3 :w1 ; v:P7 3100 ; v:P9 true .
:w1 a v:C2 ; rdfs:label "Krögerwerft"@de ; v:P6 :t1 . :w2 a v:C2 ; rdfs:label "Lunswerft"@de ; v:P6 :t2 .
:p1 a v:C3 ; rdfs:label "Jette Harms"@de ; v:P5 :t1 ; v:P10 "1970-03-02"^^xsd:date .
:p2 a v:C3 ; rdfs:label "Onno Bracht"@de ; v:P5 :t2 ; v:P10 "1965-11-20"^^xsd:date .
:t1 a v:C4 ; rdfs:label "Wremsiel"@de . :t2 a v:C4 ; rdfs:label "Altenwurth"@de .
"""


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> ChattyEngine:
    path: Path = tmp_path_factory.mktemp("werft") / "werft.ttl"
    path.write_text(GRAPH, encoding="utf-8")
    return ChattyEngine(open_kg([str(path)]), RuleModel(RULEBOOK))


def said(answer: Answer) -> list[str]:
    return sorted(value.label or value.value for value in answer.values)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Wer ist der Kapitän der Möwe?", ["Jette Harms"]),
        ("Wie lang ist die Möwe?", ["42.5"]),
        ("Welche Schiffe sind länger als 42,4 Meter?", ["Möwe", "Nordlicht", "Seeadler"]),
        ("Welche Schiffe sind länger als 60,5 Meter?", ["Nordlicht", "Seeadler"]),
        ("Welche Schiffe sind länger als 50 Meter?", ["Nordlicht", "Seeadler"]),
        ("welches schiff ist am laengsten?", ["Seeadler"]),
        ("Nenne mir alle Schiffe, die nach 1940 gebaut wurden.", ["Nordlicht", "Seeadler"]),
        ("Welche Schiffe haben keinen Kapitän?", ["Nordlicht"]),
        ("Welche Schiffe ohne Eigentümer gibt es?", ["Möwe", "Nordlicht"]),
        ("Wie viele Schiffe gibt es?", ["3"]),
        ("Wo wurde Onno Bracht geboren?", ["Altenwurth"]),
        ("Wann ist Onno Bracht geboren?", ["1965-11-20"]),
        ("In welchem Jahr wurde Onno Bracht geboren?", ["1965"]),
        ("In welcher Stadt liegt die Lunswerft?", ["Altenwurth"]),
        ("Wem gehört die Seeadler?", ["Onno Bracht"]),
        ("Ist die Seeadler länger als die Möwe?", ["true"]),
        ("Welche fahrbereiten Schiffe gibt es?", ["Möwe", "Nordlicht"]),
        ("Welches Schiff hat die meisten Passagiere?", ["Seeadler"]),
        ("Wie lang ist das Schiff, das 1931 gebaut wurde?", ["42.5"]),
        ("Welche Schiffe wurden zwischen 1950 und 1970 gebaut?", ["Nordlicht", "Seeadler"]),
        ("Wer wurde in Wremsiel geboren?", ["Jette Harms"]),
        ("Welche Kapitäne wurden vor 1968 geboren?", ["Onno Bracht"]),
    ],
)
def test_german_questions(engine: ChattyEngine, question: str, expected: list[str]) -> None:
    assert said(engine.answer(question)) == expected


@pytest.mark.parametrize("question", ["Welche roten Schiffe gibt es?", "Wer ist die Tante von Onno Bracht?"])
def test_words_that_the_graph_lacks_are_not_left_out(engine: ChattyEngine, question: str) -> None:
    assert said(engine.answer(question)) == []


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        (["Wer ist der Kapitän der Möwe?", "Wo wurde sie geboren?", "Und wann?"], ["1970-03-02"]),
        (["Wie lang ist die Möwe?", "Und die Seeadler?"], ["88"]),
        (["Welche Schiffe wurden nach 1940 gebaut?", "Welches davon ist länger?"], ["Seeadler"]),
        (["Wie lang ist die Möwe?", "Wer ist ihr Kapitän?"], ["Jette Harms"]),
    ],
)
def test_german_follow_ups(engine: ChattyEngine, turns: list[str], expected: list[str]) -> None:
    history: tuple[Exchange, ...] = ()
    for turn in turns:
        answer = engine.answer(turn, history)
        history = (*history, Exchange(turn, answer))
    assert said(answer) == expected


@pytest.mark.parametrize(
    ("question", "pronoun"),
    [
        ("Wie lang ist sie?", "sie"),
        ("In welcher Stadt wurde er geboren?", "er"),
        ("Welche Schiffe gibt es?", ""),
        ("Welche Werft gibt es, und wo liegt sie?", ""),
        ("Können Sie mir sagen, wie lang die Möwe ist?", ""),
    ],
)
def test_a_pronoun_that_refers_to_nothing_is_asked_about(engine: ChattyEngine, question: str, pronoun: str) -> None:
    answer = engine.answer(question)
    assert (answer.reason is not None) is bool(pronoun)
    if answer.reason is not None:
        assert answer.reason.code == "missing-referent" and f'what "{pronoun}" refers to' in answer.reason.text
