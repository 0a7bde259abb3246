from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from chattyshared import benchmark
from chattyshared.benchmark import Benchmark, make_header
from chattyshared.dialogue import Certificate, Dialogue, Seed, Turn, Value
from chattyshared.endpoint.local import LocalEndpoint
from chattyshared.errors import ConfigError, EndpointTimeout
from chattyshared.formats.gold import read_gold
from chattyshared.kg import KnowledgeGraph
from click.testing import CliRunner
from poisoned_endpoint import Poisoned
from rdflib import RDFS

from chattygen.audit import AuditReport, audit_gold, compare_graphs, repaired_lines
from chattygen.audit.verdict import DRIFT_KINDS
from chattygen.cli import main

L, V = "https://looms.example/", "https://looms.example/vocab/"
OLD = """
:Jenny a v:Loom ; rdfs:label "Jenny" ; v:shafts 4 ; v:inventor :Hargreaves ; v:place :Oswald .
:Draw a v:Loom ; rdfs:label "draw loom" ; v:shafts 8 ; v:place :Lyon .
:Dobby a v:Loom ; rdfs:label "dobby" ; v:shafts 6 ; v:place :Lyon ; v:seen [ v:year 1850 ] .
:Hargreaves a v:Weaver ; rdfs:label "James Hargreaves" . :Lyon rdfs:label "Lyon" . :Oswald rdfs:label "Oswaldtwistle" .
:Jenny v:colour :Red . :Draw v:fits :Jenny, :Dobby, :Draw . :Dobby v:weight 7 .
"""
NEW = """
:Jenny a v:Machine ; rdfs:label "spinning jenny" ; v:shafts 5 ; v:maker :Hargreaves .
:Draw a v:Machine ; rdfs:label "draw loom" ; v:shafts 8 ; v:place :Lyon .
:Dobby a v:Machine ; rdfs:label "dobby" ; v:shafts 6 ; v:place :Lyon ; v:seen [ v:year 1850 ] .
:Hargreaves a v:Weaver ; rdfs:label "J. Hargreaves" . :Lyon rdfs:label "Lyon" . :Oswald rdfs:label "Oswaldtwistle" .
:Draw v:suits :Jenny, :Dobby . :Dobby v:height 9 .
"""
PREFIX = f"PREFIX : <{L}> PREFIX v: <{V}> "
QUESTIONS: dict[str, tuple[str, str, list[str]]] = {
    "unchanged": ("Where was the draw loom made?", "SELECT ?x { :Draw v:place ?x }", [L + "Lyon"]),
    "data-changed": ("How many shafts?", "SELECT ?x { :Jenny v:shafts ?x }", ["4"]),
    "data-lost": ("Where was it made?", "SELECT ?x { :Jenny v:place ?x }", [L + "Oswald"]),
    "schema-renamed": ("Who invented it?", "SELECT ?x { :Jenny v:inventor ?x }", [L + "Hargreaves"]),
    "class-renamed": ("How many looms?", f"SELECT (COUNT(?x) AS ?n) {{ ?x a/<{RDFS.subClassOf}>* v:Loom }}", ["3"]),
    "broken": ("What is 6?", "SELECT ?x { ?x v:shafts 6 }", [L + "Dobby"]),
    "relabelled": ("Which weaver?", "SELECT ?x { ?x a v:Weaver }", [L + "Hargreaves"]),
    "negated": ("Which looms have no maker?", "SELECT ?x { ?x v:shafts ?n FILTER NOT EXISTS { ?x v:maker ?w } }", []),
    "renamed-no": ("Does it fit Lyon?", "ASK { :Draw v:fits :Lyon }", ["false"]),
    "renamed-and-lost": ("What does it fit?", "SELECT ?x { :Draw v:fits ?x }", [L + "Jenny", L + "Dobby", L + "Draw"]),
    "gone-no": ("Is it blue?", "ASK { :Jenny v:colour :Blue }", ["false"]),
    "gone-negated": ("What has no colour?", "SELECT ?x { ?x v:fits :Jenny FILTER NOT EXISTS { ?x v:colour ?c } }", []),
    "other-name": ("Does it weigh 9?", "ASK { :Dobby v:weight 8 }", ["false"]),
    "blank": ("What was seen?", "SELECT ?x { :Dobby v:seen ?x }", []),
}  # fmt: skip


@pytest.fixture(scope="module")
def graphs(write_graph: Any) -> tuple[KnowledgeGraph, KnowledgeGraph]:
    old, new = (LocalEndpoint([write_graph(name, text)]) for name, text in (("old.ttl", OLD), ("new.ttl", NEW)))
    return KnowledgeGraph(old), KnowledgeGraph(Poisoned(new, "shafts> 6|v:shafts 6", EndpointTimeout), name="new.ttl")


@pytest.fixture(scope="module")
def report(graphs: tuple[KnowledgeGraph, KnowledgeGraph], write_questions: Any) -> AuditReport:
    lines = (
        {"id": id, "question": text, "sparql": PREFIX + query, **({"answers": answers} if answers else {})}
        for id, (text, query, answers) in QUESTIONS.items()
    )
    return compare_graphs(read_gold(write_questions("q.jsonl", *lines)), *graphs)


def test_each_change_has_its_class(report):
    kinds = {str(drift.question.id): tuple(finding.kind for finding in drift.findings) for drift in report.verdicts}
    assert kinds == {
        **{name: (name,) for name in DRIFT_KINDS if name != "not-judged"},
        "renamed-no": ("schema-renamed",), "renamed-and-lost": ("schema-renamed", "data-lost"),
        "gone-no": ("data-lost",), "gone-negated": ("schema-renamed", "data-lost"),
        "other-name": ("data-lost",), "broken": ("data-lost",), "unchanged": (), "relabelled": (), "blank": (),
        "class-renamed": ("schema-renamed",), "negated": ("data-lost",),
    }  # fmt: skip
    assert report.figures["with_findings"] == 11 and not report.by_kind["not-judged"]


def test_changes_are_shown_with_their_answers_and_queries(report):
    found = {str(drift.question.id): drift for drift in report.verdicts}
    assert found["data-lost"].findings[0].message == "Oswaldtwistle became nothing"
    assert found["data-changed"].details == {"old": ["4"], "new": ["5"]}
    assert found["schema-renamed"].query == f"{PREFIX}SELECT ?x {{ :Jenny <{V}maker> ?x }}"
    assert found["schema-renamed"].details["renames"] == {V + "inventor": V + "maker"}
    assert found["gone-no"].findings[0].message == f"nothing in the new graph has <{V}colour>"
    assert found["other-name"].findings[0].message == f"nothing in the new graph has <{V}weight>"
    assert found["broken"].findings[0].message.startswith("the query fails on the new graph: ")
    assert found["renamed-no"].query == f"{PREFIX}ASK {{ :Draw <{V}suits> :Lyon }}"
    assert found["renamed-and-lost"].findings[1].message.endswith("became dobby, spinning jenny")
    assert f"* <{V}Machine>" in found["class-renamed"].query


def test_the_copy_for_the_new_graph_has_the_new_queries_and_gold(report, graphs, tmp_path):
    path = tmp_path / "copy.jsonl"
    path.write_text("\n".join(repaired_lines(report, graphs[1])), encoding="utf-8")
    lines = {line["id"]: line for line in map(json.loads, path.read_text(encoding="utf-8").splitlines())}
    assert lines["data-changed"]["answers"] == ["5"] and lines["data-changed"]["was"] == {"answers": ["4"]}
    assert lines["schema-renamed"]["was"]["sparql"] == PREFIX + QUESTIONS["schema-renamed"][1]
    assert lines["gone-no"]["answers"] == ["false"] and "was" not in lines["gone-no"]
    assert lines["broken"]["answers"] == [L + "Dobby"] and "was" not in lines["unchanged"]
    again = audit_gold(read_gold(path), graphs[1])
    kinds = {finding.kind for verdict in again.verdicts for finding in verdict.findings}
    assert kinds <= {"empty", "does-not-run"}


@pytest.fixture
def looms_benchmark(graphs: tuple[KnowledgeGraph, KnowledgeGraph], tmp_path: Path) -> Path:
    maker, place = (f"SELECT ?x {{ <{L}Jenny> <{V}{name}> ?x }}" for name in ("inventor", "place"))
    certain = Certificate(verdict="certain", fingerprint=graphs[0].fingerprint(), is_audit=True)
    turns = (
        Turn(1, "Who?", "Who?", "object", "opens", "weaver", True, "easy", maker,
             (Value(L + "Hargreaves", "iri", label="James Hargreaves"),), ((L + "Jenny", V + "inventor", "?x"),),
             ((L + "Jenny", V + "inventor", L + "Hargreaves"),), certificate=certain),
        Turn(2, "Where?", "Where?", "object", "topic", "town", True, "easy", place,
             (Value(L + "Oswald", "iri"),), ((L + "Jenny", V + "place", "?x"),),
             ((L + "Jenny", V + "place", L + "Oswald"),), certificate=certain),
        Turn(3, "Is there any?", "Is there any?", "boolean", "answer", "yes-no", True, "easy",
             f"ASK {{ <{L}Oswald> <{RDFS.label}> ?x }}", (Value("true", "boolean"),), certificate=certain),
        Turn(4, "Is it red?", "Is it red?", "boolean", "topic", "yes-no", False, "easy",
             f"ASK {{ <{L}Jenny> <{V}colour> <{L}Blue> }}", (), certificate=Certificate(("red",), verdict="certain")),
    )  # fmt: skip
    made = {"options": {}, "seed": 1, "model": "rules", "prompts": {}, "versions": {}}
    header = make_header("looms", sources=["old.ttl"], fingerprint="x", triples=12, generate=made)
    dialogue = Dialogue("d1", Seed(L + "Jenny", "Jenny", V + "Loom"), turns)
    benchmark.write_benchmark(tmp_path / "b.jsonl", Benchmark(header, (dialogue,)))
    return tmp_path / "b.jsonl"


def test_a_benchmark_keeps_its_old_queries_in_the_header(graphs, looms_benchmark, tmp_path):
    report = compare_graphs(read_gold(looms_benchmark), *graphs)
    (tmp_path / "copy.jsonl").write_text("\n".join(repaired_lines(report, graphs[1])), encoding="utf-8")
    former, copy = (benchmark.read_benchmark(path) for path in (looms_benchmark, tmp_path / "copy.jsonl"))
    first, second, third, fourth = copy.dialogues[0].turns
    maker = former.dialogues[0].turns[0].sparql
    assert copy.header["rewritten"] == {"d1/1": maker} and list(copy.header["repaired"]) == ["d1/2"]
    assert copy.header["kg"] == {
        "sources": ["new.ttl"], "fingerprint": graphs[1].fingerprint(), "triples": graphs[1].count_triples()
    }  # fmt: skip
    assert first.sparql == maker.replace("inventor", "maker")
    assert first.witness == ((L + "Jenny", V + "maker", L + "Hargreaves"),)
    assert (second.answerable, second.answers, second.witness) == (False, (), ())
    assert third.answers == former.dialogues[0].turns[2].answers
    assert [turn.certificate for turn in (first, second, third)] == [None, None, None]
    assert (fourth.answerable, fourth.certificate) == (False, Certificate(("red",)))


def test_another_graph_than_that_of_the_header_is_told(looms_benchmark, write_graph, tmp_path):
    old, new = (str(write_graph(name, text)) for name, text in (("old.ttl", OLD), ("new.ttl", NEW)))
    call = ["audit", str(looms_benchmark), "--kg", new]
    told = CliRunner().invoke(main, [*call, "--since", old, "-o", str(tmp_path / "copy.jsonl")])
    assert (told.exit_code, told.stderr.count("\n")) == (0, 1)
    assert "b.jsonl was made from another graph than old.ttl, or from another state of it\n" in told.stderr
    assert "says what has changed" in CliRunner().invoke(main, call).stderr
    call[1] = str(tmp_path / "copy.jsonl")
    assert not CliRunner().invoke(main, call).stderr


def test_a_file_without_queries_is_refused(graphs, write_questions):
    file = write_questions("q.jsonl", {"question": "Who?", "answers": ["x"]})
    with pytest.raises(ConfigError, match="no question has a query"):
        compare_graphs(read_gold(file), *graphs)


def test_the_command(write_graph, write_questions, tmp_path):
    old, new = (str(write_graph(name, text)) for name, text in (("old.ttl", OLD), ("new.ttl", NEW)))
    lost = {"question": "Where was it made?", "sparql": PREFIX + QUESTIONS["data-lost"][1], "answers": [L + "Oswald"]}
    file = str(write_questions("q.jsonl", lost))

    def call(*more: str) -> Any:
        return CliRunner().invoke(main, ["audit", "--kg", new, file, *more])

    told = call("--since", old, "--json", "--strict")
    data = json.loads(told.output)
    assert told.exit_code == 1 and data["by_kind"]["data-lost"] == 1 and data["found"][0]["old"] == [L + "Oswald"]
    for arguments, message in (
        (["--since", new], "--since names the graph of --kg"),
        (["--since", str(tmp_path / "none.ttl")], "no such file"),
        (["--since", str(tmp_path)], "is a folder, not an RDF file; the folder of a store goes behind --store"),
        (["--since", old, "--certify"], "run one after the other"),
        (["--since", old, "-o", file], "is what is to be read"),
    ):
        told = call(*arguments)
        assert (told.exit_code, told.output.count("\n")) == (2, 1) and message in told.output
