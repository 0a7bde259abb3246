"""An answer as text."""

import pytest
from chattyshared.dialogue import Answer, Value

THINGS = tuple(Value(f"http://e/{index}", "iri", label=f"Thing {index}") for index in range(2))


def test_the_text_of_an_answer_is_its_string():
    assert str(Answer(THINGS, text="Two.")) == "Two."
    assert str(Answer(THINGS)) == "Thing 0, Thing 1"
    assert str(Answer((Value("true", "boolean"),))) == "yes"
    assert str(Answer()) == "I do not know."
    assert Answer((*THINGS[:1], Value("5", "number"))).labels == ("Thing 0", "5")


@pytest.mark.parametrize(("value", "text"), [
    ("156.333333333333333333", "156.33"), ("0.00000000012345678", "0.000000000123"), ("48.8583701", "48.8583701"),
    ("1.0000000000000", "1"), ("12.5", "12.5"),
])  # fmt: skip
def test_a_computed_number_is_rounded_for_people_alone(value: str, text: str) -> None:
    assert (Value(value, "number").text, Answer((Value(value, "number"),)).labels) == (text, (value,))
