"""Replies that never end, drip, explode or lie: each ends in time, and takes no more memory than it may."""

from __future__ import annotations

import gzip
import http.client
import ssl
import subprocess
import time
import tracemalloc
import zlib

import pytest
from chattyshared.http_client import HttpClient, ReplyTooLarge
from wire.raw_server import OK, RawServer, endless, whole

TIMEOUT = 0.4
MB = 1 << 20
BLANKS = b" " * (20 * MB)


@pytest.fixture
def client():
    made = HttpClient(timeout=TIMEOUT, max_bytes=MB, use_proxies=False)
    yield made
    made.close()


def moved(_):
    yield 0.15
    yield whole(b"", b"Location: /again", status=b"307 Moved")


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(endless(b"", b"", 0.05), id="silence"),
        pytest.param(endless(b"HTTP/1.1 200 OK\r\nX: ", b"a", 0.05), id="a drip in a header"),
        pytest.param(endless(b"HTTP/1.1 200 OK\r\n", b"X: a\r\n", 0.05), id="a drip of headers"),
        pytest.param(endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 1000), id="a flood of 100"),
        pytest.param(endless(OK + b"Content-Length: 9999\r\n\r\n", b" ", 0.05), id="a drip in the body"),
        pytest.param(endless(OK + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n", 0.05), id="a drip of chunks"),
        pytest.param(endless(OK + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"X: a\r\n" * 1000), id="trailers"),
        pytest.param(
            endless(OK + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"")[:10], b"\0\0\0\xff\xff" * 1000),
            id="blocks of gzip that hold nothing",
        ),
        pytest.param(moved, id="slow redirects"),
    ],
)
def test_the_whole_exchange_ends_in_time(client, script):
    with RawServer(script) as server:
        began = time.monotonic()
        with pytest.raises(TimeoutError):
            client.send("POST", server.url, {}, b"{}")
        assert TIMEOUT - 0.1 < time.monotonic() - began < TIMEOUT + 0.6


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_server_that_reads_nothing_is_left_in_time(client, scheme):
    with RawServer(lambda _: (), reads=False) as server:
        began = time.monotonic()
        with pytest.raises(TimeoutError):
            client.send("POST", server.url.replace("http", scheme), {}, bytes(16 * MB))
        assert time.monotonic() - began < TIMEOUT + 0.6


@pytest.mark.parametrize(
    ("script", "said"),
    [
        pytest.param(endless(OK + b"\r\n", b" " * 65536), "larger than 1 MB", id="endless"),
        pytest.param(
            endless(OK + b"Transfer-Encoding: chunked\r\n\r\n", b"10000\r\n" + b" " * 65536 + b"\r\n"),
            "larger than 1 MB", id="endless chunks",
        ),
        pytest.param(lambda _: [whole(gzip.compress(BLANKS), b"Content-Encoding: gzip")], "larger", id="gzip"),
        pytest.param(lambda _: [whole(zlib.compress(BLANKS), b"Content-Encoding: deflate")], "larger", id="deflate"),
        pytest.param(lambda _: [whole(b"x", b"Content-Encoding: br")], "compressed, as br", id="brotli"),
        pytest.param(lambda _: [whole(b"x", b"Content-Encoding: gzip, gzip")], "as gzip, gzip", id="gzip twice"),
    ],
)  # fmt: skip
def test_a_reply_of_any_size_takes_little_memory(script, said):
    client = HttpClient(timeout=10, max_bytes=MB, use_proxies=False)
    with RawServer(script) as server:
        with pytest.raises(ReplyTooLarge, match=said):
            client.send("GET", server.url)
        tracemalloc.start()
        with pytest.raises(ReplyTooLarge, match=said):
            client.send("GET", server.url)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 6 * MB


def test_of_an_error_only_the_beginning_is_read(client):
    start = b"HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nContent-Length: 1000000000\r\n\r\n"
    with RawServer(endless(start, b"busy " * 10_000)) as server:
        reply = client.send("GET", server.url)
    assert (reply.status, reply.headers["retry-after"], len(reply.body)) == (503, "7", 65536)
    assert reply.body.startswith(b"busy busy")


def test_of_an_error_that_drips_what_came_in_time_is_read(client):
    with RawServer(endless(b"HTTP/1.1 500 Oh\r\nContent-Length: 9999\r\n\r\n", b"e", 0.05)) as server:
        reply = client.send("GET", server.url)
    assert reply.status == 500 and 0 < len(reply.body) < 20


def test_a_compressed_reply_is_decoded_though_nobody_asked_for_it(client):
    with RawServer(lambda _: [whole(gzip.compress(b'{"a": 1}'), b"Content-Encoding: gzip")]) as server:
        assert client.send("GET", server.url).body == b'{"a": 1}'
    assert b"accept-encoding: identity" in server.asked[0].lower()


def test_the_body_of_a_redirect_that_leads_nowhere_is_left_unread(client):
    with RawServer(lambda _: [whole(BLANKS, status=b"300 Choices")]) as server:
        assert len(client.send("GET", server.url).body) <= 1 << 16


def test_connections_that_nobody_uses_are_closed(client):
    with (
        RawServer(lambda _: [whole(b"1")], keeps=True) as first,
        RawServer(lambda _: [whole(b"1")], keeps=True) as last,
    ):
        client.send("GET", first.url)
        for connection in next(iter(client._idle.values())):
            connection.idle_since -= 60
        client.send("GET", last.url)
        assert [server for _, server in client._idle] == [last.url.removeprefix("http://")]


@pytest.mark.parametrize(
    "sent",
    [
        b"", b"\0\xff" * 40, b"HTTP/1.1 200 OK\r\n" + b"X: a\r\n" * 200, whole(b"abc")[:-1],
        whole(gzip.compress(b"abc" * 99, mtime=0)[:-9], b"Content-Encoding: gzip"),
        whole(b"abc", b"Content-Encoding: gzip"),
        OK + b"Transfer-Encoding: chunked\r\n\r\n3\r\nab",
        whole(b"", b"Location: http://a..b/", status=b"302 Moved"),
    ],
)  # fmt: skip
def test_what_is_no_whole_reply_is_lost(client, sent):
    with RawServer(lambda _: [sent]) as server, pytest.raises((OSError, http.client.HTTPException)):
        client.send("GET", server.url)


@pytest.mark.parametrize("target", [b"file:///etc/passwd", b"http://[::", b"http://h:99999999/", b"http:///x", b""])
def test_a_redirect_that_leads_nowhere_is_the_reply(client, target):
    with RawServer(lambda _: [whole(b"", b"Location: " + target, status=b"302 Moved")]) as server:
        assert client.send("GET", server.url).status == 302


def test_a_connection_is_used_again_as_long_as_it_is_good(client):
    with RawServer(lambda _: [whole(b"1")], keeps=True) as server:
        for _ in range(3):
            assert client.send("POST", f"{server.url}/a", {"x": "y"}, b"{}").body == b"1"
        assert (server.connections, len(server.asked)) == (1, 3)
    with RawServer(lambda _: [whole(b"1")]) as server:
        for _ in range(3):
            client.send("GET", server.url)
            time.sleep(0.02)
        assert server.connections == 3


FORM, QUERY, JSON = "application/x-www-form-urlencoded", "application/sparql-query", "application/json"


@pytest.mark.parametrize(
    ("status", "method", "kind", "asked"),
    [(b"301", "POST", FORM, b"POST"), (b"302", "GET", "", b"GET"), (b"303", "PUT", JSON, b"GET"),
     (b"307", "POST", QUERY, b"POST"), (b"308", "POST", JSON, None), (b"302", "POST", JSON, None)],
)  # fmt: skip
def test_a_redirect_elsewhere_is_followed_without_secrets_and_prompts(client, status, method, kind, asked):
    private = {"Authorization": "Bearer key", "X-Goog-Api-Key": "key", "Cookie": "key", "Content-Type": kind}
    client = HttpClient(timeout=TIMEOUT, use_proxies=False, private=["secret"])
    with RawServer(lambda _: [whole(b"here")]) as other:
        target = b"Location: %s/there?x=1&secret=key" % other.url.encode()
        with RawServer(lambda _: [whole(b"", target, status=status)]) as server:
            reply = client.send(method, server.url, private, b"a=1&secret=key" if kind == FORM else b"{}" * bool(kind))
    assert b"key" in server.asked[0]
    if asked is None:
        assert reply.status == int(status) and not other.asked
        return
    assert (reply.status, reply.body, reply.url) == (200, b"here", f"{other.url}/there?x=1")
    assert b"key" not in other.asked[0]
    assert other.asked[0].startswith(asked + b" /there?x=1 HTTP/1.1\r\n")
    assert other.asked[0].endswith({FORM: b"a=1", QUERY: b"{}"}.get(kind, b"\r\n"))
    assert b"host: 127.0.0.1:%d\r\n" % other.port in other.asked[0]


def test_on_one_server_a_redirect_keeps_who_asks_and_ends_somewhere(client):
    with RawServer(lambda _: [whole(b"", b"Location: /again", status=b"307 Moved")], keeps=True) as server:
        assert client.send("GET", server.url, {"Authorization": "key"}).status == 307
    assert len(server.asked) == 6
    assert all(b"key" in request for request in server.asked)


@pytest.fixture
def proxied(monkeypatch):
    """A client that goes through a proxy, if the environment names one; the tests' own is forgotten."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    return HttpClient(timeout=TIMEOUT)


def test_a_proxy_of_the_environment_is_asked(monkeypatch, proxied):
    with RawServer(lambda _: [whole(b"by proxy")]) as proxy:
        monkeypatch.setenv("http_proxy", f"http://me:pa%3Ass@127.0.0.1:{proxy.port}")
        assert proxied.send("GET", "http://far.example/x?y=1").body == b"by proxy"
        assert proxy.asked[0].startswith(b"GET http://far.example/x?y=1 HTTP/1.1\r\n")
        assert b"proxy-authorization: Basic bWU6cGE6c3M=\r\n" in proxy.asked[0]
        with RawServer(lambda _: [whole(b"itself")]) as server:
            monkeypatch.setenv("no_proxy", "127.0.0.1")
            assert proxied.send("GET", server.url).body == b"itself"
            assert HttpClient(timeout=1, use_proxies=False).send("GET", server.url).body == b"itself"


@pytest.mark.parametrize(
    ("script", "error", "said"),
    [
        (lambda _: [whole(b"", status=b"407 Who are you?")], OSError, "407 Who are you"),
        (endless(b"HTTP/1.1 200 OK\r\n", b"X: a\r\n", 0.05), TimeoutError, "timed out"),
        (lambda _: [b""], OSError, "closed connection"),
    ],
)
def test_a_tunnel_is_asked_for_and_ends_in_time(monkeypatch, proxied, script, error, said):
    with RawServer(script) as proxy:
        monkeypatch.setenv("https_proxy", f"127.0.0.1:{proxy.port}")
        with pytest.raises(error, match=said):
            proxied.send("GET", "https://far.example/x")
        assert proxy.asked[0].startswith(b"CONNECT far.example:443 HTTP/1.")


def test_a_proxy_of_another_kind_is_refused(monkeypatch, proxied):
    monkeypatch.setenv("all_proxy", "socks5://127.0.0.1:1080")
    with pytest.raises(OSError, match="a proxy of the kind socks5 cannot be used"):
        proxied.send("GET", "http://far.example/x")


@pytest.mark.parametrize("url", ["", "file:///etc/passwd", "ftp://h/x", "http://"])
def test_only_http_is_spoken(client, url):
    with pytest.raises(ValueError, match="not an address of HTTP"):
        client.send("GET", url)


def test_tls_is_spoken_to_whom_it_trusts(tmp_path):
    made = [
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
        "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "key.pem", "-out", "cert.pem",
    ]  # fmt: skip
    subprocess.run(made, cwd=tmp_path, check=True, capture_output=True)
    serving = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    serving.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
    trusting = ssl.create_default_context(cafile=str(tmp_path / "cert.pem"))
    with RawServer(lambda _: [whole(b"secret")], keeps=True, tls=serving) as server:
        client = HttpClient(timeout=5, use_proxies=False, tls=trusting)
        assert [client.send("GET", server.url).body for _ in range(2)] == [b"secret", b"secret"]
        client.close()
        with pytest.raises(ssl.SSLCertVerificationError):
            HttpClient(timeout=5, use_proxies=False).send("GET", server.url)
    with RawServer(endless(OK + b"\r\n", b" ", 0.05), tls=serving) as server, pytest.raises(TimeoutError):
        HttpClient(timeout=TIMEOUT, use_proxies=False, tls=trusting).send("GET", server.url)
