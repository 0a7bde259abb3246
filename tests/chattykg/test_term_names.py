"""Names for tables and columns that a language model writes into the profile."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from chattyshared.endpoint.connection_options import ConnectionOptions
from chattyshared.kg.factory import open_kg
from chattyshared.kg.profile_file import read_profile
from click.testing import CliRunner
from scripted_model import StepModel
from wire.model_server import Fault, ModelServer, completion

from chattykg.cli import main
from chattykg.term_names import name_table_terms

DB = "http://garage.example/db/"
GARAGE = f"""
@prefix d: <{DB}> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
d:ZMT rdfs:comment "people who repair the cars" .
d:z1 a d:ZMT ; rdfs:label "Ann Lee" ; d:ZMT_zq_hrs 38 ; d:ZMT_xgr "A" ; d:chief d:z2 .
d:z2 a d:ZMT ; rdfs:label "Bob Fox" ; d:ZMT_zq_hrs 35 ; d:ZMT_xgr "B" .
"""


@pytest.fixture
def garage(tmp_path: Path) -> str:
    path = tmp_path / "garage.ttl"
    path.write_text(GARAGE)
    return str(path)


def reply(*names: tuple[int, str]) -> dict[str, object]:
    return {"names": [{"term": term, "name": name} for term, name in names]}


GOOD = reply((1, "mechanic"), (2, "pay grade"), (3, "weekly hours"))


def test_a_model_names_what_only_tables_and_columns_name(garage: str) -> None:
    model = StepModel([GOOD])
    names, failed = name_table_terms(open_kg(garage), model)
    assert failed == 0
    assert names == {f"{DB}ZMT": "mechanic", f"{DB}ZMT_xgr": "pay grade", f"{DB}ZMT_zq_hrs": "weekly hours"}
    lines = model.prompt().splitlines()
    assert '1. ZMT: class of 2 rows; now nothing; comment "people who repair the cars"' in lines
    assert "2. ZMT_xgr: column of ZMT, e.g. 'B'; now nothing" in lines
    assert "chief" not in model.prompt()


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (reply((2, "grade"), (3, "Grade")), "terms 2 and 3 of one class are both 'Grade'"),
        (reply((2, "chief")), "another term of the same class is called 'chief'"),
        (reply((2, "pay_grade")), "name term 2 by at most 6 plain words"),
        (reply((2, "the grade of the pay of a mechanic")), "name term 2 by at most 6 plain words"),
        (reply((7, "grade")), "choose terms from 1 to 3, not 7"),
        (reply((2, "grade"), (2, "rank")), "name each term once: 2"),
    ],
)
def test_a_bad_reply_is_asked_for_again_with_what_is_wrong(garage: str, bad: dict[str, object], said: str) -> None:
    model = StepModel([bad, GOOD])
    names, failed = name_table_terms(open_kg(garage), model)
    assert (len(names), failed, len(model.asked)) == (3, 0, 2)
    assert said in model.asked[1].messages[-1].content
    assert name_table_terms(open_kg(garage), StepModel([bad]), theta=1) == ({}, 3)


def test_what_the_profile_names_is_not_asked_again(garage: str, tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text(f'[kg.names]\n"{DB}ZMT" = "mechanic"\n')
    kg = open_kg(garage, connection=ConnectionOptions(profile_path=path))
    model = StepModel([reply((1, "pay grade"))])
    assert name_table_terms(kg, model)[0] == {f"{DB}ZMT_xgr": "pay grade"}
    assert "column of mechanic" in model.prompt()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    server = ModelServer().start()
    server.says = lambda asked: Fault(body=completion(json.dumps(GOOD)))
    yield server
    server.stop()


def doctor(*arguments: object, code: int = 0):
    done = CliRunner().invoke(main, ["doctor", *map(str, arguments)], prog_name="chattykg")
    assert done.exit_code == code, done.output
    return done


def test_the_doctor_writes_the_names_once(server, garage: str, tmp_path: Path) -> None:
    first, second = tmp_path / "first.toml", tmp_path / "second.toml"
    options = ("--kg", garage, "--name-terms", "--model", "openai:m", "--base-url", server.url)
    assert "names: 3 written, 0 kept" in doctor(*options, "-o", first).stderr
    names = dict(read_profile(first).kg["names"])
    assert names[f"{DB}ZMT"] == "mechanic"
    calls = len(server.asked)
    assert (
        "names: no class or predicate needs a model, none was asked, 3 kept"
        in doctor(*options, "--profile", first, "-o", second).stderr
    )
    assert dict(read_profile(second).kg["names"]) == names and len(server.asked) == calls
    kg = open_kg(garage, connection=ConnectionOptions(profile_path=second))
    assert kg.spoken_names[f"{DB}ZMT"] == "mechanic" and kg.vocabulary.classes[f"{DB}ZMT"].label == "mechanic"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--name-terms"], "--name-terms needs --model MODEL and -o FILE"),
        (["--model", "openai:m"], "--model goes with --name-terms"),
        (["--name-terms", "--model", "rules", "-o", "p.toml"], "the rules name nothing more"),
    ],
)
def test_what_does_not_go_together_is_refused(garage: str, arguments: list[str], said: str) -> None:
    assert said in doctor("--kg", garage, *arguments, code=2).stderr
