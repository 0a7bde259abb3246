"""Things by name, the vocabulary by words, queries of others, and the card of a graph."""

import pytest
from chattyshared.errors import ConfigError, UnsafeQuery
from chattyshared.kg import KnowledgeGraph

from chattykg.exploration import graph_tools
from chattykg.exploration.graph_tools import (
    find_thing,
    list_vocabulary,
    run_query,
    search_entities,
)

NAMESPACE = "https://ferries.example/"


@pytest.fixture
def kg(open_graph) -> KnowledgeGraph:
    return open_graph("gull_ferries")


def test_things_are_found_with_their_classes(kg):
    found = search_entities(kg, " petrel ", limit=5)
    assert [(one.iri, one.label, one.score, one.classes) for one in found] == [
        (f"{NAMESPACE}f3", "Petrel", 1.0, ("ferry",))
    ]
    assert search_entities(kg, "", limit=5) == ()
    assert len(search_entities(kg, "Gannet", limit=1)) == 1


@pytest.mark.parametrize(
    ("text", "iri"),
    [
        (f"{NAMESPACE}f3", f"{NAMESPACE}f3"), (f"<{NAMESPACE}f3>", f"{NAMESPACE}f3"), ("Petrel", f"{NAMESPACE}f3"),
        ("wd:Q42", "http://www.wikidata.org/entity/Q42"), ("Ferry", f"{NAMESPACE}Ferry"),
        ("home port", f"{NAMESPACE}homePort"),
    ],
)  # fmt: skip
def test_things_classes_and_predicates_are_known_by_iri_or_name(kg, text, iri):
    assert find_thing(kg, text) == (iri, ())


def test_namesakes_are_named(kg):
    iri, others = find_thing(kg, "Gannet")
    assert {iri, *(other.iri for other in others)} == {f"{NAMESPACE}f1", f"{NAMESPACE}f2"}


@pytest.mark.parametrize("text", ["Zzyzx", f"{NAMESPACE}{'x' * 900_000}"])
def test_an_unknown_name_is_an_error_of_one_sentence(kg, text):
    with pytest.raises(ConfigError, match=r"^nothing in gull_ferries\.ttl is called '") as caught:
        find_thing(kg, text)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("words", "classes", "predicates"),
    [
        ("port", ["port"], ["home port"]),
        ("built", [], ["builder"]),
        ("night", [], ["home port"]),
        ("ferry", ["ferry"], ["home port", "builder", "draught"]),
        ("Fähre", ["ferry"], []),
        ("unicorn", [], []),
    ],
)
def test_the_vocabulary_is_filtered_by_words(kg, words, classes, predicates):
    listed = list_vocabulary(kg, words, limit=10)
    assert [one.label for one in listed.classes] == classes
    assert [one.label for one in listed.predicates if one.iri.startswith(NAMESPACE)] == predicates


def test_the_vocabulary_states_ends_counts_and_an_example(kg):
    (entry,) = list_vocabulary(kg, "home port", limit=10).predicates
    assert ([one.label for one in entry.domains], [one.label for one in entry.ranges]) == (["ferry"], ["port"])
    assert entry.count == 3 and entry.example[0] in ("Gannet", "Petrel")
    cut = list_vocabulary(kg, "", limit=1)
    assert cut.is_cut and len(cut.classes) == 1 and cut.class_count == 2


def test_a_query_has_labels_and_says_when_it_is_cut(kg):
    result = run_query(
        kg, f"SELECT ?f ?d {{ ?f a <{NAMESPACE}Ferry> OPTIONAL {{ ?f <{NAMESPACE}draught> ?d }} }}", limit=2
    )
    assert (result.columns, len(result.rows), result.is_cut) == (("f", "d"), 2, True)
    assert {row[0].label for row in result.rows} <= {"Gannet", "Petrel"}
    whole = run_query(kg, f"SELECT * {{ ?f <{NAMESPACE}homePort> ?p }} ORDER BY ?f", limit=3)
    assert (whole.columns, whole.is_cut) == (("f", "p"), False)
    assert [cell.label for cell in whole.rows[0]] == ["Gannet", "Skerry"]


def test_unbound_cells_truths_and_well_known_prefixes(kg):
    query = f"SELECT ?f ?d {{ VALUES ?f {{ <{NAMESPACE}f3> }} OPTIONAL {{ ?f <{NAMESPACE}draught> ?d }} }}"
    assert run_query(kg, query, limit=5).rows[0][1] is None
    assert run_query(kg, "ASK { ?s ?p ?o }", limit=5).truth is True
    result = run_query(kg, "SELECT ?s { ?s rdfs:label 'Petrel'@en }", limit=5)
    assert (len(result.rows), result.changes) == (1, ("prefixes declared",))


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("INSERT DATA { <a:b> <a:c> 1 }", "only SELECT and ASK are run"),
        ("CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }", "only SELECT and ASK are run"),
        ("SELECT * { SERVICE <http://127.0.0.1:1/> { ?s ?p ?o } }", "SERVICE is not taken"),
        ("SELECT * FROM <file:///etc/passwd> { ?s ?p ?o }", "FROM is not taken"),
        ("SELECT (<urn:evil>(1) AS ?x) {}", "calls a function that is not allowed"),
        ("SELECT ?s { ?s mystery:p ?o }", "the prefix mystery: is not declared"),
        ("hello", "does not parse"),
        ("SELECT * {" + "{" * 60 + "}" * 61, "too deeply nested"),
    ],
)
def test_the_guard_refuses_with_a_sentence(kg, query, sentence):
    with pytest.raises(UnsafeQuery, match=sentence):
        run_query(kg, query, limit=5)


def test_a_huge_query_is_not_parsed(kg):
    with pytest.raises(ConfigError, match="1,000,000 characters; at most 20,000"):
        run_query(kg, "x" * 1_000_000, limit=5)


def test_a_huge_result_is_cut(kg):
    values = " ".join(f'"{number:04}"' for number in range(700))
    long = f'SELECT ?v (CONCAT(?v, "{"x" * 1_900}") AS ?w) {{ VALUES ?v {{ {values} }} }}'
    result = run_query(kg, long, limit=5_000)
    assert result.is_cut
    assert sum(len(cell.value) for row in result.rows for cell in row) <= graph_tools.MAX_RESULT_CHARACTERS
