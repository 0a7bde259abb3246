"""The schema prompt: what is shown of a KG, and what is said of what is not shown."""

from __future__ import annotations

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg

from chattykg.direct.schema_prompt import SchemaPrompt, build_schema_prompt
from chattykg.linking.vocabulary_card import build_vocabulary_card


def prompt_of(kg: KnowledgeGraph, question: str) -> SchemaPrompt:
    return build_schema_prompt(kg, build_vocabulary_card(question, kg))


def test_a_prompt_tells_whether_it_shows_the_whole_vocabulary(ships: KnowledgeGraph) -> None:
    assert prompt_of(ships, "Who commands the Aurora?").is_complete
    wide = prompt_of(open_kg(["demo"]), "Who directed the film?")
    assert not wide.is_complete and "further predicates: " in wide.as_prompt_text()
