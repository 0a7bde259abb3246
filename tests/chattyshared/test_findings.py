from __future__ import annotations

from chattyshared.check import Finding
from chattyshared.findings import count_findings, render_counts, render_listing

KINDS = {"differs": "other answers", "empty": "no answers", "tie": "same rank"}
FOUND = [
    ("1", Finding("empty", "nothing")), ("2", Finding("differs", "x, not y")), ("2", Finding("differs", "x, not z")),
    ("3", Finding("differs", "x, not z")),
]  # fmt: skip


def test_places_are_counted_once_a_kind() -> None:
    counts = count_findings(FOUND, KINDS)
    assert counts == {"differs": 2, "empty": 1, "tie": 0}
    assert list(render_counts(counts, 4, KINDS)) == [
        "  differs             2  50.0 %  other answers", "  empty               1  25.0 %  no answers",
    ]  # fmt: skip


def test_findings_are_listed_by_kind_and_places_with_one_message_share_a_line() -> None:
    assert list(render_listing(FOUND, KINDS, 1)) == [
        "\ndiffers:", "  x, not z: 2 questions: 2, 3", "  ... 1 more (--verbose lists them)", "\nempty:",
        "  1: nothing",
    ]  # fmt: skip
    assert "  2: x, not y" in list(render_listing(FOUND, KINDS, 0))
