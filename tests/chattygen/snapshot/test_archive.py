"""The members of a box: licence, Croissant metadata, and lines of N-Triples."""

import hashlib
import json

from chattyshared.benchmark import read_benchmark
from chattyshared.formats.box import read_members
from rdflib import BNode, Literal, URIRef
from vessel_talk import TALK, vessels

from chattygen.snapshot.archive import pack_box, read_license, render_triples
from chattygen.snapshot.extraction import Snapshot
from chattygen.snapshot.options import SnapshotOptions

A, P = URIRef("http://ex.org/a"), URIRef("http://ex.org/p")


def members(tmp_path, kg, license=""):
    file = vessels(tmp_path, dialogues=(TALK,))
    snapshot = Snapshot(frozenset({(A, P, Literal("x"))}), read_benchmark(file))
    pack_box(tmp_path / "box.zip", file, kg, snapshot, SnapshotOptions(), license)
    return read_members(tmp_path / "box.zip")


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
    assert read_license(open_turtle(text).endpoint) == ("http://ex.org/by",)


def test_a_graph_without_a_license_is_said_to_have_none(tmp_path, ships_kg):
    parts = members(tmp_path, ships_kg)
    assert "states no license of its own" in parts["LICENSE-NOTE.md"].decode()
    assert "license" not in json.loads(parts["croissant.json"]) and json.loads(parts["box.json"])["license"] == []


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
