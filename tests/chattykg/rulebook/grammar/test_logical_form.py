"""Conditions as parts of a QIR, resolved with the graph's vocabulary."""

from __future__ import annotations

from typing import Any

import pytest
from chattyshared.kg import KnowledgeGraph

from chattykg.linking.vocabulary_card import build_vocabulary_card
from chattykg.qir import render_qir
from chattykg.rulebook.grammar.logical_form import write_qir
from chattykg.rulebook.grammar.meanings import Meaning

FILM = ("class", "?film@1", "films")
LONG = ("filter", "•", ">", "2", "hours")
GENRE = ("relation", "?film@1", "genre", "drama")


@pytest.mark.parametrize(
    ("conditions", "qir"),
    [
        ([GENRE], "list ?film; (?film | genre | drama); ?film: films"),
        ([("not", (GENRE,))], "list ?film; not (?film | genre | drama); ?film: films"),
        ([("not", (("not", (GENRE,)),))], "list ?film; (?film | genre | drama); ?film: films"),
        ([("not", (("class", "?film@1", "drama"),))], "list ?film; not (?film |  | drama); ?film: films"),
        ([("relation", "?film@1", "runtime", "?x@3"), ("not", (("filter", "?x@3", ">", "90", ""),))],
         "list ?film; (?film | runtime | ?x); ?film: films; ?x <= 90"),
        ([("degree", "?film@1", "long", (LONG,), 3)],
         "list ?film; (?film | runtime | ?runtime); ?film: films; ?runtime > 2"),
        ([("degree", "?film@1", "short", (("filter", "•", ">", "90", ""),), 3)],
         "list ?film; (?film | runtime | ?runtime); ?film: films; ?runtime < 90"),
        ([("degree_of", "?film@1", "long", "Silver Tide", 3, True)],
         "list ?film; (?film | runtime | ?runtime); (Silver Tide | runtime | ?runtime2); ?film: films; "
         "?runtime > ?runtime2"),
        ([("superlative", "?film@1", "short", True, 2, 0)],
         "list ?film; (?film | runtime | ?runtime); ?film: films; order ?runtime asc 2 0"),
        ([("dated", "?film@1", (("filter", "•", "=", "1998", ""),))],
         "list ?film; (?film | release date | ?date); ?film: films; ?date = 1998"),
        ([("flag", "?film@1", "black-and-white", ("true", "false"), "?flag@3")],
         "list ?film; (?film | black and white | ?flag); ?film: films; ?flag = true"),
        ([("alphabetical", "?film@1", False)],
         "list ?film; (?film | name | ?name); ?film: films; order ?name asc 0 0"),
        ([("relation", "Silver Tide", "director", "?x@3"), ("relation", "?x@3", "direct", "?film@1"),
          ("other", "?film@1")],
         "list ?film; (Silver Tide | director | ?x); (?x | direct | ?film); ?film: films; ?film != Silver Tide"),
    ],
)  # fmt: skip
def test_conditions_are_written(cinema: KnowledgeGraph, conditions: list[tuple[Any, ...]], qir: str) -> None:
    card = build_vocabulary_card("Which films are longer or shorter than Silver Tide?", cinema)
    meaning = Meaning("?film@1", (FILM, *conditions), shape="list")
    assert render_qir(write_qir(meaning, card)) == qir


def test_what_is_only_denied_is_of_the_kind_of_its_noun(cinema: KnowledgeGraph) -> None:
    question = "Which people did not direct Silver Tide?"
    meaning = Meaning("?people@1", (("not", (("relation", "?people@1", "direct", "Silver Tide"),)),), shape="list")
    qir = write_qir(meaning, build_vocabulary_card(question, cinema))
    assert qir.classes == (("?people", "people"),)


def test_unknowns_are_numbered_where_they_share_a_noun(cinema: KnowledgeGraph) -> None:
    relation = ("relation", "?film@1", "sequel of", "?films@5")
    qir = write_qir(Meaning("?film@1", (relation,), shape="list"), build_vocabulary_card("films", cinema))
    assert [triple.ends() for triple in qir.triples] == [("?film", "?film2")]
