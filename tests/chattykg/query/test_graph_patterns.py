"""Writing queries: bodies and forms as text, grounding, contraction; every query parses."""

from __future__ import annotations

import pytest
from chattyshared.kg import KnowledgeGraph
from rdflib import Literal, URIRef
from rdflib.plugins.sparql import prepareQuery

from chattykg.linking.candidates import EntityCandidate, EntityLink, MentionCandidates
from chattykg.linking.entity_linking import group_links
from chattykg.linking.similarity import LexicalSimilarity
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.qir import QIR, Filter, Having, Order, Relation
from chattykg.query.candidates import rewrite_variants
from chattykg.query.graph_patterns import FilterCondition, GraphPattern, TriplePattern, write_number, write_path
from chattykg.query.grounding import QueryContext, ground_qir, is_literal, unlinked_mentions
from chattykg.query.solution_modifiers import SolutionModifier, write_probe_query, write_query

P, Q = "https://x.example/p", "https://x.example/q"
A, B = URIRef("https://x.example/a"), URIRef("https://x.example/b")
BODY = GraphPattern((TriplePattern("?x", (P,), "?v"),), types=(("?x", ("https://x.example/C", "https://x.example/D")),))


@pytest.mark.parametrize(
    "form",
    [
        SolutionModifier("ask", (), 1),
        SolutionModifier("ask", (), 1, having=(Having("?x", "?v", ">", "2"),)),
        SolutionModifier("rows", ("?x",), 10),
        SolutionModifier("rows", ("?x", "?v"), 10),
        SolutionModifier("groups", (), 1, aggregates=(("count", "?x", "value"),)),
        SolutionModifier("groups", (), 1, aggregates=(("avg", "?v", "text number"),)),
        SolutionModifier("extreme", ("?x",), 10, Order("?v"), reading="text number"),
        SolutionModifier("extreme", ("?x",), 10, Order("?v", descending=False), reading="value"),
        SolutionModifier("groups", ("?x",), 10, Order("?v", limit=3, offset=1)),
        SolutionModifier("groups", ("?x",), 10, Order("?v", count=True)),
        SolutionModifier("groups", ("?x",), 10, Order("?v", count=True, limit=3, offset=2)),
        SolutionModifier("groups", ("?x",), 10, having=(Having("?x", "?v", ">", "2"),)),
        SolutionModifier("groups", ("?x",), 1, having=(Having("?x", "?v", ">=", "2"),), is_counted=True),
    ],
    ids=lambda form: form.kind,
)
def test_every_form_parses(form: SolutionModifier) -> None:
    text = write_query(BODY, form)
    prepareQuery(text)
    assert form.kind == "ask" or " LIMIT " in text


def test_a_body_is_written_from_terms() -> None:
    body = GraphPattern(
        (TriplePattern((A, B), (P, Q), "?x"),),
        (GraphPattern((TriplePattern("?x", (P,), (Literal('a "b"'),)),)),),
        values=(("?x", (A,)),),
        conditions=(FilterCondition("?x", "contains", 'Ring"', "label", label_predicates=(P,)),),
        languages=(("?x", ("en", "")),),
    )
    assert body.to_sparql() == (
        f"VALUES ?x {{ <{A}> }} VALUES ?given0 {{ <{A}> <{B}> }} ?given0 (<{P}>|<{Q}>) ?x . "
        f'FILTER EXISTS {{ ?x <{P}> ?label1 . FILTER(CONTAINS(LCASE(STR(?label1)), "ring\\"")) }} '
        f'FILTER(LANG(?x) IN ("en", "")) FILTER NOT EXISTS {{ ?x <{P}> "a \\"b\\"" . }}'
    )
    prepareQuery(f"ASK {{ {body.to_sparql()} }}")


def test_a_probe_tries_many_bodies_in_one_request() -> None:
    text = write_probe_query((BODY, GraphPattern((TriplePattern("?x", (P,), "?y"),))))
    assert prepareQuery(text).algebra.name == "SelectQuery"
    assert (text.count("LIMIT 1 }"), text.count("UNION")) == (2, 1)


def test_no_text_becomes_a_number_or_an_iri() -> None:
    with pytest.raises(ValueError, match="no number"):
        write_number("1) } DROP")
    with pytest.raises(ValueError, match="not an IRI"):
        write_path(("https://x.example/> . ?s ?p ?o . <x",))


def variants(qir: QIR, known_classes: frozenset[str], kg: KnowledgeGraph) -> list[tuple[QIR, float]]:
    return list(rewrite_variants(QueryContext("", qir, {}, VocabularyCard(), kg, LexicalSimilarity()), known_classes))


def test_idle_steps_are_contracted(ships: KnowledgeGraph) -> None:
    qir = QIR("list", "?c", (Relation("Nile", "start", "?s"), Relation("?s", "in", "?c")), (("?c", "country"),))
    first, second = variants(qir, frozenset(("country",)), ships)
    assert first == (qir, 1.0)
    assert (second[0].triples, second[1]) == ((Relation("Nile", "start in", "?c"),), 0.9)


def test_a_step_of_a_known_class_stays(ships: KnowledgeGraph) -> None:
    triples = (Relation("Nile", "", "?l"), Relation("?l", "in", "?c"))
    qir = QIR("list", "?c", triples, (("?l", "lake"),))
    assert [found for found, _ in variants(qir, frozenset(("lake",)), ships)] == [qir]
    assert len(variants(qir, frozenset(), ships)) == 2


def test_a_relation_phrase_may_name_a_class(ships: KnowledgeGraph) -> None:
    qir = QIR("list", "?x", (Relation("Ann Lee", "ships", "?x"),))
    _, (classed, _) = variants(qir, frozenset(), ships)
    assert (classed.triples, classed.classes) == ((Relation("Ann Lee", "", "?x"),), (("?x", "ships"),))


def candidate(iri: str, score: float = 1.0, fit: float = 0.5) -> EntityCandidate:
    return EntityCandidate("vertex", URIRef(iri), "label", score, fit)


def test_candidates_that_fit_alike_stand_together() -> None:
    mention = MentionCandidates("m", (candidate("u:1"), candidate("u:2"), candidate("u:3", fit=0.1)))
    grouped = group_links(mention, mention.candidates)
    assert [[str(term) for term in anchor.terms] for anchor in grouped] == [["u:1", "u:2"], ["u:3"]]


def test_one_exact_candidate_leaves_no_choice() -> None:
    mention = MentionCandidates("m", (candidate("u:1"), candidate("u:2", 0.8)))
    assert mention.is_unambiguous
    assert [str(c.term) for c in mention.select_unambiguous()] == ["u:1"]
    assert not MentionCandidates("m", (candidate("u:1"), candidate("u:2"))).is_unambiguous


def test_values_and_years_become_conditions() -> None:
    qir = QIR("list", "?x", (Relation("?x", "launched", "2010"),))
    (grounded,) = ground_qir(qir, {})
    assert grounded.qir.filters == (Filter("?given_1", "=", "2010"),)
    assert grounded.qir.triples == (Relation("?x", "launched", "?given_1"),)
    assert unlinked_mentions(qir, {}) == ()
    assert [is_literal(text) for text in ("12.5", "1,000", "2010-05", "ABBA")] == [True, True, True, False]


def test_a_name_at_an_end_is_the_thing_itself() -> None:
    anchor = EntityLink("Aurora", (candidate("u:1"),), 1.0)
    (grounded,) = ground_qir(QIR("list", "?x", (Relation("?x", "named", "Aurora"),)), {"Aurora": (anchor,)})
    assert grounded.qir.triples == ()
    assert grounded.values == (("?x", (URIRef("u:1"),)),)
