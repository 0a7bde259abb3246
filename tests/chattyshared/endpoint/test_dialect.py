"""Text search as each dialect writes it, and which one an endpoint speaks."""

import re

import pytest
from chattyshared.endpoint.dialect import (
    BLAZEGRAPH,
    FUSEKI,
    GRAPHDB,
    LUCENE,
    PLAIN,
    QLEVER,
    VIRTUOSO,
    WIKIDATA,
    detect_dialect,
)
from chattyshared.endpoint.guard import guard_query
from chattyshared.endpoint.local import LocalEndpoint
from chattyshared.endpoint.remote import RemoteEndpoint
from chattyshared.errors import UnsafeQuery
from chattyshared.kg import KnowledgeGraph
from wire.server import Fault
from wire.text_search import CONNECTOR, ENGINES

LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
TURTLE = (
    'PREFIX e: <http://e/> e:a e:label "The Old Mill (1931)" . e:b e:label "Café \\"Old\\" Town"@de . e:c e:n 1931 .'
)
MILLS = f"""
<http://m/1> <{LABEL}> "Old Mill of Weston"@en ; a <http://m/Mill> .
<http://m/2> <{LABEL}> "Windmill of Weston"@en ; a <http://m/Mill> .
<http://m/3> <{LABEL}> "Old Bridge"@en ; <http://m/note> "stands by the Old Mill" ; a <http://m/Bridge> .
<http://m/P1> a <http://wikiba.se/ontology#Property> .
"""
ALL = (PLAIN, VIRTUOSO, FUSEKI, GRAPHDB, LUCENE.with_index(CONNECTOR), QLEVER, BLAZEGRAPH, WIKIDATA)


def found(endpoint, words):
    pattern = PLAIN.label_filter_pattern("label", words)
    return [str(row["s"]) for row in endpoint.select(f"SELECT ?s {{ ?s ?p ?label . {pattern} }} ORDER BY ?s")]


@pytest.fixture
def endpoint(tmp_path):
    (tmp_path / "a.ttl").write_text(TURTLE)
    return LocalEndpoint([tmp_path / "a.ttl"])


def test_portable_search_finds_all_words_in_any_case(endpoint):
    assert found(endpoint, ["OLD"]) == ["http://e/a", "http://e/b"]
    assert found(endpoint, ["old", "mill"]) == ["http://e/a"]
    assert found(endpoint, ["mill (1931)"]) == ["http://e/a"]
    assert found(endpoint, ["CAFÉ"]) == ["http://e/b"]
    assert found(endpoint, ["1931"]) == ["http://e/a", "http://e/c"]
    assert found(endpoint, ["old", "nothing"]) == []


@pytest.mark.parametrize("dialect", ALL, ids=lambda dialect: dialect.name)
def test_words_stay_words_in_every_dialect(dialect):
    bad = dialect.label_search_pattern(['x" } SERVICE <http://evil/> { ?a ?b ?c } # AND', "O'Neill"], [LABEL])
    outside = re.sub(r'"[^"\\\n]*"|<[^<>\s]*>', "", bad)
    assert "evil" not in outside and "#" not in outside and "?a" not in outside
    assert outside.count("SERVICE") == (dialect == WIKIDATA)
    assert "<http://evil" not in bad
    with pytest.raises(ValueError, match="no word"):
        dialect.label_search_pattern(["", "!?"], [LABEL])
    with pytest.raises(ValueError, match=r"\"'<|not a|IRI|serializ|valid"):
        dialect.label_search_pattern(["mill"], ["http://e/> } #"])


def test_virtuoso_gets_quoted_words():
    pattern = VIRTUOSO.label_filter_pattern("label", ["Old", 'O\'Neill "x"', "old"])
    assert pattern == "?label <bif:contains> \"'old' AND 'o' AND 'neill' AND 'x'\" ."


def test_no_word_and_no_variable():
    for dialect in (PLAIN, VIRTUOSO):
        with pytest.raises(ValueError, match="no word"):
            dialect.label_filter_pattern("label", ["", "!?"])
        with pytest.raises(ValueError, match="not the name"):
            dialect.label_filter_pattern("label } #", ["mill"])


def test_a_plain_engine_is_plain(endpoint, sparql_server):
    assert detect_dialect(endpoint, ["http://e/label"]) == PLAIN
    for turtle in (TURTLE, MILLS):
        server = sparql_server(turtle)
        assert detect_dialect(RemoteEndpoint(server.url), ["http://e/label", LABEL]) == PLAIN
        assert len(server.received) <= 3


@pytest.mark.parametrize("says", [True, False])
@pytest.mark.parametrize("name", ENGINES)
def test_an_engine_is_known_by_what_its_search_finds(sparql_server, name, says):
    server = sparql_server(MILLS)
    server.software, server.understood = ENGINES[name]
    server.software = server.software if says else "nginx"
    dialect = detect_dialect(RemoteEndpoint(server.url), [LABEL])
    assert (dialect.name, dialect.index) == (name, CONNECTOR if name == "lucene" else "")
    assert len(server.received) == (3 if name in ("lucene", "wikidata") else 2)


@pytest.mark.parametrize("name", ENGINES)
def test_an_engine_without_a_text_index_is_plain(sparql_server, name):
    server = sparql_server(MILLS)
    server.software = ENGINES[name][0]
    assert detect_dialect(RemoteEndpoint(server.url), [LABEL]) == PLAIN


def test_an_engine_that_fails_or_has_no_text_is_plain(sparql_server):
    server = sparql_server("<http://e/a> <http://e/p> <http://e/b> .")
    assert detect_dialect(RemoteEndpoint(server.url)) == PLAIN
    assert len(server.received) == 1
    server.always = Fault(400, "no such thing")
    assert detect_dialect(RemoteEndpoint(server.url)) == PLAIN


@pytest.mark.parametrize("name", ENGINES)
def test_things_are_found_by_an_engines_own_search(sparql_server, name):
    server = sparql_server(MILLS)
    server.software, server.understood = ENGINES[name]
    kg = KnowledgeGraph(RemoteEndpoint(server.url), use_index=False, index_up_to=0)
    hits = kg.search(["the old mill", "old mil", "Weston"])
    assert [hit.label for hit in hits["the old mill"]][:1] == ["Old Mill of Weston"]
    if name != "wikidata":  # which finds by the beginning
        assert {hit.label for hit in hits["Weston"]} == {"Old Mill of Weston", "Windmill of Weston"}
    assert any("CONTAINS(LCASE" in request.query for request in server.received) is False


def test_a_service_is_called_by_our_own_dialect_alone():
    query = f"SELECT ?s WHERE {{ {WIKIDATA.label_search_pattern(['mill'], [LABEL])} }}"
    with pytest.raises(UnsafeQuery, match="SERVICE is not taken"):
        guard_query(query, limit=10)
    guard_query(query, limit=10, allowed_services=["http://wikiba.se/ontology#mwapi"])
