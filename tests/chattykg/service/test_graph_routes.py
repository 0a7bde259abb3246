"""What the service tells of a graph: classes and examples, things, and the results of a client's own queries."""

import json
import time
from pathlib import Path

import pytest
from chattyshared.endpoint.remote import RemoteEndpoint
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel
from rdflib import Graph
from rdflib.plugins.stores.sparqlstore import SPARQLStore
from SPARQLWrapper import CSV, JSON, POST, POSTDIRECTLY, XML, SPARQLWrapper
from wire.running_service import Client, Running

from chattykg.engine import ChattyEngine
from chattykg.rulebook import RULEBOOK
from chattykg.service.app import make_app
from chattykg.service.datasets import DatasetRegistry, ServedDataset
from chattykg.service.examples import ExampleQuestions
from chattykg.service.sessions import SessionStore


def select(client: Client, sparql: str, **body: str) -> tuple[int, dict]:
    sent = json.dumps({"sparql": sparql, "dataset": "orchard", **body}).encode()
    got = client.send("POST", "/select", sent, Content_Type="application/json")
    return got.status, got.json


def test_a_graph_tells_its_classes(service: Client) -> None:
    got = service.get("/graph", dataset="orchard").json
    assert (got["name"], got["triples"]) == ("orchard", 18)
    assert [(one["label"], one["count"]) for one in got["classes"]] == [("person", 2), ("tree", 2)]
    assert got["examples"]
    assert service.get("/graph", dataset="no").status == 404


def test_a_thing_is_described_in_both_directions(service: Client) -> None:
    got = service.get("/thing", dataset="orchard", iri="https://orchard.example/g1").json
    assert got["label"] == "Ida Moor" and [one["label"] for one in got["classes"]] == ["person"]
    assert [(one["label"], [v["value"] for v in one["values"]]) for one in got["outgoing"]] == [
        ("date of birth", ["1931-04-02"])
    ]
    (planted,) = got["incoming"]
    assert planted["values"] == [
        {"value": "https://orchard.example/t1", "kind": "iri", "label": "Old Bramley", "type": "tree"}
    ]


@pytest.mark.parametrize("iri", ["https://orchard.example/none", "no iri", "javascript:alert(1)", ""])
def test_of_an_unknown_thing_nothing_is_stated(service: Client, iri: str) -> None:
    assert service.get("/thing", dataset="orchard", iri=iri).status == 404


def test_a_query_of_a_client_is_run_with_labels(service: Client) -> None:
    status, got = select(service, "SELECT ?t ?g { ?t <https://orchard.example/planted> ?g } ORDER BY ?t LIMIT 1")
    assert status == 200 and got["columns"] == ["t", "g"] and not got["is_cut"]
    assert [cell["label"] for cell in got["rows"][0]] == ["Old Bramley", "Ida Moor"]
    assert select(service, "ASK { ?s ?p ?o }")[1]["boolean"] is True


@pytest.mark.parametrize(
    "sparql",
    [
        "DELETE WHERE { ?s ?p ?o }",
        "SELECT * { SERVICE <http://127.0.0.1:1/> { ?s ?p ?o } }",
        "x" * 30_000,
        "",
        "SELECT",
    ],
)
def test_other_queries_are_refused(service: Client, sparql: str) -> None:
    status, got = select(service, sparql)
    assert status in (422, 502) and got["detail"]


@pytest.mark.slow
def test_examples_are_planned_once_and_kept(tmp_path: Path) -> None:
    """The examples grow while they are planned, are answered as planned, and survive a restart."""
    kg = open_kg(["demo"], cache_dir=tmp_path / "cache")
    served = ServedDataset("demo", kg, ChattyEngine(kg, RuleModel(RULEBOOK)))
    with Running(make_app(DatasetRegistry({"demo": served}, "rules"), SessionStore())) as client:
        first = client.get("/graph").json
        assert first["examples"] and not first["is_complete"]
        end = time.monotonic() + 100
        while not (got := client.get("/graph").json)["is_complete"]:
            assert time.monotonic() < end
            time.sleep(0.2)
        assert len(got["examples"]) >= 4
        for question in got["examples"]:
            assert client.chat(question).json["status"] == "answered"
    restarted = ExampleQuestions()
    while not (again := restarted.of(served)).is_complete:
        time.sleep(0.05)
    assert again.questions == got["examples"] and time.monotonic() < end + 100


def test_endless_queries_hold_up_no_question_and_end_when_their_client_leaves(service: Client) -> None:
    joined = " ".join(f"?s{n} ?p{n} ?o{n} ." for n in range(9))
    sent = json.dumps({"sparql": f"SELECT (COUNT(*) AS ?n) {{ {joined} }}", "dataset": "orchard"}).encode()
    head = f"POST /select HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(sent)}"
    waiting = [service.open(head.encode() + b"\r\n\r\n" + sent) for _ in range(4)]
    began = time.monotonic()
    assert service.chat("Who planted Old Bramley?", dataset="orchard").status == 200
    assert time.monotonic() - began < 10
    waiting[0].settimeout(0.5)
    with pytest.raises(TimeoutError):
        waiting[0].recv(1)
    for connection in waiting:
        connection.close()
    assert select(service, "ASK { ?s ?p ?o }")[1]["boolean"] is True
    assert time.monotonic() - began < 20


PLANTED = "SELECT ?t ?g { ?t <https://orchard.example/planted> ?g } ORDER BY ?t"


@pytest.mark.parametrize("kind", [JSON, XML, CSV])
@pytest.mark.parametrize("way", ["GET", "POST", POSTDIRECTLY])
def test_clients_of_the_sparql_protocol_get_results(service: Client, kind: str, way: str) -> None:
    wrapper = SPARQLWrapper(f"{service.url}sparql/orchard", returnFormat=kind)
    wrapper.setQuery(PLANTED)
    wrapper.setMethod(POST if way != "GET" else way)
    if way == POSTDIRECTLY:
        wrapper.setRequestMethod(way)
    response = wrapper.query().response.read().decode()
    assert response.count("https://orchard.example/t1") == 1


def test_rdflib_and_our_own_endpoint_read_the_sparql_route(service: Client) -> None:
    url = f"{service.url}sparql/orchard"
    rows = RemoteEndpoint(url).select(PLANTED)
    assert {str(row["t"]) for row in Graph(SPARQLStore(url)).query(PLANTED)} == {str(row["t"]) for row in rows} != set()
    assert RemoteEndpoint(url).ask("ASK { ?s ?p ?o }") is True


@pytest.mark.parametrize(
    ("parameters", "status"),
    [
        ({"query": "DELETE WHERE { ?s ?p ?o }"}, 400),
        ({"query": "SELECT * { SERVICE <http://e/> { ?s ?p ?o } }"}, 400),
        ({"query": "ASK {}", "default-graph-uri": "http://e/"}, 400),
        ({"update": "DELETE WHERE { ?s ?p ?o }"}, 400),
    ],
)
def test_the_sparql_route_only_reads(service: Client, parameters: dict[str, str], status: int) -> None:
    assert service.get("/sparql/orchard", **parameters).status == status
    assert service.get("/sparql/none", query="ASK {}").status == 404
