"""Questions that suppose what a graph does not have are refused: invented names, unnamed things, other verbs."""

from __future__ import annotations

from pathlib import Path

import pytest
from chattyshared.dialogue import Answer, Exchange
from chattyshared.kg.factory import open_kg
from chattyshared.language.tokenizer import tokenize
from chattyshared.model.rules import RuleModel

from chattykg.engine import ChattyEngine
from chattykg.rulebook import RULEBOOK
from chattykg.rulebook.followups.rewriting import is_restricted as restricts

YARD = """
@prefix : <https://yard.example/> . @prefix v: <https://yard.example/v/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
v:Skipper rdfs:label "sailor" . v:Boat rdfs:label "sailing boat" . v:Port rdfs:label "port" .
v:Club rdfs:label "sailing club" .
v:born rdfs:label "date of birth" . v:skipper rdfs:label "skipper" . v:home rdfs:label "home port" .
v:built rdfs:label "year built" . v:owner rdfs:label "owner" . v:length rdfs:label "length" .
:ada a v:Skipper ; rdfs:label "Ada Berg" ; v:born "1980-02-03"^^xsd:date .
:tom a v:Skipper ; rdfs:label "Tom Holt" ; v:born "1990-04-05"^^xsd:date .
:bo a v:Skipper ; rdfs:label "Bo Lind" ; v:born "1970-06-07"^^xsd:date .
:heron a v:Boat ; rdfs:label "Grey Heron" ; v:skipper :ada ; v:home :lund ; v:built 1999 ; v:owner :sc ; v:length 9 .
:tern a v:Boat ; rdfs:label "White Tern" ; v:skipper :tom ; v:home :vik ; v:built 2004 ; v:owner :sc ; v:length 12 .
:gull a v:Boat ; rdfs:label "Old Gull" ; v:skipper :bo ; v:home :vik ; v:built 2010 ; v:owner :rc ; v:length 7 .
:lund a v:Port ; rdfs:label "Lund Quay" . :vik a v:Port ; rdfs:label "Vik Harbour" .
:sc a v:Club ; rdfs:label "South Club" ; v:home :lund . :rc a v:Club ; rdfs:label "Ray Club" ; v:home :vik .
"""


REGION = """
@prefix : <https://region.example/> . @prefix v: <https://region.example/v/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
v:Town rdfs:label "town" . v:District rdfs:label "district" . v:Place rdfs:label "place" . v:Fair rdfs:label "fair" .
v:Line rdfs:label "bus line" . v:Stop rdfs:label "stop of a line" . v:Run rdfs:label "departure" .
v:in rdfs:label "contained in place" . v:site rdfs:label "location" . v:landmark rdfs:label "landmark" .
v:hasStop rdfs:label "has stop" . v:place rdfs:label "place" . v:from rdfs:label "from place" .
v:to rdfs:label "to place" . v:line rdfs:label "line" . v:rank rdfs:label "position" . v:hour rdfs:label "hour" .
:ort a v:Town ; rdfs:label "Ort" ; v:landmark "Old Mill", "Red Gate" .
:north a v:District ; rdfs:label "North Ort" ; v:in :ort . :south a v:District ; rdfs:label "South Ort" ; v:in :ort .
:quay a v:Place ; rdfs:label "Quay" ; v:in :north . :park a v:Place ; rdfs:label "Park" ; v:in :south .
:mart a v:Fair ; rdfs:label "Spring Mart" ; v:site :quay . :show a v:Fair ; rdfs:label "Flower Show" ; v:site :park .
:one a v:Line ; rdfs:label "Line One" ; v:hasStop :s1, :s2 . :two a v:Line ; rdfs:label "Line Two" ; v:hasStop :s3 .
:s1 a v:Stop ; v:place :quay ; v:rank 1 . :s2 a v:Stop ; v:place :park ; v:rank 2 .
:s3 a v:Stop ; v:place :park ; v:rank 1 .
:r1 a v:Run ; v:line :one ; v:from :quay ; v:to :park ; v:hour 8 .
:r2 a v:Run ; v:line :two ; v:from :park ; v:to :quay ; v:hour 9 .
"""


def open_engine(folder: Path, turtle: str) -> ChattyEngine:
    path = folder / "graph.ttl"
    path.write_text(turtle, encoding="utf-8")
    return ChattyEngine(open_kg([str(path)]), RuleModel(RULEBOOK))


@pytest.fixture(scope="module")
def region(tmp_path_factory: pytest.TempPathFactory) -> ChattyEngine:
    return open_engine(tmp_path_factory.mktemp("region"), REGION)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> ChattyEngine:
    return open_engine(tmp_path_factory.mktemp("yard"), YARD)


def said(answer: Answer) -> list[str]:
    return sorted(value.label or value.value for value in answer.values)


def talk(engine: ChattyEngine, *questions: str) -> Answer:
    history: tuple[Exchange, ...] = ()
    for question in questions:
        history += (Exchange(question, engine.answer(question, history)),)
    return history[-1].answer


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("When was Ada Holt born?", "Ada Berg or Tom Holt"), ("Does Bo Berg skipper Old Gull?", "Ada Berg or Bo Lind"),
        ("What is White Heron's home port?", "White Tern or Grey Heron"), ("Who owns the Grey Gull?", "Grey Heron"),
    ],
)  # fmt: skip
def test_a_name_is_no_name_that_shares_a_part_of_it(engine: ChattyEngine, question: str, name: str) -> None:
    answer = engine.answer(question)
    assert said(answer) == [] and any(f"Did you mean {name}" in note for note in answer.notes), answer


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("When was Holt born?", ["1990-04-05"]), ("When was Ada Bergh born?", ["1980-02-03"]),
        ("When was Tim Holt born?", ["1990-04-05"]), ("Who skippers the Heron?", ["Ada Berg"]),
    ],
)  # fmt: skip
def test_a_part_of_a_name_or_a_misspelt_one_is_enough(engine: ChattyEngine, question: str, expected: list[str]) -> None:
    assert said(engine.answer(question)) == expected


@pytest.mark.parametrize(
    ("question", "noun"),
    [
        ("Is the sailing boat longer than the Old Gull?", "sailing boat"), ("When was the sailor born?", "sailor"),
        ("Which club owns the sailing boat?", "sailing boat"),
    ],
)  # fmt: skip
def test_a_noun_of_many_things_names_none_of_them(engine: ChattyEngine, question: str, noun: str) -> None:
    reason = engine.answer(question).reason
    assert reason is not None and (reason.code, f'"the {noun}"' in reason.text) == ("missing-referent", True)


def test_a_noun_stands_for_the_thing_of_the_turn_before(engine: ChattyEngine) -> None:
    assert said(talk(engine, "Who skippers the Old Gull?", "Is the boat longer than White Tern?")) == ["false"]
    assert said(talk(engine, "Who owns Grey Heron?", "How many boats does it own?")) == ["2"]
    owned = talk(engine, "Who owns Grey Heron?", "Which boats is that club the owner of?")
    assert owned.standalone == "Which boats is South Club the owner of?"
    older = talk(engine, "Which boats does Bo Lind skipper?", "Is the skipper older than Tom Holt?")
    assert older.standalone == "Is Bo Lind older than Tom Holt?"
    in_port = talk(engine, "Who owns Grey Heron?", "Is the club in Vik Harbour?")
    assert in_port.standalone == "Is South Club in Vik Harbour?"


@pytest.mark.parametrize("verb", ["repaired", "painted", "moved"])
def test_a_verb_of_no_relation_is_not_another_relation_to_a_year(engine: ChattyEngine, verb: str) -> None:
    reason = engine.answer(f"In what year was Old Gull {verb}?").reason
    assert reason is not None and reason.code == "unknown-relation"
    assert said(engine.answer("In what year was Old Gull built?")) == ["2010"]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Where is North Ort?", ["Ort"]), ("Where is Ort?", []), ("What are the places of Line Two?", ["Park"]),
        ("Which fair takes place at the Quay?", ["Spring Mart"]),
        ("Does Flower Show take place in Quay?", ["false"]),
        ("Which landmarks does Ort have?", ["Old Mill", "Red Gate"]),
    ],
)  # fmt: skip
def test_a_relation_is_followed_in_its_own_direction(region: ChattyEngine, question: str, expected: list[str]) -> None:
    assert said(region.answer(question)) == expected


@pytest.mark.parametrize(
    ("question", "is_restricted"),
    [
        ("Which boat is the club responsible for?", False), ("What is the club known for?", False),
        ("Which is the club responsible for the boat?", True), ("Who runs the club near Lund?", True),
        ("Is the club responsible for boats?", False), ("Is the club of Ada older?", True),
    ],
)  # fmt: skip
def test_an_adjective_with_a_last_preposition_is_said_of_the_noun_before_it(question: str, is_restricted: bool) -> None:
    tokens = tokenize(question)
    at = next(index for index, token in enumerate(tokens) if token.lower == "club")
    assert restricts(tokens, at + 1) is is_restricted


def test_a_unit_asks_for_a_number(tmp_path: Path) -> None:
    prices = """@prefix : <https://p.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    :price rdfs:label "price" . :amount rdfs:label "amount" . :Price rdfs:label "price" .
    """
    for number, name in enumerate(("Grey Lamp", "Red Lamp", "White Lamp")):
        prices += f':l{number} a :Lamp ; rdfs:label "{name}" ; :price :n{number} .'
        prices += f':n{number} a :Price ; :amount {number + 7} ; rdfs:label "{number + 7},00 EUR" .\n'
    lamps = open_engine(tmp_path, prices)
    assert said(lamps.answer("What is the price of Red Lamp in euros?")) == ["8"]


@pytest.mark.parametrize("question", ["When was Grey Heron born?", "What is the date of birth of White Tern?"])
def test_a_measure_of_a_person_is_none_of_what_has_the_person(engine: ChattyEngine, question: str) -> None:
    assert said(engine.answer(question)) == []
