"""What a question denies is denied by its query, or the question is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel

from chattykg.engine import ChattyEngine
from chattykg.rulebook import RULEBOOK

PAINTINGS = """
@prefix : <http://art.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Painting a rdfs:Class ; rdfs:label "painting" . :Museum a rdfs:Class ; rdfs:label "museum" .
:Painter a rdfs:Class ; rdfs:label "painter" .
:collection rdfs:label "collection" . :creator rdfs:label "creator" . :height rdfs:label "height" .
:modern a :Museum ; rdfs:label "Museum of Modern Art" . :louvre a :Museum ; rdfs:label "Louvre" .
:night a :Painting ; rdfs:label "Starry Night" ; :collection :modern ; :creator :holt ; :height 74 .
:lisa a :Painting ; rdfs:label "Mona Lisa" ; :collection :louvre ; :creator :marsh ; :height 77 .
:dream a :Painting ; rdfs:label "The Dream" ; :collection :modern ; :creator :marsh ; :height 205 .
:field a :Painting ; rdfs:label "Grey Field" ; :creator :holt ; :height 50 .
:holt a :Painter ; rdfs:label "Vincent Holt" . :marsh a :Painter ; rdfs:label "Leo Marsh" .
"""


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> ChattyEngine:
    path: Path = tmp_path_factory.mktemp("paintings") / "paintings.ttl"
    path.write_text(PAINTINGS, encoding="utf-8")
    return ChattyEngine(open_kg([str(path)]), RuleModel(RULEBOOK))


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Which paintings are in the collection of the Museum of Modern Art?", {"Starry Night", "The Dream"}),
        ("Which paintings are not in the collection of the Museum of Modern Art?", {"Mona Lisa", "Grey Field"}),
        ("How many paintings are not in the collection of the Museum of Modern Art?", {"2"}),
        ("Is Mona Lisa not in the collection of the Museum of Modern Art?", {"true"}),
        ("Which paintings have no collection?", {"Grey Field"}),
    ],
)
def test_a_denied_chain_of_relations_leaves_out_what_it_holds_of(
    engine: ChattyEngine, question: str, answers: set[str]
) -> None:
    assert {value.label or value.value for value in engine.answer(question).values} == answers


@pytest.mark.parametrize(
    "question",
    [
        "Which painting is not the tallest?",
        "Which painting is not the Mona Lisa?",
        "Which paintings do not have the largest height?",
        "Who is not the creator of the tallest painting?",
    ],
)
def test_a_denial_that_no_condition_says_is_refused(engine: ChattyEngine, question: str) -> None:
    answer = engine.answer(question)
    assert not answer.values and answer.reason is not None and answer.reason.code == "unknown-qualifier"
