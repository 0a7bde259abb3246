from __future__ import annotations

import pytest
from chattyshared.endpoint.guard import guard_query
from chattyshared.sparql.query_layout import CHATTY_GEN_PREFIXES
from chattyshared.sparql.repair import MISSING_BLANK, repair_query

SELECTED, DECLARED = "what is selected put in the grammar's form", "prefixes declared"
SPELLED = "names that no prefix can shorten written out"
WHERE = "WHERE { ?x a <urn:loom> }"


@pytest.mark.parametrize(
    ("loose", "strict"),
    [
        (f"SELECT COUNT(?x) {WHERE}", f"SELECT (COUNT(?x) AS ?count) {WHERE}"),
        (f"SELECT (COUNT(?x)) {WHERE}", f"SELECT (COUNT(?x) AS ?count) {WHERE}"),
        (f"SELECT DISTINCT COUNT(DISTINCT ?x) as ?n {WHERE}", f"SELECT DISTINCT (COUNT(DISTINCT ?x) AS ?n) {WHERE}"),
        (f"SELECT DISTINCT(?x) {WHERE}", f"SELECT DISTINCT ?x {WHERE}"),
        ("select ?x, ?y where { ?x <urn:p> ?y }", "select ?x ?y where { ?x <urn:p> ?y }"),
        ("SELECT MAX(?n) MIN(?n) { ?x <urn:p> ?n }", "SELECT (MAX(?n) AS ?max) (MIN(?n) AS ?min) { ?x <urn:p> ?n }"),
        ("SELECT COUNT(DISTINCT ?y AS ?y) { ?y a <urn:p> }", "SELECT (COUNT(DISTINCT ?y) AS ?count) { ?y a <urn:p> }"),
        (
            "SELECT <urn:f>(?d) YEAR(?d) as ?y { ?x <urn:p> ?d }",
            "SELECT (<urn:f>(?d) AS ?value) (YEAR(?d) AS ?y) { ?x <urn:p> ?d }",
        ),
        ("SELECT COUNT(?count) { ?count a <urn:p> }", "SELECT (COUNT(?count) AS ?count2) { ?count a <urn:p> }"),
        (
            "SELECT ?x WHERE { SELECT ?x COUNT(?y) AS ?n WHERE { ?x <urn:p> ?y } GROUP BY ?x }",
            "SELECT ?x WHERE { SELECT ?x (COUNT(?y) AS ?n) WHERE { ?x <urn:p> ?y } GROUP BY ?x }",
        ),
        (
            "SELECT ?x { ?x <urn:p> ?y } GROUP BY ?x HAVING COUNT(?y) > 2 ORDER BY ?x",
            "SELECT ?x { ?x <urn:p> ?y } GROUP BY ?x HAVING (COUNT(?y) > 2) ORDER BY ?x",
        ),
    ],
)
def test_what_is_selected_gets_the_grammars_form(loose, strict):
    found = repair_query(loose)
    assert (found.text.split(), found.changes, found.fault) == (strict.split(), (SELECTED,), "")
    assert found.was_dialect


def test_a_query_of_sparql_1_1_is_left_as_it_stands():
    for query in (
        f"SELECT (COUNT(DISTINCT ?x) AS ?n) {WHERE}",
        'PREFIX w: <urn:w:> ASK { w:a\\#b w:p "a, COUNT(?x) <urn:a>?b # no comment" } # it\'s one',
        "SELECT ?x { ?x <urn:a>/<urn:b>* ?y . FILTER(?y > 5 && ?y < 9) }",
    ):
        assert repair_query(query).text is query and not repair_query(query).changes and not repair_query(query).fault


def test_a_tight_variable_is_mended_but_no_dialect():
    found = repair_query("SELECT ?x WHERE { <urn:a> <urn:p>?x }")
    assert (found.text, found.changes) == ("SELECT ?x WHERE { <urn:a> <urn:p> ?x }", (MISSING_BLANK,))
    assert not found.was_dialect


def test_only_missing_prefixes_are_declared_the_files_own_before_the_well_known():
    query = "PREFIX dbo: <urn:mine:> SELECT ?x { ?x dbo:a yago:B ; rdfs:label ?l }"
    assert repair_query(query).text == (
        "PREFIX yago: <http://dbpedia.org/class/yago/> PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> " + query
    )
    assert "PREFIX yago: <http://yago-knowledge.org/resource/> " in repair_query(query, CHATTY_GEN_PREFIXES).text
    assert repair_query(query).changes == (DECLARED,)


def test_names_with_brackets_are_written_out_and_paths_are_not():
    found = repair_query(
        "SELECT COUNT(?x) WHERE { ?x dbo:a/dbo:b res:Loom_(tool), res:Washington,_D.C. . ?x dbo:c res:D }"
    )
    assert found.changes == (DECLARED, SELECTED, SPELLED)
    assert (
        "dbo:a/dbo:b <http://dbpedia.org/resource/Loom_(tool)>, <http://dbpedia.org/resource/Washington,_D.C.> ."
        in (found.text)
    )


def test_marks_and_odd_blanks_around_a_query_go():
    assert repair_query('"select ?x where { ?x <urn:p>\u00a0?y } "').text == "select ?x where { ?x <urn:p> ?y }"
    assert repair_query("```sparql\nASK { <urn:a> <urn:p> 1 }\n```").text == "ASK { <urn:a> <urn:p> 1 }"
    assert repair_query("ASK { <urn:a> <urn:p> 1 };").text == "ASK { <urn:a> <urn:p> 1 }"


@pytest.mark.parametrize(
    ("query", "fault"),
    [
        ("", "empty"),
        ('ASK { ?x text:"loom" }', "the prefix text: is not declared"),
        ("SELECT ?x { ?x foo:a ?y }", "the prefix foo: is not declared"),
        ("SELECT ?x WHERE { ?x <urn:p> ", "does not parse: "),
        ("DELETE WHERE { ?s ?p ?o }", "only SELECT and ASK are run"),
        ("CONSTRUCT WHERE { ?s ?p ?o }", "only SELECT and ASK are run"),
        ("SELECT ?x FROM <urn:g> { ?x ?p ?o }", "FROM is not taken"),
        ("SELECT ?x { SERVICE <http://a.example/> { ?x ?p ?o } }", "SERVICE is not taken"),
    ],
)
def test_a_hopeless_query_stays_as_it_was_and_says_why(query, fault):
    found = repair_query(query)
    assert found.text == query and not found.changes and found.fault.startswith(fault)


def test_what_was_mended_passes_the_guard():
    for query in ("SELECT COUNT(?x) { ?x a dbo:A }", "select ?x, ?y { ?x <urn:p>?y }", "ASK { res:A_(b) dbo:c ?d }"):
        assert guard_query(repair_query(query).text, limit=10).form in ("SELECT", "ASK")
