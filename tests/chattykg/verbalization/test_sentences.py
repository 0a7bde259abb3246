"""The phrase beside an answer says all that its query asks, or there is none."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from chattyshared.jsonlines import read_lines
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from chattyshared.language.lexicon import load_lexicon
from chattyshared.sparql.analysis import QueryAnalysis, analyze_query
from rdflib import URIRef

from chattykg.verbalization.sentences import verbalize_query

SHIP = [{"unknown": "?x", "class": "ship"}]


@pytest.mark.parametrize(
    ("qir", "said"),
    [
        ({"triples": [["Aurora", "launch date", "?x"]]}, "the launch date of Aurora"),
        ({"triples": [["?x", "captain", "Ann Lee"]], "classes": SHIP}, "every ship whose captain is Ann Lee"),
        (
            {"shape": "count", "triples": [["?x", "captain", "Ann Lee"]], "classes": SHIP},
            "the number of ships whose captain is Ann Lee",
        ),
        (
            {"shape": "boolean", "target": "", "triples": [["Aurora", "captain", "Ann Lee"]]},
            "whether the captain of Aurora is Ann Lee",
        ),
        (
            {"shape": "boolean", "target": "", "triples": [["Aurora", "color", "pink"]]},
            "whether the color of Aurora is pink",
        ),
        (
            {
                "triples": [["?x", "launch date", "?d"]],
                "classes": SHIP,
                "filters": [{"unknown": "?d", "operator": ">", "value": "2010"}],
            },
            "every ship whose launch date is after 2010",
        ),
        (
            {
                "triples": [["?x", "length", "?n"]],
                "classes": SHIP,
                "order": {"by": "?n", "descending": True, "limit": 0},
            },
            "every ship, sorted by length",
        ),
        (
            {"triples": [["?x", "length", "?n"]], "classes": SHIP, "order": {"by": "?n", "descending": True}},
            "the ship with the highest length",
        ),
        (
            {"either": [[{"classes": SHIP}, {"classes": [{"unknown": "?x", "class": "harbor"}]}]], "triples": []},
            "",
        ),
        (
            {
                "classes": SHIP,
                "triples": [],
                "either": [[{"triples": [["?x", "color", end]]} for end in ("red", "blue")]],
            },
            "",
        ),
        (
            {"triples": [["Aurora", "captain", "?p"], ["?p", "birth place", "?x"]]},
            "the birth place of the captain of Aurora",
        ),
    ],
)
def test_common_shapes(asked: Any, qir: Any, said: str) -> None:
    question = "Is there one?" if qir.get("shape") == "boolean" else "Which one?"
    assert asked(question, **({"target": "?x"} | qir)).sentence == said


PREFIXES = """PREFIX f: <http://football.example/ontology#> PREFIX r: <http://football.example/id/>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> """
ROOT = Path(__file__).resolve().parents[3]
SETS = sorted((ROOT / "benchmarks/development").glob("*/*.jsonl"))[::3]  # all of them take a minute
SENTENCES = [json.loads(line) for line in Path(__file__).with_name("sentences.jsonl").read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def football() -> KnowledgeGraph:
    return open_kg([str(ROOT / "benchmarks/development/football/graph.ttl")])


@pytest.mark.parametrize("case", SENTENCES, ids=lambda case: case["query"][:60])
def test_a_query_in_words(football: KnowledgeGraph, case: Mapping[str, str]) -> None:
    assert verbalize_query(PREFIXES + case["query"], football, row_limit=10_000) == case["sentence"]


@pytest.mark.parametrize("text", ["", "no query", "SELECT ?x {", "CONSTRUCT { ?s ?p ?o } { ?s ?p ?o }"])
def test_what_is_no_query_has_no_sentence(football: KnowledgeGraph, text: str) -> None:
    assert verbalize_query(text, football) == ""


def test_a_phrase_is_in_the_language_of_the_labels() -> None:
    kg = open_kg([str(ROOT / "benchmarks/development/german/graph.ttl")])
    prefix = "PREFIX s: <https://denkmal.example/schema#> "
    query = "SELECT ?x { ?x a s:Lighthouse ; s:height ?h FILTER(?h > 30) }"
    assert verbalize_query(prefix + query, kg) == "alles, was Leuchtturm ist, mit Höhe größer als 30"


def test_the_rows_of_each_language_have_the_same_keys() -> None:
    english, german = (load_lexicon("query_phrases", name) for name in ("english", "german"))
    assert english.keys() == german.keys()
    assert all(row.keys() == german[key].keys() for key, row in english.items() if isinstance(row, dict))


@pytest.mark.parametrize("path", SETS, ids=lambda path: "/".join(path.parts[-2:]))
def test_a_sentence_names_each_thing_and_value_of_its_query(ships: KnowledgeGraph, path: Path) -> None:
    questions = [value for _, value in read_lines(path)]
    queries = [turn["sparql"] for value in questions for turn in value.get("turns", [value]) if turn.get("sparql")]
    silent = []
    for query in dict.fromkeys(queries):
        sentence, analysis = verbalize_query(query, ships), analyze_query(query)
        iris = [iri for iri in analysis.iris if iri not in _classes(analysis)]
        texts = [
            *ships.labels(map(URIRef, iris)).values(),
            *(" ".join(str(literal).split()) for literal in analysis.literals),
        ]
        hidden = [text for text in texts if text[:40] not in sentence]
        if hidden and sentence:
            silent.append((hidden, sentence, query))
    assert not silent


def _classes(analysis: QueryAnalysis) -> frozenset[str]:
    return frozenset(str(o) for _, p, o in analysis.patterns if "type" in str(p) or "subClassOf" in str(p))
