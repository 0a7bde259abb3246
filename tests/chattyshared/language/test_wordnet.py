"""WordNet, reduced: what its fields give for common words, the form of the file, and the time of a look-up."""

from __future__ import annotations

from importlib.resources import files

import pytest
from chattyshared.language.wordnet import (
    has_sense,
    hypernyms,
    is_verb,
    measured_by,
    near_words,
    noun_synonyms,
    related_forms,
)

FOLDER = files("chattydata").joinpath("english")
LINES = FOLDER.joinpath("wordnet.txt").read_text(encoding="utf-8").splitlines()
ENTRIES = [line.split("\t") for line in LINES if not line.startswith("#")]
NOUNS = [word for word, part, *_ in ENTRIES if part == "n"]
MAX_BYTES = 3_000_000
MAX_FIRST_SECONDS, MAX_SECONDS = 0.015, 20e-6
"""Bounds of the first look-up and of the mean of cached ones, on an idle machine."""
SLACK = 10
"""How many times as long a look-up may take on a busy machine."""


def test_synonyms_of_the_commonest_sense_are_first() -> None:
    assert noun_synonyms("car")[0] == "automobile"
    assert noun_synonyms("film").index("movie") < noun_synonyms("film").index("cinema")


@pytest.mark.parametrize(
    ("word", "far"),
    [("direct", "address"), ("cast", "mold"), ("body", "torso"), ("record", "enter"), ("next", "following")],
)
def test_words_of_a_rare_sense_are_not_near(word: str, far: str) -> None:
    assert far not in near_words(word)


@pytest.mark.parametrize(
    ("word", "related"),
    [
        ("die", "death"),
        ("located", "locate"),
        ("direct", "director"),
    ],
)
def test_related_forms(word: str, related: str) -> None:
    assert related in related_forms(word)


def test_hypernyms_come_level_by_level() -> None:
    assert hypernyms("composer", 1) == ("musician",)
    assert hypernyms("composer", 2) == ("musician", "artist")
    assert hypernyms("composer", 9)[:4] == ("musician", "artist", "creator", "person")


def test_each_hypernym_is_a_sense_of_the_file() -> None:
    """The walk to the top would fail with an ``IndexError`` at a reference that leads nowhere."""
    assert sum(bool(hypernyms(noun, 2)) for noun in NOUNS) > len(NOUNS) / 2


def test_measures_of_adjectives() -> None:
    for adjective, noun in (("tall", "height"), ("heavy", "weight"), ("expensive", "price"), ("long", "length")):
        assert measured_by(adjective)[0] == noun
    assert measured_by("huge") == measured_by("large")


def test_unknown_words_have_empty_results() -> None:
    assert noun_synonyms("qwertz") == () == hypernyms("qwertz") == related_forms("")
    assert not has_sense("qwertz") and not is_verb("qwertz")


def test_the_file_is_small_sorted_and_free_of_archaic_words() -> None:
    data = FOLDER.joinpath("wordnet.txt").read_bytes()
    keys = [f"{word}\t{part}".encode() for word, part, *_ in ENTRIES]
    assert len(data) <= MAX_BYTES
    assert keys == sorted(set(keys))
    assert noun_synonyms("yore") == () and noun_synonyms("thee") == ()


def test_the_licence_notice_goes_along() -> None:
    assert LINES[0].startswith("# WordNet 3.0") and "wordnet_license.txt" in LINES[0]
    notice = FOLDER.joinpath("wordnet_license.txt").read_text(encoding="utf-8")
    assert "Copyright 2006 by Princeton University" in notice and "without fee or\nroyalty" in notice


def test_hypernyms_of_the_commonest_sense_leave_out_the_rarer_ones() -> None:
    assert "soldier" in hypernyms("tanker", 1)
    assert hypernyms("tanker", 1, senses=1) == ("cargo ship",)
