import json

import pytest
from chattyshared.check import make_schema_check
from chattyshared.model import Completion, Usage
from chattyshared.resources import open_kg

import chattygen
from chattykg.agents.qir import AGENT
from chattykg.engine import ChattyEngine, Settings
from chattykg.experience.query_representations import represent_query
from chattykg.linking.vocabulary_card import build_vocabulary_card
from chattykg.qir import render_qir, to_json
from chattykg.rulebook import agent_rules

PREFIXES = """PREFIX d: <https://ships.example/> PREFIX v: <https://ships.example/vocab/>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> """


@pytest.mark.parametrize(
    ("query", "form", "text"),
    [
        ("SELECT ?x WHERE { d:aurora v:captain ?x }", "object", "one ?x; (Aurora | captain | ?x)"),
        ("ASK { d:aurora v:captain d:ann }", "boolean", "boolean; (Aurora | captain | Ann Lee)"),
        ("SELECT (COUNT(DISTINCT ?s) AS ?n) WHERE { ?s a v:Ship }", "count", "count ?s; ?s: ship"),
        (
            'SELECT ?s WHERE { ?s v:launched ?d ; v:color "red" FILTER(?d >= "2000-01-01"^^xsd:date) FILTER(?d != 5) }',
            "filter",
            "list ?s; (?s | launch date | ?d); (?s | color | red); ?d >= 2000-01-01; ?d != 5",
        ),
        (
            "SELECT ?s WHERE { ?s a v:Ship ; v:length ?l } ORDER BY DESC(?l) LIMIT 1 OFFSET 1",
            "superlative",
            "one ?s; (?s | length | ?l); ?s: ship; order ?l desc 1 1",
        ),
        (
            "SELECT ?s WHERE { ?s a v:Ship FILTER NOT EXISTS { ?s v:captain d:ann } }",
            "negation",
            "list ?s; not (?s | captain | Ann Lee); ?s: ship",
        ),
    ],
)
def test_plain_queries_are_represented_by_labels(query, form, text, ships):
    qir = represent_query(PREFIXES + query, ships, form, 1)
    assert qir is not None
    assert render_qir(qir).replace("  ", " ") == text


@pytest.mark.parametrize(
    "query",
    [
        "SELECT ?x WHERE { d:aurora ?p ?x }",
        "SELECT ?x WHERE { d:aurora v:captain/v:spouse ?x }",
        "SELECT ?x WHERE { { d:aurora v:captain ?x } UNION { d:comet v:captain ?x } }",
        "SELECT ?x ?y WHERE { ?x v:captain ?y }",
        "SELECT (AVG(?l) AS ?x) WHERE { ?s v:length ?l }",
        "SELECT (COUNT(*) AS ?n) WHERE { ?s a v:Ship }",
        "SELECT ?s WHERE { ?s v:length ?l FILTER(?l * 2 > 100) }",
        "SELECT ?c (COUNT(?s) AS ?n) WHERE { ?s v:captain ?c } GROUP BY ?c",
        "SELECT ?c WHERE { d:aurora a ?c }",
        "SELECT ?s WHERE { ?s a v:Ship FILTER NOT EXISTS { ?s v:length ?l FILTER(?l > 100) } }",
        "SELECT ?s WHERE { ?s v:length ?l } ORDER BY DESC(xsd:integer(?l)) LIMIT 1",
        "no query",
    ],
)
def test_other_queries_are_not(query, ships):
    assert represent_query(PREFIXES + query, ships) is None


class _Reader:
    """A model that replies to the QIR agent with the representation of the gold query."""

    name = "scripted"
    qir = None

    def complete(self, request):
        rules = {"answer/matching": agent_rules.choose_entities, "answer/planning": agent_rules.choose_predicates}
        reply = self.qir if request.agent == "answer/qir" else rules[request.agent](request)
        return Completion(json.dumps(reply), Usage(1, 1, 1))


@pytest.mark.slow
def test_representations_of_a_benchmark_pass_the_checks_and_lead_to_its_answers():
    kg, model, right, number = open_kg("demo"), _Reader(), 0, 0
    engine, check_schema = (
        ChattyEngine(kg, model, settings=Settings(strategy="staged")),
        make_schema_check(AGENT.prompt.schema),
    )
    for dialogue in chattygen.generate("demo", dialogues=8, turns=5, seed=4):
        for turn in dialogue.turns:
            qir = represent_query(turn.sparql, kg, turn.form, len(turn.answers)) if turn.answers else None
            if qir is None:
                continue
            model.qir, card = to_json(qir), build_vocabulary_card(turn.standalone, kg)
            assert list(check_schema(model.qir)) == []
            variables = {"question": turn.standalone, "card": card}
            assert [p for check in AGENT.checks for p in check(model.qir, variables)] == []
            answer = engine.answer(turn.standalone)
            right += {value.value for value in answer.values} == {value.value for value in turn.answers}
            number += 1
    assert number >= 25
    assert right >= 0.9 * number
