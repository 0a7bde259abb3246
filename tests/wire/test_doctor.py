"""The doctor, against the imitation of servers with their habits."""

import json
import re

import pytest
from chattyshared.endpoint import capabilities
from chattyshared.endpoint.remote import RemoteEndpoint
from click.testing import CliRunner
from wire.server import Fault
from wire.still_clock import StillClock

from chattykg.cli import main

TURTLE = """
@prefix e: <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
e:a a e:Kiln ; rdfs:label "Old kiln"@en ; e:fires "earthenware" .
e:b a e:Kiln ; rdfs:label "New kiln"@en, "Neuer Ofen"@de ; e:fires "stoneware" .
"""


@pytest.fixture
def server(sparql_server):
    server = sparql_server(TURTLE)
    server.heavy = ("?g ?h ?i", Fault(500, "S1T00 Error SR171: Transaction timed out"))
    return server


@pytest.fixture
def endpoint(server):
    clock = StillClock()
    return RemoteEndpoint(server.url, sleep=clock.sleep, clock=clock)


def run(*arguments, **environ):
    return CliRunner().invoke(main, list(arguments), env=environ)


def test_a_page_on_an_endpoint_and_a_profile_that_the_others_read(server, tmp_path):
    done = run("doctor", "--kg", server.url, "-o", str(tmp_path / "kiln.toml"))
    assert done.exit_code == 0, done.stderr
    page = done.stdout
    assert page.startswith(f"{server.url}\n\nserver\n  answers in ")
    for line in (
        "  engine           LoopbackSparql/1",
        "  description      it gives no description of itself",
        "  access           open to everybody",
        "  contact          none is named: owners of public endpoints ask for one (--set contact=)",
        "  named graphs     none",
        "  most rows        100,000 and perhaps more",
        "  timeout          it gives up after 0 s, and says so (HTTP 500: S1T00 Error SR171: Transaction timed out)",
        "  triples          7; 3 predicates, 1 classes",
        "  classes          stated by http://www.w3.org/1999/02/22-rdf-syntax-ns#type: kiln (2)",
        "  labels           http://www.w3.org/2000/01/rdf-schema#label; languages: en, no language, de",
        "  search           no text index; names by an index of our own; a name takes",
    ):
        assert line in page, line
    assert "\n!" not in page and "MINUS" in page
    answered = run(
        "answer", "--kg", server.url, "--profile", str(tmp_path / "kiln.toml"), "What does the old kiln fire?"
    )
    assert answered.stdout.startswith("earthenware\n"), answered.output


def test_the_same_as_json_with_a_token(server):
    server.heavy = ("VALUES ?e", Fault(400, "too many"))
    server.gate = lambda method, path, said: None if said == "Bearer t0ken" else "Bearer"
    done = run("doctor", "--kg", server.url, "--json", CHATTY_KG_TOKEN="t0ken", CHATTY_CONTACT="a@b.example")
    found = json.loads(done.stdout)
    server_side = {one["name"]: one for one in found["server"]}
    assert server_side["access"]["said"] == "by a token (Bearer)"
    assert "contact" not in server_side
    assert [one["name"] for one in found["graph"]] == ["triples", "classes", "labels", "search", "fingerprint"]
    assert "t0ken" not in done.output


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (Fault(body="<html>Hi</html>", content_type="text/html"), "is no whole JSON"),
        (Fault(403, "no"), "HTTP 403: no"),
    ],
)
def test_what_is_no_endpoint_is_one_line(server, fault, said):
    server.always = fault
    done = run("doctor", "--kg", server.url)
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert said in done.stderr


def test_a_kg_that_cannot_be_read_is_said(server):
    server.heavy = ("GROUP BY ?p", Fault(500, "no such index"))
    done = run("doctor", "--kg", server.url, "--set", "query_timeout=1")
    assert done.exit_code == 0
    assert "! graph            cannot be read: HTTP 500: no such index" in done.stdout


def rows(number):
    return (
        '{"head":{"vars":["a"]},"results":{"bindings":['
        + ",".join(['{"a":{"type":"literal","value":"1"}}'] * number)
        + "]}}"
    )


@pytest.mark.parametrize(
    ("fault", "state", "said"),
    [
        (
            Fault(body=rows(100), headers={"X-SPARQL-MaxRows": "100"}),
            "differs",
            "100; it says so, and is asked for pages of that size",
        ),
        (Fault(body=rows(50)), "differs", "50, cut without a word; it is asked for pages of that size"),
        (Fault(400, "no"), "fails", "HTTP 400: no"),
    ],
)
def test_the_most_rows(server, endpoint, fault, state, said):
    server.heavy = ("VALUES ?c", fault)
    found = capabilities.probe_row_limit(endpoint, max_rows=1000)
    assert (found.state, found.said) == (state, said)


@pytest.mark.parametrize(
    ("fault", "state", "said"),
    [
        (Fault(headers={"X-SQL-State": "S1TAT"}), "works", "it gives up after 0 s, and says so"),
        (
            Fault(body='{"head":{"vars":["n"]},"results":{"bindings":[]}}'),
            "fails",
            "an empty answer after 0 s: it would pass for the truth",
        ),
        (Fault(400, "too dear"), "differs", "refused: HTTP 400: too dear"),
        (None, "works", "not found: the query took"),
    ],
)
def test_the_timeout(server, endpoint, fault, state, said):
    server.heavy = ("?g ?h ?i", fault)
    found = capabilities.probe_timeout(endpoint, 5)
    assert found.state == state and found.said.startswith(said)


def test_a_server_that_one_heavy_query_blocks_is_said_to_be(server):
    server.gate = lambda *_: "Bearer" if any("?g ?h ?i" in each.query for each in server.received) else None
    done = run("doctor", "--kg", server.url)
    assert (done.exit_code, "! timeout          one heavy query blocks it" in done.stdout) == (0, True), done.output
    assert "triples          7; 3 predicates" in done.stdout


def test_what_was_found_before_a_server_went_away_is_shown(server, tmp_path):
    server.gate = lambda method, path, said: "Bearer" if len(server.received) > 20 else None
    done = run("doctor", "--kg", server.url, "-o", str(tmp_path / "kiln.toml"))
    assert done.exit_code == 0 and "engine           LoopbackSparql/1" in done.stdout
    assert re.search(r"^! availability     behind '.+': HTTP 401", done.stdout, re.MULTILINE), done.stdout
    assert not (tmp_path / "kiln.toml").exists()


def test_ask_by_a_table_and_lacking_features(server, endpoint):
    server.heavy = ("FILTER(?x = 2)", Fault(body='{"head":{"vars":["__ASK_RETVAL"]},"results":{"bindings":[]}}'))
    assert capabilities.probe_ask(endpoint).state == "differs"
    server.heavy = ("MD5", Fault(400, "unknown function"))
    states = {one.name: (one.state, one.said) for one in capabilities.probe_features(endpoint)}
    assert states.pop("MD5") == ("fails", "HTTP 400: unknown function")
    assert set(states.values()) == {("works", "")}
    server.heavy = ("STRLEN", Fault(body=rows(1).replace('"a"', '"x"')))
    assert ("differs", "gives ['1'], not 3") in {(one.state, one.said) for one in capabilities.probe_features(endpoint)}


def test_what_a_server_says_of_itself(server, endpoint):
    namespace = capabilities.SERVICE_DESCRIPTION
    about = f"[] a <{namespace}Service> ; <{namespace}feature> <{namespace}UnionDefaultGraph> ."
    server.faults.append(Fault(body=about, content_type="text/turtle"))
    assert (
        f"{capabilities.SERVICE_DESCRIPTION}feature",
        f"{capabilities.SERVICE_DESCRIPTION}UnionDefaultGraph",
    ) in capabilities.read_service_description(endpoint)
    server.faults.append(Fault(body="<html>", content_type="text/html"))
    assert capabilities.read_service_description(endpoint) == ()
