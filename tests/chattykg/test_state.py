"""Whether an answer says that it is answered, that nothing fits, or why it is not known."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
from chattyshared.dialogue import REASON_CODES, Answer
from chattyshared.kg import KnowledgeGraph

import chattykg
from chattykg.engine import ChattyEngine, Settings
from chattykg.state import make_refusal

BOB_IN_KIEL = [["?x", "captain", "Bob Ray"], ["?x", "home harbor", "Kiel Port"]]
IN_NORWAY = [["?s", "home harbor", "?h"], ["?h", "country", "Norway"], ["?s", "captain", "?x"]]
SHIP = [{"unknown": "?x", "class": "ship"}]
LONG = {"triples": [["?x", "length", "?n"]], "filters": [{"unknown": "?n", "operator": ">", "value": "900"}]}


def stated(answer: Answer) -> tuple[str, str]:
    return answer.status, answer.reason.code if answer.reason else ""


@pytest.mark.parametrize(
    ("question", "qir", "expected"),
    [
        ("Who commands the Aurora?", {"triples": [["Aurora", "captain", "?x"]]}, ("answered", "")),
        ("How many ships does Bob Ray command in Kiel Port?",
         {"shape": "count", "classes": SHIP, "triples": BOB_IN_KIEL},
         ("answered", "")),
        ("Is Bob Ray the captain of the Aurora?",
         {"shape": "boolean", "target": "", "triples": [["Aurora", "captain", "Bob Ray"]]}, ("answered", "")),
        ("Which ships are longer than 900?", {"classes": SHIP, **LONG}, ("empty", "")),
        ("Which ships of Kiel Port does Bob Ray command?",
         {"classes": SHIP, "triples": BOB_IN_KIEL}, ("empty", "")),
        ("Which ships have no captain?", {"classes": SHIP, "negated": [["?x", "captain", "?y"]]}, ("empty", "")),
        ("Who is the captain of the ship of Norway?", {"triples": IN_NORWAY}, ("unknown", "not-stated")),
        ("Who is the spouse of Bob Ray?", {"triples": [["Bob Ray", "spouse", "?x"]]}, ("answered", "")),
        ("Who commands the Zeppelin?", {"triples": [["Zeppelin", "captain", "?x"]]}, ("unknown", "unknown-name")),
        ("Who painted the Aurora?", {"triples": [["Aurora", "zodiac sign", "?x"]]}, ("unknown", "unknown-relation")),
        ("What about the Aurora?", {"triples": [["Aurora", "", "?x"]]}, ("unknown", "ambiguous")),
        ("Who commands the Aurora in 1998?", {"triples": [["Aurora", "captain", "?x"]]},
         ("unknown", "unknown-qualifier")),
    ],
)  # fmt: skip
def test_the_status_of_a_question_that_was_read(asked: Any, question: str, qir: Any, expected: tuple[str, str]) -> None:
    assert stated(asked(question, **qir)) == expected


def test_words_that_nothing_used_are_listed(asked: Any) -> None:
    assert asked("Who commands the Aurora in 1998?", triples=[["Aurora", "captain", "?x"]]).unused == ("1998",)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("thanks", "not-a-question"), ("?", "not-a-question"), ("so " * 3000, "not-a-question"),
        ("Do you like the Aurora?", "not-stated"), ("Why is the Aurora red?", "not-stated"),
        ("Who is she?", "missing-referent"), ("pizza", "unknown-name"), ("Wem gehört das Schiff?", "language"),
    ],
)  # fmt: skip
def test_the_reason_of_a_question_that_was_not_read(ships: KnowledgeGraph, question: str, expected: str) -> None:
    from chattyshared.model.rules import RuleModel

    from chattykg.rulebook import RULEBOOK

    assert stated(ChattyEngine(ships, RuleModel(RULEBOOK)).answer(question)) == ("unknown", expected)


def test_a_reading_under_the_threshold_is_too_unsure(asked: Any) -> None:
    answer = asked("Who?", Settings(threshold=1.0), triples=[["Aurora", "commander", "?x"]])
    assert stated(answer) == ("unknown", "too-unsure")


def test_that_nothing_fits_is_said_with_the_name_it_was_read_as(asked: Any) -> None:
    triples = [["?x", "captain", "Bob Rai"], ["?x", "home harbor", "Kiel Port"]]
    answer = asked("Which ships of Kiel Port does Bob Rai command?", classes=SHIP, triples=triples)
    assert answer.explanation == (
        "None: the graph states no case in which there is a ship whose captain is Bob Ray and whose home harbor is"
        " Kiel Port."
    )
    assert answer.confidence > 0.5
    assert answer.notes[1:] == ('"Bob Rai" is taken for Bob Ray.',)


@pytest.mark.slow
def test_every_reason_in_the_source_has_a_code_of_the_contract() -> None:
    """Each refusal names its code where it is made: a literal, or a variable that mypy holds to ``ReasonCode``."""
    codes, elsewhere = [], []
    for path in Path(chattykg.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
                continue
            if node.func.id in ("make_refusal", "Reason") and node.args:
                first = node.args[0]
                (codes if isinstance(first, ast.Constant) else elsewhere).append((path.name, ast.unparse(first)))
    assert {ast.literal_eval(code) for _, code in codes} <= set(REASON_CODES)
    # Triad passes on the code of each of its refusals; its type admits those of the contract alone.
    assert set(elsewhere) == {
        ("readings.py", "refusal.code"), ("state.py", "code"), ("strategy.py", "code"),
    }  # fmt: skip
    assert make_refusal("ambiguous", "it may be two.").explanation == "I do not know, because it may be two."


def test_candidate_queries_are_listed_best_first(asked: Any) -> None:
    answer = asked("Who commands the Aurora?", triples=[["Aurora", "captain", "?x"]])
    assert answer.candidates[0].query == answer.sparql
    assert 0 < answer.candidates[0].score == max(each.score for each in answer.candidates) <= 1


@pytest.mark.parametrize(
    ("question", "qir", "executed"),
    [
        ("Who commands the Aurora?", {"triples": [["Aurora", "captain", "?x"]]}, 1),
        ("Who commands the Zeppelin?", {"triples": [["Zeppelin", "captain", "?x"]]}, 0),
        ("Which ships are longer than 900?", {"classes": SHIP, **LONG}, 2),
    ],
)
def test_executed_candidates_are_counted_apart_from_look_ups(
    asked: Any, question: str, qir: Any, executed: int
) -> None:
    """Executed are the candidates, in one request; what is looked up for them is counted beside."""
    answer = asked(question, **qir)
    assert answer.candidate_queries == executed and answer.queries >= executed


def test_queries_that_were_rejected_are_counted(ships: KnowledgeGraph, scripted: Any) -> None:
    empty = {"shape": "list", "sparql": "SELECT ?x { ?x p:captain e:1 }"}
    right = {"shape": "list", "sparql": "SELECT ?x { e:1 p:captain ?x }"}
    unknown = {"shape": "list", "sparql": "SELECT ?x { e:1 p:commander ?x }"}
    model = scripted(direct=[unknown, empty, right])
    engine = ChattyEngine(ships, model, settings=Settings(strategy="direct"))
    answer = engine.answer("Who commands the Aurora?")
    assert (len(answer.values), answer.candidate_queries) == (1, 2)
