"""The language of a question, told by its words or its letters."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from chattyshared.language.identification import detect_language, identify_foreign_language
from chattyshared.language.scripts import known_languages

SENTENCES = Path(__file__).parents[3] / "benchmarks/development/languages.txt"


@pytest.mark.parametrize(
    ("question", "tag"),
    [
        ("Wer hat die Schleuse gebaut?", "de"),
        ("Was ist die Länge des Kanals?", "de"),
        ("Combien d'écluses a le canal ?", "fr"),
        ("Quem construiu o canal?", "pt"),
        ("Hoeveel sluizen heeft het kanaal?", "nl"),
        ("Która śluza jest najstarsza?", "pl"),
        ("Хто збудував шлюз?", "uk"),
        ("这条运河有多长", "zh"),
        ("Inceptionの監督は誰ですか", "ja"),
        ("Inception 감독은?", "ko"),
    ],
)
def test_a_language_shows_itself(question: str, tag: str) -> None:
    assert detect_language(question) == tag


@pytest.mark.parametrize(
    "question",
    [
        "Who wrote La vie des eaux et la mer?",
        "Which canals end in Den Haag, and who built them?",
        "List all locks.",
        "Who directed もののけ姫?",
        "we want seafood",
    ],
)
def test_english_with_foreign_names_is_english(question: str) -> None:
    assert detect_language(question) == "en"


@pytest.mark.parametrize(
    "question",
    [
        "Und in Wien?",
        "",
        "α-carotene formula",
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


def test_english_and_what_is_not_identified_is_no_foreign_language() -> None:
    french = identify_foreign_language("Qui a composé la musique d'Inception ?")
    assert french is not None and french.tag == "fr" and "d" in french.elided_words
    assert identify_foreign_language("Who composed it?") is None and identify_foreign_language("Juno?") is None
