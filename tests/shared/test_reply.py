from __future__ import annotations

import json

import pytest
from chattyshared.reply import json_values, parse_json
from hypothesis import given
from hypothesis import strategies as st

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda part: st.lists(part, max_size=4) | st.dictionaries(st.text(), part, max_size=4),
    max_leaves=12,
)
HOLDERS = st.lists(JSON, max_size=4) | st.dictionaries(st.text(), JSON, max_size=4)
PROSE = st.text(st.characters(exclude_characters="{}[]`<>"), max_size=40)


@given(JSON)
def test_bare_json_comes_back(value):
    assert parse_json(f"\n {json.dumps(value)} \n") == value


@given(HOLDERS, PROSE, PROSE)
def test_json_with_prose_around_comes_back(value, before, after):
    assert parse_json(f"Sure: {before} {json.dumps(value)} {after}.") == value


@given(HOLDERS, PROSE)
def test_json_after_thoughts_comes_back(value, thought):
    assert parse_json(f"<think>{thought} {{}} [7]</think>\n{json.dumps(value)}") == value


@pytest.mark.parametrize(
    "fence", ["```json\n{}\n```", "```\n{}```", "Here:\n```JSON\n{}\n```\nDone [1].", "```json {} ```"]
)
def test_fenced_json(fence):
    assert parse_json(fence.replace("{}", '{"a": "b"}')) == {"a": "b"}


def test_a_fence_that_never_ends():
    assert parse_json('```json\n{"a": 1}\n') == {"a": 1}


def test_brackets_in_prose_do_not_hide_the_object():
    assert parse_json('As source [1] says {sic}: {"a": [1, 2]}') == {"a": [1, 2]}


def test_values_within_prose_come_longest_first():
    assert json_values('{"a": 1} or {"b": [1, 2]} or [3]') == [{"b": [1, 2]}, {"a": 1}, [3]]


def test_control_characters_in_strings_pass():
    assert parse_json('{"a": "b\x01\n\tc"}') == {"a": "b\x01\n\tc"}


@pytest.mark.parametrize("text", ['"\\ud800"', '"\ud800"', '{"\\ud800": ["\\udc00"]}'])
def test_what_is_read_can_be_written(text):
    written = json.dumps(parse_json(text), ensure_ascii=False).encode()
    assert json.loads(written) == parse_json(text)


def test_a_whole_surrogate_pair_stays():
    assert parse_json('"\\ud83d\\ude00"') == "😀"


@pytest.mark.parametrize(
    "text", ["", "no", "{", '{"a": ', "[" * 100_000, "NaN", '{"a": NaN}', '{"a": 1e999}', "```json\n```"]
)
def test_no_json(text):
    with pytest.raises(ValueError, match="^there is no JSON value in it$"):
        parse_json(text)


@given(st.text())
def test_any_text_is_survived(text):
    for value in json_values(text):
        json.dumps(value, allow_nan=False)
