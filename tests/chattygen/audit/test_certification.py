from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from chattyshared.benchmark import read_benchmark
from chattyshared.certificates import digest_of_file, verdict_on
from chattyshared.dialogue import Alternative
from chattyshared.endpoint.local import LocalEndpoint
from chattyshared.errors import EndpointTimeout, ModelUnavailable
from chattyshared.formats.gold import read_gold
from chattyshared.kg import KnowledgeGraph
from click.testing import CliRunner
from poisoned_endpoint import Poisoned
from scripted_model import StepModel

from chattygen.audit import AuditReport, Certifier, audit_gold, certified_lines
from chattygen.audit.certification import SecondEngine
from chattygen.audit.question_checks import BackTranslator
from chattygen.audit.report import render_report
from chattygen.cli import main

L, V = "https://looms.example/", "https://looms.example/vocab/"
GRAPH = """
:Jenny a v:Loom ; rdfs:label "Jenny" ; v:shafts 4 ; v:inventor :Hargreaves ; v:width :w1 .
:Draw a v:Loom ; rdfs:label "draw loom" ; v:shafts 8 ; v:inventor :Hargreaves, [ v:born 1720 ] .
:Dobby a v:Loom ; rdfs:label "dobby" ; v:shafts 8 ; owl:sameAs <https://other.example/Dobby> .
:Tablet a v:Loom ; rdfs:label "tablet loom" ; v:shafts 2 .
:Tablet2 a v:Loom ; rdfs:label "tablet loom" ; v:shafts 2 .
:w1 v:value 1.5 .
:Hargreaves a v:Weaver ; rdfs:label "James Hargreaves" .
"""


@pytest.fixture(scope="module")
def looms(write_graph: Any) -> KnowledgeGraph:
    return KnowledgeGraph(LocalEndpoint([write_graph("looms.ttl", GRAPH)]), name="looms")


def certify(file: Path, kg: KnowledgeGraph, **parts: Any) -> AuditReport:
    return audit_gold(read_gold(file), kg, certifier=Certifier(kg, **parts))


def select(pattern: str, modifiers: str = "", items: str = "?x") -> str:
    names = {f":{name}": f"<{L}{name}>" for name in ("Jenny", "Draw", "Tablet", "w1")}
    for name in ("shafts", "inventor", "width", "value", "Loom"):
        names[f"v:{name}"] = f"<{V}{name}>"
    for short, full in names.items():
        pattern = pattern.replace(f"{short} ", f"{full} ")
    return f"SELECT {items} WHERE {{ {pattern} }}{modifiers}"


@pytest.mark.parametrize(
    ("sparql", "answers", "verdict", "reasons", "alternatives"),
    [
        (select(":Jenny v:inventor ?x"), [L + "Hargreaves"], "certain", (), ()),
        (select(":Jenny v:inventor ?x"), [L + "Draw"], "defective", ("differs",), ()),
        (select("?x v:shafts ?n", " ORDER BY DESC(?n) LIMIT 1"),
         None, "ambiguous", ("tie",), None),
        (select("?x v:shafts ?n", " GROUP BY ?x ORDER BY DESC(SUM(?n)) LIMIT 4"), None, "ambiguous", ("tie",), None),
        (select("?x v:shafts ?n", " ORDER BY DESC(?n) LIMIT 2"), None, "certain", (), None),
        (select("?x v:inventor ?w", " GROUP BY ?x ORDER BY COUNT(*) LIMIT 1"), [L + "Jenny"], "certain", (), None),
        (select("?z v:shafts ?n", " GROUP BY ?n ORDER BY DESC(COUNT(*)) LIMIT 1", "?n (COUNT(*) AS ?m)"), None,
         "ambiguous", ("tie",), None),
        (select("?x a v:Loom { SELECT ?x { ?x v:shafts ?n } ORDER BY DESC(?n) LIMIT 1 }"), None,
         "ambiguous", ("tie",), None),
        (select("?x v:shafts ?n { SELECT ?n { ?y v:shafts ?n } ORDER BY DESC(?n) LIMIT 1 }"), None,
         "certain", (), None),
        (select("?x a v:Loom ", " LIMIT 1"), None, "ambiguous", ("tie",), None),
        (select(":Draw v:inventor ?x"), None, "ambiguous", ("blank-answer",), None),
        (select(":Jenny v:width ?x"), [L + "w1"], "certain", (), (Alternative(L + "w1", "1.5", "value-of-node"),)),
        (select(":Jenny v:width ?w . ?w v:value ?x"), ["1.5"], "certain", (),
         (Alternative("1.5", L + "w1", "node-of-value"),)),
        (select("?x v:shafts 8 . FILTER(STRENDS(STR(?x), 'Dobby'))"), [L + "Dobby"], "certain", (),
         (Alternative(L + "Dobby", "https://other.example/Dobby", "same-as"),)),
        (select("VALUES ?x { :Tablet } ?x v:shafts ?n"), [L + "Tablet"], "certain", (),
         (Alternative(L + "Tablet", L + "Tablet2", "same-label"),)),
    ],
)  # fmt: skip
def test_the_verdict_on_a_gold_query(looms, write_questions, sparql, answers, verdict, reasons, alternatives):
    question = {"question": "What is asked?", "sparql": sparql, **({"answers": answers} if answers else {})}
    certificate = certify(write_questions("q.jsonl", question), looms).certificates["1"]
    assert (certificate.verdict, certificate.reasons) == (verdict, reasons)
    if alternatives is not None:
        assert certificate.alternatives == alternatives


def test_answers_without_a_query_are_not_certain_and_what_is_not_checked_is_not_counted(looms, write_questions):
    tie = {"question": "Most?", "sparql": select("?x v:shafts ?n", " ORDER BY DESC(?n) LIMIT 1")}
    report = certify(write_questions("q.jsonl", {"question": "Who is the king?", "answers": []}, tie), looms)
    certificate = report.certificates["1"]
    assert (certificate.verdict, certificate.reasons) == ("ambiguous", ("no-evidence",))
    assert not {"asks-other", "engines-disagree", "not-confirmed"} & {*report.by_kind} and "tie" in report.by_kind
    assert "certificates: 0 certain, 2 ambiguous, 0 defective" in list(render_report(report, 3))
    listed = list(render_report(report, 0))
    assert "  1: ambiguous (no-evidence)" in listed
    assert any(line.startswith("  2: ambiguous (tie); accepted: ") and "in place of" in line for line in listed)
    assert "\ncertificates:" not in list(render_report(report, 3))
    model = BackTranslator(StepModel([{"question": "Which has most?"}, {"verdict": "yes"}]), "m", 1)
    checked = certify(write_questions("q.jsonl", tie), looms, translator=model)
    assert checked.by_kind["asks-other"] == 0


def test_gold_that_is_another_choice_among_tied_things_is_not_wrong(looms, write_questions):
    query = select("?x v:shafts ?n", " ORDER BY DESC(?n) LIMIT 1")
    both = [{"question": f"Most shafts ({len(n)})?", "sparql": query, "answers": [L + n]} for n in ("Draw", "Dobby")]
    found = certify(write_questions("q.jsonl", *both), looms).certificates
    assert [(each.verdict, each.reasons) for each in found.values()] == [("ambiguous", ("tie",))] * 2
    ties = [(each.answer, each.value) for one in found.values() for each in one.alternatives if each.reason == "tie"]
    assert ties == [(L + "Draw", L + "Dobby"), (L + "Dobby", L + "Draw")]


def test_engines_that_disagree_are_both_shown_and_one_that_fails_is_named(looms, write_questions, write_graph):
    file = write_questions(
        "q.jsonl", {"question": "How many?", "sparql": select(":Jenny v:shafts ?x"), "answers": ["4"]}
    )
    same = LocalEndpoint(
        [
            write_graph(
                "same.ttl",
                GRAPH.replace("v:shafts 4", 'v:shafts "4.0"^^v:d').replace(
                    "v:d", "<http://www.w3.org/2001/XMLSchema#double>"
                ),
            )
        ]
    )
    other = LocalEndpoint([write_graph("other.ttl", GRAPH.replace("v:shafts 4", "v:shafts 5"))])
    broken = Poisoned(looms.endpoint, "shafts", EndpointTimeout)
    found = {
        name: certify(file, looms, second=SecondEngine(name, endpoint.untrusted_view()))
        for name, endpoint in (("same", same), ("other", other), ("broken", broken))
    }
    results = {name: report.certificates["1"] for name, report in found.items()}
    assert [results[name].verdict for name in ("same", "other", "broken")] == ["certain", "ambiguous", "certain"]
    one, two = results["same"].results
    assert one.digest == two.digest and one.engine.startswith("pyoxigraph ") and not one.answers
    assert [[value.value for value in result.answers] for result in results["other"].results] == [["4"], ["5"]]
    assert found["other"].verdicts[0].findings[0].message.endswith(": 4; other: 5")
    assert results["broken"].reasons == ("not-confirmed",) and results["broken"].results[1].failure
    assert found["broken"].by_kind["not-confirmed"] == 1


def test_a_second_engine_that_takes_too_long_again_and_again_is_not_asked_any_more(looms, write_questions):
    queries = [select(f"?x v:shafts ?n FILTER(?n > {number})") for number in range(6)]
    file = write_questions(
        "q.jsonl", *({"question": f"More than {n}?", "sparql": query} for n, query in enumerate(queries))
    )
    slow = SecondEngine("slow 1", Poisoned(looms.endpoint.untrusted_view(), r"\?n > [0-24]", EndpointTimeout))
    report = certify(file, looms, second=slow)
    failures = [certificate.results[1].failure for certificate in report.certificates.values()]
    assert failures == ["poison"] * 3 + ["not asked: earlier queries took too long"] * 3
    note = "slow 1 took too long 3 times in a row, and is not asked any more: 3 results are not confirmed"
    assert note in report.notes and note in list(render_report(report, 3))
    fast = SecondEngine("slow 1", Poisoned(looms.endpoint.untrusted_view(), r"\?n > [0145]", EndpointTimeout))
    failures = [
        certificate.results[1].failure for certificate in certify(file, looms, second=fast).certificates.values()
    ]
    assert failures == ["poison", "poison", "", "", "poison", "poison"]


def test_a_model_that_reads_another_question_in_the_query_makes_it_ambiguous(looms, write_questions):
    question = {"question": "Who made it?", "sparql": select(":Jenny v:inventor ?x"), "answers": [L + "Hargreaves"]}
    file = write_questions("q.jsonl", question, {**question, "question": "Who invented the Jenny?"})
    model = StepModel(
        [{"question": "Who invented Jenny?"}, {"verdict": "no"}, {"question": "Who?"}, {"verdict": "yes"}]
    )
    report = certify(file, looms, translator=BackTranslator(model, "m", 1))
    assert [each.verdict for each in report.certificates.values()] == ["ambiguous", "certain"]
    assert report.verdicts[0].findings[0].message == 'the query asks: "Who invented Jenny?"'
    assert "Who made it" not in model.prompt(0) and f"<{V}inventor> = inventor" in model.prompt(0)
    assert "Who made it?" in model.prompt(1) and "In words: Who invented Jenny?" in model.prompt(1)
    file.write_text("\n".join(certified_lines(report)), encoding="utf-8")
    again = StepModel([ModelUnavailable("gone")])
    assert certify(file, looms, translator=BackTranslator(again, "m", 1)).certificates == report.certificates
    stopped = certify(file, looms, translator=BackTranslator(again, "another", 1))
    assert isinstance(stopped.stopped, ModelUnavailable) and not stopped.certificates
    assert list(certified_lines(stopped)) == list(certified_lines(report))


def test_a_reply_that_cannot_be_used_leaves_the_question_unjudged(looms, write_questions):
    question = {"question": "Who?", "sparql": select(":Jenny v:inventor ?x"), "answers": [L + "Hargreaves"]}
    report = certify(
        write_questions("q.jsonl", question), looms, translator=BackTranslator(StepModel(["what?"]), "m", 1)
    )
    assert report.certificates["1"].reasons == ("not-judged",)
    assert report.certificates["1"].back_translation is None


@pytest.mark.slow
def test_the_command_certifies_a_file_in_place_and_writes_the_same_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> Any:
        return CliRunner().invoke(main, [*arguments])

    assert call("generate", "--kg", "demo", "--dialogues", "3", "-o", "b.jsonl").exit_code == 0
    file, digest = tmp_path / "b.jsonl", digest_of_file(tmp_path / "b.jsonl")
    told = call("audit", "--kg", "demo", "--certify", "--strict", "b.jsonl")
    assert told.exit_code == 0 and " results are the same on pyoxigraph " in told.output
    written = file.read_bytes()
    assert call("audit", "--kg", "demo", "--certify", "b.jsonl").exit_code == 0
    assert file.read_bytes() == written and digest_of_file(file) == digest
    turns = [turn for line in written.splitlines()[1:] for turn in json.loads(line)["turns"]]
    assert {turn["certificate"]["verdict"] for turn in turns} == {"certain"}
    benchmark = read_benchmark(file)
    turn = benchmark.dialogues[0].turns[0]
    gold = turn.sparql, [value.value for value in turn.answers]
    assert verdict_on(turn.certificate, benchmark.fingerprint, *gold) == "certain"
    assert verdict_on(turn.certificate, "another", *gold) == verdict_on(turn.certificate, "", gold[0], ["x"]) == ""
    assert read_gold(file).questions[0].extra["certificate"]["results"][1]["engine"].startswith("rdflib ")
    broken = written.decode().replace("demo/", "demo/x", 40)
    file.write_text(broken, encoding="utf-8")
    assert call("audit", "--kg", "demo", "--certify", "--strict", "b.jsonl", "-o", "c.jsonl").exit_code == 1
    assert file.read_text(encoding="utf-8") == broken and (tmp_path / "c.jsonl").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--second", "http://127.0.0.1:9/"], "--second is for certificates: say --certify, too"),
        (["--model", "openai:x"], "--model is for certificates: say --certify, too"),
        (["--certify", "--model", "rules"], "the rules do not put queries into words"),
        (["--certify", "--second", "nowhere"], "starts with http"),
    ],
)
def test_wrong_options_are_one_line(looms, tmp_path, write_questions, arguments, message):
    file = write_questions("q.jsonl", {"question": "Who?", "answers": ["x"]})
    told = CliRunner().invoke(main, ["audit", "--kg", str(looms.endpoint.files[0]), str(file), *arguments])
    assert (told.exit_code, told.output.count("\n")) == (2, 1) and message in told.output


def test_a_file_of_others_needs_a_file_of_ours(looms, tmp_path):
    qald = {
        "questions": [
            {
                "id": "1",
                "question": [{"language": "en", "string": "Who?"}],
                "query": {"sparql": select(":Jenny v:inventor ?x")},
            }
        ]
    }
    (tmp_path / "qald.json").write_text(json.dumps(qald), encoding="utf-8")
    call = ["audit", "--kg", str(looms.endpoint.files[0]), "--certify", str(tmp_path / "qald.json")]
    told = CliRunner().invoke(main, call)
    assert told.exit_code == 2 and "name a file of ours with -o" in told.output
    assert CliRunner().invoke(main, [*call, "-o", str(tmp_path / "q.jsonl")]).exit_code == 0
    (question,) = read_gold(tmp_path / "q.jsonl").questions
    assert question.extra["certificate"]["verdict"] == "certain"
