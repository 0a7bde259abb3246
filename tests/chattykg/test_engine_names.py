"""Names as a graph has them, whatever they look like: they are found, and no refusal suggests what was asked."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from chattyshared.dialogue import Answer
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel
from chattyshared.terms import n3
from rdflib import Literal

from chattykg.engine import ChattyEngine, Settings
from chattykg.rulebook import RULEBOOK

R, V = "https://reel.example/r/", "https://reel.example/v/"
LABEL, TYPE = "<http://www.w3.org/2000/01/rdf-schema#label>", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
NAMES = (
    "2012", "1917", "10", "50/50", "9/11", "$9.99", "What Women Want?", "Who Framed Roger Rabbit", "Which Way Home",
    "(500) Days of Summer", "C++", "Catch-22", "#Alive", "M*A*S*H", "E.T.", "Ocean's Eleven", "Mr. & Mrs. Smith",
    "Dr. Strangelove or: How I Learned to Stop Worrying", "It", "Her", "Them!", "No",
    "Everything Everywhere All at Once", "2001: A Space Odyssey", "WALL·E", "iRobot", "THE MATRIX", "the thing",
    "Моя борьба", "千と千尋の神隠し", "المومياء", "Ζορμπάς", "Amélie", "Once", "Thanks",
    "🔥", "🏴‍☠️", "∞",
)  # fmt: skip
IN_SMALL_LETTERS = ("who framed roger rabbit", "the matrix", "everything everywhere all at once", "c++", "e.t.", "once")


def director(name: str) -> str:
    number = [each.casefold() for each in NAMES].index(name.casefold())
    return f"Dana {chr(65 + number % 26)}{chr(97 + number // 26)}xon"


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> ChattyEngine:
    lines = [f"<{V}Film> {LABEL} {n3(Literal('film'))} ."]
    lines += [f"<{V}{word}> {LABEL} {n3(Literal(word))} ." for word in ("director", "length", "year")]
    for number, name in enumerate(NAMES):
        film, person = f"<{R}f{number}>", f"<{R}d{number}>"
        lines += [f"{film} {TYPE} <{V}Film> .", f"{film} {LABEL} {n3(Literal(name))} ."]
        lines += [f"{film} <{V}director> {person} .", f"{person} {LABEL} {n3(Literal(director(name)))} ."]
        lines += [
            f"{film} <{V}{word}> {n3(Literal(start + number))} ." for word, start in (("length", 80), ("year", 1950))
        ]
    path: Path = tmp_path_factory.mktemp("names") / "films.nt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return ChattyEngine(open_kg([str(path)]), RuleModel(RULEBOOK), settings=Settings(clarify="ask"))


def shown(answer: Answer) -> list[str]:
    return [value.label or value.value for value in answer.values]


@pytest.mark.parametrize("name", [*NAMES, *IN_SMALL_LETTERS])
def test_a_name_is_found_as_it_is_written(films: ChattyEngine, name: str) -> None:
    for wording in ("Who directed {}?", "Who is the director of {}?"):
        answer = films.answer(wording.format(name))
        assert (shown(answer), answer.notes) == ([director(name)], ())
    by_length = films.answer(f"What is the length of {name}?")
    assert shown(by_length) == [str(80 + int(by_length.entities[0].iri.removeprefix(f"{R}f")))]


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("Which film has a length of 80?", ["2012"]),  # a number that is a name stays a value where one is asked for
        ("Which films are from 1953?", ["50/50"]),
        ("Who directed it?", []),  # and a small word stays what it is
        ("Is It longer than 10?", ["true"]),
        ("What length does 1917 have?", ["81"]),
        ("Who directed 🌊?", []),  # a symbol stands in the place of a name, or decorates a question
        ("What length does 🌊 have?", []),
        ("Who directed Her? 🌊", [director("Her")]),
        ("Who directed Her 🌊?", [director("Her")]),
    ],
)
def test_a_word_that_is_a_name_too_keeps_its_use(films: ChattyEngine, question: str, values: list[str]) -> None:
    assert shown(films.answer(question)) == values


@pytest.mark.parametrize(
    "question",
    [
        "Who directed the Zorblax of Vend?",
        "Which stout is in the film?",
        "Who produced What Women Want?",
        "What is the strangelove of Her?",
        "Which films are the longest directors of Her?",
        "What is the length of the length?",
    ],
)
def test_a_refusal_does_not_contradict_what_it_suggests(films: ChattyEngine, question: str) -> None:
    answer = films.answer(question)
    assert not answer.values
    unknown = re.findall(r'"([^"]*)"', answer.explanation if "does not know" in answer.explanation else "")
    for note in answer.notes:
        assert not any(re.search(rf"\b{re.escape(word)}\b", note) for word in unknown)
        offered = re.fullmatch(r"Did you mean (.*)\?", note)
        assert offered is None or offered[1].casefold() not in question.casefold()
    for suggested in answer.suggestions:
        assert films.answer(suggested).values


@pytest.mark.parametrize(
    "question",
    [
        "Who is " + "the director of " * 31 + "Her?",
        "Who directed" + " " * 9_000 + "Her?",
        "Who directed Her? Who directed It? How long is It? Who directed No? What is the length of 10?",
        "Which film " + "that has a director who directed a film " * 30 + "is the longest?",
        "Who directed the film " + "whose director directed the film " * 30 + "Her?",
        "zorb " * 390,
        "Who directed Her and " * 500,
        "谁导演了这部电影" * 240,
        "Кто снял этот фильм " * 90,
        "Who directed " + ", ".join(NAMES) + "?",
    ],
)
def test_no_question_takes_long(films: ChattyEngine, question: str) -> None:
    answer = films.answer(question)
    assert answer.seconds < 5
    assert answer.values or answer.explanation.endswith(("?", "."))
