from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result
from ship_graph import ships
from vessel_talk import SHORT, TALK, vessels

from chattygen.cli import main


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], prog_name="chattygen")


def test_stats_as_json_has_one_object_a_file(tmp_path: Path) -> None:
    done = run("stats", "--json", vessels(tmp_path), vessels(tmp_path, "short.jsonl", (SHORT,)))
    files = json.loads(done.stdout)["files"]
    assert [file["talk"]["turns"] for file in files] == [8, 4]
    assert files[0]["talk"]["mix"][0] == {"name": "lookup", "wanted": 0.5, "got": 0.5, "needs": ""}


def test_stats_with_a_graph_and_a_page(tmp_path: Path) -> None:
    graph = tmp_path / "ships.ttl"
    graph.write_text(ships(), encoding="utf-8")
    page = tmp_path / "out" / "report.html"
    done = run("stats", "--kg", graph, "--html", page, vessels(tmp_path))
    assert done.exit_code == 0 and f"page  {page}" in done.stdout
    assert "does not say that it was made from ships.ttl as it is now" in done.stderr
    html = page.read_text(encoding="utf-8")
    assert html.startswith("<!doctype html>") and "Samples" in html and "against the knowledge graph" in html


@pytest.mark.parametrize("arguments", [["none.jsonl"], ["--kg", "none.ttl"], []])
def test_bad_input_is_one_line_and_exit_2(tmp_path: Path, arguments: list[str]) -> None:
    given = [*arguments, vessels(tmp_path)] if "--kg" in arguments else arguments
    done = run("stats", *given)
    assert done.exit_code == 2 and done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("to", "names"),
    [
        ("chattygen", ["vessels_e11_2_4.json"]),
        ("qald", ["vessels.qald.json"]),
        ("text2sparql", ["vessels.questions.yml", "vessels.questions_result_set.json"]),
        ("convquestions", ["vessels.convquestions.json"]),
        ("messages", ["vessels.messages.jsonl"]),
        ("dataset-card", ["vessels-dataset/README.md", "vessels-dataset/dialogues.jsonl"]),
    ],
)
def test_export_writes_beside_the_benchmark(tmp_path: Path, to: str, names: list[str]) -> None:
    done = run("export", "--to", to, vessels(tmp_path))
    assert done.exit_code == 0, done.stderr
    assert done.stdout.splitlines() == [str(tmp_path / name) for name in names]
    assert all((tmp_path / name).stat().st_size for name in names)


def test_the_page_is_never_written_over_what_is_read(tmp_path: Path) -> None:
    path = vessels(tmp_path)
    before = path.read_bytes()
    done = run("stats", "--html", path, path)
    assert done.exit_code == 2 and "is what is to be read" in done.stderr and path.read_bytes() == before


def test_export_writes_over_nothing_unless_told(tmp_path: Path) -> None:
    path, out = vessels(tmp_path), tmp_path / "mine.json"
    out.write_text("mine", encoding="utf-8")
    done = run("export", "--to", "qald", path, "-o", out)
    assert done.exit_code == 2 and "lies there already" in done.stderr and out.read_text(encoding="utf-8") == "mine"
    assert run("export", "--to", "qald", path, "-o", out, "--overwrite").exit_code == 0
    assert json.loads(out.read_text(encoding="utf-8"))["questions"]
    assert run("export", "--to", "qald", path, "-o", path, "--overwrite").exit_code == 2


def test_unanswerable_turns_can_be_left_out_of_single_questions_only(tmp_path: Path) -> None:
    path = vessels(tmp_path)
    run("export", "--to", "qald", "--answerable-only", path)
    questions = json.loads((tmp_path / "vessels.qald.json").read_text(encoding="utf-8"))["questions"]
    assert [question["id"] for question in questions][4:] == ["d0002/1", "d0002/2", "d0002/4"]
    done = run("export", "--to", "messages", "--answerable-only", path)
    assert done.exit_code == 2 and "messages holds whole dialogues" in done.stderr


def test_wording_reply_language_and_name_reach_the_file(tmp_path: Path) -> None:
    path = vessels(tmp_path)
    run("export", "--to", "text2sparql", "--wording", "follow-up", "--lang", "de", "--dataset", "urn:x:", path)
    file = yaml.safe_load((tmp_path / "vessels.questions.yml").read_text(encoding="utf-8"))
    assert file["dataset"] == {"id": "urn:x:", "prefix": "vessels"}
    assert file["questions"][1]["question"] == {"de": "Was she born in Gullwick?"}
    run("export", "--to", "messages", "--reply", "sparql", "--system", "Be brief.", path)
    chat = json.loads((tmp_path / "vessels.messages.jsonl").read_text(encoding="utf-8").splitlines()[0])["messages"]
    assert chat[0] == {"role": "system", "content": "Be brief."} and chat[2]["content"] == TALK.turns[0].sparql


def test_the_card_has_front_matter_that_names_the_data(tmp_path: Path) -> None:
    run("export", "--to", "dataset-card", "--license", "cc0-1.0", vessels(tmp_path))
    _, front, body = (tmp_path / "vessels-dataset" / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    head = yaml.safe_load(front)
    assert head["license"] == "cc0-1.0" and head["size_categories"] == ["n<1K"] and head["language"] == ["en"]
    assert head["configs"][0]["data_files"] == [{"split": "test", "path": "dialogues.jsonl"}]
    assert "**Who commanded the Albatross?**" in body and "| superlative | 1 (12.5%) |" in body


def test_a_file_without_gold_is_not_exported(tmp_path: Path) -> None:
    theirs = tmp_path / "ships_e11_1_2.json"
    theirs.write_text('{"data": []}', encoding="utf-8")
    done = run("export", "--to", "qald", theirs)
    assert done.exit_code == 2 and "states no gold answers" in done.stderr


def test_what_is_exported_to_chatty_gens_shape_can_be_measured_again(tmp_path: Path) -> None:
    path = vessels(tmp_path)
    path.with_name("vessels.jsonl.rejected.jsonl").write_text('{"stage": "query", "error": "query"}\n')
    run("export", "--to", "chattygen", path)
    done = run("stats", "--json", tmp_path / "vessels_e11_2_4.json")
    file = json.loads(done.stdout)["files"][0]
    assert (file["talk"]["turns"], file["costs"]["seeds"]["used"]) == (8, 3)
    assert file["costs"]["seeds"]["errors"] == {"Sparql Validation": 1}
