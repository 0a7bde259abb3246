"""Defects of English: planted ones are found, near misses are left alone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from lighthouses import ORMEN, changed, following, thing

from chattygen.lint import lint_dialogue
from chattygen.lint.dialogue_view import DialogueView


def kinds(talk: DialogueView) -> set[str]:
    return {found.kind for found in lint_dialogue(talk)}


@pytest.mark.parametrize("question", [
    "When?", "When was it lit", "When was it lit??", "When was it lit ?", "when was it lit?", "When was it lit.?",
    "When was <https://lights.example/it> lit?", "When was it **lit**?", "When? was it lit!",
])  # fmt: skip
def test_wording_planted(question: str) -> None:
    assert kinds(following(question)) & {"wording", "unsayable"}


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
    "What is the the height of its tower?", "When was was it lit?", "What is the its height?",
    "What is it's height?", "When did it was lit?", "Does they have a lamp?", "When is was it lit?",
    'When was its "old lamp lit?', "When was its lamp (the old one lit?", "How many is its lamps?",
    "Where does it has its lamp?", "When was him's lamp lit?", "Which keeper that have it as their home has a lamp?",
    "How many people be employed there?", "How many keepers be in the lighthouse?", "Did it painted by a keeper?",
    "Who did the lighthouse designed?", "How many of its lamps were inventor by him?",
    "Was the engineer worked for its owner?",
])  # fmt: skip
def test_ungrammatical_planted(question: str) -> None:
    assert "wording" in kinds(following(question))


@pytest.mark.parametrize("question", [
    "What did it look like when it was lit?", "Which of them was it that lit it?", "Who among them was born there?",
    'When was its "old" lamp (the first one) lit?', "What had had to be done before it was lit?",
    "What was the fate of the ship that the keeper saved?", "Where is the tower that its lamp hung in?",
    "When was it that it was lit?",
    "How many are there that it was lit by?", "How many people can be employed there?", "What used it to be?",
    "Which keepers are to be found there?", "Who did the lamp that it once had belong to?", "What did it need?",
    "Did it succeed?", "Was it operated on by a keeper or by nobody?", "Was the lamp fought for in its war?",
])  # fmt: skip
def test_ungrammatical_near_misses(question: str) -> None:
    assert "wording" not in kinds(following(question))


def test_what_is_doubled_in_a_name_is_no_defect() -> None:
    talk = changed(ORMEN, 1, question="Who designed The The Light?", standalone="Who designed The The Light?")
    named = replace(talk, seed=replace(talk.seed, label="The The Light"))
    assert "wording" not in kinds(named)
    assert "wording" in kinds(talk)


@pytest.mark.parametrize("question", [
    "What is the height of it?", "When was the date of birth of her recorded?", "Who is the keeper of him?",
    "What is the nationality for him?", "Who wrote the thesis titled it?", "When was the lamp of she lit?",
    "Is there a date of death for him?", "What is the name of the father of them?", "Which lamps of it are red?",
    "Is any lighting date recorded for it?", "What is the place of birth of her?",
    "Which lamps are supplied by that supplier?",
    "How many lamps has the lighthouse got?",
])  # fmt: skip
def test_stiff_planted(question: str) -> None:
    assert "wording" in kinds(following(question))


@pytest.mark.parametrize("question", [
    "Which of them is the tallest?", "Which is the oldest of them?", "What is the second of them called?",
    "Who wrote the music for it?", "What is it part of?", "Which is the most famous of them?",
    "Who is the oldest one of them?",
    "What was the name of her husband?", "Which towns are north of it?", "How many of them are red?",
    "What is it made of?",
    "Who worked for him?", "In which of his books does it appear?",
    "Who is the former keeper of its lamp?", "What else does that supplier supply?", "What lamps has it got?",
])  # fmt: skip
def test_stiff_near_misses(question: str) -> None:
    assert "wording" not in kinds(following(question))


def test_a_class_is_told_once_a_turn() -> None:
    found = lint_dialogue(following("What is the height of it", "What is the height of it?"))
    assert len({(one.kind, one.turn) for one in found}) == len(found)


@pytest.mark.parametrize("question", [
    "Which islands have it as their landmark?",
    "How many of the ships that have it as their light were wrecked?", "Which island has it as its landmark?",
    "Of which islands is it the landmark?", "For which coast is the lighthouse the oldest light?",
    "What is a keeper of the lighthouse?", "Does it have the color red?", "What landmark does the lighthouse have?",
    "Is red its color?", "Was red the lighthouse's color?",
])  # fmt: skip
def test_formula_planted(question: str) -> None:
    query = f'ASK {{ <{ORMEN.seed.iri}> <https://lights.example/color> "red" }}' if "color" in question else None
    talk = following(question, **({"sparql": query} if query else {}))
    assert "wording" in kinds(talk)


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
    ("lght_hght_m", "What is its hght?"), ("SCHD_CD", "What's its SCHD CD?"), ("P1082", "What is its P1082?"),
    ("LGT.dlvr_dt", "And what is the dlvr dt of it?"), ("beamRangeKm", "What beam range km does it have?"),
])  # fmt: skip
def test_unsayable_planted(predicate: str, question: str) -> None:
    sparql = f"SELECT ?x {{ <{ORMEN.seed.iri}> <https://l.example/{predicate}> ?x }}"
    assert "unsayable" in kinds(following(question, sparql=sparql))


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
