"""Conversations end: after a time, when there are too many, and when they are too long."""

import sqlite3
import time
from contextlib import closing

import pytest
from chattyshared.errors import ConfigError
from wire.running_service import Running

from chattykg.service.app import make_app
from chattykg.service.errors import Failure
from chattykg.service.sessions import MAX_TURN_BYTES, Session, SessionStore

PLANTED = "Who planted Old Bramley?"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "talks.sqlite"


def kept(path):
    with closing(sqlite3.connect(path)) as connection:
        return {id for (id,) in connection.execute("SELECT id FROM conversations")}


@pytest.mark.slow
def test_a_conversation_expires(desk, path):
    with Running(make_app(desk, SessionStore(path, hours=0.5 / 3600))) as client:
        session = client.chat(PLANTED, dataset="orchard").json["session"]
        end = time.monotonic() + 10
        while client.get(f"/chat/{session}").status == 200:
            assert time.monotonic() < end
        assert client.chat("When was she born?", session=session).status == 404
        assert kept(path) == set()


def test_several_processes_share_a_file_and_lose_no_turn(desk, path):
    turn = desk.datasets["orchard"].answer_turn(PLANTED)
    with SessionStore(path) as one, SessionStore(path) as other:
        session = one.add_turn(one.open_session("orchard"), turn)
        same = other.find_session(session.id)
        assert len(other.add_turn(same, turn).turns) == 2
        with pytest.raises(Failure, match="answered meanwhile"):
            one.add_turn(session, turn)
        assert len(one.find_session(session.id).turns) == 2


def test_a_file_of_an_earlier_version_is_refused(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE checkpoints (thread_id TEXT)")
    with pytest.raises(ConfigError, match="of version 0.2: name another file by --sessions"):
        SessionStore(path)


@pytest.mark.slow
def test_expired_conversations_are_deleted_with_the_next(desk, path):
    turn = desk.datasets["orchard"].answer_turn
    with SessionStore(path) as sessions:
        for _ in range(3):
            sessions.add_turn(sessions.open_session("orchard"), turn(PLANTED))
        assert len(kept(path)) == 3
    time.sleep(0.1)
    with SessionStore(path, hours=0.1 / 3600) as sessions:
        assert kept(path) == set()
        sessions.add_turn(sessions.open_session("orchard"), turn(PLANTED))
        time.sleep(0.2)
        last = sessions.add_turn(sessions.open_session("orchard"), turn(PLANTED))
        assert kept(path) == {last.id}
    with SessionStore(path, hours=0) as sessions:
        assert sessions.find_session(last.id).turns == last.turns


def test_of_too_many_conversations_the_idlest_go(desk, path):
    turn = desk.datasets["orchard"].answer_turn
    with SessionStore(path, max_sessions=3) as sessions:
        first, second, third = (sessions.add_turn(sessions.open_session("orchard"), turn(PLANTED)) for _ in range(3))
        sessions.add_turn(first, turn("When was she born?"))
        fourth = sessions.add_turn(sessions.open_session("orchard"), turn(PLANTED))
        assert sessions.find_session(second.id) is None
        assert kept(path) == {first.id, third.id, fourth.id}
        assert len(sessions.find_session(first.id).turns) == 2


def test_a_conversation_has_room_for_so_many_turns(desk, path):
    with Running(make_app(desk, SessionStore(path, max_turns=2))) as client:
        session = client.chat(PLANTED, dataset="orchard").json["session"]
        assert client.chat("When was she born?", session=session).json["turn"] == 2
        got = client.chat("When was she born?", session=session)
        assert got.status == 409 and got.json["detail"].startswith("this session has 2 turns, which fill it")
        assert len(client.get(f"/chat/{session}").json["turns"]) == 2
    with SessionStore() as sessions:
        assert sessions.is_full(Session("x", "orchard", bytes=MAX_TURN_BYTES + 1))
