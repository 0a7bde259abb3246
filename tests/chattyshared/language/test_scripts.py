"""Scripts without spaces, and scripts whose words have particles attached."""

from __future__ import annotations

import pytest
from chattyshared.language.scripts import (
    MAX_SPANS,
    contains_name,
    replace_name,
    spans_within_words,
    strip_accents,
)
from chattyshared.language.tokenizer import tokenize


def names_in(text: str) -> set[str]:
    return {text[start:end] for start, end in spans_within_words(text)}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("盗梦空间的导演是谁", "导演"),
        ("Inceptionの監督は誰ですか", "Inception"),
        ("ใครเป็นผู้กำกับหนัง", "ผู้กำกับ"),
        ("តើភ្នំពេញនៅឯណា", "ភ្នំពេញ"),
        ("크리스토퍼 놀란의 영화", "크리스토퍼 놀란"),
        ("שהבמאי", "במאי"),
    ],
)
def test_a_name_may_stand_within_a_word(text: str, name: str) -> None:
    assert name in names_in(text)


def test_a_name_begins_and_ends_where_its_script_allows_it() -> None:
    assert {"ปลา", "การ"} <= names_in("ปลาการ") and "ลา" in names_in("ปลา")
    assert "ปล" not in names_in("ปลาดี")  # the vowel behind a consonant belongs to it
    assert "산역" not in names_in("부산역은")  # letters follow a Korean name, none precede it
    assert names_in("Who is the director of Inception?") == names_in("Кто режиссёр фильма?") == set()
    assert not any("」" in name or "。" in name for name in names_in("「盗梦」。空间"))


def test_the_spans_are_bounded_and_the_shortest_come_first() -> None:
    spans = spans_within_words("盗梦空间导演" * 400)
    assert len(spans) == MAX_SPANS
    assert [end - start for start, end in spans] == sorted(end - start for start, end in spans)


def test_accents_are_dropped_and_signs_that_distinguish_letters_stay() -> None:
    assert strip_accents("Crème Ångström") == "creme angstrom"
    assert strip_accents("أحمد") == "احمد"
    for one, other in (("パリ", "バリ"), ("ใกล้", "ใกล"), ("कर्म", "करम")):
        assert strip_accents(one) != strip_accents(other)
    assert strip_accents("한국") == "한국"


def test_vowel_signs_are_parts_of_words() -> None:
    assert [token.text for token in tokenize("निर्देशक कौन है?")] == ["निर्देशक", "कौन", "है", "?"]


def test_names_are_whole_words() -> None:
    assert contains_name("Who is C++?", "C++") and not contains_name("Rings", "Ring")
    assert contains_name("the AURORA", "Aurora") and not contains_name("the AURORA", "Aurora", ignores_case=False)
    assert not contains_name("text", "")
    assert replace_name("Ring and Rings", "Ring", r"\1") == r"\1 and Rings"
