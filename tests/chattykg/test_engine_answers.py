"""What is answered to questions and conversations over small graphs of many kinds (``answers.txt``).

``# harbour`` names a graph in ``graphs/`` (``# towns ask``: several readings are asked back). A row is a question and
what is said to it, parted by `` | ``; an indented row goes on with the conversation above it. What is said:

    {"triples": []}  the reading that a model gives, in place of that of the rules
    A; B             the values, in any order; > A; B: in this order
    ! code; a; b     no value, for this reason (or status); a and b stand in what is said instead
    + words          words that stand in a note
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from chattyshared.answers import answer_to_json
from chattyshared.dialogue import Answer, Exchange, History
from chattyshared.kg import KnowledgeGraph
from chattyshared.model.rules import RuleModel

from chattykg.engine import ChattyEngine, Settings
from chattykg.linking.similarity import lexical_similarity
from chattykg.rulebook import RULEBOOK


def conversations() -> list[tuple[str, list[str]]]:
    found, heading = list[tuple[str, list[str]]](), ""
    for line in Path(__file__).with_name("answers.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            heading = line[2:]
        elif line.startswith("    "):
            found[-1][1].append(line.strip())
        elif line:
            found.append((heading, [line]))
    return found


def check(answer: Answer, expected: str) -> None:
    mark, rest = (expected[0], expected[1:].strip()) if expected[0] in ">!+" else ("", expected)
    said = [value.label or value.value for value in answer.values]
    wanted = rest.split("; ")
    if mark == "+":
        assert any(rest in note for note in answer.notes), answer.notes
    elif mark == "!":
        told = answer.reason.code if answer.reason else answer.status
        assert (said, wanted[0] or told) == ([], told), answer
        shown = " ".join((answer.explanation, *answer.notes, *answer.unused, *(one.label for one in answer.options)))
        assert [words for words in wanted[1:] if words not in shown] == [], shown
    else:
        assert (said if mark else sorted(said)) == (wanted if mark else sorted(wanted)), answer.explanation


@pytest.mark.parametrize(
    ("heading", "rows"), [pytest.param(*each, id=each[1][0].partition(" | ")[0]) for each in conversations()]
)
def test_answers_are_those_of_the_table(
    open_graph: Callable[[str], KnowledgeGraph], scripted: Callable[..., Any], heading: str, rows: list[str]
) -> None:
    name, _, mode = heading.partition(" ")
    settings = Settings(clarify=mode or "best")  # type: ignore[arg-type]
    history: History = ()
    for row in rows:
        question, *expected = row.split(" | ")
        model: Any = RuleModel(RULEBOOK)
        if expected[0].startswith("{"):
            reading = {"shape": "list", "target": "?x", "triples": []} | json.loads(expected.pop(0))
            model = scripted(qir=reading)
        answer = ChattyEngine(open_graph(name), model, settings=settings).answer(question, history)
        history = (*history, Exchange(question, answer))
        for each in expected:
            check(answer, each)


# what an answer holds beside its values, by readings that a model gives

S = "https://ships.example/"
SHIPS = [{"unknown": "?x", "class": "ship"}]
OVER = [{"unknown": "?n", "operator": ">", "value": "900"}]
LONG = {"triples": [["?x", "length", "?n"]], "classes": SHIPS, "filters": OVER}


def test_one_vertex_and_one_relation(asked: Any) -> None:
    answer = asked("Who commands the Aurora?", triples=[["Aurora", "captain", "?x"]])
    assert [(v.value, v.kind, v.label) for v in answer.values] == [(f"{S}ann", "iri", "Ann Lee")]
    assert answer.sparql == f"SELECT DISTINCT ?x WHERE {{ <{S}aurora> <{S}vocab/captain> ?x . }} LIMIT 10000"
    assert answer.witness == ((f"{S}aurora", f"{S}vocab/captain", f"{S}ann"),)
    assert answer.sentence == "the captain of Aurora"
    assert [(e.mention, e.iri) for e in answer.entities] == [("Aurora", f"{S}aurora")]
    assert (answer.candidates[0].query, answer.candidate_queries) == (answer.sparql, 1)
    assert 0.9 < answer.candidates[0].score == max(each.score for each in answer.candidates) <= 1
    assert answer.confidence > 0.7
    assert 1 <= answer.queries <= 8
    assert answer.usage.calls == 1


def test_superlatives_keep_ties_and_their_witness(asked: Any) -> None:
    order = {"by": "?l", "descending": True, "count": False, "limit": 1, "offset": 0}
    answer = asked("The longest ship?", triples=[["?x", "length", "?l"]], order=order)
    assert "MAX" in answer.sparql
    assert [subject for subject, _, _ in answer.witness] == [f"{S}borealis", f"{S}comet"]


def test_kinds_of_values_are_those_of_the_question(asked: Any) -> None:
    for question, shape, reading, value in (
        (
            "Is Bob Ray the captain of the Aurora?",
            "boolean",
            {"target": "", "triples": [["Aurora", "captain", "Bob Ray"]]},
            ("false", "boolean"),
        ),
        ("How many ships are there?", "count", {"classes": SHIPS}, ("3", "number")),
        (
            "What is the average crew?",
            "number",
            {"triples": [["?s", "crew members", "?x"]], "aggregate": "avg"},
            ("14", "number"),
        ),
    ):
        assert [(v.value, v.kind) for v in asked(question, shape=shape, **reading).values] == [value]


def test_a_table_has_rows(asked: Any) -> None:
    triples = [["?x", "captain", "Ann Lee"], ["?x", "launch date", "?d"]]
    question = "The name and the launch date of each ship of Ann Lee"
    answer = asked(question, shape="table", targets=["?x", "?d"], triples=triples)
    assert [[v.label or v.value for v in row] for row in answer.rows] == [
        ["Aurora", "1998-05-01"], ["Comet", "2015-07-09"],
    ]  # fmt: skip
    assert answer.candidates[0].score > 0.8


def test_under_the_threshold_nothing_is_said(asked: Any) -> None:
    answer = asked("Who?", Settings(threshold=1.01), triples=[["Aurora", "captain", "?x"]])
    assert (answer.values, answer.reason.code) == ((), "too-unsure")


def test_a_row_limit_is_stated_and_cuts_no_count(asked: Any) -> None:
    answer = asked("All ships", Settings(row_limit=2), classes=SHIPS)
    assert (len(answer.values), answer.sentence) == (2, "every ship (the first 2 of them)")
    assert answer.notes == ("Only the first 2 answers are given; there may be more.",)
    said = {
        "triples": [["?s", "captain", "?x"]],
        "having": [{"group": "?x", "counted": "?s", "operator": ">=", "value": "1"}],
    }
    counted = asked("How many people command a ship?", Settings(row_limit=1), shape="count", **said)
    assert [value.value for value in counted.values] == ["2"]


def test_names_of_unknowns_are_never_sparql(asked: Any) -> None:
    answer = asked("Who?", target="?x} DROP", triples=[["Aurora", "captain", "?x} DROP"]])
    assert "DROP" not in answer.sparql or "?xDROP" in answer.sparql


def test_what_is_left_out_costs_confidence(asked: Any, open_graph: Any) -> None:
    said = {"triples": [["Ann Lee", "captain", "?x"]], "classes": SHIPS}
    plain = asked("Which ships does Ann Lee command?", **said)
    assert (
        asked("Which ships does Ann Lee actually command?", unused=["actually"], **said).confidence < plain.confidence
    )
    lake = ChattyEngine(open_graph("lake"), RuleModel(RULEBOOK))
    whole = lake.answer("When was Alder opened?")
    half = lake.answer("When was Alder opened and when was Birch Castle opened?")
    assert half.values == whole.values and half.confidence <= whole.confidence / 2
    towns = ChattyEngine(open_graph("towns"), RuleModel(RULEBOOK))
    one, two = (towns.answer(f"What is the population of {name}?").confidence for name in ("Rouen", "Paris"))
    assert two < one / 1.5


def test_two_words_of_their_own_are_not_alike_by_their_letters() -> None:
    assert lexical_similarity("desert", "dessert") < 0.5 < lexical_similarity("elevatn", "elevation")


def test_the_options_of_a_question_back_stand_in_the_line_of_an_answer(open_graph: Any) -> None:
    question = "What is the population of Paris?"
    engine = ChattyEngine(open_graph("towns"), RuleModel(RULEBOOK), settings=Settings(clarify="ask"))
    asked = engine.answer(question)
    line = answer_to_json(1, "?", asked)
    assert line["status"] == "clarification"
    assert line["clarification"]["options"][0] == {"label": "Paris (France)", "iri": "https://towns.example/paris1"}
    answer = engine.answer("the one in France", (Exchange(question, asked),))
    assert (answer.standalone, [value.value for value in answer.values]) == (question, ["2100000"])
    single = ChattyEngine(engine.kg, RuleModel(RULEBOOK), mode="single", settings=Settings(clarify="ask"))
    assert single.answer("Texas", (Exchange(question, asked),)).status != "answered"


@pytest.mark.parametrize(
    ("question", "reading", "executed"),
    [
        ("Who commands the Zeppelin?", {"triples": [["Zeppelin", "captain", "?x"]]}, 0),
        ("Which ships are longer than 900?", LONG, 2),
    ],
)
def test_executed_candidates_are_counted_apart_from_look_ups(
    asked: Any, question: str, reading: Any, executed: int
) -> None:
    """Executed are the candidates, in one request; what is looked up for them is counted beside."""
    answer = asked(question, **reading)
    assert answer.candidate_queries == executed and answer.queries >= executed
