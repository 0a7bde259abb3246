"""``chattykg show`` as a user calls it."""

import hashlib
import json
from pathlib import Path

import pytest
from chattyshared.formats.box import MEMBERS, SUMS, write_box
from click.testing import CliRunner, Result
from vessel_talk import vessels

from chattykg.cli import main


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["show", *map(str, arguments)], prog_name="chattykg")


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    path = tmp_path / "ours.jsonl"
    lines = [
        {"id": "d0001/1", "question": "Who commanded the Albatross?", "answers": ["https://ships.example/Ada_Holt"]},
        {"id": "d0001/2", "question": "Was she born in Gullwick?", "answers": ["true"], "sparql": "ASK { ?x ?p ?o }"},
        {"id": "d0002/3", "question": "And what is its motto?", "answers": [], "status": "unknown",
         "reason": {"code": "not-stated", "text": "The graph has no motto."}},
    ]  # fmt: skip
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def test_answers_stand_with_their_gold(answers):
    done = call(answers, "--gold", vessels(answers.parent))
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.splitlines()[:5] == [
        "d0001  Albatross (ship)", "1  Who commanded the Albatross?", "   ✓ Ada Holt", "2  Was she born in Gullwick?",
        "   ✗ yes",
    ]  # fmt: skip


def test_gold_and_answers_stand_in_either_order(answers):
    gold = vessels(answers.parent)
    wrong = call(answers, "--gold", gold, "--wrong").stdout
    assert "   ✗ yes\n     stage: linking, gold: no" in wrong
    for files in ((gold, answers), (answers, gold), (gold, "--gold", answers)):
        assert call(*files, "--wrong").stdout == wrong


def test_the_file_that_the_manifest_names_is_the_gold(answers):
    gold = vessels(answers.parent)
    digest = hashlib.sha256(gold.read_bytes()).hexdigest()[:16]
    answers.with_name("ours.jsonl.run.json").write_text(json.dumps({"answers": {"asked": {"benchmark": digest}}}))
    wrong = call(answers, "--wrong").stdout
    assert "   ✗ yes\n     stage: linking, gold: no" in wrong and "Who commanded" not in wrong and "motto" not in wrong
    gold.write_text(gold.read_text() + "\n")
    assert call(answers, "--wrong").exit_code == 2


def test_without_gold_the_answers_alone_are_shown(answers):
    assert call(answers).stdout.splitlines()[:3] == ["d0001", "1  Who commanded the Albatross?", "   Ada Holt"]
    done = call(answers, "--wrong")
    assert done.exit_code == 2 and "name it with --gold" in done.stderr


def test_a_turn_in_full_has_its_reason_and_query(answers):
    gold = vessels(answers.parent)
    assert "answer      The graph has no motto." in call(answers, "d0002/3", "--gold", gold).stdout
    turn = call(answers, "d0001/2", "--gold", gold).stdout
    assert "✗ ours  F1 0.00, stage: linking" in turn and "query       ASK {" in turn
    assert call(answers, "d0001/1", "--gold", gold, "--wrong").stdout == "nothing is wrong here\n"
    unknown = call(answers, "d0001/9", "--gold", gold)
    assert unknown.exit_code == 2 and "did you mean d0001/" in unknown.stderr


def test_conversations_are_shown_as_they_went(tmp_path):
    file, goal = tmp_path / "talks.jsonl", {"goal": 1, "status": "accepted", "answerable": True, "reached": True}
    told = [{"role": "user", "goal": 1, "act": "ask", "text": "Who?"},
            {"role": "system", "goal": 1, "text": "Ann.", "status": "answered", "right": True}]  # fmt: skip
    goal |= {name: 0 for name in ("turns", "asked_back", "clarified", "resolved")} | {"hangs_on": [], "basis": ""}
    goal |= dict.fromkeys(("first_right", "refused_at_first", "erred", "noticed", "recovered", "doubted"), False)
    usage = {"calls": 0, "prompt_tokens": 0, "completion_tokens": 0}
    talks = [{"id": id, "status": "done", "turns": told, "goals": [goal], "usage": usage} for id in ("d1", "d2")]
    file.write_text("".join(json.dumps(talk) + "\n" for talk in talks), encoding="utf-8")
    one = "d2: done\n  goal 1: reached\n    user    Who?\n    system  Ann.\n"
    assert call(file, "d2").output == one
    assert call(file, "--first", 1).output.endswith("system  Ann.\n\nand 1 more (--first N shows more)\n")
    refused = call(file, "d3")
    assert refused.exit_code == 2 and "no conversation has the ID d3" in refused.stderr
    assert call(file, "--wrong").exit_code == 2


def test_the_box_beside_the_answers_is_their_gold(answers):
    gold = vessels(answers.parent)
    digest = hashlib.sha256(gold.read_bytes()).hexdigest()[:16]
    answers.with_name("ours.jsonl.run.json").write_text(json.dumps({"answers": {"asked": {"benchmark": digest}}}))
    members = {name: b"" for name in MEMBERS if name != SUMS}
    members |= {"benchmark.jsonl": gold.read_bytes(), "box.json": b'{"format": 1}'}
    write_box(gold.with_suffix(".zip"), members)
    gold.with_name("a-broken.zip").write_bytes(b"PK\x03\x04")
    gold.unlink()
    assert "   ✗ yes" in call(answers, "--wrong").stdout
