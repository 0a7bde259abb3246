"""What every command refuses: the rows of ``refusals/refusals.txt``, and what holds for each of them."""

import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from chattykg.cli import main

FOLDER = Path(__file__).with_name("refusals")
EXPERIENCE = Path(__file__).with_name("recorded") / "demo.experience.jsonl"
ROWS = [
    tuple(part.strip() for part in line.split("|", 2))
    for line in (FOLDER / "refusals.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    folder = shutil.copytree(FOLDER, tmp_path_factory.mktemp("refused") / "room")
    shutil.copy(EXPERIENCE, folder)
    return folder


def content(folder):
    return {path: path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


@pytest.mark.parametrize(("code", "command", "words"), ROWS, ids=[row[1] for row in ROWS])
def test_it_is_refused_in_one_line_and_nothing_is_left_behind(room, monkeypatch, code, command, words):
    monkeypatch.chdir(room)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    before = content(room)
    done = CliRunner().invoke(main, shlex.split(command), prog_name="chattykg")
    assert (done.exit_code, done.stdout) == (int(code), ""), done.output
    *warnings, line = done.stderr.splitlines()
    assert words in line and "Traceback" not in done.stderr
    assert all(warning.startswith("warning: ") for warning in warnings), done.stderr
    assert content(room) == before
