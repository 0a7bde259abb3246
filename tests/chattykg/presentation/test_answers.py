"""Answers for people: the sentence, the evidence with labels, and the classes of things."""

from chattyshared.kg import KnowledgeGraph
from chattyshared.model.rules import RuleModel

from chattykg.engine import ChattyEngine
from chattykg.presentation.answers import Presenter, collect_evidence, find_class_labels
from chattykg.rulebook import RULEBOOK

TITANIC = "https://chatty.example/demo/Titanic_film"


def test_an_answer_gets_its_sentence_evidence_and_classes(demo: KnowledgeGraph) -> None:
    question = "Who directed Titanic?"
    answer = Presenter(demo).present(question, ChattyEngine(demo, RuleModel(RULEBOOK)).answer(question))
    assert answer.text == "James Cameron"
    assert [(t.subject.label, t.predicate.label, t.object.label) for t in answer.evidence] == [
        ("Titanic", "director", "James Cameron")
    ]
    assert find_class_labels(answer, demo) == {answer.values[0].value: "person", TITANIC: "film"}


def test_a_literal_and_a_nameless_node_are_evidence_too(demo: KnowledgeGraph) -> None:
    witness = (
        (TITANIC, "urn:x:p", '"a \\"b\\""@en'),
        ("_:b1", "urn:x:p", '"3"^^<http://www.w3.org/2001/XMLSchema#integer>'),
    )
    first, second = collect_evidence(witness, demo)
    assert (first.object.value, first.object.lang, first.object.kind) == ('a "b"', "en", "literal")
    assert (second.subject.value, second.object.kind, second.object.value) == ("b1", "number", "3")
    assert collect_evidence((), demo) == ()
