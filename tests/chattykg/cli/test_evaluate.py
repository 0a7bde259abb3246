import json
from pathlib import Path

from chattyshared.benchmark import read_benchmark
from click.testing import CliRunner, Result

from chattykg.cli import main


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["evaluate", *map(str, arguments)], prog_name="chattykg")


def write(path: Path, *lines: object) -> Path:
    path.write_text("".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines))
    return path


def questions(folder: Path) -> Path:
    return write(
        folder / "questions.jsonl",
        {"id": "q1", "question": "How many?", "answers": ["3"]},
        {"id": "q2", "question": "Who?", "answers": ["Ada"]},
    )


def test_the_table_is_printed(tmp_path):
    answers = write(tmp_path / "answers.jsonl", {"id": "q1", "answers": ["3"]}, {"id": "q2", "answers": ["Bob"]})
    done = call(questions(tmp_path), answers)
    assert (done.exit_code, done.stderr) == (0, "")
    assert (
        done.stdout.splitlines()[0]
        == "F1                   0.500  95 % interval 0.000 to 1.000, over the 2 turns with gold"
    )


def test_what_a_file_does_not_state_is_no_zero(tmp_path):
    gold = write(
        tmp_path / "gold.jsonl",
        {"id": "q1", "question": "How many?", "answers": ["3"]}, {"id": "q2", "question": "Who?"},
    )  # fmt: skip
    answers = write(tmp_path / "answers.jsonl", {"id": "q1", "answers": ["3"]})
    done = call(gold, answers)
    shown = {line[:20].strip(): line[20:].split() for line in done.stdout.splitlines()}
    assert [shown[name] for name in ("F1", "model calls", "tokens")] == [["1.000", *shown["F1"][1:]], ["-"], ["-"]]
    assert "1 of 2 questions state no answers" in done.stderr
    read = json.loads(call("--json", gold, answers).stdout)
    assert (read["f1"], read["seconds_per_question"], read["model_calls"]) == (1, None, None)


def test_what_has_no_partner_is_warned_of(tmp_path):
    answers = write(tmp_path / "answers.jsonl", {"id": "q9", "answers": []}, {"id": "q1", "answers": [], "error": "x"})
    done = call(questions(tmp_path), answers)
    assert done.exit_code == 0
    assert [line.split(":")[0] for line in done.stderr.splitlines()] == ["warning"] * 3
    assert "not counted: q9" in done.stderr and "count as wrong: q1" in done.stderr
    assert "1 questions have no line" in done.stderr


def test_several_files_stand_side_by_side_and_are_written(tmp_path):
    gold = questions(tmp_path)
    one = write(tmp_path / "one.jsonl", {"id": "q1", "answers": ["3"]}, {"id": "q2", "answers": ["Bob"]})
    two = write(tmp_path / "two.jsonl", {"id": "q1", "answers": ["3"]}, {"id": "q2", "answers": ["Ada"]})
    done = call(gold, one, two, "--html", tmp_path / "page.html", "--csv", tmp_path / "lines.csv")
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0].split() == ["one", "two"]
    assert "two against one: F1 +0.500" in done.stdout and "(n = 2 is too small: p cannot be less" in done.stdout
    assert (tmp_path / "page.html").read_text().endswith("</html>\n")
    assert len((tmp_path / "lines.csv").read_text().splitlines()) == 5
    assert [each["f1"] for each in json.loads(call(gold, one, two, "--json").stdout)["systems"]] == [0.5, 1]


def test_all_figures_are_printed_where_they_are_asked_for(tmp_path):
    gold = questions(tmp_path)
    answers = write(tmp_path / "answers.jsonl", {"id": "q1", "answers": ["3"]}, {"id": "q2", "answers": ["Bob"]})
    first, everything = call(gold, answers).stdout.splitlines(), call(gold, answers, "--all").stdout.splitlines()
    assert len(first) <= 20 < len(everything) and first[-1].startswith("--all prints")
    assert any(line.startswith("F1 as Triad counts") for line in everything)


def test_a_boolean_literal_of_gold_is_compared_by_value(tmp_path):
    term = {"type": "typed-literal", "datatype": "http://www.w3.org/2001/XMLSchema#boolean"}
    asked = [
        {"id": str(number), "question": [{"language": "en", "string": "Is it?"}],
         "answers": [{"head": {"vars": ["b"]}, "results": {"bindings": [{"b": {**term, "value": text}}]}}]}
        for number, text in enumerate(("1", "true", "0", "false"))
    ]  # fmt: skip
    gold = write(tmp_path / "gold.json", json.dumps({"questions": asked}))
    said = ("true", "true", "false", "true")
    answers = write(tmp_path / "a.jsonl", *({"id": str(n), "answers": [text]} for n, text in enumerate(said)))
    assert json.loads(call("--json", gold, answers).stdout)["f1"] == 0.75


def test_lists_of_candidates_are_only_told_where_a_filter_has_judged_them(tmp_path):
    gold, listed = questions(tmp_path), {"id": "q1", "answers": ["3"], "sparql": "ASK {}"}
    for verdict, is_told in (({}, False), ({"verdict": "yes"}, True)):
        answers = write(tmp_path / "a.jsonl", {**listed, "candidates": [{"query": "ASK {}", "score": 1, **verdict}]})
        assert ("are scored if --kg names the graph" in call(gold, answers).stderr) == is_told


def test_an_unfinished_run_is_scored(tmp_path):
    gold = write(tmp_path / "gold.jsonl", *({"id": f"q{n}", "question": "?", "answers": ["3"]} for n in range(1, 6)))
    answers = write(tmp_path / "answers.jsonl", {"id": "q1", "answers": ["3"]})
    done = call(gold, answers)
    assert (done.exit_code, done.stdout.split()[:2]) == (0, ["F1", "0.200"])


def test_two_runs_of_one_name_are_told_apart(tmp_path):
    answers = write(tmp_path / "answers.jsonl", {"id": "q1", "answers": ["3"]}, {"id": "q2", "answers": ["Bob"]})
    done = call(questions(tmp_path), answers, answers)
    assert done.exit_code == 0
    assert done.stdout.splitlines()[0].split() == ["answers", "answers#2"]
    assert "answers#2 against answers: F1 +0.000" in done.stdout


def test_the_answers_on_a_twin_tell_memory_from_grounding(tmp_path):
    def benchmark(name: str, answer: str, **header: object) -> Path:
        generate = {"options": {}, "seed": 0, "model": "rules", "prompts": {}, "versions": {}}
        kg = {"sources": ["t.ttl"], "fingerprint": "0", "triples": 1}
        turn = {
            "turn": 1, "question": "Who?", "standalone": "Who?", "form": "object", "link": "opens", "answer_type": "x",
            "answerable": True, "difficulty": "easy", "sparql": "SELECT ?x {}", "triples": [], "witness": [],
            "answers": [{"value": answer, "kind": "literal"}],
        }  # fmt: skip
        dialogue = {"id": "d", "seed": {"iri": "urn:a", "label": "A", "type": "urn:T"}, "turns": [turn],
                    "usage": {"calls": 0, "prompt_tokens": 0, "completion_tokens": 0}}  # fmt: skip
        made = {"benchmark": {"name": "t", "format": 2, "kg": kg, "generate": generate, **header}}
        return write(tmp_path / name, made, dialogue)

    original = benchmark("b.jsonl", "Ada")
    twin = benchmark("t.jsonl", "Bob", twin={"of": read_benchmark(original).digest()})
    answers = write(tmp_path / "a.jsonl", {"id": "d/1", "question": "Who?", "answers": ["Ada"]})
    done = call(original, answers, "--twin", twin, answers)
    assert (
        done.exit_code == 0
        and "memory: F1 of the answers on the twin against the original gold 1.000 [1.000, 1.000]"
        in " ".join(done.stdout.split())
    )
    assert json.loads(call("--json", original, answers, "--twin", twin, answers).stdout)["twin"]["grounding"] == 0
    refused = call(original, answers, answers, "--twin", twin, answers)
    assert refused.exit_code == 2 and "--twin goes with one file of ANSWERS" in refused.stderr
    other = call(original, answers, "--twin", original, answers)
    assert other.exit_code == 2 and "is no twin of" in other.stderr
    manifest = {"answers": {"asked": {"benchmark": read_benchmark(original).digest()}}}
    answers.with_name("a.jsonl.run.json").write_text(json.dumps(manifest), encoding="utf-8")
    strange = call(original, answers, "--twin", twin, answers)
    assert strange.exit_code == 2 and "by its manifest, these are no answers to" in strange.stderr
