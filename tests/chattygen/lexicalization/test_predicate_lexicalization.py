"""Words of predicates and of what they name."""

import pytest
from chattyshared.language.inflection import (
    add_article,
    add_indefinite_article,
    lowercase_label,
    plain_label,
)

from chattygen.context.facts import Step
from chattygen.lexicalization.predicate_lexicalization import lexicalize_predicate
from chattygen.lexicalization.step_lexicalization import is_sayable
from chattygen.lexicalization.word_forms import are_persons, past_tense, possessive_form


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        (("Conductor",), True),
        (("Tram conductor", "Employee"), True),
        (("Machine", "Person"), True),
        (("Beam engine", "Engine", "Prime mover"), False),
        (("Turbine runner",), False),
        (("Runner", "Turbine"), False),
        (("Runner", "Athlete"), True),
    ],
)
def test_machines_are_no_persons_whatever_the_classes_above_them_are_called(kinds, expected):
    assert are_persons(kinds) is expected


def test_words():
    assert [past_tense(verb) for verb in ("write", "supply", "stop", "direct", "win")] == [
        "wrote", "supplied", "stopped", "directed", "won"
    ]  # fmt: skip
    assert [possessive_form(noun) for noun in ("the class", "the bridges", "Ross", "Iris")] == [
        "the class's", "the bridges'", "Ross'", "Iris'"
    ]  # fmt: skip
    assert [add_indefinite_article(noun) for noun in ("hour", "hardware")] == ["an hour", "hardware"]
    assert [plain_label(label) for label in ("depth (mm)", "birthPlace")] == ["depth", "birth place"]
    assert [lowercase_label(label) for label in ("Product Category", "BOM Part")] == ["product category", "BOM part"]
    assert add_article("United States", ("City", "Place")) == "the United States"
    assert add_article("United Kingdom", ("Origin",)) == "the United Kingdom"
    assert add_article("Mystic River", ("Film",)) == "Mystic River"
    assert add_article("Unbroken (Lee song)", ("Song",)) == "Unbroken (Lee song)"
    assert add_article("Red boots", ("Costume",)) == "the Red boots"
    assert add_article("Dental scaling", ("Item",)) == "Dental scaling"
    assert add_article("Board of Tarrow Lights", ("Authority",)) == "the Board of Tarrow Lights"
    assert add_article("Nobel Prize in Physics", ("Award",)) == "the Nobel Prize in Physics"


def test_a_number_needs_a_noun_or_a_year():
    for label, comment, can_tell in (
        ("begins in", "", False), ("begins in", "Calendar year.", True), ("calibrated to", "", False),
        ("value", "", False), ("built in", "", True), ("number of seats", "", True),
    ):  # fmt: skip
        assert lexicalize_predicate(label, comment, "number").can_tell_number is can_tell, (label, comment)


@pytest.mark.parametrize(
    ("shape", "sayable", "unsayable"),
    [
        ("entity", ("owns", "has part", "part of", "is a tenant of", "claims handler", "gdp", "near", "made from"),
         ("marks water", "has part of", "since", "and", "currently", "accessible", "located", "occurs", "of", "is",
          "located in or next to body of water")),
        ("text", ("owns", "isbn", "opening hours", "made from"),
         ("since", "active", "is male", "done by volunteer", "wheelchair accessible", "first brewed",
          "brewed", "very")),
        ("date", ("first brewed", "opens", "date", "member since"),
         ("since", "because", "date carried out", "member since date")),
        ("boolean", ("is_heated", "in working order", "self-fertile"), ("denkmalgeschützt", "open since", "has of")),
        ("number", ("num of staff", "lives saved", "height", "built in"), ("value", "since", "accelerate")),
    ],
)  # fmt: skip
def test_a_label_is_said_if_it_is_a_noun_phrase_or_a_verb_phrase(shape, sayable, unsayable):
    found = {label for label in sayable + unsayable if is_sayable(Step("p", label), shape)}
    assert found == set(sayable)
