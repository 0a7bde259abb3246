"""The language of a question, told by its words or its letters."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from chattyshared.language.identification import detect_language, identify_foreign_language
from chattyshared.language.languages import language_of
from chattyshared.language.scripts import known_languages

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
    [
        "Und in Wien?",
        "Langer Kanal",
        "",
        "42?",
        "Lock Keeper Vienna",
        "α-carotene formula",
        "w/ garden",
        "hotels w/ garden",
    ],
)
def test_few_words_show_no_language(question: str) -> None:
    assert detect_language(question) == ""


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


@pytest.mark.parametrize(
    ("question", "tag"),
    [
        ("In welchem Jahr kam Inception heraus?", "de"),
        ("En quelle année est sorti Inception ?", "fr"),
        ("À qui appartient Juno\u202f?", "fr"),
        ("En qué ciudad nació Mozart?", "es"),
        ("In which town was she born?", "en"),
        ("i need the list of cars", "en"),
    ],
)
def test_a_question_may_begin_with_a_preposition(question: str, tag: str) -> None:
    assert detect_language(question) == tag


def test_the_rules_read_no_german_in_another_language() -> None:
    assert language_of("¿Quién es el director de la película Juno?").tag == "en"
    assert language_of("Wer ist der Direktor von Juno?").tag == "de"


def test_english_and_what_is_not_identified_is_no_foreign_language() -> None:
    french = identify_foreign_language("Qui a composé la musique d'Inception ?")
    assert french is not None and french.tag == "fr" and "d" in french.elided_words
    assert identify_foreign_language("Who composed it?") is None and identify_foreign_language("Juno?") is None
