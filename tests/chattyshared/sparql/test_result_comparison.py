from __future__ import annotations

from dataclasses import replace

from chattyshared.dialogue import Turn, Value
from chattyshared.sparql.gold_queries import QueryRun
from chattyshared.sparql.result_comparison import compare_answers, gold_values, is_blank, result_digest

XSD = "http://www.w3.org/2001/XMLSchema#"


def column(*values: Value) -> QueryRun:
    return QueryRun(tuple((value,) for value in values), ("x",))


def test_the_digest_of_a_result_is_that_of_its_set_of_values() -> None:
    one = column(
        Value("https://e.example/A", "iri", label="A"), Value("1.50", "number", XSD + "decimal"),
        Value("true", "boolean", XSD + "boolean"), Value("2020-01-02", "literal", XSD + "date"), Value("b0", "iri"),
        Value("Text", "literal", lang="en"),
    )  # fmt: skip
    other = column(
        Value("Text", "literal", lang="EN"), Value("nodeID://b10001", "iri"), Value("1", "boolean", XSD + "boolean"),
        Value("2020-01-02T00:00:00Z", "literal", XSD + "dateTime"), Value("1.5e0", "number", XSD + "double"),
        Value("https://e.example/A", "iri"),
    )  # fmt: skip
    assert result_digest(one) == result_digest(other)


def test_other_values_have_another_digest() -> None:
    values = [
        Value("a", "literal"), Value("A", "literal"), Value("a", "literal", lang="en"), Value("1", "literal"),
        Value("1", "number", XSD + "integer"), Value("https://e.example/a", "iri"), Value("b0", "iri"),
    ]  # fmt: skip
    runs = [QueryRun(), *map(column, values), column(Value("b0", "iri"), Value("b1", "iri"))]
    assert len({result_digest(run) for run in runs}) == len(runs)
    assert [is_blank(value) for value in values] == [False] * 6 + [True]


def test_answers_are_the_same_in_any_order_and_numbers_by_value() -> None:
    iri, number = Value("https://e.example/A", "iri", label="A"), Value("1.50", "number", XSD + "decimal")
    assert compare_answers([iri, number], [Value("1.5", "number"), Value(iri.value, "iri")]) == ((), ())
    assert compare_answers([iri], [number]) == ((iri,), (number,))
    assert compare_answers([iri], [Value(iri.value, "iri", label="B")], key=lambda value: value.text)[0] == (iri,)


def test_a_no_about_something_unknown_is_no_answer_and_a_literal_stays_one() -> None:
    no = Value("false", "boolean", XSD + "boolean")
    asked = Turn(1, "Is it?", "Is it?", "boolean", "opens", "boolean", False, "easy", "ASK { ?s ?p 1 }", ())
    assert gold_values(asked, column(no)) == ()
    assert gold_values(replace(asked, answerable=True), column(no)) == (no,)
    (value,) = gold_values(replace(asked, sparql="SELECT ?x { ?s ?p ?x }", form="literal"), column(no))
    assert value.kind == "literal"
