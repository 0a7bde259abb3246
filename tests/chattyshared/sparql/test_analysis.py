from __future__ import annotations

import subprocess
import sys

import pytest
from chattyshared.sparql.analysis import is_update, parse_query_shape, strip_query_terms

TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
FIRST_USE = """
from concurrent.futures import ThreadPoolExecutor
from chattyshared.sparql.analysis import analyze_query

texts = ["SELECT (COUNT(DISTINCT ?x) AS ?c) WHERE { ?x <http://a/%d> ?y FILTER(?y > 3) }" % n for n in range(100)]
with ThreadPoolExecutor(8) as pool:
    print(*{each.syntax_error for each in pool.map(analyze_query, texts)}, sep="|")
"""


def test_tokens_may_stand_tight_as_the_grammar_allows() -> None:
    shape = parse_query_shape("SELECT ?x WHERE { <a:s> <a:p>?x }")
    assert shape is not None and shape.predicates == ("a:p",)


def test_patterns_within_exists_and_subqueries_count() -> None:
    shape = parse_query_shape(
        "SELECT ?x { { SELECT ?x WHERE { ?x <a:p> ?y } LIMIT 3 } FILTER NOT EXISTS { ?x <a:q> ?z . ?z <a:r> ?x } }"
    )
    assert shape is not None
    assert (shape.triples, shape.predicates) == (3, ("a:p", "a:q", "a:r"))
    assert shape.features == ("SELECT", "LIMIT", "FILTER", "NOT EXISTS", "SUBQUERY")


@pytest.mark.parametrize(
    ("query", "features"),
    [
        ("ASK { <a:s> <a:p> <a:o> }", ("ASK",)),
        ("SELECT (COUNT(DISTINCT ?x) AS ?n) WHERE { ?x <a:p> 3 }", ("SELECT", "DISTINCT", "COUNT")),
        ("SELECT ?x { ?x <a:p> ?v } ORDER BY DESC(?v) LIMIT 1", ("SELECT", "ORDER BY", "LIMIT")),
        ("SELECT ?x { ?x <a:p>/<a:q>+ ?v }", ("SELECT", "PATH")),
        ("SELECT ?x { ?x <a:p>?/<a:q>* ?v }", ("SELECT", "PATH")),
        ("SELECT ?x { ?x <a:p> ?v FILTER EXISTS { ?v <a:q> ?x } }", ("SELECT", "FILTER", "EXISTS")),
        ("SELECT ?x { { ?x <a:p> 1 } UNION { ?x <a:q> 1 } }", ("SELECT", "UNION")),
        ("ASK { ?x <a:limit> 'ORDER BY ?count' } # HAVING", ("ASK",)),
    ],
)
def test_features_are_those_of_the_query_not_of_its_names_and_texts(query: str, features: tuple[str, ...]) -> None:
    shape = parse_query_shape(query)
    assert shape is not None and shape.features == features


def test_predicates_of_paths_and_prefixes_are_written_out() -> None:
    shape = parse_query_shape("PREFIX v: <https://v.example/> SELECT ?x { ?x v:p/^v:q ?y . ?y (v:r|!v:s)* ?z }")
    assert shape is not None
    assert shape.predicates == tuple(f"https://v.example/{name}" for name in "pqrs")


@pytest.mark.parametrize(
    "query",
    [
        "", "SELECT COUNT(?x) WHERE { ?x <a:p> ?y }", "SELECT ?x { ?x undeclared:p ?y }", "DELETE WHERE { ?s ?p ?o }",
        "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }", "SELECT ?x WHERE {", "who wrote it?",
    ],
)  # fmt: skip
def test_what_is_no_select_or_ask_of_sparql_1_1_has_no_shape(query: str) -> None:
    assert parse_query_shape(query) is None


def test_bare_leaves_keywords_and_marks() -> None:
    assert strip_query_terms("SELECT ?x { ?x <a:count> 'limit' ; ex:ask ?y } # having") == "SELECT { ; }"


def test_marks_that_a_prefixed_name_escapes_are_part_of_the_iri(caplog: pytest.LogCaptureFixture) -> None:
    shape = parse_query_shape(
        r"PREFIX q: <https://quay.example/> SELECT ?x WHERE { ?x q:berth_\(old\) q:Pier_\(north\) }"
    )
    assert shape is not None
    assert shape.predicates == ("https://quay.example/berth_(old)",)
    assert not caplog.records


def test_threads_that_use_the_parser_first_at_once_leave_it_whole() -> None:
    done = subprocess.run([sys.executable, "-c", FIRST_USE], capture_output=True, text=True, timeout=120, check=False)
    assert (done.stdout, done.stderr) == ("\n", "")


@pytest.mark.parametrize(
    ("text", "expected"), [("DELETE WHERE { ?s ?p ?o }", True), ("ASK { ?s ?p ?o }", False), ("films", False)]
)
def test_updates_are_told_from_other_texts(text: str, expected: bool) -> None:
    assert is_update(text) is expected
