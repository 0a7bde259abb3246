import json
import re
from itertools import product

import pytest
from chattyshared.dialogue import Dialogue
from chattyshared.kg import KnowledgeGraph
from chattyshared.language.scripts import contains_name
from faulty_model import Faulty
from ship_graph import CAPTAINS, CARGOES, HARBORS

from chattygen import Options
from chattygen.pipeline import generate
from chattygen.wording.approaches import agents_of

pytestmark = pytest.mark.slow

APPROACHES = ("multi-stage", "simplified", "single-shot")


def made_by(kg: KnowledgeGraph, model: Faulty, **options) -> list[Dialogue]:
    made = list(generate(kg, model, Options(**{"approach": "multi-stage", "dialogues": 4, "turns": 5, **options})))
    return [one.dialogue for one in made if one.dialogue]


def user_texts(model: Faulty, agent: str) -> list[str]:
    return [request.messages[1].content for request in model.of(agent)]


@pytest.mark.parametrize(("approach", "context"), tuple(product(APPROACHES, ("summarized", "full"))))
def test_every_approach_gives_whole_dialogues_whose_gold_is_what_the_graph_says(
    ships_kg: KnowledgeGraph, approach: str, context: str
):
    dialogues = made_by(ships_kg, Faulty({}), approach=approach, context=context)
    assert len(dialogues) == 4
    for dialogue in dialogues:
        assert [turn.turn for turn in dialogue.turns] == [1, 2, 3, 4, 5]
        assert dialogue.turns[0].question == dialogue.turns[0].standalone
        assert len({turn.sparql for turn in dialogue.turns}) == 5
        for turn in dialogue.turns:
            if turn.form == "boolean":
                assert ships_kg.endpoint.ask(turn.sparql) is (turn.answers[0].value == "true")
                continue
            rows = ships_kg.endpoint.select(turn.sparql)
            assert sorted(str(next(iter(row.values()))) for row in rows) == sorted(a.value for a in turn.answers) != []
        for turn in dialogue.turns[1:]:
            assert not contains_name(turn.question, dialogue.seed.label)
        for turn in dialogue.turns:
            if turn.form not in ("boolean", "count"):
                assert not any(contains_name(turn.standalone, a.label or a.value) for a in turn.answers)


@pytest.mark.parametrize(
    ("approach", "agent"),
    [
        ("multi-stage", "generate/questions"),
        ("simplified", "generate/questions_only"),
        ("simplified", "generate/binding"),
        ("single-shot", "generate/single_shot"),
    ],
)
def test_only_a_full_context_shows_what_stands_at_the_ends(ships_kg: KnowledgeGraph, approach: str, agent: str):
    shown = {}
    for context in ("summarized", "full"):
        model = Faulty({})
        made_by(ships_kg, model, approach=approach, context=context, mix=(("lookup", 100.0),))
        shown[context] = "\n".join(user_texts(model, agent))
    assert "--builder--> ?" in shown["summarized"] and '--> "' not in shown["summarized"]
    assert re.search('--builder--> "(Holm Works|North Yard)"', shown["full"]) and "--> ?" not in shown["full"]


@pytest.mark.parametrize("approach", ["simplified", "single-shot"])
def test_workers_change_nothing(ships_kg: KnowledgeGraph, approach: str):
    alone = made_by(ships_kg, Faulty({}), approach=approach)
    together = made_by(ships_kg, Faulty({}), approach=approach, workers=4)
    assert sorted(together, key=lambda dialogue: dialogue.id) == alone


def test_multi_stage_asks_once_for_each_thing_and_once_for_the_talk(ships_kg: KnowledgeGraph):
    model = Faulty({})
    (dialogue,) = made_by(ships_kg, model, approach="multi-stage", dialogues=1)
    about_answers = any(turn.link == "answer" for turn in dialogue.turns)
    assert len(model.of("generate/questions")) == 1 + about_answers
    assert len(model.of("generate/dialogue")) == 1
    assert len(model.of("generate/query")) == 0


def test_simplified_asks_for_bare_questions_and_then_for_the_fact_of_each(ships_kg: KnowledgeGraph):
    model = Faulty({})
    (dialogue,) = made_by(ships_kg, model, approach="simplified", dialogues=1)
    bound = [str(request.variables["question"]) for request in model.of("generate/binding")]
    assert sorted(bound) == sorted(turn.standalone for turn in dialogue.turns)
    wanted = [wish for request in model.of("generate/questions_only") for wish in request.variables["wanted"]]
    assert any(wish.fact_number == 0 for wish in wanted)
    assert len(model.of("generate/dialogue")) == 1


def test_single_shot_asks_once_and_keeps_the_queries_of_the_reply(ships_kg: KnowledgeGraph):
    def renamed(text: str) -> str:
        reply = json.loads(text)
        return json.dumps(reply | {"queries": [query.replace("?x", "?answer") for query in reply["queries"]]})

    model = Faulty({"generate/single_shot": renamed})
    dialogues = made_by(ships_kg, model, approach="single-shot")
    assert len(model.of("generate/single_shot")) == 4
    assert {request.agent for request in model.asked} <= {"generate/single_shot", "generate/label"}
    assert {turn.link for dialogue in dialogues for turn in dialogue.turns[1:]} == {"topic"}
    queries = [turn.sparql for dialogue in dialogues for turn in dialogue.turns if turn.form != "boolean"]
    assert all("?answer" in sparql and "?x" not in sparql for sparql in queries)


@pytest.mark.parametrize("approach", ["planned", "multi-stage", "simplified"])
def test_a_model_can_write_the_queries_of_every_approach(ships_kg: KnowledgeGraph, approach: str):
    model = Faulty({})
    compiled = made_by(ships_kg, Faulty({}), approach=approach, dialogues=2)
    written = made_by(ships_kg, model, approach=approach, dialogues=2, queries="llm")
    assert len(model.of("generate/query")) == 10
    answers = [[turn.answers for turn in dialogue.turns] for dialogue in written]
    assert answers == [[turn.answers for turn in dialogue.turns] for dialogue in compiled]


def test_what_a_full_context_gives_away_is_asked_again_without(ships_kg: KnowledgeGraph):
    everything = ", ".join((*CAPTAINS, *HARBORS, *CARGOES, "Holm Works", "North Yard"))

    def telling(text: str) -> str:
        reply = json.loads(text)
        for item in reply["questions"]:
            item["question"] = item["question"].replace("?", f", {everything}?")
        return json.dumps(reply)

    model = Faulty({"generate/questions": telling}, times=1)
    mix = (("lookup", 100.0),)
    dialogues = made_by(ships_kg, model, context="full", types=("Ship",), mix=mix)
    again = [request for request in model.of("generate/questions") if request.attempt == 2]
    assert again  # about the ship, and about a thing that it leads to
    assert "the answer" in again[0].messages[-1].content and "stands in its own" in again[0].messages[-1].content
    assert not any(everything in turn.standalone for turn in dialogues[0].turns)


def test_two_steps_at_once_are_shown_only_where_they_are_wanted(ships_kg: KnowledgeGraph):
    for share, there in ((0.0, False), (60.0, True)):
        model = Faulty({})
        made_by(ships_kg, model, mix=(("lookup", 100.0 - share), ("two-hop", share)))
        assert any(re.search(r"--> \(\w+\) --", text) for text in user_texts(model, "generate/questions")) is there


def test_the_agents_of_a_run_are_those_that_it_can_ask():
    def names(**options) -> list[str]:
        return [agent.name.removeprefix("generate/") for agent in agents_of(Options(**options))]

    assert names(approach="multi-stage") == ["label", "questions", "dialogue"]
    assert names(approach="simplified", queries="llm") == [
        "label", "questions_only", "binding", "dialogue", "query",
    ]  # fmt: skip
    assert names(approach="single-shot", queries="llm") == ["label", "single_shot"]
