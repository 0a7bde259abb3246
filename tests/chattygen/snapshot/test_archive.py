"""Boxes reproduce their gold, and what they cannot hold is named; their license, metadata and lines of N-Triples."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest
from chattyshared.benchmark import Benchmark, read_benchmark, write_benchmark
from chattyshared.errors import ConfigError
from chattyshared.formats.box import read_members
from chattyshared.kg.factory import open_kg
from rdflib import BNode, Literal, URIRef
from vessel_talk import SHORT, TALK, S, V, vessels

from chattygen.snapshot.archive import box_members, make_box, read_license, render_triples
from chattygen.snapshot.extraction import Snapshot, SnapshotOptions, add_predicates
from chattygen.snapshot.reproduction import reproduce_box, reproduce_gold

A, P = URIRef("http://ex.org/a"), URIRef("http://ex.org/p")
SOUND = (TALK, replace(SHORT, turns=SHORT.turns[:3]))
NONE = SnapshotOptions(0, 500_000)


def members(tmp_path, kg, license=""):
    file = vessels(tmp_path, dialogues=(TALK,))
    snapshot = Snapshot(frozenset({(A, P, Literal("x"))}), read_benchmark(file))
    return box_members(file, kg, snapshot, NONE, license)


def test_triples_are_sorted_lines():
    triples = {(A, P, Literal('a "b"\n', lang="en")), (A, P, BNode("n1")), (A, P, A)}
    assert render_triples(triples) == [
        '<http://ex.org/a> <http://ex.org/p> "a \\"b\\"\\n"@en .',
        "<http://ex.org/a> <http://ex.org/p> <http://ex.org/a> .",
        "<http://ex.org/a> <http://ex.org/p> _:n1 .",
    ]


def test_only_the_license_of_the_whole_graph_counts(open_turtle):
    text = """@prefix : <http://ex.org/> . @prefix dct: <http://purl.org/dc/terms/> .
        @prefix void: <http://rdfs.org/ns/void#> .
        :set a void:Dataset ; dct:license <http://ex.org/by> . :photo dct:license <http://ex.org/mine> ."""
    assert read_license(open_turtle(text).endpoint) == ["http://ex.org/by"]


def test_the_users_license_is_written_everywhere(tmp_path, ships_kg):
    parts = members(tmp_path, ships_kg, "CC0\n1.0")
    assert "Who made this box says: CC0 1.0" in parts["LICENSE-NOTE.md"].decode()
    assert json.loads(parts["croissant.json"])["license"] == json.loads(parts["box.json"])["license"] == ["CC0 1.0"]


def test_croissant_names_the_files_with_their_sums(tmp_path, ships_kg):
    parts = members(tmp_path, ships_kg)
    metadata = json.loads(parts["croissant.json"])
    assert metadata["conformsTo"] == "http://mlcommons.org/croissant/1.0"
    for file in metadata["distribution"]:
        assert file["sha256"] == hashlib.sha256(parts[file["contentUrl"]]).hexdigest()
    paths = [field["source"]["extract"]["jsonPath"] for field in metadata["recordSet"][0]["field"]]
    assert "$.turns[*].sparql" in paths


def turn(sparql: str, *answers: str, number: int = 1):
    values = tuple(replace(TALK.turns[0].answers[0], value=S + name, label=name) for name in answers)
    return replace(TALK.turns[0], turn=number, sparql=sparql, answers=values)


@pytest.fixture
def pack(tmp_path: Path, ships_kg):
    def made(dialogues=SOUND, options=NONE, **others):
        file = vessels(tmp_path, dialogues=dialogues)
        snapshot, reproduction = make_box(tmp_path / "box.zip", file, read_benchmark(file), ships_kg, options, **others)
        return tmp_path / "box.zip", snapshot, reproduction

    return made


def test_a_box_reproduces_its_gold_alone(pack):
    path, snapshot, reproduction = pack()
    assert str(reproduction) == "7 of 7 gold results reproduced" == str(reproduce_box(path))
    assert len(snapshot.triples) < 180
    assert read_members(path)["benchmark.jsonl"] == path.with_name("vessels.jsonl").read_bytes()


def test_the_whole_candidate_set_is_kept(pack):
    longest = turn(f"SELECT ?x WHERE {{ ?x <{V}length_m> ?v }} ORDER BY DESC(?v) LIMIT 1", "Juno")
    path, _, _ = pack((replace(TALK, turns=(longest,)),))
    assert len(open_kg(path).endpoint.select(f"SELECT ?x WHERE {{ ?x <{V}length_m> ?v }}")) == 10


def test_the_candidates_of_a_negation_keep_what_rules_them_out(pack):
    query = (
        f"SELECT DISTINCT ?x WHERE {{ ?x <{V}homePort> <{S}Gullwick> FILTER NOT EXISTS "
        f"{{ ?x <{V}builder> <{S}Holm_Works> }} }}"
    )
    _, snapshot, reproduction = pack((replace(TALK, turns=(turn(query, "Borealis", "Halcyon"),)),))
    assert not reproduction.differing
    assert any(str(s) == S + "Esperanza" and str(p) == V + "builder" for s, p, _ in snapshot.triples)


def test_names_classes_and_what_stands_above_them_are_kept(pack):
    path, _, _ = pack()
    kg = open_kg(path)
    assert kg.vocabulary.classes[V + "Captain"].label == "Captain"
    assert V + "Captain" in kg.vocabulary.subclasses(V + "Person")
    ask = f'ASK {{ <{S}Westhaven> <http://www.w3.org/2000/01/rdf-schema#label> "Westhavenhafen"@de }}'
    assert kg.endpoint.ask(ask)


def test_gold_that_the_graph_does_not_give_is_an_error(pack):
    with pytest.raises(ConfigError, match=r'1 turns are not reproduced, such as d0002/4 \(.*missing "tea; '):
        pack((TALK, SHORT))
    path, snapshot, reproduction = pack((TALK, SHORT), SnapshotOptions(0, 500_000, skip=True))
    assert not reproduction.differing and reproduction.turns < len(TALK.turns) + len(SHORT.turns)
    assert snapshot.left_out[0].startswith("d0002/4: it is not reproduced (")
    assert str(reproduce_box(path)) == str(reproduction)


def test_a_graph_that_has_nothing_of_the_benchmark_is_an_error(pack, open_turtle, tmp_path):
    other = open_turtle("@prefix : <urn:a:> . :x :p :y .")
    file = vessels(tmp_path, dialogues=SOUND)
    with pytest.raises(ConfigError, match="has nothing that .*vessels.jsonl asks for"):
        make_box(tmp_path / "b.zip", file, read_benchmark(file), other, NONE)
    assert not (tmp_path / "b.zip").exists()


def test_a_turn_that_is_too_large_is_named_or_left_out_with_what_follows(pack):
    every = turn("SELECT DISTINCT ?x WHERE { ?x ?p ?o }", "Juno", number=2)
    dialogues = (replace(TALK, turns=(TALK.turns[0], every, replace(TALK.turns[1], turn=3))),)
    with pytest.raises(ConfigError, match="^d0001/2: its patterns have 180 matches; at most 50 triples may be"):
        pack(dialogues, SnapshotOptions(0, 50))
    path, snapshot, reproduction = pack(dialogues, SnapshotOptions(0, 50, skip=True))
    assert snapshot.left_out == (
        "d0001/2: its patterns have 180 matches", "d0001/3: follows a turn that is left out"
    )  # fmt: skip
    assert reproduction.turns == 1 and json.loads(read_members(path)["box.json"])["benchmark"]["left_out"] == list(
        snapshot.left_out
    )
    assert len(read_benchmark(path).dialogues[0].turns) == 1


def test_an_altered_gold_is_told(pack, tmp_path):
    path, snapshot, _ = pack()
    wrong = replace(TALK.turns[0], answers=(replace(TALK.turns[0].answers[0], value=S + "Ben_Marsh"),))
    write_benchmark(tmp_path / "wrong.jsonl", Benchmark(snapshot.benchmark.header, (replace(TALK, turns=(wrong,)),)))
    reproduction = reproduce_gold(open_kg(path), read_benchmark(tmp_path / "wrong.jsonl"))
    assert str(reproduction) == "0 of 1 gold results reproduced"
    assert reproduction.differing[0][0] == "d0001/1" and "Ben_Marsh" in reproduction.differing[0][1]


def test_a_query_that_is_answered_otherwise_gets_all_triples_of_its_predicates(pack, ships_kg):
    _, snapshot, _ = pack((replace(TALK, turns=TALK.turns[:1]),))
    query = f"SELECT ?x WHERE {{ ?x <{V}length_m> ?v }}"
    lengths = {
        t for t in add_predicates(ships_kg, snapshot, [query], max_triples=99).triples if str(t[1]) == V + "length_m"
    }
    assert len(lengths) == 10
    assert add_predicates(ships_kg, snapshot, [query], max_triples=9).triples == snapshot.triples
