"""Replies that are not the JSON that was asked for: a query wherever it stands, or that there is none."""

import pytest

from chattykg.direct.replies import find_written_query, read_bare_query, read_reply

QUERY = "SELECT ?x WHERE { ?x a ?y } ORDER BY ?x LIMIT 2"


@pytest.mark.parametrize(
    ("text", "query"),
    [
        (f"SPARQL: {QUERY}\nIt lists two.", QUERY),
        (f"Here:\n```sparql\n{QUERY}\n```\nDone.", QUERY),
        (
            "PREFIX p: <https://a.example/>\nASK { ?x p:y 1 } and so on",
            "PREFIX p: <https://a.example/>\nASK { ?x p:y 1 }",
        ),
        ("SELECT ?x { ?x ?p ?y { ?y ?q 1 }", "SELECT ?x { ?x ?p ?y { ?y ?q 1 } }"),
        ('SELECT ?x { ?x ?p "} # no note" } LIMIT 1', 'SELECT ?x { ?x ?p "} # no note" } LIMIT 1'),
        ("SELECT ?x { ?x ?p ?y  # one of: 4, 5 } LIMIT 1", "SELECT ?x { ?x ?p ?y  } LIMIT 1"),
        ("I would select the ships and ask the port.", ""),
    ],
)
def test_a_query_is_found_in_a_text(text, query):
    assert find_written_query(text.replace("```sparql\n", "").replace("```", "")) == query
    assert (read_reply(text) or {"sparql": ""})["sparql"] == query


def test_no_query_is_none_where_the_text_says_so():
    assert read_reply("NONE.") == {"shape": "none", "sparql": ""}
    assert read_reply('{"answer": "none of these"}') is None
    assert read_reply('{"q": "ASK { ?x ?p 1 }", "unused": ["a"]}') == {"shape": "boolean", "sparql": "ASK { ?x ?p 1 }"}


@pytest.mark.parametrize(
    ("clause", "shape"), [("?x", "list"), ("?x ?y", "table"), ("(COUNT(DISTINCT ?x) AS ?n)", "count"), ("*", "list")]
)
def test_a_bare_query_has_the_shape_of_its_columns(clause, shape):
    assert read_bare_query(f"SELECT {clause} {{ ?x ?p ?y }}")["shape"] == shape
