"""A query that a model wrote has evidence: triples of the graph that hold for its first answers."""

from __future__ import annotations

from typing import Any

import pytest
from chattyshared.dialogue import Value
from chattyshared.kg import KnowledgeGraph
from chattyshared.literals import to_value

from chattykg.engine import ChattyEngine, Settings
from chattykg.query.evidence import MAX_WITNESSES, fetch_evidence

S = "https://ships.example/"
PREFIXES = f"PREFIX s: <{S}> PREFIX v: <{S}vocab/> "


def evidence(kg: KnowledgeGraph, query: str) -> set[str]:
    endpoint, text = kg.endpoint.untrusted_view(), PREFIXES + query
    if query.startswith("ASK"):
        values: tuple[Value, ...] = (Value(str(endpoint.ask(text)).lower(), "boolean"),)
    else:
        values = tuple(to_value(next(iter(row.values()))) for row in endpoint.select(text) if row)
    triples = fetch_evidence(text, values, kg)
    stated = (f"<{s}> <{p}> " + (o if o.startswith('"') else f"<{o}>") for s, p, o in triples)
    assert all(kg.endpoint.ask(f"ASK {{ {triple} }}") for triple in stated)
    return {" ".join(term.replace(f"{S}vocab/", "").replace(S, "") for term in triple) for triple in triples}


@pytest.mark.parametrize(
    ("query", "triples"),
    [
        ("SELECT ?p { s:aurora v:captain ?p }", {"aurora captain ann"}),
        ("SELECT ?p { s:aurora v:captain/v:spouse ?p }", {"aurora captain ann", "ann spouse bob"}),
        ("SELECT ?p { ?p ^v:captain s:borealis }", {"borealis captain bob"}),
        ("SELECT ?p { s:aurora v:spouse|v:captain ?p }", {"aurora captain ann"}),
        ("SELECT ?p { [ v:captain ?p ; v:color 'blue' ] }", {"borealis captain bob", 'borealis color "blue"'}),
        ("SELECT ?x { ?x v:color 'red' MINUS { ?x v:homeHarbor s:lund } }", {'comet color "red"'}),
        ("SELECT ?x { { ?x v:color 'blue' } UNION { ?x v:homeHarbor s:kiel } }",
         {'borealis color "blue"', "comet homeHarbor kiel"}),
        ("SELECT (COUNT(?x) AS ?n) { ?x v:captain s:ann }", {"aurora captain ann", "comet captain ann"}),
        ("SELECT ?h (COUNT(?x) AS ?n) { ?x v:homeHarbor ?h } GROUP BY ?h ORDER BY DESC(?n) LIMIT 1",
         {"aurora homeHarbor lund", "borealis homeHarbor lund"}),
        ("SELECT ?x { ?x v:color ?c FILTER(LCASE(STR(?c)) IN ('blue', 'pink') && !(?c = 'red')) }",
         {'borealis color "blue"'}),
        ("SELECT ?x { ?x v:length ?n FILTER(+?n > 0 && -?n < 0) } ORDER BY ?n LIMIT 1",
         {'aurora length "120.5"^^<http://www.w3.org/2001/XMLSchema#decimal>'}),
        ("SELECT ?x { s:aurora !(v:length|^v:captain) ?x ; v:captain ?y }", {"aurora captain ann"}),
        ("ASK { s:aurora v:captain s:ann }", {"aurora captain ann"}),
        ("ASK { s:aurora v:captain s:bob }", set()),
        ("SELECT (COUNT(?x) AS ?n) { ?x v:captain s:lund }", set()),
    ],
)  # fmt: skip
def test_the_triples_hold_and_are_those_of_the_answers(ships: KnowledgeGraph, query: str, triples: set[str]) -> None:
    assert evidence(ships, query) == triples


def test_the_classes_of_things_count_if_nothing_else_is_asked(ships: KnowledgeGraph) -> None:
    assert len(evidence(ships, "SELECT ?x { ?x a v:Harbor }")) == 4


def test_evidence_is_bounded_and_a_text_that_is_no_query_has_none(ships: KnowledgeGraph) -> None:
    assert len(evidence(ships, "SELECT ?s { ?s ?p ?o }")) == MAX_WITNESSES
    assert fetch_evidence("DROP ALL", (Value("1", "number"),), ships) == ()


def test_an_answer_of_the_direct_strategy_has_a_sentence_and_evidence(ships: KnowledgeGraph, scripted: Any) -> None:
    model = scripted(direct={"sparql": f"SELECT ?p {{ <{S}aurora> <{S}vocab/captain> ?p }}", "shape": "list"})
    settings = Settings(strategy="direct")
    answer = ChattyEngine(ships, model, settings=settings).answer("Who is the captain of Aurora?")
    assert (answer.sentence, answer.witness) == (
        "the captain of Aurora",
        ((f"{S}aurora", f"{S}vocab/captain", f"{S}ann"),),
    )
