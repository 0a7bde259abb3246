"""Dialogues in other languages: what holds in any language is found, what is English only is not asked for."""

from __future__ import annotations

from dataclasses import replace

import pytest
from lighthouses import ORMEN, changed, kinds

from chattygen.lint.dialogue_view import DialogueView

QUESTIONS = (
    ("Wer hat Ormen Light entworfen?", "Wer hat Ormen Light entworfen?"),
    ("Wie hoch ist er in Metern?", "Wie hoch ist Ormen Light in Metern?"),
    ("Welche Wärter arbeiteten dort?", "Welche Wärter arbeiteten auf Ormen Light?"),
    ("Wer davon wurde zuerst geboren?", "Wer von den Wärtern auf Ormen Light wurde zuerst geboren?"),
    ("Steht er auf Skarv Island?", "Steht Ormen Light auf Skarv Island?"),
    ("Wie viele Schiffe strandeten dort?", "Wie viele Schiffe strandeten bei Ormen Light?"),
)


def german() -> DialogueView:
    talk = replace(ORMEN, lang="de")
    for place, (question, standalone) in enumerate(QUESTIONS, 1):
        talk = changed(talk, place, question=question, standalone=standalone)
    return talk


def test_a_clean_dialogue_in_another_language_has_no_defects_and_in_english_it_would() -> None:
    assert kinds(german()) == set()
    in_english = kinds(replace(german(), lang=""))
    assert in_english != set() and kinds(replace(german(), lang="en-GB")) == in_english


@pytest.mark.parametrize(
    ("place", "change", "kind"),
    [
        (2, {"standalone": "Wie hoch ist er in Metern?"}, "not-standalone"),
        (1, {"standalone": "Hat Ada Lund Ormen Light entworfen, und wer sonst?"}, "answer-in-question"),
        (2, {"answers": ()}, "empty-gold"),
    ],
)
def test_what_holds_in_any_language_is_found(place: int, change: dict[str, object], kind: str) -> None:
    assert kind in kinds(changed(german(), place, **change))


def test_a_language_that_the_table_lacks_prescribes_no_marks() -> None:
    assert kinds(replace(german(), lang="fi")) == set()
