"""Credentials and redirects on the wire, and answers that are kept."""

import json
import re
from base64 import b64encode
from contextlib import suppress
from hashlib import md5
from html import escape
from urllib.parse import quote, quote_plus

import pytest
from chattyshared.endpoint.connection_options import ConnectionOptions
from chattyshared.endpoint.credentials import Credentials
from chattyshared.endpoint.remote import RemoteEndpoint
from chattyshared.endpoint.result_cache import ResultCache
from chattyshared.errors import ConfigError, EndpointError, EndpointUnavailable, QueryRejected
from chattyshared.kg.factory import open_kg
from wire.server import Fault

TURTLE = "PREFIX e: <http://e/> e:a e:p 1, 2, 3 ."
ASKED = "SELECT ?o { ?s ?p ?o }"
KNOWN = ConnectionOptions(credentials=Credentials("me", "s3cret"))


@pytest.fixture
def server(sparql_server):
    return sparql_server(TURTLE)


def digest_gate(method, path, said):
    """Let in who answers the challenge (RFC 2617, without qop)."""
    challenge = 'Digest realm="kg", nonce="abc"'
    if not said.startswith("Digest "):
        return challenge
    secret, asked = (md5(text.encode()).hexdigest() for text in ("me:kg:s3cret", f"{method}:{path}"))
    return None if f'response="{md5(f"{secret}:abc:{asked}".encode()).hexdigest()}"' in said else challenge


def test_digest(server):
    server.gate = digest_gate
    endpoint = RemoteEndpoint(server.url, KNOWN)
    assert len(endpoint.select(ASKED)) == len(endpoint.select(ASKED)) == 3
    assert len(server.received) == 3, "the challenge is answered from then on"
    assert endpoint.ask("ASK { ?s ?p '" + "x" * 3_000 + "' }") is False, "a posted query is signed too"
    assert endpoint.authentication == "as me (Digest)"


def test_digest_of_a_server_that_does_not_say_so_to_those_who_use_basic(server):
    """As Virtuoso does."""
    server.gate = lambda method, path, said: "" if said.startswith("Basic") else digest_gate(method, path, said)
    endpoint = RemoteEndpoint(server.url, KNOWN)
    assert len(endpoint.select(ASKED)) == len(endpoint.select(ASKED)) == 3
    assert len(server.received) == 4


def test_a_wrong_password(server):
    server.gate = digest_gate
    with pytest.raises(EndpointUnavailable) as caught:
        RemoteEndpoint(server.url, ConnectionOptions(credentials=Credentials("me", "wrong-one"))).select(ASKED)
    assert str(caught.value) == f"{server.url}: HTTP 401: who are you? (these credentials are not taken)"
    assert len(server.received) == 2


def test_a_token(server):
    server.gate = lambda method, path, said: None if said == "Bearer t0ken" else "Bearer"
    assert len(RemoteEndpoint(server.url, ConnectionOptions(credentials=Credentials(token="t0ken"))).select(ASKED)) == 3
    with pytest.raises(ConfigError) as caught:
        RemoteEndpoint(server.url).check_available()
    assert str(caught.value) == (
        f"the SPARQL endpoint cannot be used: {server.url}: HTTP 401: who are you? "
        "(set CHATTY_KG_USER and CHATTY_KG_PASSWORD, or CHATTY_KG_TOKEN)"
    )


def test_what_the_address_names_goes_before_the_environment(server):
    RemoteEndpoint(server.url.replace("//", "//you:other@"), KNOWN).ask("ASK {}")
    assert server.received[0].headers["Authorization"] == "Basic eW91Om90aGVy"


PASSWORD, KEY = "pass w0rd/of:me+'you'", 'k&y=%/of"me'
NASTY = f"//me:{quote(PASSWORD, safe='')}@"
BASIC = b64encode(f"me:{PASSWORD}".encode()).decode()


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize(
    "echoed",
    [PASSWORD, KEY, quote(PASSWORD), quote(PASSWORD, safe=""), quote_plus(PASSWORD), quote_plus(KEY), escape(KEY),
     json.dumps(KEY)[1:-1], quote(quote_plus(KEY)), BASIC, quote(BASIC), BASIC.rstrip("="), "t0ken-5"],
)  # fmt: skip
def test_an_echoed_secret_is_blotted_out_however_it_is_spelled(server, echoed, lower):
    token = "t0ken-5" in echoed
    reach = ConnectionOptions(credentials=Credentials(token="t0ken-5"))
    address = f"{server.url if token else server.url.replace('//', NASTY)}?key={quote(KEY, safe='')}"
    endpoint = RemoteEndpoint(address, reach, retries=0)
    if lower:  # the letters of percent-encoding have no case
        echoed = re.sub("%..", lambda match: match[0].lower(), echoed)
    server.always = Fault(400, f"cannot read [{echoed}]")
    with pytest.raises(QueryRejected) as caught:
        endpoint.select(ASKED)
    assert str(caught.value) == f"{server.url}?key=***: HTTP 400: cannot read [***]"


@pytest.mark.parametrize("filler", [290, 291, 294, 299, 110, 115, 119])
@pytest.mark.parametrize("status", [200, 400])
def test_no_cut_leaves_a_part_of_a_secret(server, filler, status):
    server.always = Fault(status, "." * filler + BASIC, content_type="text/html")
    with pytest.raises(EndpointError) as caught:
        RemoteEndpoint(server.url.replace("//", NASTY), retries=0).select(ASKED)
    assert not any(BASIC[:length] in str(caught.value) for length in range(4, len(BASIC)))


def test_what_a_server_calls_itself_is_shown_without_secrets(server):
    server.software = f"Echo/1 (Basic {BASIC})"
    endpoint = RemoteEndpoint(server.url.replace("//", NASTY))
    endpoint.ask("ASK {}")
    assert endpoint.server == "Echo/1 (Basic ***)"


SECRETS = "?key=abcdef&default-graph-uri=http://g"
LONG = "ASK { ?s ?p '" + "x" * 3_000 + "' }"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("query", ["ASK {}", LONG], ids=["GET", "POST"])
@pytest.mark.parametrize("said", ["?query=ASK%20%7B%7D&key=abcdef&x=%20a", ""])
def test_secrets_do_not_follow_a_redirect_to_another_port(server, sparql_server, status, query, said):
    other = sparql_server(TURTLE)
    location = other.url.replace("//", "//me:s3cret@") + said
    server.always = Fault(status, "", {"Location": location})
    endpoint = RemoteEndpoint(server.url + SECRETS, KNOWN, retries=0)
    for _ in range(2):
        with suppress(EndpointError):
            endpoint.ask(query)
    assert {seen.headers.get("Authorization") for seen in server.received} == {"Basic bWU6czNjcmV0"}
    assert other.received and not any("Authorization" in seen.headers for seen in other.received)
    assert not any("abcdef" in str(seen) or "s3cret" in str(seen) for seen in other.received)
    assert len(server.received) == len(other.received), "each request begins at the address again"
    if said and query == "ASK {}":
        assert dict(other.received[0].parameters) == {"query": ["ASK {}"], "x": [" a"]}


def test_secrets_do_not_come_back_from_elsewhere(server, sparql_server):
    other = sparql_server(TURTLE)
    server.faults.append(Fault(307, "", {"Location": other.url}))
    other.always = Fault(307, "", {"Location": f"{server.url}?query=ASK%20%7B%7D"})
    assert RemoteEndpoint(server.url + SECRETS, KNOWN).ask("ASK {}") is True
    assert [("Authorization" in seen.headers, "key" in seen.parameters) for seen in server.received] == [
        (True, True),
        (False, False),
    ]


def test_secrets_follow_a_redirect_within_the_origin(server):
    server.gate = digest_gate
    server.faults.append(Fault(308, "", {"Location": "/other"}))
    endpoint = RemoteEndpoint(server.url + SECRETS, KNOWN)
    assert endpoint.ask(LONG) is False
    assert [seen.method for seen in server.received] == ["POST"] * 3
    assert server.received[-1].query == LONG and server.received[-1].parameters["key"] == ["abcdef"]
    assert endpoint.ask("ASK {}") is True and len(server.received) == 4, "the new place is asked at once"


@pytest.mark.parametrize("location", ["{here}", "ftp://127.0.0.1/x", "file:///etc/passwd", "http://[::1", "//:80/x"])
def test_a_redirect_that_leads_nowhere_is_said(server, location):
    server.always = Fault(302, "moved", {"Location": location.format(here=server.url)})
    with pytest.raises(EndpointUnavailable, match=r"HTTP 302: moved \(a redirect that cannot be followed\)"):
        RemoteEndpoint(server.url, KNOWN, retries=0).ask("ASK {}")
    assert len(server.received) <= 12


def test_after_a_redirect_the_new_place_is_asked_at_once(server, sparql_server):
    other = sparql_server(TURTLE)
    server.faults.append(Fault(307, "", {"Location": f"{other.url}?query=ASK%20%7B%7D"}))
    endpoint = RemoteEndpoint(server.url)
    endpoint.ask("ASK {}")
    endpoint.ask("ASK { ?s ?p '" + "x" * 3_000 + "' }")
    assert [(seen.method) for seen in other.received] == ["GET", "POST"]
    assert len(server.received) == 1


def test_answers_are_kept_and_errors_are_not(server, tmp_path):
    answers = ResultCache(tmp_path / "a.sqlite", "this kg")
    endpoint = RemoteEndpoint(server.url)
    endpoint.use_cache(answers)
    half, told = Fault(keep=9), Fault(headers={"X-SQL-State": "S1TAT"})
    server.faults.extend([Fault(400, "no"), half, Fault(), half, Fault(), told])
    for _ in range(3):
        with pytest.raises(EndpointError, match="HTTP 400|no whole JSON|gave up"):
            endpoint.select(ASKED)
    first = endpoint.select(ASKED)
    sent = len(server.received)
    assert endpoint.select(ASKED) == first and len(first) == 3
    assert endpoint.ask("ASK { ?s ?p 7 }") is endpoint.ask("ASK { ?s ?p 7 }") is False
    assert len(server.received) == sent + 1
    endpoint.select("SELECT (RAND() AS ?r) {}")
    endpoint.select("SELECT (RAND() AS ?r) {}")
    assert len(server.received) == sent + 3
    answers.close()


def test_a_changed_kg_has_other_answers(server, tmp_path, sparql_server):
    counted = []
    for reach in (ConnectionOptions(), ConnectionOptions(), ConnectionOptions(no_cache=True)):
        kg = open_kg([server.url], cache_dir=tmp_path, connection=reach)
        begun = len(server.received)
        assert [str(row["o"]) for row in kg.endpoint.select(ASKED + " ORDER BY ?o")] == ["1", "2", "3"]
        counted.append(len(server.received) - begun)
    assert counted == [1, 0, 1]
    server.store.update("PREFIX e: <http://e/> DELETE { e:a e:p 1 } INSERT { e:a e:p 4 } WHERE {}")
    kg = open_kg([server.url], cache_dir=tmp_path)
    assert [str(row["o"]) for row in kg.endpoint.select(ASKED + " ORDER BY ?o")] == ["2", "3", "4"]


def test_a_file_of_something_else(tmp_path):
    (tmp_path / "a.sqlite").write_text("no base at all, and long enough to look at")
    with pytest.raises(ConfigError, match="the answers in it cannot be used .*take it away, or use --set no_cache=on"):
        ResultCache(tmp_path / "a.sqlite", "x")
