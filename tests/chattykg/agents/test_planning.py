"""Words that a reading leaves out: what a label of the query says again is no reason to refuse, other words are."""

from __future__ import annotations

import pytest
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel

from chattykg.engine import ChattyEngine
from chattykg.rulebook import RULEBOOK


@pytest.fixture(scope="module")
def engine() -> ChattyEngine:
    return ChattyEngine(open_kg(["demo"]), RuleModel(RULEBOOK))


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Which famous films did Sofia Coppola direct?", ["Lost in Translation"]),
        ("Which of the Beatles plays the piano?", ["John Lennon", "Paul McCartney"]),
        ("In which city is the Louvre?", ["Paris"]),
        ("Was Marie Curie's husband a physicist?", ["true"]),
    ],
)
def test_words_that_restrict_nothing_are_no_reason_to_refuse(
    engine: ChattyEngine, question: str, answers: list[str]
) -> None:
    said = engine.answer(question)
    assert sorted(value.label or value.value for value in said.values) == answers


@pytest.mark.parametrize(
    "question",
    [
        "Which vegetarian directors were born in London?",
        "Which haunted museums are in Paris?",
        "Where is Jackson?",
        "Which river does New York City lie on?",
        "Which people were born in Washington?",
    ],
)
def test_words_that_restrict_are_refused(engine: ChattyEngine, question: str) -> None:
    assert not engine.answer(question).values


def test_only_unknown_words_are_blamed(engine: ChattyEngine) -> None:
    assert engine.answer("Which vegetarian directors were born in London?").unused == ("vegetarian",)
