"""Property paths: places within places are followed over any number of steps."""

from __future__ import annotations

from pathlib import Path

import pytest
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel

from chattykg.engine import ChattyEngine
from chattykg.linking.property_paths import is_containment_chain
from chattykg.rulebook import RULEBOOK

PIERS = """
@prefix : <http://piers.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:within rdfs:label "contained in" . :near rdfs:label "borders" . :venue rdfs:label "location" .
:bornIn rdfs:label "born in" .
:oak a :Pier ; rdfs:label "Oak Pier" ; :within :north .
:elm a :Pier ; rdfs:label "Elm Pier" ; :within :east .
:ash a :Pier ; rdfs:label "Ash Pier" ; :within :lund .
:yew a :Pier ; rdfs:label "Yew Pier" ; :within :west .
:north a :District ; rdfs:label "Northside" ; :within :lund ; :near :east .
:east a :District ; rdfs:label "Eastside" ; :within :lund ; :near :north .
:west a :District ; rdfs:label "Westside" ; :within :kiel .
:lund a :City ; rdfs:label "Lundby" ; :within :scania . :kiel a :City ; rdfs:label "Kielby" ; :within :scania .
:scania a :Province ; rdfs:label "Scania" .
:gala a :Concert ; rdfs:label "Spring Gala" ; :venue :oak . :ball a :Concert ; rdfs:label "Winter Ball" ; :venue :yew .
:ann a :Singer ; rdfs:label "Ann Lee" ; :bornIn :lund .
"""


@pytest.fixture(scope="module")
def piers(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    path: Path = tmp_path_factory.mktemp("piers") / "piers.ttl"
    path.write_text(PIERS, encoding="utf-8")
    return open_kg([str(path)])


def test_a_chain_leads_from_places_to_places(piers: KnowledgeGraph) -> None:
    chains = {e.label for e in piers.vocabulary.predicates.values() if is_containment_chain(e)}
    assert chains == {"contained in"}


@pytest.mark.parametrize(
    ("question", "values", "is_followed"),
    [
        ("Which piers are in Lundby?", {"Oak Pier", "Elm Pier", "Ash Pier"}, True),
        ("How many piers are there in Scania?", {"4"}, True),
        ("Which province is Oak Pier in?", {"Scania"}, True),
        ("Is Oak Pier in Lundby?", {"true"}, True),
        ("Is Oak Pier in Kielby?", {"false"}, True),
        ("Where is Oak Pier?", {"Northside"}, False),
        ("Which concerts are in Lundby?", {"Spring Gala"}, True),
        ("Which singers were born in Lundby?", {"Ann Lee"}, False),
    ],
)
def test_places_within_places_are_found_and_noted(
    piers: KnowledgeGraph, question: str, values: set[str], is_followed: bool
) -> None:
    answer = ChattyEngine(piers, RuleModel(RULEBOOK)).answer(question)
    assert {value.label or value.value for value in answer.values} == values
    assert ('"contained in" is followed over several steps.' in answer.notes) is is_followed
    assert not any(
        triple[::2] == ("http://piers.example/oak", "http://piers.example/lund") for triple in answer.witness
    )
