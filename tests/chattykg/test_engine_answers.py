"""Answers over a small graph from given QIRs: every shape and modifier, and what is said when there is none."""

from __future__ import annotations

from typing import Any

import pytest
from chattyshared.dialogue import Reason
from chattyshared.kg.factory import open_kg

from chattykg.engine import ChattyEngine, Settings

S = "https://ships.example/"


def names(answer: Any) -> list[str]:
    return [value.label or value.value for value in answer.values]


def test_one_vertex_and_one_relation(asked: Any) -> None:
    answer = asked("Who commands the Aurora?", triples=[["Aurora", "captain", "?x"]])
    assert [(v.value, v.kind, v.label) for v in answer.values] == [(f"{S}ann", "iri", "Ann Lee")]
    assert answer.sparql == f"SELECT DISTINCT ?x WHERE {{ <{S}aurora> <{S}vocab/captain> ?x . }} LIMIT 10000"
    assert answer.witness == ((f"{S}aurora", f"{S}vocab/captain", f"{S}ann"),)
    assert answer.sentence == "the captain of Aurora"
    assert [(e.mention, e.iri) for e in answer.entities] == [("Aurora", f"{S}aurora")]
    assert answer.candidates[0].score > 0.9
    assert answer.confidence > 0.7
    assert 1 <= answer.queries <= 8
    assert answer.usage.calls == 1


def test_the_direction_is_what_the_graph_has(asked: Any) -> None:
    assert names(asked("What did Ann command?", triples=[["?x", "captain", "Ann Lee"]])) == ["Aurora", "Comet"]
    assert names(asked("Ships of Ann", triples=[["Ann Lee", "captain of", "?x"]])) == ["Aurora", "Comet"]


def test_everyday_words_find_the_relation(asked: Any) -> None:
    assert names(asked("Who is Ann's husband?", triples=[["Ann Lee", "husband", "?x"]])) == ["Bob Ray"]


def test_a_class_includes_its_subclasses(asked: Any) -> None:
    classes = [{"unknown": "?x", "class": "ships"}]
    assert names(asked("Which ships are there?", classes=classes)) == ["Aurora", "Borealis", "Comet"]
    counted = asked("How many ships are there?", shape="count", classes=classes)
    assert [(v.value, v.kind) for v in counted.values] == [("3", "number")]


def test_things_of_another_class_are_no_answer(scripted: Any) -> None:
    reply = {
        "shape": "list", "target": "?x", "triples": [["?x", "country", "France"]],
        "classes": [{"unknown": "?x", "class": "mountain"}],
    }  # fmt: skip
    engine = ChattyEngine(open_kg(["demo"]), scripted(qir=reply))
    assert not engine.answer("Which mountains are in France?").values  # cities and rivers are


@pytest.mark.parametrize(
    ("question", "qir"),
    [
        (
            "Which country is France in?",
            {"target": "?x", "triples": [["France", "in", "?x"]], "classes": [{"unknown": "?x", "class": "country"}]},
        ),
        (
            "When did John Lennon marry Yoko Ono?",
            {
                "target": "?date",
                "triples": [["John Lennon", "marry", "Yoko Ono"], ["John Lennon", "marry", "?date"]],
            },
        ),
        ("Which film is Blade Runner?", {"target": "?film", "triples": [["Blade Runner", "film", "?film"]]}),
        ("What zoos does Berlin have?", {"target": "?zoo", "triples": [["Berlin", "zoos", "?zoo"]]}),
        ("Who is the length of the Danube?", {"target": "?x", "triples": [["Danube", "length", "?x"]]}),
    ],
)
def test_what_is_of_another_kind_than_asked_for_is_no_answer(scripted: Any, question: str, qir: Any) -> None:
    answer = ChattyEngine(open_kg(["demo"]), scripted(qir={"shape": "list", **qir})).answer(question)
    assert not {"Germany", "Yoko Ono", "Los Angeles", "Berlin", "2850"} & set(names(answer))


def test_of_two_vertices_of_one_name_that_one_which_has_the_relation(asked: Any) -> None:
    assert names(asked("Who commands the Comet?", triples=[["Comet", "captain", "?x"]])) == ["Ann Lee"]
    assert names(asked("Which country is Comet in?", triples=[["Comet", "country", "?x"]])) == ["Norway"]


def test_two_hops(asked: Any) -> None:
    triples = [["Aurora", "home harbor", "?h"], ["?h", "country", "?x"]]
    assert names(asked("In which country is the Aurora's harbor?", triples=triples)) == ["Sweden"]


def test_a_step_that_says_nothing_is_left_out(asked: Any) -> None:
    triples = [["Aurora", "launched", "?launch"], ["?launch", "in", "?x"]]
    assert names(asked("When was the Aurora launched?", shape="date", triples=triples)) == ["1998-05-01"]


@pytest.mark.parametrize(("captain", "truth"), [("Ann Lee", "true"), ("Bob Ray", "false")])
def test_booleans_come_back_as_booleans(asked: Any, captain: str, truth: str) -> None:
    answer = asked("Is ...?", shape="boolean", target="", triples=[["Aurora", "captain", captain]])
    assert [(v.value, v.kind) for v in answer.values] == [(truth, "boolean")]


def test_a_class_can_be_asked_for_as_a_boolean(asked: Any) -> None:
    for name, truth in (("Comet", "true"), ("Aurora", "false")):
        answer = asked(f"Is {name} a tanker?", shape="boolean", target="", triples=[[name, "is a", "tanker"]])
        assert names(answer) == [truth]


def test_a_number_that_is_stated_is_not_counted(asked: Any) -> None:
    stated = asked("How many crew members has the Aurora?", shape="count", triples=[["Aurora", "crew members", "?x"]])
    assert names(stated) == ["14"]
    counted = asked("How many ships has Ann?", shape="count", triples=[["?x", "captain", "Ann Lee"]])
    assert names(counted) == ["2"]


def test_superlatives_keep_ties(asked: Any) -> None:
    order = {"by": "?l", "descending": True, "count": False, "limit": 1, "offset": 0}
    answer = asked("The longest ship?", triples=[["?x", "length", "?l"]], order=order)
    assert names(answer) == ["Borealis", "Comet"]
    assert "MAX" in answer.sparql
    assert [subject for subject, _, _ in answer.witness] == [f"{S}borealis", f"{S}comet"]
    shortest = asked("The shortest?", triples=[["?x", "length", "?l"]], order=order | {"descending": False})
    assert names(shortest) == ["Aurora"]
    assert (answer.notes, shortest.notes) == (("These 2 share the highest value.",), ())


def test_the_first_two_in_order(asked: Any) -> None:
    order = {"by": "?d", "descending": True, "count": False, "limit": 2, "offset": 0}
    answer = asked("The two newest ships?", triples=[["?x", "launch date", "?d"]], order=order)
    assert names(answer) == ["Comet", "Borealis"]


@pytest.mark.parametrize(
    ("relation", "limit", "expected", "notes"),
    [
        ("length", 2, ["Aurora", "Borealis"], ("Others have the same value as the last of these 2.",)),
        ("length", 5, ["Aurora", "Borealis", "Comet"], ("There are only 3.",)),
        ("launch date", 2, ["Aurora", "Borealis"], ()),
        ("color", 2, [], ()),
    ],
)
def test_a_limit_tells_what_it_cuts(
    asked: Any, relation: str, limit: int, expected: list[str], notes: tuple[str, ...]
) -> None:
    order = {"by": "?v", "descending": False, "count": False, "limit": limit, "offset": 0}
    answer = asked("The first ships?", triples=[["?x", relation, "?v"]], order=order)
    assert names(answer) == expected
    assert answer.notes == notes if expected else answer.reason


def test_the_most_of_several_keep_their_order(asked: Any) -> None:
    order = {"by": "?s", "descending": False, "count": True, "limit": 2, "offset": 0}
    assert names(asked("Who commands fewest ships?", triples=[["?s", "captain", "?x"]], order=order)) == [
        "Bob Ray", "Ann Lee",
    ]  # fmt: skip
    order |= {"limit": 1, "by": "?h", "descending": True}
    ports = asked("Which harbor has most ships?", triples=[["?h", "home harbor", "?x"]], order=order)
    assert (names(ports), ports.notes) == (["Lund Port"], ())


def test_who_has_the_most(asked: Any) -> None:
    order = {"by": "?s", "descending": True, "count": True, "limit": 1, "offset": 0}
    assert names(asked("Who commands most ships?", triples=[["?s", "captain", "?x"]], order=order)) == ["Ann Lee"]


@pytest.mark.parametrize(
    ("operator", "value", "expected"),
    [
        (">", "2010", ["Comet"]),
        (">=", "2010", ["Borealis", "Comet"]),
        ("=", "1998", ["Aurora"]),
        ("<", "2010-03-02", ["Aurora"]),
    ],
)
def test_dates_compare_with_years_and_dates(asked: Any, operator: str, value: str, expected: list[str]) -> None:
    filters = [{"unknown": "?d", "operator": operator, "value": value}]
    assert names(asked("Ships launched ...", triples=[["?x", "launched", "?d"]], filters=filters)) == expected


def test_a_year_at_an_end_is_a_condition(asked: Any) -> None:
    assert names(asked("Ships launched in 2010", triples=[["?x", "launched", "2010"]])) == ["Borealis"]


def test_a_text_at_an_end_is_matched_by_value(asked: Any) -> None:
    classes = [{"unknown": "?x", "class": "ship"}]
    assert names(asked("Which ships are RED?", triples=[["?x", "color", "RED"]], classes=classes)) == [
        "Aurora",
        "Comet",
    ]


def test_what_must_not_be(asked: Any) -> None:
    said = {
        "classes": [{"unknown": "?x", "class": "harbor"}, {"unknown": "?s", "class": "ship"}],
        "negated": [["?s", "home harbor", "?x"]],
    }
    assert names(asked("Which harbors are home of no ship?", **said)) == ["Comet", 'Empty "Bay"']


def test_having_and_its_count(asked: Any) -> None:
    said = {
        "triples": [["?s", "captain", "?x"]],
        "having": [{"group": "?x", "counted": "?s", "operator": ">", "value": "1"}],
    }
    assert names(asked("Who commands more than one ship?", **said)) == ["Ann Lee"]
    assert names(asked("How many people command more than one ship?", shape="count", **said)) == ["1"]


def test_aggregates_count_each_thing_once(asked: Any) -> None:
    answer = asked("Average length?", shape="number", triples=[["?s", "length", "?x"]], aggregate="avg")
    assert [round(float(v.value), 3) for v in answer.values] == [240.167]


def test_listed_values_bound_an_unknown(asked: Any) -> None:
    values = [{"unknown": "?x", "mentions": ["Aurora", "Borealis"]}]
    answer = asked("Which of Aurora and Borealis has Bob?", triples=[["?x", "captain", "Bob Ray"]], values=values)
    assert names(answer) == ["Borealis"]


def test_a_table_has_rows(asked: Any) -> None:
    answer = asked(
        "Ships and captains", shape="table", targets=["?x", "?c"], triples=[["?x", "captain", "?c"]],
    )  # fmt: skip
    assert [[v.label for v in row] for row in answer.rows] == [
        ["Aurora", "Ann Lee"],
        ["Borealis", "Bob Ray"],
        ["Comet", "Ann Lee"],
    ]


def test_a_number_within_a_value_node(asked: Any) -> None:
    order = {"by": "?p", "descending": True, "count": False, "limit": 1, "offset": 0}
    assert names(asked("The most expensive ship?", triples=[["?x", "price", "?p"]], order=order)) == ["Borealis"]


def test_a_place_within_a_place(asked: Any) -> None:
    assert names(asked("Who was born in Germany?", triples=[["?x", "born in", "Germany"]])) == ["Ann Lee"]


def test_quotes_in_labels_are_escaped(asked: Any) -> None:
    assert names(asked("Where is Empty Bay?", triples=[['Empty "Bay"', "country", "?x"]])) == ["Germany"]


def test_no_answer_is_said(asked: Any) -> None:
    nobody = asked("Who commands the Zeppelin?", triples=[["Zeppelin", "captain", "?x"]])
    assert nobody.values == ()
    assert nobody.reason == Reason("unknown-name", 'I do not know, because this graph does not know "Zeppelin".')
    nothing = asked("Who painted the Aurora?", triples=[["Aurora", "zodiac sign", "?x"]])
    assert nothing.values == ()
    assert nothing.reason.text.startswith("I do not know, because ")


def test_under_the_threshold_nothing_is_said(asked: Any) -> None:
    answer = asked("Who?", Settings(threshold=1.01), triples=[["Aurora", "captain", "?x"]])
    assert (answer.values, answer.reason.code) == ((), "too-unsure")


def test_a_row_limit_is_stated(asked: Any) -> None:
    answer = asked("All ships", Settings(row_limit=2), classes=[{"unknown": "?x", "class": "ship"}])
    assert len(answer.values) == 2
    assert answer.notes == ("Only the first 2 answers are given; there may be more.",)


def test_names_of_unknowns_are_never_sparql(asked: Any) -> None:
    answer = asked("Who?", target="?x} DROP", triples=[["Aurora", "captain", "?x} DROP"]])
    assert "DROP" not in answer.sparql or "?xDROP" in answer.sparql
