"""Who passes: keys in either header, what needs none, and requests a minute."""

import asyncio

import pytest

from chattykg.service.access.accounts import AccessMiddleware, Account, RequestRate
from chattykg.service.access.api_keys import ApiKey, ApiKeys
from chattykg.service.access.daily_limits import DailyLimits

ALICE, BOB = b"sk-alice-0123456789", b"sk-bob-0123456789ab"
KEYS = ApiKeys([ApiKey("alice", ALICE.decode(), DailyLimits(5)), ApiKey("bob", BOB.decode())])


def request(middleware, *headers, path="/chat", method="POST", query=b"", client=("10.0.0.1", 9)):
    """Return the status, the headers, and the account that the application saw."""
    seen = []

    async def app(scope, receive, send):
        seen.append(scope["state"]["account"])
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(message):
        seen.append(message)

    scope = {"type": "http", "method": method, "path": path, "query_string": query, "client": client}
    middleware._app = app
    asyncio.run(middleware({**scope, "headers": list(headers)}, None, send))
    start = next(each for each in seen if isinstance(each, dict))
    account = next((each for each in seen if isinstance(each, Account)), None)
    return start["status"], {name.decode(): value.decode() for name, value in start["headers"]}, account


def bearer(key, scheme=b"Bearer"):
    return b"authorization", scheme + b" " + key


@pytest.mark.parametrize(
    "headers",
    [
        [bearer(ALICE)], [bearer(ALICE, b"bearer")], [bearer(b" " + ALICE)], [(b"x-api-key", ALICE)],
        [bearer(ALICE), (b"x-api-key", ALICE)], [(b"authorization", b"Basic eDp5"), (b"x-api-key", ALICE)],
    ],
)  # fmt: skip
def test_a_key_is_accepted_in_either_header(headers):
    status, _, account = request(AccessMiddleware(None, KEYS), *headers)
    assert (status, account) == (200, Account("alice", DailyLimits(5)))


@pytest.mark.parametrize(
    "headers",
    [
        [], [bearer(b"")], [bearer(ALICE[:-1])], [bearer(ALICE + b"x")], [bearer(ALICE, b"Basic")],
        [(b"authorization", ALICE)], [bearer(ALICE + b" " + BOB)], [bearer(b"\xc3\xbc\xff" + ALICE)],
        [bearer(ALICE), bearer(BOB)], [bearer(ALICE), bearer(ALICE)], [bearer(ALICE, b"")],
        [bearer(ALICE), (b"authorization", b"Basic eDp5")],
        [(b"x-api-key", ALICE), (b"x-api-key", ALICE)], [bearer(ALICE), (b"x-api-key", BOB)], [(b"x-api-key", b"")],
        [(b"cookie", b"key=" + ALICE)],
    ],
)  # fmt: skip
def test_everything_else_is_refused(headers):
    for path in ("/chat", "/v1/models", "/metrics", "/nowhere", "/pages", "/healthy", "//health"):
        status, answered, account = request(AccessMiddleware(None, KEYS), *headers, path=path)
        assert (status, answered["www-authenticate"], account) == (401, 'Bearer realm="chattykg"', None)


def test_a_key_in_the_query_is_not_accepted():
    status, _, _ = request(AccessMiddleware(None, KEYS), path="/", method="GET", query=b"key=" + ALICE)
    assert status == 401


@pytest.mark.parametrize("path", ["/", "/health", "/page/app.js"])
def test_the_page_and_the_health_need_no_key(path):
    middleware = AccessMiddleware(None, KEYS)
    assert request(middleware, path=path, method="GET")[::2] == (200, Account(is_known=False))
    assert request(middleware, bearer(BOB), path=path, method="GET")[2] == Account("bob")
    assert request(middleware, bearer(b"sk-wrong"), path=path, method="GET")[0] == 401
    assert request(middleware, path=path, method="POST")[0] == 401


def test_without_keys_everybody_is_one_account():
    assert request(AccessMiddleware(None))[::2] == (200, Account())


def test_a_client_beyond_its_rate_is_told_when_to_come_again():
    middleware = AccessMiddleware(None, KEYS, 2)
    statuses = [request(middleware, bearer(ALICE), client=(f"10.0.0.{i}", 9))[0] for i in range(3)]
    refused = request(middleware, bearer(ALICE))
    assert statuses == [200, 200, 429] and 25 < int(refused[1]["retry-after"]) <= 30
    assert request(middleware, bearer(BOB))[0] == 200
    assert request(middleware, bearer(ALICE), path="/health", method="GET")[0] == 200


def test_without_keys_an_address_has_the_rate():
    middleware = AccessMiddleware(None, None, 1)
    clients = ["10.0.0.1", "10.0.0.1", "10.0.0.2", "2001:db8::1", "2001:db8::2", "2001:db8:0:1::2", "::ffff:10.0.0.2"]
    statuses = [request(middleware, client=(client, 9))[0] for client in clients]
    assert statuses == [200, 429, 200, 200, 429, 200, 200]
    assert [request(middleware, client=None)[0] for _ in range(2)] == [200, 429]


def test_a_rate_is_refilled_evenly():
    now = [100.0]
    rate = RequestRate(60, clock=lambda: now[0])
    assert [rate.count_request("a") for _ in range(60)] == [0] * 60
    assert rate.count_request("a") == pytest.approx(1)
    now[0] += 2.5
    assert [rate.count_request("a") > 0 for _ in range(3)] == [False, False, True]
    now[0] += 3600
    assert [rate.count_request("a") > 0 for _ in range(61)] == [False] * 60 + [True]


def test_the_memory_for_clients_is_bounded():
    rate = RequestRate(1, max_clients=100)
    assert not any(rate.count_request(str(number)) for number in range(10_000))
    assert len(rate._next_due) == 100 and rate.count_request("9999") > 0
