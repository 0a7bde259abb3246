"""Graphs of rdflib and of pyoxigraph as local endpoints: terms, named graphs, untrusted queries, clean-up."""

import gc
import tempfile
from pathlib import Path

import pyoxigraph as ox
import pytest
from chattyshared.endpoint.local import LocalEndpoint
from chattyshared.errors import ConfigError
from rdflib import RDFS, XSD, BNode, Dataset, Graph, Literal, URIRef

pytestmark = pytest.mark.filterwarnings("ignore:Dataset:DeprecationWarning")  # rdflib's own calls
A, P = URIRef("http://e/a"), URIRef("http://e/p")
ALL = "SELECT ?s ?o { ?s ?p ?o }"


def rows(endpoint, query=ALL):
    return {tuple(row.values()) for row in endpoint.select(query)}


def dataset_with(term):
    dataset = Dataset()
    dataset.parse(data=f"<{A}> <{P}> {term.n3()} .", format="turtle")
    return dataset


def test_terms_keep_language_datatype_and_form():
    graph = Graph()
    literals = (Literal("x"), Literal("y", lang="en"), Literal("2020-13-45", datatype=XSD.date), Literal('a"b\nc'))
    for term in (*literals, URIRef("http://e/b"), BNode()):
        graph.add((A, P, term))
    assert rows(LocalEndpoint(graph)) == {(A, term) for term in (*literals, URIRef("http://e/b"), BNode("f0n0"))}


def test_the_default_graph_is_the_union_of_a_dataset():
    dataset = dataset_with(Literal("default"))
    dataset.graph(URIRef("http://e/g")).add((A, P, Literal("named")))
    endpoint = LocalEndpoint(dataset)
    assert rows(endpoint) == {(A, Literal("default")), (A, Literal("named"))}
    assert rows(endpoint, "SELECT ?g ?o { GRAPH ?g { ?s ?p ?o } }") == {(URIRef("http://e/g"), Literal("named"))}


def test_what_a_formula_quotes_is_not_asserted():
    text = "@prefix e: <http://e/> . e:a e:p { e:x e:p e:y } . e:a e:p e:b ."
    plain = Graph().parse(data=text, format="n3")
    assert rows(LocalEndpoint(plain)) == {(A, URIRef("http://e/b")), (A, BNode("f0n0"))}


def test_a_store_keeps_its_graphs_and_loses_triple_terms():
    store = ox.Store()
    a, p, g = ox.NamedNode("http://e/a"), ox.NamedNode("http://e/p"), ox.NamedNode("http://e/g")
    store.add(ox.Quad(a, p, ox.Literal("1"), g))
    store.add(ox.Quad(a, p, ox.Triple(a, p, ox.Literal("2"))))
    assert rows(LocalEndpoint(store)) == {(A, Literal("1"))}


@pytest.mark.parametrize("term", [URIRef("http://e/a b"), URIRef("relative")])
def test_a_term_that_is_not_rdf_is_named(term):
    graph = Graph().add((A, P, term))
    with pytest.raises(ConfigError, match="holds a statement that is not RDF: .*http://e/p"):
        LocalEndpoint(graph)


def test_a_literal_is_no_subject():
    with pytest.raises(ConfigError, match="not RDF"):
        LocalEndpoint(Graph().add((Literal("x"), P, A)))


def test_a_graph_is_named_by_its_iri():
    triple = (A, RDFS.label, Literal("x"))
    assert LocalEndpoint(Graph(identifier="http://e/films").add(triple)).name == "http://e/films"
    assert LocalEndpoint(Graph().add(triple)).name == LocalEndpoint(dataset_with(A)).name == "graph"


@pytest.mark.slow
def test_untrusted_queries_run_on_a_copy_that_is_removed():
    before = set(Path(tempfile.gettempdir()).glob("chatty-graph-*"))
    graph = Graph()
    for number in range(50):
        graph.add((BNode(), P, Literal(number)))
    endpoint = LocalEndpoint(graph)
    assert set(Path(tempfile.gettempdir()).glob("chatty-graph-*")) == before  # written at the first use
    assert rows(endpoint.untrusted_view()) == rows(endpoint)
    (folder,) = set(Path(tempfile.gettempdir()).glob("chatty-graph-*")) - before
    endpoint.close()
    del endpoint
    gc.collect()
    assert not folder.exists()
