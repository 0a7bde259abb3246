"""``chattykg export`` as a user calls it."""

import json
from pathlib import Path

import pytest
from chattyshared.formats.gold import read_gold
from chattyshared.formats.predictions import read_predictions
from click.testing import CliRunner, Result
from vessel_talk import DIALOGUES, vessels

from chattykg.cli import main

SHIPS = "https://ships.example/"


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["export", "--to", "qald", *map(str, arguments)], prog_name="chattykg")


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    path = tmp_path / "ours.jsonl"
    lines = [
        {"id": "d0001/1", "answers": [f"{SHIPS}Ada_Holt"], "sparql": "SELECT ?who WHERE { ?who ?p ?o } ORDER BY ?who"},
        {"id": "d0001/2", "answers": ["false"]},
        {"id": "d0002/2", "answers": ["1861-05-11"]},
        {"id": "d0002/4", "answers": [], "status": "unknown"},
    ]
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def test_the_answers_stand_in_place_of_gold_for_every_question(answers):
    done = call(answers, "--gold", vessels(answers.parent), "--dataset", "ships")
    path = answers.with_name("ours.qald.json")
    assert (done.exit_code, done.stdout, done.stderr) == (0, f"{path}\n", "")
    content = json.loads(path.read_text())
    assert content["dataset"] == {"id": "ships"} and len(content["questions"]) == sum(len(d.turns) for d in DIALOGUES)
    first, polar, third = content["questions"][:3]
    assert (first["answertype"], first["aggregation"]) == ("resource", True)
    assert first["answers"][0]["results"]["bindings"] == [{"who": {"type": "uri", "value": f"{SHIPS}Ada_Holt"}}]
    assert polar["question"] == [{"language": "en", "string": "Was Ada Holt born in Gullwick?"}]
    assert polar["answers"] == [{"head": {}, "boolean": False}]
    assert third["answers"][0]["results"]["bindings"] == [] and "answertype" not in third
    assert [q["answertype"] for q in content["questions"] if q["id"] == "d0002/2"] == ["date"]


def test_the_file_is_read_back_as_gold_and_as_answers(answers):
    call(answers, "--gold", vessels(answers.parent))
    path = answers.with_name("ours.qald.json")
    own, back = ({line.id: line.answers for line in read_predictions(file)} for file in (answers, path))
    assert {id: texts for id, texts in back.items() if texts} == {id: texts for id, texts in own.items() if texts}
    assert read_gold(path).questions[0].sparql.startswith("SELECT ?who")
