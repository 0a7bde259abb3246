"""Words that name a predicate or a class by a synonym, or only by a far-fetched one (``synonyms.txt``)."""

from __future__ import annotations

from pathlib import Path

import pytest
from chattyshared.kg import KnowledgeGraph
from invented_graphs import open_graph

from chattykg.engine import Settings
from chattykg.linking.class_linking import link_class
from chattykg.linking.predicate_candidates import LinkingContext
from chattykg.linking.relation_linking import predicate_candidates
from chattykg.linking.similarity import LexicalSimilarity
from chattykg.linking.vocabulary_card import build_vocabulary_card
from chattykg.qir import Relation

ROWS = [
    [part.strip() for part in line.split("|")]
    for line in Path(__file__).with_name("synonyms.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]


def best_predicates(kg: KnowledgeGraph, question: str, phrase: str) -> tuple[str, ...]:
    context = LinkingContext(kg, build_vocabulary_card(question, kg), LexicalSimilarity())
    candidates = predicate_candidates(Relation("?one", phrase, "?other"), {}, context)
    return next((each.predicates for each in candidates if each.score >= Settings().threshold), ())


@pytest.mark.parametrize(("graph", "kind", "question", "words", "name"), ROWS, ids=[row[2] for row in ROWS])
def test_a_synonym_names_what_it_means_and_nothing_far_fetched(
    graph: str, kind: str, question: str, words: str, name: str
) -> None:
    kg = open_graph(graph)
    if kind == "predicate":
        iris = best_predicates(kg, question, words)
    else:
        link = link_class(words, build_vocabulary_card(question, kg), kg, LexicalSimilarity())
        iris = link.classes if link else ()
    assert [iri.rpartition("/")[2] for iri in iris[:1]] == ([name] if name else [])
