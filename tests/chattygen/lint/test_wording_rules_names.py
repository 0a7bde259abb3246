"""Defects of names and answers: planted ones are found, near misses are left alone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from chattyshared.dialogue import Seed, Value
from lighthouses import ORMEN, changed, iri, kinds, number, out, querying, text, thing

from chattygen.lint.dialogue_view import DialogueView


def called(label: str) -> DialogueView:
    """Return the opening turn, about a thing of this name."""
    question = f"Who designed {label}?"
    line = replace(ORMEN.turns[0], question=question, standalone=question)
    return replace(ORMEN, seed=Seed(iri("Ormen Light"), label, iri("Lighthouse")), turns=(line,), expected_turns=1)


@pytest.mark.parametrize("label", [
    "Holm Lamps Inc.", "Martin Holm Jr.", "Washington, D.C.", "Lamp: The Return (1996)", "Lamp 2049", "Boeing 747",
    "Agent 007", "Help: A Lamp Story", "Lamps!", "Saint-Mathieu (Finistère)", "U.S. Route 66", "Who Goes There...",
])  # fmt: skip
def test_label_artefact_near_misses(label: str) -> None:
    assert kinds(called(label)) == set()


def test_a_dot_that_the_question_leaves_out_is_no_artefact() -> None:
    talk = called("Lamps of the North.")
    said = replace(talk.turns[0], question="Who wrote Lamps of the North?", standalone="Who wrote Lamps of the North?")
    assert kinds(replace(talk, turns=(said,))) == set()


def told(
    question: str, standalone: str, *answers: Value, predicate: str = "island", form: str = "object"
) -> DialogueView:
    return querying(out("Ormen Light", predicate), question, standalone, *answers, form=form)


@pytest.mark.parametrize("talk", [
    told("Which island off Skarv is it on?", "Which island off Skarv is Ormen Light on?", thing("Skarv")),
    told("How is its red lamp colored?", "How is the red lamp of Ormen Light colored?", text("red")),
    told("Which of the 199 steps does it have?", "Which of the 199 steps does Ormen Light have?", number(199)),
    told("Who was it whose keeper is Bo Ek?", "Who was it at Ormen Light whose keeper is Bo Ek?", thing("Eva Moe"),
         thing("Bo Ek")),
    told("Which Norwegian county is it in, Vestland?", "Which county is Ormen Light in?", thing("Vestland")),
    changed(ORMEN, 1, standalone="Who designed Ormen Light, Ada Lund?", question="Who designed Ormen Light, Ada Lund?"),
])  # fmt: skip
def test_answer_in_question_planted(talk: DialogueView) -> None:
    assert "answer-in-question" in kinds(talk)


@pytest.mark.parametrize("talk", [
    told("Which island is it on?", "Which island is Ormen Light on?", thing("Skarv")),
    told("Which is taller, it or Skarv Light?", "Which is taller, Ormen Light or Skarv Light?", thing("Skarv Light"),
         form="comparison"),
    told("Which is taller, it or Skarv Light?", "Which is taller, Ormen Light or Skarv Light?", thing("Skarv Light"),
         form=""),
    told("What is its lamp's code in 5 letters?",
         "What is the code of the lamp of Ormen Light in 5 letters?", number(5)),
    told("Which country is it in?", "Which country is Ormen Light in?", text("IT")),
    told("Which redwood was it built of?", "Which redwood was Ormen Light built of?", text("red")),
    told("Is it on Skarv?", "Is Ormen Light on Skarv?", Value("true", "boolean")),
])  # fmt: skip
def test_answer_in_question_near_misses(talk: DialogueView) -> None:
    assert "answer-in-question" not in kinds(talk)


@pytest.mark.parametrize("talk", [
    told("What is its nickname?", "What is the nickname of Ormen Light?", text("The Worm")),
    told("What is its title?", "What is the title of Ormen Light?", text("Beacon of the North")),
    told("Which lights does it belong to?", "Which group does Ormen Light belong to?", text("Ormen Lights")),
    told("Which company is its lamp from?", "Which company is the lamp of Ormen Light from?", text("Lighting Ltd")),
])  # fmt: skip
def test_label_echo_near_misses(talk: DialogueView) -> None:
    assert "answer-in-question" not in kinds(talk)
