"""The graph of agents as a whole: routes, retries, usage, bad input, threads."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from chattyshared.dialogue import Answer, Exchange, LinkedTerm, Value
from chattyshared.kg import KnowledgeGraph
from chattyshared.model.rules import RuleModel
from chattyshared.trace import Trace

from chattykg.engine import ChattyEngine, Components, Settings
from chattykg.graph import AGENTS, compile_graph
from chattykg.rulebook import RULEBOOK

CAPTAIN = {"shape": "one", "target": "?x", "triples": [["Aurora", "captain", "?x"]]}
EARLIER = (Exchange("Who commands the Aurora?", Answer((Value("https://ships.example/ann", "iri", label="Ann Lee"),))),)


def agents_of(model: Any) -> list[str]:
    return [request.agent.removeprefix("answer/") for request in model.asked]


def test_a_follow_up_goes_through_the_rephraser(ships: Any, scripted: Any) -> None:
    said = "Who is the spouse of Ann Lee?"
    spouse = {"shape": "one", "target": "?x", "triples": [["Ann Lee", "spouse", "?x"]]}
    model = scripted(classifier={"kind": "follow-up"}, rephraser={"question": said}, qir=spouse)
    answer = ChattyEngine(ships, model).answer("And her husband?", EARLIER)
    assert agents_of(model) == ["classifier", "rephraser", "qir"]
    assert (answer.standalone, [v.label for v in answer.values]) == (said, ["Bob Ray"])
    assert model.asked[2].variables["question"] == said
    topic, referent = model.asked[1].variables["referents"]
    assert (topic.label, topic.role) == ("Aurora", "topic")
    assert (referent.label, referent.role, referent.types, referent.gender) == (
        "Ann Lee", "answer", ("person",), "female",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("mode", "history", "agents"),
    [
        ("multi", (), ["qir"]),  # a first question needs no classifier
        ("multi", EARLIER, ["classifier", "qir"]),
        ("single", EARLIER, ["qir"]),
    ],
)
def test_a_question_that_stands_alone_is_left_as_it_is(
    ships: Any, scripted: Any, mode: Any, history: Any, agents: list[str]
) -> None:
    model = scripted(classifier={"kind": "self-contained"}, qir=CAPTAIN)
    answer = ChattyEngine(ships, model, mode=mode).answer("Who commands the Aurora?", history)
    assert (agents_of(model), answer.standalone) == (agents, "Who commands the Aurora?")
    assert (answer.usage.calls, answer.usage.prompt_tokens) == (len(agents), 10 * len(agents))


def test_a_reply_that_fails_is_asked_for_again(ships: Any, scripted: Any) -> None:
    bad = {"shape": "one", "target": "?x", "triples": []}
    model = scripted(qir=["no json", bad, CAPTAIN])
    answer = ChattyEngine(ships, model).answer("Who commands the Aurora?")
    assert [v.label for v in answer.values] == ["Ann Lee"]
    assert answer.usage.calls == 3


@pytest.mark.parametrize("theta", [1, 2])
def test_theta_bounds_the_attempts(ships: Any, scripted: Any, theta: int) -> None:
    model = scripted(qir="no json")
    answer = ChattyEngine(ships, model, settings=Settings(theta=theta)).answer("Who commands the Aurora?")
    assert (answer.values, answer.usage.calls) == ((), theta)
    assert answer.reason.code == "too-unsure"


def test_control_characters_do_not_reach_the_model(ships: Any, scripted: Any) -> None:
    model = scripted(qir=CAPTAIN)
    ChattyEngine(ships, model).answer("Who\x00 commands\n the \ufeffAurora?")
    assert model.asked[0].variables["question"] == "Who commands the Aurora?"


def test_an_agent_may_be_another_function_or_have_a_model_of_its_own(ships: Any, scripted: Any) -> None:
    def oracle(state: Any, desk: Any) -> Any:
        return {"answer": Answer((Value("42", "number"),))}

    answer = ChattyEngine(ships, scripted(), components=Components(agents={"qir": oracle})).answer("What?")
    assert [v.value for v in answer.values] == ["42"]
    main, own = scripted(), scripted(qir=CAPTAIN)
    ChattyEngine(ships, main, components=Components(models={"qir": own})).answer("Who commands the Aurora?")
    assert (agents_of(main), agents_of(own)) == ([], ["qir"])


def test_threads_share_one_engine(ships: Any, scripted: Any) -> None:
    engine = ChattyEngine(ships, scripted(qir=CAPTAIN))
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: engine.answer("Who commands the Aurora?"), range(12)))
    assert {(a.values, a.sparql, a.queries, a.usage) for a in answers} == {
        (answers[0].values, answers[0].sparql, answers[0].queries, answers[0].usage)
    }


def test_the_trace_holds_calls_and_queries(ships: Any, scripted: Any, tmp_path: Any) -> None:
    with Trace(tmp_path / "t.jsonl") as trace:
        answer = ChattyEngine(ships, scripted(qir=CAPTAIN), trace=trace).answer("Who commands the Aurora?", span="q1")
    lines = (tmp_path / "t.jsonl").read_text(encoding="utf-8").splitlines()
    assert sum('"kind": "query"' in line for line in lines) == answer.queries
    assert sum('"kind": "model"' in line for line in lines) == 1
    assert all('"span": "q1"' in line for line in lines)


def test_the_graph_has_the_agents_as_nodes_and_only_decisions_as_conditional_edges() -> None:
    drawn = compile_graph().get_graph()
    assert set(AGENTS) | {"__start__", "__end__"} == set(drawn.nodes)
    assert {(edge.source, edge.target) for edge in drawn.edges if not edge.conditional} == {
        ("__start__", "receive"), ("translator", "vocabulary"), ("planning", "readings"),
        ("agent", "respond"), ("mkgqagent", "respond"), ("triad", "respond"), ("respond", "__end__"),
    }  # fmt: skip


def test_history_keeps_topics_and_places(ships: Any, scripted: Any) -> None:
    values = tuple(Value(f"https://ships.example/{n}", "iri", label=n) for n in ("aurora", "comet"))
    topic = LinkedTerm("Ann Lee", "https://ships.example/ann", "Ann Lee")
    history = (Exchange("Her ships?", Answer(values, entities=(topic,))),)
    model = scripted(classifier={"kind": "follow-up"}, rephraser={"question": "Who?"}, qir=CAPTAIN)
    ChattyEngine(ships, model, settings=Settings(shown_answers=1)).answer("The second one?", history)
    shown = [r.as_prompt_text() for r in model.asked[1].variables["referents"]]
    assert shown == [
        "turn 1, asked about: Ann Lee (person, female)",
        "turn 1, answer 1 of 2: aurora (ship)",
    ]


def test_names_may_be_compared_by_a_function_of_ones_own(ships: Any, scripted: Any) -> None:
    def by_meaning(phrase: str, texts: Sequence[str]) -> list[float]:
        return [float((phrase, text) == ("skippers", "captain")) for text in texts]

    qir = {**CAPTAIN, "triples": [["Aurora", "skippers", "?x"]]}
    said = []
    for similarity in (by_meaning, lambda _, texts: [0.0] * len(texts)):
        components = Components(similarity=similarity)
        engine = ChattyEngine(ships, scripted(qir=qir), settings=Settings(strategy="staged"), components=components)
        said.append([value.label for value in engine.answer("Who skippers the Aurora?").values])
    assert said == [["Ann Lee"], []]


def test_a_question_that_stands_alone_is_as_sure_in_a_conversation(ships: KnowledgeGraph) -> None:
    engine = ChattyEngine(ships, RuleModel(RULEBOOK))
    question = "Who is the captain of the Aurora?"
    earlier = Exchange("How long is the Comet?", engine.answer("How long is the Comet?"))
    alone, later = engine.answer(question), engine.answer(question, (earlier,))
    assert (alone.values, alone.confidence) == (later.values, later.confidence) != ((), 0)
