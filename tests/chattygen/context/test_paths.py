"""Paths over value nodes and rows: how they are named, and that none ends at a node that people do not name."""

from collections.abc import Callable

import pytest
from chattyshared.kg import KnowledgeGraph
from ship_graph import PREFIXES
from subgraph_reading import subgraph_at
from workshop_graph import workshops

from chattygen.context.facts import Fact, HiddenEnds
from chattygen.context.subgraph import Subgraph, check_seed
from chattygen.context.summary import summarize
from chattygen.options import Options

R = "https://ships.example/"
OpenTurtle = Callable[[str], KnowledgeGraph]


@pytest.fixture
def kg(open_turtle: OpenTurtle) -> KnowledgeGraph:
    return open_turtle(workshops())


def graph_of(kg: KnowledgeGraph, name: str, *blocked: str) -> Subgraph:
    return subgraph_at(kg, R + name, *(f"{R}vocab/{predicate}" for predicate in blocked))


def facts_of(kg: KnowledgeGraph, name: str, *blocked: str) -> dict[str, tuple[Fact, HiddenEnds]]:
    summary = summarize(kg, graph_of(kg, name, *blocked), list_limit=50)
    pairs = zip(summary.facts, summary.hidden, strict=True)
    return {fact.last_step.label: (fact, hidden) for fact, hidden in pairs}


@pytest.mark.parametrize(
    ("row", "far_class", "label"),
    [
        ("performance", "stage", "performs at"), ("shift", "company", "works for"),
        ("tenancy", "flat", "is a tenant of"), ("role", "film", "appears in"),
        ("club manager", "club", "manages"),
    ],
)  # fmt: skip
def test_a_row_of_a_person_says_what_the_person_does(open_turtle: OpenTurtle, row: str, far_class: str, label: str):
    rows = "\n".join(
        f':p{n} a v:Person ; rdfs:label "Ida {"ABCDEF"[n]}lund" ; v:born {1960 + n} .'
        f':f{n} a v:Far ; rdfs:label "Far {n}" .'
        f":r{n} a v:Row ; v:who :p{n} ; v:where :f{(n + 1) % 6} ; v:wage {200 + n} ."
        for n in range(6)
    )
    labels = (
        f'v:Row rdfs:label "{row}" . v:Far rdfs:label "{far_class}" . v:Person rdfs:label "person" .'
        f'v:who rdfs:label "person" . v:where rdfs:label "{far_class}" . v:wage rdfs:label "wage" .'
    )
    kg = open_turtle(PREFIXES + labels + rows)
    assert set(facts_of(kg, "p0")) - {"born", "wage"} == ({label} if label else set())
    assert "wage" in facts_of(kg, "p0") and "wage" not in facts_of(kg, "f1")


def test_no_fact_leads_to_a_hidden_node_and_none_is_a_seed(kg: KnowledgeGraph):
    for name in ("Borer", "Cleo_Hart", "Turning", "River_Shed"):
        ends = [end for _, hidden in facts_of(kg, name).values() for end in hidden.ends]
        assert ends and not any(kg.hidden_class(iri) for classes in kg.types_of(ends).values() for iri in classes)
    for name in ("price-1", "e0-0", "c2"):
        assert [problem.rule for problem in check_seed(kg, graph_of(kg, name), Options())] == ["hidden-class"]


def test_a_blocked_predicate_blocks_its_paths(kg: KnowledgeGraph):
    assert "price (EUR)" in facts_of(kg, "Borer") and "price (EUR)" not in facts_of(kg, "Borer", "price")
