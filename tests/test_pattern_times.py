"""No regular expression of the product takes long for any text, nor does a function that makes one for a name."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
from chattyshared.language.abbreviations import abbreviates_phrase
from chattyshared.language.scripts import contains_name, replace_name

from chattygen.dialogue_language import DialogueLanguage
from chattykg.conversation.language_id import content_words

LENGTH = 20_000


@pytest.mark.slow
def test_no_pattern_is_slow():
    """In a process of its own: a cubic pattern would hold this one."""
    command = [sys.executable, str(Path(__file__).with_name("pattern_times.py"))]
    assert subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=300, check=True).stdout == ""


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (abbreviates_phrase, ("a" * 99 + "b", ["a" * LENGTH])),
        (abbreviates_phrase, ("a" * 30 + "b", ["aaaa"] * 30)),
        (abbreviates_phrase, ("a" * LENGTH, ["aaaa"] * LENGTH)),
        (contains_name, ("a " * LENGTH, "a " * 99 + "b")),
        (contains_name, (" " * LENGTH, " " * 99)),
        (replace_name, ("a " * LENGTH, "a " * 99 + "b", "c")),
        (DialogueLanguage("de").contains_name, ("a" * LENGTH, "a")),
        (content_words, ("和" * LENGTH + "x", "zh", ())),
        (content_words, ("のは" * LENGTH + "x", "ja", ())),
    ],
)
def test_what_makes_patterns_of_names_is_fast(function, arguments):
    begun = time.process_time()
    function(*arguments)
    assert time.process_time() - begun < 0.5
