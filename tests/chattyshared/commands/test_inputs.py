"""``-`` as a file that is read: every command takes standard input under this name, once, and says what it read."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import chattygen.cli
import chattykg.cli

pytestmark = pytest.mark.slow

GROUPS = {"chattygen": chattygen.cli.main, "chattykg": chattykg.cli.main}
WELLS = """@prefix : <https://wells.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Well a rdfs:Class ; rdfs:label "well" . :keeper rdfs:label "keeper" .
:one a :Well ; rdfs:label "Foxhole" ; :keeper :ana . :ana rdfs:label "Ana Lund" .
"""
QUESTION = "Who is the keeper of Foxhole?"
GOLD = json.dumps({"id": 1, "question": QUESTION, "answers": ["Ana Lund"]})
ANSWERS = json.dumps({"id": 1, "answers": ["https://wells.example/ana"], "labels": ["Ana Lund"]})


@pytest.fixture(autouse=True)
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in (("wells.ttl", WELLS), ("gold.jsonl", GOLD), ("answers.jsonl", ANSWERS)):
        Path(name).write_text(text)
    return tmp_path


def call(program: str, *arguments: str, given: str | bytes = "") -> Result:
    return CliRunner().invoke(GROUPS[program], arguments, prog_name=program, input=given)


def test_a_question_is_read_from_standard_input():
    done = call("chattykg", "answer", "--kg", "wells.ttl", "-", given=f"\ufeff{QUESTION}\r\n")
    assert (done.exit_code, done.stdout.partition("\n")[0]) == (0, "Ana Lund")


@pytest.mark.parametrize("given", ["", " \n", f"{QUESTION}\nWhere is it?\n"])
def test_what_is_not_one_question_is_refused(given):
    done = call("chattykg", "answer", "--kg", "wells.ttl", "-", given=given)
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert "lines, not one QUESTION; --questions - answers a question a line" in done.stderr


def test_questions_are_read_from_standard_input_and_the_same_text_goes_on():
    command = ("answer", "--kg", "wells.ttl", "--questions", "-", "-o", "told.jsonl")
    assert call("chattykg", *command, given=QUESTION).stdout == "told.jsonl: 1 answers\n"
    assert "(were there already)" in call("chattykg", *command, given=QUESTION).stdout
    other = call("chattykg", *command, given=f"{QUESTION} Please.")
    assert other.exit_code == 2 and "was made by another run" in other.stderr


@pytest.mark.parametrize(("files", "given"), [(("-", "answers.jsonl"), GOLD), (("gold.jsonl", "-"), ANSWERS)])
def test_gold_or_answers_are_read_from_standard_input(files, given):
    done = call("chattykg", "evaluate", "--json", *files, given=given)
    assert (done.exit_code, done.stderr, json.loads(done.stdout)["f1"]) == (0, "", 1.0)


def test_a_graph_is_read_from_standard_input():
    done = call("chattykg", "answer", "--kg", "-", "--json", QUESTION, given=WELLS)
    assert (done.exit_code, json.loads(done.stdout)["labels"]) == (0, ["Ana Lund"])
    broken = call("chattykg", "answer", "--kg", "-", QUESTION, given=WELLS + "<")
    assert (broken.exit_code, broken.stderr.count("\n")) == (2, 1)
    assert broken.stderr.startswith("chattykg: standard input: line 4, column ")


def test_files_that_the_generators_commands_read():
    made = call("chattygen", "generate", "--kg", "demo", "--dialogues", "1", "--turns", "2", "-o", "b.jsonl")
    assert made.exit_code == 0
    text = Path("b.jsonl").read_text()
    Path("alone.jsonl").write_text(text)
    for command in (["lint", "--json"], ["stats", "--json"], ["audit", "--kg", "demo", "--json"]):
        from_file, piped = call("chattygen", *command, "alone.jsonl"), call("chattygen", *command, "-", given=text)
        assert (from_file.exit_code, piped.exit_code, piped.stderr) == (0, 0, "")
        assert json.loads(piped.stdout) == json.loads(from_file.stdout.replace('"alone.jsonl"', '"standard input"'))
    export = ("export", "--to", "qald", "-o")
    assert call("chattygen", *export, "one.json", "alone.jsonl").exit_code == 0
    assert call("chattygen", *export, "two.json", "-", given=text).exit_code == 0
    assert Path("one.json").read_text() == Path("two.json").read_text()


@pytest.mark.parametrize(
    "command",
    [["evaluate", "-", "-"], ["answer", "--kg", "-", "-"], ["answer", "--kg", "-", "--questions", "-"]],
)
def test_standard_input_is_read_once(command):
    done = call("chattykg", *command, given=GOLD)
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert 'standard input ("-") can be read only once' in done.stderr


def test_a_chat_has_standard_input_for_itself():
    done = call("chattykg", "chat", "--kg", "-", given=WELLS)
    assert done.exit_code == 2 and "what you say comes from standard input" in done.stderr


def test_what_is_wrong_with_standard_input_is_told_by_its_name():
    done = call("chattykg", "answer", "--kg", "wells.ttl", "--questions", "-", given=b"\x00\x01")
    assert done.stderr == "chattykg: standard input: is a binary file, no text in UTF-8\n"
    empty = call("chattykg", "answer", "--kg", "wells.ttl", "--questions", "-", given="")
    assert empty.stderr == "chattykg: standard input: the file is empty\n"


def test_nothing_is_written_to_a_file_called_minus():
    done = call("chattykg", "answer", "--kg", "wells.ttl", "--questions", "gold.jsonl", "-o", "-")
    assert (done.exit_code, done.stderr, Path("-").exists()) == (2, "chattykg: - is no name of a file\n", False)


def test_a_pipe_can_be_a_file(tmp_path):
    os.mkfifo("pipe")
    writer = threading.Thread(target=Path("pipe").write_text, args=(GOLD,))
    writer.start()
    done = call("chattykg", "evaluate", "pipe", "answers.jsonl")
    writer.join()
    assert (done.exit_code, done.stderr) == (0, "")


def test_at_a_terminal_it_says_what_it_waits_for_and_leaves_no_copy(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path / "copies"))
    (tmp_path / "copies").mkdir()
    ours, theirs = os.openpty()
    program = [sys.executable, "-m", "chattykg", "answer", "--kg", "wells.ttl", "--json", "-"]
    with subprocess.Popen(program, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        assert running.stderr.readline() == "reading standard input; Ctrl-D ends it\n"
        os.write(ours, f"{QUESTION}\n\x04".encode())
        said, _ = running.communicate(timeout=60)
    os.close(ours)
    os.close(theirs)
    assert (json.loads(said)["labels"], list((tmp_path / "copies").iterdir())) == (["Ana Lund"], [])
