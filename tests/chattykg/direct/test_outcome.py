"""Outcomes: what counts as empty, as a no, and as the kind of answer that the model announced."""

from __future__ import annotations

import pytest
from chattyshared.terms import Term
from rdflib import XSD, Literal, URIRef

from chattykg.direct.outcome import QueryOutcome


@pytest.mark.parametrize(
    ("shape", "term", "fits"),
    [
        ("number", Literal("85"), True),
        ("count", Literal(3), True),
        ("number", Literal("eighty"), False),
        ("number", URIRef("https://x.example/85"), False),
        ("date", Literal("31 June 1208"), True),
        ("date", Literal("1998-05-01", datatype=XSD.date), True),
        ("date", Literal("unknown"), False),
        ("date", URIRef("https://x.example/1998"), False),
        ("one", URIRef("https://x.example/85"), True),
    ],
)
def test_numbers_and_dates_may_be_kept_as_text(shape: str, term: Term, fits: bool) -> None:
    assert QueryOutcome("", shape, ({"x": term},)).fits_shape() == fits


def test_a_no_and_a_zero_are_negative_and_no_rows_are_empty() -> None:
    zero = ({"n": Literal(0)},)
    assert (
        QueryOutcome("", "boolean", truth=False).is_negative and not QueryOutcome("", "boolean", truth=True).is_negative
    )
    assert QueryOutcome("", "count", zero).is_negative and not QueryOutcome("", "list", zero).is_negative
    assert QueryOutcome("", "list").is_empty and not QueryOutcome("", "boolean", truth=False).is_empty
