"""The commands make of fixed inputs what the golden files hold; ``make golden`` writes them anew."""

from __future__ import annotations

from pathlib import Path

import pytest
from golden.comparison import describe_changes, read_golden, write_golden
from golden.harness import FOLDER, GROUPS, GoldenFault, load_graph

IN_QUICK = {"generate/demo", "requests/direct", "reports/evaluate"}


@pytest.mark.parametrize(
    "group", [pytest.param(name, marks=() if name in IN_QUICK else pytest.mark.slow) for name in GROUPS]
)
def test_a_run_gives_what_its_golden_files_hold(group: str) -> None:
    told = []
    try:
        for name, golden in GROUPS[group]().items():
            lines = describe_changes(read_golden(name), golden)
            told += [f"{name}: {line}" for line in lines]
    except GoldenFault as fault:
        told.append(str(fault))
    if told:
        pytest.fail("\n".join([*told, "where this is wanted: make golden"]), pytrace=False)


def test_no_golden_file_is_left_over() -> None:
    names = {path.relative_to(FOLDER).with_suffix("").as_posix() for path in FOLDER.glob("*/*.json")}
    names = {name for name in names if not name.startswith("files/")}
    assert {name for name in names if name not in GROUPS and name.rpartition(".")[0] not in GROUPS} == set()


def test_a_missing_golden_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(GoldenFault, match=r"^the golden file demo.planned.json is missing: make golden writes it$"):
        read_golden("generate/demo.planned", tmp_path)


def test_a_broken_graph_is_named_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "broken.ttl"
    path.write_text("<a> <b> .", encoding="utf-8")
    with pytest.raises(GoldenFault) as caught:
        load_graph(path)
    said = str(caught.value)
    assert said.startswith(f"no golden run over the graph {path}: ") and "\n" not in said


def turn(question: str, sparql: str = "1") -> dict[str, str]:
    return {"id": "d0001/1", "form": "object", "question": question, "sparql": sparql}


def test_changes_are_told_as_questions_prompts_and_values(tmp_path: Path) -> None:
    request = {"agent": "answer/direct", "characters": 9, "schema": "s", "messages": ["a"]}
    old = {"turns": [turn("Who made it?")], "requests": [request], "texts": {"a": "one\ntwo"}, "sum": {"n": 1}}
    new = {
        "turns": [turn("Who built it?", "2")],
        "requests": [{**request, "messages": ["b"]}],
        "texts": {"b": "one\nthree"},
        "sum": {"n": 2},
    }
    write_golden("old", old, tmp_path)
    kept = read_golden("old", tmp_path)
    assert describe_changes(kept, old) == []
    assert describe_changes(kept, new) == [
        "1 -> 1 turns, 1 differ (question 1, sparql 1)",
        '  d0001/1 (object): "Who made it?" -> "Who built it?"; other sparql',
        "1 -> 1 requests, 1 differ",
        "  request 1 (answer/direct): 9 -> 9 characters",
        "    -two",
        "    +three",
        "$.sum.n: 1 -> 2",
    ]
