"""The patterns of queries without what selects among their matches."""

import pytest
from chattyshared.sparql.pattern_groups import is_monotone, read_pattern_groups
from rdflib import URIRef, Variable

A, P, Q = (f"http://ex.org/{name}" for name in "apq")


def texts(query: str) -> list[str]:
    return [group.text for group in read_pattern_groups(query)]


def test_filters_orders_and_limits_are_left_out():
    query = f"SELECT ?x WHERE {{ ?x <{P}> ?v . FILTER(?v > 3) }} ORDER BY DESC(?v) LIMIT 1"
    assert texts(query) == [f"?x <{P}> ?v ."]
    assert texts(f"SELECT (COUNT(DISTINCT ?x) AS ?n) WHERE {{ ?x <{P}> <{A}> }}") == [f"?x <{P}> <{A}> ."]


def test_values_bind_their_variables():
    assert texts(f"SELECT ?x WHERE {{ VALUES ?x {{ <{A}> }} ?x <{P}> ?v }}") == [
        f"VALUES (?x) {{ (<{A}>) }} ?x <{P}> ?v ."
    ]


@pytest.mark.parametrize(
    "part", [f"FILTER NOT EXISTS {{ ?x <{Q}> ?y }}", f"MINUS {{ ?x <{Q}> ?y }}", f"OPTIONAL {{ ?x <{Q}> ?y }}"]
)
def test_negated_and_optional_parts_are_matched_for_the_candidates(part):
    found = texts(f"SELECT ?x WHERE {{ <{A}> <{P}> ?x . {part} }}")
    assert found == [f"<{A}> <{P}> ?x .", f"<{A}> <{P}> ?x . ?x <{Q}> ?y ."]


def test_each_branch_and_each_alternative_is_a_group_of_its_own():
    assert texts(f"SELECT ?x WHERE {{ {{ ?x <{P}> ?y }} UNION {{ ?x <{Q}> ?y }} }}") == [
        f"?x <{P}> ?y .", f"?x <{Q}> ?y ."
    ]  # fmt: skip
    assert texts(f"SELECT ?x WHERE {{ <{A}> <{P}>|^<{Q}> ?x }}") == [f"<{A}> <{P}> ?x .", f"?x <{Q}> <{A}> ."]


def test_a_sequence_is_a_chain_and_a_path_of_any_length_needs_all_triples_of_its_predicate():
    assert texts(f"SELECT ?x WHERE {{ <{A}> <{P}>/<{Q}> ?x }}") == [f"<{A}> <{P}> ?path_0_1 . ?path_0_1 <{Q}> ?x ."]
    assert texts(f"SELECT ?x WHERE {{ <{A}> <{P}>+ ?x }}") == [
        f"<{A}> <{P}>+ ?x .", f"?path_start <{P}> ?path_end ."
    ]  # fmt: skip


def test_a_subquery_is_matched_alone():
    query = f"SELECT ?x WHERE {{ ?x <{P}> ?v {{ SELECT (MAX(?w) AS ?v) WHERE {{ ?y <{Q}> ?w }} }} }}"
    assert texts(query) == [f"?x <{P}> ?v .", f"?y <{Q}> ?w ."]


def test_a_solution_gives_the_triples_that_it_matches():
    group = read_pattern_groups(f"SELECT ?x WHERE {{ <{A}> <{P}> ?x . ?x <{Q}> ?y }}")[0]
    assert list(group.triples_of({"x": URIRef(Q)})) == [(URIRef(A), URIRef(P), URIRef(Q))]
    assert group.patterns[0][2] == Variable("x")


def test_no_query_has_no_groups():
    assert texts("DELETE WHERE { ?s ?p ?o }") == [] and texts("?") == []


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (f"SELECT ?x WHERE {{ ?x <{P}> ?y }} LIMIT 1", True),
        (f"ASK {{ ?x <{P}> ?y FILTER(?y = 1) }}", True),
        (f"ASK {{ ?x <{P}> ?y FILTER NOT EXISTS {{ ?x <{Q}> ?y }} }}", False),
        (f"SELECT (COUNT(?x) AS ?n) WHERE {{ ?x <{P}> ?y }}", False),
    ],
)
def test_what_negates_or_counts_is_not_monotone(query, expected):
    assert is_monotone(query) is expected
