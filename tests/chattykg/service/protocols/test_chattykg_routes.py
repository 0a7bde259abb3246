"""Chatty-KG's API: its fields, a conversation per client, the shared one, and the project's own engine as a client."""

import json
import re
from dataclasses import replace

import pytest
from chattyshared.dialogue import Exchange
from wire.running_service import Client, Got, Running

from chattykg.engines.chatty_kg import ChattyKGService
from chattykg.engines.system_client import SystemClient
from chattykg.service.access.accounts import AccessPolicy
from chattykg.service.access.api_keys import ApiKey, ApiKeys
from chattykg.service.app import make_app
from chattykg.service.sessions import SessionStore

PLANTED = "Who planted Old Bramley?"


def post(client: Client, path: str, cookie: str = "", **body: object) -> Got:
    headers = {"Cookie": cookie} if cookie else {}
    return client.send("POST", path, json.dumps(body).encode(), Content_Type="application/json", **headers)


def ask(client: Client, question: str, cookie: str = "", **more: object) -> dict:
    got = post(client, "/ask", cookie, question=question, **more)
    assert got.status == 200, got.body
    return got.json


def test_a_reply_has_the_fields_of_chatty_kg(service: Client) -> None:
    started = post(service, "/start_chat", knowledge_graph="orchard")
    assert started.json["knowledge_graph"] == "orchard" and started.json["session"]
    reply = ask(service, PLANTED)
    assert reply["answer"] == ["https://orchard.example/g1"] and reply["labels"] == ["Ida Moor"]
    assert len(reply["sparql_query"]) == 1 and reply["resolved_question"] == PLANTED
    assert [len(triple) for triple in reply["qir"]] == [3] and "Old Bramley" in reply["qir"][0]
    assert [entity["iri"] for entity in reply["entities"]] == ["https://orchard.example/t1"]
    (relation,) = reply["relations"]
    assert relation == {
        "relation": "https://orchard.example/planted", "entity": "https://orchard.example/t1", "direction": "out",
        "score": relation["score"],
    }  # fmt: skip
    assert reply["counts"] == {"answers": 1, "queries": 1, "entities": 1, "relations": 1}
    assert set(reply["timing"]) == {"understanding", "linking", "query_selection", "execution"}
    assert ask(service, "When was she born?")["answer"] == ["1931-04-02"]


def test_clients_that_name_no_conversation_share_one(service: Client) -> None:
    assert post(service, "/ask", question=PLANTED).status == 409
    post(service, "/start_chat", knowledge_graph="orchard")
    assert ask(service, PLANTED)["turn"] == 1
    assert ask(service, "Who planted Young Russet?")["turn"] == 2
    post(service, "/start_chat", knowledge_graph="urn:x:piers")
    assert ask(service, "Who is the keeper of West Pier?")["turn"] == 1


def test_a_cookie_or_a_session_names_a_conversation_of_ones_own(service: Client) -> None:
    first = post(service, "/start_chat", knowledge_graph="orchard")
    cookie = first.headers["set-cookie"].partition(";")[0]
    assert "HttpOnly" in first.headers["set-cookie"] and "SameSite=strict" in first.headers["set-cookie"]
    second = post(service, "/start_chat", knowledge_graph="orchard").json["session"]
    assert ask(service, PLANTED, cookie)["turn"] == 1
    assert ask(service, "Who planted Young Russet?", session=second)["turn"] == 1
    assert ask(service, "When was she born?", cookie)["answer"] == ["1931-04-02"]
    assert ask(service, "When was he born?", session=second)["answer"] == ["1950-09-12"]
    again = post(service, "/start_chat", cookie, knowledge_graph="urn:x:piers")
    assert ask(service, PLANTED, again.headers["set-cookie"].partition(";")[0])["answer"] == []
    assert ask(service, PLANTED)["turn"] == 3, "the conversation of a client with a cookie became the shared one"


def test_reset_forgets_the_conversation_and_keeps_the_graph(service: Client) -> None:
    assert service.get("/reset").json == {"message": "there was no conversation"}
    assert service.get("/info").json["knowledge_graph"] is None
    post(service, "/start_chat", knowledge_graph="orchard")
    ask(service, PLANTED)
    info = service.get("/info").json
    assert (info["knowledge_graph"], info["turns"]) == ("orchard", 1)
    assert info["knowledge_graphs"] == ["orchard", "urn:x:piers"] and info["model"] == "rules"
    assert service.get("/reset").json == {"message": "the conversation is forgotten"}
    assert service.get("/info").json["turns"] == 0
    assert ask(service, "Who planted Young Russet?")["turn"] == 1


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/start_chat", {"knowledge_graph": "nowhere"}, 404),
        ("/start_chat", {}, 422),
        ("/start_chat", {"knowledge_graph": 3}, 422),
        ("/ask", {"question": " "}, 422),
        ("/ask", {}, 422),
        ("/ask", {"question": PLANTED, "session": "nobody"}, 404),
        ("/ask", {"question": PLANTED, "session": "x" * 10_000}, 404),
        ("/ask", {"question": "x" * 100_000}, 413),
    ],
)
def test_what_is_wrong_is_told(service: Client, path: str, body: dict, status: int) -> None:
    got = post(service, path, **body)
    assert got.status == status and got.json["detail"]


def test_a_conversation_outlives_the_service_and_may_be_full(desk, tmp_path) -> None:
    path = tmp_path / "talks.sqlite"
    with Running(make_app(desk, SessionStore(path))) as client:
        session = post(client, "/start_chat", knowledge_graph="orchard").json["session"]
        ask(client, PLANTED, session=session)
    with Running(make_app(desk, SessionStore(path, max_turns=2))) as client:
        assert ask(client, "When was she born?", f"chattykg_session={session}")["answer"] == ["1931-04-02"]
        assert post(client, "/ask", question=PLANTED, session=session).status == 409


def test_keys_have_conversations_of_their_own_and_questions_are_counted(desk, tmp_path) -> None:
    keys = (ApiKey("ann", "a" * 20), ApiKey("bob", "b" * 20))
    app = make_app(desk, SessionStore(tmp_path / "talks.sqlite"), access=AccessPolicy(ApiKeys(keys)))
    with Running(app) as client:
        ann, bob = ({"Authorization": f"Bearer {letter * 20}"} for letter in "ab")

        def send(path: str, headers: dict, **body: object) -> Got:
            return client.send("POST", path, json.dumps(body).encode(), Content_Type="application/json", **headers)

        assert send("/ask", {}, question=PLANTED).status == 401
        session = send("/start_chat", ann, knowledge_graph="orchard").json["session"]
        assert send("/ask", ann, question=PLANTED).json["turn"] == 1
        assert send("/ask", bob, question=PLANTED).status == 409
        assert send("/ask", bob, question=PLANTED, session=session).status == 404
        send("/start_chat", bob, knowledge_graph="orchard")
        assert send("/ask", bob, question=PLANTED).json["turn"] == 1
        assert send("/ask", ann, question="When was she born?").json["turn"] == 2
        metrics = client.send("GET", "/metrics", **ann).body.decode()
        assert re.search(r'questions_total\{.*door="chattykg".*\} 3', metrics), metrics


def test_the_engine_for_chatty_kg_asks_this_service(desk, tmp_path) -> None:
    only = replace(desk, datasets={"orchard": desk.datasets["orchard"]})
    with Running(make_app(only, SessionStore(tmp_path / "talks.sqlite"))) as client:
        engine = ChattyKGService(SystemClient(client.url), "orchard")
        first = engine.answer(PLANTED)
        assert [value.value for value in first.values] == ["https://orchard.example/g1"] and "SELECT" in first.sparql
        assert first.entities[0].iri == "https://orchard.example/t1"
        assert first.relations[0].iri == "https://orchard.example/planted"
        later = engine.answer("When was she born?", (Exchange(PLANTED, first),))
        assert later.standalone == "When was Ida Moor born?" and later.values[0].value == "1931-04-02"
