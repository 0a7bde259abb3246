"""The service as clients see it: TEXT2SPARQL's GET, conversations that outlive it, bad input, and crowds."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from chattyshared.endpoint.local import LocalEndpoint
from chattyshared.errors import ConfigError, EndpointUnavailable, QueryRejected
from chattyshared.model.rules import RuleModel
from invented_graphs import open_graph
from wire.running_service import Running

from chattykg.engine import ChattyEngine, Settings
from chattykg.rulebook import RULEBOOK
from chattykg.service.app import make_app
from chattykg.service.datasets import DatasetRegistry, ServedDataset
from chattykg.service.sessions import SessionStore

pytestmark = pytest.mark.slow


PLANTED = "Who planted Old Bramley?"


def test_text2sparql_gets_the_query_that_answers(service, graphs):
    got = service.get("/", question=PLANTED, dataset="orchard")
    assert (got.status, got.json["question"], got.json["dataset"]) == (200, PLANTED, "orchard")
    rows = LocalEndpoint([graphs["orchard"]]).select(got.json["query"])
    assert [[str(term) for term in row.values()] for row in rows] == [["https://orchard.example/g1"]]


def test_a_clarification_is_resolved_by_the_next_question(tmp_path):
    kg = open_graph("two_piers")
    engine = ChattyEngine(kg, RuleModel(RULEBOOK), settings=Settings(clarify="ask"))
    registry = DatasetRegistry({"piers": ServedDataset("piers", kg, engine)}, "rules")
    with Running(make_app(registry, SessionStore(tmp_path / "talks.sqlite"))) as client:
        asked = client.chat("How long is North Pier?", dataset="piers").json
        options = [option["label"] for option in asked["clarification"]["options"]]
        assert (asked["status"], options) == ("clarification", ["North Pier (town Lund)", "North Pier (town Oslo)"])
        assert client.get(f"/chat/{asked['session']}").json["turns"][0]["clarification"] == asked["clarification"]
        assert client.chat(options[1], session=asked["session"]).json["answers"] == ["90"]
        assert client.chat("No, I meant the other one.", session=asked["session"]).json["answers"] == ["40"]
        assert client.chat("And the other one?", session=asked["session"]).json["status"] == "clarification"
        assert "SELECT" in client.get("/", question="How long is North Pier?", dataset="piers").json["query"]


@pytest.mark.parametrize(
    ("parameters", "status", "said"),
    [
        ({"question": PLANTED, "dataset": "nowhere"}, 404, "unknown dataset 'nowhere': there is orchard, urn:x:piers"),
        ({"question": PLANTED}, 422, "missing: dataset; GET /?question="),
        ({"dataset": "orchard"}, 422, "missing: question; GET /?question="),
        ({}, 422, "missing: question and dataset; GET /?question="),
    ],
)
def test_text2sparql_is_refused_as_it_expects(service, parameters, status, said):
    got = service.get("/", **parameters)
    assert (got.status, list(got.json)) == (status, ["detail"])
    assert got.json["detail"].startswith(said)


def test_a_conversation_goes_on(service):
    first = service.chat(PLANTED, dataset="orchard").json
    assert (first["answers"], first["labels"], first["turn"]) == (["https://orchard.example/g1"], ["Ida Moor"], 1)
    assert "Ida Moor" in first["sentence"] and first["asked"]
    assert first["sparql"].startswith("SELECT") and first["status"] == "answered"
    assert first["qir"]["triples"] and first["links"]["entities"][0]["label"] == "Old Bramley"
    assert first["timing"]["total"] > 0 and {"understanding", "linking", "selection", "execution"} <= set(
        first["timing"]
    )
    then = service.chat("When was she born?", session=first["session"]).json
    assert (then["answers"], then["turn"], then["session"]) == (["1931-04-02"], 2, first["session"])
    whole = service.get(f"/chat/{first['session']}").json
    assert [turn["question"] for turn in whole["turns"]] == [PLANTED, "When was she born?"]
    assert whole["turns"][1] == {key: part for key, part in then.items() if key not in ("session", "dataset")}


def test_a_reply_tells_why_there_is_no_answer(service):
    got = service.chat("Who planted the Zeppelin?", dataset="orchard").json
    assert (got["status"], got["reason"]["code"], got["answers"]) == ("unknown", "unknown-name", [])
    assert got["sentence"] == got["reason"]["text"]
    whole = service.get(f"/chat/{got['session']}").json
    assert whole["turns"][0]["reason"] == got["reason"]


def test_conversations_do_not_hear_each_other(service):
    one = service.chat(PLANTED, dataset="orchard").json["session"]
    other = service.chat("Who planted Young Russet?", dataset="orchard").json["session"]
    assert one != other
    assert service.chat("When was she born?", session=one).json["answers"] == ["1931-04-02"]
    assert service.chat("When was he born?", session=other).json["answers"] == ["1950-09-12"]


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        (b"{", 422, "the body is not JSON"),
        (b"", 422, "the body is not JSON"),
        (b"[]", 422, "send a JSON object with Content-Type: application/json"),
        (b"{}", 422, "question: Field required"),
        (b'{"question": 7}', 422, "question: Input should be a valid string"),
        (b'{"question": null}', 422, "question: Input should be a valid string"),
        (b'{"question": "  "}', 422, "question: String should have at least 1 character"),
        (b'{"question": "Who?"}', 422, "name the dataset: there is orchard, urn:x:piers"),
        (b'{"question": "Who?", "dataset": "nowhere"}', 404, "unknown dataset 'nowhere'"),
        (b'{"question": "Who?", "session": "nobody"}', 404, "there is no such conversation"),
        (b'{"question": "Who?", "session": "' + b"x" * 9000 + b'"}', 404, "there is no such conversation"),
        (b"\xff\xfe", 422, "the body is not JSON"),
        (b"[" * 50_000, 422, "the body is not JSON"),
    ],
)
def test_bad_input_is_told_in_a_sentence(service, body, status, said):
    got = service.send("POST", "/chat", body, Content_Type="application/json")
    assert (got.status, list(got.json)) == (status, ["detail"])
    assert got.json["detail"].startswith(said) and "Traceback" not in got.json["detail"]


def test_half_a_surrogate_pair_is_survived(service):
    got = service.send(
        "POST", "/chat", b'{"question": "Who planted \\ud800?", "dataset": "orchard"}', Content_Type="application/json"
    )
    assert got.status == 200 and got.json["standalone"].startswith("Who planted ")
    assert service.get(f"/chat/{got.json['session']}").status == 200


def test_another_data_set_needs_another_session(service):
    session = service.chat(PLANTED, dataset="orchard").json["session"]
    got = service.chat("Who is the keeper of West Pier?", session=session, dataset="urn:x:piers")
    assert (got.status, "about the dataset orchard" in got.json["detail"]) == (409, True)


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_of_10_mb_is_refused_and_the_service_goes_on(service, chunked):
    body = b'{"question": "' + b"x" * (10 << 20) + b'"}'
    if chunked:
        whole = body
        body = (whole[place : place + 65_536] for place in range(0, len(whole), 65_536))
    got = service.send("POST", "/chat", body, Content_Type="application/json")
    assert (got.status, got.json) == (413, {"detail": "the body has more than 64 kB; a question is shorter"})
    assert service.get("/health").status == 200


def test_a_long_question_is_answered_by_a_sentence(service):
    got = service.chat("x" * 30_000, dataset="orchard")
    assert got.status == 200 and "too long" in got.json["sentence"]
    assert service.get("/", question="x" * 30_000, dataset="orchard").json["query"] == ""


def test_200_clients_at_once(service):
    def one(number):
        if number % 2:
            return service.chat(PLANTED, dataset="orchard").json["answers"]
        return "t2" in str(service.get("/", question="Who planted Young Russet?", dataset="orchard").json)

    with ThreadPoolExecutor(200) as crowd:
        got = list(crowd.map(one, range(200)))
    assert [each for each in got[1::2] if each != ["https://orchard.example/g1"]] == []
    assert service.get("/health").json["status"] == "ok"


class Failing:
    """An engine whose world has gone."""

    def __init__(self, error):
        self.error = error

    def answer_with_trace(self, question, history=(), *, span="", progress=None):
        raise self.error

    def answer(self, question, history=(), *, span=""):
        raise self.error


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (EndpointUnavailable("the graph is down"), 503),
        (QueryRejected("no such function"), 502),
        (ZeroDivisionError(), 500),
    ],
)
def test_a_world_that_fails_is_told_and_not_remembered(desk, tmp_path, error, status, caplog):
    orchard = desk.datasets["orchard"]
    sessions = SessionStore(tmp_path / "talks.sqlite")
    broken = replace(desk, datasets={"orchard": replace(orchard, engine=Failing(error))})
    kept = sessions.add_turn(sessions.open_session("orchard"), orchard.answer_turn(PLANTED))
    with Running(make_app(broken, sessions)) as client:
        got = client.chat("When was she born?", session=kept.id)
        assert got.status == status and "Traceback" not in got.json["detail"]
        assert status == 500 or str(error) in got.json["detail"]
        assert len(client.get(f"/chat/{kept.id}").json["turns"]) == 1
        assert client.get("/", question="Who?", dataset="orchard").status == status


def test_health_tells_what_is_served(service):
    got = service.get("/health").json
    assert got["status"] == "ok" and got["model"] == "rules" and got["version"] == "1"
    assert [(each["name"], each["triples"]) for each in got["datasets"]] == [("orchard", 18), ("urn:x:piers", 7)]


def test_a_history_comes_back_whole(desk, tmp_path):
    """What an engine is told of earlier turns is what it said, to the last field."""
    turn = desk.datasets["orchard"].answer_turn("Who planted Young Russet?")
    with SessionStore(tmp_path / "talks.sqlite") as sessions:
        session = sessions.add_turn(sessions.open_session("orchard"), turn)
    with SessionStore(tmp_path / "talks.sqlite") as sessions:
        (exchange,) = sessions.find_session(session.id).history
    assert exchange.answer == turn.result.answer


def test_a_file_that_holds_no_conversations_is_told(tmp_path):
    (tmp_path / "no.sqlite").write_text(json.dumps({"not": "a database"}) * 50)
    with pytest.raises(ConfigError, match="cannot be kept there"):
        SessionStore(tmp_path / "no.sqlite")
