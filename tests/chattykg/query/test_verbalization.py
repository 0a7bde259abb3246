"""The sentence beside an answer is English and says what the query asks."""

from __future__ import annotations

from typing import Any

import pytest

from chattykg.query.verbalization import add_article, pluralize

SHIP = [{"unknown": "?x", "class": "ship"}]


@pytest.mark.parametrize(
    ("qir", "said"),
    [
        ({"triples": [["Aurora", "launch date", "?x"]]}, "the launch date of Aurora"),
        ({"triples": [["?x", "captain", "Ann Lee"]], "classes": SHIP}, "every ship whose captain is Ann Lee"),
        (
            {"shape": "count", "triples": [["?x", "captain", "Ann Lee"]], "classes": SHIP},
            "the number of ships whose captain is Ann Lee",
        ),
        (
            {"shape": "boolean", "target": "", "triples": [["Aurora", "captain", "Ann Lee"]]},
            "whether Ann Lee is the captain of Aurora",
        ),
        (
            {"shape": "boolean", "target": "", "triples": [["Aurora", "color", "pink"]]},
            "whether the color of Aurora is pink",
        ),
        (
            {
                "triples": [["?x", "launch date", "?d"]],
                "classes": SHIP,
                "filters": [{"unknown": "?d", "operator": ">", "value": "2010"}],
            },
            "every ship whose launch date is after 2010",
        ),
        (
            {
                "triples": [["?x", "length", "?n"]],
                "classes": SHIP,
                "order": {"by": "?n", "descending": True, "limit": 0},
            },
            "ships, those with the highest length first",
        ),
        (
            {"triples": [["?x", "length", "?n"]], "classes": SHIP, "order": {"by": "?n", "descending": True}},
            "the ship with the highest length",
        ),
        (
            {"either": [[{"classes": SHIP}, {"classes": [{"unknown": "?x", "class": "harbor"}]}]], "triples": []},
            "every ship or harbor",
        ),
        (
            {
                "classes": SHIP,
                "triples": [],
                "either": [[{"triples": [["?x", "color", end]]} for end in ("red", "blue")]],
            },
            "every ship whose color is red or blue",
        ),
        (
            {"triples": [["Aurora", "captain", "?p"], ["?p", "birth place", "?x"]]},
            "the birth place of the captain of Aurora",
        ),
    ],
)
def test_common_shapes(asked: Any, qir: Any, said: str) -> None:
    question = "Is there one?" if qir.get("shape") == "boolean" else "Which one?"
    assert asked(question, **({"target": "?x"} | qir)).sentence == said


@pytest.mark.parametrize(("one", "many"), [("city", "cities"), ("box", "boxes"), ("sales person", "sales people")])
def test_plurals(one: str, many: str) -> None:
    assert pluralize(one) == many


def test_articles() -> None:
    assert (add_article("actor"), add_article("ship")) == ("an actor", "a ship")
