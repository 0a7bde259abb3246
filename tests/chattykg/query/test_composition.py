"""Queries for what a QIR says beyond a single result: tables in order, groups, optional columns, computed numbers."""

from __future__ import annotations

from typing import Any

import pytest

CAPTAINS = {"triples": [["?x", "captain", "?c"]], "classes": [{"unknown": "?x", "class": "ship"}]}
LENGTHS = {"triples": [["?x", "length", "?n"]], "classes": [{"unknown": "?x", "class": "ship"}]}


def rows(answer: Any) -> list[tuple[str, ...]]:
    return [tuple(value.label or value.value for value in row) for row in answer.rows]


def values(answer: Any) -> list[str]:
    return [value.label or value.value for value in answer.values]


def test_what_else_is_another_than_the_thing_named(asked: Any) -> None:
    said: dict[str, Any] = {
        "triples": [["Aurora", "captain", "?c"], ["?x", "captain", "?c"]],
        "filters": [{"unknown": "?x", "operator": "!=", "value": "Aurora"}],
    }
    assert values(asked("What else has the captain of the Aurora?", **said)) == ["Comet"]


def test_a_table_stands_in_the_order_asked_for(asked: Any) -> None:
    order = {"by": "?n", "descending": True, "limit": 2}
    answer = asked("Two longest ships and lengths", shape="table", targets=["?x", "?n"], order=order, **LENGTHS)
    assert rows(answer) == [("Borealis", "300"), ("Comet", "300")]
    order = {"by": "?n", "descending": False, "limit": 1}
    answer = asked("Shortest ship and its length", shape="table", targets=["?x", "?n"], order=order, **LENGTHS)
    assert rows(answer) == [("Aurora", "120.5")]


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, [("Ann Lee", "2"), ("Bob Ray", "1")]),
        ({"having": [{"group": "?c", "counted": "?x", "operator": ">", "value": 1}]}, [("Ann Lee", "2")]),
        ({"order": {"by": "?x", "count": True, "limit": 1}}, [("Ann Lee", "2")]),
        ({"order": {"by": "?x", "count": True, "descending": False, "limit": 2}}, [("Bob Ray", "1"), ("Ann Lee", "2")]),
    ],
)
def test_counts_of_groups_are_tested_and_ranked(asked: Any, more: Any, expected: list[tuple[str, ...]]) -> None:
    question = "How many ships has each captain?"
    assert rows(asked(question, shape="count", target="?x", targets=["?c", "?x"], **CAPTAINS, **more)) == expected


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"having": [{"group": "?c", "counted": "?x", "operator": ">", "value": 1}]}, [("Ann Lee", "2")]),
        ({"order": {"by": "?x", "count": True, "limit": 1}}, [("Ann Lee", "2")]),
        ({"order": {"by": "?x", "count": True, "descending": False, "limit": 0}}, [("Bob Ray", "1"), ("Ann Lee", "2")]),
    ],
)
def test_a_table_with_one_count_is_tested_and_ranked_by_it(asked: Any, more: Any, expected: Any) -> None:
    said: dict[str, Any] = {"targets": ["?c"], "aggregates": [{"function": "count", "of": "?x"}]}
    answer = asked("Captains and how many ships each", shape="table", target="?c", **said, **CAPTAINS, **more)
    assert rows(answer) == expected


def test_a_table_with_one_mean_is_a_mean_per_group(asked: Any) -> None:
    said: dict[str, Any] = {"targets": ["?h"], "aggregates": [{"function": "avg", "of": "?n"}]}
    said["triples"] = [["?x", "home harbor", "?h"], ["?x", "length", "?n"]]
    order = {"by": "?n", "descending": True, "limit": 1}
    answer = asked("The harbor with the longest ships by mean", shape="table", target="?h", order=order, **said)
    assert [(row[0], float(row[1])) for row in rows(answer)] == [("Kiel Port", 300)]
    assert not asked(
        "Mean color",
        shape="table",
        aggregates=[{"function": "avg", "of": "?n"}],
        target="?n",
        triples=[["?x", "color", "?n"]],
    ).values


def test_the_first_is_taken_for_each_value(asked: Any) -> None:
    order = {"by": "?n", "descending": True, "limit": 1, "per": "?h"}
    said = {"triples": [["?x", "home harbor", "?h"], ["?x", "length", "?n"]], "order": order}
    answer = asked("Longest ship of each home harbor", shape="table", targets=["?x", "?h"], **said)
    assert rows(answer) == [("Borealis", "Lund Port"), ("Comet", "Kiel Port")]


def test_several_aggregates_stand_side_by_side(asked: Any) -> None:
    aggregates = [{"function": "count", "of": "?x"}, {"function": "avg", "of": "?n"}, {"function": "max", "of": "?n"}]
    answer = asked(
        "Number, mean and greatest length of ships", shape="table", target="?n", aggregates=aggregates, **LENGTHS
    )
    assert [float(value) for value in values(answer)] == [3, pytest.approx(240.1667, abs=0.001), 300]
    said = {"triples": [["?x", "home harbor", "?h"], ["?x", "length", "?n"]], "aggregates": aggregates[:2]}
    answer = asked(
        "Number and mean length of ships per home harbor", shape="table", targets=["?h"], target="?h", **said
    )
    assert [(row[0], float(row[1]), float(row[2])) for row in rows(answer)] == [
        ("Kiel Port", 1, 300), ("Lund Port", 2, 210.25),
    ]  # fmt: skip


def test_aggregates_of_texts_and_of_nothing_are_no_answer(asked: Any) -> None:
    said: dict[str, Any] = {"shape": "table", "target": "?n", "aggregates": [{"function": "avg", "of": "?n"}]}
    assert not asked("Mean color of ships", triples=[["?x", "color", "?n"]], **said).values
    nothing = {"triples": [["?x", "length", "?n"], ["?x", "color", "green"]]}
    assert not asked("Mean length of green ships", **nothing, **said).values


def test_an_optional_column_may_stay_empty(asked: Any) -> None:
    said: dict[str, Any] = {"triples": [["?x", "crewSize", "?n"]], "classes": CAPTAINS["classes"]}
    answer = asked("Ships and crew size", shape="table", targets=["?x", "?n"], **said)
    assert values(answer) == ["Aurora", "14"]
    answer = asked("Ships and crew size", shape="table", targets=["?x", "?n"], optional=["?n"], **said)
    assert rows(answer) == [("Aurora", "14"), ("Borealis", ""), ("Comet", "")]


@pytest.mark.parametrize(
    ("compute", "either", "expected"),
    [
        ("difference", [{"triples": [["Borealis", "length", "?n"]]}, {"triples": [["Aurora", "length", "?n"]]}], 179.5),
        ("ratio", [{"triples": [["Borealis", "length", "?n"]]}, {"triples": [["Aurora", "length", "?n"]]}], 2.48963),
    ],
)
def test_a_number_is_computed_of_two(asked: Any, compute: str, either: Any, expected: float) -> None:
    question = "How do the lengths of Borealis and Aurora compare?"
    answer = asked(question, shape="number", target="?n", compute=compute, either=[either])
    assert [float(value) for value in values(answer)] == [pytest.approx(expected, abs=1e-4)]


def test_a_share_is_computed_of_all(asked: Any) -> None:
    ships: dict[str, Any] = {"shape": "count", "target": "?x", "compute": "percent", "classes": CAPTAINS["classes"]}
    red = {"triples": [["?x", "color", "red"]]}
    answer = asked("What percentage of ships is red?", either=[[red, {}]], **ships)
    assert [float(value) for value in values(answer)] == [pytest.approx(66.6667, abs=1e-3)]
    none = {"triples": [["?x", "captain", "Bob Ray"], ["?x", "color", "red"]]}
    assert not asked("What percentage of ships is red and Bob Ray's?", either=[[none, {}]], **ships).values


def test_a_year_without_such_a_thing_is_an_empty_answer(asked: Any) -> None:
    said: dict[str, Any] = {"triples": [["?x", "launch date", "?d"], ["?x", "captain", "Ann Lee"]]}
    answer = asked("Ann Lee's ships of 1999", **said, filters=[{"unknown": "?d", "operator": "=", "value": "1999"}])
    assert (answer.status, answer.values) == ("empty", ())


@pytest.mark.parametrize(
    "order",
    [
        {"by": "?x", "count": True, "limit": 1, "per": "?h"}, {"by": "?n", "limit": 2, "per": "?h"},
        {"by": "?n", "limit": 1, "offset": 1, "per": "?h"},
    ],
)  # fmt: skip
def test_what_no_query_says_of_an_order_is_no_answer(asked: Any, order: Any) -> None:
    said = {"triples": [["?x", "home harbor", "?h"], ["?x", "length", "?n"]], "order": order}
    assert not asked("Two longest ships of each home harbor", shape="table", targets=["?x", "?h"], **said).values


def test_groups_are_not_ranked_by_another_column(asked: Any) -> None:
    said: dict[str, Any] = {"shape": "count", "target": "?x", "targets": ["?c", "?x"], **CAPTAINS}
    question = "How many ships has each captain?"
    assert not asked(question, **said, order={"by": "?c", "limit": 1}).values
    assert rows(asked(question, **said, order={"by": "?c", "limit": 0})) == [("Ann Lee", "2"), ("Bob Ray", "1")]
    table = said | {"shape": "table", "target": "?c"}
    assert rows(asked(question, **table, order={"by": "?x", "count": True, "limit": 1})) == [("Ann Lee", "2")]


def test_a_summary_is_not_cut(asked: Any) -> None:
    said: dict[str, Any] = {"triples": [["?x", "home harbor", "?h"], ["?x", "length", "?n"]], "targets": ["?h"]}
    said |= {
        "shape": "table",
        "target": "?h",
        "aggregates": [{"function": each, "of": "?n"} for each in ("avg", "max")],
    }
    assert not asked("Home harbor of the longest ships", **said, order={"by": "?n", "limit": 1}).values


def test_odd_structures_are_refused_or_read_once(asked: Any) -> None:
    contained = [{"unknown": "?k", "operator": "contains", "value": "?c"}]
    triples = [["?x", "color", "?k"], ["?x", "captain", "?c"]]
    assert not asked("Ships with a color that contains a captain", triples=triples, filters=contained).values
    twice = [{"function": "max", "of": "?n"}] * 2
    assert values(asked("Greatest length of ships", shape="table", target="?n", aggregates=twice, **LENGTHS)) == ["300"]
