from __future__ import annotations

from chattyshared.check import Problem, make_schema_check

SCHEMA = {
    "type": "object", "required": ["a", "b"],
    "properties": {"a": {"type": "array", "items": {"type": "string"}}, "b": {"enum": [1]}},
}  # fmt: skip


def test_what_keeps_the_schema_has_no_problem():
    assert list(make_schema_check(SCHEMA)({"a": ["x"], "b": 1})) == []


def test_each_problem_names_the_path_in_order():
    assert list(make_schema_check(SCHEMA)({"b": 2, "a": ["x", 3]})) == [
        Problem("schema", "$.a[1]: 3 is not of type 'string'"),
        Problem("schema", "$.b: 2 is not one of [1]"),
    ]


def test_a_long_message_loses_its_middle_and_keeps_its_end():
    (problem,) = make_schema_check({"type": "string"})(["x" * 5000])
    assert len(problem.sentence) < 310
    assert problem.sentence.startswith("$: ['xxx")
    assert problem.sentence.endswith("xxx'] is not of type 'string'")


def test_a_problem_reads_as_rule_and_sentence():
    assert str(Problem("even", "Say an even number.")) == "even: Say an even number."
