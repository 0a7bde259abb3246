"""The chart: bounded work, whatever the text is."""

from __future__ import annotations

import pytest
from chattyshared.kg.factory import open_kg

from chattykg.linking.vocabulary_card import build_vocabulary_card
from chattykg.rulebook.grammar.chart import MAX_BUILDS, ParseChart
from chattykg.rulebook.grammar.parser import parse


@pytest.mark.parametrize(
    "question",
    [
        "films " * 89,
        "which film " * 30,
        "Who is the spouse of " + "the director of " * 29 + "Inception?",
        "Which actors " + "who starred in films which were directed by people " * 8 + "were born in London?",
        "Ridley Scott and " * 29 + "Stanley Kubrick",
        "in which city by whom on which " * 12,
        "映画は誰が監督しましたか" * 20,
    ],
)
def test_a_parse_of_any_text_ends_after_a_bounded_number_of_steps(
    question: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    charts: list[ParseChart] = []
    construct = ParseChart.__init__

    def record(chart: ParseChart, *parts: object) -> None:
        charts.append(chart)
        construct(chart, *parts)  # type: ignore[arg-type]

    monkeypatch.setattr(ParseChart, "__init__", record)
    parse(question, build_vocabulary_card(question, open_kg(["demo"])))
    assert charts
    assert all(chart._builds <= 2 * MAX_BUILDS for chart in charts)
