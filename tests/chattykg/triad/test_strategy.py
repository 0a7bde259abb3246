"""The Triad strategy: a template, the choice of terms and of a query, tries, and the model's memory."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from chattyshared.dialogue import Answer
from chattyshared.errors import ModelRefused
from chattyshared.kg import KnowledgeGraph
from chattyshared.model import Completion, Request, Usage

from chattykg.engine import ChattyEngine, Settings
from chattykg.engines.switches import TriadSwitches

WHOLE = TriadSwitches()
QUESTION = "Who commands the Aurora?"
RIGHT = {
    "class": "select",
    "triples": [["?x", "commands", "Aurora"]],
    "template": "SELECT DISTINCT ?x WHERE { ?x <commands> <Aurora> }",
}
CAPTAIN = {**RIGHT, "triples": [["Aurora", "captain", "?x"]], "template": "SELECT ?x WHERE { <Aurora> <captain> ?x }"}


class Replies:
    """A model with replies to each prompt, one after the other, the last again; else it takes the first options."""

    name = "scripted"

    def __init__(self, **replies: Any) -> None:
        self.replies = {name: list(each) for name, each in replies.items()}
        self.asked: list[Request] = []

    def complete(self, request: Request) -> Completion:
        self.asked.append(request)
        listed = self.replies.get(request.agent.rpartition("/")[2])
        if listed is None:
            listed = [{"choices": [[1] for _ in request.variables["options"].options]}]
        reply = listed.pop(0) if len(listed) > 1 else listed[0]
        if isinstance(reply, Exception):
            raise reply
        return Completion(reply if isinstance(reply, str) else json.dumps(reply), Usage(1, 10, 5))

    def agents(self) -> list[str]:
        return [request.agent.rpartition("/")[2] for request in self.asked]


def said(answer: Answer) -> list[str]:
    return [value.label or value.value for value in answer.values]


@pytest.fixture
def ask(ships: KnowledgeGraph) -> Callable[..., Any]:
    """Answer a question with the replies given; return the answer and the model that was asked."""

    def answer(question: str = QUESTION, switches: TriadSwitches = WHOLE, **replies: Any) -> Any:
        model = Replies(**replies)
        settings = Settings(strategy="triad", switches=switches, theta=2)
        return ChattyEngine(ships, model, settings=settings).answer(question), model

    return answer


def test_the_decider_chooses_among_the_predicates_around_the_thing(ask: Any) -> None:
    answer, model = ask(template=[RIGHT], relations=[{"choices": [[1]]}])
    assert model.agents()[:2] == ["template", "relations"]
    shown = str(model.asked[1].messages[1].content)
    assert "commands:" in shown and "captain" in shown and "birthPlace" not in shown
    assert answer.values and answer.grounded


def test_a_right_template_is_answered_with_its_links_and_candidates(ask: Any) -> None:
    answer, model = ask(template=[CAPTAIN])
    assert (said(answer), answer.confidence) == (["Ann Lee"], 0.8)
    assert (
        answer.sparql == "SELECT ?x WHERE { <https://ships.example/aurora> <https://ships.example/vocab/captain> ?x }"
    )
    assert [candidate.query for candidate in answer.candidates][0] == answer.sparql
    assert [link.iri for link in answer.entities] == ["https://ships.example/aurora"]


def test_a_predicate_that_leads_the_other_way_is_turned_round(ask: Any) -> None:
    turned = {
        **CAPTAIN,
        "triples": [["?x", "captain", "Aurora"]],
        "template": "SELECT ?x WHERE { ?x <captain> <Aurora> }",
    }
    answer, _ = ask(template=[turned])
    assert said(answer) == ["Ann Lee"] and "^" not in answer.sparql


@pytest.mark.parametrize(
    ("body", "is_asked"),
    [("<Aurora> <captain> <Ann Lee>", False), ("?ship <captain> <Ann Lee> . FILTER(?ship = <Aurora>)", True)],
)
def test_a_template_may_turn_a_triple_round(ask: Any, body: str, is_asked: bool) -> None:
    reply = {"class": "boolean", "triples": [["Ann Lee", "captain", "Aurora"]], "template": f"ASK {{ {body} }}"}
    chosen = {"relations": [{"choices": [[1]]}], "query": [{"choices": [[2]]}]}
    answer, model = ask("Is Ann Lee the captain of the Aurora?", template=[reply], **chosen)
    assert (said(answer), "query" in model.agents()) == (["true"], is_asked)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ({**RIGHT, "template": "INSERT DATA { <Aurora> <commands> <Aurora> }"}, "cannot be run"),
        ({**RIGHT, "template": "SELECT ?x WHERE { ?x <commands> <Aurora>"}, "cannot be run"),
        ({**RIGHT, "template": "SELECT ?x WHERE { ?x <commands> <Aurora> ; ex:p ?y }"}, "cannot be run"),
        ({**RIGHT, "template": "SELECT ?x WHERE { ?x <commands> <Aurora> ; <http://x.example/p> ?y }"}, "identifier"),
        ({**RIGHT, "template": "SELECT ?x WHERE { ?x <commands> <Aurora> ; rdfs:label ?y }"}, "identifier"),
        ({**RIGHT, "template": "SELECT ?x WHERE { ?x <commands> ?y }"}, "does not hold <Aurora>"),
        ({**RIGHT, "template": "ASK { ?x <commands> <Aurora> }"}, "one for boolean"),
        ({**RIGHT, "unused": ["zebra"]}, "do not stand in the question"),
        ("no JSON at all", "Reply with one JSON value"),
    ],
)
def test_a_bad_template_is_sent_back_and_then_refused(ask: Any, bad: Any, reason: str) -> None:
    answer, model = ask(template=[bad])
    assert (answer.values, answer.status, model.agents()) == ((), "unknown", ["template"] * 2)
    assert reason in model.asked[1].messages[-1].content
    assert answer.reason.code == "too-unsure"


def test_a_number_that_was_not_shown_is_sent_back_and_then_refused(ask: Any) -> None:
    answer, model = ask(template=[RIGHT], relations=[{"choices": [[99]]}])
    assert (said(answer), answer.reason.code) == ([], "too-unsure")
    assert "commands has no number 99." in model.asked[2].messages[-1].content


@pytest.mark.parametrize("agent", ["template", "relations"])
def test_a_model_that_refuses_leads_to_a_refusal(ask: Any, agent: str) -> None:
    answer, _ = ask(**{"template": [RIGHT], agent: [ModelRefused("no", model="scripted")]})
    assert (answer.status, answer.reason.code) == ("unknown", "too-unsure")


def test_the_next_try_is_told_what_came_of_the_one_before(ask: Any) -> None:
    unknown = {
        **CAPTAIN,
        "triples": [["Zebra", "captain", "?x"]],
        "template": "SELECT ?x WHERE { <Zebra> <captain> ?x }",
    }
    answer, model = ask(template=[unknown, CAPTAIN])
    assert (said(answer), answer.confidence) == (["Ann Lee"], 0.7)
    told = [request for request in model.asked if request.agent == "triad/template"][1].messages[1].content
    assert "Tried before: SELECT ?x WHERE { <Zebra> <captain> ?x }" in told and 'does not know "Zebra"' in told


@pytest.mark.parametrize(("tries", "calls"), [(1, 1), (3, 2)])
def test_a_generalist_that_repeats_itself_ends_the_tries(ask: Any, tries: int, calls: int) -> None:
    unknown = {
        **CAPTAIN,
        "triples": [["Zebra", "captain", "?x"]],
        "template": "SELECT ?x WHERE { <Zebra> <captain> ?x }",
    }
    answer, model = ask(switches=TriadSwitches(tries=tries), template=[unknown])
    assert (answer.reason.code, model.agents().count("template")) == ("unknown-name", calls)


def test_words_that_nothing_expresses_are_not_dropped(ask: Any) -> None:
    answer, _ = ask("Who commands the haunted Aurora?", template=[{**CAPTAIN, "unused": ["haunted"]}])
    assert (answer.reason.code, answer.unused) == ("unknown-qualifier", ("haunted",))


def advise(ask: Any, advice: Any, reply: dict[str, Any], memory: Any) -> Any:
    switches = TriadSwitches(advice=advice, tries=1)
    return ask(switches=switches, template=[reply], llm_only=[memory])


def test_the_memory_is_asked_only_where_the_switch_says_so(ask: Any) -> None:
    unknown = {
        **CAPTAIN,
        "triples": [["Zebra", "captain", "?x"]],
        "template": "SELECT ?x WHERE { <Zebra> <captain> ?x }",
    }
    yes_no = {
        "class": "boolean",
        "triples": [["Zebra", "captain", "Aurora"]],
        "template": "ASK { <Zebra> <captain> <Aurora> }",
    }
    remembered = {"answers": ["Ann Lee"]}
    for advice, reply in (("off", unknown), ("boolean", unknown)):
        answer, model = advise(ask, advice, reply, remembered)
        assert answer.values == () and "llm_only" not in model.agents()
    answer, _ = advise(ask, "all", unknown, remembered)
    assert (said(answer), answer.grounded, answer.sparql, answer.candidates) == (["Ann Lee"], False, "", ())
    assert "This is from the model's memory: the graph gave no answer." in answer.notes
    answer, _ = advise(ask, "boolean", yes_no, {"answers": ["yes"]})
    assert (answer.values[0].value, answer.grounded) == ("true", False)
    for memory in (remembered, {"answers": []}, ModelRefused("no", model="scripted")):
        answer, _ = advise(ask, "boolean", yes_no, memory)
        assert (answer.values, answer.reason.code) == ((), "unknown-name")
    answer, model = advise(ask, "all", CAPTAIN, remembered)
    assert answer.grounded and "llm_only" not in model.agents()


def test_a_number_that_the_graph_states_is_not_counted(ask: Any) -> None:
    relation, number = ["Aurora", "number of crew members", "?n"], "<Aurora> <number of crew members> ?n"
    counted = {"class": "count", "triples": [relation], "template": f"SELECT (COUNT(?n) AS ?c) WHERE {{ {number} }}"}
    stated = {"class": "select", "triples": [relation], "template": f"SELECT ?n WHERE {{ {number} }}"}
    question, chosen = "How many crew members does the Aurora have?", {"relations": [{"choices": [[1]]}]}
    answer, model = ask(question, template=[counted, stated], **chosen)
    assert (said(answer), answer.confidence) == (["14"], 0.7)
    assert "states the number itself (number of crew members)" in model.asked[2].messages[1].content
    answer, _ = ask(question, template=[counted], **chosen)
    assert (answer.values, answer.reason.code) == ((), "too-unsure")


def test_a_date_is_asked_for_and_no_place(ask: Any) -> None:
    born = {
        "class": "select",
        "triples": [["Ann Lee", "born", "?x"]],
        "template": "SELECT ?x WHERE { <Ann Lee> <born> ?x }",
    }
    answer, _ = ask("When was Ann Lee born?", template=[born], relations=[{"choices": [[1]]}])
    assert (answer.values, answer.reason.code) == ((), "not-stated")


def test_who_is_answered_by_no_number(ask: Any) -> None:
    length = {
        "class": "select",
        "triples": [["Aurora", "length", "?x"]],
        "template": "SELECT ?x WHERE { <Aurora> <length> ?x }",
    }
    assert said(ask("What is the length of the Aurora?", template=[length])[0]) == ["120.5"]
    assert ask("Who is the length of the Aurora?", template=[length])[0].values == ()


def test_a_phrase_is_no_end_and_a_relation_at_once(ask: Any) -> None:
    ships = {
        "class": "select",
        "triples": [["?x", "is a", "ship"], ["?x", "ship", "Bob Ray"]],
        "template": "SELECT ?x WHERE { ?x <is a> <ship> ; <ship> <Bob Ray> }",
    }
    answer, model = ask("Which ships does Bob Ray command?", template=[ships])
    assert answer.reason.code == "too-unsure"
    assert "<ship> is an end and a relation" in model.asked[1].messages[-1].content


def test_the_kind_of_an_unknown_is_the_class_of_that_name(ask: Any) -> None:
    template = "SELECT ?x WHERE { ?x <is a> <ship> ; <captain> <Bob Ray> }"
    tankers = {
        "class": "select",
        "triples": [["?x", "is a", "ship"], ["?x", "captain", "Bob Ray"]],
        "template": template,
    }
    answer, model = ask("Which ships does Bob Ray command?", template=[tankers], relations=[{"choices": [[1]]}])
    assert said(answer) == ["Borealis"]  # a tanker, which is a ship
    assert "entities" not in model.agents()


@pytest.mark.parametrize(
    ("switches", "asked"),
    [
        (TriadSwitches(), ["template", "relations", "query"]),
        (TriadSwitches(query_choice=False), ["template", "relations"]),
        (TriadSwitches(uri_choice=False), ["template"]),
        (TriadSwitches(relations=1), ["template", "relations"]),
    ],
)
def test_each_part_can_be_left_out(ask: Any, switches: TriadSwitches, asked: list[str]) -> None:
    reply = {"relations": [{"choices": [[1, 2]]}], "query": [{"choices": [[1]]}]}
    answer, model = ask(switches=switches, template=[CAPTAIN], **reply)
    assert (said(answer), model.agents()) == (["Ann Lee"], asked)


@pytest.mark.parametrize("shots", [0, 1, 3])
def test_the_examples_are_as_many_as_the_switch_says(ask: Any, shots: int) -> None:
    _, model = ask(switches=TriadSwitches(shots=shots), template=[CAPTAIN])
    assert model.asked[0].messages[0].content.count("Example: ") == shots


def test_the_choice_of_queries_may_find_none(ask: Any) -> None:
    two = {"relations": [{"choices": [[1, 2]]}], "query": [{"choices": [[]]}]}
    answer, model = ask(template=[RIGHT], **two)
    assert "query" in model.agents() and answer.reason.code == "too-unsure"
