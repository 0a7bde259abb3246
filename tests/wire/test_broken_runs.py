"""Runs over an endpoint that goes away in the middle: they stop, and go on from there; nothing is taken for empty."""

import json

import pytest
from chattyshared.commands.exit_codes import STOPPED, exit_code_and_message
from chattyshared.endpoint.remote import RemoteEndpoint
from chattyshared.errors import EndpointUnavailable
from chattyshared.kg import KnowledgeGraph
from chattyshared.model.rules import RuleModel
from chattyshared.runs.output import Output
from ship_graph import SHIPS, ships
from wire.server import Fault
from wire.still_clock import StillClock

from chattygen import RULEBOOK, Options
from chattygen.runs.recording import record_run
from chattykg import rulebook
from chattykg.engine import ChattyEngine
from chattykg.runs.batch import answer_conversations
from chattykg.runs.question_sets import Conversation, QuestionItem

GONE = {
    "HTML": Fault(body="<html>Down for repairs</html>", content_type="text/html"),
    "down": Fault(reset=True),
    "503": Fault(503, "busy"),
    "500 to everything": Fault(500, "no space left on device"),
    "cut": Fault(headers={"Content-Length": "100000"}),
}
QUESTIONS = tuple(f"Who commanded the {ship}?" for ship in SHIPS[:4])


@pytest.fixture
def server(sparql_server):
    return sparql_server(ships())


def opened(server):
    clock = StillClock()
    return KnowledgeGraph(RemoteEndpoint(server.url, sleep=clock.sleep, clock=clock), name="kg", use_index=False)


@pytest.mark.parametrize("fault", ["HTML", "down"])
def test_a_generation_stops_and_goes_on_to_the_same_bytes(server, tmp_path, fault):
    options = Options(dialogues=3, turns=3)

    def made(name, watch=lambda tally: None):
        record_run(opened(server), RuleModel(RULEBOOK), options, tmp_path / name, on_progress=watch)
        return (tmp_path / name).read_bytes()

    def breaks(tally):
        server.always = GONE[fault]

    with pytest.raises(EndpointUnavailable) as caught:
        made("broken.jsonl", breaks)
    assert exit_code_and_message(caught.value)[0] == STOPPED
    server.always = None
    assert made("broken.jsonl") == made("whole.jsonl")
    assert (tmp_path / "broken.jsonl.rejected.jsonl").read_bytes() == (
        tmp_path / "whole.jsonl.rejected.jsonl"
    ).read_bytes()


@pytest.mark.parametrize("fault", GONE)
def test_answering_stops_and_goes_on_without_an_error_per_question(server, tmp_path, fault):
    asked = [QuestionItem(place, str(place), question) for place, question in enumerate(QUESTIONS)]
    talks = [Conversation((one,), is_standalone=True) for one in asked]

    def answered(told=lambda number: None):
        engine = ChattyEngine(opened(server), RuleModel(rulebook.RULEBOOK))
        with Output(tmp_path / "a.jsonl", {"x": 1}) as output:
            return answer_conversations(engine, talks, output, on_progress=told)

    def breaks(number):
        if number:
            server.always = GONE[fault]

    with pytest.raises(EndpointUnavailable):
        answered(breaks)
    kept = (tmp_path / "a.jsonl").read_text().splitlines()
    assert len(kept) == 1
    server.always = None
    assert answered().errors == 0
    lines = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert json.loads(kept[0]) == lines[0]
    assert [bool(line["answers"]) for line in lines] == [True] * 4
