"""The language of a question, told by its words or its letters."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from chattyshared.dialogue import Answer, Exchange
from chattyshared.language.scripts import known_languages

from chattykg.conversation.language_id import (
    detect_conversation_language,
    detect_language,
    language_name,
)

SENTENCES = Path(__file__).parents[3] / "benchmarks/development/languages.txt"


@pytest.mark.parametrize(
    ("question", "tag"),
    [
        ("Wer hat die Schleuse gebaut?", "de"),
        ("Welche Kanäle enden in Wien?", "de"),
        ("Was ist die Länge des Kanals?", "de"),
        ("Quelle est la longueur du canal ?", "fr"),
        ("Combien d'écluses a le canal ?", "fr"),
        ("¿Quién construyó la esclusa?", "es"),
        ("Quem construiu o canal?", "pt"),
        ("Chi ha costruito la chiusa?", "it"),
        ("Hoeveel sluizen heeft het kanaal?", "nl"),
        ("Vilken kanal är längst?", "sv"),
        ("Która śluza jest najstarsza?", "pl"),
        ("Кто построил шлюз?", "ru"),
        ("Хто збудував шлюз?", "uk"),
        ("運河の長さは?", "ja"),
        ("这条运河有多长", "zh"),
        ("كم طول القناة؟", "ar"),
        ("Inceptionの監督は誰ですか", "ja"),
        ("Inception的导演是谁", "zh"),
        ("Inception 감독은?", "ko"),
    ],
)
def test_a_language_shows_itself(question: str, tag: str) -> None:
    assert detect_language(question) == tag


@pytest.mark.parametrize(
    "question",
    [
        "Who wrote La vie des eaux et la mer?",
        "Was the lock built in Wien?",
        "Which canals end in Den Haag, and who built them?",
        'Who painted "Die Frau und der Hund"?',
        "List all locks.",
        "Does the Canal du Midi have locks?",
        "Who directed もののけ姫?",
        "breakfast should be included",
        "we want seafood",
    ],
)
def test_english_with_foreign_names_is_english(question: str) -> None:
    assert detect_language(question) == "en"


@pytest.mark.parametrize(
    "question",
    ["Und in Wien?", "Langer Kanal", "", "42?", "Lock Keeper Vienna", "α-carotene formula", "hotels w/ garden"],
)
def test_few_words_show_no_language(question: str) -> None:
    assert detect_language(question) == ""


def test_a_follow_up_that_shows_none_is_in_the_language_of_the_last_that_did() -> None:
    history = (Exchange("Wer baute die Schleuse?", Answer()), Exchange("Und in Wien?", Answer()))
    assert detect_conversation_language("Und in Linz?", history) == "de"
    assert detect_conversation_language("Who built it?", history) == "en"
    assert detect_conversation_language("Und in Linz?") == ""


def test_languages_have_names_and_the_table_holds_no_tag_twice() -> None:
    assert (language_name("de"), language_name("pt-BR"), language_name("qq")) == ("German", "Portuguese", "qq")
    tags = [language.tag for language in known_languages()]
    assert len(tags) == len(set(tags))


def test_twenty_questions_of_each_language_are_mostly_identified_and_rarely_as_another() -> None:
    lines = SENTENCES.read_text(encoding="utf-8").splitlines()
    found: dict[str, Counter[str]] = {}
    for line in lines:
        if line.startswith("["):
            found[line.strip("[]")] = counts = Counter[str]()
        elif line and not line.startswith("#"):
            counts[detect_language(line)] += 1
    assert set(found) == {language.tag for language in known_languages()}
    assert all(counts.total() == 20 for counts in found.values())
    assert found["en"]["en"] == 20
    assert {tag: counts for tag, counts in found.items() if counts[tag] < 17} == {}
    others = {tag: 20 - counts[tag] - counts[""] for tag, counts in found.items()}
    assert {tag: number for tag, number in others.items() if number > 2} == {}


@pytest.mark.parametrize(
    ("question", "tag"),
    [
        ("Titanic dure-t-il 219 minutes ?", "fr"),
        ("¿Vive?", "es"),
        ("Lebt Bob Dylan noch?", "de"),
        ("Give the add-on's name.", "en"),
        ("length of the canal du midi", "en"),
        ("Who played the café owner in Amélie?", "en"),
        ("Ո՞վ է տերը։", "hy"),
        ("Kur gimė Mozartas?", "lt"),
        ("Unde s-a născut Mozart?", "ro"),
    ],
)
def test_letters_endings_and_marks_tell_a_language(question: str, tag: str) -> None:
    assert detect_language(question) == tag
