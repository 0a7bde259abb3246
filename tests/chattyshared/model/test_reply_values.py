from __future__ import annotations

import json
import time

import pytest
from chattyshared.jsonlines import parse_untrusted_json
from chattyshared.model.reply_values import after_thoughts, find_json_values, repair_json_value
from hypothesis import given
from hypothesis import strategies as st

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda part: st.lists(part, max_size=4) | st.dictionaries(st.text(), part, max_size=4),
    max_leaves=12,
)
HOLDERS = st.lists(JSON, max_size=4) | st.dictionaries(st.text(), JSON, max_size=4)
PROSE = st.text(st.characters(exclude_characters="{}[]`<>"), max_size=40)


def first_json_value(text: str) -> object:
    return find_json_values(text)[0]


@given(JSON)
def test_bare_json_comes_back(value):
    assert first_json_value(f"\n {json.dumps(value)} \n") == value


@given(HOLDERS, PROSE, PROSE)
def test_json_with_prose_around_comes_back(value, before, after):
    assert first_json_value(f"Sure: {before} {json.dumps(value)} {after}.") == value


@given(HOLDERS, PROSE)
def test_json_after_thoughts_comes_back(value, thought):
    assert first_json_value(f"<think>{thought} {{}} [7]</think>\n{json.dumps(value)}") == value


@pytest.mark.parametrize(
    "fence", ["```json\n{}\n```", "```\n{}```", "Here:\n```JSON\n{}\n```\nDone [1].", "```json {} ```"]
)
def test_fenced_json(fence):
    assert first_json_value(fence.replace("{}", '{"a": "b"}')) == {"a": "b"}


def test_values_within_prose_come_longest_first():
    assert find_json_values('{"a": 1} or {"b": [1, 2]} or [3]') == [{"b": [1, 2]}, {"a": 1}, [3]]


def test_control_characters_in_strings_pass():
    assert first_json_value('{"a": "b\x01\n\tc"}') == {"a": "b\x01\n\tc"}


@pytest.mark.parametrize("text", ['"\\ud800"', '"\ud800"', '{"\\ud800": ["\\udc00"]}'])
def test_what_is_read_can_be_written(text):
    written = json.dumps(first_json_value(text), ensure_ascii=False).encode()
    assert json.loads(written) == first_json_value(text)


def test_a_whole_surrogate_pair_stays():
    assert first_json_value('"\\ud83d\\ude00"') == "😀"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        '{"a": ',
        "NaN",
        '{"a": NaN}',
        "```json\n```",
        "1" * 400,
        "[" * 200 + "]" * 200,
        "x " + "[" * 101 + "]" * 101,
    ],
)
def test_no_json(text):
    assert find_json_values(text) == []


@given(st.text())
def test_any_text_is_survived(text):
    values = find_json_values(text)
    assert json.loads(json.dumps(values, allow_nan=False)) == values


def test_what_nests_as_deeply_as_it_may_can_be_walked():
    value = first_json_value("[" * 99 + '"\\ud800"' + "]" * 99)
    assert repr(value) == "[" * 99 + "'?'" + "]" * 99


@pytest.mark.parametrize(
    "text",
    [
        "```" + "a" * 200_000, "```" + " " * 200_000, "```\n" * 50_000, ("[" + "1," * 1000) * 400, "[1," * 100_000,
        '{"a":' * 100_000, '{"' * 200_000,
    ],
    ids=["a fence's name", "blanks", "fences", "lists that do not end", "nested", "objects", "strings"],
)  # fmt: skip
def test_no_text_takes_long(text):
    began = time.process_time()
    find_json_values(text)
    assert time.process_time() - began < 3


def test_only_so_many_fences_and_brackets_are_tried():
    assert find_json_values("```x``` " * 600 + "```{}```") == [{}]
    assert find_json_values("```x``` " * 600 + "```7```") == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"\xff", "utf-8"), ("", "Expecting value"), ("[" * 50_000, "nested too deeply"),
        ("[" * 101 + "]" * 101, "nested too deeply"), ("[" + "{}," * 1_000_000 + "1]", "too many parts"),
        ("1" * 301, "a number of 301 digits is too large"), ("-Infinity", "no JSON number"),
    ],
)  # fmt: skip
def test_json_of_a_stranger_that_is_refused(text, said):
    with pytest.raises(ValueError, match=said):
        parse_untrusted_json(text)


def test_json_of_a_stranger():
    assert parse_untrusted_json(b'\xef\xbb\xbf{"a": ["\\ud83d", 1.5]}') == {"a": ["?", 1.5]}
    assert parse_untrusted_json("9" * 300) < float("inf")
    odd = '{"a": [NaN, -Infinity, 1e999, ' + "1" * 5000 + ", 7, 0.5]}"
    assert parse_untrusted_json(odd, nonfinite_as_null=True) == {"a": [None, None, None, None, 7, 0.5]}


@pytest.mark.parametrize(
    ("text", "final"),
    [
        ("<think>a</think>b", "b"), ("<thinking>a</thinking>b", "b"), ("<thought>a</thought> b", " b"),
        ("[THINK]a[/THINK]b", "b"), ("a</think>b", "b"), ("a</think>b<think>c</think>d", "bd"), ("b<think>a", "b"),
        ("<think>a", ""), ("<think>a <think> b</think>c", "c"), ("<THINK>a</THINK>b", "b"), ("a", "a"), ("", ""),
        ("<think>of </think> as a tag</think>b", "b"), ("1 < 2 <thin>", "1 < 2 <thin>"),
        (
            "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final <|constrain|>json<|message|>b",
            "b",
        ),
        ("<|channel|>analysis<|message|>a", ""),
    ],
)  # fmt: skip
def test_the_final_part_is_what_follows_the_thoughts(text, final):
    assert after_thoughts(text) == final


@pytest.mark.parametrize(
    "text",
    [
        "{'" * 10_000,
        '{"a":' * 3_000,
        "[" * 150 + "{'" * 45,
        "{" + '"x" ' * 4_900,
        "<think>" * 100_000,
        "</think>" * 9_999,
    ],
    ids=["objects", "keys", "nested", "strings", "open", "closed"],
)
def test_no_broken_text_takes_long(text):
    began = time.process_time()
    repair_json_value(text)
    assert time.process_time() - began < 3
