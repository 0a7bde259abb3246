"""WordNet, reduced: what its fields give for common words, the form of the file, and the time of a look-up."""

from __future__ import annotations

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files

import pytest
from chattyshared.language.wordnet import (
    PartOfSpeech,
    VerbFrame,
    WordForm,
    antonyms,
    demonym_of,
    hypernyms,
    irregular_bases,
    measured_by,
    measuring_adjectives,
    near_words,
    noun_kinds,
    places_by_demonym,
    related_forms,
    similar_adjectives,
    synonyms,
    verb_frames,
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


@pytest.mark.parametrize(
    ("word", "part", "synonym"),
    [
        ("film", "noun", "movie"),
        ("author", "noun", "writer"),
        ("country", "noun", "nation"),
        ("buy", "verb", "purchase"),
        ("large", "adjective", "big"),
    ],
)
def test_synonyms(word: str, part: PartOfSpeech, synonym: str) -> None:
    assert synonym in synonyms(word, part)


def test_synonyms_of_the_commonest_sense_are_first() -> None:
    assert synonyms("car", "noun")[0] == "automobile"
    assert synonyms("film", "noun").index("movie") < synonyms("film", "noun").index("cinema")


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
    ("word", "related", "part"),
    [
        ("die", "death", "noun"),
        ("compose", "composition", "noun"),
        ("produce", "production", "noun"),
        ("locate", "location", "noun"),
        ("located", "locate", "verb"),
        ("music", "musician", "noun"),
        ("marry", "marriage", "noun"),
        ("employ", "employer", "noun"),
    ],
)
def test_related_forms(word: str, related: str, part: PartOfSpeech) -> None:
    assert (related, part) in {(form.word, form.part_of_speech) for form in related_forms(word)}


def test_related_forms_tell_persons_and_keep_to_one_part_of_speech() -> None:
    assert WordForm("director", "noun", is_person=True) in related_forms("direct", "verb")
    assert WordForm("director", "noun", is_person=True) not in related_forms("direct", "adjective")


def test_hypernyms_come_level_by_level() -> None:
    assert hypernyms("composer", 1) == ("musician",)
    assert hypernyms("composer", 2) == ("musician", "artist")
    assert hypernyms("composer", 9)[:4] == ("musician", "artist", "creator", "person")
    assert "kill" in hypernyms("assassinate", 1, part_of_speech="verb")


def test_each_hypernym_is_a_sense_of_the_file() -> None:
    """The walk to the top would fail with an ``IndexError`` at a reference that leads nowhere."""
    parts: tuple[tuple[PartOfSpeech, str], ...] = (("noun", "n"), ("verb", "v"))
    for part, code in parts:
        words = [word for word, each, *_ in ENTRIES if each == code]
        assert sum(bool(hypernyms(word, 2, part_of_speech=part)) for word in words) > len(words) / 2


def test_kinds_of_nouns() -> None:
    assert noun_kinds("composer") == ("person",)
    assert noun_kinds("team")[0] == "group" and noun_kinds("month")[0] == "time"


@pytest.mark.parametrize(
    ("form", "base", "part"),
    [("went", "go", "verb"), ("children", "child", "noun"), ("better", "good", "adjective"), ("left", "leave", "verb")],
)
def test_irregular_bases(form: str, base: str, part: PartOfSpeech) -> None:
    assert WordForm(base, part) in irregular_bases(form)
    assert irregular_bases(form, "adverb") == () or form == "better"
    assert irregular_bases(base) == ()


def test_verb_frames() -> None:
    assert VerbFrame("person", ("thing",), "") in verb_frames("compose")
    assert VerbFrame("person", (), "that") in verb_frames("believe")
    assert VerbFrame("it", (), "") in verb_frames("rain")
    assert not any(
        frame.objects for frame in verb_frames("sleep") if frame.subject == "person" and not frame.complement
    )


def test_measures_of_adjectives() -> None:
    for adjective, noun in (("tall", "height"), ("heavy", "weight"), ("expensive", "price"), ("long", "length")):
        assert measured_by(adjective)[0] == noun
    assert measured_by("huge") == measured_by("large")
    assert {"tall", "short"} <= set(measuring_adjectives("height"))


def test_relations_of_adjectives() -> None:
    assert antonyms("tall", "adjective") == ("short",)
    assert antonyms("husband", "noun") == ("wife",)
    assert "costly" in similar_adjectives("expensive")


@pytest.mark.parametrize("demonym", ["Danish", "danish", "Dane"])
def test_demonyms(demonym: str) -> None:
    assert demonym_of(demonym)[0] == "Denmark"


def test_unknown_words_and_languages_have_empty_results() -> None:
    assert synonyms("qwertz", "noun") == () == hypernyms("qwertz") == verb_frames("qwertz") == related_forms("")
    assert synonyms("film", "noun", language="german") == () == hypernyms("film", language="german")


def test_the_file_is_small_sorted_and_free_of_archaic_words() -> None:
    data = FOLDER.joinpath("wordnet.txt").read_bytes()
    keys = [f"{word}\t{part}".encode() for word, part, *_ in ENTRIES]
    assert len(data) <= MAX_BYTES
    assert keys == sorted(set(keys))
    assert synonyms("yore", "noun") == () and synonyms("thee", "noun") == ()


def test_the_licence_notice_goes_along() -> None:
    assert LINES[0].startswith("# WordNet 3.0") and "wordnet_license.txt" in LINES[0]
    notice = FOLDER.joinpath("wordnet_license.txt").read_text(encoding="utf-8")
    assert "Copyright 2006 by Princeton University" in notice and "without fee or\nroyalty" in notice


def test_the_first_look_up_is_quick() -> None:
    script = (
        "import time, chattydata; from chattyshared.language.wordnet import synonyms; start = time.process_time(); "
        "synonyms('film', 'noun'); print(time.process_time() - start)"
    )
    command = [sys.executable, "-c", script]
    done = [subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(3)]
    assert min(map(float, done)) < MAX_FIRST_SECONDS * SLACK


def test_later_look_ups_are_quick_and_threads_agree() -> None:
    nouns = NOUNS[::20]
    expected = [(synonyms(noun, "noun"), hypernyms(noun)) for noun in nouns]
    start = time.process_time()
    for noun in nouns:
        synonyms(noun, "noun")
    assert (time.process_time() - start) / len(nouns) < MAX_SECONDS * SLACK
    with ThreadPoolExecutor(4) as threads:
        results = list(threads.map(lambda noun: (synonyms(noun, "noun"), hypernyms(noun)), nouns))
    assert results == expected


def test_hypernyms_of_the_commonest_sense_leave_out_the_rarer_ones() -> None:
    assert "soldier" in hypernyms("tanker", 1)
    assert hypernyms("tanker", 1, senses=1) == ("cargo ship",)
