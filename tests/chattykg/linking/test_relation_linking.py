"""Relation phrases that name a predicate by another word, and phrases of which a word has a far-fetched synonym."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg

from chattykg.engine import Settings
from chattykg.linking.predicate_candidates import LinkingContext, PredicateCandidate
from chattykg.linking.relation_linking import predicate_candidates
from chattykg.linking.similarity import LexicalSimilarity
from chattykg.linking.vocabulary_card import build_vocabulary_card
from chattykg.qir import Relation

SAME = (
    ("press", "Who is the author of The Mill?", "author", "writer"),
    ("press", "Who is the storyteller in The Mill?", "storyteller", "narrator"),
    ("press", "Who is the husband of Ann Moe?", "husband", "spouse"),
    ("press", "What are the earnings of Bo Lind?", "earnings", "income"),
    ("press", "What is the price of The Mill?", "price", "cost"),
    ("press", "How thick is The Mill?", "thick", "isThick"),
    ("press", "Where did Ann Moe die?", "die", "deathPlace"),
    ("press", "When was Tide bought?", "buy", "purchased"),
    ("press", "Who is the pupil of Ann Moe?", "pupil", "student"),
    ("clinic", "Which doctor treats Una Roe?", "doctor", "physician"),
    ("clinic", "Which sickness has Una Roe?", "sickness", "illness"),
    ("clinic", "What is the cure for Fen Fever?", "cure", "remedy"),
    ("clinic", "What is the pay of Ida Berg?", "pay", "salary"),
    ("clinic", "How tall is Ida Berg?", "tall", "height"),
    ("clinic", "Who is the helper of Ida Berg?", "helper", "assistant"),
    ("garage", "Who is the buyer of the Volta 5?", "buyer", "purchaser"),
    ("garage", "Who is the seller of the Volta 5?", "seller", "vendor"),
    ("garage", "Who is the owner of the Volta 5?", "owner", "proprietor"),
    ("garage", "When was the Volta 5 fixed?", "fix", "repairDate"),
    ("garage", "When did Liv Ek begin?", "begin", "startDate"),
    ("garage", "What is the velocity of the Hare?", "velocity", "speed"),
    ("garage", "How heavy is the Hare?", "heavy", "weight"),
    ("garage", "What does the Hare cost?", "cost", "price"),
    ("garage", "When was Works One finished?", "finish", "completionDate"),
)
SECOND_SENSE = ("clinic", "Where is the home of Ida Berg?", "home", "dwelling")
OTHER = (
    ("press", "Who directed Old Salt?", "direct"),
    ("press", "Who starred in Old Salt?", "star"),
    ("press", "What is the plot of The Mill?", "plot"),
    ("press", "Who recorded Old Salt?", "record"),
    ("press", "What is the weather in Vik?", "weather"),
    ("press", "Who is the butler of Ann Moe?", "butler"),
    ("clinic", "Who runs the clinic?", "run"),
    ("clinic", "What is the capital of Mill Bank?", "capital"),
    ("clinic", "Which body elected Ida Berg?", "body"),
    ("clinic", "Who is the head of Zeldrin?", "head"),
    ("clinic", "What is the degree of Ida Berg?", "degree"),
    ("clinic", "Who leads Fen Fever?", "lead"),
    ("clinic", "Which spring did Ida Berg visit?", "spring"),
    ("clinic", "What is the religion of Ole Dahl?", "religion"),
    ("garage", "Who was cast in the Hare?", "cast"),
    ("garage", "When did Liv Ek leave?", "leave"),
    ("garage", "How loud is the crowd at Ek Motors?", "noise"),
    ("garage", "What color is the Hare?", "color"),
    ("press", "Which issue of Tide is the first?", "issue"),
    ("clinic", "Who drew Una Roe?", "draw"),
)
# The thesaurus itself links these far-fetched pairs.
HELD_BY_THESAURUS = (
    ("press", "Who plays in Old Salt?", "play in"),
    ("press", "Who founded Vik?", "founded"),
    ("press", "What is the order of Tide?", "order"),
    ("garage", "What is the crown of the Hare?", "crown"),
    ("garage", "Who is in charge of Works One?", "in charge"),
)


def best_candidate(kg: KnowledgeGraph, question: str, phrase: str) -> PredicateCandidate | None:
    context = LinkingContext(kg, build_vocabulary_card(question, kg), LexicalSimilarity())
    candidates = predicate_candidates(Relation("?one", phrase, "?other"), {}, context)
    return next((candidate for candidate in candidates if candidate.score >= Settings().threshold), None)


@pytest.mark.parametrize(
    ("graph", "question", "phrase", "name"),
    [*SAME, pytest.param(*SECOND_SENSE, marks=pytest.mark.xfail(strict=True, reason="a rarer sense is no evidence"))],
)
def test_a_synonym_links_to_its_predicate(
    pair_graph: Callable[[str], KnowledgeGraph], graph: str, question: str, phrase: str, name: str
) -> None:
    best = best_candidate(pair_graph(graph), question, phrase)
    assert best is not None and best.predicates[0].rpartition("/")[2] == name


@pytest.mark.parametrize(
    ("graph", "question", "phrase"),
    [
        *OTHER,
        *(pytest.param(*case, marks=pytest.mark.xfail(strict=True, reason="thesaurus")) for case in HELD_BY_THESAURUS),
    ],
)
def test_a_far_fetched_synonym_links_to_nothing(
    pair_graph: Callable[[str], KnowledgeGraph], graph: str, question: str, phrase: str
) -> None:
    best = best_candidate(pair_graph(graph), question, phrase)
    assert best is None, f"{best.predicates} {best.score:.2f}"


def test_another_name_of_things_is_asked_for_by_the_label_of_its_predicate() -> None:
    best = best_candidate(open_kg(["demo"]), "What is the birth name of David Bowie?", "name at birth")
    assert best is not None and best.label == "name at birth"
