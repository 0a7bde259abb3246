import pytest
from chattyshared.check import Problem
from rdflib import Literal, URIRef
from rdflib.namespace import XSD
from rdflib.plugins.sparql import prepareQuery

from chattygen.context.facts import Entity, Fact, HiddenEnds, Step
from chattygen.turns import TurnSpec
from chattygen.wording.queries import check_result

JUNO = Entity(URIRef("https://s.example/Juno"), "Juno", "t", "Ship")
ADA, BEN = URIRef("https://s.example/Ada"), URIRef("https://s.example/Ben")
OUT = Fact(1, (Step("https://s.example/owner", "owner"),), "entity", count=2)
IN = Fact(1, (Step("https://s.example/owner", "owner", "in"),), "entity")
TWO = Fact(1, (Step("https://s.example/owner", "owner"), Step("https://s.example/born", "born in")), "entity")
ENDS = HiddenEnds((ADA, BEN), ())


def ask(form: str, fact: Fact, hidden: HiddenEnds = ENDS, entity: Entity = JUNO) -> TurnSpec:
    return TurnSpec(0, form, "topic", entity, fact, hidden=hidden)


@pytest.mark.parametrize(
    ("fact", "hidden", "form", "query"),
    [
        (OUT, ENDS, "list", "SELECT DISTINCT ?x WHERE { <https://s.example/Juno> <https://s.example/owner> ?x }"),
        (IN, ENDS, "subject", "SELECT DISTINCT ?x WHERE { ?x <https://s.example/owner> <https://s.example/Juno> }"),
        (
            OUT, ENDS, "count",
            "SELECT (COUNT(DISTINCT ?x) AS ?n) WHERE { <https://s.example/Juno> <https://s.example/owner> ?x }",
        ),
        (
            OUT, HiddenEnds((ADA,), (), offered_term=BEN, is_offer_true=False), "boolean",
            "ASK { <https://s.example/Juno> <https://s.example/owner> <https://s.example/Ben> }",
        ),
        (
            TWO, ENDS, "two-hop",
            "SELECT DISTINCT ?x WHERE { <https://s.example/Juno> <https://s.example/owner> ?y . "
            "?y <https://s.example/born> ?x }",
        ),
        (
            OUT, HiddenEnds((Literal("Schiff"),), (), langs=("", "en")), "list",
            "SELECT DISTINCT ?x WHERE { <https://s.example/Juno> <https://s.example/owner> ?x . "
            'FILTER(LANG(?x) = "" || LANG(?x) = "en") }',
        ),
    ],
)  # fmt: skip
def test_each_form_compiles_to_sparql_1_1(fact, hidden, form, query):
    assert ask(form, fact, hidden).sparql == query
    prepareQuery(query)


def test_a_literal_is_escaped_in_a_yes_no_question():
    hidden = HiddenEnds((), (), offered_term=Literal('12" gun } DROP', datatype=XSD.string))
    query = ask("boolean", OUT, hidden).sparql
    assert query == 'ASK { <https://s.example/Juno> <https://s.example/owner> "12\\" gun } DROP" }'
    prepareQuery(query)


def test_an_iri_that_is_none_never_enters_a_query():
    odd = ask("list", OUT, entity=Entity(URIRef("https://x> } #"), "x", "", ""))
    with pytest.raises(ValueError, match="not an IRI"):
        _ = odd.sparql


def test_results_are_compared_with_the_subgraph():
    assert list(check_result(ask("list", OUT), (BEN, ADA))) == []
    assert list(check_result(ask("list", OUT), (BEN,))) == [
        Problem("result", "the query gives 1 answers, not the 2 of the graph")
    ]
    assert list(check_result(ask("count", OUT), (Literal(3),))) == [
        Problem("result", "the query counts 3, the triples lead to another number of answers")
    ]
    assert list(check_result(ask("boolean", OUT), False)) == [
        Problem("result", "the query gives False, which the graph does not say")
    ]
    assert list(check_result(ask("list", OUT), True)) == [
        Problem("result", "the query is an ASK, but the form is list")
    ]


def test_the_supporting_pattern_hides_the_answers():
    assert ask("two-hop", TWO).pattern == (
        ("https://s.example/Juno", "https://s.example/owner", "?y"),
        ("?y", "https://s.example/born", "?x"),
    )
    none = ask("boolean", OUT, HiddenEnds((), (), offered_term=Literal(0)))
    assert none.pattern[0][2] == f'"0"^^<{XSD.integer}>'
    asked = ask("boolean", IN, HiddenEnds((), (), offered_term=BEN))
    assert asked.pattern == (("https://s.example/Ben", "https://s.example/owner", "https://s.example/Juno"),)
