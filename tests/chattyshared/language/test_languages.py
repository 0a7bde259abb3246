"""The language in which the rules read a question."""

from __future__ import annotations

import pytest
from chattyshared.language import de
from chattyshared.language.languages import ENGLISH, language_of, language_of_tag, load_language


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


def test_a_tag_leads_to_the_language_that_the_rules_read() -> None:
    assert language_of_tag("de-AT") is load_language("de") and language_of_tag("en") is ENGLISH
    assert language_of_tag("fr") is None and language_of_tag("") is ENGLISH


def test_a_language_has_what_its_folder_lists() -> None:
    german = load_language("de")
    assert ENGLISH.has_words("events") and not german.has_words("events") and german.has_words("relations")
    assert ENGLISH.words("function_words", "auxiliaries") and not german.words("function_words", "auxiliaries")
    assert ENGLISH.words("verbs", "common") and not german.words("verbs", "common")
    assert "nicht" in german.mention_stop_words - german.closed_words and "nicht" not in german.uncovered_words
    assert "one" in ENGLISH.closed_words - ENGLISH.mention_stop_words


def test_a_capital_makes_no_name_of_a_german_noun() -> None:
    german = load_language("de")
    assert not german.is_name_like("Architekt") and german.is_name_like("Marnstedt")
    assert ENGLISH.is_name_like("Architekt")
