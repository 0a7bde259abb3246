"""Paths over value nodes and rows: what takes their place, how it is named, and what is left out."""

from collections.abc import Callable

import pytest
from chattyshared.kg import KnowledgeGraph
from chattyshared.language.lexicon import load_lexicon
from rdflib import Literal, URIRef
from ship_graph import PREFIXES
from workshop_graph import workshops

from chattygen.lexicalization.predicate_lexicalization import lexicalize_predicate
from chattygen.options import Options
from chattygen.stages.queries import compile_query
from chattygen.subgraph.extraction import Subgraph, extract_subgraph
from chattygen.subgraph.facts import Fact, HiddenEnds
from chattygen.subgraph.naming import profile_naming
from chattygen.subgraph.predicate_salience import unaskable_predicates
from chattygen.subgraph.requirements import check_seed
from chattygen.subgraph.summary import summarize

R, V = "https://ships.example/", "https://ships.example/vocab/"
OpenTurtle = Callable[[str], KnowledgeGraph]


@pytest.fixture
def kg(open_turtle: OpenTurtle) -> KnowledgeGraph:
    return open_turtle(workshops())


def graph_of(kg: KnowledgeGraph, name: str, *blocked: str) -> Subgraph:
    excluded = unaskable_predicates(kg, ()) | {V + predicate for predicate in blocked}
    return extract_subgraph(kg, URIRef(R + name), profile_naming(kg), excluded=excluded)


def facts_of(kg: KnowledgeGraph, name: str, *blocked: str) -> dict[str, tuple[Fact, HiddenEnds]]:
    summary = summarize(kg, graph_of(kg, name, *blocked), list_limit=50)
    pairs = zip(summary.facts, summary.hidden, strict=True)
    return {fact.last_step.label: (fact, hidden) for fact, hidden in pairs}


def test_a_value_node_gives_its_number_with_its_unit(kg: KnowledgeGraph):
    facts = facts_of(kg, "Borer")
    assert set(facts) == {"price (EUR)", "length (cm)", "year of construction", "workshop"}
    fact, hidden = facts["price (EUR)"]
    assert (fact.shape, fact.forms[0], [str(end) for end in hidden.ends]) == ("number", "number", ["4.25"])
    assert [tuple(map(str, triple)) for triple in hidden.triples] == [
        (f"{R}Borer", f"{V}price", f"{R}price-1"), (f"{R}price-1", f"{V}amount", "4.25"),
    ]  # fmt: skip


def test_a_path_is_compiled_to_two_triple_patterns(kg: KnowledgeGraph):
    fact, hidden = facts_of(kg, "Borer")["price (EUR)"]
    sparql = compile_query(graph_of(kg, "Borer").entity, fact, hidden, "number")
    assert sparql == f"SELECT DISTINCT ?x WHERE {{ <{R}Borer> <{V}price> ?y . ?y <{V}amount> ?x }}"
    assert [row["x"] for row in kg.endpoint.select(sparql)] == [Literal("4.25", datatype=hidden.ends[0].datatype)]


def test_rows_give_the_things_at_their_other_ends(kg: KnowledgeGraph):
    fact, hidden = facts_of(kg, "Bo_Marsh")["is enrolled in"]
    assert (fact.forms[0], set(hidden.ends)) == ("list", {URIRef(R + "Turning"), URIRef(R + "Joinery")})
    sparql = compile_query(graph_of(kg, "Bo_Marsh").entity, fact, hidden, "list")
    assert f"?y <{V}participant> <{R}Bo_Marsh> . ?y <{V}course> ?x" in sparql
    assert {row["x"] for row in kg.endpoint.select(sparql)} == set(hidden.ends)


def test_a_single_row_gives_its_literals_but_no_time_that_only_the_row_has(kg: KnowledgeGraph):
    facts = facts_of(kg, "Cleo_Hart")
    assert facts["wage"][1].ends[0].toPython() == 2502
    assert {"wage", "works at"} < set(facts)
    assert not {"start date", "contract start date"} & set(facts)


def test_a_row_of_an_event_says_when_it_was_for_a_person(open_turtle: OpenTurtle):
    rows = workshops().replace('v:Contract rdfs:label "contract"', 'v:Contract rdfs:label "appointment"')
    facts = facts_of(open_turtle(rows), "Cleo_Hart")
    assert str(facts["appointment date"][1].ends[0]) == "2002-02-01"


def test_rows_that_depend_on_a_time_are_left_out(kg: KnowledgeGraph):
    for name in ("Ada_Finch", "Bo_Marsh"):  # two contracts; a contract that has ended
        assert not {"workshop", "works at", "wage"} & set(facts_of(kg, name))


@pytest.mark.parametrize(
    ("row", "far_class", "label"),
    [
        ("performance", "stage", "performs at"), ("performance", "song", "performs"), ("shift", "ferry", "works on"),
        ("shift", "company", "works for"), ("membership", "club", "is a member of"), ("goal", "match", "scored in"),
        ("tenancy", "flat", "is a tenant of"), ("shift", "shop", "works at"), ("shift", "donation", ""),
        ("role", "film", "appears in"), ("encounter", "club", ""),
        ("book author", "book", "wrote"), ("club manager", "club", "manages"),
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


@pytest.mark.parametrize(("far_class", "is_told"), [("employee", False), ("clerk", False), ("doctor", True)])
def test_a_row_tells_no_person_of_an_employee(open_turtle: OpenTurtle, far_class: str, is_told: bool):
    rows = "\n".join(
        f':p{n} a v:Person ; rdfs:label "Ida {"ABCDEF"[n]}lund" ; v:born {1960 + n} .'
        f':f{n} a v:Far ; rdfs:label "Bo {"ABCDEF"[n]}moss" .'
        f":r{n} a v:Report ; v:who :p{n} ; v:where :f{(n + 1) % 6} ; v:pages {200 + n} ."
        for n in range(6)
    )
    labels = f'v:Far rdfs:label "{far_class}" . v:where rdfs:label "{far_class}" .'
    assert (far_class in facts_of(open_turtle(PREFIXES + labels + rows), "p0")) is is_told


@pytest.mark.parametrize(
    ("superclass", "is_person"), [(' . v:Human rdfs:label "person" .', True), (' . v:Human rdfs:label "lamp" .', False)]
)
def test_a_row_tells_what_those_do_whose_class_is_one_of_persons(
    open_turtle: OpenTurtle, superclass: str, is_person: bool
):
    rows = "\n".join(
        f':c{n} a v:Caver ; rdfs:label "Ida {"ABCDEF"[n]}lund" ; v:score {60 + n} .'
        f':s{n} a v:Shop ; rdfs:label "Shop {n}" .'
        f':b{n} a v:Boss ; rdfs:label "Bo {"ABCDEF"[n]}moss" .'
        f":r{n} a v:Shift ; v:caver :c{n} ; v:shop :s{(n + 1) % 6} ; v:boss :b{n} ; v:wage {200 + n} ."
        for n in range(6)
    )
    labels = 'v:Boss rdfs:label "person" . v:Caver rdfs:subClassOf v:Human' + superclass
    found = set(facts_of(open_turtle(PREFIXES + labels + rows), "c0"))
    assert found == ({"score", "wage", "works at", "boss"} if is_person else {"score", "shop", "boss"})


@pytest.mark.parametrize(("label", "is_told"), [("wage unit", False), ("currency", False), ("badge", True)])
def test_the_unit_of_an_amount_at_a_row_is_said_of_nobody(open_turtle: OpenTurtle, label: str, is_told: bool):
    rows = "\n".join(
        f':p{n} a v:Person ; rdfs:label "Ida {"ABCDEF"[n]}lund" . :s{n} a v:Shop ; rdfs:label "Shop {n}" .'
        f":r{n} a v:Shift ; v:person :p{n} ; v:shop :s{(n + 1) % 6} ; v:wage {200 + n} ;"
        f' v:in "{("crown", "mark")[n % 2]}" .'
        for n in range(6)
    )
    facts = facts_of(open_turtle(PREFIXES + f'v:in rdfs:label "{label}" .' + rows), "p0")
    assert set(facts) == {"wage", "works at", *([label] if is_told else [])}


def test_a_category_at_a_row_without_persons_is_not_said_of_its_ends(open_turtle: OpenTurtle):
    rows = "\n".join(
        f':p{n} a v:Pier ; rdfs:label "Pier {n}" . :l{n} a v:Line ; rdfs:label "Line {n}" .'
        f':d{n} a v:Day ; rdfs:label "Day {n}" . :r{n} a v:Row ; v:pier :p{n} ; v:line :l{n} ; v:dayType :d{n % 2} .'
        for n in range(6)
    )
    labels = 'v:Row rdfs:label "departure" . v:dayType rdfs:label "day type" . v:line rdfs:label "route" .'
    facts = facts_of(open_turtle(PREFIXES + labels + rows), "p0")
    assert "route" in facts and "day type" not in facts


def test_each_verb_of_a_node_makes_a_clause():
    verbs = {verb for verbs in load_lexicon("events")["person_nodes"].values() for verb in verbs.values()}
    for verb in verbs:
        frame = lexicalize_predicate(verb)
        assert frame.clauses and not frame.noun and not any(clause.is_inverse for clause in frame.clauses), verb


def test_no_fact_leads_to_a_hidden_node_and_none_is_a_seed(kg: KnowledgeGraph):
    for name in ("Borer", "Cleo_Hart", "Turning", "River_Shed"):
        ends = [end for _, hidden in facts_of(kg, name).values() for end in hidden.ends]
        assert ends and not any(kg.hidden_class(iri) for classes in kg.types_of(ends).values() for iri in classes)
    for name in ("price-1", "e0-0", "c2"):
        assert [problem.rule for problem in check_seed(kg, graph_of(kg, name), (), Options())] == ["hidden-class"]


def test_a_blocked_predicate_blocks_its_paths(kg: KnowledgeGraph):
    assert "price (EUR)" not in facts_of(kg, "Borer", "price")
    assert "course" not in facts_of(kg, "Bo_Marsh", "participant")


def test_paths_of_one_name_are_left_out(open_turtle: OpenTurtle):
    rows = "\n".join(
        f":r{n} a v:Trip ; v:from :Port{'ABC'[n % 3]} ; v:to :Port{'ABC'[(n + 1) % 3]} ; v:by :Ship{'AB'[n % 2]} ."
        for n in range(6)
    )
    names = "\n".join(
        f':{kind}{letter} a v:{kind} ; rdfs:label "{word} {letter}" .'
        for kind, word in (("Port", "harbour"), ("Ship", "barge"))
        for letter in "ABC"
    )
    labels = 'v:from rdfs:label "from port" . v:to rdfs:label "to port" . v:by rdfs:label "ship" .'
    kg = open_turtle(PREFIXES + labels + names + rows)
    assert set(facts_of(kg, "ShipA")) == set()
    assert set(facts_of(kg, "PortA")) <= {"ship"}
