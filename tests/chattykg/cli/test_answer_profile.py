"""A run with another profile is another run: it is not gone on with."""

import pytest
from click.testing import CliRunner

from chattygen.cli import main as generator
from chattykg.cli import main

LABELS = 'labels = ["http://www.w3.org/2000/01/rdf-schema#label"]'


def call(command, *arguments):
    return CliRunner().invoke(command, [*map(str, arguments)], prog_name="x")


@pytest.mark.slow
@pytest.mark.parametrize("half", ["generate", "answer", "roundtrip"])
def test_a_changed_profile_makes_another_run(half, tmp_path):
    profile, questions = tmp_path / "kg.toml", tmp_path / "q.jsonl"
    questions.write_text('{"id": "1", "question": "Who directed Inception?"}\n', encoding="utf-8")
    given = {
        "generate": (generator, "generate", "--dialogues", 1, "--turns", 2),
        "answer": (main, "answer", "--questions", questions),
        "roundtrip": (main, "roundtrip", "--dialogues", 1, "--turns", 2),
    }[half]

    def run(said, *more):
        profile.write_text(f"[kg]\n{LABELS}\n{said}\n", encoding="utf-8")
        return call(*given, "--kg", "demo", "--profile", profile, "-o", tmp_path / "out", *more)

    assert run('languages = ["en"]').exit_code == 0
    assert run('languages = ["en"]  # said again\n[endpoint]\ntimeout = 9').exit_code == 0
    other = run('languages = ["de", "en"]')
    assert (other.exit_code, "profile" in other.stderr) == (2, True), other.stderr
    assert '.languages: ["en"] there, ["de", "en"] now' in other.stderr
    assert call(*given, "--kg", "demo", "-o", tmp_path / "out").exit_code == 2
