"""Numbers and dates that are none: in a graph, in what a server counts, in a model's reply, in a question."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from chattyshared.errors import ResultUnreadable
from chattyshared.jsonlines import read_lines
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel
from click.testing import CliRunner

from chattykg.cli import main
from chattykg.engine import ChattyEngine, Settings
from chattykg.rulebook import RULEBOOK

XSD = "http://www.w3.org/2001/XMLSchema#"
DIRECT = Settings(strategy="direct")
COUNTED = "How many tankers are there?"
ODD = """
@prefix : <https://ships.example/> . @prefix l: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Ship a l:Class ; l:label "ship"@en . :launched l:label "launched"@en . :crew l:label "crew"@en .
:a a :Ship ; l:label "Aurora"@en ; :launched "1922-04-09T00:00:00Z"^^xsd:dateTime ; :crew "twelve"^^xsd:integer .
:b a :Ship ; l:label "Borea"@en ; :launched "-0044-03-15"^^xsd:date ; :crew "NaN"^^xsd:double .
:c a :Ship ; l:label "Cygnus"@en ; :launched 12.5 ; :crew "1,5"^^xsd:decimal .
:d a :Ship ; l:label "Dorado"@en ; :launched "1999-13-45"^^xsd:date ; :crew 12 .
:e a :Ship ; l:label "Eridan"@en ; :launched "1999Z"^^xsd:gYear ; :crew " 5 "^^xsd:integer .
"""


@pytest.fixture
def odd(tmp_path: Path) -> KnowledgeGraph:
    path = tmp_path / "odd.ttl"
    path.write_text(ODD, encoding="utf-8")
    return open_kg([str(path)])


def counting(value: str) -> Callable[[str], str]:
    """Make a server give a value wherever something is counted under the name ?count."""
    return lambda query: re.sub(r"\(COUNT\([^()]*\) AS \?count\)", f"({value} AS ?count)", query)


@pytest.mark.parametrize("shape", ["count", "number"])
@pytest.mark.parametrize(
    "value", [f'"twelve"^^<{XSD}integer>', f'"NaN"^^<{XSD}double>', f'"1,5"^^<{XSD}decimal>', '"two"']
)
def test_what_a_query_counts_has_to_be_a_number(ships: Any, scripted: Any, shape: str, value: str) -> None:
    ill = {"shape": shape, "sparql": f"SELECT ({value} AS ?n) {{ e:1 a ?c }}"}
    well = {"shape": shape, "sparql": "SELECT (COUNT(DISTINCT ?c) + 1 AS ?n) { e:1 a ?c }"}
    question = "How many masts does the Aurora have?"
    model = scripted(direct=[ill, well])
    answer = ChattyEngine(ships, model, settings=DIRECT).answer(question)
    assert f"The shape is {shape}, but the query gives n = " in model.asked[1].messages[-1].content
    assert [one.value for one in answer.values] == ["2"]
    answer = ChattyEngine(ships, scripted(direct=[ill, ill]), settings=DIRECT).answer(question)
    assert answer.values == () and answer.reason is not None


@pytest.mark.slow
@pytest.mark.parametrize("value", [f'"twelve"^^<{XSD}integer>', f'"NaN"^^<{XSD}double>', '"INF"'])
def test_a_server_that_does_not_count_spoils_one_question_and_no_run(
    ships: Any, sparql_server: Any, tmp_path: Path, value: str
) -> None:
    server = sparql_server(*ships.endpoint.files)
    kg = open_kg([server.url])
    engine = ChattyEngine(kg, RuleModel(RULEBOOK))
    server.understood = counting(value)
    with pytest.raises(ResultUnreadable, match="where a count is due, the endpoint gives"):
        engine.answer(COUNTED)
    asked, told = tmp_path / "q.jsonl", tmp_path / "a.jsonl"
    questions = [{"id": "1", "question": COUNTED}, {"id": "2", "question": "Who is the captain of the Aurora?"}]
    asked.write_text("".join(json.dumps(one) + "\n" for one in questions), encoding="utf-8")
    command = ["answer", "--questions", str(asked), "--kg", server.url, "-o", str(told)]
    result = CliRunner().invoke(main, command)
    lines = {line["id"]: line for _, line in read_lines(told)}
    assert not isinstance(result.exception, ValueError)
    assert "where a count is due" in lines["1"]["error"] and lines["2"]["labels"] == ["Ann Lee"]
    server.understood = str
    assert CliRunner().invoke(main, command).exit_code == 0
    lines = {line["id"]: line for _, line in read_lines(told)}
    assert (lines["1"]["answers"], lines["1"].get("error")) == (["2"], None)


@pytest.mark.parametrize("having", [("=", "many"), (">", "²"), ("contains", "2"), (">", "1e999")])
def test_counts_are_compared_with_numbers_alone(asked: Any, having: tuple[str, str]) -> None:
    compared = {"group": "?x", "counted": "?s", "operator": having[0], "value": having[1]}
    answer = asked("Who has several ships?", triples=[["?s", "captain", "?x"]], having=[compared])
    assert answer.values == () and answer.reason is not None


@pytest.mark.parametrize(
    "question",
    [
        "Which ships were repaired ² times?", f"Which ships are longer than {'9' * 400} metres?",
        f"Give me the top {'9' * 330} longest ships", f"Which ship is the {'9' * 330}th longest?",
        "Which ships are longer than ² metres?", "Who are the last ² of them?",
        "Which ships are longer than 1e999 metres?",
    ],
)  # fmt: skip
def test_numbers_of_questions_are_read_or_left(ships: Any, question: str) -> None:
    answer = ChattyEngine(ships, RuleModel(RULEBOOK)).answer(question)
    assert answer.sparql or answer.reason is not None


@pytest.mark.parametrize(
    "question",
    [
        "Which ship was launched first?", "Which ships were launched after 1950?", "Which ship has the highest crew?",
        "How many ships were launched in 1999?", "Was Aurora launched before Borea?",
        "What is the average crew of all ships?",
        "Which ships have a crew of 12?", "Which ships have a crew of twelve?", "When was Dorado launched?",
    ],
)  # fmt: skip
def test_questions_about_odd_literals_are_answered_or_refused(odd: KnowledgeGraph, question: str) -> None:
    answer = ChattyEngine(odd, RuleModel(RULEBOOK)).answer(question)
    assert answer.values or answer.status == "empty" or answer.reason is not None


MIXED = """
@prefix : <https://ships.example/> . @prefix l: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Ship a l:Class ; l:label "ship"@en . :launched l:label "launched"@en . :crew l:label "crew"@en .
:a a :Ship ; l:label "Aurora"@en ; :launched "1922-04-09T00:00:00Z"^^xsd:dateTime ; :crew "twelve"^^xsd:integer .
:b a :Ship ; l:label "Borea"@en ; :launched "1960-05-06"^^xsd:date ; :crew 30 .
:c a :Ship ; l:label "Cygnus"@en ; :launched 12.5 ; :crew 20 .
:d a :Ship ; l:label "Dorado"@en ; :launched "1999-13-45"^^xsd:date ; :crew "1,5"^^xsd:integer .
:e a :Ship ; l:label "Eridan"@en ; :launched "1955"^^xsd:gYear ; :crew "INF"^^xsd:double .
:f a :Ship ; l:label "Fornax"@en ; :launched "1970-01-01"^^xsd:date ; :crew "NaN"^^xsd:double .
:g a :Ship ; l:label "Gemma"@en ; :launched "unknown" ; :crew 40 .
"""


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which ship was launched first?", ["Aurora"]), ("Which ship was launched last?", ["Fornax"]),
        ("Which ships were launched after 1950?", ["Borea", "Eridan", "Fornax"]),
        ("How many ships were launched before 1958?", ["2"]), ("Which ship has the largest crew?", ["Gemma"]),
        ("Which ship has the smallest crew?", ["Cygnus"]), ("What is the average crew of all ships?", ["30"]),
        ("Which are the top two ships by crew?", ["Gemma", "Borea"]),
    ],
)  # fmt: skip
def test_only_what_is_readable_and_of_one_kind_is_compared(tmp_path: Path, question: str, expected: list[str]) -> None:
    path = tmp_path / "mixed.ttl"
    path.write_text(MIXED, encoding="utf-8")
    answer = ChattyEngine(open_kg([str(path)]), RuleModel(RULEBOOK)).answer(question)
    assert [value.label or value.value for value in answer.values] == expected, answer.sparql


def test_values_are_found_by_what_they_are(odd: KnowledgeGraph) -> None:
    found = odd.search_literals(["12", "5", "1999", "-0044", "twelve", "NaN", "15"])
    values = {asked: [str(hit.value) for hit in hits] for asked, hits in found.items()}
    first = [values[asked][0] for asked in ("12", "5", "1999", "-0044")]
    assert first == ["12", " 5 ", "1999Z", "-0044-03-15"]
    assert values["twelve"] == ["twelve"] and values["NaN"] == ["NaN"] and "1,5" not in values["15"]
