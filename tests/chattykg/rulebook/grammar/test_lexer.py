"""The chunks of a question with their categories."""

from __future__ import annotations

import pytest
from chattyshared.kg import KnowledgeGraph
from chattyshared.language.tokenizer import tokenize

from chattykg.linking.vocabulary_card import build_vocabulary_card
from chattykg.rulebook.grammar.lexer import MIN_LISTED, Lexer


def make_lexer(question: str, graph: KnowledgeGraph) -> Lexer:
    return Lexer(question, tokenize(question), build_vocabulary_card(question, graph))


@pytest.mark.parametrize(
    ("question", "place", "category", "text"),
    [
        ("Who directed Silver Tide", 2, "Name", "Silver Tide"),
        ("Which films are there", 1, "ClassN", "films"),
        ("the birth place of Mara Vane", 1, "Rel", "birth place"),
        ("Who directed Silver Tide", 1, "Vfin", "directed"),
        ("films directed by whom", 1, "Ven", "directed"),
        ("films starring Lin Kern", 1, "Ving", "starring"),
        ("Who is Zora Quill", 2, "Name", "Zora Quill"),
        ("Which zorby films", 1, "Unknown", "zorby"),
        ("French films", 0, "Country", "France"),
        ("the longest film", 1, "AdjEst", "longest"),
        ("longer than 90 minutes", 0, "AdjEr", "longer"),
        ("longer than 90 minutes", 3, "Unit", "minutes"),
        ("is it", 1, "Pronoun", "it"),
        ("its runtime", 0, "Possessive", "its"),
    ],
)
def test_words_have_categories(cinema: KnowledgeGraph, question: str, place: int, category: str, text: str) -> None:
    assert text in [node.meaning.text for node in make_lexer(question, cinema).nodes(category, place)]


@pytest.mark.parametrize(
    ("text", "category", "value"),
    [
        ("90", "Num", "90"), ("2.5 million", "Num", "2500000"), ("three", "Num", "3"), ("20g", "Num", "20"),
        ("second", "Ord", "2"), ("21st", "Ord", "21"), ("twice", "Often", "2"), ("1998", "Date", "1998"),
        ("1 March 1998", "Date", "1998-03-01"), ("1980s", "Period", "1980/1989"), ("nineties", "Period", "1990/1999"),
        ("19th century", "Period", "1801/1900"),
    ],
)  # fmt: skip
def test_quantities_have_normal_forms(cinema: KnowledgeGraph, text: str, category: str, value: str) -> None:
    nodes = make_lexer(text, cinema).nodes(category, 0)
    assert value in [node.meaning.value for node in nodes if node.end == len(tokenize(text))]


@pytest.mark.parametrize(
    ("question", "place", "category"),
    [("in the 80s", 2, "Name"), ("Which films", 0, "Name"), ("was directed", 1, "Noun"), ("the films", 0, "Noun")],
)
def test_words_lack_other_categories(cinema: KnowledgeGraph, question: str, place: int, category: str) -> None:
    assert not make_lexer(question, cinema).nodes(category, place)


def test_a_long_list_of_names_is_one_chunk(cinema: KnowledgeGraph) -> None:
    names = ["Mara Vane", "Lin Kern", "Tobias Ode", "Silver Tide", "Glass Orchard"]
    assert len(names) >= MIN_LISTED
    (node,) = make_lexer(f"{', '.join(names[:-1])} and {names[-1]}", cinema).nodes("NameList", 0)
    assert [chunk.text for chunk in node.meaning] == names


def test_what_the_graph_names_is_known(cinema: KnowledgeGraph) -> None:
    lexer = make_lexer("zorby films by Mara Vane", cinema)
    assert [lexer.is_known(place) for place in range(5)] == [False, True, False, True, True]
