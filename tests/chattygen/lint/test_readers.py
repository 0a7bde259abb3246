"""Files under the linter: our benchmarks, Chatty-Gen's published JSON, and the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from chattyshared.errors import BenchmarkInvalid, ConfigError
from chattyshared.formats import chatty_gen
from click.testing import CliRunner
from lighthouses import AT, ORMEN, into, iri, lighthouse, lines_of, out, written

from chattygen.cli import main
from chattygen.lint import lint_source, read_source

SKARV = lighthouse(
    "Skarv Light", designer="Nils Bu", keepers=("Ivar Lie", "Tor Lie", "Liv Aas"), island="Skarv", height=9
)


@pytest.fixture
def clean(tmp_path: Path) -> Path:
    return written(tmp_path / "lights.jsonl", lines_of(ORMEN, SKARV))


def counts(path: Path, turns: int = 0) -> dict[str, int]:
    return dict(lint_source(read_source(path, turns=turns)).counts_by_kind())


def test_a_clean_benchmark_is_clean(clean: Path) -> None:
    assert counts(clean) == {}


def spoiled(tmp_path: Path, spoil: Any) -> dict[str, int]:
    lines = lines_of(ORMEN, SKARV)
    spoil(lines[1])
    return counts(written(tmp_path / "spoiled.jsonl", lines))


@pytest.mark.parametrize("spoil", [
    lambda d: d.update(seed=5), lambda d: d["turns"][0].update(form="A riddle"), lambda d: d.pop("usage"),
    lambda d: d["turns"][1].update(extra=1), lambda d: d["turns"][2]["answers"][0].update(kind="thing"),
    lambda d: d.update(id="skarv-light"), lambda d: d.update(turns="none"),
])  # fmt: skip
def test_format_planted(tmp_path: Path, spoil: Any) -> None:
    assert spoiled(tmp_path, spoil)["format"] == 1


@pytest.mark.parametrize("spoil", [
    lambda d: d.update(id="d1"), lambda d: d["usage"].update(usd=0.5),
    lambda d: d["turns"][0].update(difficulty="hard"),
    lambda d: d["turns"][0].update(triples=[["a", "b", "?x"]]), lambda d: d["turns"][0]["answers"][0].update(lang="en"),
])  # fmt: skip
def test_format_near_misses(tmp_path: Path, spoil: Any) -> None:
    assert spoiled(tmp_path, spoil) == {}


@pytest.mark.parametrize("spoil", [
    lambda d: d["turns"][1].update(turn=7), lambda d: d["turns"].reverse(),
    lambda d: d["turns"][1].update(standalone=""),
    lambda d: d["turns"][1].update(sparql=" "), lambda d: d["turns"][2].update(question=""),
])  # fmt: skip
def test_misaligned_planted(tmp_path: Path, spoil: Any) -> None:
    assert spoiled(tmp_path, spoil)["format"] >= 1


@pytest.mark.parametrize("spoil", [
    lambda d: d["turns"][1].update(sparql="", answerable=False, answers=[]),
    lambda d: d["turns"][1].update(triples=[["a", "b", "?x"]]), lambda d: d["turns"][1].update(answers=[]),
])  # fmt: skip
def test_misaligned_near_misses(tmp_path: Path, spoil: Any) -> None:
    assert "format" not in spoiled(tmp_path, spoil)


@pytest.mark.parametrize("turns", [1, 2, 5, 7, 9])
def test_turn_count_near_misses(tmp_path: Path, turns: int) -> None:
    lines = lines_of(ORMEN)
    lines[0]["benchmark"]["generate"]["options"] = {"turns": turns}
    lines[1]["turns"] = [{**lines[1]["turns"][0], "turn": place} for place in range(1, turns + 1)]
    assert "format" not in counts(written(tmp_path / "lights.jsonl", lines))


@pytest.mark.parametrize("text", ["", "[1]", "{", '{"a": 1}\n{"b": 2}\n', '{"benchmark": {}}\n', '"text"'])
def test_what_is_no_file_of_dialogues_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "odd.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BenchmarkInvalid):
        read_source(path)


def theirs(**what: Any) -> dict[str, Any]:
    """Return a dialogue in Chatty-Gen's shape, with defects of each kind that its publications show."""
    light = iri("Ormen Light")
    return {
        "seed_entity": light,
        "seed_label": "Ormen Light.",
        "dialogue": ["Who designed Ormen Light.?", "Is the height of it recorded?", "How many heights does it have?"],
        "original": ["Who designed Ormen Light.?", "Is the height of Ormen Light recorded?",
        "How many heights does Ormen Light have?"],
        "queries": [f"SELECT ?x WHERE {{ <{light}> <{AT}architect>?x }}", f"ASK {{ <{light}> <{AT}height> ?h }}",
                    f"SELECT COUNT(?h) WHERE {{ <{light}> <{AT}height> ?h }}"],
        "triples": [[[light, f"{AT}architect", ""]], [[light, f"{AT}height", ""]], [[light, f"{AT}height", ""]]],
        "cost": {"total_tokens": 30, "prompt_tokens": 20, "completion_tokens": 10},
        "query_status": ["Correct", "Correct", "Syntax Error"],
        **what,
    }  # fmt: skip


def released(path: Path, *dialogues: Any, **more: Any) -> Path:
    path.write_text(
        json.dumps({"seeds_used": 9, "data": list(dialogues), "analysis": None, **more}, indent=1), encoding="utf-8"
    )
    return path


def test_chatty_gens_defects_are_counted(tmp_path: Path) -> None:
    found = counts(released(tmp_path / "lights_e11_1_5_original.json", theirs()))
    expected = {"query-syntax", "yes-no", "wording", "unsayable", "format"}
    assert expected <= set(found)


def test_chatty_gens_clean_dialogue_is_clean(tmp_path: Path) -> None:
    one = theirs(
        seed_label="Ormen Light",
        dialogue=["Who designed Ormen Light?", "When was it lit?"],
        original=["Who designed Ormen Light?", "When was Ormen Light lit?"],
        queries=[out("Ormen Light", "architect"), out("Ormen Light", "lit")],
        triples=[],
    )
    assert counts(released(tmp_path / "lights_subgraph_summarized_1_2_simplified.json", one)) == {}


@pytest.mark.parametrize("what", [
    {"dialogue": ["Who designed Ormen Light?"]}, {"original": []}, {"queries": [out("Ormen Light", "lit")]},
    {"triples": [[]]}, {"dialogue": None},
])  # fmt: skip
def test_lists_of_unequal_lengths_are_misaligned(tmp_path: Path, what: dict[str, Any]) -> None:
    assert counts(released(tmp_path / "x.json", theirs(**what)))["format"] == 1


def test_single_shot_files_have_no_triples_and_older_ones_are_bare_lists(tmp_path: Path) -> None:
    one = theirs()
    del one["triples"]
    assert "format" not in counts(released(tmp_path / "x.json", one))
    bare = tmp_path / "old.json"
    bare.write_text(json.dumps([{**one, "cost": None, "query_status": None}]), encoding="utf-8")
    assert len(read_source(bare).dialogues) == 1
    assert counts(released(tmp_path / "none.json")) == {}


def test_a_release_says_what_its_name_and_run_say(tmp_path: Path) -> None:
    release = chatty_gen.read_release(released(tmp_path / "lights_single_shot_20_5.json", theirs(), total_time=7))
    assert (release.kg, release.turns, release.run["seeds_used"], release.run["total_time"]) == ("lights", 5, 9, 7)
    assert release.dialogues[0].usage.prompt_tokens == 20
    (dialogue,) = chatty_gen.to_dialogues(release)
    assert [turn.form for turn in dialogue.turns] == ["object", "boolean", "count"]
    assert [turn.link for turn in dialogue.turns] == ["opens", "topic", "topic"]


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file"):
        chatty_gen.read_release(tmp_path / "none.json")


def run(*arguments: object) -> Any:
    return CliRunner().invoke(main, ["lint", *map(str, arguments)])


def test_the_command_prints_a_table_and_lists_defects(tmp_path: Path, clean: Path) -> None:
    broken = released(tmp_path / "lights_e11_1_5_original.json", theirs())
    result = run(clean, broken)
    assert result.exit_code == 0
    assert "lights.jsonl: 2 dialogues, 2 without a defect; 12 turns, 0 defects" in result.stdout
    row = next(line for line in result.stdout.splitlines() if line.startswith("query-syntax"))
    assert row.split() == ["query-syntax", "0", "1"]
    assert "\n  d0001/3: " in result.stdout


def test_strict_ends_with_one_only_where_there_is_a_defect(tmp_path: Path, clean: Path) -> None:
    assert run("--strict", clean).exit_code == 0
    assert run("--strict", released(tmp_path / "x.json", theirs())).exit_code == 1
    assert run("--strict", tmp_path / "none.json").exit_code == 2


def test_json_holds_classes_and_listing(tmp_path: Path) -> None:
    report = json.loads(run("--json", released(tmp_path / "x.json", theirs())).stdout)
    (file,) = report["files"]
    assert file["format"] == "chatty-gen"
    assert report["defects"] == file["defects"] == sum(n or 0 for n in file["classes"].values()) == len(file["listing"])
    assert file["classes"]["gold-differs"] is None and file["classes"]["format"] == 0
    assert {"class", "dialogue", "turn", "said"} == set(file["listing"][0])


def test_another_graph_is_warned_of(tmp_path: Path, clean: Path) -> None:
    graph = tmp_path / "lights.ttl"
    graph.write_text(
        f'<{iri("Ormen Light")}> <http://www.w3.org/2000/01/rdf-schema#label> "Ormen Light" .', encoding="utf-8"
    )
    result = run("--kg", graph, clean)
    assert result.exit_code == 0
    assert "was made from another graph" in result.stderr
    assert run("--kg", tmp_path / "none.ttl", clean).exit_code == 2


def test_what_the_query_holds_is_no_answer_and_a_shift_names_its_entity(tmp_path: Path) -> None:
    light = iri("Ormen Light")
    one = theirs(
        seed_label="Ormen Light",
        dialogue=["Who designed Ormen Light?", "Which keepers worked there?", "And Skarv Light?"],
        original=["Who designed Ormen Light?", "Which keepers worked at Ormen Light?",
                  "Which keepers worked at Skarv Light?"],
        queries=[out("Ormen Light", "architect"), into("Ormen Light", "workplace"), into("Skarv Light", "workplace")],
        triples=[[[light, f"{AT}architect", "Ada Lund"]], [["?x", f"{AT}workplace", light]],
                 [["?x", f"{AT}workplace", iri("Skarv Light")]]],
    )  # fmt: skip
    path = tmp_path / "lights_e11_1_3_original.json"
    assert counts(released(path, one)) == {}


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"", "the file is empty"), (b" \n", "the file is empty"), (b"\x7fELF\x02\xff", "not UTF-8 (byte 6)")],
)
def test_what_holds_no_text_is_told(tmp_path: Path, content: bytes, said: str):
    file = tmp_path / "b.jsonl"
    file.write_bytes(content)
    done = CliRunner().invoke(main, ["lint", str(file)])
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.endswith(f"b.jsonl: {said}\n")


def test_a_file_of_maestro_has_gold_and_neither_forms_nor_links(tmp_path: Path) -> None:
    item = {"questionString": "Is it a loom?", "query": "ASK { <urn:a> <urn:p> <urn:b> }", "answers": ["true"]}
    path = tmp_path / "maestro.json"
    path.write_text(json.dumps([item, item | {"answers": []}]), encoding="utf-8")
    source = read_source(path)
    (turn,) = source.dialogues[0].turns
    assert source.format == "maestro"
    assert (turn.question, turn.form, turn.answers[0].kind) == ("Is it a loom?", "", "boolean")
    report = lint_source(source)
    assert "empty-gold" in report.judged_kinds and "gold-differs" not in report.judged_kinds
