"""Every seed that fails is one of Chatty-Gen's error classes, and another of its type takes its place."""

import json
from collections.abc import Callable

import pytest
from chattyshared.check import Problem
from chattyshared.errors import BudgetSpent, ContextTooLong, ModelRefused
from chattyshared.kg import KnowledgeGraph
from chattyshared.model import Usage
from faulty_model import Faulty, Reply

from chattygen import Options
from chattygen.pipeline import generate
from chattygen.rejection import ERROR_CLASSES, RejectedSeed, error_class_of

pytestmark = pytest.mark.slow


def with_(**changes: Callable[[list], list]) -> Callable[[str], str]:
    """Change lists of a reply."""
    return lambda text: json.dumps({
        key: changes[key](value) if key in changes else value for key, value in json.loads(text).items()
    })  # fmt: skip


def named_away(turns: list) -> list:
    return [turn | {"question": "Is anything else to be said?"} for turn in turns]


NOT_JSON, NO_SCHEMA = "I would rather not.", '{"answer": 42}'
ALL_SHIPS = '{"sparql": "SELECT DISTINCT ?x WHERE { ?x ?p ?o }"}'

CASES: list[tuple[str, str, str, Reply, str]] = [
    ("context length", "multi-stage", "questions", ContextTooLong("8,000 tokens are too many"), ""),
    ("context length", "simplified", "binding", ContextTooLong("8,000 tokens are too many"), ""),
    ("context length", "single-shot", "single_shot", ContextTooLong("8,000 tokens are too many"), ""),
    ("question", "multi-stage", "questions", with_(questions=lambda some: some[1:] or some * 2), ""),
    ("question", "multi-stage", "questions", ModelRefused("no"), ""),
    ("question", "simplified", "questions_only", with_(questions=lambda some: [f"{t[:-1]}!" for t in some]), ""),
    ("question", "single-shot", "single_shot", with_(questions=lambda some: ["Who built it?", *some[1:]]), ""),
    ("question JSON", "multi-stage", "questions", NOT_JSON, ""),
    ("question JSON", "simplified", "questions_only", NO_SCHEMA, ""),
    ("question JSON", "single-shot", "single_shot", NOT_JSON, ""),
    ("triples", "simplified", "binding", '{"facts": [99], "form": "object"}', ""),
    ("triples JSON", "simplified", "binding", '{"facts": [], "form": "object"}', ""),
    ("query", "multi-stage", "query", ALL_SHIPS, "llm"),
    ("query", "simplified", "query", '{"sparql": "DELETE WHERE { ?s ?p ?o }"}', "llm"),
    ("query", "planned", "query", ALL_SHIPS, "llm"),
    ("query", "single-shot", "single_shot", with_(queries=lambda some: ["ASK { ?s ?p ?o }", *some[1:]]), ""),
    ("query JSON", "multi-stage", "query", '{"query": "ASK {}"}', "llm"),
    ("query JSON", "planned", "query", NO_SCHEMA, "llm"),
    ("query JSON", "simplified", "query", NOT_JSON, "llm"),
    ("dialogue", "multi-stage", "dialogue", with_(turns=named_away), ""),
    ("dialogue", "simplified", "dialogue", ModelRefused("no"), ""),
    ("dialogue", "single-shot", "single_shot", with_(dialogue=lambda some: [*some[:-1], "And what else?"]), ""),
    ("dialogue JSON", "multi-stage", "dialogue", NOT_JSON, ""),
    ("dialogue JSON", "simplified", "dialogue", NO_SCHEMA, ""),
    ("alignment", "multi-stage", "dialogue", with_(turns=lambda some: some[1:]), ""),
    ("alignment", "single-shot", "single_shot", with_(queries=lambda some: some[1:]), ""),
    ("alignment", "single-shot", "single_shot", with_(questions=lambda some: [*some, "What is this, then?"]), ""),
]


@pytest.mark.parametrize(("kind", "approach", "agent", "reply", "queries"), CASES)
def test_a_seed_that_fails_is_of_one_class_and_is_replaced(
    ships_kg: KnowledgeGraph, kind: str, approach: str, agent: str, reply: Reply, queries: str
):
    times = 1 if isinstance(reply, Exception) else 2 if agent == "query" else 3  # the same query again ends it
    model = Faulty({f"generate/{agent}": reply}, times=times)
    options = Options(approach=approach, dialogues=1, types=("Ship",), queries=queries or "compiled")  # type: ignore[arg-type]
    (made,) = generate(ships_kg, model, options)
    assert made.dialogue is not None and len(made.dialogue.turns) == 5
    assert [rejected.error_class for rejected in made.rejected if rejected.error_class != "seed"] == [kind]
    (rejected,) = (rejected for rejected in made.rejected if rejected.error_class != "seed")
    assert rejected.type == made.dialogue.seed.type and rejected.seed != made.dialogue.seed.iri
    line = rejected.to_json()
    assert line["error"] == kind and line["problems"][0]["sentence"]
    attempts = [request.attempt for request in model.of(f"generate/{agent}")]
    assert max(attempts) == times


def test_every_class_is_tried_here():
    assert {case[0] for case in CASES} == set(ERROR_CLASSES) - {"budget", "internal", "seed"}


@pytest.mark.parametrize("theta", [1, 2])
@pytest.mark.parametrize(
    ("approach", "agent"),
    [
        ("multi-stage", "questions"), ("multi-stage", "dialogue"), ("multi-stage", "query"),
        ("simplified", "questions_only"), ("simplified", "binding"), ("single-shot", "single_shot"),
    ],
)  # fmt: skip
def test_theta_bounds_the_attempts_of_every_stage(ships_kg: KnowledgeGraph, approach: str, agent: str, theta: int):
    model = Faulty({f"generate/{agent}": NOT_JSON}, times=theta)
    options = Options(approach=approach, dialogues=1, theta=theta, queries="llm", types=("Ship",))  # type: ignore[arg-type]
    (made,) = generate(ships_kg, model, options)
    assert len([one for one in made.rejected if one.error_class != "seed"]) == 1
    assert max(request.attempt for request in model.of(f"generate/{agent}")) == theta


def test_attempts_begin_afresh_for_each_question(ships_kg: KnowledgeGraph):
    model = Faulty({})
    said: dict[str, int] = {}

    def twice_wrong(text: str) -> str:
        question = str(model.asked[-1].variables["question"])
        said[question] = said.get(question, 0) + 1
        return NOT_JSON if said[question] < 3 else text

    model._replies["generate/binding"], model._left["generate/binding"] = twice_wrong, 10_000
    (made,) = generate(ships_kg, model, Options(approach="simplified", dialogues=1, types=("Ship",)))
    assert made.dialogue is not None and not [one for one in made.rejected if one.error_class != "seed"]
    assert set(said.values()) == {3} and len(said) == 5


@pytest.mark.parametrize("approach", ["multi-stage", "simplified", "single-shot"])
def test_facts_beyond_the_bound_are_a_context_too_long(ships_kg: KnowledgeGraph, approach: str):
    model = Faulty({})
    options = Options(approach=approach, dialogues=2, context_tokens=20)  # type: ignore[arg-type]
    rejected = [
        one for made in generate(ships_kg, model, options) for one in made.rejected if one.error_class != "seed"
    ]
    assert rejected and {one.error_class for one in rejected} == {"context length"}
    assert {request.agent for request in model.asked} <= {"generate/label"}


def test_a_budget_that_is_spent_ends_the_run_and_not_the_seed(ships_kg: KnowledgeGraph):
    model = Faulty({"generate/questions": BudgetSpent("no more tokens")})
    with pytest.raises(BudgetSpent, match="no more tokens"):
        list(generate(ships_kg, model, Options(dialogues=1, approach="multi-stage")))
    assert error_class_of("budget", [Problem("cut-off", "no more tokens")]) == "budget"


@pytest.mark.parametrize(
    ("stage", "rules", "kind"),
    [
        ("seed", ["size"], "seed"),
        ("plan", ["turns"], "seed"),
        ("endpoint", ["EndpointTimeout"], "query"),
        ("query", ["result"], "query"),
        ("words", ["schema", "reference"], "dialogue JSON"),
        ("words", ["turns", "json"], "alignment"),
        ("questions", ["query/result", "dialogue/stiff"], "query"),
        ("questions", ["dialogue/alignment"], "alignment"),
        ("questions", ["number-of-questions"], "question"),
        ("questions", [], "question"),
    ],
)
def test_the_stage_and_the_first_rule_make_the_class(stage: str, rules: list[str], kind: str):
    problems = tuple(Problem(rule, "so it is") for rule in rules)
    assert RejectedSeed("s", "t", stage, problems, Usage()).error_class == kind
