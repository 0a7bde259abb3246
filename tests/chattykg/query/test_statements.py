"""Relations of a QIR that one node of the graph states: which they are, and what they become."""

from __future__ import annotations

from datetime import date

import pytest
from chattyshared.kg import KnowledgeGraph
from invented_graphs import open_graph

from chattykg.linking.entity_linking import group_links, retrieve_candidates
from chattykg.linking.similarity import LexicalSimilarity
from chattykg.linking.vocabulary_card import build_vocabulary_card
from chattykg.qir import QIR, Filter, Relation
from chattykg.query.grounding import QueryContext
from chattykg.query.statements import StatementQIR, tie_statements

_IRI = "http://shelves.example/"


@pytest.fixture(scope="module")
def shelves() -> KnowledgeGraph:
    return open_graph("shelves")


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


def test_a_verb_names_the_node_whose_fillers_do_it() -> None:
    qir = QIR("list", "?who", (Relation("?who", "conducts", "Mill Choir"),))
    now, ever = _tied(open_graph("choirs"), "Who conducts the Mill Choir?", qir)
    assert now.is_current and not ever.is_current
    assert set(now.qir.triples) == {
        Relation("?event1", f"{_IRI}holder", "?who"),
        Relation("?event1", f"{_IRI}choir", "Mill Choir"),
    }


@pytest.mark.parametrize("phrase", ["painted", "bought", "population"])
def test_what_a_node_does_not_account_for_is_not_tied(shelves: KnowledgeGraph, phrase: str) -> None:
    qir = QIR("list", "?who", (Relation("?who", phrase, "Mill Branch"),))
    assert not _tied(shelves, f"Who {phrase} the Mill Branch?", qir)
