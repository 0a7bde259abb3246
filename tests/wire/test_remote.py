"""The remote endpoint against a server that fails in the ways real ones do."""

import re
import socket
import time
from email.utils import formatdate
from importlib.metadata import version

import pytest
from chattyshared.endpoint.capabilities import read_service_description
from chattyshared.endpoint.local import LocalEndpoint
from chattyshared.endpoint.remote import RemoteEndpoint
from chattyshared.errors import (
    ConfigError,
    EndpointUnavailable,
    ResultCut,
    ResultUnreadable,
    UnsafeQuery,
)
from wire.server import Fault

TURTLE = 'PREFIX e: <http://e/> e:a e:p "x", "y"@en, 1, 2.50, <http://e/b>, [ e:q "z" ] .'
ALL = "SELECT * { ?s ?p ?o }"
TRUE = '{"head": {}, "boolean": true}'


@pytest.fixture
def server(sparql_server):
    return sparql_server(TURTLE)


@pytest.fixture
def naps():
    return []


@pytest.fixture
def endpoint(server, naps):
    return RemoteEndpoint(server.url, timeout=2, sleep=naps.append)


def test_it_answers_as_the_files_do(server, endpoint, tmp_path):
    local = LocalEndpoint([tmp_path / "served-0-0.ttl"])
    assert endpoint.select(ALL) == local.select(ALL)
    assert (endpoint.ask("ASK { ?s ?p 1 }"), endpoint.ask("ASK { ?s ?p 7 }")) == (True, False)
    assert (endpoint.name, endpoint.server.split()[0]) == (server.url, "LoopbackSparql/1")


def test_what_is_sent(server, endpoint):
    endpoint.ask("ASK {}")
    seen = server.received[0]
    assert (seen.method, dict(seen.parameters)) == ("GET", {"query": ["ASK {}"]})
    assert seen.headers["Accept"].startswith("application/sparql-results+json, application/sparql-results+xml;q=")
    assert seen.headers["User-Agent"].startswith(f"chattykg/{version('chattykg')} (")
    assert "Authorization" not in seen.headers


@pytest.mark.parametrize(
    "query", ["PREFIX load: <http://e/> ASK { ?s load:p ?o }", "# INSERT\nASK { ?s <http://e#delete> 1 }"]
)
def test_the_form_is_never_guessed(server, endpoint, query):
    endpoint.ask(query)
    assert server.received[0].parameters["query"] == [query]


def test_it_waits_as_told_and_goes_on(server, endpoint, naps):
    server.faults.extend(
        [
            Fault(429, "slow down", {"Retry-After": "3"}),
            Fault(503, "busy"),
            Fault(502, "", {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}),
            Fault(504, "", {"Retry-After": "99999"}),
        ]
    )
    assert endpoint.ask("ASK {}") is True
    assert (naps, len(server.received)) == ([3.0, 1.0, 0.0, 60.0], 5)


def test_it_waits_until_a_date(server, endpoint, naps):
    server.faults.append(Fault(503, "", {"Retry-After": formatdate(time.time() + 30, usegmt=True)}))
    endpoint.ask("ASK {}")
    assert 25 < naps[0] <= 30


BEYOND = "Mon, 01 Jan 2024 00:00:00 +99999999999999999"


def test_nonsense_in_retry_after_is_ignored(server, endpoint, naps):
    server.faults.extend([Fault(503, "", {"Retry-After": "soon"}), Fault(503, "", {"Retry-After": BEYOND})])
    endpoint.ask("ASK {}")
    assert naps == [0.5, 1.0]
    server.faults.append(Fault(503, "", {"Retry-After": "nan"}))
    endpoint.ask("ASK {}")
    assert naps[2:] == [0.5]


def test_it_gives_up_after_the_retries(server, endpoint, naps):
    server.always = Fault(503, "<html><head><style>p{}</style></head><body><p>All\nbusy</p></body></html>")
    with pytest.raises(EndpointUnavailable) as caught:
        endpoint.select(ALL)
    assert str(caught.value) == f"{server.url}: HTTP 503: All busy"
    assert (naps, caught.value.query, caught.value.endpoint) == ([0.5, 1.0, 2.0, 4.0, 8.0, 16.0], ALL, server.url)


ORDERED = f"{ALL} ORDER BY ?s ?p STR(?o)"


@pytest.mark.parametrize(
    "query",
    [ORDERED, f"{ORDERED} LIMIT 5", f"{ORDERED} LIMIT 99", f"{ORDERED} OFFSET 2", f"{ORDERED}  limit 4 offset 1 ",
     "PREFIX e: <http://e/> SELECT ?o { e:a e:p ?o } ORDER BY STR(?o)", "SELECT DISTINCT ?p { ?s ?p ?o } ORDER BY ?p"],
)  # fmt: skip
def test_rows_cut_by_the_server_are_asked_for_in_pages(server, endpoint, query):
    whole = endpoint.select(query)
    for most in (1, 2, 3, 7):
        server.most_rows = most
        assert endpoint.select(query) == whole


@pytest.mark.parametrize(
    "query",
    [
        f"{ORDERED} OFFSET 0 LIMIT 99",
        "SELECT ?s ?o { ?s ?p ?o } VALUES ?p { <http://e/p> }",
        f"{ORDERED} # to the end",
    ],
)
def test_rows_cut_by_the_server_are_an_error_where_there_are_no_pages(server, endpoint, query):
    server.most_rows = 3
    with pytest.raises(ResultCut, match="the server cut the answer at 3 rows") as caught:
        endpoint.select(query)
    assert caught.value.rows == 3


def test_pages_that_hold_other_rows_than_there_are_are_an_error(server, endpoint):
    server.most_rows = 3
    server.heavy = ("OFFSET 3", Fault(body='{"head":{"vars":["s"]},"results":{"bindings":[]}}'))
    with pytest.raises(ResultCut, match="the server cut the answer at 3 rows"):
        endpoint.select(ORDERED)


def test_rows_cut_without_a_word_are_asked_for_in_pages(server, sparql_server):
    many = sparql_server("\n".join(f'<http://e/{n % 7}> <http://e/p> "{n}" .' for n in range(60)))
    queries = (
        ALL,
        "SELECT ?s (COUNT(*) AS ?n) { { ?s ?p ?o } UNION { ?o ?p ?s } } GROUP BY ?s",
        "SELECT ?o { ?s ?p ?o } ORDER BY ?o LIMIT 50 OFFSET 3",
        "SELECT ?s { ?s ?p ?o }",
    )
    whole = [sorted(map(str, RemoteEndpoint(many.url).select(query))) for query in queries]
    many.most_rows, many.tells_most = 20, False
    many.received.clear()
    endpoint = RemoteEndpoint(many.url)
    assert [sorted(map(str, endpoint.select(query))) for query in queries] == whole
    with pytest.raises(ResultCut, match="gives 20 rows at most; the answer is not whole"):
        endpoint.select("SELECT ?s ?o { ?s ?p ?o } VALUES ?p { <http://e/p> }")
    assert sum("VALUES ?a" in seen.query for seen in many.received) == 1


def test_a_server_that_refuses_large_limits_is_asked_in_pages(sparql_server):
    many = sparql_server("\n".join(f'<http://e/{n}> <http://e/p> "{n}" .' for n in range(250)))

    def refuse(method, query):
        limits = [int(part) for part in re.findall(r"LIMIT (\d+)", query)]
        is_refused = query.startswith("SELECT") and (not limits or max(limits) > 100)
        return Fault(400, "at most 100 rows, please") if is_refused else None

    many.judge = refuse
    endpoint = RemoteEndpoint(many.url)
    assert len(endpoint.select(ALL)) == len(endpoint.select(f"{ALL} LIMIT 9000")) == 250
    before = len(many.received)
    assert len(endpoint.select(f"{ALL} LIMIT 7")) == 7 and len(endpoint.select("SELECT * { ?s ?p '7' }")) == 1
    assert len(many.received) == before + 2


@pytest.mark.parametrize("refused", [("GET", 405), ("POST", 501), ("GET", 501), ("GET POST-form", 415)])
def test_a_server_that_takes_one_way_of_asking_gets_it(server, endpoint, refused):
    def refuse(method, query):
        ways = {"GET": method == "GET", "POST": method == "POST", "POST-form": method == "POST" and query != ""}
        return Fault(refused[1], "not so") if any(ways[way] for way in refused[0].split()) else None

    server.judge = refuse
    long_query = f"SELECT * {{ ?s ?p ?o FILTER(?o != '{'x' * 3_000}') }}"
    for _ in range(2):
        assert len(endpoint.select(ALL)) == 7
        if refused[1] != 415:
            assert len(endpoint.select(long_query)) == 7
    assert sum(seen.refused for seen in server.received) <= 2


def test_a_limit_of_the_query_itself_is_no_cut(server, endpoint):
    server.always = Fault(headers={"X-SPARQL-MaxRows": "7"})
    assert len(endpoint.select(f"{ALL} LIMIT 7")) == 7
    assert len(endpoint.select(f"{ALL} LIMIT 7 OFFSET 0")) == 7
    assert len(endpoint.select(f"{ALL} LIMIT 3")) == 3


def test_a_limit_that_no_server_has_is_ignored(server, endpoint):
    server.always = Fault(headers={"X-SPARQL-MaxRows": "9" * 5_000})
    assert len(endpoint.select(ALL)) == 7


def test_more_rows_than_the_limit_are_an_error(server):
    assert len(RemoteEndpoint(server.url, row_limit=7).select(ALL)) == 7
    with pytest.raises(ResultUnreadable, match="more than 6 rows"):
        RemoteEndpoint(server.url, row_limit=6).select(ALL)


def test_foreign_queries_are_guarded_on_the_same_wire(server):
    view = RemoteEndpoint(server.url, row_limit=7).untrusted_view()
    assert (len(view.select(ALL)), server.received[-1].query) == (7, f"{ALL}\nLIMIT 8")
    assert view.untrusted_view().ask("ASK { ?s ?p 1 }") is True
    with pytest.raises(ResultUnreadable, match="more than 7 rows"):
        view.select("SELECT * { ?s ?p ?o . ?a ?b ?c }")
    sent = len(server.received)
    for query in ("CONSTRUCT WHERE { ?s ?p ?o }", "ASK { SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }"):
        with pytest.raises(UnsafeQuery, match=f"^{server.url}: "):
            view.ask(query)
    assert len(server.received) == sent


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (Fault(body="<html>Welcome</html>", content_type="text/html"), "the answer (text/html) is no whole JSON"),
        (Fault(keep=12), "is no whole JSON"),
        (Fault(404, "nothing here"), "HTTP 404: nothing here"),
        (Fault(503, "busy", {"Retry-After": "120"}), "HTTP 503: busy"),
        (Fault(delay=1.0), "no answer within 0.3 s"),
        (Fault(body='{"head": {"vars": ["x"]}, "results": {"bindings": []}}'), "is no SPARQL endpoint"),
        (Fault(body=TRUE.replace("true", "false")), "holds no triples in its default graph"),
    ],
)
def test_probe_says_in_one_line_what_is_wrong(server, naps, fault, said):
    server.always = fault
    with pytest.raises(ConfigError) as caught:
        RemoteEndpoint(server.url, timeout=0.3, sleep=naps.append).check_available()
    assert said in str(caught.value) and server.url in str(caught.value) and "\n" not in str(caught.value)
    assert sum(naps) <= 2 or (fault.status == 200 and sum(naps) < 32)


def test_probe_of_nobody(naps):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/sparql"
        with pytest.raises(ConfigError) as caught:
            RemoteEndpoint(url, sleep=naps.append).check_available()
    assert str(caught.value) == (f"the SPARQL endpoint cannot be used: {url}: cannot be reached (Connection refused)")
    assert naps == [0.5]


def test_a_description_that_is_nested_too_deeply_is_none(server, endpoint):
    server.always = Fault(body="<x:a> <x:p> " + "<<( <x:a> <x:p> " * 50_000 + "1" + " )>>" * 50_000 + " .")
    assert read_service_description(endpoint) == ()
