"""Foreign host names and pages of other sites: what a browser may be made to send is refused, programs are not."""

import json

import pytest
from wire.running_service import Running, got_until_closed

from chattykg.service.access.accounts import AccessPolicy
from chattykg.service.app import make_app
from chattykg.service.sessions import SessionStore

QUESTION = "/?question=Who%20planted%20Old%20Bramley%3F&dataset=orchard"
BODY = b'{"question": "Who planted Old Bramley?", "dataset": "orchard"}'
OWN = {"Sec_Fetch_Site": "same-origin", "Content_Type": "application/json"}


@pytest.fixture(scope="module")
def service(desk):
    with Running(make_app(desk, SessionStore(), hosts=["KG.example.org."])) as client:
        yield client


@pytest.mark.parametrize(
    "host",
    [
        "localhost", "LocalHost:99", "localhost.", "127.0.0.1", "127.0.0.1:8000", "[::1]", "[::1]:8000",
        "192.168.7.9:8000", "kg.example.org", "KG.EXAMPLE.ORG.:443",
    ],
)  # fmt: skip
def test_a_known_host_is_served(service, host):
    assert service.send("GET", "/health", Host=host).status == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example", "evil.example:8000", "localhost.evil.example", "127.0.0.1.evil.example", "kg.example.org.evil",
        "localhost@evil.example", "evil.example@localhost", "localhost:1:2", "localhost:", "[::1", "[localhost]", "::1",
        "localhost, evil.example", "localhost/", "0x7f000001", "127.1", "2130706433", "0.0.0.0", "[::]",
        "[::ffff:127.0.0.1]", "localhost..", " ",
    ],
)  # fmt: skip
def test_a_foreign_host_is_refused(service, host):
    """A page that rebinds its name to this machine is of the same origin as the service: Host alone gives it away."""
    for method, path, body in (("GET", QUESTION, None), ("POST", "/chat", BODY), ("GET", "/", None)):
        got = service.send(method, path, body, Host=host, Accept="text/html", **OWN)
        assert (got.status, list(got.json)) == (421, ["detail"])
        assert got.json["detail"].startswith(f"unknown host {host.strip()!r}")


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"GET /health HTTP/1.0\r\n", 400),
        (b"GET /health HTTP/1.1\r\n", 400),
        (b"GET /health HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n", 400),
        (b"GET /health HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: localhost\r\n", 421),
        (b"GET http://localhost/health HTTP/1.1\r\nHost: evil.example\r\n", 421),
        (b"GET http://evil.example/health HTTP/1.1\r\nHost: localhost\r\n", 404),
    ],
)
def test_a_request_has_one_host(service, head, status):
    with service.open(head + b"Connection: close\r\n\r\n") as connection:
        head, _, body = connection.makefile("rb").read().partition(b"\r\n\r\n")
    assert head.startswith(f"HTTP/1.1 {status} ".encode()) and list(json.loads(body)) == ["detail"]


@pytest.mark.parametrize(
    "sent",
    [
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
        {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": ""},
        {"Origin": "http://localhost:3000"},
        {"Origin": "http://{}.evil.example"},
        {"Origin": "http://evil.example@{}"},
        {"Origin": "ftp://{}"},
        {"Origin": "https://kg.example.org:8443"},
        {"Origin": "https://evil.example", "Sec_Fetch_Site": "same-origin"},
    ],
)
def test_pages_of_other_sites_are_refused(service, sent):
    headers = {name: value.format(service.place) for name, value in sent.items()}
    requests = (
        ("GET", QUESTION, None), ("GET", "/health", None), ("POST", "/chat", BODY), ("DELETE", "/chat/x", None),
        ("OPTIONS", "/chat", None),
    )  # fmt: skip
    for method, path, body in requests:
        got = service.send(method, path, body, Content_Type="application/json", **headers)
        assert (got.status, list(got.json)) == (403, ["detail"])
        assert not [name for name in got.headers if name.startswith("access-control")]


@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data", None])
def test_what_a_form_can_send_asks_nothing(service, kind):
    """A browser sends these without asking the service first, an old one without a word about its origin."""
    got = service.send("POST", "/chat", BODY, **({"Content_Type": kind} if kind else {}))
    assert got.status == 422 and "Content-Type: application/json" in got.json["detail"]


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"Sec_Fetch_Site": "none"},
        {"Sec_Fetch_Site": "same-origin", "Origin": "http://{}"},
        {"Origin": "http://{}"},
        {"Origin": "https://kg.example.org"},
        {"Origin": "https://KG.example.org", "Host": "kg.example.org"},
    ],
)
def test_programs_and_the_own_page_are_served(service, sent):
    """A proxy may send an address of its own in Host: an origin of an allowed name is ours too."""
    headers = {name: value.format(service.place) for name, value in sent.items()}
    assert service.send("POST", "/chat", BODY, Content_Type="application/json", **headers).status == 200
    assert service.send("GET", QUESTION, **headers).status == 200


def test_a_link_on_another_site_opens_the_page_and_asks_nothing(service):
    link = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate", "Accept": "text/html"}
    assert service.send("GET", "/", **link).status == 200
    for path in (QUESTION, "/?dataset=orchard", "/health"):
        assert service.send("GET", path, **link).status == 403
    assert service.send("GET", "/", **{**link, "Sec_Fetch_Mode": "no-cors"}).status == 403


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/openapi.json", 404), ("GET", "/docs", 404), ("GET", "/health/", 404), ("POST", "/chat/", 404),
        ("PUT", "/chat", 405), ("BREW", "/", 405), ("GET", "/%00", 404),
    ],
)  # fmt: skip
def test_what_is_not_there_is_refused_in_json(service, method, path, status):
    got = service.send(method, path)
    assert (got.status, list(got.json)) == (status, ["detail"])


ALLOWED = "https://app.example.org"


@pytest.fixture(scope="module")
def shared_service(desk):
    access = AccessPolicy(origins=(ALLOWED,))
    with Running(make_app(desk, SessionStore(), access=access)) as client:
        yield client


def test_pages_of_an_allowed_origin_may_ask_and_read(shared_service):
    headers = {"Origin": ALLOWED, "Sec_Fetch_Site": "cross-site", "Content_Type": "application/json"}
    got = shared_service.send("POST", "/chat", BODY, **headers)
    assert (got.status, got.headers["access-control-allow-origin"], got.headers["vary"]) == (200, ALLOWED, "Origin")
    refused = shared_service.send("POST", "/chat", b"{", **headers)
    assert (refused.status, refused.headers["access-control-allow-origin"]) == (422, ALLOWED)
    assert "access-control-allow-credentials" not in got.headers


def test_a_browser_may_ask_before_it_sends(shared_service):
    asked = {"Access_Control_Request_Method": "POST", "Access_Control_Request_Headers": "authorization,x-stainless-os"}
    got = shared_service.send("OPTIONS", "/v1/chat/completions", Origin=ALLOWED, **asked)
    assert (got.status, got.headers["access-control-allow-origin"]) == (200, ALLOWED)
    assert got.headers["access-control-allow-headers"] == "authorization,x-stainless-os"
    assert "POST" in got.headers["access-control-allow-methods"] and "Origin" in got.headers["vary"]


@pytest.mark.parametrize(
    "origin",
    ["https://app.example.org.evil", "http://app.example.org", "https://app.example.org:444", "null", "*", "https://a"],
)
def test_other_origins_stay_refused(shared_service, origin):
    for method in ("GET", "POST", "OPTIONS"):
        got = shared_service.send(method, "/health", Origin=origin, Access_Control_Request_Method="POST")
        assert got.status == 403 and "access-control-allow-origin" not in got.headers


def test_two_origins_are_refused(shared_service):
    sent = f"GET /health HTTP/1.1\r\nHost: localhost\r\nOrigin: {ALLOWED}\r\nOrigin: https://evil.example\r\n"
    sent += "Connection: close\r\n\r\n"
    assert got_until_closed(shared_service.open(sent.encode())).startswith(b"HTTP/1.1 403")


def test_who_reads_a_cache_is_told_that_origins_differ(shared_service, service):
    assert shared_service.get("/health").headers["vary"] == "Origin"
    assert "vary" not in service.get("/health").headers
