"""The vertices and values of a question: namesakes together, and noise held back."""

from __future__ import annotations

from pathlib import Path

import pytest
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg

from chattykg.direct.schema_prompt import build_schema_prompt
from chattykg.linking.vocabulary_card import build_vocabulary_card

TRANSIT = """@prefix v: <https://t.example/v/> . @prefix : <https://t.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
v:Line a rdfs:Class ; rdfs:label "line" . v:Stop a rdfs:Class ; rdfs:label "stop" .
v:Country a rdfs:Class ; rdfs:label "country" . v:Firm a rdfs:Class ; rdfs:label "firm" .
:l5 a v:Line ; rdfs:label "5" ; v:stop :s1 ; v:opened 1990 . :l9 a v:Line ; rdfs:label "1990" ; v:stop :s2 .
:s1 a v:Stop ; rdfs:label "Frencham" ; v:area "Hill" . :s2 a v:Stop ; rdfs:label "Hill Gate" ; v:area "North" .
:n1 a v:Stop ; rdfs:label "Mill Road" . :n2 a v:Stop ; rdfs:label "Mill Road" . :n3 a v:Line ; rdfs:label "Mill Road" .
:n4 a v:Stop ; rdfs:label "Mill Roads" .
:m1 a v:Museum , v:Firm ; rdfs:label "Louvain House" ; v:name "Louvain House" . v:Museum rdfs:subClassOf v:Place .
:m1 a v:Place .
:fr a v:Country ; rdfs:label "France" . :f1 a v:Firm ; rdfs:label "Metrofirm" ; v:seat "France" ; v:home :fr .
"""


@pytest.fixture(scope="module")
def transit(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    path: Path = tmp_path_factory.mktemp("transit") / "transit.ttl"
    path.write_text(TRANSIT, encoding="utf-8")
    return open_kg([str(path)])


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


def test_a_text_that_is_also_a_thing_is_told_with_its_predicates(transit: KnowledgeGraph) -> None:
    assert labels(transit, "Which firm has its seat in France?") == ["France"]
    assert values(transit, "Which firm has its seat in France?") == ['value "France" under p:seat']
    assert values(transit, "Where is Frencham?") == []
    assert values(transit, "Where is Hill Gate?") == []
    assert values(transit, "Which stops lie in the area hills?") == []


def test_a_demonym_is_no_thing_of_similar_spelling(transit: KnowledgeGraph) -> None:
    assert "Frencham" not in labels(transit, "Which French firms are there?")


def test_a_vertex_has_all_its_kinds_and_no_line_for_its_own_name(transit: KnowledgeGraph) -> None:
    card = build_vocabulary_card("Where is Louvain House?", transit)
    lines = build_schema_prompt(transit, card).as_prompt_text().splitlines()
    (shown,) = (line for line in lines if line.startswith("e:1 = Louvain House ["))
    assert set(shown.removeprefix("e:1 = Louvain House [").rstrip("]").split(", ")) == {"museum", "firm"}
    assert values(transit, "Where is Louvain House?") == []
    assert values(transit, "What has its seat in France?") == ['value "France" under p:seat']


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
