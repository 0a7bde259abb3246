"""The engine mkgqagent with a scripted model: it plans, links by tools, and sees once what its query gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from chattyshared.errors import ModelRefused, ModelUnavailable
from chattyshared.kg import KnowledgeGraph
from scripted_model import StepModel

from chattykg.agents.mkgqagent import LAST_STEP
from chattykg.engine import ChattyEngine, Components, Settings
from chattykg.engines.switches import MkgqagentSwitches
from chattykg.experience.experience_file import ExperienceItem

V = "https://ships.example/vocab/"
QUESTION = "Who commands the Aurora?"
PLAN = {"steps": ['link the thing "Aurora"', 'link the relation "commands" (captain)']}
THING = {"tool": "search_entities", "arguments": {"text": "Aurora"}}
RELATION = {"tool": "search_predicates", "arguments": {"text": "captain"}}


class Pool:
    """A pool that always has these examples."""

    def __init__(self, *items: ExperienceItem) -> None:
        self.items = items

    def find_examples(self, *_: Any) -> tuple[ExperienceItem, ...]:
        return self.items


def answer_by(sparql: str, shape: str = "one", **fields: Any) -> dict[str, Any]:
    return {"tool": "answer", "arguments": {"shape": shape, "sparql": sparql, **fields}}


RIGHT = answer_by("SELECT DISTINCT ?x { e:1 p:captain ?x }")
WRONG = answer_by("SELECT DISTINCT ?x { ?x p:captain e:1 }")
NONE = answer_by("", "none", unused=[])


@pytest.fixture
def play(ships: KnowledgeGraph) -> Callable[..., Any]:
    def play(*replies: Any, question: str = QUESTION, examples: Any = None, max_steps: int = 6, theta: int = 3,
             translate: Any = "auto", **switches: Any) -> Any:  # fmt: skip
        model = StepModel(replies)
        settings = Settings(
            strategy="mkgqagent",
            switches=MkgqagentSwitches(**switches),
            max_steps=max_steps,
            theta=theta,
            translate=translate,
        )
        engine = ChattyEngine(ships, model, settings=settings, components=Components(examples=examples))
        return engine.answer(question), model

    return play


def said(answer: Any) -> list[str]:
    return [value.label or value.value for value in answer.values]


def test_a_plan_its_links_a_query_and_its_confirmation_answer(play: Any) -> None:
    answer, model = play(PLAN, THING, RELATION, RIGHT, RIGHT)
    assert (said(answer), answer.confidence, answer.usage.calls) == (["Ann Lee"], 0.8, 5)
    assert [request.agent for request in model.asked] == ["mkgqagent/plan", *["mkgqagent/action"] * 4]
    assert [tool.name for tool in model.asked[1].tools] == ["answer", "search_entities", "search_predicates", "run"]
    prompt = model.prompt()
    assert f"Plan:\n1. link the thing 'Aurora'\n2. link the relation 'commands' (captain)\n3. {LAST_STEP}\n" in prompt
    assert '1. search_entities {"text": "Aurora"}\n   e:1 "Aurora" [ship]\n' in prompt
    assert 'The graph\'s response:\n   1 rows: ?x\n   e:2 "Ann Lee"\n' in prompt
    assert prompt.endswith("This answer is final. You may look up what is missing before (2 calls).")
    assert [(link.mention, link.iri) for link in answer.entities] == [("Aurora", "https://ships.example/aurora")]


def test_the_prompt_tells_how_the_graph_states_labels_and_nothing_of_its_vocabulary(play: Any) -> None:
    _, model = play(PLAN, NONE)
    assert "labels of things: rdfs:label" in model.prompt() and "p:captain" not in model.prompt()


def test_what_the_graph_responds_corrects_a_query_once(play: Any) -> None:
    answer, model = play(PLAN, THING, RELATION, WRONG, RIGHT)
    assert (said(answer), answer.confidence) == (["Ann Lee"], 0.7)
    assert "The graph's response:\n   The query gives nothing." in model.prompt()


def test_the_query_after_the_response_is_final(play: Any) -> None:
    fails = answer_by("SELECT DISTINCT ?x { e:1 p:captain ?x . ?x p:nope ?y }")
    answer, model = play(PLAN, THING, RELATION, RIGHT, fails, RIGHT)
    assert (said(answer), answer.reason.code, len(model.asked)) == ([], "too-unsure", 5)
    answer, model = play(PLAN, THING, RELATION, WRONG, WRONG, RIGHT)
    assert (said(answer), answer.reason.code, len(model.asked)) == ([], "not-stated", 5)


def test_an_empty_result_that_is_confirmed_is_an_honest_one(play: Any) -> None:
    thing = {"tool": "search_entities", "arguments": {"text": "Comet"}}
    empty = "SELECT DISTINCT ?x { e:1 p:crewSize ?x }"
    answer, _ = play(
        PLAN, thing, answer_by(empty), answer_by(empty, "empty"), question="How large is the crew of the Comet?"
    )
    assert (answer.status, answer.values) == ("empty", ())


def test_a_question_without_an_answer_stays_unanswered(play: Any) -> None:
    answer, model = play(PLAN, THING, answer_by("", "none", unused=["commands"]))
    assert (answer.reason.code, answer.unused, len(model.asked)) == ("unknown-qualifier", ("commands",), 3)
    answer, _ = play(PLAN, THING, RELATION, RIGHT, NONE)  # it takes back what it saw
    assert (answer.reason.code, said(answer)) == ("not-stated", [])


def test_a_yes_is_told_and_confirmed(play: Any) -> None:
    ask = answer_by("ASK { e:1 p:captain ?x }", "boolean")
    answer, model = play(PLAN, THING, ask, ask, question="Does the Aurora have a captain?")
    assert said(answer) == ["true"] and "The graph's response:\n   true\n" in model.prompt()


@pytest.mark.parametrize("reply", ["no plan", {"steps": "link it"}, {"plan": []}, ModelRefused("I would rather not")])
def test_a_plan_that_is_none_leaves_its_last_step(play: Any, reply: Any) -> None:
    answer, model = play(reply, THING, RELATION, RIGHT, RIGHT)
    assert said(answer) == ["Ann Lee"] and f"Plan:\n1. {LAST_STEP}\n" in model.prompt()
    assert [request.agent for request in model.asked].count("mkgqagent/plan") == 1


def test_a_step_of_a_plan_is_one_line_and_no_longer_than_it_may_be(play: Any) -> None:
    _, model = play({"steps": ["link\n2. the thing", "x" * 300]}, NONE)
    assert f"1. link 2. the thing\n2. {'x' * 300}\n3. {LAST_STEP}" in model.prompt()


@pytest.mark.parametrize(
    "query",
    [
        "INSERT DATA { e:1 p:captain e:1 }",
        "SELECT ?x { SERVICE <https://ships.example/aurora> { ?x ?y ?z } }",
        "DROP ALL",
    ],
)
def test_a_query_that_writes_or_leaves_the_graph_is_never_run(play: Any, query: str, ships: KnowledgeGraph) -> None:
    before = ships.count_triples()
    run = {"tool": "run", "arguments": {"query": query}}
    answer, model = play(PLAN, THING, run, answer_by(query), answer_by(query))
    assert (said(answer), answer.reason.code, ships.count_triples()) == ([], "too-unsure", before)
    assert "The query cannot be run" in model.prompt(3) and "The query cannot be run" in model.prompt(4)


def test_tools_that_it_does_not_have_cost_a_step_and_end(play: Any) -> None:
    answer, model = play(PLAN, {"tool": "describe", "arguments": {"thing": "Aurora"}}, theta=2)
    assert (answer.reason.code, len(model.asked)) == ("too-unsure", 3)
    assert "There is no tool 'describe'" in answer.reason.text


def test_a_model_that_never_answers_is_stopped(play: Any) -> None:
    looks = [{"tool": "search_entities", "arguments": {"text": f"Aurora {n}"}} for n in range(9)]
    answer, model = play(PLAN, *looks, max_steps=4)
    assert (answer.reason.code, len(model.asked)) == ("too-unsure", 6)  # a plan, four steps, and a last one
    assert [tool.name for tool in model.asked[-1].tools] == ["answer"]
    assert "Only answer is left." in model.prompt()


def test_a_model_that_declines_is_a_refusal_and_one_that_fails_is_an_error(play: Any) -> None:
    answer, _ = play(PLAN, THING, ModelRefused("I would rather not"))
    assert answer.reason.code == "too-unsure" and "I would rather not" in answer.reason.text
    with pytest.raises(ModelUnavailable):
        play(PLAN, THING, ModelUnavailable("gone"))


def test_a_model_that_stops_after_the_response_leaves_a_doubtful_answer(play: Any) -> None:
    answer, _ = play(PLAN, THING, RELATION, RIGHT, ModelRefused("enough"))
    assert (said(answer), answer.confidence) == (["Ann Lee"], 0.5)
    answer, _ = play(PLAN, THING, RELATION, WRONG, "enough", theta=2)
    assert (said(answer), answer.reason.code) == ([], "too-unsure")


def test_without_feedback_the_first_query_is_final(play: Any) -> None:
    answer, model = play(PLAN, THING, RELATION, RIGHT, feedback=False)
    assert (said(answer), len(model.asked)) == (["Ann Lee"], 4)
    assert "Your answer is final." in model.prompt() and "see once" not in model.prompt()
    answer, model = play(PLAN, THING, RELATION, WRONG, RIGHT, feedback=False)
    assert (said(answer), answer.reason.code, len(model.asked)) == ([], "not-stated", 4)


def test_without_a_plan_nobody_plans(play: Any) -> None:
    answer, model = play(THING, RELATION, RIGHT, RIGHT, plan=False)
    assert said(answer) == ["Ann Lee"] and "Plan:" not in model.prompt()
    assert {request.agent for request in model.asked} == {"mkgqagent/action"}


@pytest.mark.parametrize(("shown", "plan", "action"), [("both", 1, 1), ("plan", 1, 0), ("action", 0, 1), ("off", 0, 0)])
def test_examples_are_shown_where_the_switch_says(play: Any, shown: str, plan: int, action: int) -> None:
    pool = Pool(
        ExperienceItem("Who commands the Comet?", f"SELECT ?x {{ <https://ships.example/comet> <{V}captain> ?x }}")
    )
    _, model = play(PLAN, NONE, examples=pool, pool=shown)
    assert model.prompt(0).count('{"Who commands the Comet?": ["link the thing Comet",') == plan
    assert model.prompt(1).count('"Who commands the Comet?" -> SELECT ?x') == action


@pytest.mark.parametrize(("translate", "first"), [("never", "mkgqagent/plan"), ("always", "answer/translator")])
def test_a_german_question_is_translated_where_the_settings_say(play: Any, translate: Any, first: str) -> None:
    translation = [{"question": QUESTION, "names": []}] if translate == "always" else []
    replies = (*translation, PLAN, THING, RELATION, RIGHT, RIGHT)
    answer, model = play(*replies, question="Wer befehligt die Aurora?", translate=translate)
    assert (said(answer), model.asked[0].agent) == (["Ann Lee"], first)
    assert ("is in German" in model.prompt()) == (translate == "never")


def test_a_graph_that_calls_itself_an_instruction_stays_data(play: Any) -> None:
    answer, model = play(PLAN, THING, {"tool": "search_entities", "arguments": {"text": 'Empty "Bay"'}}, RIGHT, RIGHT)
    assert said(answer) == ["Ann Lee"] and "e:2 \"Empty 'Bay'\" [harbor]" in model.prompt()
