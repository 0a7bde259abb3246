"""When the engine says true, when false, and when it says that it does not know."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from chattyshared.dialogue import Answer, Exchange, Reason
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel

from chattykg.engine import ChattyEngine, Settings
from chattykg.rulebook import RULEBOOK


def truth(answer: Any) -> str:
    return answer.values[0].value if answer.values else answer.reason.code


def test_that_something_is_somewhere_is_no_truth(asked: Any) -> None:
    answer = asked("Does a captain exist?", shape="boolean", target="", triples=[["?a", "captain", "?b"]])
    assert answer.reason == Reason(
        "unknown-relation", 'I do not know, because the graph has nothing that fits "captain".'
    )


def test_a_class_is_enough_for_a_truth(asked: Any) -> None:
    qir = {"shape": "boolean", "target": "", "classes": [{"unknown": "?x", "class": "tanker"}]}
    assert truth(asked("Is there a tanker?", triples=[["?x", "captain", "?y"]], **qir)) == "true"


@pytest.mark.parametrize(
    ("relation", "value", "expected"),
    [
        ("length", "120.5 m", "true"), ("length", "120,5", "true"), ("length", "121", "false"),
        ("launch date", "1998", "true"), ("launch date", "1 May 1998", "true"), ("launch date", "1999", "false"),
        ("color", "RED", "true"), ("color", "pink", "false"), ("captain", "Nobody Known", "entity"),
    ],
)  # fmt: skip
def test_literals_compare_by_value(asked: Any, relation: str, value: str, expected: str) -> None:
    answer = asked(f"Is the Aurora {value}?", shape="boolean", target="", triples=[["Aurora", relation, value]])
    assert (truth(answer) if expected != "entity" else answer.values) == (expected if expected != "entity" else ())


def test_a_name_that_the_reading_leaves_out_is_not_passed_over(asked: Any) -> None:
    answer = asked("Which ships does Ann Lee command?", classes=[{"unknown": "?x", "class": "ship"}])
    why = 'I do not know, because it is not clear how "Ann Lee" belongs to the rest of the question.'
    assert (answer.reason, answer.unused) == (Reason("unknown-qualifier", why), ("Ann Lee",))


def test_a_number_that_the_reading_leaves_out_is_not_passed_over(asked: Any) -> None:
    qir = {"triples": [["?x", "length", "?n"]], "classes": [{"unknown": "?x", "class": "ship"}]}
    over = [{"unknown": "?n", "operator": ">", "value": "200"}]
    assert asked("Which ships are longer than 200 m?", **qir).reason.code == "unknown-qualifier"
    assert len(asked("Which ships are longer than 200.0 m?", filters=over, **qir).values) == 2


def test_a_word_that_the_model_calls_unused_is_not_passed_over(asked: Any) -> None:
    qir = {"triples": [["Ann Lee", "captain", "?x"]], "classes": [{"unknown": "?x", "class": "ship"}]}
    answer = asked("Which haunted ships does Ann Lee command?", unused=["haunted"], **qir)
    assert (answer.values, answer.unused) == ((), ("haunted",))
    assert answer.reason == Reason("unknown-qualifier", 'I do not know, because this graph does not know "haunted".')
    assert any("captain" in note for note in answer.notes)


def test_a_comment_that_the_model_calls_unused_is_noted(asked: Any) -> None:
    qir = {"triples": [["Ann Lee", "captain", "?x"]], "classes": [{"unknown": "?x", "class": "ship"}]}
    plain = asked("Which ships does Ann Lee command?", **qir)
    answer = asked("Which ships does Ann Lee actually command?", unused=["actually"], **qir)
    assert (answer.values, answer.notes) == (plain.values, ("This leaves out of account: actually.",))
    assert answer.confidence < plain.confidence


def test_a_relation_of_no_words_is_not_guessed(asked: Any) -> None:
    answer = asked("What about the Aurora?", triples=[["Aurora", "", "?x"]])
    assert (answer.values, answer.reason.code) == ((), "ambiguous")


def test_a_deputy_is_not_the_holder_of_the_office(asked: Any) -> None:
    assert asked("Who is the deputy captain?", triples=[["Aurora", "deputy captain", "?x"]]).values == ()


def test_columns_of_a_table_are_not_taken_for_dates(asked: Any) -> None:
    answer = asked(
        "The name and the launch date of each ship of Ann Lee",
        shape="table",
        targets=["?x", "?d"],
        triples=[["?x", "captain", "Ann Lee"], ["?x", "launch date", "?d"]],
    )
    assert [[v.label or v.value for v in row] for row in answer.rows] == [
        ["Aurora", "1998-05-01"],
        ["Comet", "2015-07-09"],
    ]
    assert answer.candidates[0].score > 0.8


def test_groups_are_counted_beyond_the_row_limit(asked: Any) -> None:
    having = [{"group": "?x", "counted": "?s", "operator": ">=", "value": "1"}]
    answer = asked(
        "How many people command a ship?", Settings(row_limit=1), shape="count", having=having,
        triples=[["?s", "captain", "?x"]],
    )  # fmt: skip
    assert [value.value for value in answer.values] == ["2"]


def test_a_cut_list_says_so_in_its_sentence(asked: Any) -> None:
    answer = asked("All ships", Settings(row_limit=2), classes=[{"unknown": "?x", "class": "ship"}])
    assert answer.sentence == "every ship (the first 2 of them)"


def test_a_reading_that_is_no_qir_leaves_its_alternatives(asked: Any) -> None:
    sound = {"shape": "one", "target": "?x", "triples": [["Aurora", "captain", "?x"]]}
    answer = asked("Who commands the Aurora?", target="?z", triples=[["Aurora", "captain", "?x"]], alternatives=[sound])
    assert [value.label for value in answer.values] == ["Ann Lee"]


def test_a_modifier_that_nothing_knows_is_refused_within_a_relation_phrase(asked: Any) -> None:
    answer = asked("Which vegan ships are there?", triples=[["?y", "vegan ships", "?x"], ["?x", "captain", "Ann Lee"]])
    assert (answer.values, answer.unused) == ((), ("vegan",))


def ask_demo(*questions: str) -> list[Answer]:
    """Ask the rules the questions of one conversation about the demo graph."""
    engine, history = ChattyEngine(open_kg(["demo"]), RuleModel(RULEBOOK)), ()
    for question in questions:
        history = (*history, Exchange(question, engine.answer(question, history)))
    return [exchange.answer for exchange in history]


def test_a_constraint_that_nothing_knows_is_not_lost_in_the_next_turn() -> None:
    first, second = ask_demo("Which vegan films are there?", "and from 1999?")
    assert (first.values, first.unused) == ((), ("vegan",))
    assert not second.values and "vegan" in second.unused


@pytest.mark.parametrize(
    "question",
    [
        "Which films on the moon did Ridley Scott direct?",
        "How many rivers are there in Atlantis?",
        "Which films did Ridley Scott direct last Tuesday?",
        "Which films were never shown in cinemas?",
        "Which films have two sequels?",
        "Which Norwegian writers died before 1900?",
        "When did John Lennon marry Yoko Ono?",
        "Is Mount Fuji the highest mountain?",
        "Which mountains are in France?",
    ],
)
def test_what_the_graph_does_not_know_is_refused(question: str) -> None:
    assert not ask_demo(question)[0].values


def test_a_modifier_that_a_weak_link_leaves_out_is_refused(asked: Any) -> None:
    ship = [{"unknown": "?x", "class": "ship"}]
    answer = asked("Which ships serve a vegan crew?", triples=[["?x", "serve vegan crew", "?y"]], classes=ship)
    assert (answer.values, answer.unused) == ((), ("vegan",))


def test_what_the_graph_states_of_others_is_not_called_unknown() -> None:
    (answer,) = ask_demo("What is the population of Paris?")
    assert answer.reason is not None
    assert answer.reason.text == 'I do not know, because the graph does not state "population" of Paris.'


CLIMBS = """
@prefix : <https://peaks.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Mountain a rdfs:Class ; rdfs:label "mountain" . :Climber a rdfs:Class ; rdfs:label "climber" .
:climbed rdfs:label "first climbed by" . :within rdfs:label "located in" . :Country rdfs:label "country" .
:m1 a :Mountain ; rdfs:label "Gray Horn" ; :climbed :ida ; :within :nor .
:m2 a :Mountain ; rdfs:label "Salt Needle" ; :climbed :ida ; :within :nor .
:ida a :Climber ; rdfs:label "Ida Moor" . :nor a :Country ; rdfs:label "Norland" .
"""


@pytest.mark.parametrize("question", ["Where was Ida Moor born?", "Where did Ida Moor die?"])
def test_a_place_of_a_life_is_not_any_place(tmp_path: Path, question: str) -> None:
    """A predicate that leads to a place says where something is, and nothing of the events of a life."""
    (tmp_path / "peaks.ttl").write_text(CLIMBS)
    kg = open_kg(tmp_path / "peaks.ttl")
    engine = ChattyEngine(kg, RuleModel(RULEBOOK))
    answer = engine.answer(question)
    assert answer.reason is not None and answer.reason.code == "unknown-relation"
    assert [value.label for value in engine.answer("Where is Gray Horn?").values] == ["Norland"]


@pytest.mark.parametrize("question", ["Which people are taller than 1.90 m?", "Who is the tallest person?"])
def test_the_height_of_a_painting_or_a_birth_place_is_no_height_of_a_person(question: str) -> None:
    answer = ChattyEngine(open_kg(["demo"]), RuleModel(RULEBOOK)).answer(question)
    assert answer.status == "unknown" and not answer.values
