from __future__ import annotations

from http.client import HTTPException
from types import SimpleNamespace as Made

import pytest
from chattyshared.errors import ConfigError, ContextTooLong, ModelError, ModelRefused, ModelUnavailable
from chattyshared.http_client import ReplyTooLarge
from chattyshared.model import Completion, Message, Request, Usage
from chattyshared.model.gemini import GeminiModel, GeminiSdk, import_sdk
from chattyshared.model.reply_schemas import schema_instruction
from wire.raw_server import OK, RawServer, endless, whole

KEY = "AIza-very-secret"
SCHEMA = {"type": "object", "title": "Reply", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
TALK = (Message("system", "Be brief."), Message("user", "Hi"), Message("assistant", "no"), Message("user", "again"))


class Failure(Exception):
    """An error as the SDK raises it."""

    def __init__(self, code, message, details=(), headers=None):
        super().__init__(f"{code} {message}")
        self.code, self.message, self.details = code, message, details
        self.response = Made(headers=headers or {})


class Unreadable(Exception):
    """What the SDK's parser raises."""


class FakeSdk:
    """Keeps what it is asked, and says or raises what it is told."""

    def __init__(self, said):
        self.said, self.asked, self.configured, self.mounted = said, [], [], {}

    def sdk(self):
        return GeminiSdk(
            lambda **options: self.configured.append(options), self.model, Failure, Unreadable, self.session
        )

    def session(self):
        assert self.configured
        return Made(mount=self.mounted.__setitem__)

    def model(self, name, **options):
        return Made(generate_content=lambda contents, **more: self.reply(name, options, contents, more))

    def reply(self, *asked):
        self.asked.append(asked)
        if isinstance(self.said, Exception):
            raise self.said
        return self.said


def replied(text="x", finish=1, used=(10, 4, 20, 3), **more):
    parts = [Made(text=part) for part in text]
    used = dict(zip(("prompt", "candidates", "total", "cached_content"), used, strict=True))
    metadata = Made(**{f"{name}_token_count": number for name, number in used.items()})
    return Made(candidates=[Made(content=Made(parts=parts), finish_reason=finish)], usage_metadata=metadata, **more)


def ask(said, schema=None, **options):
    fake = FakeSdk(said)
    model = GeminiModel("flash", api_key=KEY, sdk=fake.sdk(), **options)
    return fake, model.complete(Request("generate/plan_verbalization", TALK, schema))


def test_a_talk_is_sent_with_its_system_instruction_and_its_schema():
    fake, completion = ask(replied('{"a"}'), SCHEMA, timeout=7, reply_tokens=99)
    assert fake.configured == [{"api_key": KEY, "transport": "rest", "client_options": None}]
    name, options, contents, more = fake.asked[0]
    assert (name, options["system_instruction"]) == ("flash", f"Be brief.\n\n{schema_instruction(SCHEMA)}")
    assert [(content["role"], content["parts"][0]["text"]) for content in contents] == [
        ("user", "Hi"), ("model", "no"), ("user", "again"),
    ]  # fmt: skip
    config = {"temperature": 0, "max_output_tokens": 99, "response_mime_type": "application/json"}
    assert options["generation_config"] == config
    assert more == {"request_options": {"timeout": 7, "retry": None}}
    # The thoughts, which only the total tells, are billed as the reply.
    assert completion == Completion('{"a"}', Usage(1, 10, 10, 3), "stop")


def test_usage_that_is_not_told_is_estimated():
    assert ask(replied("12345678", used=(0, 0, 0, 0)))[1].usage == Usage(1, 19 // 4, 2, estimated=True)


def test_a_reply_that_was_cut_says_so():
    assert ask(replied("{", finish=2))[1].finish == "length"


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (replied("", finish=3), "stopped by a filter .safety.$"),
        (replied("half", finish=8), "stopped by a filter .prohibited content.$"),
        (replied("", finish=5), "stopped for a reason that is not told$"),
        (replied("", prompt_feedback=Made(block_reason=Made(name="SAFETY"))), "the prompt was blocked .SAFETY.$"),
    ],
)
def test_a_filter_is_a_refusal_and_paid_for(said, why):
    with pytest.raises(ModelRefused, match=f"^gemini:flash: {why}") as caught:
        ask(said)
    assert caught.value.usage.prompt_tokens == 10


RETRY = ("retry_delay { } type: google.rpc.RetryInfo, retryDelay: '26s'",)


@pytest.mark.parametrize(
    ("error", "kind", "said", "reason", "wait"),
    [
        (Failure(429, "POST http://x/y?z: quota", RETRY), ModelUnavailable, "status 429: quota$", "busy", 26.0),
        (Failure(429, "busy", headers={"Retry-After": "7"}), ModelUnavailable, "status 429", "busy", 7.0),
        (Failure(503, "overloaded"), ModelUnavailable, "status 503: overloaded", "busy", None),
        (Failure(500, "internal"), ModelUnavailable, "status 500", "failed", None),
        (Failure(400, f"API key not valid: {KEY}"), ModelUnavailable, "check GEMINI_API_KEY$", "closed", None),
        (Failure(403, f"no {KEY}"), ModelUnavailable, r"no \*\*\*$", "closed", None),
        (Unreadable("Failed to load JSON"), ModelUnavailable, "unreadable reply: Failed", "garbled", None),
        (OSError("Read timed out. (read timeout=1)"), ModelUnavailable, "in time", "late", None),
        (OSError("Connection refused"), ModelUnavailable, "cannot reach generativelanguage", "lost", None),
    ],
)
def test_an_unavailable_model(error, kind, said, reason, wait):
    with pytest.raises(kind, match=said) as caught:
        ask(error)
    assert (caught.value.reason, caught.value.retry_after) == (reason, wait)
    assert KEY not in str(caught.value)


def test_an_unknown_model_and_a_prompt_that_does_not_fit():
    with pytest.raises(ConfigError, match="unknown model"):
        ask(Failure(404, "models/flash is not found for API version v1beta"))
    with pytest.raises(ContextTooLong) as caught:
        ask(Failure(400, "The input token count (1200) exceeds the maximum number of tokens allowed (1000)."))
    assert (caught.value.limit, caught.value.requested) == (1000, 1200)
    with pytest.raises(ModelError, match="status 400: odd"):
        ask(Failure(400, "odd"))


def test_a_reply_without_a_candidate_is_worth_another_try():
    with pytest.raises(ModelUnavailable, match="no candidate") as caught:
        ask(Made(candidates=[]))
    assert caught.value.reason == "garbled"


def test_the_sdk_is_there_or_the_message_says_how_to_get_it():
    try:
        assert issubclass(import_sdk().api_error, Exception)
    except ConfigError as error:
        assert "pip install -e '.[gemini]'" in str(error)
        assert "https://generativelanguage.googleapis.com/v1beta/openai/" in str(error)


@pytest.mark.slow
def test_replies_are_bounded_by_what_the_session_sends_through():
    fake, _ = ask(replied(), timeout=0.4)
    assert fake.mounted.keys() == {"https://", "http://"}
    session = pytest.importorskip("requests").Session()
    session.mount("http://", fake.mounted["http://"])
    body = '{"é": [1]}'.encode()
    with RawServer(lambda _: [whole(body, b"Content-Type: application/json; charset=zlib_codec")]) as server:
        reply = session.post(f"{server.url}/x?y=1", data="{}", headers={"X-Goog-Api-Key": KEY})
        assert (reply.status_code, reply.content, reply.json()) == (200, body, {"é": [1]})
        assert server.asked[0].startswith(b"POST /x?y=1 HTTP/1.1\r\n") and server.asked[0].endswith(b"{}")
        assert KEY.encode() in server.asked[0]
    for script, error, said in (
        (endless(OK + b"\r\n", b" ", 0.05), TimeoutError, "timed out"),
        (endless(b"HTTP/1.1 200 OK\r\nX: ", b"a", 0.05), TimeoutError, "timed out"),
        (endless(OK + b"\r\n", b" " * 65536), ReplyTooLarge, "larger than 16 MB"),
        (lambda _: [whole(b"[" * 50_000 + b"]" * 50_000)], ValueError, "nested too deeply"),
    ):
        with RawServer(script) as server, pytest.raises(error, match=said):
            session.post(server.url, data="{}")
    with RawServer(lambda _: [whole(b"", b"Location: /x", status=b"307 Moved")], keeps=True) as server:
        assert session.post(server.url, data="{}").status_code == 307
        assert len(server.asked) == 6
    session.close()


@pytest.mark.parametrize(
    ("error", "reason"),
    [(TimeoutError("timed out"), "late"), (ConnectionRefusedError("refused"), "lost"), (HTTPException("x"), "lost"),
     (ReplyTooLarge("larger"), "garbled"), (RecursionError("deep"), "garbled"), (AttributeError("get"), "garbled"),
     (ValueError("nested too deeply"), "garbled")],
)  # fmt: skip
def test_what_the_session_or_the_sdk_raises(error, reason):
    with pytest.raises(ModelUnavailable) as caught:
        ask(error)
    assert caught.value.reason == reason


@pytest.mark.parametrize("used", [(-5, 4, 20, 3), (5, -4, -20, 3), (2**31 - 1, 4, 4, 3), (5, 0, 0, 0)])
def test_usage_that_cannot_be_true_is_estimated(used):
    assert ask(replied("12345678", used=used))[1].usage == Usage(1, 19 // 4, 2, estimated=True)
