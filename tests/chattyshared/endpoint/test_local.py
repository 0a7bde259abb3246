"""The local endpoint: terms, forms, union of graphs, the store on disk."""

import json
import os

import pyoxigraph as ox
import pytest
from chattyshared.endpoint import store_loading
from chattyshared.endpoint.local import LocalEndpoint
from chattyshared.errors import ConfigError, QueryRejected, ResultUnreadable
from rdflib import XSD, BNode, Literal, URIRef

ALL = "SELECT ?o { <http://e/a> ?p ?o }"


@pytest.fixture
def turtle(tmp_path):
    def write(text, name="a.ttl"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def objects(endpoint):
    return {row["o"] for row in endpoint.select(ALL)}


def test_terms_keep_language_datatype_and_form(turtle):
    path = turtle(
        'PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>\n<http://e/a> <http://e/p> <http://e/b>, "x", "y"@en, '
        '"2020-13-45"^^xsd:date, "1e3"^^<http://e/own>, "a\\"b\\nc", _:n .'
    )
    found = objects(LocalEndpoint([path]))
    assert found == {
        URIRef("http://e/b"), Literal("x"), Literal("y", lang="en"), BNode("f0n0"), Literal('a"b\nc'),
        Literal("2020-13-45", datatype=XSD.date, normalize=False), Literal("1e3", datatype=URIRef("http://e/own")),
    }  # fmt: skip
    assert {str(term) for term in found} >= {"2020-13-45", "1e3"}


def test_unbound_variables_are_absent(turtle):
    endpoint = LocalEndpoint([turtle("<http://e/a> <http://e/p> 1 .")])
    rows = endpoint.select("SELECT ?s ?x { ?s ?p ?o OPTIONAL { ?o ?q ?x } }")
    assert rows == [{"s": URIRef("http://e/a")}]


def test_the_default_graph_is_the_union_as_a_set(turtle):
    one = turtle(
        '<http://e/g> { <http://e/a> <http://e/p> "x" } <http://e/h> { <http://e/a> <http://e/p> "x", "y" }', "1.trig"
    )
    two = turtle('<http://e/a> <http://e/p> "x", "z" .', "2.ttl")
    endpoint = LocalEndpoint([one, two])
    assert (endpoint.triple_count, len(endpoint.select(ALL))) == (3, 3)
    assert endpoint.select("SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } }") == [{"n": Literal(3)}]


@pytest.mark.parametrize("query", ["SELECT * { ?s", "", "SELECT ?x { SERVICE <http://127.0.0.1:9/> { ?x ?y ?z } }"])
def test_a_wrong_query_is_rejected_in_one_line(turtle, query):
    endpoint = LocalEndpoint([turtle('<http://e/a> <http://e/p> "x" .')])
    with pytest.raises(QueryRejected, match=r"^a\.ttl: ") as caught:
        endpoint.select(query)
    assert "\n" not in str(caught.value)
    assert caught.value.query == query


def test_the_method_says_the_form(turtle):
    endpoint = LocalEndpoint([turtle('<http://e/a> <http://e/p> "x" .')])
    with pytest.raises(QueryRejected, match="not a SELECT query"):
        endpoint.select("ASK {}")
    with pytest.raises(QueryRejected, match="not an ASK query"):
        endpoint.ask(ALL)
    with pytest.raises(QueryRejected, match="not a SELECT query"):
        endpoint.select("CONSTRUCT WHERE { ?s ?p ?o }")


def test_more_rows_than_the_limit_is_an_error(turtle):
    path = turtle('<http://e/a> <http://e/p> "x", "y", "z" .')
    assert len(LocalEndpoint([path], row_limit=3).select(ALL)) == 3
    with pytest.raises(ResultUnreadable, match="more than 2 rows"):
        LocalEndpoint([path], row_limit=2).select(ALL)


def test_a_kept_store_is_not_made_again(turtle, tmp_path, monkeypatch):
    path, folder = turtle('<http://e/a> <http://e/p> "x" .'), tmp_path / "deep" / "store"
    assert objects(LocalEndpoint([path], store=folder)) == {Literal("x")}

    def parse(*_):
        raise AssertionError("parsed again")

    monkeypatch.setattr(ox, "parse", parse)
    assert objects(LocalEndpoint([path], store=folder)) == {Literal("x")}


@pytest.mark.slow
def test_a_kept_store_is_made_anew_for_changed_or_other_files(turtle, tmp_path):
    path, folder = turtle('<http://e/a> <http://e/p> "x" .'), tmp_path / "store"
    first, state = LocalEndpoint([path], store=folder), path.stat()
    path.write_text('<http://e/a> <http://e/p> "y" .')
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))  # of equal size and date
    assert objects(LocalEndpoint([path], store=folder)) == {Literal("y")}
    other = turtle('<http://e/a> <http://e/p> "z" .', "b.ttl")
    assert objects(LocalEndpoint([path, other], store=folder)) == {Literal("y"), Literal("z")}
    assert objects(first) == {Literal("x")}
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["a.ttl", "b.ttl", "store"]


def test_a_folder_that_is_no_store_is_left_alone(turtle, tmp_path):
    path, folder = turtle('<http://e/a> <http://e/p> "x" .'), tmp_path / "mine"
    folder.mkdir()
    (folder / "thesis.txt").write_text("years of work")
    with pytest.raises(ConfigError, match="no store of these files; name a new folder, or delete this one$"):
        LocalEndpoint([path], store=folder)
    with pytest.raises(ConfigError, match="exists and is no store"):
        LocalEndpoint([path], store=folder / "thesis.txt")
    assert (folder / "thesis.txt").read_text() == "years of work"


def test_a_store_is_not_made_anew_where_other_files_would_be_lost(turtle, tmp_path):
    path, folder = turtle('<http://e/a> <http://e/p> "x" .'), tmp_path / "store"
    LocalEndpoint([path], store=folder).close()
    (folder / "counts-ab.json").write_text("{}")
    (folder / "labels-3-ab-cd.sqlite").write_text("")
    (folder / "thesis.txt").write_text("years of work")
    assert objects(LocalEndpoint([path], store=folder)) == {Literal("x")}
    path.write_text('<http://e/a> <http://e/p> "y" .')
    with pytest.raises(
        ConfigError, match=r"out of date and cannot be made anew beside thesis\.txt, which would be lost"
    ):
        LocalEndpoint([path], store=folder)
    (folder / "thesis.txt").rename(tmp_path / "thesis.txt")
    assert objects(LocalEndpoint([path], store=folder)) == {Literal("y")}
    assert sorted(each.name for each in folder.iterdir()) == ["made-of.json", "triples"]


@pytest.mark.slow
def test_broken_files_leave_a_kept_store_as_it_was(turtle, tmp_path):
    path, folder = turtle('<http://e/a> <http://e/p> "x" .'), tmp_path / "store"
    LocalEndpoint([path], store=folder)
    broken = turtle("<http://e/a> <http://e/p>", "broken.ttl")
    with pytest.raises(ConfigError, match=r"broken\.ttl: line 1"):
        LocalEndpoint([broken], store=folder)
    with pytest.raises(ConfigError, match=r"broken\.ttl: line 1"):
        LocalEndpoint([broken], store=tmp_path / "other")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["a.ttl", "broken.ttl", "store"]
    assert json.loads((folder / "made-of.json").read_text())["files"][0][0] == str(path)


def test_a_store_that_cannot_be_written(turtle, tmp_path):
    path = turtle('<http://e/a> <http://e/p> "x" .')
    with pytest.raises(ConfigError, match="is no store of these files; name a new folder, or delete this one$"):
        LocalEndpoint([path], store=path / "store")


def test_a_broken_store_says_what_to_do(turtle, tmp_path):
    path, folder = turtle('<http://e/a> <http://e/p> "x" .'), tmp_path / "store"
    LocalEndpoint([path], store=folder)
    (folder / "triples" / "CURRENT").write_text("nothing")
    with pytest.raises(ConfigError, match="the store cannot be opened .* delete the folder to make it anew$"):
        store_loading.open_store(folder)
