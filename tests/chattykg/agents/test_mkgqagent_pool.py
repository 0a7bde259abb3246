"""Examples for mKGQAgent: plans that are read off solved queries, and queries by whether they went wrong at first."""

from __future__ import annotations

from chattyshared.kg import KnowledgeGraph

from chattykg.agents.mkgqagent import render_actions, render_plans
from chattykg.direct.schema_prompt import build_conventions
from chattykg.experience.experience_file import ExperienceItem

S, V = "https://ships.example/", "https://ships.example/vocab/"
LOOK_UP = ExperienceItem("Who commands the Comet?", f"SELECT ?x {{ <{S}comet> <{V}captain> ?x }}")
COUNTED = ExperienceItem(
    "How many tankers have no price?",
    f"SELECT (COUNT(DISTINCT ?x) AS ?n) {{ ?x a <{V}Tanker> FILTER NOT EXISTS {{ ?x <{V}price> ?y }} }}",
    attempt=f"SELECT ?x {{ ?x <{V}amount> ?y }}", feedback=f"not <{V}amount>; <{V}price> is needed",
)  # fmt: skip
UNANSWERABLE = ExperienceItem("Who owns the Comet?", f"SELECT ?x {{ <{S}comet> <{V}price> ?x }}", unused=("owns",))


def test_a_plan_names_what_is_linked_and_what_else_a_query_needs(ships: KnowledgeGraph) -> None:
    shown = render_plans([LOOK_UP, UNANSWERABLE, COUNTED], ships).splitlines()
    assert shown[2:] == [
        '{"Who commands the Comet?": ["link the thing Comet", "link the relations: captain"]}',
        '{"How many tankers have no price?": ["link the relations: price, tanker",'
        ' "the query needs COUNT, FILTER, NOT EXISTS"]}',
    ]
    assert render_plans([UNANSWERABLE], ships) == render_plans([], ships) == ""


def test_what_went_wrong_at_first_stands_apart_with_what_is_right(ships: KnowledgeGraph) -> None:
    right, mark, wrong = render_actions([COUNTED, LOOK_UP, UNANSWERABLE], build_conventions(ships)).partition(
        "Here a first attempt went wrong:"
    )
    assert mark and "Comet" in right and "tankers" not in right and 'none, unused ["owns"]' in right
    assert "NOT EXISTS { ?x p:price ?y }" in wrong and "not p:amount; p:price is needed" in wrong
    assert render_actions([], build_conventions(ships)) == ""
