"""Questions with several readings are asked back, answered with a note, or refused; replies to them are resolved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from chattyshared.dialogue import Answer, Exchange, History
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel

from chattykg.engine import ChattyEngine, Settings
from chattykg.rulebook import RULEBOOK
from chattykg.settings import ClarifyMode

TURTLE = """
@prefix : <https://towns.example/> . @prefix v: <https://towns.example/vocab/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
v:Town a rdfs:Class ; rdfs:label "town"@en . v:Ship a rdfs:Class ; rdfs:label "ship"@en .
v:Country a rdfs:Class ; rdfs:label "country"@en . v:Person a rdfs:Class ; rdfs:label "person"@en .
v:country rdfs:label "country"@en . v:population rdfs:label "population"@en . v:mayor rdfs:label "mayor"@en .
v:length rdfs:label "length"@en . v:harbour rdfs:label "home harbour"@en . v:dayPrice rdfs:label "price per day"@en .
v:weekPrice rdfs:label "price per week"@en . v:founder rdfs:label "founder"@en .
:paris1 a v:Town ; rdfs:label "Paris"@en ; v:country :fr ; v:population 2100000 ; v:mayor :ann ; v:founder :cid .
:paris2 a v:Town ; rdfs:label "Paris"@en ; v:country :us ; v:population 24000 ; v:mayor :bob ; v:founder :cid .
:rouen a v:Town ; rdfs:label "Rouen"@en ; v:country :fr ; v:population 110000 ; v:mayor :cid .
:tours a v:Town ; rdfs:label "Tours"@en ; v:country :fr ; v:population 136000 .
:fr a v:Country ; rdfs:label "France"@en . :us a v:Country ; rdfs:label "Texas"@en .
:ann a v:Person ; rdfs:label "Ann Lee"@en . :bob a v:Person ; rdfs:label "Bob Ray"@en .
:cid a v:Person ; rdfs:label "Cid Ulm"@en . :rouen2 a v:Ship ; rdfs:label "Rouen"@en ; v:length 44.0 ;
  v:harbour :tours ; v:dayPrice 120.0 ; v:weekPrice 700.0 .
:comet a v:Ship ; rdfs:label "Comet"@en ; v:length 30.5 ; v:dayPrice 90.0 ; v:weekPrice 500.0 .
"""


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> ChattyEngine:
    path: Path = tmp_path_factory.mktemp("towns") / "towns.ttl"
    path.write_text(TURTLE, encoding="utf-8")
    return ChattyEngine(open_kg([str(path)]), RuleModel(RULEBOOK), settings=Settings(clarify="ask"))


def with_mode(engine: ChattyEngine, mode: ClarifyMode) -> ChattyEngine:
    return ChattyEngine(engine.kg, RuleModel(RULEBOOK), settings=Settings(clarify=mode))


def talk(engine: ChattyEngine, *questions: str) -> Answer:
    """Ask the questions as one conversation and return the last answer."""
    history: History = ()
    for question in questions:
        history = (*history, Exchange(question, engine.answer(question, history)))
    return history[-1].answer


def values(answer: Answer) -> list[str]:
    return [value.label or value.value for value in answer.values]


def test_two_things_of_one_name_are_asked_back(engine: ChattyEngine) -> None:
    answer = engine.answer("What is the population of Paris?")
    assert (answer.status, answer.values, answer.reason) == ("clarification", (), None)
    assert answer.clarification is not None
    assert [one.label for one in answer.clarification.options] == ["Paris (France)", "Paris (Texas)"]
    assert answer.explanation == 'Which one do you mean by "Paris"?'


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("the one in France", "2100000"), ("Texas, please", "24000"), ("the second", "24000"), ("1", "2100000"),
        ("the last one", "24000"), ("Paris (Texas)", "24000"), ("the former", "2100000"),
        ("sorry, I mean the one with mayor Bob Ray", "24000"),
    ],
)  # fmt: skip
def test_a_reply_resolves_the_question_that_was_asked_back(engine: ChattyEngine, reply: str, expected: str) -> None:
    answer = talk(engine, "What is the population of Paris?", reply)
    assert values(answer) == [expected]
    assert answer.standalone == "What is the population of Paris?"
    assert answer.notes[0].endswith("is meant.")


@pytest.mark.parametrize("reply", ["Who is the mayor of Rouen?", "How long is the Comet?"])
def test_anything_else_is_a_new_question(engine: ChattyEngine, reply: str) -> None:
    assert values(talk(engine, "What is the population of Paris?", reply)) == values(engine.answer(reply)) != []


def test_what_was_chosen_stays_chosen(engine: ChattyEngine) -> None:
    assert values(talk(engine, "What is the population of Paris?", "Texas", "Who is its mayor?")) == ["Bob Ray"]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who is the founder of Paris?", ["Cid Ulm"]),  # both have the same
        ("Who is the mayor of Rouen?", ["Cid Ulm"]),  # the ship has none
        ("What is the length of Rouen?", ["44"]),
        ("Who is the mayor of Paris, France?", ["Ann Lee"]),
        ("Is Paris in France?", ["true"]),
    ],
)  # fmt: skip
def test_nothing_is_asked_where_the_answer_is_the_same(
    engine: ChattyEngine, question: str, expected: list[str]
) -> None:
    assert values(engine.answer(question)) == expected


def test_the_best_answer_has_a_note_and_less_confidence(engine: ChattyEngine) -> None:
    best = with_mode(engine, "best").answer("What is the population of Paris?")
    sure = engine.answer("What is the population of Rouen?")
    assert values(best) == ["2100000", "24000"] and best.confidence < sure.confidence / 1.5
    assert best.notes == (
        '"Paris" may mean Paris (France) or Paris (Texas), and the answers differ; this one is for all of them.',
    )


def test_a_question_with_several_readings_can_be_refused(engine: ChattyEngine) -> None:
    answer = with_mode(engine, "refuse").answer("What is the population of Paris?")
    assert answer.status == "unknown" and answer.reason is not None and answer.reason.code == "ambiguous"
    assert [one.label for one in answer.options] == ["Paris (France)", "Paris (Texas)"]
    assert answer.explanation == answer.reason.text and answer.suggestions == ()


def test_two_measures_of_one_thing_are_asked_back(engine: ChattyEngine) -> None:
    answer = engine.answer("What is the price of the Comet?")
    assert answer.clarification is not None
    assert {one.label for one in answer.clarification.options} == {"price per day", "price per week"}
    assert values(talk(engine, "What is the price of the Comet?", "a week")) == ["500"]


@pytest.mark.parametrize(("question", "name", "expected"), [
    ("How long is it?", "Comet", "30.5"), ("What is its length?", "I mean the Comet", "30.5"),
    ("What is the population?", "Tours", "136000"),
])  # fmt: skip
def test_a_missing_referent_is_asked_for(engine: ChattyEngine, question: str, name: str, expected: str) -> None:
    answer = engine.answer(question)
    assert answer.clarification is not None and answer.clarification.options == ()
    assert values(talk(engine, question, name)) == [expected]
    refused = with_mode(engine, "best").answer(question)
    assert refused.reason is not None and refused.reason.code == "missing-referent"


def test_a_named_referent_of_two_things_is_asked_back_in_turn(engine: ChattyEngine) -> None:
    first = talk(engine, "What is the population?", "Paris")
    assert first.clarification is not None and len(first.clarification.options) == 2
    assert values(talk(engine, "What is the population?", "Paris", "the one in Texas")) == ["24000"]


CORRECTIONS = [
    ("Paris (Texas)", ["24000"]), ("No, I meant Paris (Texas).", ["24000"]), ("No, I meant Paris, Texas", ["24000"]),
    ("the one in France", ["2100000"]), ("No, the second one.", ["24000"]), ("2", ["24000"]),
    ("I was asking about the one with mayor Bob Ray", ["24000"]),
    ("No, I meant Paris (mayor Bob Ray). What is the population of Paris?", ["24000"]),
    ("No, I meant Paris (Texas). Who is its mayor?", ["Bob Ray"]),
    ("I mean Paris (France). Is it in Texas?", ["false"]),
]  # fmt: skip


@pytest.mark.parametrize("mode", ["best", "refuse"])
@pytest.mark.parametrize(("reply", "expected"), CORRECTIONS)
def test_a_correction_chooses_as_a_reply_does(
    engine: ChattyEngine, mode: ClarifyMode, reply: str, expected: list[str]
) -> None:
    assert values(talk(with_mode(engine, mode), "What is the population of Paris?", reply)) == expected


@pytest.mark.parametrize("mode", ["best", "refuse"])
def test_a_correction_holds_for_the_rest_of_the_conversation(engine: ChattyEngine, mode: ClarifyMode) -> None:
    questions = ("What is the population of Paris?", "No, I meant Paris (Texas).", "Who is the mayor of Paris?")
    assert values(talk(with_mode(engine, mode), *questions)) == ["Bob Ray"]


@pytest.mark.parametrize("mode", ["best", "refuse"])
def test_a_correction_chooses_a_measure(engine: ChattyEngine, mode: ClarifyMode) -> None:
    question = "What is the price of the Comet?"
    for reply in ("I meant the price per week", f"No, I meant the price per week. {question}"):
        assert values(talk(with_mode(engine, mode), question, reply)) == ["500"]


@pytest.mark.parametrize("mode", ["ask", "best", "refuse"])
def test_a_choice_holds_for_all_questions_of_a_turn(engine: ChattyEngine, mode: ClarifyMode) -> None:
    question = "What is the population of Paris, and who is its mayor?"
    assert values(talk(with_mode(engine, mode), question, "I meant the Texas one")) == ["24000", "Bob Ray"]


@pytest.mark.parametrize("mode", ["best", "refuse"])
def test_the_last_correction_counts(engine: ChattyEngine, mode: ClarifyMode) -> None:
    questions = (
        "What is the population of Paris?", "Paris (Texas)", "What is the population of Paris, France?",
        "Who is the mayor of Paris?",
    )  # fmt: skip
    assert values(talk(with_mode(engine, mode), *questions)) == ["Ann Lee"]


@pytest.mark.parametrize(
    ("follow_up", "expected"),
    [
        ("And of Rouen?", ["110000"]), ("Who is the mayor of Rouen?", ["Cid Ulm"]), ("No, I meant Rouen", ["110000"]),
        ("Rouen", ["110000"]),
    ],
)  # fmt: skip
def test_a_noted_answer_is_followed_up_as_any_other(engine: ChattyEngine, follow_up: str, expected: list[str]) -> None:
    assert values(talk(with_mode(engine, "best"), "What is the population of Paris?", follow_up)) == expected


@pytest.mark.parametrize("mode", ["best", "refuse"])
def test_a_reply_that_fits_no_option_chooses_none(engine: ChattyEngine, mode: ClarifyMode) -> None:
    answer = talk(with_mode(engine, mode), "What is the population of Paris?", "No, I meant the one in Norway")
    assert not answer.values and not any("is meant" in note for note in answer.notes)


def test_the_history_is_not_read_in_single_mode(engine: ChattyEngine) -> None:
    single = ChattyEngine(engine.kg, RuleModel(RULEBOOK), mode="single", settings=Settings(clarify="ask"))
    assert talk(single, "What is the population of Paris?", "Texas").status != "answered"


def test_the_options_stand_in_the_line_of_an_answer(engine: ChattyEngine) -> None:
    from chattyshared.answers import answer_to_json

    line: dict[str, Any] = answer_to_json(1, "?", engine.answer("What is the population of Paris?"))
    assert line["status"] == "clarification"
    assert line["clarification"]["options"][0] == {
        "label": "Paris (France)", "iri": "https://towns.example/paris1",
    }  # fmt: skip
