"""Credentials and redirects on the wire, and answers that are kept."""

from hashlib import md5

import pytest
from chattyshared.endpoint.credentials import Credentials
from chattyshared.endpoint.kept_answers import KeptAnswers
from chattyshared.endpoint.reaching import Reach
from chattyshared.endpoint.remote import RemoteEndpoint
from chattyshared.errors import ConfigError, EndpointError, EndpointUnavailable, QueryRejected
from chattyshared.opening import open_kg
from wire.server import Fault

TURTLE = "PREFIX e: <http://e/> e:a e:p 1, 2, 3 ."
ASKED = "SELECT ?o { ?s ?p ?o }"
KNOWN = Reach(credentials=Credentials("me", "s3cret"))


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
    assert endpoint.access == "as me (Digest)"


def test_digest_of_a_server_that_does_not_say_so_to_those_who_use_basic(server):
    """As Virtuoso does."""
    server.gate = lambda method, path, said: "" if said.startswith("Basic") else digest_gate(method, path, said)
    endpoint = RemoteEndpoint(server.url, KNOWN)
    assert len(endpoint.select(ASKED)) == len(endpoint.select(ASKED)) == 3
    assert len(server.received) == 4


def test_a_wrong_password(server):
    server.gate = digest_gate
    with pytest.raises(EndpointUnavailable) as caught:
        RemoteEndpoint(server.url, Reach(credentials=Credentials("me", "wrong-one"))).select(ASKED)
    assert str(caught.value) == f"{server.url}: HTTP 401: who are you? (these credentials are not taken)"
    assert len(server.received) == 2


def test_a_token(server):
    server.gate = lambda method, path, said: None if said == "Bearer t0ken" else "Bearer"
    assert len(RemoteEndpoint(server.url, Reach(credentials=Credentials(token="t0ken"))).select(ASKED)) == 3
    with pytest.raises(ConfigError) as caught:
        RemoteEndpoint(server.url).probe()
    assert str(caught.value) == (
        f"the SPARQL endpoint cannot be used: {server.url}: HTTP 401: who are you? "
        "(set CHATTY_KG_USER and CHATTY_KG_PASSWORD, or CHATTY_KG_TOKEN)"
    )


def test_what_the_address_names_goes_before_the_environment(server):
    RemoteEndpoint(server.url.replace("//", "//you:other@"), KNOWN).ask("ASK {}")
    assert server.received[0].headers["Authorization"] == "Basic eW91Om90aGVy"


def test_an_echoed_secret_is_blotted_out(server):
    server.always = Fault(400, "cannot read s3cret")
    with pytest.raises(QueryRejected) as caught:
        RemoteEndpoint(server.url, KNOWN).select(ASKED)
    assert str(caught.value) == f"{server.url}: HTTP 400: cannot read ***"


def test_credentials_do_not_follow_a_redirect(server, sparql_server):
    other = sparql_server(TURTLE)
    server.faults.append(Fault(302, "", {"Location": f"{other.url}?query=ASK%20%7B%7D"}))
    RemoteEndpoint(server.url, KNOWN).ask("ASK {}")
    assert "Authorization" in server.received[0].headers
    assert "Authorization" not in other.received[0].headers


def test_after_a_redirect_the_new_place_is_asked_at_once(server, sparql_server):
    other = sparql_server(TURTLE)
    server.faults.append(Fault(307, "", {"Location": f"{other.url}?query=ASK%20%7B%7D"}))
    endpoint = RemoteEndpoint(server.url)
    endpoint.ask("ASK {}")
    endpoint.ask("ASK { ?s ?p '" + "x" * 3_000 + "' }")
    assert [(seen.method) for seen in other.received] == ["GET", "POST"]
    assert len(server.received) == 1


def test_answers_are_kept_and_errors_are_not(server, tmp_path):
    answers = KeptAnswers(tmp_path / "a.sqlite", "this kg")
    endpoint = RemoteEndpoint(server.url)
    endpoint.keep(answers)
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
    for reach in (Reach(), Reach(), Reach(keeps=False)):
        kg = open_kg([server.url], cache_dir=tmp_path, reach=reach)
        begun = len(server.received)
        assert [str(row["o"]) for row in kg.endpoint.select(ASKED + " ORDER BY ?o")] == ["1", "2", "3"]
        counted.append(len(server.received) - begun)
    assert counted == [1, 0, 1]
    server.store.update("PREFIX e: <http://e/> DELETE { e:a e:p 1 } INSERT { e:a e:p 4 } WHERE {}")
    kg = open_kg([server.url], cache_dir=tmp_path)
    assert [str(row["o"]) for row in kg.endpoint.select(ASKED + " ORDER BY ?o")] == ["2", "3", "4"]


def test_a_file_of_something_else(tmp_path):
    (tmp_path / "a.sqlite").write_text("no base at all, and long enough to look at")
    with pytest.raises(ConfigError, match="the answers in it cannot be used .*take it away, or use --no-cache"):
        KeptAnswers(tmp_path / "a.sqlite", "x")
