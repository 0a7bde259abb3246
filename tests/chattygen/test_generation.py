"""Benchmarks from Python: equal to those of the command, with options that are checked and shortfalls that are said."""

import functools
import json
from dataclasses import fields

import pytest
import rdflib
from chattyshared.errors import ConfigError
from click.testing import CliRunner

import chattygen
from chattygen.cli import main
from chattygen.options import OptionFields

SMALL = "@prefix e: <http://e/> . @prefix l: <http://www.w3.org/2000/01/rdf-schema#> . " + "".join(
    f'e:x{n} a e:City ; l:label "City {n}" ; e:mayor e:m{n} ; e:area {n}0 ; e:river e:r{n} ; e:founded "18{n}0"^^<http://'
    f'www.w3.org/2001/XMLSchema#gYear> ; e:twin e:x{5 - n} ; e:country e:c . e:m{n} l:label "Mayor {n}" . '
    f'e:r{n} l:label "River {n}" . e:c l:label "Land" . '
    for n in range(1, 5)
)


@functools.cache
def demo(**options):
    return chattygen.generate("demo", 3, turns=3, seed=7, **options)


def test_the_fields_that_generate_states_are_those_of_the_options():
    stated = OptionFields.__annotations__
    assert {*stated} == {each.name for each in fields(chattygen.Options)} - {"dialogues", "class_bounds"}


def test_a_benchmark_is_that_of_the_command(tmp_path):
    command = tmp_path / "command.jsonl"
    arguments = ["generate", "--kg", "demo", "--dialogues", "3", "--turns", "3", "--seed", "7", "-o", str(command)]
    assert CliRunner().invoke(main, arguments).exit_code == 0
    bench = demo()
    bench.save(tmp_path / "python.jsonl")
    assert (tmp_path / "python.jsonl").read_bytes() == command.read_bytes()
    assert chattygen.load_benchmark(str(command)) == bench
    assert len(bench) == 3 and [dialogue.id for dialogue in bench] == ["d0001", "d0002", "d0003"]
    assert list(bench[1:]) == list(bench.dialogues[1:]) and bench[1:].header == bench.header
    assert bench[0] is bench.dialogues[0] and repr(bench).endswith(": 3 dialogues, 9 turns)")


def test_a_saved_benchmark_loses_the_manifest_of_the_file_that_it_replaces(tmp_path):
    path = tmp_path / "b.jsonl"
    made = chattygen.generate("demo", 1, turns=2, path=path)
    assert path.with_name("b.jsonl.run.json").exists()
    demo().save(path)
    assert not path.with_name("b.jsonl.run.json").exists() and chattygen.load_benchmark(path) == demo() != made


def test_a_path_makes_a_run_that_goes_on(tmp_path):
    path = tmp_path / "b.jsonl"
    first = chattygen.generate("demo", 2, turns=2, path=path)
    written = path.stat().st_mtime_ns
    assert chattygen.generate("demo", 2, turns=2, path=str(path)) == first and path.stat().st_mtime_ns == written
    with pytest.raises(ConfigError, match="made by another run"):
        chattygen.generate("demo", 2, turns=3, path=path)
    assert len(chattygen.generate("demo", 1, turns=3, path=path, overwrite=True)) == 1


def test_a_graph_of_rdflib_and_a_function_as_model_make_dialogues(caplog):
    graph = rdflib.Graph().parse(data=SMALL)
    asked = []

    def model(messages):
        asked.append(messages)
        return json.dumps({})

    assert len(chattygen.generate(graph, 2, turns=3)) == 2
    bench = chattygen.generate(graph, 1, turns=2, model=model, theta=1)
    assert asked and len(bench) == 0  # junk rejects each seed, and the shortfall is said
    assert "made 0 of 1 dialogues" in caplog.text


@pytest.mark.parametrize(
    ("dialogues", "options", "message"),
    [
        (0, {}, "dialogues: 0 is not at least 1"),
        ("5", {}, "dialogues: '5' is no integer"),
        (True, {}, "dialogues: True is no integer"),
        (2, {"turn": 3}, "unknown option 'turn'; did you mean turns"),
        (2, {"type": "Film"}, "unknown option 'type'; did you mean .*types"),
        (2, {"turns": 0}, "turns: 0 is not at least 1"),
        (2, {"chain": 2}, "chain: 2 is not from 0 to 1"),
        (2, {"approach": "best"}, "approach: 'best' is none of 'planned'"),
        (2, {"mix": {"nonsense": 5}}, "unknown form 'nonsense'"),
        (2, {"types": 5}, "type: 5 is no text"),
        (2, {"types": ["Flim"]}, "Flim"),
        (2, {"seeds": ["Inception"]}, "seeds: Inception is no IRI"),
        (2, {"seeds": "none.txt"}, "cannot read none.txt"),
        (2, {"workers": 0}, "workers: 0 is not at least 1"),
        (2, {"lang": "de"}, "de"),
        (2, {"model": None}, "no language model"),
    ],
)
def test_an_option_without_such_a_value_is_refused(dialogues, options, message):
    with pytest.raises(ConfigError, match=message):
        chattygen.generate("demo", dialogues, **options)


def test_a_data_frame_has_a_line_per_turn():
    pytest.importorskip("pandas")
    frame = demo().to_pandas()
    turns = [turn for dialogue in demo() for turn in dialogue.turns]
    assert list(frame["question"]) == [turn.question for turn in turns]
    assert list(frame["id"])[:2] == ["d0001/1", "d0001/2"] and set(frame["dialogue"]) == {"d0001", "d0002", "d0003"}
    assert list(frame["labels"])[0] == [value.text for value in turns[0].answers]


def test_the_package_names_its_version_and_lists_its_names():
    assert chattygen.__version__ and set(chattygen.__all__) <= set(dir(chattygen))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = chattygen.nonsense
