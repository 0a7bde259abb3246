"""The replies of the service have a bound."""

import json

from chattyshared.dialogue import Answer, Value

from chattykg.engine import EngineResult
from chattykg.service.turns import LONGEST_REPLY, LONGEST_TEXT, ServedTurn, bound_texts, to_reply


def test_a_long_text_is_cut_and_says_its_length():
    values = (Value("x" * 3_000_000, "literal"), Value("short", "literal"))
    reply = to_reply(ServedTurn("Which texts?", EngineResult(Answer(values, text="x" * 3_000_000))).to_json(), 1)
    assert reply["values"][0]["value"].startswith("x" * LONGEST_TEXT + "… (cut; 3,000,000 characters in all")
    assert reply["values"][1]["value"] == "short" and len(json.dumps(reply)) < 6 * LONGEST_TEXT


def test_many_long_texts_are_cut_shorter_once_the_reply_is_full():
    bounded = bound_texts({"texts": ["y" * 15_000] * 1_000, "names": ("a name",), "count": 3})
    assert bounded["names"] == ["a name"] and bounded["count"] == 3
    assert len(json.dumps(bounded)) < 2 * LONGEST_REPLY
