"""Reading wordings back: what changes the question is found, and natural paraphrases pass."""

from __future__ import annotations

import pytest
from rdflib import URIRef

from chattygen.context.facts import Entity, Fact, Step
from chattygen.turns import Condition, TurnSpec
from chattygen.wording.checks import SchemaNames, check_wording

NAMES = SchemaNames(
    ("supplier", "manufacturer", "product manager", "date", "year", "country", "birth place", "price"),
    ("Product", "Department", "Supplier", "Country", "Employee", "Person", "Ship"),
)


def problems(text: str, fact: Fact, *classes: str, condition: Condition | None = None) -> list[str]:
    entity = Entity(URIRef("https://x.example/a"), "Juno", "", (*classes, "")[0], classes)
    plan = TurnSpec(1, "list", "opens", entity, fact, condition)
    return [problem.rule for problem in check_wording(plan, text, NAMES)]


def fact(label: str, *kinds: str, shape: str = "entity", direction: str = "out") -> Fact:
    return Fact(1, (Step("p", label, direction),), shape, class_labels=kinds)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "asked", "rule"),
    [
        ("Who is the manufacturer of Juno?", fact("supplier", "Supplier"), "relation"),
        ("Who manufactures Juno?", fact("supplier", "Supplier"), "relation"),
        ("Who owns Juno?", fact("director", "Person"), "relation"),
        ("How wide is Juno?", fact("height", shape="number"), "relation"),
        ("What does Juno cost, at what price?", fact("weight", shape="number"), "relation"),
        ("Which departments does Juno supply?", fact("supplier", "Product", direction="in"), "class"),
        ("How many employees are compatible with Juno?", fact("compatible product", "Product"), "class"),
    ],
)
def test_another_relation_or_class_is_found(text: str, asked: Fact, rule: str) -> None:
    assert rule in problems(text, asked, "Product")


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Who supplies Juno?", fact("supplier", "Supplier")),
        ("Who do they get Juno from?", fact("supplier", "Supplier")),
        ("Who directed Juno?", fact("director", "Person")),
        ("Who made Juno?", fact("director", "Person")),
        ("Where was Juno born?", fact("birth place", "City")),
        ("When was Juno born?", fact("birth date", shape="date")),
        ("In which year was Juno established?", fact("inception", shape="date")),
        ("How tall is Juno?", fact("height", shape="number")),
        ("How heavy is Juno?", fact("weight", shape="number")),
        ("Which country is Juno in?", fact("located in", "Country")),
        ("Which vessels did Juno build?", fact("builder", "Ship", direction="in")),
        ("What has Juno acted in?", fact("cast member", "Film", direction="in")),
    ],
)
def test_natural_paraphrases_pass(text: str, asked: Fact) -> None:
    assert problems(text, asked, "Product") == []


def test_a_condition_is_read_back() -> None:
    tallest = Condition("most", Step("q", "height"), "number", "integer")
    asked = fact("supplier", "Product", direction="in")
    assert problems("Which of the products that Juno supplies is the tallest?", asked, condition=tallest) == []
    assert problems("Which of the products that Juno supplies is the heaviest?", asked, condition=tallest) == [
        "relation"
    ]
