"""The right history: what its exchanges hold, and that an engine reads it at least as well as its own answers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from chattyshared.dialogue import Answer, Dialogue, Exchange, LinkedTerm, Seed, Turn, Value
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from chattyshared.literals import to_value
from chattyshared.model.rules import RuleModel
from rdflib import URIRef

from chattykg.engine import ChattyEngine
from chattykg.rulebook import RULEBOOK
from chattykg.runs.batch import HistoryKind, answer_conversation
from chattykg.runs.question_sets import Conversation, QuestionItem, conversations_from_dialogues, link_gold_answers

FERRIES = """
@prefix : <urn:ferries:> .
@prefix v: <http://ferries.example/def/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
v:Ferry rdfs:label "ferry" . v:Yard rdfs:label "shipyard" . v:Port rdfs:label "port" .
v:builder rdfs:label "builder" . v:homePort rdfs:label "home port" . v:length rdfs:label "length" .
v:launched rdfs:label "launch date" . v:fuel rdfs:label "fuel" .
:x1 a v:Ferry ; rdfs:label "Blue Heron" ; v:builder :y1 ; v:homePort :p1 ; v:length 88.5 ; v:fuel "diesel" ;
  v:launched "1988-03-01"^^xsd:date .
:x2 a v:Ferry ; rdfs:label "Grey Gull" ; v:builder :y1 ; v:homePort :p2 ; v:length 120.0 ; v:fuel "methanol" ;
  v:launched "2011-09-09"^^xsd:date .
:x3 a v:Ferry ; rdfs:label "Three Winds" ; v:builder :y1 ; v:homePort :p1 ; v:length 101.2 ; v:fuel "diesel" ;
  v:launched "2003-06-30"^^xsd:date .
:x4 a v:Ferry ; rdfs:label "Red Tern" ; v:builder :y2 ; v:homePort :p1 ; v:length 64.0 ; v:fuel "methanol" ;
  v:launched "1971-01-20"^^xsd:date .
:y1 a v:Yard ; rdfs:label "Norval Works" . :y2 a v:Yard ; rdfs:label "Tamm & Sons" .
:p1 a v:Port ; rdfs:label "Eskhaven" . :p2 a v:Port ; rdfs:label "Lowmark" .
"""
V = "http://ferries.example/def/"
HERON, GULL, WINDS, NORVAL, ESKHAVEN = (f"urn:ferries:{name}" for name in ("x1", "x2", "x3", "y1", "p1"))
Said = tuple[str, str, str]
"""A question, the same as it stands alone, and its query."""
TALKS: dict[str, tuple[Said, ...]] = {
    "a class points to what an earlier query names": (
        ("How long is Blue Heron?", "How long is Blue Heron?", f"SELECT ?x {{ <{HERON}> <{V}length> ?x }}"),
        ("Who was it built by?", "Who built Blue Heron?", f"SELECT ?x {{ <{HERON}> <{V}builder> ?x }}"),
        ("What ferries are by that builder?", "What ferries are by Norval Works?",
         f"SELECT ?x {{ ?x <{V}builder> <{NORVAL}> }}"),
        ("Which of them is the longest?", "What is the longest of the ferries that Norval Works built?",
         f"SELECT ?x {{ ?x <{V}builder> <{NORVAL}> ; <{V}length> ?v }} ORDER BY DESC(?v) LIMIT 1"),
        ("How many of the ferries that the shipyard built have Eskhaven as their home port?",
         "How many of the ferries by Norval Works have Eskhaven as their home port?",
         f"SELECT (COUNT(?x) AS ?n) {{ ?x <{V}builder> <{NORVAL}> ; <{V}homePort> <{ESKHAVEN}> }}"),
    ),
    "a name that is only compared": (
        ("How long is Blue Heron?", "How long is Blue Heron?", f"SELECT ?x {{ <{HERON}> <{V}length> ?x }}"),
        ("Which was launched earlier, this ferry or Grey Gull?",
         "Of Blue Heron and Grey Gull, which was launched earlier?",
         f"SELECT ?x {{ VALUES ?x {{ <{HERON}> <{GULL}> }} ?x <{V}launched> ?v }} ORDER BY ?v LIMIT 1"),
        ("What is the home port of the latter?", "What is Grey Gull's home port?",
         f"SELECT ?x {{ <{GULL}> <{V}homePort> ?x }}"),
        ("How long is the former?", "How long is Blue Heron?", f"SELECT ?x {{ <{HERON}> <{V}length> ?x }}"),
    ),
    "a text that is asked about": (
        ("Which ferries have diesel as their fuel?", "Which ferries have diesel as their fuel?",
         f'SELECT ?x {{ ?x <{V}fuel> "diesel" }}'),
        ("And methanol?", "Which ferries have methanol as their fuel?", f'SELECT ?x {{ ?x <{V}fuel> "methanol" }}'),
    ),
    "a name whose owner's mark is bare": (
        ("How long is Three Winds?", "How long is Three Winds?", f"SELECT ?x {{ <{WINDS}> <{V}length> ?x }}"),
        ("What is its launch date?", "What is Three Winds' launch date?",
         f"SELECT ?x {{ <{WINDS}> <{V}launched> ?x }}"),
        ("What about Grey Gull?", "What is Grey Gull's launch date?", f"SELECT ?x {{ <{GULL}> <{V}launched> ?x }}"),
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def ferries(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    path = tmp_path_factory.mktemp("graphs") / "ferries.ttl"
    path.write_text(FERRIES, encoding="utf-8")
    return open_kg([str(path)])


def dialogue(name: str, kg: KnowledgeGraph) -> Dialogue:
    return Dialogue(name, Seed(HERON, "Blue Heron", f"{V}Ferry"), tuple(turns(TALKS[name], kg)))


def turns(said: tuple[Said, ...], kg: KnowledgeGraph) -> Iterator[Turn]:
    for number, (question, standalone, sparql) in enumerate(said, 1):
        terms = [next(iter(row.values())) for row in kg.endpoint.select(sparql)]
        answers = tuple(to_value(term, kg.label(term) if isinstance(term, URIRef) else "") for term in terms)
        yield Turn(number, question, standalone, "object", "topic", "x", True, "easy", sparql, answers)


def right(conversation: Conversation, kg: KnowledgeGraph, history: HistoryKind) -> list[bool]:
    """Tell of each question whether it is answered right."""
    outcomes = answer_conversation(ChattyEngine(kg, RuleModel(RULEBOOK)), conversation, history=history)
    golds = [asked.gold.answer for asked in conversation.items if asked.gold]
    return [
        sorted(outcome.line["answers"]) == sorted(v.value for v in gold.values)
        for outcome, gold in zip(outcomes, golds, strict=True)
    ]


@pytest.mark.parametrize("name", TALKS)
def test_the_right_history_loses_nothing_that_own_history_wins(ferries: KnowledgeGraph, name: str) -> None:
    (conversation,) = link_gold_answers(conversations_from_dialogues([dialogue(name, ferries)]), ferries)
    own, gold = (right(conversation, ferries, history) for history in ("own", "gold"))
    assert own == gold == [True] * len(conversation.items)


def test_gold_exchanges_hold_what_the_graph_knows_of_their_queries(ferries: KnowledgeGraph) -> None:
    (conversation,) = link_gold_answers(
        conversations_from_dialogues([dialogue("a name that is only compared", ferries)]), ferries
    )
    compared = conversation.items[1].gold
    assert isinstance(compared, Exchange)
    assert compared.answer.entities == (
        LinkedTerm("Blue Heron", HERON, "Blue Heron", type="ferry"),
        LinkedTerm("Grey Gull", GULL, "Grey Gull", type="ferry"),
    )


def test_texts_are_entities_and_classes_are_not(ferries: KnowledgeGraph) -> None:
    query = f'SELECT ?x {{ ?x a <{V}Ferry> ; <{V}fuel> "diesel" ; <{V}length> ?l FILTER(?l > 90 && ?l != "200") }}'
    answer = Answer((Value(WINDS, "iri"),), sparql=query, standalone="Which ferries on diesel are longer than 90?")
    (conversation,) = link_gold_answers([Conversation((asked(answer),))], ferries)
    exchange = conversation.items[0].gold
    assert isinstance(exchange, Exchange)
    assert exchange.answer.entities == (LinkedTerm("diesel", "diesel", "diesel"),)
    assert exchange.answer.values == (Value(WINDS, "iri", label="Three Winds"),)


def asked(answer: Answer) -> QuestionItem:
    return QuestionItem(0, "1", answer.standalone, Exchange(answer.standalone, answer))
