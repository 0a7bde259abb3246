"""``chattykg chat`` with a scripted engine, and as a user pipes into it."""

from pathlib import Path

import pytest
from chattyshared.dialogue import Answer, History, Value
from chattyshared.errors import EndpointUnavailable
from chattyshared.trace import Trace
from click.testing import CliRunner

from chattykg.cli import main
from chattykg.cli.chat import HELP_TEXT, ChatSession


class Scripted:
    """Says how much it has heard; fails where it is told to."""

    def answer(self, question: str, history: History = (), *, span: str = "") -> Answer:
        if question == "fail":
            raise EndpointUnavailable("nobody is there")
        if question == "break":
            raise ValueError("a mistake in the program")
        if question == "stop":
            raise KeyboardInterrupt
        return Answer((Value(f"{question} after {len(history)}", "literal"),), sparql="SELECT ?x {}")


def talk(capsys: pytest.CaptureFixture[str], *lines: str) -> tuple[str, str]:
    ChatSession(Scripted()).run(iter(lines))
    heard = capsys.readouterr()
    return heard.out, heard.err


def test_a_conversation_is_remembered_until_it_is_forgotten(capsys):
    assert talk(capsys, "a", "", "b", "/reset", "c") == ("a after 0\nb after 1\nc after 0\n", "Forgotten.\n")


def test_trouble_is_said_and_the_conversation_goes_on(capsys):
    out, err = talk(capsys, "a", "fail", "stop", "b")
    assert out == "a after 0\nb after 1\n"
    assert err == "That did not work: nobody is there\nGiven up.\n"


def test_an_unexpected_error_is_said_and_the_conversation_goes_on(capsys, tmp_path: Path):
    with Trace(tmp_path / "t.jsonl") as trace:
        ChatSession(Scripted(), trace=trace).run(iter(["a", "break", "b"]))
    heard = capsys.readouterr()
    assert heard.out == "a after 0\nb after 1\n"
    assert heard.err.startswith("That did not work: unexpected error: ValueError at chattykg.cli.chat:")
    assert "a mistake in the program" in (tmp_path / "t.jsonl").read_text()


def test_the_query_of_the_last_answer_is_shown(capsys):
    out, _ = talk(capsys, "/sparql", "a", "/sparql")
    assert out.startswith("Nothing was asked yet.\na after 0\nquery       SELECT ?x {}\ncost ")


def test_commands(capsys):
    out, _ = talk(capsys, "/help", "/nonsense", "/quit", "a")
    assert out == f"{HELP_TEXT}\nThere is no /nonsense; /help tells what there is.\n"
    assert "/sparql" in HELP_TEXT


def test_lines_can_be_piped_in(tmp_path: Path):
    (tmp_path / "films.ttl").write_text(
        "@prefix : <https://chatty.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        ':f a :Film ; rdfs:label "The Long River" ; :director :a . :a a :Person ; rdfs:label "Ana Lund" .\n'
        ':director rdfs:label "director" . :Film rdfs:label "film" . :Person rdfs:label "person" .\n'
    )
    said = b"Who directed The Long River?\n\n\xff\xfe\n/sparql\n"
    done = CliRunner().invoke(main, ["chat", "--kg", str(tmp_path / "films.ttl")], input=said, prog_name="chattykg")
    assert done.exit_code == 0
    assert done.stdout.startswith("Ana Lund\nI do not know")
    assert done.stderr == "films.ttl: 8 triples. /help tells what you can do.\n"
