"""``chattygen show`` as a user calls it."""

import json

import pytest
from click.testing import CliRunner, Result
from vessel_talk import vessels

from chattygen.cli import main


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["show", *map(str, arguments)], prog_name="chattygen")


def test_the_dialogues_are_listed_and_a_turn_is_shown_in_full(tmp_path):
    path = vessels(tmp_path)
    listed = call(path, "--first", 1)
    assert (listed.exit_code, listed.stderr) == (0, "")
    assert listed.stdout.splitlines()[:3] == [
        "d0001  Albatross (ship)",
        "1  Who commanded the Albatross?",
        "   Ada Holt",
    ]
    turn = call(path, "d0001/2").stdout
    assert "standalone  Was Ada Holt born in Gullwick?" in turn and "ASK {" in turn and "\x1b" not in turn
    assert call(path, "d0002").stdout.count("question  ") == 4


def test_a_file_of_questions_is_shown_too(tmp_path):
    path = tmp_path / "questions.jsonl"
    path.write_text('{"id": "q1", "question": "Who?\\u001b[31m", "answers": ["Ada"]}')
    assert call(path).stdout.splitlines()[:2] == ["q1  Who? [31m", "    Ada"]


def test_a_turn_in_full_has_its_certificate(tmp_path):
    alternative = {"answer": "Ada", "value": "Ada B.", "reason": "tie"}
    certificate = {"verdict": "ambiguous", "reasons": ["tie"], "fingerprint": "f", "results": []}
    line = {"id": "q1", "question": "Who?", "answers": ["Ada"]}
    path = tmp_path / "questions.jsonl"
    path.write_text(json.dumps({**line, "certificate": {**certificate, "alternatives": [alternative]}}))
    assert call(path, "q1").stdout.splitlines()[-2:] == [
        "verdict     ambiguous (tie)",
        "accepted    Ada B. in place of Ada (tie)",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(("d0003",), "no dialogue or turn 'd0003'; did you mean d0002 or d0001?"), (("--first", "0"), "x>=1")],
)
def test_bad_input_is_one_line(tmp_path, arguments, message):
    done = call(vessels(tmp_path), *arguments)
    assert done.exit_code == 2 and message in done.stderr and done.stderr.count("\n") == 1
    assert call(tmp_path / "absent").exit_code == 2
