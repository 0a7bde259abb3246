"""The language in which the rules read a question."""

from __future__ import annotations

import pytest
from chattyshared.language import de
from chattyshared.language.languages import ENGLISH, language_of, load_language


@pytest.mark.parametrize(
    ("question", "tag"),
    [
        ("Hauptstadt von Polen?", "de"), ("Und in Marnstedt?", "de"), ("Was war das?", "de"), ("und wohin", "de"),
        ("Who was in Warsaw?", "en"), ("films by Lars von Trier", "en"), ("Oslo?", "en"), ("", "en"),
        ('Which film is called "Die Welt der Amelie"?', "en"), ("The Lord of the Rings", "en"),
    ],
)  # fmt: skip
def test_function_words_tell_the_language(question: str, tag: str) -> None:
    assert language_of(question).tag == tag


def test_no_dictionary_is_asked_where_english_words_prevail(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(de, "is_word", lambda word: bool(asked.append(word)))
    assert language_of("Which of the films did Thea von Harbou write?") is ENGLISH and not asked
    assert language_of("Filme Thea von Trotta").tag == "en" and asked


def test_a_language_that_no_rules_read_is_read_as_english() -> None:
    assert load_language("fr") is ENGLISH


def test_a_capital_makes_no_name_of_a_german_noun() -> None:
    german = load_language("de")
    assert not german.is_name_like("Architekt") and german.is_name_like("Marnstedt")
    assert ENGLISH.is_name_like("Architekt")
