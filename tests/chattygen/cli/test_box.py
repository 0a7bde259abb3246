"""The command ``box``: pack, verify, and what it refuses."""

from dataclasses import replace

import pytest
from chattyshared.formats.box import read_members, write_box
from click.testing import CliRunner
from ship_graph import ships
from vessel_talk import SHORT, TALK, vessels

from chattygen.cli import main


def run(*arguments: object):
    return CliRunner().invoke(main, [str(argument) for argument in arguments], prog_name="chattygen")


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("box")
    (folder / "ships.ttl").write_text(ships(), encoding="utf-8")
    file = vessels(folder, dialogues=(TALK, replace(SHORT, turns=SHORT.turns[:3])))
    done = run("box", "--kg", folder / "ships.ttl", file, "--set", "distractors=1")
    assert done.exit_code == 0, done.output
    return folder / "vessels.zip", done.output


def test_a_box_is_written_beside_its_benchmark_and_verified(packed):
    path, output = packed
    assert output.startswith(f"{path}: ") and "of 180 triples, 7 of 7 gold results reproduced" in output
    done = run("box", "--verify", path)
    assert (done.exit_code, done.output) == (0, f"{path}: 7 of 7 gold results reproduced\n")


def test_a_box_without_a_triple_that_gold_needs_fails(packed, tmp_path):
    members, path = read_members(packed[0]), tmp_path / "poor.zip"
    lines = [line for line in members["graph.nt"].splitlines(keepends=True) if b"Albatross> <https://ships.example/vocab/commandedBy" not in line]  # fmt: skip  # noqa: E501
    del members["SHA256SUMS"]
    write_box(path, members | {"graph.nt": b"".join(lines)})
    done = run("box", "--verify", path)
    assert done.exit_code == 1
    assert done.output.splitlines()[:2] == [
        f"{path}: 5 of 7 gold results reproduced",
        "  d0001/1: 1 answers in the gold, 0 on the graph: missing Ada Holt <https://ships.example/Ada_Holt>",
    ]


def test_other_commands_read_the_benchmark_and_the_graph_of_a_box(packed):
    path, _ = packed
    assert "2 dialogues" in run("lint", path).output and "another graph" not in run("lint", path).output
    audited = run("audit", path)
    assert audited.exit_code == 0 and "7 questions, 7 with a query" in audited.output


def test_a_graph_in_the_environment_does_not_hinder_verification(packed):
    done = CliRunner(env={"CHATTY_KG": "demo"}).invoke(main, ["box", "--verify", str(packed[0])])
    assert (done.exit_code, done.output) == (0, f"{packed[0]}: 7 of 7 gold results reproduced\n")


def test_a_box_tells_how_it_is_used_and_boxes_without_that_are_read(packed, tmp_path):
    members, path = read_members(packed[0]), tmp_path / "old.zip"
    assert b"chattygen box --verify BOX.zip" in members["README.md"]
    write_box(path, {name: data for name, data in members.items() if name not in ("README.md", "SHA256SUMS")})
    assert run("box", "--verify", path).exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("FILE",), "name the graph of the benchmark by --kg"),
        (("--verify", "FILE"), "is no box, or a damaged one"),
        (("--verify", "--kg", "demo", "FILE"), "leave out --kg"),
        (("--kg", "demo", "FILE", "-o", "FILE"), "is what is to be read"),
    ],
)
def test_what_is_refused_is_said_in_one_line(tmp_path, arguments, message):
    file = str(vessels(tmp_path))
    done = run("box", *(file if each == "FILE" else each for each in arguments))
    assert done.exit_code == 2 and message in done.output and done.output.count("\n") == 1


def test_an_existing_box_is_kept_without_overwrite(packed):
    path, _ = packed
    again = ("box", "--kg", path.with_name("ships.ttl"), path.with_name("vessels.jsonl"))
    before = path.read_bytes()
    assert run(*again).exit_code == 2 and path.read_bytes() == before
    assert run(*again, "--set", "distractors=1", "--overwrite").exit_code == 0 and path.read_bytes() == before
