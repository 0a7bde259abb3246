"""``chattykg answer`` as a user calls it, with the rule model over a small graph."""

import json
import re
from pathlib import Path

import pytest
from chattyshared.benchmark import Benchmark, make_header, write_benchmark
from chattyshared.dialogue import Dialogue, Seed, Turn, Value
from chattyshared.formats.box import MEMBERS, SUMS, write_box
from chattyshared.kg.factory import open_kg
from click.testing import CliRunner, Result

from chattykg.cli import main

GRAPH = """\
@prefix : <https://chatty.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .

:Film a rdfs:Class ; rdfs:label "film" .
:Person a rdfs:Class ; rdfs:label "person" .
:director rdfs:label "director" .
:released rdfs:label "release date" .
:one a :Film ; rdfs:label "The Long River" ; :director :ana ; :released "1999-05-01"^^xsd:date .
:two a :Film ; rdfs:label "A Short Hill" ; :director :ana, :bert ; :released "2004-02-03"^^xsd:date .
:ana a :Person ; rdfs:label "Ana Lund" .
:bert a :Person ; rdfs:label "Bert Voss" .
"""
ANA, BERT = "https://chatty.example/ana", "https://chatty.example/bert"


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    (tmp_path / "films.ttl").write_text(GRAPH)
    return tmp_path / "films.ttl"


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    asked = [
        {"id": 2, "question": "Who directed it?", "dialogue_id": "d", "turn": 1},
        {"id": 1, "question": "When was A Short Hill released?", "dialogue_id": "d", "turn": 0},
        {"id": "x", "question": "Who directed The Long River?", "answers": ["Ana Lund"]},
    ]
    (tmp_path / "questions.jsonl").write_text("".join(json.dumps(each) + "\n" for each in asked))
    return tmp_path / "questions.jsonl"


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["answer", *map(str, arguments)], prog_name="chattykg")


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_question_gets_its_answer_and_where_it_came_from(graph):
    done = call("--kg", graph, "Who directed The Long River?")
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.startswith("Ana Lund\n\n")
    assert '"The Long River"' in done.stdout and "\nquery       SELECT" in done.stdout


def test_json_is_the_line_of_an_answers_file(graph):
    done = call("--kg", graph, "--json", "Who directed A Short Hill?")
    read = json.loads(done.stdout)
    assert (read["answers"], read["labels"]) == ([ANA, BERT], ["Ana Lund", "Bert Voss"])
    promised = (
        "id question status answers labels scores sparql standalone confidence sentence witness links queries "
        "candidate_queries usage "
        "stages seconds"
    )
    assert set(promised.split()) <= read.keys()
    assert (read["question"], read["status"]) == ("Who directed A Short Hill?", "answered")


def test_a_question_file_may_say_what_was_said_before(graph, tmp_path):
    history = [
        {"role": "user", "content": "Who directed The Long River?"},
        {"role": "assistant", "content": "Ana Lund."},
    ]
    asked = [
        {"id": 1, "dialogue_id": "d", "turn": 1, "question": "Which films did she direct?", "history": history},
        {"id": 2, "dialogue_id": "d", "turn": 2, "question": "Which of them was released first?"},
        {"id": 3, "question": "Who directed it?", "history": [{"question": "When was A Short Hill released?"}]},
    ]
    (tmp_path / "q.jsonl").write_text("".join(json.dumps(each) + "\n" for each in asked))
    out = tmp_path / "a.jsonl"
    done = call("--kg", graph, "--questions", tmp_path / "q.jsonl", "-o", out)
    assert (done.exit_code, done.stderr) == (0, "")
    assert [line["labels"] for line in lines(out)] == [
        ["A Short Hill", "The Long River"], ["The Long River"], ["Ana Lund", "Bert Voss"],
    ]  # fmt: skip
    assert lines(out)[0]["standalone"] == "Which films did Ana Lund direct?"


@pytest.mark.parametrize("question", ["", "   ", "\udcff\udcfe", "\x00\x1b[2J", "?", "'; DROP } SELECT * { ?s ?p ?o"])
def test_a_question_that_is_none_is_not_known(graph, question):
    done = call("--kg", graph, question)
    assert done.exit_code == 0
    assert done.stdout.startswith("I do not know")


def test_a_file_of_questions_becomes_a_file_of_answers(graph, questions, tmp_path):
    out = tmp_path / "out" / "answers.jsonl"
    done = call("--kg", graph, "--questions", questions, "-o", out)
    assert (done.exit_code, done.stdout) == (0, f"{out}: 3 answers\n")
    assert [line["id"] for line in lines(out)] == [2, 1, "x"]
    assert [line["answers"] for line in lines(out)] == [[ANA, BERT], ["2004-02-03"], [ANA]]
    assert json.loads((tmp_path / "out" / "answers.jsonl.run.json").read_text())["complete"] is True
    assert {event["span"] for event in lines(tmp_path / "out" / "answers.jsonl.trace.jsonl")} == {"1", "2", "x"}


def test_a_text_with_a_question_a_line_is_answered(graph, tmp_path):
    (tmp_path / "asked.txt").write_bytes(
        b"\xef\xbb\xbf# films\r\nWho directed The Long River?\r\n\r\nWhen was A Short Hill released?\r\n"
    )
    done = call("--kg", graph, "--questions", tmp_path / "asked.txt", "-o", tmp_path / "a.jsonl")
    assert (done.exit_code, done.stderr) == (0, "")
    told = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert [(each["id"], each["question"], each["labels"]) for each in told] == [
        (2, "Who directed The Long River?", ["Ana Lund"]),
        (4, "When was A Short Hill released?", ["2004-02-03"]),
    ]


def test_the_same_command_finds_its_answers_there(graph, questions, tmp_path):
    out = tmp_path / "answers.jsonl"
    call("--kg", graph, "--questions", questions, "-o", out)
    before = out.read_bytes()
    done = call("--kg", graph, "--questions", questions, "-o", out, "--workers", 2)
    assert (done.exit_code, done.stdout) == (0, f"{out}: 3 answers (were there already)\n")
    assert out.read_bytes() == before


def test_another_command_is_refused_until_it_may_overwrite(graph, questions, tmp_path):
    out = tmp_path / "answers.jsonl"
    call("--kg", graph, "--questions", questions, "-o", out)
    graph.write_text(GRAPH + ':three a :Film ; rdfs:label "Third" .\n')
    done = call("--kg", graph, "--questions", questions, "-o", out)
    assert done.exit_code == 2
    assert "made by another run" in done.stderr and "--overwrite" in done.stderr
    assert call("--kg", graph, "--questions", questions, "-o", out, "--overwrite").exit_code == 0


def test_a_graph_without_labels_is_warned_of(tmp_path):
    (tmp_path / "mute.nt").write_text(
        "".join(f"<https://chatty.example/film{n}> <https://chatty.example/madeIn> <https://chatty.example/Rome> .\n"
                for n in range(3))
    )  # fmt: skip
    done = call("--kg", tmp_path / "mute.nt", "What was made in Rome?")
    assert done.exit_code == 0
    assert done.stderr.startswith("warning: mute.nt has no labels")


def test_errors_are_no_answers(graph, questions, tmp_path):
    calls = tmp_path / "calls.jsonl"
    assert call("--kg", graph, "--set", f"trace={calls}", "Who directed The Long River?").exit_code == 0
    done = call("--kg", graph, "--questions", questions, "-o", tmp_path / "a.jsonl", "--model", f"replay:{calls}")
    assert (done.exit_code, done.stdout) == (0, f"{tmp_path / 'a.jsonl'}: 1 answers\n")
    assert done.stderr.startswith("warning: 2 questions ended in an error; the trace holds no replies to them: ")


STRANGE = "Qwertz asdf yxcv?"


def test_a_replay_takes_the_strategies_of_its_trace(graph, tmp_path):
    """Where the rules found nothing, they wrote no query either: the replay must not ask for one."""
    questions, trace = tmp_path / "asked.jsonl", tmp_path / "t.jsonl"
    asked = ["Who directed A Short Hill?", "Who composed the music of A Short Hill?", STRANGE]
    questions.write_text("".join(json.dumps({"id": n, "question": one}) + "\n" for n, one in enumerate(asked)))
    first, again = tmp_path / "first.jsonl", tmp_path / "again.jsonl"
    assert call("--kg", graph, "--questions", questions, "-o", first, "--set", f"trace={trace}").exit_code == 0
    done = call("--kg", graph, "--questions", questions, "-o", again, "--model", f"replay:{trace}")
    assert (done.exit_code, done.stderr) == (0, "")

    def said(path):
        return [{key: part for key, part in line.items() if key not in ("seconds", "stages")} for line in lines(path)]

    assert said(again) == said(first) and any(not line["answers"] for line in said(again))


def test_the_right_history_names_what_its_queries_name(graph, tmp_path):
    film, hill = "https://chatty.example/one", "https://chatty.example/two"
    released = "<https://chatty.example/released>"
    said = [
        ("When was The Long River released?", "When was The Long River released?",
         f"SELECT ?x {{ <{film}> {released} ?x }}", Value("1999-05-01", "literal")),
        ("Which was released earlier, this film or A Short Hill?",
         "Of The Long River and A Short Hill, which was released earlier?",
         f"SELECT ?x {{ VALUES ?x {{ <{film}> <{hill}> }} ?x {released} ?v }} ORDER BY ?v LIMIT 1",
         Value(film, "iri", label="The Long River")),
        ("When exactly was the latter released?", "When was A Short Hill released?",
         f"SELECT ?x {{ <{hill}> {released} ?x }}", Value("2004-02-03", "literal")),
    ]  # fmt: skip
    turns = tuple(
        Turn(number, question, standalone, "object", "topic", "resource", True, "easy", sparql, (answer,))
        for number, (question, standalone, sparql, answer) in enumerate(said, 1)
    )
    dialogue = Dialogue("d1", Seed(film, "The Long River", "https://chatty.example/Film"), turns)
    generate = {"options": {}, "seed": 0, "model": "rules", "prompts": {}, "versions": {}}
    header = make_header("films", sources=["films.ttl"], fingerprint="x", triples=1, generate=generate)
    write_benchmark(tmp_path / "benchmark.jsonl", Benchmark(header, (dialogue,)))
    output = tmp_path / "answers.jsonl"
    done = call("--kg", graph, "--benchmark", tmp_path / "benchmark.jsonl", "--history", "gold", "-o", output)
    assert (done.exit_code, lines(output)[-1]["answers"]) == (0, ["2004-02-03"])


def test_a_box_is_its_own_graph_unless_another_is_named(tmp_path, graph):
    dialogue = Dialogue(
        "d1", Seed("https://chatty.example/one", "The Long River", "https://chatty.example/Film"),
        (Turn(1, "Who directed The Long River?", "Who directed The Long River?", "object", "opens", "person", True,
              "easy", "SELECT ?x { }", (Value(ANA, "iri", label="Ana Lund"),)),),
    )  # fmt: skip
    generate = {"options": {}, "seed": 0, "model": "rules", "prompts": {}, "versions": {}}
    header = make_header("films", sources=["x.ttl"], fingerprint="of the whole graph", triples=1, generate=generate)
    write_benchmark(tmp_path / "films.jsonl", Benchmark(header, (dialogue,)))
    rows = open_kg(graph).endpoint.select("SELECT * WHERE { ?s ?p ?o }")
    triples = "".join(f"{row['s'].n3()} {row['p'].n3()} {row['o'].n3()} .\n" for row in rows)
    members = {name: b"" for name in MEMBERS if name != SUMS} | {
        "benchmark.jsonl": (tmp_path / "films.jsonl").read_bytes(), "graph.nt": triples.encode(),
        "profile.toml": b"[kg]\n", "box.json": b'{"format": 1}',
    }  # fmt: skip
    box, output = tmp_path / "films.zip", tmp_path / "a.jsonl"
    write_box(box, members)
    done = call("--benchmark", box, "-o", output)
    assert (done.exit_code, done.stderr) == (0, "") and lines(output)[0]["labels"] == ["Ana Lund"]
    manifest = json.loads(output.with_name("a.jsonl.run.json").read_text(encoding="utf-8"))
    assert manifest["answers"]["kg"]["name"] == "films.zip"
    named = call("--kg", graph, "--benchmark", box, "-o", tmp_path / "b.jsonl")
    assert named.exit_code == 0 and "another graph than films.ttl" in named.stderr
    scored = CliRunner().invoke(main, ["evaluate", str(box), str(output)], prog_name="chattykg")
    assert scored.exit_code == 0 and re.match(r"F1 +1\.000 ", scored.stdout)
    assert "another file" not in scored.stderr
