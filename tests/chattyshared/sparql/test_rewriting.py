from __future__ import annotations

import pytest
from chattyshared.sparql.analysis import parse_query_shape
from chattyshared.sparql.rewriting import replace_iris, split_query

QUERY = (
    "PREFIX d: <http://d/> SELECT DISTINCT ?x (COUNT(?y) AS ?n) WHERE { ?x d:a ?y . FILTER(?z != \"ORDER BY {\") } "
    "GROUP BY ?x ORDER BY DESC(COUNT(?y)) STR(?x) ?x LIMIT 3 OFFSET 2"
)  # fmt: skip


def test_a_query_is_taken_apart() -> None:
    text = split_query(QUERY)
    assert text is not None
    assert (text.items, text.limit, text.offset) == ("?x (COUNT(?y) AS ?n)", 3, 2)
    assert text.order_keys == ("(COUNT(?y))", "STR(?x)", "?x")
    assert text.select("?x", 9).endswith("GROUP BY ?x ORDER BY DESC(COUNT(?y)) STR(?x) ?x LIMIT 9")
    assert text.solutions == (
        'PREFIX d: <http://d/> SELECT DISTINCT * WHERE { ?x d:a ?y . FILTER(?z != "ORDER BY {") }'
    )
    for query in (text.select("?x", 9), text.solutions):
        assert parse_query_shape(query) is not None


def test_subqueries_are_queries_of_their_own() -> None:
    inner = "SELECT ?y { ?y d:b ?n { select (MAX(?m) AS ?n) { ?z d:b ?m } } } LIMIT 1"
    text = split_query(f"PREFIX d: <http://d/> SELECT ?x {{ ?x d:a ?y {{{inner}}} FILTER(?x != '{{ select') }} LIMIT 2")
    assert text is not None
    first, second = map(split_query, text.subqueries)
    assert first is not None and second is not None
    assert (first.prologue, first.limit) == ("PREFIX d: <http://d/> ", 1) and list(first.subqueries)
    assert (second.items, second.limit) == ("(MAX(?m) AS ?n)", None)


@pytest.mark.parametrize(("query", "items"), [("ASK { ?x ?p ?y }", ""), ("select * { ?x ?p ?y }", "*")])
def test_a_query_without_modifiers(query: str, items: str) -> None:
    text = split_query(query)
    assert text is not None and (text.items, text.limit, text.offset, text.order_keys) == (items, None, 0, ())


def test_no_query_has_no_parts() -> None:
    assert split_query("what is it?") is None and split_query("SELECT ?x") is None


def test_iris_are_replaced_in_full_and_with_a_prefix_but_not_in_strings() -> None:
    query = "PREFIX d: <http://d/> SELECT ?x { ?x d:a/d:ab <http://d/c> . ?x d:a. FILTER(?x = 'd:a <http://d/a>') }"
    assert replace_iris(query, {"http://d/a": "http://n/1", "http://d/c": "http://n/2"}) == (
        "PREFIX d: <http://d/> SELECT ?x { ?x <http://n/1>/d:ab <http://n/2> . ?x <http://n/1>. "
        "FILTER(?x = 'd:a <http://d/a>') }"
    )


def test_iris_that_are_written_with_escapes_are_replaced() -> None:
    query = "PREFIX : <http://v/> SELECT ?n { ?s a :Singer . ?s :singer\\#name ?n. ?n :a :b\\#c. _:a :a 1 } # :x\\#y"
    replaced = replace_iris(query, {"http://v/singer#name": "http://n/1", "http://v/a": "http://n/2"})
    assert replaced == (
        "PREFIX : <http://v/> SELECT ?n { ?s a :Singer . ?s <http://n/1> ?n. ?n <http://n/2> :b\\#c. "
        "_:a <http://n/2> 1 } # :x\\#y"
    )
