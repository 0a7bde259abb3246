from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from chattyshared.errors import ConfigError, ModelUnavailable
from chattyshared.model import Completion, Message, Request, Usage
from chattyshared.model.cache import CachedModel, explain_miss
from chattyshared.model.reply_store import ReplyStore, StoreSummary, cached_request, request_key

ASKED = Request("answer/qir", (Message("system", "Be\nbrief."), Message("user", "Which lamp?")), {"type": "object"})
SAID = Completion('{"é": "\\ud800"}', Usage(1, 10, 4, 2, 0.5, True), "length")


class Counted:
    name = "openai:m"

    def __init__(self, said=SAID, pause=0.0):
        self.said, self.pause, self.asked = said, pause, 0

    def complete(self, request):
        self.asked += 1
        time.sleep(self.pause)
        if isinstance(self.said, Exception):
            raise self.said
        return self.said


@pytest.fixture
def replies(tmp_path):
    kept = ReplyStore(tmp_path / "cache" / "replies.sqlite")
    yield kept
    kept.close()


def test_what_was_paid_is_said_again_whole_even_by_another_process_s_file(replies, tmp_path):
    model = Counted()
    assert [CachedModel(model, replies).complete(ASKED) for _ in range(3)] == [SAID] * 3
    other = ReplyStore(tmp_path / "cache" / "replies.sqlite")
    assert CachedModel(model, other).complete(ASKED) == SAID
    other.close()
    assert model.asked == 1


def test_the_key_is_model_messages_schema_parameters_and_attempt(replies):
    model = Counted()
    other = Counted()
    other.name = "openai:n"
    CachedModel(model, replies, {"temperature": 0}).complete(ASKED)
    others = [
        (model, {"temperature": 0}, replace(ASKED, messages=ASKED.messages[1:])),
        (model, {"temperature": 0}, replace(ASKED, schema=None)),
        (model, {"temperature": 0}, replace(ASKED, attempt=2)),
        (model, {"temperature": 1}, ASKED),
        (other, {"temperature": 0}, ASKED),
    ]
    for one, parameters, request in others:
        CachedModel(one, replies, parameters).complete(request)
    assert (model.asked, other.asked) == (5, 1)
    CachedModel(model, replies, {"temperature": 0}).complete(replace(ASKED, variables={"x": 1}))
    assert model.asked == 5


def test_two_threads_that_ask_the_same_pay_once(replies):
    model = Counted(pause=0.02)
    cached = CachedModel(model, replies)
    with ThreadPoolExecutor(8) as pool:
        said = list(pool.map(lambda _: cached.complete(ASKED), range(8)))
    assert (said, model.asked) == ([SAID] * 8, 1)


def test_half_a_surrogate_pair_in_a_prompt_is_kept(replies):
    request = replace(ASKED, messages=(Message("user", "a\ud800b"),))
    model = Counted()
    assert [CachedModel(model, replies).complete(request) for _ in range(2)] == [SAID] * 2
    assert model.asked == 1


def test_processes_write_at_the_same_time(tmp_path):
    file = tmp_path / "replies.sqlite"
    script = (
        "import pathlib, sys\nfrom chattyshared.model import *\nfrom chattyshared.model.reply_store import *\n"
        "kept = ReplyStore(pathlib.Path(sys.argv[1]))\n"
        "for number in range(40):\n"
        "    request = Request('a', (Message('user', f'{sys.argv[2]} {number}'),))\n"
        "    kept.put(cached_request('m', request, {}), 'a', Completion('x', Usage(1)))\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", script, str(file), str(n)]) for n in range(3)]
    assert [process.wait() for process in running] == [0, 0, 0]
    kept = ReplyStore(file)
    assert [(one.model, one.replies, one.hits) for one in kept.summarize()] == [("m", 120, 0)]
    kept.close()


def test_holdings_tell_what_was_spared(replies):
    for _ in range(3):
        CachedModel(Counted(), replies).complete(ASKED)
    (found,) = replies.summarize()
    assert found.bytes > 100 and found.first <= found.latest
    assert found == StoreSummary("openai:m", "answer/qir", 1, 2, 28, 1.0, found.bytes, found.first, found.latest)


def test_of_replies_that_are_too_many_the_longest_unused_go(tmp_path):
    now = [0.0]
    replies = ReplyStore(tmp_path / "r.sqlite", clock=lambda: now[0])
    keys = []
    for text in "abcd":
        now[0] += 1
        asked = cached_request("m", Request("a", (Message("user", text * 500),)), {})
        replies.put(asked, "a", Completion("x", Usage(1)))
        keys.append(request_key(asked))
    now[0] += 1
    assert replies.get(keys[0]) is not None
    (whole,) = replies.summarize()
    assert replies.prune(max_bytes=whole.bytes) == 0
    assert replies.prune(max_bytes=whole.bytes // 2) == 2
    assert {one.key for one in replies.find_replies()} == {keys[0], keys[3]}
    assert replies.prune(max_bytes=0) == 2
    replies.close()


def test_one_reply_is_shown_by_the_beginning_of_its_key(replies):
    CachedModel(Counted(), replies, {"temperature": 0}).complete(ASKED)
    (one,) = replies.find_replies()
    assert (one.model, one.agent, one.completion, one.hits) == ("openai:m", "answer/qir", SAID, 0)
    assert one.request["messages"] == [["system", "Be\nbrief."], ["user", "Which lamp?"]]
    assert [found.key for found in replies.find_replies(key=one.key[:6])] == [one.key]
    assert list(replies.find_replies(key="zz%")) == []


def test_pruning_by_age_and_by_model(tmp_path):
    now = [1000.0]
    replies = ReplyStore(tmp_path / "r.sqlite", clock=lambda: now[0])
    CachedModel(Counted(), replies).complete(ASKED)
    now[0] = 2000.0
    CachedModel(Counted(), replies).complete(replace(ASKED, attempt=2))
    assert replies.prune(unused_for=500, chosen="other") == 0
    assert replies.prune(unused_for=500) == 1
    assert replies.prune(chosen="openai:m") == 1
    with pytest.raises(ValueError, match="nothing says"):
        replies.prune()
    replies.close()


def test_a_miss_says_what_differs(replies):
    def explain(request, temperature=0):
        question = cached_request("openai:m", request, {"temperature": temperature})
        return explain_miss(question, list(replies.find_replies(agent=request.agent)))

    assert explain(ASKED) == "nothing is kept for this agent"
    CachedModel(Counted(), replies, {"temperature": 0}).complete(ASKED)
    key = next(replies.find_replies()).key
    near = f"not kept; nearest is {key}: "
    assert explain(replace(ASKED, attempt=2)) == f"{near}attempt is 2, kept is 1"
    assert explain(replace(ASKED, schema=None)) == f"{near}the reply schema differs"
    assert explain(ASKED, 1) == (f"{near}parameters is {{'temperature': 1}}, kept is {{'temperature': 0}}")
    new = replace(ASKED, messages=(ASKED.messages[0], Message("user", "Which keeper?")))
    assert explain(new) == f"{near}the prompt differs: -[user] Which lamp? | +[user] Which keeper?"


def test_a_file_that_is_something_else(tmp_path):
    file = tmp_path / "r.sqlite"
    file.write_text("I am a letter, and a long one at that. " * 40)
    with pytest.raises(ConfigError, match=r"r.sqlite: the replies in it cannot be used \(file is not a database\)"):
        ReplyStore(file)
    other = sqlite3.connect(tmp_path / "o.sqlite")
    other.execute("CREATE TABLE reply(a)")
    other.close()
    with pytest.raises(ConfigError, match="no such column"):
        ReplyStore(tmp_path / "o.sqlite")


def test_a_thread_that_fails_lets_the_next_one_ask(replies):
    started = threading.Event()

    class Moody(Counted):
        def complete(self, request):
            self.asked += 1
            if self.asked == 1:
                started.set()
                time.sleep(0.02)
                raise ModelUnavailable("down")
            return SAID

    cached = CachedModel(Moody(), replies)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(cached.complete, ASKED)
        started.wait(2)
        second = pool.submit(cached.complete, ASKED)
        assert isinstance(first.exception(), ModelUnavailable)
        assert second.result() == SAID
