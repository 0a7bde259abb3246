"""The parameters of the paper: each changes what the engine does."""

from __future__ import annotations

from typing import Any

import pytest
from chattyshared.dialogue import Answer, Exchange, Value
from chattyshared.kg import KnowledgeGraph
from chattyshared.model.rules import RuleModel

from chattykg.engine import ChattyEngine, Settings
from chattykg.engines.switches import ChattySwitches
from chattykg.rulebook import RULEBOOK

HEAD = """
@prefix : <https://towns.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Town a rdfs:Class ; rdfs:label "town" . :mayor rdfs:label "mayor" . :river rdfs:label "river" .
:ada rdfs:label "Ada Holm" . :leck rdfs:label "Leck" . :lune rdfs:label "Lune" . :lea rdfs:label "Lea" .
"""


@pytest.fixture
def ask_towns(open_graph: Any) -> Any:
    """Ask about forty towns of one name; one of them, neither the first nor the best known, has a mayor."""
    towns = [f':t{n:02} a :Town ; rdfs:label "Millbrook" ; :river :leck, :lune, :lea .' for n in range(40) if n != 33]
    kg = open_graph("\n".join([HEAD, *towns, ':t33 a :Town ; rdfs:label "Millbrook" ; :mayor :ada .']))
    return lambda question, **settings: ChattyEngine(kg, RuleModel(RULEBOOK), settings=Settings(**settings)).answer(
        question
    )


def test_the_vertex_limit_bounds_what_is_retrieved_and_says_so(ask_towns: Any) -> None:
    mayor = "Who is the mayor of Millbrook?"
    whole = ask_towns(mayor)
    assert ([value.label for value in whole.values], whole.notes) == (
        ["Ada Holm"],
        ('9 more town called "Millbrook": nothing is stated there.',),
    )
    assert ask_towns(mayor, vertex_limit=40).values and not ask_towns(mayor, vertex_limit=2).values
    answer = ask_towns("Which river is Millbrook at?", vertex_limit=2)
    assert len({link.iri for link in answer.entities if link.mention == "Millbrook"}) == 2
    assert answer.notes == ('Only 2 of the things that "Millbrook" may name were looked at; there are more.',)


def test_the_query_limit_bounds_the_candidates(ask_towns: Any) -> None:
    many, one = (ask_towns("Which towns have a mayor?", query_limit=limit).candidates for limit in (40, 1))
    assert len(many) > len(one) == 1


@pytest.mark.parametrize("limit", [1, 3])
def test_the_rephraser_is_shown_so_many_answers(ships: KnowledgeGraph, scripted: Any, limit: int) -> None:
    values = tuple(Value(name, "literal") for name in ("Anna", "Berta", "Clara", "Dora"))
    model = scripted(classifier={"kind": "follow-up"}, rephraser={"question": "Who?"}, qir="no json")
    settings = Settings(shown_answers=limit)
    ChattyEngine(ships, model, settings=settings).answer("Who is she?", (Exchange("Who sails?", Answer(values)),))
    prompt = model.asked[1].messages[-1].content
    assert [value.value in prompt for value in values] == [place < limit for place in range(4)]


@pytest.mark.parametrize("is_on", [True, False])
def test_each_part_can_be_switched_off(ships: KnowledgeGraph, scripted: Any, is_on: bool) -> None:
    def ask(question: str, history: Any = (), **switches: Any) -> Any:
        model = scripted(
            classifier={"kind": "self-contained"}, rephraser={"question": "Which ships are there?"},
            qir={"shape": "list", "target": "?y", "triples": [["?x", "home harbor", "Lune"]]},
        )  # fmt: skip
        settings = Settings(switches=ChattySwitches(**switches))
        assert not ChattyEngine(ships, model, settings=settings).answer(question, history).values
        return model.asked

    question = "Which ships have home harbor Lune?"
    history = (Exchange("Which ports are there?", Answer((Value("https://ships.example/port", "iri"),))),)
    assert ask(question, history, classifier=is_on)[0].agent == f"answer/{'classifier' if is_on else 'rephraser'}"
    assert bool(ask(question, card=is_on)[0].variables["card"].predicates) == is_on
    tries = [request.agent for request in ask(question, validators=is_on)].count("answer/qir")
    assert tries == (3 if is_on else 1)  # a bad reply is used, and none is asked again


RIGHT = {"shape": "one", "sparql": "SELECT ?x { e:1 p:captain ?x }"}


@pytest.mark.parametrize(
    ("strategy", "replies", "outcome"),
    [
        ("direct", {"direct": RIGHT}, ["Ann Lee"]), ("auto", {"direct": RIGHT}, ["Ann Lee"]),
        ("agent", {"agent": {"tool": "answer", "arguments": RIGHT}}, ["Ann Lee"]),
        ("agent", {"agent": {"tool": "nope", "arguments": RIGHT}}, []),
        ("staged", {"qir": {"shape": "list", "target": "?x", "triples": [["?x", "home harbor"]]}}, []),
    ],
)  # fmt: skip
def test_without_validators_a_query_is_still_run(
    ships: KnowledgeGraph, scripted: Any, strategy: Any, replies: Any, outcome: list[str]
) -> None:
    settings = Settings(strategy=strategy, theta=1, switches=ChattySwitches(validators=False))
    answer = ChattyEngine(ships, scripted(**replies), settings=settings).answer("Who commands the Aurora?")
    assert [value.label for value in answer.values] == outcome
    assert outcome or answer.reason is not None and answer.reason.code == "too-unsure"
