"""Boxes reproduce their gold; what they cannot hold or reproduce is named."""

from dataclasses import replace
from pathlib import Path

import pytest
from chattyshared.benchmark import Benchmark, read_benchmark, write_benchmark
from chattyshared.errors import ConfigError
from chattyshared.formats.box import read_manifest, read_members
from chattyshared.kg.factory import open_kg
from vessel_talk import SHORT, TALK, S, V, vessels

from chattygen.snapshot.construction import make_box
from chattygen.snapshot.options import SnapshotOptions
from chattygen.snapshot.reproduction import reproduce_box, reproduce_gold

SOUND = (TALK, replace(SHORT, turns=SHORT.turns[:3]))
NONE = SnapshotOptions(distractors=0)


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


def test_distractors_are_further_entities_of_the_classes_in_question(pack):
    few, many = pack()[1].triples, pack(options=SnapshotOptions(distractors=50))[1].triples
    assert few < many
    assert S + "Gannet" in {str(s) for s, _, _ in many} - {str(s) for s, _, _ in few}


def test_gold_that_the_graph_does_not_give_is_an_error(pack):
    with pytest.raises(ConfigError, match=r'1 turns are not reproduced, such as d0002/4 \(.*missing \{"value": "tea; '):
        pack((TALK, SHORT))


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
    path, snapshot, reproduction = pack(dialogues, SnapshotOptions(0, 50, skip_large=True))
    assert snapshot.left_out == (
        "d0001/2: its patterns have 180 matches", "d0001/3: follows a turn that is left out"
    )  # fmt: skip
    assert reproduction.turns == 1 and read_manifest(path)["benchmark"]["left_out"] == list(snapshot.left_out)
    assert len(read_benchmark(path).dialogues[0].turns) == 1


def test_an_altered_gold_is_told(pack, tmp_path):
    path, snapshot, _ = pack()
    wrong = replace(TALK.turns[0], answers=(replace(TALK.turns[0].answers[0], value=S + "Ben_Marsh"),))
    write_benchmark(tmp_path / "wrong.jsonl", Benchmark(snapshot.benchmark.header, (replace(TALK, turns=(wrong,)),)))
    reproduction = reproduce_gold(open_kg(path), read_benchmark(tmp_path / "wrong.jsonl"))
    assert str(reproduction) == "0 of 1 gold results reproduced"
    assert reproduction.differing[0][0] == "d0001/1" and "Ben_Marsh" in reproduction.differing[0][1]
