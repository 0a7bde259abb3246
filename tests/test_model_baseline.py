"""The fixed list of ``benchmarks/model_baseline.py``, and the script where no model answers."""

import subprocess
import sys
from pathlib import Path

import pytest
from chattyshared.jsonlines import read_lines
from rdflib import Graph

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"
LINES = [line for _, line in read_lines(BENCHMARKS / "small_model" / "questions.jsonl")]
OWN = [line for line in LINES if line["kg"] != "demo"]


def test_the_list_holds_the_readme_s_question_and_every_tenth_paraphrase():
    first, *others = [line for line in LINES if line["kg"] == "demo"]
    paraphrases = [line for _, line in read_lines(BENCHMARKS / "paraphrases.jsonl")]
    assert first["question"] == "Which films did Christopher Nolan direct?"
    assert others == [line | {"kg": "demo"} for line in paraphrases[9::10]]


def test_gold_of_the_other_questions_is_what_their_queries_give():
    graphs = {kg: Graph().parse(BENCHMARKS / kg) for kg in {line["kg"] for line in OWN}}
    assert len(OWN) == 8
    for line in OWN:
        if line["kind"] == "unanswerable":
            assert (line["answers"], line["sparql"]) == ([], "")
            continue
        result = graphs[line["kg"]].query(line["sparql"])
        found = [str(result.askAnswer).lower()] if result.type == "ASK" else [str(row[0]) for row in result]
        assert found == line["answers"]


@pytest.mark.slow
def test_an_absent_model_is_one_line(tmp_path):
    command = [sys.executable, str(BENCHMARKS / "model_baseline.py"), "--output", str(tmp_path)]
    server = ["--model", "openai:absent", "--base-url", "http://127.0.0.1:1/v1"]
    done = subprocess.run([*command, *server], capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "cannot reach http://127.0.0.1:1/v1" in done.stderr
