"""The names that the linker leaves open: found misspelt or in part, or told to be unknown."""

from __future__ import annotations

from pathlib import Path

import pytest
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg

from chattykg.direct.schema_prompt import build_schema_prompt
from chattykg.linking.vocabulary_card import build_vocabulary_card

TRAILS = """@prefix v: <https://t.example/v/> . @prefix : <https://t.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
v:Trail rdfs:label "trail" . v:Rock rdfs:label "rock" . v:Guide rdfs:label "guide" .
:t1 a v:Trail ; rdfs:label "Slate Ridge Path" ; v:rock :r1 ; v:code "FERN-4" ; v:guide :g1 .
:t2 a v:Trail ; rdfs:label "Old Ridge Walk" ; v:rock :r2 ; v:code "MOSS-7" ;
  v:remark "Closed below Quillon since May." .
:t3 a v:Trail ; rdfs:label "Sierra Vellorne 2019" . :t4 a v:Trail ; rdfs:label "Sierra Vellorne 2009" .
:r1 a v:Rock ; rdfs:label "slate" . :r2 a v:Rock ; rdfs:label "dolerite" .
:g1 a v:Guide ; rdfs:label "Dr. Iva Brask" . :g2 a v:Guide ; rdfs:label "Dr. Odd Lunde" .
"""


@pytest.fixture(scope="module")
def trails(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    path: Path = tmp_path_factory.mktemp("trails") / "trails.ttl"
    path.write_text(TRAILS, encoding="utf-8")
    return open_kg([str(path)])


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
    ],
)
def test_a_name_is_found_or_told_to_be_unknown(trails: KnowledgeGraph, question: str, expected: str) -> None:
    assert lines(trails, question) == [expected]


def test_an_unknown_word_is_searched_with_the_word_before_it(trails: KnowledgeGraph) -> None:
    assert sorted(line.partition(" = ")[2] for line in lines(trails, "who led the walk to sierra vellorne")) == [
        'Sierra Vellorne 2009 [trail], said as "sierra vellorne"',
        'Sierra Vellorne 2019 [trail], said as "sierra vellorne"',
    ]


@pytest.mark.parametrize(
    "question",
    [
        "Which trails are there? Give their names.",  # the first word of a sentence
        "Which trails opened in May or are Swedish?",  # a month, a nationality
        "What is the GDP of a trail?",  # perhaps no name
        "Which trails are closed below Quillon?",  # within a text of the graph
        "Which trails have the code FERN-9?",  # another number is no misspelling
        "WHICH TRAILS ARE NEAR ZEPHYR?",
    ],
)
def test_what_may_be_no_name_is_not_told_to_be_unknown(trails: KnowledgeGraph, question: str) -> None:
    found = lines(trails, question)
    assert found == (['nothing is named "FERN-9"'] if "FERN" in question else [])


def test_a_name_in_another_language_than_the_labels_is_not_told_to_be_unknown(trails: KnowledgeGraph) -> None:
    assert lines(trails, "Who guides the Bernsteinweg?", is_foreign=True) == []
