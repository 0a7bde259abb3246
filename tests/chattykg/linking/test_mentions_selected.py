"""Nationalities that mention their countries, and names that the question only resembles."""

from __future__ import annotations

import pytest
from chattyshared.kg import KnowledgeGraph
from chattyshared.language.tokenizer import tokenize
from invented_graphs import open_graph

from chattykg.direct.schema_prompt import build_schema_prompt
from chattykg.linking.mentions import select_mentions
from chattykg.linking.vocabulary_card import build_vocabulary_card


@pytest.fixture(scope="module")
def inns() -> KnowledgeGraph:
    return open_graph("inns")


def things(question: str, kg: KnowledgeGraph) -> dict[str, list[str]]:
    card = build_vocabulary_card(question, kg)
    vertices = (*card.mentions_of_kind("vertex"), *card.countries)
    return {mention.text: [hit.label for hit in mention.hits] for mention in vertices}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which inns are Japanese?", {"Japanese": ["Japan"]}), ("List the French inns.", {"French": ["France"]}),
        ("Which Italian inns are there?", {}), ("Who speaks Japanese?", {}),
        ("Which Polish books are there?", {"Polish": ["Polish"]}),
    ],
)  # fmt: skip
def test_a_nationality_mentions_its_country_unless_the_graph_calls_something_so(
    inns: KnowledgeGraph, question: str, expected: dict[str, list[str]]
) -> None:
    assert things(question, inns) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which inns have more than 3 beds?", {}), ("Which inns have over 300 beds?", {}),
        ("What is the town of record 3?", {"3": ["3"]}),
        ("Which town does record 3 name?", {"3": ["3"]}),
    ],
)  # fmt: skip
def test_an_amount_names_no_record(inns: KnowledgeGraph, question: str, expected: dict[str, list[str]]) -> None:
    assert things(question, inns) == expected


def test_a_part_of_a_misspelt_name_has_no_line_of_its_own(inns: KnowledgeGraph) -> None:
    shown = build_vocabulary_card("Where is the Lak House Inn?", inns).as_prompt_text()
    assert [line for line in shown.splitlines() if "Lake House Inn [inn])" in line and "Green" not in line] == [
        'mention "Lak House Inn": vertex (Lake House Inn [inn])'
    ]


def test_both_prompts_show_the_country(inns: KnowledgeGraph) -> None:
    card = build_vocabulary_card("Which inns are Japanese?", inns)
    assert 'mention "Japanese": vertex (Japan [country])' in card.as_prompt_text()
    assert build_schema_prompt(inns, card).as_prompt_text().count('e:1 = Japan [country], said as "Japanese"') == 1


@pytest.fixture(scope="module")
def radio() -> KnowledgeGraph:
    return open_graph("radio")


def labels(kg: KnowledgeGraph, question: str) -> list[str]:
    card = build_vocabulary_card(question, kg)
    return [vertex.label for vertex in build_schema_prompt(kg, card).vertices]


@pytest.mark.parametrize(
    "question",
    [
        "Longest song of each band?", "Four bands with the most songs", "Members of each band?",
        "Bands with more than eight people", "Who produced Blue Weekend by Wolf Alice?", "What TV channels are there?",
        "Which song has TV in its title?",
    ],
)  # fmt: skip
def test_words_that_only_resemble_a_name_mention_nothing(radio: KnowledgeGraph, question: str) -> None:
    assert labels(radio, question) == []
    assert ": vertex" not in build_vocabulary_card(question, radio).as_prompt_text()


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many songs do the Cliffs have?", ["The Rolling Cliffs"]), ("Which band sang Wolf?", ["Peter Wolf"]),
        ("Cliffs' songs?", ["The Rolling Cliffs"]), ("Which songs does The Band play?", ["The Band"]),
        ("Who sings Night in Oppal?", ["Night in Opal"]), ("Is Dr Moss a member?", ["Dr. Vera Moss"]),
        ("How long is the Coal Trunk today?", ["Coal Trunk Line"]),
        ("What runs on the coal trunk?", ["Coal Trunk Line"]), ("Where does the coal go?", ["coal"]),
    ],
)  # fmt: skip
def test_a_part_of_a_name_or_a_misspelt_one_stays_and_the_longest_is_meant(
    radio: KnowledgeGraph, question: str, expected: list[str]
) -> None:
    assert labels(radio, question) == expected


def test_other_mentions_are_left_as_they_are(radio: KnowledgeGraph) -> None:
    question = "Which songs does The Band play?"
    mentions = build_vocabulary_card(question, radio).mentions
    kept = select_mentions(mentions, tokenize(question))
    assert [m for m in kept if m.kind != "vertex"] == [m for m in mentions if m.kind != "vertex"]
