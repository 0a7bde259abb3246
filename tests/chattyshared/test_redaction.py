"""Secrets are taken out of texts in whatever usual spelling."""

import json
from html import escape
from urllib.parse import quote, quote_plus

import pytest
from chattyshared.redaction import basic_credentials, make_redactor
from hypothesis import given
from hypothesis import strategies as st

ENCODERS = {
    "plain": str,
    "quote": lambda text: quote(text, safe=""),
    "quote_plus": quote_plus,
    "json": lambda text: json.dumps(text)[1:-1],
    "html": escape,
}


@given(st.text(min_size=4), st.sampled_from(list(ENCODERS)), st.sampled_from(list(ENCODERS)))
def test_a_secret_encoded_once_or_twice_is_gone(secret, first, second):
    sound = secret.encode("utf-8", "replace").decode()
    assert make_redactor([secret])(f"<{ENCODERS[second](ENCODERS[first](sound))}>") == "<***>"


@pytest.mark.parametrize(
    ("secrets", "text", "shown"),
    [
        (["abc"], "abc", "abc"),
        (["word", "sword/1"], "sword/1, sword%2f1 and word", "***, *** and ***"),
        ([], "word", "word"),
        (["sesame"], "c2VzYW1l", "***"),
        (["a b+c"], "a+b%2Bc a%20b%2bc", "*** ***"),
    ],
)
def test_what_is_taken_out(secrets, text, shown):
    assert make_redactor(secrets)(text) == shown


def test_basic_credentials_are_those_of_the_standard():
    assert basic_credentials("Aladdin", "open sesame") == "QWxhZGRpbjpvcGVuIHNlc2FtZQ=="
