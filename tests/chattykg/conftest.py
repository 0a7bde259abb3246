from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from chattyshared.model import Completion, Request, Usage

from chattykg.engine import ChattyEngine, Components, Settings
from chattykg.rulebook import agent_rules

TURTLE = """
@prefix : <https://ships.example/> .
@prefix v: <https://ships.example/vocab/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
v:Ship a rdfs:Class ; rdfs:label "ship"@en .
v:Tanker a rdfs:Class ; rdfs:subClassOf v:Ship ; rdfs:label "tanker"@en .
v:Person a rdfs:Class ; rdfs:label "person"@en .
v:Harbor a rdfs:Class ; rdfs:label "harbor"@en .
v:Country a rdfs:Class ; rdfs:label "country"@en .
v:Price a rdfs:Class ; rdfs:label "price"@en .
v:captain rdfs:label "captain"@en . v:length rdfs:label "length"@en . v:launched rdfs:label "launch date"@en .
v:homeHarbor rdfs:label "home harbor"@en . v:country rdfs:label "country"@en . v:spouse rdfs:label "spouse"@en .
v:gender rdfs:label "gender"@en . v:crewSize rdfs:label "number of crew members"@en . v:color rdfs:label "color"@en .
v:price rdfs:label "price"@en . v:amount rdfs:label "amount"@en . v:birthPlace rdfs:label "birth place"@en .
:aurora a v:Ship ; rdfs:label "Aurora"@en ; v:captain :ann ; v:length 120.5 ; v:launched "1998-05-01"^^xsd:date ;
  v:homeHarbor :lund ; v:crewSize 14 ; v:color "red" ; v:price :p1 .
:borealis a v:Tanker ; rdfs:label "Borealis"@en ; v:captain :bob ; v:length 300.0 ; v:launched "2010-03-02"^^xsd:date ;
  v:homeHarbor :lund ; v:color "blue" ; v:price :p2 .
:comet a v:Tanker ; rdfs:label "Comet"@en ; v:captain :ann ; v:length 300.0 ; v:launched "2015-07-09"^^xsd:date ;
  v:homeHarbor :kiel ; v:color "red" .
:comet2 a v:Harbor ; rdfs:label "Comet"@en ; v:country :no .
:p1 a v:Price ; rdfs:label "10 EUR" ; v:amount 10.0 .
:p2 a v:Price ; rdfs:label "25 EUR" ; v:amount 25.0 .
:ann a v:Person ; rdfs:label "Ann Lee"@en ; v:gender "female" ; v:spouse :bob ; v:birthPlace :kiel .
:bob a v:Person ; rdfs:label "Bob Ray"@en ; v:gender "male" ; v:birthPlace :lund .
:lund a v:Harbor ; rdfs:label "Lund Port"@en ; v:country :se .
:kiel a v:Harbor ; rdfs:label "Kiel Port"@en ; v:country :de .
:empty a v:Harbor ; rdfs:label "Empty \\"Bay\\""@en ; v:country :de .
:se a v:Country ; rdfs:label "Sweden"@en . :de a v:Country ; rdfs:label "Germany"@en .
:no a v:Country ; rdfs:label "Norway"@en .
"""


class Scripted:
    """A model whose QIR is given; matching and planning follow the rules, and every call is kept."""

    name = "scripted"

    def __init__(self, replies: Mapping[str, Any]) -> None:
        self.replies = dict(replies)
        self.asked: list[Request] = []

    def complete(self, request: Request) -> Completion:
        self.asked.append(request)
        rules = {"answer/matching": agent_rules.choose_entities, "answer/planning": agent_rules.choose_predicates}
        reply = self.replies.get(request.agent)
        if reply is None:
            reply = rules[request.agent](request)
        if isinstance(reply, list):
            reply = reply[min(request.attempt, len(reply)) - 1]
        return Completion(reply if isinstance(reply, str) else json.dumps(reply), Usage(1, 10, 5))


@pytest.fixture(scope="session")
def ships(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    path: Path = tmp_path_factory.mktemp("ships") / "ships.ttl"
    path.write_text(TURTLE, encoding="utf-8")
    return open_kg([str(path)])


@pytest.fixture
def scripted() -> Callable[..., Scripted]:
    return lambda **replies: Scripted({f"answer/{agent}": reply for agent, reply in replies.items()})


@pytest.fixture
def asked(ships: KnowledgeGraph) -> Callable[..., Any]:
    """Answer a question whose QIR is given."""

    def ask(question: str, settings: Settings | None = None, **qir: Any) -> Any:
        said = {"shape": "list", "target": "?x", "triples": []} | qir
        model = Scripted({"answer/qir": said})
        return ChattyEngine(ships, model, settings=settings, components=Components()).answer(question)

    return ask
