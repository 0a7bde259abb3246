"""The registry of question forms is whole: schemas, type, functions and generated dialogues agree with it."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest
from chattyshared.benchmark import read_benchmark
from chattyshared.errors import ConfigError
from chattyshared.question_forms import FACT_FORMS, FORM_BY_NAME, MIX_SHARES, QUESTION_FORMS
from click.testing import CliRunner

import chattygen.cli
from chattygen.form_registry import all_forms, register

LEVELS = ("easy", "medium", "hard")


def test_the_registry_holds_each_form_once() -> None:
    assert set(all_forms()) == set(FORM_BY_NAME)
    assert {form.name for form in QUESTION_FORMS} | {"sum", "average"} <= set(FORM_BY_NAME)
    assert sum(share for _, share in MIX_SHARES) == 100


def test_a_form_is_registered_once() -> None:
    with pytest.raises(ConfigError, match='"count" is registered already'):
        register(all_forms()["count"])


@pytest.mark.parametrize("name", ["questions", "binding"])
def test_the_reply_schemas_list_the_forms_of_facts(name: str) -> None:
    schema = json.loads(files("chattyprompts").joinpath("generate", f"{name}.schema.json").read_text(encoding="utf-8"))
    item = schema["properties"]["questions"]["items"] if "questions" in schema["properties"] else schema
    assert tuple(item["properties"]["form"]["enum"]) == FACT_FORMS


@pytest.mark.slow
def test_generated_turns_have_the_links_and_the_difficulty_of_their_forms(tmp_path: Path) -> None:
    path = tmp_path / "demo.jsonl"
    done = CliRunner().invoke(chattygen.cli.main, ["generate", "--kg", "demo", "--dialogues", "12", "-o", str(path)])
    assert done.exit_code == 0, done.output
    turns = [turn for dialogue in read_benchmark(path).dialogues for turn in dialogue.turns]
    assert turns
    for turn in turns:
        form = FORM_BY_NAME[turn.form]
        leaves_topic = turn.link == "shift" and not turn.answerable  # what the graph does not know may be anything
        assert turn.link in form.links or leaves_topic, turn
        assert LEVELS.index(turn.difficulty) >= LEVELS.index(form.difficulty) or not turn.answerable, turn
