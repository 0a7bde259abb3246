"""The parameters of the paper: each changes what the engine does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from chattyshared.dialogue import Answer, Exchange, Value
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
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
QUESTION = "Who is the mayor of Millbrook?"


@pytest.fixture(scope="module")
def towns(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    """Forty towns of one name; one of them, which is neither the first nor the best known, has a mayor."""
    towns = [f':t{n:02} a :Town ; rdfs:label "Millbrook" ; :river :leck, :lune, :lea .' for n in range(40) if n != 33]
    path: Path = tmp_path_factory.mktemp("towns") / "towns.ttl"
    path.write_text(
        HEAD + "\n".join(towns) + '\n:t33 a :Town ; rdfs:label "Millbrook" ; :mayor :ada .\n', encoding="utf-8"
    )
    return open_kg([str(path)])


def asked(kg: KnowledgeGraph, **settings: Any) -> Answer:
    return ChattyEngine(kg, RuleModel(RULEBOOK), settings=Settings(**settings)).answer(QUESTION)


def test_a_thing_among_many_of_one_name_is_found(towns: KnowledgeGraph) -> None:
    answer = asked(towns)
    assert ([value.label for value in answer.values], answer.notes) == (["Ada Holm"], ())


def test_the_vertex_limit_bounds_what_is_retrieved_and_says_so(towns: KnowledgeGraph) -> None:
    card = ChattyEngine(towns, RuleModel(RULEBOOK), settings=Settings(vertex_limit=2))
    answer = card.answer("Which river is Millbrook at?")
    assert len({link.iri for link in answer.entities if link.mention == "Millbrook"}) == 2
    assert answer.notes == ('Only 2 of the things that "Millbrook" may name were looked at; there are more.',)
    assert asked(towns, vertex_limit=40).values and not asked(towns, vertex_limit=2).values


def test_the_query_limit_bounds_the_candidates(towns: KnowledgeGraph) -> None:
    question = "Which towns have a mayor?"
    found = [
        ChattyEngine(towns, RuleModel(RULEBOOK), settings=Settings(query_limit=limit)).answer(question).candidates
        for limit in (40, 1)
    ]
    assert len(found[0]) > len(found[1]) == 1


@pytest.mark.parametrize("limit", [1, 3])
def test_the_rephraser_is_shown_so_many_answers(ships: KnowledgeGraph, scripted: Any, limit: int) -> None:
    values = tuple(Value(name, "literal") for name in ("Anna", "Berta", "Clara", "Dora"))
    model = scripted(classifier={"kind": "follow-up"}, rephraser={"question": "Who?"}, qir="no json")
    settings = Settings(shown_answers=limit)
    ChattyEngine(ships, model, settings=settings).answer("Who is she?", (Exchange("Who sails?", Answer(values)),))
    prompt = model.asked[1].messages[-1].content
    assert [value.value in prompt for value in values] == [place < limit for place in range(4)]


def test_without_the_classifier_each_later_turn_is_rephrased(ships: KnowledgeGraph, scripted: Any) -> None:
    history = (Exchange("Which ports are there?", Answer((Value("https://ships.example/port", "iri"),))),)
    asked_agents = []
    for is_on in (True, False):
        model = scripted(
            classifier={"kind": "self-contained"}, rephraser={"question": "Which ships are there?"},
            qir={"shape": "list", "target": "?x", "triples": [], "classes": [["?x", "ships"]]},
        )  # fmt: skip
        engine = ChattyEngine(ships, model, settings=Settings(switches=ChattySwitches(classifier=is_on)))
        assert engine.answer("Which ships are there?", history).status
        asked_agents.append([request.agent for request in model.asked][:2])
    assert asked_agents == [["answer/classifier", "answer/qir"], ["answer/rephraser", "answer/qir"]]


def test_without_the_card_the_model_sees_no_vocabulary(ships: KnowledgeGraph, scripted: Any) -> None:
    for is_on in (True, False):
        model = scripted(qir={"shape": "list", "target": "?x", "triples": [["?x", "home harbor", "Port"]]})
        settings = Settings(switches=ChattySwitches(card=is_on))
        assert ChattyEngine(ships, model, settings=settings).answer("Which ships have home harbor Port?").status
        assert bool(model.asked[0].variables["card"].predicates) == is_on


def test_without_validators_a_bad_reply_is_used_and_none_is_asked_again(ships: KnowledgeGraph, scripted: Any) -> None:
    bad = {"shape": "list", "target": "?y", "triples": [["?x", "home harbor", "Lune"]]}
    for is_on in (True, False):
        model = scripted(qir=bad, matching={"choices": [{"mention": 9, "candidates": [7]}]})
        answer = ChattyEngine(ships, model, settings=Settings(switches=ChattySwitches(validators=is_on))).answer(
            "Which ships have home harbor Lune?"
        )
        assert not answer.values
        assert [request.agent for request in model.asked].count("answer/qir") == (3 if is_on else 1)


def test_without_validators_a_reply_that_is_no_question_is_refused(ships: KnowledgeGraph, scripted: Any) -> None:
    model = scripted(qir={"shape": "list", "target": "?x", "triples": [["?x", "home harbor"]]})
    answer = ChattyEngine(ships, model, settings=Settings(theta=1, switches=ChattySwitches(validators=False))).answer(
        "Which ships have home harbor Port?"
    )
    assert answer.reason is not None and answer.reason.code == "too-unsure"


RIGHT = {"shape": "one", "sparql": "SELECT ?x { e:1 p:captain ?x }"}


@pytest.mark.parametrize(
    ("strategy", "tool", "names"),
    [("direct", "", ["Ann Lee"]), ("auto", "", ["Ann Lee"]), ("agent", "answer", ["Ann Lee"]), ("agent", "nope", [])],
)
def test_without_validators_a_query_is_still_run(
    ships: KnowledgeGraph, scripted: Any, strategy: Any, tool: str, names: list[str]
) -> None:
    model = scripted(direct=RIGHT, agent={"tool": tool, "arguments": RIGHT})
    settings = Settings(strategy=strategy, switches=ChattySwitches(validators=False))
    answer = ChattyEngine(ships, model, settings=settings).answer("Who commands the Aurora?")
    assert [value.label for value in answer.values] == names
