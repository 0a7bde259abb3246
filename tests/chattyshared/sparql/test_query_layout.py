"""Queries are laid out without a change of their meaning."""

import pytest
from chattyshared.sparql.query_layout import lay_out_query
from rdflib.plugins.sparql.algebra import translateQuery
from rdflib.plugins.sparql.parser import parseQuery

LONG = """PREFIX a: <http://x/y#>
SELECT (COUNT(DISTINCT ?x) AS ?n) { { ?x a:p 3.5 ; a:q "a . {b} <http://no/iri>"@en . } UNION { ?x ^a:q ?y # { .
 . ?y a <http://x/y#C> } FILTER NOT EXISTS { ?x a:z/<http://www.w3.org/2000/01/rdf-schema#label>* ?q }
 FILTER(?y < 5 && ?x>?y) } GROUP BY ?x HAVING (COUNT(?y) > 3) ORDER BY DESC(?n) LIMIT 1"""


def meaning(query: str) -> str:
    return repr(translateQuery(parseQuery(query)).algebra)


def test_a_query_gets_prefixes_and_a_pattern_a_line() -> None:
    query = (
        "SELECT DISTINCT ?film WHERE { ?film <https://chatty.example/vocab/director> <https://chatty.example/demo/A_B> "
        '. ?film <https://chatty.example/vocab/date> ?date . FILTER(SUBSTR(STR(?date), 1, 4) > "2005") } LIMIT 10000'
    )
    assert lay_out_query(query).splitlines() == [
        "PREFIX vocab: <https://chatty.example/vocab/>",
        "PREFIX demo: <https://chatty.example/demo/>",
        "",
        "SELECT DISTINCT ?film WHERE {",
        "  ?film vocab:director demo:A_B .",
        "  ?film vocab:date ?date .",
        '  FILTER(SUBSTR(STR(?date), 1, 4) > "2005")',
        "}",
        "LIMIT 10000",
    ]


@pytest.mark.parametrize(
    "query",
    [
        LONG,
        "BASE <http://a/> SELECT * { <b> ?p <http://c/d> }",
        "ASK { <urn:x:1> <http://a.b/1> \"\\\"}\"^^<http://a.b/t>, '''x\ny''' }",
        "SELECT ?x { ?x <http://a/p>/<http://a/q>|^<http://a/r> ?y . { SELECT ?y { ?y ?z 1 } LIMIT 2 } BIND(?y AS ?w)}",
        "PREFIX : <http://a/> PREFIX a: <http://b/> SELECT ?x { ?x :p a:q ; a :c.d . VALUES ?x { :e <http://a/f> } }",
        "SELECT ?x { ?x <http://one/vocab/p> ?y . ?y <http://two/vocab/p> 2 . OPTIONAL { ?x a ?c } MINUS { ?x ?p 3 } }",
    ],
)
def test_only_white_space_and_names_change(query: str) -> None:
    laid_out = lay_out_query(query)
    assert meaning(laid_out) == meaning(query)
    assert lay_out_query(laid_out) == laid_out


@pytest.mark.parametrize("text", ["", "no query", "SELECT ?x { ?x ?p \x00 }", "} ) . ;", '"open'])
def test_a_text_that_is_no_query_stays(text: str) -> None:
    assert "".join(lay_out_query(text).split()) == "".join(text.split())
