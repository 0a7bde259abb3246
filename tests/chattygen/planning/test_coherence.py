"""What gives an answer away."""

import pytest
from rdflib import URIRef

from chattygen.context.facts import Entity, Fact, HiddenEnds, Step
from chattygen.context.neighbourhoods import Neighbourhoods
from chattygen.context.predicate_salience import tells
from chattygen.planning.coherence import score_turns
from chattygen.turns import TurnSpec


@pytest.mark.parametrize(
    ("text", "value", "is_told"),
    [
        ("Mill Lane 4, 50920 Fernhill", "Fernhill", True), ("1994-06-07", "1994", True), ("Scottish", "Scotland", True),
        ("a Norwegian press", "Norway", True), ("Fernhillside", "Fernhill", False), ("Room 4", "4", False),
    ],
)  # fmt: skip
def test_a_text_tells_a_value_that_it_contains_or_names_by_its_people(text: str, value: str, is_told: bool):
    assert tells(text, value) is is_told


def test_what_was_told_scores_less(open_turtle):
    kg = open_turtle("<urn:a> <urn:b> <urn:c> .")
    press = Entity(URIRef("urn:press"), "Inkwell", "", "press", ("press",))

    def ask(number: int, label: str, town: str) -> TurnSpec:
        step, end = Step(f"urn:{label}", label), URIRef(f"urn:{town}")
        fact = Fact(1, (step,), "entity", class_labels=("town",), forms=("object", "boolean"))
        hidden = HiddenEnds((end,), ((press.iri, URIRef(step.predicate), end),))
        return TurnSpec(number, "object", "opens" if number == 1 else "topic", press, fact, hidden=hidden)

    seat, told, new = ask(1, "seat", "Fernhill"), ask(2, "home", "Fernhill"), ask(2, "home", "Oldquay")
    assert score_turns(kg, Neighbourhoods(), [seat, new]) > score_turns(kg, Neighbourhoods(), [seat, told])
