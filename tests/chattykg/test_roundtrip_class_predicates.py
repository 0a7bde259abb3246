"""Answers over a graph whose things are typed by a predicate of its own, and a round trip over it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from chattyshared.dialogue import Answer, Exchange, LinkedTerm
from chattyshared.kg import KnowledgeGraph
from chattyshared.model.rules import RuleModel
from water_graph import waters

import chattygen
from chattygen import lint
from chattykg.conversation.context import with_class_labels
from chattykg.direct.mismatches import unknown_terms
from chattykg.direct.schema_prompt import build_schema_prompt
from chattykg.engine import ChattyEngine
from chattykg.linking.vocabulary_card import build_vocabulary_card
from chattykg.roundtrip import RoundtripModels, RunFolder, roundtrip
from chattykg.rulebook import RULEBOOK
from chattykg.runs.answer_run import RunOptions

Q, P = "https://waters.example/entity/Q", "https://waters.example/prop/P"
QUESTION = "Which rivers flow through Avingen?"
RDF_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"


@pytest.fixture(scope="module")
def kg(open_graph: Callable[[str], KnowledgeGraph]) -> KnowledgeGraph:
    return open_graph(waters())


@pytest.fixture(scope="module")
def engine(kg: KnowledgeGraph) -> ChattyEngine:
    return ChattyEngine(kg, RuleModel(RULEBOOK))


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        (QUESTION, ["Ammel", "Gilde"]),
        ("How many canals are there in Norland?", ["2"]),
        ("Is Ammel a canal?", ["false"]),
        ("What is the type of Ammel?", ["river"]),
        ("Which watercourses are not rivers?", ["Market Canal", "Old Reach", "Salt Line", "Upper Cut"]),
    ],
)
def test_classes_are_asked_for_by_the_predicate_that_states_them(
    engine: ChattyEngine, question: str, answers: list[str]
) -> None:
    answer = engine.answer(question)
    assert sorted(value.label or value.value for value in answer.values) == answers
    assert f"<{P}1>" in answer.sparql and RDF_TYPE not in answer.sparql


def test_a_follow_up_names_its_topic_by_the_label_of_the_class(kg: KnowledgeGraph, engine: ChattyEngine) -> None:
    topic = LinkedTerm("Ammel", Q + "500", "Ammel", type=Q + "101")
    said = Exchange("How long is the Ammel?", Answer(entities=(topic,), standalone="How long is the Ammel?"))
    assert with_class_labels((said,), kg)[0].answer.entities[0].type == "river"
    answer = engine.answer("Which towns does the river flow through?", (said,))
    assert sorted(value.label for value in answer.values) == ["Avingen", "Bruchstede"]


def test_a_prompt_says_how_classes_are_stated_and_calls_them_by_their_labels(kg: KnowledgeGraph) -> None:
    card = build_vocabulary_card(QUESTION, kg)
    assert "flows through: river/canal/+1 -> town" in card.as_prompt_text()
    assert "(Avingen [town])" in card.as_prompt_text()
    briefing = build_schema_prompt(kg, card)
    assert "a class is stated by p:P1, not by a" in briefing.as_prompt_text()
    assert [vertex.kind for vertex in briefing.vertices] == ["town"]
    assert unknown_terms(f"SELECT ?x {{ ?x <{P}1> <{Q}101> }}", briefing, kg) == ()
    assert unknown_terms(f"SELECT ?x {{ ?x {RDF_TYPE} <{Q}101> }}", briefing, kg) == (RDF_TYPE.strip("<>"),)


@pytest.mark.slow
def test_round_trip(kg: KnowledgeGraph, tmp_path: Path) -> None:
    models = RoundtripModels(RuleModel(chattygen.RULEBOOK), RuleModel(RULEBOOK), "rules")
    folder = RunFolder(tmp_path / "run")
    done = roundtrip(kg, models, chattygen.Options(dialogues=4, turns=3), folder, RunOptions())
    assert (done.dialogues, done.errors) == (4, 0)
    assert done.evaluation.figures["f1"] > 0.8
    report = lint.lint_source(lint.read_source(folder.benchmark), graph=lint.open_lint_graph(kg))
    # A comparison names its first thing again where a pronoun could mean the last answer; and lint does not know that a
    # predicate of the graph's own states a class, so that what is asked of all of it needs no list before.
    assert {found.kind for found in report.defects} <= {"reference", "order"}
    assert not any(found.kind == "order" and found.turn == 1 for found in report.defects)
