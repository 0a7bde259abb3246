"""Defects of English: planted ones are found, near misses are left alone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from lighthouses import ORMEN, changed, following, kinds, thing


@pytest.mark.parametrize("question", [
    "And when was it lit?", "When was it lit?", "When, if ever, was it lit?", "When was it (first) lit?",
    "In which year was its 19.5-mile lamp lit?", "When was it - at last - lit?",
])  # fmt: skip
def test_wording_near_misses(question: str) -> None:
    assert kinds(following(question)) == set()


def test_a_question_mark_within_a_name_is_no_defect() -> None:
    name = "Who Goes There?"
    talk = following(f"Is {name} a book about it?", f"Is {name} a book about Ormen Light?")
    known = replace(talk, turns=(*talk.turns, replace(talk.turns[1], turn=3, answers=(thing(name),))))
    assert "wording" not in kinds(known)
    assert "wording" in kinds(following("Who goes? there? And it?"))


@pytest.mark.parametrize("question", [
        "What is the the height of its tower?", "What is it's height?", "Does they have a lamp?",
        "When was its lamp (the old one lit?", "Where does it has its lamp?",
        "How many people be employed there?", "Did it painted by a keeper?",
        "Was the engineer worked for its owner?",
    ])  # fmt: skip
def test_ungrammatical_planted(question: str) -> None:
    assert "wording" in kinds(following(question))


@pytest.mark.parametrize("question", [
        "What did it look like when it was lit?", "Who among them was born there?",
        "What had had to be done before it was lit?", "Where is the tower that its lamp hung in?",
        "How many are there that it was lit by?", "What used it to be?",
        "Who did the lamp that it once had belong to?", "Did it succeed?", "Was the lamp fought for in its war?",
    ])  # fmt: skip
def test_ungrammatical_near_misses(question: str) -> None:
    assert "wording" not in kinds(following(question))


def test_what_is_doubled_in_a_name_is_no_defect() -> None:
    talk = changed(ORMEN, 1, question="Who designed The The Light?", standalone="Who designed The The Light?")
    named = replace(talk, seed=replace(talk.seed, label="The The Light"))
    assert "wording" not in kinds(named)
    assert "wording" in kinds(talk)


@pytest.mark.parametrize("question", [
        "What is the height of it?", "Who is the keeper of him?", "When was the lamp of she lit?",
        "What is the name of the father of them?", "What is the place of birth of her?",
        "How many lamps has the lighthouse got?",
    ])  # fmt: skip
def test_stiff_planted(question: str) -> None:
    assert "wording" in kinds(following(question))


@pytest.mark.parametrize("question", [
        "Which of them is the tallest?", "What is the second of them called?", "What is it part of?",
        "Who is the oldest one of them?", "How many of them are red?", "Who worked for him?",
        "Who is the former keeper of its lamp?", "What lamps has it got?",
    ])  # fmt: skip
def test_stiff_near_misses(question: str) -> None:
    assert "wording" not in kinds(following(question))


@pytest.mark.parametrize("question", [
    "Which island does it stand on?", "Of which country is he a citizen?",
    "Which country has Ormen Light as its landmark?",
    "What is the color of the lighthouse?", "Does it have a red lamp?", "For how many years was it the oldest light?",
    "Which islands have it in their arms?", "What is a lighthouse made of?", "What lamps does it have?",
    "Is red one of its colors?", "Is its color red?",
])  # fmt: skip
def test_formula_near_misses(question: str) -> None:
    query = f'ASK {{ <{ORMEN.seed.iri}> <https://lights.example/color> "red" }}' if "red" in question else None
    assert "wording" not in kinds(following(question, **({"sparql": query} if query else {})))


@pytest.mark.parametrize(("predicate", "question"), [
    ("lght_hght_m", "How tall is it in meters?"), ("isoCode", "What is its ISO code?"), ("lit", "When was it lit?"),
    ("areaSqkm", "How large is its area?"), ("openedOn", "When was it opened?"),
    ("beamRangeKm", "What is the range of its beam in km?"),
])  # fmt: skip
def test_unsayable_near_misses(predicate: str, question: str) -> None:
    sparql = f"SELECT ?x {{ <{ORMEN.seed.iri}> <https://l.example/{predicate}> ?x }}"
    assert "unsayable" not in kinds(following(question, sparql=sparql))


@pytest.mark.parametrize(("question", "is_found"), [
    ("What is its kind?", True), ("What is the lighthouse's date?", True), ("What kind of lighthouse is it?", False),
    ('Which ships does the outcome "lost" have?', True), ("Which ships does it have?", False),
    ("What is the lamp of its lamp room?", True), ("What is the lamp of its tower?", False),
    ("Which of its keepers came from United Kingdom?", True), ("Which of them came from the Netherlands?", False),
    ("How dense is its glass in kilograms per cubic?", True), ("Is it lit by 3 kilograms per cubic meter?", False),
])  # fmt: skip
def test_words_of_data(question: str, is_found: bool) -> None:
    assert ("wording" in kinds(following(question))) is is_found
