"""The vertices and values of a question: namesakes together, and noise held back."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from chattyshared.kg import KnowledgeGraph

from chattykg.direct.schema_prompt import build_schema_prompt
from chattykg.linking.vocabulary_card import build_vocabulary_card


@pytest.fixture(scope="module")
def transit(open_graph: Callable[[str], KnowledgeGraph]) -> KnowledgeGraph:
    return open_graph("transit")


@pytest.fixture(scope="module")
def trails(open_graph: Callable[[str], KnowledgeGraph]) -> KnowledgeGraph:
    return open_graph("trails")


def labels(kg: KnowledgeGraph, question: str, *rejected: str) -> list[str]:
    card = build_vocabulary_card(question, kg)
    return [vertex.label for vertex in build_schema_prompt(kg, card, frozenset(rejected)).vertices]


def values(kg: KnowledgeGraph, question: str) -> list[str]:
    return [
        line for line in build_schema_prompt(kg, build_vocabulary_card(question, kg)).lines if line.startswith("value ")
    ]


def test_all_things_of_one_name_are_listed_without_those_of_a_longer_name(transit: KnowledgeGraph) -> None:
    assert labels(transit, "Where is Mill Road?") == ["Mill Road"] * 3
    assert len(labels(transit, "Where is Mill Road?", "https://t.example/n2")) == 2
    shown = build_schema_prompt(transit, build_vocabulary_card("Where is Mill Road?", transit)).as_prompt_text()
    assert len([line for line in shown.splitlines() if "= Mill Road" in line]) == 2  # stops share a line
    assert "= Mill Road [line]" in shown


@pytest.mark.parametrize(
    ("name", "line"),
    [("Metrofirms", 'e:1 = Metrofirm [firm], said as "Metrofirms"'), ("Metrofirm", "e:1 = Metrofirm [firm]")],
)
def test_the_words_of_a_mention_are_told_if_they_are_not_the_label(
    transit: KnowledgeGraph, name: str, line: str
) -> None:
    card = build_vocabulary_card(f"Where is {name} seated?", transit)
    assert build_schema_prompt(transit, card).as_prompt_text().splitlines().count(line) == 1


@pytest.mark.parametrize(
    ("question", "numbers"),
    [
        ("Which stops does line 5 serve?", ["5"]),
        ("Which lines opened in 1990?", []),
        ("Which lines have more than 5 stops?", []),
        ("Are there 5 stops?", []),
        ("Where does 1990 stop?", []),
    ],
)
def test_numbers_that_count_or_date_are_no_things(transit: KnowledgeGraph, question: str, numbers: list[str]) -> None:
    assert [label for label in labels(transit, question) if label.isdigit()] == numbers
    assert not any("1990" in line for line in values(transit, question))


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        ("Which firm has its seat in France?", ['value "France" under p:seat']), ("Where is Frencham?", []),
        ("What has its seat in France?", ['value "France" under p:seat']), ("Where is Louvain House?", []),
        ("Which stops lie in the area hills?", []),
    ],
)  # fmt: skip
def test_a_text_that_is_also_a_thing_is_told_with_its_predicates(
    transit: KnowledgeGraph, question: str, shown: list[str]
) -> None:
    assert values(transit, question) == shown
    assert "Frencham" not in labels(transit, "Which French firms are there?")  # a demonym is no similar name


def test_a_vertex_has_all_its_kinds_and_no_line_for_its_own_name(transit: KnowledgeGraph) -> None:
    card = build_vocabulary_card("Where is Louvain House?", transit)
    lines = build_schema_prompt(transit, card).as_prompt_text().splitlines()
    (shown,) = (line for line in lines if line.startswith("e:1 = Louvain House ["))
    assert set(shown.removeprefix("e:1 = Louvain House [").rstrip("]").split(", ")) == {"museum", "firm"}


def lines(kg: KnowledgeGraph, question: str, *, is_foreign: bool = False) -> list[str]:
    shown = build_schema_prompt(kg, build_vocabulary_card(question, kg), is_foreign=is_foreign).as_prompt_text()
    return [line for line in shown.splitlines() if line.startswith(("e:", "value ", "nothing "))]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How long is the Slate Ridge?", 'e:1 = Slate Ridge Path [trail], said as "Slate Ridge"'),
        ("Which trails are of doleritte?", 'e:1 = dolerite [rock], said as "doleritte"'),
        ("Dr Brask - which trail?", 'e:1 = Dr. Iva Brask [guide], said as "Dr Brask"'),
        ("Who guides Zephyr-4?", 'nothing is named "Zephyr-4"'),
        ("Tell me who guides the Amber Way.", 'nothing is named "Amber Way"'),
        ('Which trail is called "amber way"?', 'nothing is named "amber way"'),
        (
            "who led the walk to sierra vellorne",  # an unknown word is searched with the word before it
            'e:1 = Sierra Vellorne 2009 [trail], said as "sierra vellorne"',
        ),
        ("Which trails have the code FERN-9?", 'nothing is named "FERN-9"'),  # another number is no misspelling
    ],
)
def test_a_name_is_found_or_told_to_be_unknown(trails: KnowledgeGraph, question: str, expected: str) -> None:
    assert expected in lines(trails, question)


@pytest.mark.parametrize(
    "question",
    [
        "Which trails are there? Give their names.",  # the first word of a sentence
        "Which trails opened in May or are Swedish?",  # a month, a nationality
        "What is the GDP of a trail?",  # perhaps no name
        "Which trails are closed below Quillon?",  # within a text of the graph
        "WHICH TRAILS ARE NEAR ZEPHYR?",
    ],
)
def test_what_may_be_no_name_is_not_told_to_be_unknown(trails: KnowledgeGraph, question: str) -> None:
    assert lines(trails, question) == []


def test_a_name_in_another_language_than_the_labels_is_not_told_to_be_unknown(trails: KnowledgeGraph) -> None:
    assert lines(trails, "Who guides the Bernsteinweg?", is_foreign=True) == []
