"""Follow-ups rewritten by the word lists of a language."""

from __future__ import annotations

import pytest
from chattyshared.language.languages import load_language

from chattykg.conversation.referents import Referent
from chattykg.rulebook.followups.word_list_rewriting import EarlierTurns, refers_back, rewrite_by_word_lists

GERMAN = load_language("de")
ANN = Referent("Ann Lee", "x:ann", 1, "answer", types=("person",), gender="female")
PAIR = (
    Referent("Möwe", "x:m", 1, "answer", 1, 2, types=("Schiff",)),
    Referent("Seeadler", "x:s", 1, "answer", 2, 2, types=("Schiff",)),
)


def context(question: str, *referents: Referent) -> EarlierTurns:
    return EarlierTurns([question], [question], referents)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Wo wurde sie geboren?", True), ("Und wann?", True), ("Welche davon sind neu?", True),
        ("Wie lang ist der denn?", True), ("Welches ist das ältere?", True), ("Was kostet dort der Eintritt?", True),
        ("Welche Schiffe gibt es?", False), ("Wer ist der Kapitän der Möwe?", False),
        ("Brücken, die über die Marn führen", False),
    ],
)  # fmt: skip
def test_references_and_ellipses_are_told(question: str, expected: bool) -> None:
    assert refers_back(question, GERMAN) is expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Wo wurde sie geboren?", 'Wo wurde "Ann Lee" geboren?'),
        ("Wie heißt ihre Mutter?", 'Wie heißt der Mutter von "Ann Lee"?'),
        ("Und wann?", "wann ist Kapitän?"),
    ],
)
def test_a_reference_becomes_a_name(question: str, expected: str) -> None:
    assert rewrite_by_word_lists(question, GERMAN, context("Wer ist Kapitän?", ANN)) == expected


def test_a_set_is_named_one_by_one() -> None:
    rewritten = rewrite_by_word_lists("Welche davon sind neu?", GERMAN, context("Welche Schiffe gibt es?", *PAIR))
    assert rewritten == 'Welche von "Möwe" und "Seeadler" sind neu?'


def test_without_a_referent_the_words_stay() -> None:
    assert rewrite_by_word_lists("Wo wurde er geboren?", GERMAN, context("Wer?")) == "Wo wurde er geboren?"
