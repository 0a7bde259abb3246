"""``chattykg answer --engine``: each kind gets the same dialogues, and ``evaluate`` puts all in one table."""

import json
import re
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result
from wire.model_server import Fault, ModelServer, completion
from wire.model_server import error as refusal
from wire.running_service import ORCHARD
from wire.systems import Fault as SystemFault
from wire.systems import SystemServer, chatty_kg

from chattykg.cli import main

O = "https://orchard.example/"  # noqa: E741
ASKED = ("Who planted Old Bramley?", "When was she born?", "Who planted Young Russet?")
QUERIES = {
    ASKED[0]: f"SELECT ?x WHERE {{ <{O}t1> <{O}planted> ?x }}",
    ASKED[1]: f"SELECT ?x WHERE {{ <{O}g1> <{O}born> ?x }}",
    ASKED[2]: f"SELECT ?x WHERE {{ <{O}t2> <{O}planted> ?x }}",
}


@pytest.fixture(autouse=True)
def keyless(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


@pytest.fixture
def room(tmp_path: Path) -> Path:
    """A graph, questions about it (gold by query), and the same as TEXT2SPARQL has them."""
    (tmp_path / "orchard.ttl").write_text(ORCHARD)
    (tmp_path / "questions.yml").write_text(
        yaml.safe_dump({
            "dataset": {"id": "https://orchard.example/", "prefix": "o"},
            "questions": [
                {"id": n, "question": {"en": ASKED[place], "de": f"Weshalb eigentlich Nummer {n}?"},
                 "query": {"sparql": QUERIES[ASKED[place]]}}
                for n, place in ((1, 0), (2, 2))
            ],
        }),
    )  # fmt: skip
    lines = [
        {"id": "q1", "dialogue_id": "d", "turn": 1, "question": ASKED[0], "sparql": QUERIES[ASKED[0]]},
        {"id": "q2", "dialogue_id": "d", "turn": 2, "question": ASKED[1], "sparql": QUERIES[ASKED[1]]},
        {"id": "q3", "question": ASKED[2], "sparql": QUERIES[ASKED[2]]},
    ]
    (tmp_path / "questions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return tmp_path


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(main, [*map(str, arguments)], prog_name="chattykg")


def answered(room: Path, out: str, *arguments: object) -> list[dict]:
    done = invoke("answer", "--questions", room / "questions.jsonl", "-o", room / out, *arguments)
    assert done.exit_code == 0, done.output
    return lines(room / out)


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def scores(room: Path, *files: str) -> list[dict]:
    done = invoke(
        "evaluate", "--json", "--kg", room / "orchard.ttl", room / "questions.jsonl", *(room / f for f in files)
    )
    assert done.exit_code == 0, done.output
    read = json.loads(done.stdout)
    return read.get("systems", [read])


def replies(server: ModelServer, *said: object) -> None:
    server.faults.extend(Fault(body=completion(json.dumps(each))) for each in said)


@pytest.mark.slow
def test_all_engines_stand_in_one_table(room):
    kg = ("--kg", room / "orchard.ttl")
    server = ModelServer().start()
    model = ("--model", "openai:m", "--base-url", server.url)
    names = [{"answers": ["Ida Moor"]}, {"answers": ["1931-04-02"]}, {"answers": ["Nobody"]}]
    try:
        answered(room, "chatty.jsonl", *kg)
        replies(server, *names)
        answered(room, "alone.jsonl", "--engine", "llm-only", *model)
        replies(server, *names)
        answered(room, "endpoint.jsonl", "--engine", f"remote:openai:{server.url}")
        replies(server, *({"picks": [2], "value": ""} for _ in range(3)))
        answered(room, "rag.jsonl", "--engine", "rag", *kg, *model)
        assert [message["role"] for message in server.asked[4]["messages"]] == ["system", "user", "assistant", "user"]
    finally:
        server.stop()
    with SystemServer(lambda method, path, sent: {"query": QUERIES[sent["question"]]}) as theirs:
        answered(room, "t2s.jsonl", "--engine", f"remote:text2sparql:{theirs.url}", *kg, "--set", "dataset=urn:o")
        assert {sent["dataset"] for _, _, sent in theirs.asked} == {"urn:o"}
    said = {ASKED[0]: ["Ida Moor"], ASKED[1]: ["1931-04-02"], ASKED[2]: [f"{O}g2"]}
    with SystemServer(chatty_kg(said)) as theirs:
        answered(room, "ckg.jsonl", "--engine", f"remote:chattykg:{theirs.url}", "--set", "dataset=orchard")
    answered(room, "filed.jsonl", "--engine", f"file:{room / 't2s.jsonl'}")
    found = scores(room, *(f"{name}.jsonl" for name in ("chatty", "alone", "endpoint", "rag", "t2s", "ckg", "filed")))
    assert {each["name"]: round(each["f1"], 3) for each in found} == {
        "chatty": 1, "alone": 0.667, "endpoint": 0.667, "rag": pytest.approx(0.667, abs=0.34), "t2s": 1, "ckg": 1,
        "filed": 1,
    }  # fmt: skip
    assert [each["model"] for each in found][:3] == [
        "rules",
        f"openai:m at {server.url}",
        f"openai:default at {server.url}",
    ]


def test_names_are_scored_against_labels_only_for_systems_that_know_no_iris(room):
    """Gold by IRI: a name is right where the manifest says that the system answers in names, and not else."""
    server = ModelServer().start()
    replies(server, {"answers": ["ida moor"]}, {"answers": []}, {"answers": ["Ida Moor"]})
    try:
        answered(room, "alone.jsonl", "--engine", "llm-only", "--model", "openai:m", "--base-url", server.url)
    finally:
        server.stop()
    (room / "bare.jsonl").write_text((room / "alone.jsonl").read_text())
    benchmark = lines(room / "questions.jsonl")
    for line in benchmark:
        line["answers"] = {"q1": [f"{O}g1"], "q2": ["1931-04-02"], "q3": [f"{O}g2"]}[line["id"]]
    (room / "questions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in benchmark))
    manifest = room / "alone.jsonl.run.json"
    assert json.loads(manifest.read_text())["answers"]["engine"] == {
        "kind": "llm-only",
        "context": "answers",
        "theta": 3,
        "shown_answers": 100,
        "says": "names",
    }
    named, bare = scores(room, "alone.jsonl", "bare.jsonl")
    assert (round(named["f1"], 3), bare["f1"]) == (0.333, 0)


def test_a_system_that_goes_away_ends_the_run_and_the_same_command_goes_on(room):
    command = (
        "answer",
        "--questions",
        room / "questions.jsonl",
        "-o",
        room / "t2s.jsonl",
        "--kg",
        room / "orchard.ttl",
    )
    fault = SystemFault(503, '{"detail": "closed"}', {"Retry-After": "0"})
    with SystemServer(lambda method, path, sent: {"query": QUERIES[sent["question"]]}) as theirs:
        engine = ("--engine", f"remote:text2sparql:{theirs.url}")
        theirs.always = fault
        done = invoke(*command, *engine)
        assert done.exit_code == 2 and "HTTP 503: closed" in done.stderr
        theirs.always = None
        answering = theirs.answering

        def gone(method, path, sent):
            if sent["question"] == ASKED[2]:
                theirs.always = fault
            return answering(method, path, sent)

        theirs.answering = gone
        two = (room / "questions.jsonl").read_text().splitlines()
        (room / "questions.jsonl").write_text("\n".join([*two, two[2].replace("q3", "q4")]) + "\n")
        done = invoke(*command, *engine)
        assert done.exit_code == 3 and "HTTP 503: closed" in done.stderr
        assert [line["id"] for line in lines(room / "t2s.jsonl")] == ["q1", "q2", "q3"]
        theirs.always, theirs.answering, before = None, answering, len(theirs.asked)
        done = invoke(*command, *engine)
        assert (done.exit_code, len(theirs.asked)) == (0, before + 1)
    assert [line["answers"] for line in lines(room / "t2s.jsonl")] == [
        [f"{O}g1"],
        ["1931-04-02"],
        [f"{O}g2"],
        [f"{O}g2"],
    ]


def test_one_question_is_answered_by_any_engine(room):
    server = ModelServer().start()
    replies(server, {"answers": ["Ida Moor"]})
    try:
        done = invoke("answer", "--engine", "llm-only", "--model", "openai:m", "--base-url", server.url, ASKED[0])
        assert (done.exit_code, done.stdout.splitlines()[0]) == (0, "Ida Moor")
        server.always = Fault(401, refusal("no"))
        done = invoke("answer", "--engine", "llm-only", "--model", "openai:m", "--base-url", server.url, ASKED[0])
        assert done.exit_code == 2
    finally:
        server.stop()


def test_answers_json_as_the_challenge_wants_it(room):
    command = ("answer", "--kg", room / "orchard.ttl", "--text2sparql", room / "questions.yml", "-o")
    done = invoke(*command, room / "a.json")
    assert done.exit_code == 0, done.output
    assert done.stdout.endswith("a.json: 2 queries to 4 questions\n")
    made = json.loads((room / "a.json").read_text())
    assert [one["qname"] for one in made] == ["o:1-de", "o:1-en", "o:2-de", "o:2-en"]
    assert list(made[1]) == ["dataset", "question", "query", "endpoint", "qname", "uri"]
    assert (made[1]["dataset"], made[1]["uri"], made[0]["query"]) == (O, f"{O}1-en", "")
    assert [line["id"] for line in lines(room / "a.jsonl")] == [one["qname"] for one in made]
    scored = invoke("evaluate", "--json", "--kg", room / "orchard.ttl", room / "questions.yml", room / "a.json")
    assert json.loads(scored.stdout)["f1"] == 1
    again = invoke(*command, room / "a.json")
    assert again.exit_code == 0 and "(were there already)" in again.stdout
    one = invoke(*command, room / "b", "--set", "lang=en")
    assert one.exit_code == 0 and len(json.loads((room / "b").read_text())) == 2
    (room / "c.json").write_text("mine")
    assert invoke(*command, room / "c.json", "--overwrite").exit_code == 0


def test_candidates_of_another_system_are_filtered_and_scored(room):
    lists = [
        {"id": line, "question": asked, "lang": "en", "candidates": ["DROP ALL", QUERIES[ASKED[0]], QUERIES[ASKED[2]]]}
        for line, asked in (("q1", ASKED[0]), ("other", ASKED[2]))
    ]
    (room / "lists.json").write_text(json.dumps(lists))
    kg = ("--kg", room / "orchard.ttl")
    own = invoke("answer", *kg, "--engine", f"candidates:{room / 'lists.json'}", "-o", room / "own.jsonl")
    assert own.exit_code == 0, own.output
    assert [[one.get("verdict") for one in line["candidates"]] for line in lines(room / "own.jsonl")] == [
        ["invalid", None, None]
    ] * 2
    found = answered(room, "kept.jsonl", *kg, "--engine", f"candidates:{room / 'lists.json'}", "--set", "verify=rules")
    assert [[one.get("verdict") for one in line.get("candidates", [])] for line in found] == [
        ["invalid", "yes", "no"], [], ["invalid", "no", "yes"]
    ]  # fmt: skip
    assert [line["labels"] for line in found] == [["Ida Moor"], [], ["Tom Reed"]]
    assert "no candidate queries for this question" in found[1]["reason"]["text"]
    manifest = json.loads((room / "kept.jsonl.run.json").read_text())["answers"]
    assert (manifest["model"], manifest["engine"]["verify"], manifest["engine"]["labels"]) == ("rules", "rules", "name")
    assert list(manifest["prompts"]) == ["answer/verification"]
    done = invoke("evaluate", "--json", *kg, room / "questions.jsonl", room / "kept.jsonl")
    scored = json.loads(done.stdout)["candidates"]["groups"]["all"]
    assert [scored["before"][key] for key in ("n", "p_at_1")] == [3, 0]
    assert (scored["after"]["p_at_1"], scored["after"]["trust"]) == (0.666667, 0.666667)
    table = invoke(
        "evaluate", "--all", *kg, room / "questions.jsonl", room / "kept.jsonl", "--html", room / "page.html"
    )
    assert re.search(r"^  P@1 +0.000 -> 0.667$", table.stdout, re.MULTILINE)
    assert "candidate queries, before -&gt; after the filter" in (room / "page.html").read_text()


def test_a_run_with_a_judge_on_another_server_is_another_run(room):
    command = (
        "--kg",
        room / "orchard.ttl",
        "--engine",
        f"candidates:{room / 'questions.jsonl'}",
        "--set",
        "verify=openai:m",
    )
    server = ModelServer().start()
    try:
        replies(server, *({"verdict": "yes"} for _ in range(3)))
        answered(room, "kept.jsonl", *command, "--base-url", server.url)
    finally:
        server.stop()
    assert json.loads((room / "kept.jsonl.run.json").read_text())["answers"]["model"] == f"openai:m at {server.url}"
    given = ("answer", "--questions", room / "questions.jsonl", "-o", room / "kept.jsonl", *command)
    done = invoke(*given, "--base-url", "http://127.0.0.1:9/v1")
    assert done.exit_code == 2 and "http://127.0.0.1:9/v1" in done.stderr


def test_memorized_queries_answer_their_benchmark(room):
    engine = ("--kg", room / "orchard.ttl", "--engine", f"memorized:{room / 'questions.jsonl'}")
    found = answered(room, "m.jsonl", *engine, "--set", "candidates=2", "--set", "verify=rules")
    assert [len(line["candidates"]) for line in found] == [2, 2, 2]
    assert [line["labels"] for line in found][::2] == [["Ida Moor"], ["Tom Reed"]]
    manifest = json.loads((room / "m.jsonl.run.json").read_text())["answers"]["engine"]
    assert (manifest["kind"], manifest["candidates"], manifest["seed"]) == ("memorized", 2, 0)


def test_verify_judges_the_answers_of_the_engine_itself(room):
    kg = ("--kg", room / "orchard.ttl")
    line = json.loads(invoke("answer", *kg, "--json", "--set", "verify=rules", ASKED[0]).stdout)
    assert line["labels"] == ["Ida Moor"] and line["candidates"][0]["verdict"] == "yes"
    calls = line["usage"]["calls"]
    line = json.loads(invoke("answer", *kg, "--json", ASKED[0]).stdout)
    assert "verdict" not in line["candidates"][0] and line["usage"]["calls"] == calls - 1


def test_mkgqagent_is_an_engine_with_switches_and_prompts_of_its_own(room: Path) -> None:
    model = ("--engine", "mkgqagent", "--model", "openai:gpt-4o", "--set", "feedback=off")
    query = {"tool": "answer", "arguments": {"shape": "one", "sparql": "SELECT ?x { e:1 p:planted ?x }"}}
    none = {"tool": "answer", "arguments": {"shape": "none", "sparql": "", "unused": []}}
    looks = [{"tool": "search_entities", "arguments": {"text": "Old Bramley"}}]
    looks += [{"tool": "search_predicates", "arguments": {"text": "planted"}}]
    server = ModelServer().start()
    replies(server, {"steps": []}, *looks, query, {"kind": "self-contained"}, {"steps": []}, none, {"steps": []}, none)
    try:
        turns = answered(room, "m.jsonl", "--kg", room / "orchard.ttl", *model, "--base-url", server.url)
    finally:
        server.stop()
    entry = json.loads((room / "m.jsonl.run.json").read_text())["answers"]
    assert (entry["engine"]["strategy"], entry["engine"]["switches"]) == ("mkgqagent", {"feedback": False})
    assert {"mkgqagent/plan", "mkgqagent/action", "answer/rephraser"} <= entry["prompts"].keys()
    assert turns[0]["usage"]["calls"] == 4 and turns[0]["answers"] == ["https://orchard.example/g1"]
