"""How the engine works, as a user chooses it: strategy, models of single agents, threshold, the graph."""

import json
from pathlib import Path

import pytest
from chattyshared.kg.factory import open_kg
from chattyshared.model import Completion, Usage
from chattyshared.trace import Trace
from click.testing import CliRunner, Result
from wire.model_server import Fault, ModelServer, completion

from chattykg.cli import main
from chattykg.engine import ChattyEngine, Settings

pytestmark = pytest.mark.slow

GRAPH = """\
@prefix : <https://wells.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Well a rdfs:Class ; rdfs:label "well" . :keeper rdfs:label "keeper" . :depth rdfs:label "depth" .
:one a :Well ; rdfs:label "Foxhole" ; :keeper :ana ; :depth 12 .
:two a :Well ; rdfs:label "Stonewater" ; :keeper :bert ; :depth 30 .
:ana rdfs:label "Ana Lund" . :bert rdfs:label "Bert Voss" .
"""
QUESTION = "Who is the keeper of Foxhole?"


class Writer:
    """A model that writes one query."""

    name = "openai:writer"

    def complete(self, request):
        reply = {"shape": "one", "sparql": "SELECT ?x { e:1 p:keeper ?x }"}
        return Completion(json.dumps(reply), Usage(1, 10, 5))


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    (tmp_path / "wells.ttl").write_text(GRAPH)
    return tmp_path / "wells.ttl"


def call(command: str, *arguments: object) -> Result:
    return CliRunner().invoke(main, [command, *map(str, arguments)], prog_name="chattykg")


def manifest(path: Path) -> dict:
    return json.loads(path.with_name(f"{path.name}.run.json").read_text())["answers"]["engine"]


def test_the_direct_strategy_answers_from_a_recorded_run(graph, tmp_path):
    recorded = tmp_path / "trace.jsonl"
    with Trace(recorded) as trace:
        ChattyEngine(open_kg([str(graph)]), Writer(), settings=Settings(strategy="direct"), trace=trace).answer(
            QUESTION
        )
    done = call("answer", "--kg", graph, "--model", f"replay:{recorded}", "--strategy", "direct", QUESTION)
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.startswith("Ana Lund\n") and "p:keeper ?x" in done.stdout
    agents = call(
        "answer", "--kg", graph, "--model", f"direct=replay:{recorded}", "--strategy", "direct", "--json", QUESTION
    )
    assert (agents.exit_code, json.loads(agents.stdout)["labels"]) == (0, ["Ana Lund"])


def test_a_manifest_says_how_the_engine_works(graph, tmp_path):
    questions, out = tmp_path / "q.jsonl", tmp_path / "a.jsonl"
    questions.write_text(json.dumps({"id": 1, "question": QUESTION}))
    common = ("answer", "--kg", graph, "--questions", questions, "-o", out)
    assert call(*common).exit_code == 0
    assert manifest(out) == {
        "strategy": "auto", "threshold": 0.05, "theta": 3, "shown_answers": 100, "vertex_limit": 600, "query_limit": 40,
        "max_steps": 6, "prompt": "auto",
        "translate": "auto",
        "clarify": "best",
    }  # fmt: skip
    other = call(*common, "--set", "threshold=0.9")
    assert other.exit_code == 2 and "threshold" in other.stderr
    again = call(*common, "--set", "threshold=1", "--overwrite")
    assert again.exit_code == 0 and manifest(out)["threshold"] == 1


LIMITS = {"theta": 2, "shown_answers": 5, "vertex_limit": 7, "query_limit": 3}


def test_limits_come_from_a_file_or_from_flags(graph, tmp_path):
    (tmp_path / "q.jsonl").write_text(json.dumps({"id": 1, "question": QUESTION}))
    given = [f"--set={name}={value}" for name, value in LIMITS.items()]
    (tmp_path / "run.toml").write_text("theta = 2\nshown-answers = 5\nvertex_limit = 9\nquery-limit = 3\n")
    for options in (given, ["--config", tmp_path / "run.toml", "--set", "vertex_limit=7"]):
        out = tmp_path / "a.jsonl"
        done = call("answer", "--kg", graph, "--questions", tmp_path / "q.jsonl", "-o", out, "--overwrite", *options)
        assert done.exit_code == 0, done.output
        assert {name: manifest(out)[name] for name in LIMITS} == LIMITS
    other = call("answer", "--kg", graph, "--questions", tmp_path / "q.jsonl", "-o", out, *given[:3])
    assert other.exit_code == 2 and "query_limit" in other.stderr


@pytest.mark.parametrize(("strategy", "first"), [("staged", 0), ("direct", 0), ("agent", 0), ("auto", 1)])
def test_theta_bounds_the_calls_of_a_model_whose_replies_are_no_use(graph, monkeypatch, strategy, first):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    server = ModelServer().start()
    server.always = Fault(body=completion("no JSON"))
    try:
        for theta in (1, 2):
            done = call(
                "answer", "--kg", graph, "--model", "openai:m", "--base-url", server.url, "--set", f"theta={theta}",
                "--strategy", strategy, "--json", QUESTION,
            )  # fmt: skip
            line = json.loads(done.stdout)
            assert (line["usage"]["calls"], line["reason"]["code"]) == (first + theta, "too-unsure")
    finally:
        server.stop()


def test_rules_answer_in_stages_and_say_so(graph):
    done = call("answer", "--kg", graph, "--strategy", "direct", QUESTION)
    assert done.stdout.startswith("Ana Lund\n")
    assert done.stderr == "warning: the rules write no queries: they answer in stages, whatever --strategy says\n"


def test_the_graph_is_printed_as_mermaid():
    done = call("explain")
    assert done.exit_code == 0
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert "graph TD;" in lines
    assert {
        "vocabulary -.-> direct;", "matching -.-> planning;", "direct -.-> retry;", "rephraser -.-> vocabulary;",
    } <= set(lines)  # fmt: skip


def test_an_answer_is_said_in_a_sentence(graph, tmp_path):
    question = "Which wells are there?"
    done = call("answer", "--kg", graph, "--set", "say=on", question)
    assert done.exit_code == 0 and done.stdout.splitlines()[0] == "Foxhole and Stonewater"
    talk = CliRunner().invoke(
        main, ["chat", "--kg", str(graph), "--set", "say=on"], input=f"{question}\n", prog_name="chattykg"
    )
    assert talk.stdout.strip() == "Foxhole and Stonewater"
    listed = CliRunner().invoke(main, ["chat", "--kg", str(graph)], input=f"{question}\n", prog_name="chattykg")
    assert listed.stdout.strip() == "Foxhole\nStonewater"
