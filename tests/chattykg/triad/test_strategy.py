"""The Triad strategy: a template, the choice of terms and of a query, tries, and the model's memory."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
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


def select(start: str, relation: str, end: str, kind: str = "select") -> dict[str, Any]:
    """The reply of a generalist for one triple, of which an end may be ?x."""
    ends = [each if each.startswith("?") else f"<{each}>" for each in (start, end)]
    form = "ASK" if kind == "boolean" else "SELECT ?x WHERE"
    template = f"{form} {{ {ends[0]} <{relation}> {ends[1]} }}"
    return {"class": kind, "triples": [[start, relation, end]], "template": template}


CAPTAIN = select("Aurora", "captain", "?x")
UNKNOWN = select("Zebra", "captain", "?x")
BORN = select("Ann Lee", "born", "?x")
HAUNTED = CAPTAIN | {"unused": ["haunted"]}
FIRST = [{"choices": [[1]]}]


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
    assert (list(answer.labels), answer.confidence) == (["Ann Lee"], 0.8)
    assert (
        answer.sparql == "SELECT ?x WHERE { <https://ships.example/aurora> <https://ships.example/vocab/captain> ?x }"
    )
    assert [candidate.query for candidate in answer.candidates][0] == answer.sparql
    assert [link.iri for link in answer.entities] == ["https://ships.example/aurora"]


CREW = ["Aurora", "number of crew members", "?n"]
COUNTED = {"class": "count", "triples": [CREW],
           "template": "SELECT (COUNT(?n) AS ?c) WHERE { <Aurora> <number of crew members> ?n }"}  # fmt: skip
STATED = {"class": "select", "triples": [CREW],
          "template": "SELECT ?n WHERE { <Aurora> <number of crew members> ?n }"}  # fmt: skip
OF_BOB = {"class": "select", "triples": [["?x", "is a", "ship"], ["?x", "captain", "Bob Ray"]],
          "template": "SELECT ?x WHERE { ?x <is a> <ship> ; <captain> <Bob Ray> }"}  # fmt: skip


def is_ann(body: str) -> dict[str, Any]:
    return {"class": "boolean", "triples": [["Ann Lee", "captain", "Aurora"]], "template": f"ASK {{ {body} }}"}


@pytest.mark.parametrize(
    ("question", "replies", "expected", "agents"),
    [
        (QUESTION, {"template": [select("?x", "captain", "Aurora")]}, ["Ann Lee"], []),  # it is turned round
        ("Is Ann Lee the captain of the Aurora?", {"template": [is_ann("<Aurora> <captain> <Ann Lee>")],
         "relations": FIRST}, ["true"], []),
        ("Is Ann Lee the captain of the Aurora?",
         {"template": [is_ann("?ship <captain> <Ann Lee> . FILTER(?ship = <Aurora>)")], "relations": FIRST,
          "query": [{"choices": [[2]]}]}, ["true"], ["query"]),
        ("How many crew members does the Aurora have?", {"template": [COUNTED, STATED], "relations": FIRST}, ["14"],
         ["template", "relations"]),
        ("How many crew members does the Aurora have?", {"template": [COUNTED], "relations": FIRST}, "too-unsure", []),
        ("When was Ann Lee born?", {"template": [BORN], "relations": FIRST}, "not-stated", []),
        ("What is the length of the Aurora?", {"template": [select("Aurora", "length", "?x")]}, ["120.5"], []),
        ("Who is the length of the Aurora?", {"template": [select("Aurora", "length", "?x")]}, "not-stated", []),
        ("Which ships does Bob Ray command?", {"template": [OF_BOB], "relations": FIRST}, ["Borealis"], []),
        ("Who commands the haunted Aurora?", {"template": [HAUNTED]}, "unknown-qualifier", []),
        (QUESTION, {"template": [RIGHT], "relations": [{"choices": [[1, 2]]}], "query": [{"choices": [[]]}]},
         "too-unsure", ["query"]),
        (QUESTION, {"template": [ModelRefused("no", model="scripted")]}, "too-unsure", []),
        (QUESTION, {"template": [RIGHT], "relations": [ModelRefused("no", model="scripted")]}, "too-unsure", []),
    ],
)  # fmt: skip
def test_replies_have_their_outcome(ask: Any, question: str, replies: Any, expected: Any, agents: list[str]) -> None:
    answer, model = ask(question, **replies)
    assert (list(answer.labels) or answer.reason.code) == expected
    assert set(agents) <= set(model.agents())
    assert "^" not in answer.sparql and "entities" not in model.agents()


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
        (
            {
                **RIGHT,
                "triples": [["?x", "is a", "ship"], ["?x", "ship", "Aurora"]],
                "template": "SELECT ?x WHERE { ?x <is a> <ship> ; <ship> <Aurora> }",
            },
            "<ship> is an end and a relation",
        ),  # fmt: skip
    ],
)
def test_a_bad_template_is_sent_back_and_then_refused(ask: Any, bad: Any, reason: str) -> None:
    answer, model = ask(template=[bad])
    assert (answer.values, answer.status, model.agents()) == ((), "unknown", ["template"] * 2)
    assert reason in model.asked[1].messages[-1].content
    assert answer.reason.code == "too-unsure"


def test_a_number_that_was_not_shown_is_sent_back_and_then_refused(ask: Any) -> None:
    answer, model = ask(template=[RIGHT], relations=[{"choices": [[99]]}])
    assert (list(answer.labels), answer.reason.code) == ([], "too-unsure")
    assert "commands has no number 99." in model.asked[2].messages[-1].content


@pytest.mark.parametrize(("tries", "calls"), [(1, 1), (3, 2)])
def test_a_generalist_that_repeats_itself_ends_the_tries(ask: Any, tries: int, calls: int) -> None:
    answer, model = ask(switches=TriadSwitches(tries=tries), template=[UNKNOWN])
    assert (answer.reason.code, model.agents().count("template")) == ("unknown-name", calls)


def test_the_next_try_is_told_what_came_of_the_one_before(ask: Any) -> None:
    answer, model = ask(template=[UNKNOWN, CAPTAIN])
    assert (list(answer.labels), answer.confidence) == (["Ann Lee"], 0.7)
    told = [request for request in model.asked if request.agent == "triad/template"][1].messages[1].content
    assert "Tried before: SELECT ?x WHERE { <Zebra> <captain> ?x }" in told and 'does not know "Zebra"' in told
    question = "How many crew members does the Aurora have?"
    _, model = ask(question, template=[COUNTED, STATED], relations=FIRST)
    assert "states the number itself (number of crew members)" in model.asked[2].messages[1].content


def advise(ask: Any, advice: Any, reply: dict[str, Any], memory: Any) -> Any:
    switches = TriadSwitches(advice=advice, tries=1)
    return ask(switches=switches, template=[reply], llm_only=[memory])


def test_the_memory_is_asked_only_where_the_switch_says_so(ask: Any) -> None:
    yes_no = select("Zebra", "captain", "Aurora", "boolean")
    remembered = {"answers": ["Ann Lee"]}
    for advice, reply in (("off", UNKNOWN), ("boolean", UNKNOWN)):
        answer, model = advise(ask, advice, reply, remembered)
        assert answer.values == () and "llm_only" not in model.agents()
    answer, _ = advise(ask, "all", UNKNOWN, remembered)
    assert (list(answer.labels), answer.grounded, answer.sparql, answer.candidates) == (["Ann Lee"], False, "", ())
    assert "This is from the model's memory: the graph gave no answer." in answer.notes
    answer, _ = advise(ask, "boolean", yes_no, {"answers": ["yes"]})
    assert (answer.values[0].value, answer.grounded) == ("true", False)
    for memory in (remembered, {"answers": []}, ModelRefused("no", model="scripted")):
        answer, _ = advise(ask, "boolean", yes_no, memory)
        assert (answer.values, answer.reason.code) == ((), "unknown-name")
    answer, model = advise(ask, "all", CAPTAIN, remembered)
    assert answer.grounded and "llm_only" not in model.agents()


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
    assert (list(answer.labels), model.agents()) == (["Ann Lee"], asked)


@pytest.mark.parametrize("shots", [0, 1, 3])
def test_the_examples_are_as_many_as_the_switch_says(ask: Any, shots: int) -> None:
    _, model = ask(switches=TriadSwitches(shots=shots), template=[CAPTAIN])
    assert model.asked[0].messages[0].content.count("Example: ") == shots
