"""Words of a question that neither its QIR nor its query holds."""

from __future__ import annotations

import pytest
from chattyshared.kg import KnowledgeGraph

from chattykg.linking.coverage import (
    dropped_modifiers,
    foreign_words,
    restricting_words,
    texts_outside_query,
    unknown_words,
    unmatched_words,
)
from chattykg.linking.vocabulary_card import build_vocabulary_card
from chattykg.qir import QIR, Relation

LONGEST = (Relation("?vegan_film", "running time", "?time"),)


@pytest.mark.parametrize(
    ("qir", "unused", "dropped"),
    [
        (QIR("list", "?vegan_film", LONGEST), (), ("vegan", "films")),
        (QIR("list", "?vegan_film", LONGEST), ("vegan",), ("films",)),
        (QIR("list", "?vegan_film", LONGEST, classes=(("?vegan_film", "vegan films"),)), (), ()),
        (QIR("list", "?film", LONGEST[:0], classes=(("?film", "film"),)), (), ()),
        (QIR("list", "?film_title", LONGEST[:0], classes=(("?film_title", "film"),)), (), ()),
    ],
)
def test_the_name_of_an_unknown_holds_no_word(qir: QIR, unused: tuple[str, ...], dropped: tuple[str, ...]) -> None:
    assert dropped_modifiers("Which vegan films have the longest running time?", qir, unused) == dropped


def test_the_name_of_an_unknown_holds_no_compound() -> None:
    qir = QIR("list", "?player", (Relation("?left_hand", "players", "?player"),))
    assert dropped_modifiers("Which players are left-handed?", qir, ()) == ("left-handed",)


@pytest.mark.parametrize(
    ("unused", "foreign"),
    [
        (["vegan"], ()), (["Film"], ()), (["vegan films"], ()), (["running-time"], ()),
        (["tasty"], ("tasty",)), (["the vegan tasty"], ("tasty",)),
    ],
)  # fmt: skip
def test_unused_words_are_words_of_the_question(unused: list[str], foreign: tuple[str, ...]) -> None:
    assert foreign_words("Which vegan films have the longest running time?", unused) == foreign


@pytest.mark.parametrize(
    ("unused", "words"),
    [(["vegan"], ("vegan",)), (["on the moon"], ("moon",)), (["actually"], ()), (["without"], ("without",))],
)
def test_content_words_restrict_and_comments_do_not(unused: list[str], words: tuple[str, ...]) -> None:
    assert restricting_words("Which vegan films on the moon?", unused) == words


def test_a_noun_that_only_names_an_unknown_is_dropped() -> None:
    question = "Which films have two sequels?"
    counted = QIR("list", "?film", (Relation("?sequels2", "films", "?film"),))
    assert dropped_modifiers(question, counted, ()) == ("sequels",)
    assert dropped_modifiers(question, QIR("list", "?film", (Relation("?film", "sequel", "?sequels2"),)), ()) == ()


@pytest.mark.parametrize(
    ("phrase", "label", "words"),
    [
        ("serve vegan breakfast", "breakfast included", ("serve", "vegan")),
        ("vegan breakfast", "vegan breakfasts", ()),
        ("mother tongue", "native language", ()),
        ("place of birth", "birth place", ()),
    ],
)
def test_words_of_a_phrase_that_a_label_shares_in_part(phrase: str, label: str, words: tuple[str, ...]) -> None:
    assert unmatched_words(phrase, label) == words


def test_unknown_words_are_those_that_nothing_is_called_by(ships: KnowledgeGraph) -> None:
    question = "Tell me how many zorbs the captain of Aurora has on the moon."
    assert unknown_words(question, build_vocabulary_card(question, ships)) == ("zorbs", "moon")


@pytest.mark.parametrize(
    ("question", "query", "outside"),
    [
        ('Who commands the ship named "Aurora"?', "SELECT ?x { <https://ships.example/aurora> :captain ?x }", ()),
        ("Who commands the ship 'Aurora'?", 'SELECT ?x { ?s :name ?n FILTER(LCASE(?n) = "aurora") }', ()),
        ('Who commands the ship named "Aurora"?', "SELECT ?x { ?s :captain ?x }", ("Aurora",)),
        (
            'Who commands the ship named "Aurora"?',
            "SELECT ?x { <https://ships.example/aurora2> :captain ?x }",
            ("Aurora",),
        ),
        ("Which ships were built in 1900?", "SELECT ?s { ?s :built ?y FILTER(?y = 1850) }", ("1900",)),
        ("Welche Schiffe wiegen über 1,5 Millionen Kilo?", "SELECT ?s { ?s :mass ?m FILTER(?m > 1500000) }", ()),
        ("Quels navires pèsent plus de 1 500,5 t ?", "SELECT ?s { ?s :mass ?m FILTER(?m > 1500.5) }", ()),
        ("Welche Schiffe sind 7,5 Meter breit?", "SELECT ?s { ?s :width ?m FILTER(?m = 30) }", ("7,5",)),
    ],
)
def test_a_query_expresses_a_text_by_its_vertex_or_by_its_words(
    ships: KnowledgeGraph, question: str, query: str, outside: tuple[str, ...]
) -> None:
    card = build_vocabulary_card(question, ships)
    assert texts_outside_query(question, card, query, ()) == outside
