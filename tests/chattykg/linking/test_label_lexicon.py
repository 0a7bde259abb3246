"""Misspelt words of a question: the vocabulary's nearest word, as difflib ranks it."""

from __future__ import annotations

from difflib import get_close_matches

import pytest
from chattyshared.kg.vocabulary import PredicateEntry, Vocabulary
from chattyshared.language.languages import load_language

from chattykg.linking.label_lexicon import MIN_SPELLING_RATIO, correct_spelling, lexicon_of

LABELS = (
    "harbour master", "harvest month", "launching ceremony", "lighthouse keeper", "displacement tonnage", "draught",
    "registered tonnage", "beam width", "keel laying", "shipwright", "boatswain", "commissioning",
)  # fmt: skip
WORDS = Vocabulary(predicates={f"https://dock.example/{n}": PredicateEntry(f"https://dock.example/{n}", label)
                               for n, label in enumerate(LABELS)})  # fmt: skip


@pytest.mark.parametrize(
    "word",
    ["harbuor", "launshing", "lighthuose", "displacment", "draughtt", "shipwrigth", "shipwrigths", "boatswian",
     "comissioning", "zzzzz", "harbour", "kel"],
)  # fmt: skip
def test_the_quick_choice_is_that_of_difflib(word: str) -> None:
    known = sorted({part for label in LABELS for part in label.split() if len(part) >= 5})
    near = get_close_matches(word, known, 1, MIN_SPELLING_RATIO)
    plural = get_close_matches(word[:-1], known, 1, MIN_SPELLING_RATIO) if word.endswith("s") else []
    expected = near[0] if near else f"{plural[0]}s" if plural else word
    assert correct_spelling(word, lexicon_of(WORDS)) == (word if len(word) < 5 else expected)


def test_a_slip_of_the_pen_is_mended_and_a_strange_word_is_left() -> None:
    assert correct_spelling("lighthuose", lexicon_of(WORDS)) == "lighthouse"
    assert correct_spelling("boatswian", lexicon_of(WORDS)) == "boatswain"
    assert correct_spelling("xylophage", lexicon_of(WORDS)) == "xylophage"


def test_each_language_mends_by_its_own_dictionary() -> None:
    label = "Schiffswerft Eröffnung"
    lexicon = lexicon_of(Vocabulary(predicates={"p": PredicateEntry("p", label)}), load_language("de"))
    assert correct_spelling("eroeffnung", lexicon) == "eröffnung"
    assert correct_spelling("eröfnung", lexicon) == "eröffnung"
    assert correct_spelling("öffnung", lexicon) == "öffnung"
