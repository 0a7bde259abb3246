from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from chattyshared import benchmark
from chattyshared.benchmark import Benchmark, make_header
from chattyshared.dialogue import Dialogue, Seed, Turn, Value
from chattyshared.endpoint.local import LocalEndpoint
from chattyshared.endpoint.sandbox import SandboxedEndpoint
from chattyshared.errors import EndpointTimeout, QueryCrashed
from chattyshared.formats.gold import read_gold
from chattyshared.kg import KnowledgeGraph
from chattyshared.questions import Question
from chattyshared.sparql.gold_queries import QueryRun, add_missing_gold
from chattyshared.sparql.result_comparison import agrees_with_gold, comparison_key
from click.testing import CliRunner
from poisoned_endpoint import Poisoned

from chattygen.audit import FINDING_KINDS, AuditReport, audit_gold, repaired_lines
from chattygen.cli import main

L, V = "https://looms.example/", "https://looms.example/vocab/"
GRAPH = """
@prefix : <https://looms.example/> . @prefix v: <https://looms.example/vocab/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Jenny a v:Loom ; rdfs:label "Jenny" ; v:inventor :Hargreaves ; v:shafts 4 ; v:patented "1770-07-12"^^xsd:date .
:Jacquard a v:Loom ; rdfs:label "Jacquard loom" ; v:inventor :Jacquard_J ; v:shafts 8 .
:Hargreaves a v:Weaver ; rdfs:label "James Hargreaves" .
:Jacquard_J a v:Weaver ; rdfs:label "Joseph Jacquard" .
:Jenny_Lind a v:Weaver ; rdfs:label "Jenny" .
:Oswald a v:Weaver ; rdfs:label "Oswaldtwistle" .
"""


@pytest.fixture
def looms(tmp_path: Path) -> KnowledgeGraph:
    path = tmp_path / "looms.ttl"
    path.write_text(GRAPH, encoding="utf-8")
    return KnowledgeGraph(LocalEndpoint([path]), name="looms")


def lines(folder: Path, *questions: dict[str, Any]) -> Path:
    path = folder / "questions.jsonl"
    path.write_text("".join(json.dumps(question) + "\n" for question in questions), encoding="utf-8")
    return path


def looked_at(looms: KnowledgeGraph, folder: Path, *questions: dict[str, Any]) -> AuditReport:
    return audit_gold(read_gold(lines(folder, *questions)), looms)


def kinds(found: AuditReport) -> list[tuple[str, ...]]:
    return [tuple(finding.kind for finding in verdict.findings) for verdict in found.verdicts]


INVENTOR = f"SELECT ?x WHERE {{ <{L}Jacquard> <{V}inventor> ?x }}"
GOOD = {"id": 1, "question": "Who invented the Jacquard loom?", "sparql": INVENTOR, "answers": [L + "Jacquard_J"]}


def test_nothing_is_found_where_nothing_is_wrong(looms, tmp_path):
    by_label = {"question": "Who made the Jacquard loom?", "sparql": INVENTOR, "answers": ["joseph jacquard"]}
    plain = {"id": 3, "question": "What is the Jacquard loom?", "answers": ["a loom"]}
    found = looked_at(looms, tmp_path, GOOD, by_label, plain)
    assert kinds(found) == [(), (), ()]
    assert found.to_json() | {"file": ""} == {
        "file": "", "format": "questions", "questions": 3, "queries": 2, "mended": 0, "hopeless": 0, "answers_made": 0,
        "with_findings": 0, "by_kind": dict.fromkeys(FINDING_KINDS, 0), "found": [], "notes": [],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("change", "kind", "said"),
    [
        ({"sparql": "", "answers": None}, "no-gold", 'no query and no answers: "Who invented the Jacquard loom?"'),
        ({"sparql": "SELECT ?x WHERE {"}, "not-sparql", "does not parse: "),
        ({"sparql": "SELECT ?x { ?x loom:a ?y }"}, "not-sparql", "the prefix loom: is not declared: SELECT"),
        ({"sparql": f"SELECT (?x) {{ <{L}Jacquard> <{V}inventor> ?x }}"}, "dialect", "what is selected put in"),
        ({"sparql": f"SELECT ?x FROM <urn:g> {{ <{L}Jacquard> <{V}inventor> ?x }}"}, "does-not-run", "FROM is not tak"),
        ({"sparql": f"SELECT ?x {{ <{L}Jacquard> <{V}weaver> ?x }}", "answers": None}, "empty", "nothing: "),
        ({"answers": [L + "Hargreaves", "4", "5", "6"]}, "differs",
         f"the query gives Joseph Jacquard <{L}Jacquard_J>, the file says {L}Hargreaves, 4, 5 and 1 more"),
        ({"answers": []}, "differs", f"the query gives Joseph Jacquard <{L}Jacquard_J>, the file says nothing"),
        ({"question": "Which loom did Joseph Jacquard invent?"}, "answer-in-question", '"Joseph Jacquard" is in: '),
    ],
)  # fmt: skip
def test_each_kind_of_finding(looms, tmp_path, change, kind, said):
    (verdict,) = looked_at(looms, tmp_path, GOOD | change).verdicts
    assert [finding.kind for finding in verdict.findings] == [kind]
    assert verdict.findings[0].message.startswith(said)


def test_an_empty_result_differs_from_answers_that_are_stated(looms, tmp_path):
    found = looked_at(looms, tmp_path, GOOD | {"sparql": f"SELECT ?x {{ <{L}Jacquard> <{V}weaver> ?x }}"})
    assert kinds(found) == [("empty", "differs")]


def test_a_name_that_two_things_bear_is_ambiguous_unless_the_query_speaks_of_both(looms, tmp_path):
    shafts = f"SELECT ?n {{ <{L}Jenny> <{V}shafts> ?n }}"
    both = f"ASK {{ VALUES ?x {{ <{L}Jenny> <{L}Jenny_Lind> }} ?x <{V}shafts> ?n }}"
    found = looked_at(
        looms, tmp_path,
        {"id": 1, "question": "How many shafts has the Jenny?", "sparql": shafts, "answers": ["4.0"]},
        {"id": 2, "question": "How many shafts has Hargreaves's loom?", "sparql": shafts, "answers": ["4"]},
        {"id": 3, "question": "Has anything called Jenny shafts?", "sparql": both, "answers": ["yes"]},
    )  # fmt: skip
    assert kinds(found) == [("ambiguous-name",), (), ()]
    assert found.verdicts[0].findings[0].message == f'"Jenny" is <{L}Jenny>, but also <{L}Jenny_Lind>'


def test_a_choice_offers_its_answer_and_gives_nothing_away(looms, tmp_path):
    more = f"SELECT ?x {{ ?x <{V}shafts> ?n }} ORDER BY DESC(?n) LIMIT 1"
    text = "Which has more shafts, the {} or the old one?"
    for asked in (text.format("Jacquard loom"), text.format('"Jacquard loom"'), "Is it the old or the Jacquard loom?"):
        found = looked_at(looms, tmp_path, {"question": asked, "sparql": more, "answers": [L + "Jacquard"]})
        assert kinds(found) == [()]


def test_duplicates_are_told_by_words_alone_or_within_a_dialogue_by_query(looms, tmp_path):
    turn = {"dialogue_id": "a", "sparql": INVENTOR, "answers": [L + "Jacquard_J"]}
    found = looked_at(
        looms, tmp_path, GOOD, GOOD | {"id": 2, "question": "who invented the Jacquard  loom"},
        GOOD | {"id": 3, "question": "The inventor of the Jacquard loom?"},
        turn | {"id": 4, "turn": 1, "question": "Who invented that?"},
        turn | {"id": 5, "turn": 2, "question": "Its inventor?"},
        turn | {"id": 6, "dialogue_id": "b", "turn": 1, "question": "Who invented that?"},
    )  # fmt: skip
    assert kinds(found) == [(), ("duplicate",), (), (), ("duplicate",), ()]
    assert [v.findings[0].message for v in found.verdicts if v.findings] == [
        'asked before as 1: "who invented the Jacquard  loom"', "its query is that of 4",
    ]  # fmt: skip


def test_answers_are_made_where_only_queries_stand(looms, tmp_path):
    table_ = f"SELECT ?x ?n WHERE {{ ?x <{V}shafts> ?n }} ORDER BY ?n"
    found = looked_at(
        looms, tmp_path, {"id": 1, "question": "Who made it?", "sparql": INVENTOR},
        {"id": 2, "question": "All looms with shafts", "sparql": table_},
        {"id": 3, "question": "Is it a loom?", "sparql": f"ASK {{ <{L}Jenny> a <{V}Loom> }}"},
    )  # fmt: skip
    assert kinds(found) == [(), (), ()] and found.figures["answers_made"] == 3
    path = tmp_path / "repaired.jsonl"
    path.write_text("\n".join(repaired_lines(found)), encoding="utf-8")
    again = read_gold(path)
    one, rows, polar = again.questions
    assert one.gold() == ((L + "Jacquard_J", "Joseph Jacquard"),) and "was" not in one.extra
    assert rows.extra["rows"] == [[L + "Jenny", "4"], [L + "Jacquard", "8"]] and rows.extra["cols"] == 2
    assert rows.answers == (L + "Jenny", "4", L + "Jacquard", "8")
    assert polar.answers == ("true",)
    assert kinds(audit_gold(again, looms)) == [(), (), ()]
    given, failed = add_missing_gold(read_gold(lines(tmp_path, {"question": "?", "sparql": INVENTOR})).questions, looms)
    assert [each.answers for each in given] == [(L + "Jacquard_J",)] and not failed


def test_the_repaired_copy_keeps_the_old_values(looms, tmp_path):
    loose = f"SELECT (?x) WHERE {{ <{L}Jacquard> <{V}inventor> ?x }}"
    found = looked_at(
        looms, tmp_path, GOOD | {"sparql": loose, "answers": ["nobody"], "answer_labels": ["nobody"], "source": "x"},
        GOOD | {"id": 2, "question": "Who?", "sparql": "SELECT ?x {"}, GOOD | {"id": 3, "question": "Who was it?"},
    )  # fmt: skip
    one, hopeless, good = map(json.loads, repaired_lines(found))
    assert one["was"] == {"sparql": loose, "answers": ["nobody"]} and one["findings"] == ["dialect", "differs"]
    assert one["sparql"] == INVENTOR.replace("?x WHERE", "?x  WHERE").replace("  ", " ")
    assert (one["answers"], one["answer_labels"], one["source"]) == ([L + "Jacquard_J"], ["Joseph Jacquard"], "x")
    assert hopeless["sparql"] == "SELECT ?x {" and hopeless["answers"] == GOOD["answers"] and "was" not in hopeless
    assert "was" not in good and "findings" not in good


def test_a_benchmark_stays_one_and_its_header_keeps_the_old_gold(looms, tmp_path):
    def turn(place: int, sparql: str, answers: tuple[Value, ...], answerable: bool = True) -> Turn:
        text = f"Who was weaver {place}?"
        return Turn(place, text, text, "object", "topic", "weaver", answerable, "easy", sparql, answers)

    none = f"SELECT ?x WHERE {{ <{L}Jenny> <{V}color> ?x }}"
    turns = (
        turn(1, INVENTOR, (Value(L + "Hargreaves", "iri", label="James Hargreaves"),)),
        turn(2, none, (), answerable=False),
        turn(3, f"ASK {{ <{L}Jenny> a <{V}Loom> }}", (Value("true", "boolean"),)),
    )
    made = {"options": {}, "seed": 1, "model": "rules", "prompts": {}, "versions": {}}
    header = make_header("looms", sources=["looms.ttl"], fingerprint="x", triples=12, generate=made)
    path = tmp_path / "bench.jsonl"
    benchmark.write_benchmark(path, Benchmark(header, (Dialogue("d1", Seed(L + "Jenny", "Jenny", V + "Loom"), turns),)))
    found = audit_gold(read_gold(path), looms)
    assert kinds(found) == [("differs",), (), ()]
    path.write_text("\n".join(repaired_lines(found)), encoding="utf-8")
    again = benchmark.read_benchmark(path)
    assert again.header["repaired"] == {
        "d1/1": [{"value": L + "Hargreaves", "kind": "iri", "label": "James Hargreaves"}]
    }
    assert again.dialogues[0].turns[0].answers == (Value(L + "Jacquard_J", "iri", label="Joseph Jacquard"),)
    assert again.dialogues[0].turns[1:] == turns[1:]


def test_answers_agree_by_value():
    same = [("1", "1.0"), ("1770-07-12", "1770-07-12T00:00:00Z"), ("Yes", "true"), ("A  b", "a B"),
            (L + "Caf%C3%A9", L + "Café")]  # fmt: skip
    assert all(comparison_key(one) == comparison_key(other) for one, other in same)
    assert comparison_key("1") != comparison_key("true") and comparison_key("1770-07-12") != comparison_key(
        "1770-07-12T10:00:00Z"
    )
    rows = ((Value("a", "literal"), Value("1", "number")), (Value("b", "literal"), None))
    ran = QueryRun(rows, ("x", "n"))
    for answers in (("a", "b"), ("1",), ("b", "a", "1.0")):
        assert agrees_with_gold(Question(1, "?", answers=answers), ran)
    assert not agrees_with_gold(Question(1, "?", answers=("a",)), ran)
    by_row = {"cols": 2, "rows": [["b", None], [1, "a"]]}
    assert agrees_with_gold(Question(1, "?", answers=("x",), extra=by_row), ran)
    assert not agrees_with_gold(Question(1, "?", answers=("x",), extra=by_row | {"rows": [["a", 1]]}), ran)
    wider = QueryRun(tuple((*row, Value("7", "number")) for row in rows), ("x", "n", "m"))
    assert agrees_with_gold(Question(1, "?", answers=("x",), extra=by_row), wider)


def test_the_command(looms, tmp_path):
    kg, file, out = str(tmp_path / "looms.ttl"), lines(tmp_path, GOOD | {"answers": ["x"]}), tmp_path / "out.jsonl"

    def call(*more: str) -> Any:
        return CliRunner().invoke(main, ["audit", "--kg", kg, str(file), *more])

    told = call()
    assert told.exit_code == 0 and "differs             1  100.0 %" in told.output
    assert call("--strict").exit_code == 1
    told = call("--json", "-o", str(out))
    assert json.loads(told.output)["by_kind"]["differs"] == 1
    assert json.loads(out.read_text())["was"] == {"answers": ["x"]}
    told = call("-o", str(out))
    assert (told.exit_code, told.output.count("\n")) == (2, 1) and "lies there already" in told.output
    assert call("-o", str(file), "--overwrite").exit_code == 2
    assert CliRunner().invoke(main, ["audit", "--kg", kg, "--strict", str(out)]).exit_code == 0
    told = CliRunner().invoke(main, ["audit", "--kg", kg, str(tmp_path / "looms.ttl")])
    assert told.exit_code == 2 and "neither JSON nor YAML" in told.output


def test_an_unexpected_error_is_the_finding_of_its_question(looms: KnowledgeGraph, tmp_path: Path):
    jenny = {
        "id": 2,
        "question": "How many shafts has Jenny?",
        "sparql": f"SELECT ?x WHERE {{ <{L}Jenny> <{V}shafts> ?x }}",
    }
    unnamed = {"id": 3, "question": "Who is it?", "answers": ["x"]}
    broken = KnowledgeGraph(Poisoned(looms.endpoint, r"FROM|\?x WHERE \{ <[^>]*Jenny> "), name="looms")
    found = looked_at(broken, tmp_path, jenny, GOOD, {**jenny, "id": 4}, unnamed)
    assert [kind[0] if kind else "" for kind in kinds(found)] == ["does-not-run", "", "does-not-run", ""]
    assert found.verdicts[0].findings[0].message.startswith("unexpected error: ValueError at chatty")
    assert found.unexpected.total() == 2
    worse = KnowledgeGraph(Poisoned(looms.endpoint, r"VALUES \?s \{ <[^>]*Jenny> \}"), name="looms")
    found = looked_at(worse, tmp_path, jenny, GOOD)
    assert kinds(found) == [("not-judged",), ()] and found.unexpected.total() == 1


@pytest.mark.slow
def test_a_query_that_ends_its_process_is_the_finding_of_its_question(looms: KnowledgeGraph, tmp_path: Path):
    every = " . ".join(f"?a{n} ?b{n} ?c{n}" for n in range(12))
    heavy = {"id": 2, "question": "How many?", "sparql": f"SELECT (COUNT(*) AS ?n) {{ {every} }}", "answers": ["x"]}
    asking = read_gold(lines(tmp_path, GOOD, heavy, {**GOOD, "id": 3, "question": "Who made the Jacquard loom?"}))
    view = looms.endpoint.untrusted_view()
    assert isinstance(view, SandboxedEndpoint) and view.ask("ASK {}") and view._places.queue[-1] is not None
    timer = threading.Timer(0.7, view._places.queue[-1]._process.kill)
    timer.start()
    found = audit_gold(asking, looms)
    timer.join()
    assert kinds(found) == [(), ("does-not-run",), ()]
    assert "the process of foreign queries ended (status -9)" in found.verdicts[1].findings[0].message
    looms.endpoint.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize("error", [QueryCrashed, EndpointTimeout])
def test_a_query_of_ours_that_fails_keeps_what_was_found_before(looms: KnowledgeGraph, tmp_path: Path, error):
    broken = KnowledgeGraph(Poisoned(looms.endpoint, r"VALUES \?s \{ <[^>]*Jacquard> \}", error), name="looms")
    other = {"id": 9, "question": "Who was it?", "answers": ["x"]}
    found = looked_at(broken, tmp_path, {**GOOD, "answers": ["other"]}, other)
    assert kinds(found) == [("differs", "not-judged"), ()] and not found.unexpected
