"""Which measures a question compares, and how much people care about them."""

import pytest

from chattygen.planning.measure_interest import has_adjective, is_gradable, is_obscure, measure_interest
from chattygen.subgraph.facts import Step


@pytest.mark.parametrize(
    ("label", "shape", "kind", "adjective", "gradable"),
    [
        ("height", "number", "tower", True, True),
        ("unit price", "number", "product", True, True),
        ("number of seats", "number", "stadium", False, True),
        ("birth date", "date", "person", False, True),
        ("floor number", "number", "lift", False, False),
        ("share", "number", "show", False, False),
        ("acceleration", "number", "car", False, False),
    ],
)
def test_a_measure_is_compared_by_an_adjective_a_verb_or_counted_things(label, shape, kind, adjective, gradable):
    asked = (Step(f"https://m.example/{label}", label), shape, "", (kind,))
    assert (has_adjective(*asked), is_gradable(*asked)) == (adjective, gradable)


def test_numbers_that_only_their_owner_understands_interest_nobody():
    assert is_obscure("vat percent") and is_obscure("level") and not is_obscure("weight")
    level, weight = (measure_interest(Step(f"urn:{n}", n), "number", "", ("tool",)) for n in ("level", "weight"))
    assert level < 0.1 < weight
