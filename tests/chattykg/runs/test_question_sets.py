"""The right history: what its exchanges hold, and that an engine reads it at least as well as its own answers."""

from __future__ import annotations

import pytest
from chattyshared.dialogue import Answer, Dialogue, Exchange, LinkedTerm, Seed, Turn, Value
from chattyshared.kg import KnowledgeGraph
from chattyshared.literals import to_value
from chattyshared.model.rules import RuleModel
from rdflib import URIRef

from chattykg.engine import ChattyEngine
from chattykg.rulebook import RULEBOOK
from chattykg.runs.batch import HistoryKind, answer_conversation
from chattykg.runs.question_sets import Conversation, QuestionItem, conversations_from_dialogues, link_gold_answers

S, V = "https://ships.example/", "https://ships.example/vocab/"
TALK = (
    ("How long is Aurora?", "How long is Aurora?", f"SELECT ?x {{ <{S}aurora> <{V}length> ?x }}"),
    ("Who is its captain?", "Who is the captain of Aurora?", f"SELECT ?x {{ <{S}aurora> <{V}captain> ?x }}"),
    ("Which ships does that captain command?", "Which ships does Ann Lee command?",
     f"SELECT ?x {{ ?x <{V}captain> <{S}ann> }}"),
    ("Which was launched earlier, this ship or Borealis?", "Of Aurora and Borealis, which was launched earlier?",
     f"SELECT ?x {{ VALUES ?x {{ <{S}aurora> <{S}borealis> }} ?x <{V}launched> ?v }} ORDER BY ?v LIMIT 1"),
    ("What is the home harbor of the latter?", "What is Borealis' home harbor?",
     f"SELECT ?x {{ <{S}borealis> <{V}homeHarbor> ?x }}"),
    ("Which ships have red as their color?", "Which ships have red as their color?",
     f'SELECT ?x {{ ?x <{V}color> "red" }}'),
    ("And blue?", "Which ships have blue as their color?", f'SELECT ?x {{ ?x <{V}color> "blue" }}'),
)  # fmt: skip
"""Questions, the same as they stand alone, and their queries."""


@pytest.fixture
def talk(ships: KnowledgeGraph) -> Conversation:
    turns = []
    for number, (question, standalone, sparql) in enumerate(TALK, 1):
        terms = [next(iter(row.values())) for row in ships.endpoint.select(sparql)]
        answers = tuple(to_value(term, ships.label(term) if isinstance(term, URIRef) else "") for term in terms)
        turns.append(Turn(number, question, standalone, "object", "topic", "x", True, "easy", sparql, answers))
    dialogue = Dialogue("d1", Seed(f"{S}aurora", "Aurora", f"{V}Ship"), tuple(turns))
    (conversation,) = link_gold_answers(conversations_from_dialogues([dialogue]), ships)
    return conversation


@pytest.mark.parametrize("history", ["own", "gold"])
def test_the_right_history_loses_nothing_that_own_history_wins(
    ships: KnowledgeGraph, talk: Conversation, history: HistoryKind
) -> None:
    outcomes = answer_conversation(ChattyEngine(ships, RuleModel(RULEBOOK)), talk, history=history)
    golds = [asked.gold.answer for asked in talk.items if asked.gold]
    for item, outcome, gold in zip(talk.items, outcomes, golds, strict=True):
        assert sorted(outcome.line["answers"]) == sorted(v.value for v in gold.values), item.question


def test_gold_exchanges_hold_what_the_graph_knows_of_their_queries(talk: Conversation) -> None:
    compared = talk.items[3].gold
    assert compared is not None and compared.answer.entities == (
        LinkedTerm("Aurora", S + "aurora", "Aurora", type="ship"),
        LinkedTerm("Borealis", S + "borealis", "Borealis", type="tanker"),
    )


def test_texts_are_entities_and_classes_are_not(ships: KnowledgeGraph) -> None:
    query = f'SELECT ?x {{ ?x a <{V}Ship> ; <{V}color> "red" ; <{V}length> ?l FILTER(?l > 90 && ?l != "200") }}'
    answer = Answer((Value(f"{S}aurora", "iri"),), sparql=query, standalone="Which red ships are longer than 90?")
    item = QuestionItem(0, "1", answer.standalone, Exchange(answer.standalone, answer))
    (conversation,) = link_gold_answers([Conversation((item,))], ships)
    exchange = conversation.items[0].gold
    assert exchange is not None
    assert exchange.answer.entities == (LinkedTerm("red", "red", "red"),)
    assert exchange.answer.values == (Value(f"{S}aurora", "iri", label="Aurora"),)
