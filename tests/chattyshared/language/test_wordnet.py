"""WordNet, reduced: what its fields give for common words, the form of the file, and the time of a look-up."""

from __future__ import annotations

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files

import pytest
from chattyshared.language.wordnet import (
    has_sense,
    hypernyms,
    is_adjective,
    is_verb,
    measured_by,
    near_words,
    noun_kinds,
    noun_synonyms,
    places_by_demonym,
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


@pytest.mark.parametrize(("noun", "synonym"), [("film", "movie"), ("author", "writer"), ("country", "nation")])
def test_synonyms_of_nouns(noun: str, synonym: str) -> None:
    assert synonym in noun_synonyms(noun)


def test_synonyms_of_the_commonest_sense_are_first() -> None:
    assert noun_synonyms("car")[0] == "automobile"
    assert noun_synonyms("film").index("movie") < noun_synonyms("film").index("cinema")


@pytest.mark.parametrize(
    ("word", "near"), [("film", "movie"), ("price", "cost"), ("fix", "repair"), ("medication", "medicine")]
)
def test_near_words_share_the_commonest_sense(word: str, near: str) -> None:
    assert near in near_words(word)


@pytest.mark.parametrize(
    ("word", "far"),
    [("direct", "address"), ("cast", "mold"), ("body", "torso"), ("record", "enter"), ("next", "following")],
)
def test_words_of_a_rare_sense_are_not_near(word: str, far: str) -> None:
    assert far not in near_words(word)


def test_adjectives_of_origin_name_their_place() -> None:
    places = places_by_demonym()
    assert (places["danish"], places["bavarian"]) == ("Denmark", "Bavaria")
    assert "pacific" not in places  # it means peaceful as well


@pytest.mark.parametrize(
    ("word", "related"),
    [
        ("die", "death"),
        ("compose", "composition"),
        ("produce", "production"),
        ("locate", "location"),
        ("located", "locate"),
        ("music", "musician"),
        ("marry", "marriage"),
        ("employ", "employer"),
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


def test_kinds_of_nouns() -> None:
    assert noun_kinds("composer") == ("person",)
    assert noun_kinds("team")[0] == "group" and noun_kinds("month")[0] == "time"


def test_verbs() -> None:
    assert is_verb("compose") and is_verb("rain") and not is_verb("composer")


def test_measures_of_adjectives() -> None:
    for adjective, noun in (("tall", "height"), ("heavy", "weight"), ("expensive", "price"), ("long", "length")):
        assert measured_by(adjective)[0] == noun
    assert measured_by("huge") == measured_by("large")


def test_adjectives() -> None:
    assert is_adjective("tall") and is_adjective("expensive") and not is_adjective("height")


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


def test_the_first_look_up_is_quick() -> None:
    script = (
        "import time, chattydata; from chattyshared.language.wordnet import noun_synonyms; "
        "start = time.process_time(); noun_synonyms('film'); print(time.process_time() - start)"
    )
    command = [sys.executable, "-c", script]
    done = [subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(3)]
    assert min(map(float, done)) < MAX_FIRST_SECONDS * SLACK


def test_later_look_ups_are_quick_and_threads_agree() -> None:
    nouns = NOUNS[::20]
    expected = [(noun_synonyms(noun), hypernyms(noun)) for noun in nouns]
    start = time.process_time()
    for noun in nouns:
        noun_synonyms(noun)
    assert (time.process_time() - start) / len(nouns) < MAX_SECONDS * SLACK
    with ThreadPoolExecutor(4) as threads:
        results = list(threads.map(lambda noun: (noun_synonyms(noun), hypernyms(noun)), nouns))
    assert results == expected


def test_hypernyms_of_the_commonest_sense_leave_out_the_rarer_ones() -> None:
    assert "soldier" in hypernyms("tanker", 1)
    assert hypernyms("tanker", 1, senses=1) == ("cargo ship",)
