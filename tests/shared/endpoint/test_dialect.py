"""Text search as each dialect writes it, and which one an endpoint speaks."""

import pytest
from chattyshared.endpoint.dialect import PLAIN, VIRTUOSO, detect
from chattyshared.endpoint.local import LocalEndpoint
from chattyshared.endpoint.remote import RemoteEndpoint
from wire.server import Fault

TURTLE = (
    'PREFIX e: <http://e/> e:a e:label "The Old Mill (1931)" . e:b e:label "Café \\"Old\\" Town"@de . e:c e:n 1931 .'
)


def found(endpoint, words):
    pattern = PLAIN.label_pattern("label", words)
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


@pytest.mark.parametrize("word", ['") . SERVICE <http://x/> {} #mill', "mill'", "mill\\", "mill\n", "?mill"])
def test_words_stay_words(endpoint, word):
    pattern = PLAIN.label_pattern("label", [word])
    endpoint.select(f"SELECT ?s {{ ?s ?p ?label . {pattern} }}")
    assert '"mill"' in pattern and "<" not in pattern


def test_virtuoso_gets_quoted_words():
    pattern = VIRTUOSO.label_pattern("label", ["Old", 'O\'Neill "x"', "old"])
    assert pattern == "?label <bif:contains> \"'old' AND 'o' AND 'neill' AND 'x'\" ."


def test_no_word_and_no_variable():
    for dialect in (PLAIN, VIRTUOSO):
        with pytest.raises(ValueError, match="no word"):
            dialect.label_pattern("label", ["", "!?"])
        with pytest.raises(ValueError, match="not the name"):
            dialect.label_pattern("label } #", ["mill"])


def test_a_plain_engine_is_plain(endpoint, sparql_server):
    assert detect(endpoint) == PLAIN
    assert detect(RemoteEndpoint(sparql_server(TURTLE).url)) == PLAIN


def test_an_engine_whose_text_search_finds_is_virtuoso(sparql_server):
    server = sparql_server("<http://e/a> <http://e/label> 'Windmill hill' .")
    server.faults.extend([Fault(), Fault(body='{"head": {}, "boolean": true}')])
    assert detect(RemoteEndpoint(server.url)) == VIRTUOSO
    assert server.received[1].query == "ASK { ?s ?p ?text . ?text <bif:contains> \"'windmill'\" . }"


def test_an_engine_that_fails_or_has_no_text_is_plain(sparql_server):
    server = sparql_server("<http://e/a> <http://e/p> <http://e/b> .")
    assert detect(RemoteEndpoint(server.url)) == PLAIN
    server.always = Fault(400, "no such thing")
    assert detect(RemoteEndpoint(server.url)) == PLAIN
