from __future__ import annotations

import json
from importlib.resources import files

import jsonschema
import pytest
from chattyshared import benchmark
from chattyshared.check import truncate_middle
from chattyshared.dialogue import LINKS, Certificate, Dialogue, Seed, Turn, Value
from chattyshared.errors import BenchmarkInvalid, ConfigError
from chattyshared.jsonlines import to_json_line
from chattyshared.model import Usage

SCHEMA = json.loads(files("chattydata").joinpath("benchmark.schema.json").read_text(encoding="utf-8"))
FILM, DIRECTOR = "http://example.org/film", "http://example.org/director"
HEADER = benchmark.make_header(
    "small",
    sources=["films.ttl"],
    fingerprint="f00d",
    triples=12,
    generate={
        "options": {"turns": 2},
        "seed": 0,
        "model": "rules",
        "prompts": {"generate/x": "abc"},
        "versions": {"chattykg": "0.1.0"},
    },
)
TURNS = (
    Turn(
        turn=1, question="Who directed “Film”?", standalone="Who directed Film?", form="object", link="opens",
        answer_type="Person", answerable=True, difficulty="easy", sparql="SELECT ?x WHERE { ?x ?y ?z }",
        answers=(Value("http://example.org/p", "iri", label="P. Ö."), Value("5", "number", datatype="http://x/int"),
                 Value("chat", "literal", lang="fr"), Value("true", "boolean")),
        triples=((FILM, DIRECTOR, "?x"),), witness=((FILM, DIRECTOR, "http://example.org/p"),),
    ),
    Turn(2, "Is it blue?", "Is Film blue?", "boolean", "topic", "boolean", False, "hard", "", (),
         unanswerable="qualifier", certificate=Certificate(("blue",), ("color",))),
)  # fmt: skip
DIALOGUE = Dialogue(
    "d1", Seed(FILM, "Film", "http://example.org/Film"), TURNS, Usage(2, 10, 5, usd=0.25, estimated=True)
)


def written(tmp_path, *objects):
    path = tmp_path / "b.jsonl"
    path.write_text("".join((thing if isinstance(thing, str) else to_json_line(thing)) + "\n" for thing in objects))
    return path


def line():
    return benchmark.dialogue_to_json(DIALOGUE)


def test_what_is_written_is_read_back(tmp_path):
    whole = benchmark.Benchmark(HEADER, (DIALOGUE, Dialogue("d2", DIALOGUE.seed, TURNS[:1])))
    benchmark.write_benchmark(tmp_path / "b.jsonl", whole)
    assert benchmark.read_benchmark(tmp_path / "b.jsonl") == whole
    assert whole.name == "small"
    assert benchmark.turn_id(DIALOGUE, TURNS[1]) == "d1/2"


def test_the_line_is_as_promised():
    said = line()
    assert list(said) == ["id", "seed", "turns", "usage"]
    assert list(said["turns"][0]) == [
        "turn", "question", "standalone", "form", "link", "answer_type", "answerable", "difficulty", "sparql",
        "answers", "triples", "witness",
    ]  # fmt: skip
    assert said["turns"][0]["answers"] == [
        {"value": "http://example.org/p", "kind": "iri", "label": "P. Ö."},
        {"value": "5", "kind": "number", "datatype": "http://x/int"},
        {"value": "chat", "kind": "literal", "lang": "fr"},
        {"value": "true", "kind": "boolean"},
    ]
    assert said["usage"] == {"calls": 2, "prompt_tokens": 10, "completion_tokens": 5, "usd": 0.25, "estimated": True}


def test_the_schema_is_one_and_knows_the_forms_and_links():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    turn = SCHEMA["$defs"]["turn"]["properties"]
    assert tuple(turn["link"]["enum"]) == LINKS
    whole = jsonschema.Draft202012Validator(SCHEMA)
    assert whole.is_valid(line()) and whole.is_valid(benchmark.header_to_json(HEADER)) and not whole.is_valid({})


@pytest.mark.parametrize("name", ["benchmark", "questions", "answers"])
def test_every_field_of_every_schema_is_described(name):
    def walk(node, place):
        for key, part in node.get("properties", {}).items():
            assert part.get("description") or "$ref" in part, f"{place}.{key}"
            walk(part, f"{place}.{key}")
        walk(node["items"], f"{place}[]") if isinstance(node.get("items"), dict) else None

    schema = json.loads(files("chattydata").joinpath(f"{name}.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    for definition, node in schema["$defs"].items():
        assert node["description"]
        walk(node, definition)


def changed(change):
    value = line()
    change(value)
    return value


@pytest.mark.parametrize(
    ("change", "path", "said"),
    [
        (lambda d: d["turns"][1].update(form="Odd!"), "$.turns[1].form", "'Odd!' does not match "),
        (lambda d: d["turns"][1].update(link=None), "$.turns[1].link", "None is not of type 'string'"),
        (lambda d: d["turns"][0].pop("sparql"), "$.turns[0]", "'sparql' is a required property"),
        (lambda d: d["turns"][0].update(colour=1), "$.turns[0]", "Additional properties are not allowed ('colour'"),
        (lambda d: d["turns"][0]["answers"][0].update(kind="uri"), "$.turns[0].answers[0].kind", "'uri' is not one"),
        (lambda d: d["turns"][0]["answers"][3].update(value="1"), "$.turns[0].answers[3].value", "'1' is not one of"),
        (lambda d: d["turns"][0]["triples"][0].pop(), "$.turns[0].triples[0]", "is too short"),
        (lambda d: d["turns"][0].update(answerable=False), "$.turns[0].answers", "is expected to be empty"),
        (lambda d: d["turns"][1].update(turn=3), "$.turns[1].turn", "turn 3 where turn 2 should stand"),
        (lambda d: d.update(turns=[]), "$.turns", "[] should be non-empty"),
        (lambda d: d["seed"].update(iri=""), "$.seed.iri", "'' should be non-empty"),
        (lambda d: d["usage"].update(calls=-1), "$.usage.calls", "-1 is less than the minimum of 0"),
    ],
)
def test_a_broken_line_is_named_by_number_and_path(tmp_path, change, path, said):
    file = written(
        tmp_path, benchmark.header_to_json(HEADER), line(), "", changed(lambda d: d.update(id="d2") or change(d))
    )
    with pytest.raises(BenchmarkInvalid) as caught:
        benchmark.read_benchmark(file)
    error = caught.value
    assert (error.file, error.line, error.path) == (str(file), 4, path)
    assert said in str(error)
    assert str(error).startswith(f"{file}, line 4, {path}: ")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "{file}: the file is empty"),
        (
            to_json_line(benchmark.dialogue_to_json(DIALOGUE)),
            '{file}, line 1: the header is missing (a line {{"benchmark": ...}})',
        ),
        ('{"benchmark": {"name": "x"', "{file}, line 1: not JSON: Expecting ',' delimiter (column 27)"),
        ('{"benchmark": {"name": "x"}}', "{file}, line 1, $.benchmark: 'format' is a required property"),
        (
            to_json_line({"benchmark": HEADER | {"format": 3}}),
            "{file}, line 1, $.benchmark.format: 3 is not one of [1, 2]",
        ),
        (to_json_line({"benchmark": HEADER}) + "\n7", "{file}, line 2, $: 7 is not of type 'object'"),
        (to_json_line({"benchmark": HEADER}) + "\nNaN", "{file}, line 2: not JSON: NaN is no JSON number"),
        (
            to_json_line({"benchmark": HEADER}) + "\n[-1" + "0" * 200,
            f"{{file}}, line 2: not JSON: {truncate_middle('-1' + '0' * 200)} is too large a number",
        ),
        (
            to_json_line({"benchmark": HEADER}) + "\n" + '{"a": [' * 50_000,
            "{file}, line 2: not JSON: nested too deeply",
        ),
    ],
)
def test_a_broken_file(tmp_path, content, said):
    file = tmp_path / "b.jsonl"
    file.write_text(content)
    with pytest.raises(BenchmarkInvalid) as caught:
        benchmark.read_benchmark(file)
    assert str(caught.value) == said.format(file=file)


def test_one_id_twice(tmp_path):
    file = written(tmp_path, benchmark.header_to_json(HEADER), line(), line())
    with pytest.raises(BenchmarkInvalid, match=r"line 3, \$\.id: the id 'd1' is taken$"):
        benchmark.read_benchmark(file)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(ConfigError, match=r"none\.jsonl: No such file or directory$"):
        benchmark.read_benchmark(tmp_path / "none.jsonl")
    with pytest.raises(ConfigError, match="Is a directory$"):
        benchmark.read_benchmark(tmp_path)
