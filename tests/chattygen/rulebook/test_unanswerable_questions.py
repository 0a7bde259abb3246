"""Wordings of questions with a part that the graph does not know."""

import pytest
from rdflib import URIRef

from chattygen.rulebook.referring_expressions import PRONOUNS_BY_GENDER, THEY, refer_by_name
from chattygen.rulebook.unanswerable_questions import realize_unanswerable, realize_unanswerable_follow_up
from chattygen.stages.turn_plan import TurnPlan, UnknownPart
from chattygen.subgraph.facts import Entity, Fact, Step

ADA = Entity(URIRef("https://x.example/Ada"), "Ada Moss", "", "Architect", ("Architect", "Person"), "female")
YORK = Entity(URIRef("https://x.example/York"), "York", "", "City", ("City",))
BRIDGES = Fact(1, (Step("architect", "architect", "in"),), "entity", class_labels=("Bridge",), count=4)
POPULATION = Fact(1, (Step("population", "population"),), "number", forms=("number",))


def asked(kind, scope, text, *, phrase="", form="list", about=ADA, fact=BRIDGES, owner=None, follow_up=False):
    plan = TurnPlan(2, form, "topic", about, fact, unknown=UnknownPart(kind, scope, text, phrase))
    wordings = realize_unanswerable(plan, owner or refer_by_name(about))
    return list(realize_unanswerable_follow_up(plan) if follow_up else wordings)


@pytest.mark.parametrize(
    ("wordings", "expected"),
    [
        (asked("qualifier", "entity", "left-handed", form="boolean"), "Is Ada Moss left-handed?"),
        (asked("qualifier", "entity", "left-handed", form="boolean"), "Is Ada Moss a left-handed architect?"),
        (asked("qualifier", "entity", "shy", form="boolean", owner=THEY), "Are they shy?"),
        (asked("qualifier", "set", "haunted"), "Which of the bridges that Ada Moss designed are haunted?"),
        (asked("qualifier", "set", "haunted", form="count"),
         "How many of the bridges designed by Ada Moss are haunted?"),
        (asked("qualifier", "set", "haunted", follow_up=True), "Which of them are haunted?"),
        (asked("class", "set", "windmill"), "Which windmills did Ada Moss design?"),
        (asked("class", "set", "windmill", follow_up=True), "Which of them are windmills?"),
        (asked("presupposition", "entity", "be knighted", phrase="When", form="date"), "When was Ada Moss knighted?"),
        (asked("presupposition", "entity", "get divorced", phrase="Why", form="literal",
               owner=PRONOUNS_BY_GENDER["female"]), "Why did she get divorced?"),
        (asked("place", "entity", "Quito", phrase="live in", form="boolean"), "Does Ada Moss live in Quito?"),
        (asked("place", "set", "Quito", phrase="was modelled on a bridge in"),
         "Which of the bridges that Ada Moss designed were modelled on a bridge in Quito?"),
        (asked("time", "fact", "1931", form="number", about=YORK, fact=POPULATION),
         "What was the population of York in 1931?"),
    ],
)  # fmt: skip
def test_wordings(wordings, expected):
    assert expected in wordings


def test_there_are_several_wordings_of_each_kind():
    assert len(asked("qualifier", "set", "haunted")) >= 4
    assert len(asked("presupposition", "entity", "resign", phrase="When", form="date")) >= 3
    assert len(asked("time", "fact", "1931", form="number", about=YORK, fact=POPULATION)) >= 6


def test_a_question_in_the_present_is_never_asked_of_the_past():
    wordings = asked("time", "fact", "1931", form="number", about=YORK, fact=POPULATION)
    assert not any(" is " in text or "'s " in text.replace("York's", "") or "does" in text for text in wordings)
