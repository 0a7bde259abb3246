"""Suggested questions have answers, and are about what was mentioned; near names and relations are found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel

from chattykg.engine import ChattyEngine
from chattykg.linking.vocabulary_card import build_vocabulary_card
from chattykg.rulebook import RULEBOOK
from chattykg.suggestions import near_names, near_relations, suggest_questions

DEVELOPMENT = Path(__file__).resolve().parents[2] / "benchmarks" / "development"


@pytest.mark.parametrize("source", ["demo", *sorted(str(path) for path in DEVELOPMENT.glob("q*/*.ttl"))])
def test_each_suggested_question_is_answered(source: str) -> None:
    kg = open_kg([source])
    engine = ChattyEngine(kg, RuleModel(RULEBOOK))
    questions = suggest_questions(kg)
    assert len(questions) == 3
    assert [question for question in questions if not engine.answer(question).values] == []


def test_the_first_question_is_about_the_thing_that_was_named(ships: KnowledgeGraph) -> None:
    card = build_vocabulary_card("How heavy is the Borealis?", ships)
    assert suggest_questions(ships, card)[0].endswith(" of Borealis?")


def test_nothing_is_suggested_of_an_empty_vocabulary(open_graph: Any) -> None:
    kg = open_graph("<https://x.example/a> <https://x.example/in> <https://x.example/b> .")
    assert suggest_questions(kg) == ()


def test_names_and_relations_like_those_of_the_question_are_found(ships: KnowledgeGraph) -> None:
    question = "Who is the captain of Borealix Star?"
    assert near_names(question, build_vocabulary_card(question, ships), ships) == ("Borealis",)
    thing, relations = near_relations(build_vocabulary_card("How heavy is Ann Lee?", ships), ships)
    assert thing == "Ann Lee" and {"spouse", "gender", "birth place"} <= set(relations)
