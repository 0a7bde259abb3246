"""Relations of a QIR that one node of the graph states: which they are, and what they become."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg

from chattykg.linking.entity_linking import group_links, retrieve_candidates
from chattykg.linking.similarity import LexicalSimilarity
from chattykg.linking.vocabulary_card import build_vocabulary_card
from chattykg.qir import QIR, Filter, Relation
from chattykg.query.grounding import QueryContext
from chattykg.query.statements import StatementQIR, tie_statements

LIBRARY = """
@prefix : <http://shelves.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:una a :Person ; rdfs:label "Una Moor" . :per a :Person ; rdfs:label "Per Lang" .
:mill a :Branch ; rdfs:label "Mill Branch" . :dock a :Branch ; rdfs:label "Dock Branch" .
:head a :Post ; rdfs:label "head librarian" . :clerk a :Post ; rdfs:label "clerk" .
[] a :Employment ; :employee :una ; :branch :mill ; :post :head ; :startDate "2001-01-01"^^xsd:date ;
  :endDate "2009-06-30"^^xsd:date .
[] a :Employment ; :employee :per ; :branch :mill ; :post :head ; :startDate "2009-07-01"^^xsd:date .
[] a :Employment ; :employee :per ; :branch :dock ; :post :clerk ; :startDate "2005-01-01"^^xsd:date ;
  :endDate "2009-06-30"^^xsd:date .
"""
CHOIRS = """
@prefix : <http://shelves.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:una a :Conductor ; rdfs:label "Una Moor" . :per a :Conductor ; rdfs:label "Per Lang" .
:mill a :Choir ; rdfs:label "Mill Choir" . :dock a :Choir ; rdfs:label "Dock Choir" .
[] a :Tenure ; :holder :una ; :choir :mill ; :startDate "2001-01-01"^^xsd:date ; :endDate "2009-06-30"^^xsd:date .
[] a :Tenure ; :holder :per ; :choir :mill ; :startDate "2009-07-01"^^xsd:date ; :endDate "2999-06-30"^^xsd:date .
"""
_IRI = "http://shelves.example/"


@pytest.fixture(scope="module")
def shelves(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    path: Path = tmp_path_factory.mktemp("shelves") / "shelves.ttl"
    path.write_text(LIBRARY, encoding="utf-8")
    return open_kg([str(path)])


def _tied(kg: KnowledgeGraph, question: str, qir: QIR) -> tuple[StatementQIR, ...]:
    card, similarity = build_vocabulary_card(question, kg), LexicalSimilarity()
    mentions = retrieve_candidates(kg, qir, card, similarity, 100)
    links = {m.text: group_links(m, m.candidates) for m in mentions if m.candidates}
    return tie_statements(QueryContext(question, qir, links, card, kg, similarity))


def test_the_present_asks_for_a_node_without_end_first(shelves: KnowledgeGraph) -> None:
    qir = QIR("list", "?who", (Relation("?who", "work at", "Mill Branch"),))
    now, ever = _tied(shelves, "Who does work at the Mill Branch?", qir)
    assert now.qir.negated == (Relation("?event1", f"{_IRI}endDate", "?over"),)
    assert now.qir.filters == (Filter("?over", "<", date.today().isoformat()),)
    assert not ever.qir.negated and ever.weight < now.weight
    assert len(_tied(shelves, "Who currently works at the Mill Branch?", qir)) == 1


def test_a_year_lies_between_begin_and_end(shelves: KnowledgeGraph) -> None:
    triples = (Relation("?who", "worked at", "Mill Branch"), Relation("?who", "worked", "?date"))
    qir = QIR("list", "?who", triples, filters=(Filter("?date", "=", "2005"),))
    (found,) = _tied(shelves, "Who worked at the Mill Branch in 2005?", qir)
    assert Relation("?event1", f"{_IRI}startDate", "?date") in found.qir.triples
    assert found.qir.filters == (Filter("?date", "<=", "2005"), Filter("?over", "<", "2005"))
    assert found.qir.negated == (Relation("?event1", f"{_IRI}endDate", "?over"),)


def test_a_verb_of_beginning_means_the_begin(shelves: KnowledgeGraph) -> None:
    triples = (Relation("?who", "joined", "Mill Branch"), Relation("?who", "joined", "?date"))
    qir = QIR("list", "?who", triples, filters=(Filter("?date", "=", "2001"),))
    (found,) = _tied(shelves, "Who joined the Mill Branch in 2001?", qir)
    assert found.qir.filters == (Filter("?date", "=", "2001"),) and not found.qir.negated


def test_a_verb_names_the_node_whose_fillers_do_it(tmp_path: Path) -> None:
    path = tmp_path / "choirs.ttl"
    path.write_text(CHOIRS, encoding="utf-8")
    qir = QIR("list", "?who", (Relation("?who", "conducts", "Mill Choir"),))
    now, ever = _tied(open_kg([str(path)]), "Who conducts the Mill Choir?", qir)
    assert now.is_current and not ever.is_current
    assert set(now.qir.triples) == {
        Relation("?event1", f"{_IRI}holder", "?who"),
        Relation("?event1", f"{_IRI}choir", "Mill Choir"),
    }


@pytest.mark.parametrize("phrase", ["painted", "bought", "population"])
def test_what_a_node_does_not_account_for_is_not_tied(shelves: KnowledgeGraph, phrase: str) -> None:
    qir = QIR("list", "?who", (Relation("?who", phrase, "Mill Branch"),))
    assert not _tied(shelves, f"Who {phrase} the Mill Branch?", qir)
