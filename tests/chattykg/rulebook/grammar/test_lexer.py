"""Quantities and times of questions."""

from __future__ import annotations

import pytest
from chattyshared.language.tokenizer import tokenize
from invented_graphs import open_graph

from chattykg.linking.vocabulary_card import build_vocabulary_card
from chattykg.rulebook.grammar.lexer import Lexer


@pytest.mark.parametrize(
    ("text", "category", "value"),
    [
        ("90", "Num", "90"), ("2.5 million", "Num", "2500000"), ("three", "Num", "3"), ("20g", "Num", "20"),
        ("second", "Ord", "2"), ("21st", "Ord", "21"), ("twice", "Often", "2"), ("1998", "Date", "1998"),
        ("1 March 1998", "Date", "1998-03-01"), ("1980s", "Period", "1980/1989"), ("nineties", "Period", "1990/1999"),
        ("19th century", "Period", "1801/1900"),
    ],
)  # fmt: skip
def test_quantities_have_normal_forms(text: str, category: str, value: str) -> None:
    tokens = tokenize(text)
    nodes = Lexer(text, tokens, build_vocabulary_card(text, open_graph("questions/cinema"))).nodes(category, 0)
    assert value in [node.meaning.value for node in nodes if node.end == len(tokens)]
