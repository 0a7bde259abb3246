"""The word lists of ``chattydata/english``: what each file holds, no word twice, and how the loader reads them."""

from __future__ import annotations

from importlib.resources import files

import pytest
from chattyshared.language.lexicon import alternation, load_lexicon, word_list, word_lists, word_map, word_set

FILES = [path.name for path in files("chattydata").joinpath("english").iterdir()]
NAMES = sorted(name.removesuffix(".toml") for name in FILES if name.endswith(".toml"))


@pytest.mark.parametrize("name", NAMES)
def test_each_file_says_what_it_holds(name: str) -> None:
    text = files("chattydata").joinpath("english", f"{name}.toml").read_text(encoding="utf-8")
    assert text.startswith("# ")


@pytest.mark.parametrize("name", NAMES)
def test_no_list_holds_a_word_twice(name: str) -> None:
    lists = {key: value for key, value in load_lexicon(name).items() if isinstance(value, list)}
    assert {key for key, words in lists.items() if len({str(word) for word in words}) < len(words)} == set()


def test_the_parts_of_one_list_of_verbs_or_prepositions_have_no_word_in_common() -> None:
    for name, keys in (
        ("verbs", ("common", "questions_only", "labels_only")),
        ("prepositions", ("core", "relations_only", "labels_only")),
    ):
        assert len(word_set(name, *keys)) == sum(len(word_list(name, key)) for key in keys)


def test_the_loader_reads_lists_and_tables() -> None:
    assert word_list("dates", "months")[:2] == ("January", "February")
    assert word_map("demonyms", "countries")["british"] == "United Kingdom"
    assert word_lists("verbs", "irregular")["write"] == ("wrote", "written")
    with pytest.raises(KeyError):
        word_set("verbs", "no such list")


def test_an_alternation_matches_the_longest_word_first() -> None:
    assert alternation(["it", "a.b", "its", "it is"]) == r"it\ is|a\.b|its|it"
