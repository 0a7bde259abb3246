"""Nationalities that mention their countries, and names that the question only resembles."""

from __future__ import annotations

from pathlib import Path

import pytest
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg

from chattykg.direct.schema_prompt import build_schema_prompt
from chattykg.linking.vocabulary_card import build_vocabulary_card

TURTLE = """
@prefix : <https://inns.example/> .
@prefix v: <https://inns.example/v/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
v:Inn a rdfs:Class ; rdfs:label "inn" . v:Country a rdfs:Class ; rdfs:label "country" .
v:Town a rdfs:Class ; rdfs:label "town" . v:Record a rdfs:Class ; rdfs:label "record" .
v:country rdfs:label "country" . v:town rdfs:label "town" . v:beds rdfs:label "beds" .
:lake a v:Inn ; rdfs:label "Lake House Inn" ; v:country :jp ; v:town :jt ; v:beds 14 .
:green a v:Inn ; rdfs:label "Green Inn" ; v:country :fr ; v:town :ft ; v:beds 30 .
:jp a v:Country ; rdfs:label "Japan" . :fr a v:Country ; rdfs:label "France" .
:jt a v:Town ; rdfs:label "Japanville" . :ft a v:Town ; rdfs:label "French Shepherd Town" .
:polish a v:Language ; rdfs:label "Polish" . :pl a v:Country ; rdfs:label "Poland" . v:Language rdfs:label "language" .
:r3 a v:Record ; rdfs:label "3" . :r300 a v:Record ; rdfs:label "Record 300" .
"""


@pytest.fixture(scope="module")
def inns(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    path: Path = tmp_path_factory.mktemp("inns") / "inns.ttl"
    path.write_text(TURTLE, encoding="utf-8")
    return open_kg([str(path)])


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
    assert build_schema_prompt(inns, card).as_prompt_text().startswith('e:1 = Japan [country], said as "Japanese"')
