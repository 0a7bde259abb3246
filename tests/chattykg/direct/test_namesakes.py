"""Several things of one name in a query: each has its answer, unless question or conversation tells which is meant."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from chattyshared.dialogue import Answer, Exchange, Value
from chattyshared.kg import KnowledgeGraph

from chattykg.engine import ChattyEngine, Settings

AGE = {"shape": "number", "sparql": "SELECT ?x { e:1 p:age ?x }"}
BOTH = {"shape": "number", "sparql": "SELECT ?x { VALUES ?e { e:1 e:2 } ?e p:age ?x }"}


@pytest.fixture
def ask(open_graph: Callable[[str], KnowledgeGraph], scripted: Callable[..., Any]) -> Callable[..., Answer]:
    def answer(question: str, reply: Any, clarify: Any = "ask", history: Any = (), **replies: Any) -> Answer:
        settings = Settings(strategy="direct", clarify=clarify)
        engine = ChattyEngine(open_graph("pets"), scripted(direct=reply, **replies), settings=settings)
        return engine.answer(question, history)

    return answer


def options(answer: Answer) -> list[str]:
    return [option.label for option in answer.clarification.options] if answer.clarification else []


@pytest.mark.parametrize("reply", [AGE, BOTH, AGE | {"either": [1, 2]}])
def test_namesakes_are_asked_back_with_what_tells_them_apart(ask: Any, reply: Any) -> None:
    answer = ask("How old is Luna?", reply)
    assert (answer.status, options(answer)) == ("clarification", ["Luna (cat)", "Luna (dog)"])
    assert answer.usage.calls == 1


def test_the_best_reading_has_a_note_and_less_confidence(ask: Any) -> None:
    for reply in (AGE, BOTH):
        answer = ask("How old is Luna?", reply, clarify="best")
        assert (answer.labels, answer.confidence) == (("4",), 0.45)
        assert answer.notes == (
            '"Luna" may mean Luna (cat) or Luna (dog), and the answers differ; this one is for Luna (cat).',
        )
    refused = ask("How old is Luna?", BOTH, clarify="refuse")
    assert refused.reason is not None and refused.reason.code == "ambiguous"


@pytest.mark.parametrize("clarify", ["ask", "best", "refuse"])
def test_a_reply_or_a_correction_is_understood(ask: Any, clarify: Any) -> None:
    first = ask("How old is Luna?", AGE, clarify=clarify)
    for reply, age in (("No, the dog.", "9"), ("No, I meant Luna (dog).", "9"), ("the first one", "4")):
        answer = ask(reply, AGE, clarify=clarify, history=(Exchange("How old is Luna?", first),))
        assert (answer.labels, answer.standalone) == ((age,), "How old is Luna?"), reply


def test_things_that_only_their_values_tell_apart_stay_together(ask: Any) -> None:
    answer = ask("How old is Rex?", BOTH, clarify="best")
    assert sorted(answer.labels) == ["2", "5"] and "for all of them" in answer.notes[0]
    assert options(ask("How old is Rex?", BOTH)) == ["Rex (owner Ann)", "Rex (owner Bo)"]


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("How old is the cat Luna?", AGE),
        ("How old is Luna with breed Persian?", AGE),
        ("Who owns Luna?", {"shape": "one", "sparql": "SELECT ?x { e:1 p:owner ?x }"}),
        ("How many tricks does Luna do?", {"shape": "number", "sparql": "SELECT ?x { e:2 p:tricks ?x }"}),
        ("How old is Luna (the cat)?", AGE),
        ("How old is Mio?", AGE),
        (
            "Is the cat Luna older than the dog Luna?",
            {"shape": "boolean", "sparql": "ASK { e:1 p:age ?a . e:2 p:age ?b FILTER(?a < ?b) }", "either": [1, 2]},
        ),
        ("Does Luna do 3 tricks?", {"shape": "boolean", "sparql": "ASK { e:2 p:tricks 3 }", "either": [1, 2]}),
    ],
)
def test_what_is_told_apart_or_agrees_is_answered(ask: Any, question: str, reply: Any) -> None:
    answer = ask(question, reply)
    assert (answer.status, answer.notes) == ("answered", ())


def test_a_model_that_cannot_tell_is_believed(ask: Any) -> None:
    assert options(ask("How old is the cat Luna?", AGE | {"either": [1, 2]})) == ["Luna (cat)", "Luna (dog)"]


def test_what_the_conversation_speaks_of_is_meant(ask: Any) -> None:
    for iri, status in (("luna2", "answered"), ("mio", "clarification")):
        earlier = Answer((Value(f"https://pets.example/{iri}", "iri", label=iri),))
        history = (Exchange("Which pet does tricks?", earlier),)
        answer = ask("And how old is Luna?", AGE, history=history, rephraser={"question": "How old is Luna?"})
        assert answer.status == status


def test_a_number_that_is_not_listed_is_no_reading(ask: Any) -> None:
    answer = ask("How old is Mio?", AGE | {"either": [1, 7]}, clarify="best")
    assert answer.values and answer.usage.calls == 1
