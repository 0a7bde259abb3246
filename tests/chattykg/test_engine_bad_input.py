"""Graphs and questions that nobody wishes for: an answer or a reason, soon, and prompts of bounded size."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from chattyshared.dialogue import Answer, Exchange, Value
from chattyshared.kg import KnowledgeGraph
from chattyshared.model import Completion, LanguageModel, Request, Usage, count_characters
from chattyshared.model.rules import RuleModel

from chattykg.engine import ChattyEngine, Settings
from chattykg.rulebook import RULEBOOK

pytestmark = pytest.mark.slow

R = "https://kiln.example/r/"
HEAD = f"""@prefix : <{R}> . @prefix v: <https://kiln.example/v/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
"""
MOST = 2_500
"""Tokens (characters / 4) of the largest prompt to a question of a few words, without a conversation."""
LONG = "glazed kiln brick chimney flue " * 80


class Counting:
    """A model that hands on and keeps what it was asked."""

    def __init__(self, inner: LanguageModel) -> None:
        self.inner, self.name, self.asked = inner, inner.name, list[Request]()

    def complete(self, request: Request) -> Completion:
        self.asked.append(request)
        return self.inner.complete(request)

    @property
    def tokens(self) -> int:
        return max((count_characters(request) // 4 for request in self.asked), default=0)


class Writing:
    """A model that writes one query, whatever it is asked; everything else is done by the rules."""

    name = "writing"

    def complete(self, request: Request) -> Completion:
        if request.agent != "answer/direct":
            return RuleModel(RULEBOOK).complete(request)
        return Completion('{"shape": "list", "sparql": "SELECT ?x WHERE { ?x a ?c } LIMIT 3"}', Usage(1, 1, 1))


@pytest.fixture(scope="module")
def wide(open_graph: Callable[[str], KnowledgeGraph]) -> KnowledgeGraph:
    """2,000 predicates whose labels share their words, and labels and comments of 2.5 KB."""
    lines = [f'v:Kiln rdfs:label "kiln" . v:Long rdfs:label "long kiln {LONG}" .']
    lines += [f'v:p{n} rdfs:label "flue width of chimney {n}" . :{n % 50} v:p{n} "{n}" .' for n in range(2000)]
    lines += [f':{n} a v:Kiln ; rdfs:label "Kiln {n}" .' for n in range(50)]
    lines += [f'v:l{n} rdfs:label "{LONG} {n}" ; rdfs:comment "{LONG}" . :{n} v:l{n} "{LONG}" .' for n in range(30)]
    lines += [f':long{n} a v:Long ; rdfs:label "Vast Kiln {n} {LONG}" ; v:potter :ada .' for n in range(30)]
    return open_graph("\n".join([HEAD, *lines, ':ada rdfs:label "Ada Moss" . v:potter rdfs:label "potter" .']))


@pytest.mark.parametrize(
    ("strategy", "question", "values"),
    [
        ("staged", "What is the flue width of chimney 77 of Kiln 27?", ["77"]),
        ("staged", "Which kilns does Ada Moss run?", None),
        ("direct", "Who is the potter of Vast Kiln 3?", None),
    ],
)
def test_prompts_stay_small_where_the_vocabulary_is_large(
    wide: KnowledgeGraph, strategy: Any, question: str, values: Any
) -> None:
    model = Counting(RuleModel(RULEBOOK) if strategy == "staged" else Writing())
    answer = ChattyEngine(wide, model, settings=Settings(strategy=strategy)).answer(question)
    assert answer.values or answer.status == "empty" or answer.reason
    assert values is None or [value.value for value in answer.values] == values
    assert 0 < model.tokens < MOST
    assert answer.seconds < 20 and answer.queries <= 12


def test_a_long_conversation_over_long_labels_fits_into_a_prompt(wide: KnowledgeGraph) -> None:
    many = tuple(Value(f"{R}long{n}", "iri", label=f"Vast Kiln {n} {LONG}") for n in range(30))
    turns = tuple(Exchange(f"Which kilns are there, number {n}? {LONG[:1500]}", Answer(values=many)) for n in range(20))
    model = Counting(RuleModel(RULEBOOK))
    answer = ChattyEngine(wide, model).answer("Who is the potter of the first one?", turns)
    assert answer.values or answer.status == "empty" or answer.reason
    assert {"answer/classifier", "answer/rephraser"} <= {request.agent for request in model.asked}
    assert model.tokens < 8_000
    shown = next(request for request in model.asked if request.agent == "answer/rephraser").messages[-1].content
    assert "Q20: " in shown and "Q1: " not in shown and "earlier turns left out)" in shown
    assert re.search(r"turn 20, answers 1 to \d+ of 30[^:]*: Vast Kiln 0 glazed", shown)


@pytest.mark.parametrize("strategy", ["staged", "direct"])
def test_a_value_of_several_lines_is_one_line_of_a_prompt(open_graph: Any, strategy: Any) -> None:
    model = Counting(RuleModel(RULEBOOK) if strategy == "staged" else Writing())
    settings = Settings(strategy=strategy)
    ChattyEngine(open_graph("nasty"), model, settings=settings).answer("Which pot has the motto Pot line two motto?")
    seen = [line for request in model.asked for m in request.messages for line in m.content.splitlines()]
    assert any("Pot line two motto under" in line.replace('"', "").replace("\\n", " ") for line in seen)
    assert not any(line.startswith("two motto") for line in seen)


@pytest.mark.parametrize(
    "question",
    [
        "", "\x00\x01", "()" * 900, '"' * 1999, "a" * 1999, "1 " * 900, "x" * 10_000, "\U0001f3fa\U0001f3fa",
        "\ud800\udfff", "zorb " * 390, "谁导演了这部电影" * 240, "Who is the owner of " * 95 + "it?",
        "Pot's " * 300 + "owner?", "Which pot " + "that has an owner who owns a pot " * 30 + "is a pot?",
        "Who owns Pot and " * 300,
    ],
)  # fmt: skip
def test_no_question_takes_long_or_is_met_with_silence(open_graph: Any, question: str) -> None:
    model = Counting(RuleModel(RULEBOOK))
    answer = ChattyEngine(open_graph("nasty"), model).answer(question)
    assert answer.values or answer.explanation.startswith("I do not know, because ")
    assert model.tokens < 5_000 and answer.queries <= 12 and answer.seconds < 5


@pytest.mark.parametrize(
    "question",
    [
        "Who directed the Zorblax of Vend?", "Which stout is in the film?", "Who produced What Women Want?",
        "What is the strangelove of Her?", "Which films are the longest directors of Her?",
    ],
)  # fmt: skip
def test_a_refusal_does_not_contradict_what_it_suggests(open_graph: Any, question: str) -> None:
    films = ChattyEngine(open_graph("films"), RuleModel(RULEBOOK), settings=Settings(clarify="ask"))
    answer = films.answer(question)
    assert not answer.values
    unknown = re.findall(r'"([^"]*)"', answer.explanation if "does not know" in answer.explanation else "")
    for note in answer.notes:
        assert not any(re.search(rf"\b{re.escape(word)}\b", note) for word in unknown)
        offered = re.fullmatch(r"Did you mean (.*)\?", note)
        assert offered is None or offered[1].casefold() not in question.casefold()
    for suggested in answer.suggestions:
        assert films.answer(suggested).values


def test_classes_in_a_circle_are_all_counted(open_graph: Any) -> None:
    lines = ['v:next rdfs:label "next" .']
    for n in range(200):
        lines.append(f'v:C{n} rdfs:subClassOf v:C{(n + 1) % 200} , v:C{n} ; rdfs:label "ware {n}" .')
        lines.append(f':{n} a v:C{n} ; v:next :{(n + 1) % 200} ; rdfs:label "Item {n}" .')
    engine = ChattyEngine(open_graph("\n".join([HEAD, *lines])), RuleModel(RULEBOOK))
    assert [value.value for value in engine.answer("How many ware 3 are there?").values] == ["200"]
    far = engine.answer("What is the next of the next of Item 199?")
    assert "Item 1" in [value.label for value in far.values]


def test_a_name_of_very_many_is_answered_for_some_and_that_is_said(open_graph: Any) -> None:
    lines = ['v:Village rdfs:label "village" . v:mayor rdfs:label "mayor" .']
    lines += [f':{n} a v:Village ; rdfs:label "Millbrook" ; v:mayor :m{n} .' for n in range(300)]
    lines += [f':m{n} rdfs:label "Mayor {n}" .' for n in range(300)]
    kg = open_graph("\n".join([HEAD, *lines]))
    answer = ChattyEngine(kg, RuleModel(RULEBOOK)).answer("Who is the mayor of Millbrook?")
    assert len(answer.values) == 6
    assert answer.notes[0] == 'More than 6 things are called "Millbrook"; only these are answered for.'
    assert answer.notes[1].startswith('"Millbrook" may mean Millbrook (0)') and len(answer.notes) == 2


def test_nothing_bound_is_not_silence(ships: KnowledgeGraph, scripted: Any) -> None:
    query = {"shape": "list", "sparql": "SELECT ?x WHERE { e:1 p:captain ?y OPTIONAL { ?y p:launched ?x } }"}
    answer = ChattyEngine(ships, scripted(direct=query), settings=Settings(strategy="direct")).answer("Aurora?")
    assert not answer.values and answer.explanation.startswith("I do not know, because ")
