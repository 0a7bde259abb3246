"""Numbers that are none, in what a server counts and in a model's reply; graphs as strangers make them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from chattyshared.errors import ResultUnreadable
from chattyshared.jsonlines import read_lines
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel
from click.testing import CliRunner

from chattygen.cli import main as generate_main
from chattykg.cli import main
from chattykg.engine import ChattyEngine, Settings
from chattykg.rulebook import RULEBOOK

XSD = "http://www.w3.org/2001/XMLSchema#"
DIRECT = Settings(strategy="direct")
COUNTED = "How many tankers are there?"
NESTED = str(Path(__file__).with_name("graphs") / "nested.ttl")


@pytest.mark.parametrize("shape", ["count", "number"])
@pytest.mark.parametrize("value", [f'"twelve"^^<{XSD}integer>', f'"NaN"^^<{XSD}double>', '"two"'])
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
    engine = ChattyEngine(open_kg([server.url]), RuleModel(RULEBOOK))
    server.understood = lambda query: re.sub(r"\(COUNT\([^()]*\) AS \?count\)", f"({value} AS ?count)", query)
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


def test_values_are_found_by_what_they_are(open_graph: Any) -> None:
    found = open_graph("odd").search_literals(["12", "5", "1999", "-0044", "twelve", "NaN", "15"])
    values = {asked: [str(hit.value) for hit in hits] for asked, hits in found.items()}
    first = [values[asked][0] for asked in ("12", "5", "1999", "-0044")]
    assert first == ["12", " 5 ", "1999Z", "-0044-03-15"]
    assert values["twelve"] == ["twelve"] and values["NaN"] == ["NaN"] and "1,5" not in values["15"]


@pytest.mark.parametrize(("scores", "notes"), [("(4 8 4)", 1), ("(4 8)", 0)])
def test_values_that_a_list_repeats_are_summed_with_a_note(open_graph: Any, scores: str, notes: int) -> None:
    head = "@prefix : <http://p.example/> . @prefix l: <http://www.w3.org/2000/01/rdf-schema#> .\n"
    players = f':ann a :Player ; l:label "Ann" ; :score {scores} . :bob a :Player ; l:label "Bob" ; :score (3 5) .'
    answer = ChattyEngine(open_graph(head + players), RuleModel(RULEBOOK)).answer("What is the total score of Ann?")
    said = 'The values of "score" are lists, of which an equal value counts once.'
    assert answer.notes.count(said) == notes


@pytest.mark.parametrize(
    ("command", "arguments", "shown"),
    [
        (main, ["answer", "--kg", NESTED, "How many people are in the crew of Argo?"], {"Argo, crew, Eva Lund": 1}),
        (generate_main, ["types", "--kg", NESTED], {"can carry 5 turns": 2, "seeds with": 1}),
    ],
)
def test_what_has_no_name_is_left_out_of_evidence_and_types(command: Any, arguments: Any, shown: Any) -> None:
    output = CliRunner().invoke(command, arguments).output
    assert {words: output.count(words) for words in shown} == shown


def test_a_file_of_one_item_has_the_class_that_it_states(open_graph: Any) -> None:
    kg = open_graph("wikibase")
    assert [(each.label, each.count) for each in kg.types()] == [("tower", 1)]
    assert [hit.iri for hit in kg.search(["Eiffel Tower"])["Eiffel Tower"]] == ["http://www.wikidata.org/entity/Q1"]
