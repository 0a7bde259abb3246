"""The engine mkgqagent with a scripted model: it plans, links by tools, and sees once what its query gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from chattyshared.errors import ModelRefused, ModelUnavailable
from chattyshared.kg import KnowledgeGraph
from scripted_model import StepModel

from chattykg.agents.mkgqagent import LAST_STEP, render_actions, render_plans
from chattykg.direct.schema_prompt import build_conventions
from chattykg.engine import ChattyEngine, Components, Settings
from chattykg.engines.switches import MkgqagentSwitches
from chattykg.experience.experience_file import ExperienceItem

S, V = "https://ships.example/", "https://ships.example/vocab/"
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
ANN = ["Ann Lee"]


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


def test_a_plan_its_links_a_query_and_its_confirmation_answer(play: Any) -> None:
    answer, model = play(PLAN, THING, RELATION, RIGHT, RIGHT)
    assert (list(answer.labels), answer.confidence, answer.usage.calls) == (["Ann Lee"], 0.8, 5)
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


THING_COMET = {"tool": "search_entities", "arguments": {"text": "Comet"}}
NO_CREW = "SELECT DISTINCT ?x { e:1 p:crewSize ?x }"
FAILS = answer_by("SELECT DISTINCT ?x { e:1 p:captain ?x . ?x p:nope ?y }")
HAS = answer_by("ASK { e:1 p:captain ?x }", "boolean")
LOOKS = [{"tool": "search_entities", "arguments": {"text": f"Aurora {n}"}} for n in range(9)]


@pytest.mark.parametrize(
    ("replies", "options", "expected", "calls", "told"),
    [
        # what the graph responds corrects a query once; the query after it is final
        ((PLAN, THING, RELATION, WRONG, RIGHT), {}, ANN, 5, "The graph's response:\n   The query gives nothing."),
        ((PLAN, THING, RELATION, RIGHT, FAILS, RIGHT), {}, "too-unsure", 5, ""),
        ((PLAN, THING, RELATION, WRONG, WRONG, RIGHT), {}, "not-stated", 5, ""),
        ((PLAN, THING_COMET, answer_by(NO_CREW), answer_by(NO_CREW, "empty")),
         {"question": "How large is the crew of the Comet?"}, "empty", 4, ""),
        ((PLAN, THING, answer_by("", "none", unused=["commands"])), {}, "unknown-qualifier", 3, ""),
        ((PLAN, THING, RELATION, RIGHT, NONE), {}, "not-stated", 5, ""),  # it takes back what it saw
        ((PLAN, THING, HAS, HAS), {"question": "Does the Aurora have a captain?"}, ["true"], 4,
         "The graph's response:\n   true\n"),
        # a plan that is none leaves its last step
        (("no plan", THING, RELATION, RIGHT, RIGHT), {}, ANN, 5, f"Plan:\n1. {LAST_STEP}\n"),
        (({"steps": "link it"}, THING, RELATION, RIGHT, RIGHT), {}, ANN, 5, f"Plan:\n1. {LAST_STEP}\n"),
        ((ModelRefused("no"), THING, RELATION, RIGHT, RIGHT), {}, ANN, 5, f"Plan:\n1. {LAST_STEP}\n"),
        # models that do not answer
        ((PLAN, {"tool": "describe", "arguments": {"thing": "Aurora"}}), {"theta": 2}, "too-unsure", 3,
         "There is no tool 'describe'"),
        ((PLAN, *LOOKS), {"max_steps": 4}, "too-unsure", 6, "Only answer is left."),  # a plan, four steps, a last one
        ((PLAN, THING, ModelRefused("I would rather not")), {}, "too-unsure", 3, ""),
        ((PLAN, THING, RELATION, RIGHT, ModelRefused("enough")), {}, ANN, 5, ""),
        ((PLAN, THING, RELATION, WRONG, "enough"), {"theta": 2}, "too-unsure", 6, ""),
        # switches
        ((PLAN, THING, RELATION, RIGHT), {"feedback": False}, ANN, 4, "Your answer is final."),
        ((PLAN, THING, RELATION, WRONG, RIGHT), {"feedback": False}, "not-stated", 4, ""),
        ((THING, RELATION, RIGHT, RIGHT), {"plan": False}, ANN, 4, ""),
    ],
)  # fmt: skip
def test_replies_have_their_outcome(
    play: Any, replies: Any, options: Any, expected: Any, calls: int, told: str
) -> None:
    answer, model = play(*replies, **options)
    outcome = list(answer.labels) or (answer.reason.code if answer.reason else answer.status)
    assert (outcome, len(model.asked)) == (expected, calls)
    assert told in model.prompt()
    assert ("mkgqagent/plan" in [request.agent for request in model.asked]) == options.get("plan", True)


def test_a_confirmed_answer_is_surer_than_a_corrected_or_doubtful_one(play: Any) -> None:
    for last, second, confidence in ((RIGHT, RIGHT, 0.8), (WRONG, RIGHT, 0.7), (RIGHT, ModelRefused("no"), 0.5)):
        assert play(PLAN, THING, RELATION, last, second)[0].confidence == confidence
    with pytest.raises(ModelUnavailable):
        play(PLAN, THING, ModelUnavailable("gone"))


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
    assert (list(answer.labels), answer.reason.code, ships.count_triples()) == ([], "too-unsure", before)
    assert "The query cannot be run" in model.prompt(3) and "The query cannot be run" in model.prompt(4)


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
    assert (list(answer.labels), model.asked[0].agent) == (["Ann Lee"], first)
    assert ("is in German" in model.prompt()) == (translate == "never")


LOOK_UP = ExperienceItem("Who commands the Comet?", f"SELECT ?x {{ <{S}comet> <{V}captain> ?x }}")
COUNTED = ExperienceItem(
    "How many tankers have no price?",
    f"SELECT (COUNT(DISTINCT ?x) AS ?n) {{ ?x a <{V}Tanker> FILTER NOT EXISTS {{ ?x <{V}price> ?y }} }}",
    attempt=f"SELECT ?x {{ ?x <{V}amount> ?y }}", feedback=f"not <{V}amount>; <{V}price> is needed",
)  # fmt: skip
UNANSWERABLE = ExperienceItem("Who owns the Comet?", f"SELECT ?x {{ <{S}comet> <{V}price> ?x }}", unused=("owns",))


def test_a_plan_names_what_is_linked_and_what_else_a_query_needs(ships: KnowledgeGraph) -> None:
    shown = render_plans([LOOK_UP, UNANSWERABLE, COUNTED], ships).splitlines()
    assert shown[2:] == [
        '{"Who commands the Comet?": ["link the thing Comet", "link the relations: captain"]}',
        '{"How many tankers have no price?": ["link the relations: price, tanker",'
        ' "the query needs COUNT, FILTER, NOT EXISTS"]}',
    ]
    assert render_plans([UNANSWERABLE], ships) == render_plans([], ships) == ""


def test_what_went_wrong_at_first_stands_apart_with_what_is_right(ships: KnowledgeGraph) -> None:
    right, mark, wrong = render_actions([COUNTED, LOOK_UP, UNANSWERABLE], build_conventions(ships)).partition(
        "Here a first attempt went wrong:"
    )
    assert mark and "Comet" in right and "tankers" not in right and 'none, unused ["owns"]' in right
    assert "NOT EXISTS { ?x p:price ?y }" in wrong and "not p:amount; p:price is needed" in wrong
    assert render_actions([], build_conventions(ships)) == ""
