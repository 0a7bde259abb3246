"""What the schema makes impossible in a query: things for texts, other classes, other types; and false orders."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from chattyshared.kg import KnowledgeGraph
from chattyshared.terms import Term
from rdflib import BNode, Literal, URIRef

from chattykg.direct.mentioned_vertices import MentionedVertex
from chattykg.direct.mismatches import QueryCheck, explain_mismatches, find_doubt
from chattykg.direct.outcome import QueryOutcome
from chattykg.direct.schema_prompt import build_schema_prompt
from chattykg.linking.vocabulary_card import VocabularyCard, build_vocabulary_card

Finder = Callable[..., tuple[str, ...]]


@pytest.fixture
def mismatches(ships: KnowledgeGraph) -> Finder:
    prompt = build_schema_prompt(ships, build_vocabulary_card("Who commands the Aurora?", ships))

    def find(pattern: str, **options: bool) -> tuple[str, ...]:
        return QueryCheck(prompt.expand_query(f"SELECT ?x {{ {pattern} }}"), prompt, ships).mismatches(**options)

    return find


@pytest.mark.parametrize(
    ("pattern", "sentence"),
    [
        ("?x p:color e:1", 'p:color holds values (xsd:string) such as "red", not things: compare the text, not e:1.'),
        ('?x p:captain "Ann Lee"', "p:captain leads to things such as"),
        ("?x p:length 300", "which \"300\"^^<http://www.w3.org/2001/XMLSchema#integer> never equals as a term"),
        ('?x rdfs:label "Comet"@fr', 'which "Comet"@fr never equals as a term'),
        ("?x p:captain e:1", "p:captain leads to p:Person; e:1 is ship."),
        ("e:1 p:spouse ?x", "p:spouse is stated of p:Person; e:1 is ship."),
        ("e:1 p:color ?c . ?c p:captain ?x", "p:color holds values (xsd:string)"),
        ("?x a p:Harbor ; p:captain ?y", "?x cannot be a p:Harbor and what p:captain is stated of (p:"),
        ("?x a/rdfs:subClassOf* p:Harbor ; p:captain ?y", "?x cannot be a p:Harbor and what p:captain is stated of"),
        ("?y p:captain ?x . ?x p:length ?l", "?x cannot be what p:length is stated of (p:Tanker, p:Ship) and what"),
        ("?x p:length ?l FILTER(?l = \"300\")", 'holds values (xsd:decimal)'),
        ("?x p:launched ?l FILTER(?l > 2000)", 'p:launched holds values (xsd:date) such as "'),
        ("?x p:captain ?l FILTER(?l = \"Ann Lee\")", "not texts: match their labels."),
        ("?x p:color ?l FILTER(?l = e:1)", "compare the text, not e:1."),
        ("?x rdfs:label ?l FILTER(?l = \"Comet\"@fr)", '"Comet"@fr needs the same type, or a cast.'),
        ("?x p:color ?l FILTER(LCASE(STR(?l)) = \"Red\")", '"Red" must be written in the case that it is compared in.'),
    ],
)  # fmt: skip
def test_what_cannot_match_is_named(mismatches: Finder, pattern: str, sentence: str) -> None:
    assert any(sentence in each for each in mismatches(pattern)), mismatches(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        'e:1 p:captain ?x . ?x p:gender "female"',
        "?x a p:Ship ; p:captain ?c . ?c p:birthPlace ?h . ?h a p:Harbor",
        "?x a p:Ship . ?x a p:Tanker",
        "?x a/rdfs:subClassOf* p:Ship ; p:length ?l FILTER(?l > 100)",
        '?x p:launched ?l FILTER(?l > "2000-01-01"^^xsd:date) FILTER(YEAR(?l) < 2012)',
        '?x rdfs:label ?l FILTER(LCASE(STR(?l)) = "comet")',
        '?x rdfs:label "Comet"@en',
        "?x p:captain ?c FILTER(?c != e:1)",
        "?x p:captain/p:birthPlace ?h",
        "<https://ships.example/comet2> p:country ?x",
    ],
)
def test_what_can_match_is_not_named(mismatches: Finder, pattern: str) -> None:
    assert mismatches(pattern) == ()


def test_of_a_query_with_results_the_negated_parts_count(mismatches: Finder) -> None:
    for negation in ("FILTER NOT EXISTS {{ {} }}", "MINUS {{ {} }}"):
        pattern = "?x a p:Ship " + negation.format("?x p:color e:1 . ?x p:length ?l")
        assert any("p:color holds values" in each for each in mismatches(pattern, is_negated_only=True))
    assert mismatches("?x p:color e:1", is_negated_only=True) == ()


ROWS = """@prefix v: <https://r.example/v/> . @prefix : <https://r.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
""" + "".join(f':c{n} a v:Car ; rdfs:label "car {n}" ; v:power "{n * 9}" ; v:weight {n} .\n' for n in range(1, 30))


@pytest.fixture(scope="module")
def check(open_graph: Callable[[str], KnowledgeGraph]) -> Callable[[str], QueryCheck]:
    rows = open_graph(ROWS)
    prompt = build_schema_prompt(rows, build_vocabulary_card("Which car has the highest power?", rows))
    return lambda query: QueryCheck(prompt.expand_query(query), prompt, rows)


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("SELECT ?x { ?x p:power ?v } ORDER BY DESC(?v) LIMIT 1", "order of texts: cast them with xsd:decimal."),
        ("SELECT (MAX(?v) AS ?m) { ?x p:power ?v }", "order of texts: cast them with xsd:decimal."),
        ("SELECT ?x { ?x a p:Car OPTIONAL { ?x p:weight ?v } } ORDER BY ?v LIMIT 1", "?v is optional"),
        ("SELECT ?x { ?x p:weight ?v } ORDER BY DESC(?v) LIMIT 1", ""),
        ("SELECT ?x { ?x p:power ?v } ORDER BY DESC(xsd:decimal(?v)) LIMIT 1", ""),
        ("SELECT ?x (COUNT(?y) AS ?n) { ?x p:weight ?y } GROUP BY ?x ORDER BY DESC(?n)", ""),
        ("SELECT ?l { ?x rdfs:label ?l } ORDER BY ?l", ""),
        ("SELECT ?x { ?x p:power", ""),
    ],
)
def test_an_order_that_is_not_what_it_seems_is_named(check: Any, query: str, sentence: str) -> None:
    sentences = check(query).order_mismatches()
    assert sentence in " ".join(sentences) and bool(sentence) == bool(sentences)


@pytest.mark.parametrize(("what", "count"), [
    ("SUM(?v)", 1), ("AVG(?v)", 1), ("SUM(xsd:decimal(?v))", 0), ("COUNT(?v)", 0),
])  # fmt: skip
def test_a_sum_of_texts_is_named(check: Any, what: str, count: int) -> None:
    sentences = check(f"SELECT ({what} AS ?n) {{ ?x p:power ?v }}").mismatches()
    assert len([s for s in sentences if "no numbers to add: cast them with xsd:decimal" in s]) == count


QUESTION = "How many ships does the Aurora command?"
Doubt = Callable[..., str]


@pytest.fixture
def doubt(ships: KnowledgeGraph) -> Doubt:
    card = build_vocabulary_card(QUESTION, ships)
    prompt = build_schema_prompt(ships, card)

    def find(pattern: str, shape: str, *values: Term, truth: bool | None = None) -> str:
        sparql = prompt.expand_query(f"SELECT * {{ {pattern} }}")
        outcome = QueryOutcome(sparql, shape, tuple({"x": value} for value in values), truth)
        problem = find_doubt(outcome, QUESTION, card, prompt, ships)
        return problem.sentence if problem else ""

    return find


def test_a_zero_or_a_no_that_cannot_be_otherwise_is_doubted(doubt: Doubt) -> None:
    wrong = "?x p:captain e:1"
    for sentence in (doubt(wrong, "count", Literal(0)), doubt(wrong, "number", Literal(0))):
        assert sentence == (
            "The answer is 0, perhaps because the query cannot match: p:captain leads to p:Person; e:1 is ship."
            " If the query is right all the same, send it again."
        )
    assert doubt(wrong, "boolean", truth=False).startswith("The answer is no, perhaps because")
    assert doubt(wrong, "count", Literal(2)) == "" and doubt(wrong, "boolean", truth=True) == ""
    right = 'e:1 p:captain ?x . ?x p:gender "male"'
    assert doubt(right, "count", Literal(0)) == "" and doubt(right, "boolean", truth=False) == ""


def test_texts_that_stand_elsewhere_or_nowhere_are_told(ships: KnowledgeGraph, doubt: Doubt) -> None:
    about = 'e:1 p:captain ?c . ?c p:gender ?g FILTER(LCASE(STR(?g)) = "{}")'
    assert doubt(about.format("red"), "count", Literal(0)).count('The text "red" stands under p:color.') == 1
    assert doubt(about.format("quartz"), "count", Literal(0)).count('No text of the graph is "quartz".') == 1
    assert doubt(about.format("male"), "count", Literal(0)) == doubt(about.format("2040"), "count", Literal(0)) == ""
    prompt = build_schema_prompt(ships, build_vocabulary_card(QUESTION, ships))
    assert explain_mismatches("SELECT * { ?x", prompt, ships) == ""


COMET = URIRef("https://ships.example/comet")
NEVER = "?x p:length ?l FILTER NOT EXISTS { ?x p:color e:1 }"
OPTIONAL = "{ SELECT ?x { e:1 p:captain ?c OPTIONAL { ?x p:crewSize ?v } } ORDER BY ?v LIMIT 1 }"


@pytest.mark.parametrize(
    ("pattern", "values", "told"),
    [
        ("e:1 p:price ?x", (BNode(), BNode()), "The query gives blank nodes only"),
        ("e:1 p:price ?x", (BNode(), URIRef("https://ships.example/p1")), ""),
        (NEVER, (COMET,), "The query may not do what it seems to: p:color holds values"),
        ('?x p:length ?l FILTER NOT EXISTS { e:1 p:color "blue" }', (COMET,), ""),
        ("SELECT ?x { ?x p:captain e:1 }", (COMET,), ""), (OPTIONAL, (COMET,), "?v is optional"),
    ],
)  # fmt: skip
def test_what_cannot_be_an_answer_is_doubted(doubt: Doubt, pattern: str, values: Any, told: str) -> None:
    found = doubt(pattern, "list", *values)
    assert told in found and bool(told) == bool(found)


def test_a_number_in_the_label_of_a_thing_that_the_query_names_is_expressed(ships: KnowledgeGraph) -> None:
    question = "Who led the 2019 trip of the comet?"
    card = VocabularyCard(question=question)
    prompt = build_schema_prompt(ships, card)
    comet = MentionedVertex(9, "https://ships.example/comet", "Comet 2019", "vertex", "comet")
    person = {"x": URIRef("https://ships.example/p1")}
    outcome = QueryOutcome(f"SELECT ?x {{ <{comet.iri}> <https://ships.example/vocab/captain> ?x }}", "one", (person,))
    assert "does not express 2019" in str(find_doubt(outcome, question, card, prompt, ships))
    assert find_doubt(outcome, question, card, replace(prompt, vertices=(comet,)), ships) is None
