"""Conditions as parts of a QIR, resolved with the graph's vocabulary."""

from __future__ import annotations

from typing import Any

import pytest
from invented_graphs import open_graph

from chattykg.linking.vocabulary_card import build_vocabulary_card
from chattykg.qir import render_qir
from chattykg.rulebook.grammar.logical_form import write_qir
from chattykg.rulebook.grammar.meanings import Meaning

FILM = ("class", "?film@1", "films")
GENRE = ("relation", "?film@1", "genre", "drama")


@pytest.mark.parametrize(
    ("conditions", "qir"),
    [
        ([("not", (("not", (GENRE,)),))], "list ?film; (?film | genre | drama); ?film: films"),
        ([("not", (("class", "?film@1", "drama"),))], "list ?film; not (?film |  | drama); ?film: films"),
        ([("relation", "?film@1", "runtime", "?x@3"), ("not", (("filter", "?x@3", ">", "90", ""),))],
         "list ?film; (?film | runtime | ?x); ?film: films; ?x <= 90"),
    ],
)  # fmt: skip
def test_conditions_are_written(conditions: list[tuple[Any, ...]], qir: str) -> None:
    card = build_vocabulary_card("Which films are longer or shorter than Silver Tide?", open_graph("questions/cinema"))
    meaning = Meaning("?film@1", (FILM, *conditions), shape="list")
    assert render_qir(write_qir(meaning, card)) == qir
