"""Boxes are untrusted: what is wrong with one is said, and nothing of it is unpacked elsewhere."""

import zipfile

import pytest
from chattyshared.errors import ConfigError
from chattyshared.formats.box import MEMBERS, SUMS, is_box, open_jsonl, read_members, write_box
from chattyshared.jsonlines import read_lines
from chattyshared.kg.factory import open_kg

PARTS = {name: f"{name}\n".encode() for name in MEMBERS if name != SUMS} | {
    "box.json": b'{"format": 1}',
    "benchmark.jsonl": b'{"a": 1}\n',
    "graph.nt": b'<http://ex.org/a> <http://www.w3.org/2000/01/rdf-schema#label> "Ada"@en .\n',
    "profile.toml": b'[kg]\nlabels = ["http://ex.org/name"]\n',
}


@pytest.fixture
def path(tmp_path):
    write_box(tmp_path / "box.zip", PARTS)
    return tmp_path / "box.zip"


def rewrite(path, change, method=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path) as box:
        members = [(name, box.read(name)) for name in box.namelist()]
    with zipfile.ZipFile(path, "w", method) as box:
        for name, data in change(members):
            box.writestr(name, data)


def refused(path):
    with pytest.raises(ConfigError) as caught:
        read_members(path)
    return str(caught.value).removeprefix(f"{path}: ")


def test_equal_members_give_equal_bytes(path, tmp_path):
    write_box(tmp_path / "again.zip", PARTS)
    assert path.read_bytes() == (tmp_path / "again.zip").read_bytes()
    assert list(read_members(path)) == list(MEMBERS)


def test_a_box_is_packed_by_deflate_only(path):
    rewrite(path, lambda members: members, zipfile.ZIP_LZMA)
    assert refused(path) == "is no box: a member is packed by another method than deflate"


def test_an_altered_member_is_named(path):
    rewrite(path, lambda members: [(name, data + b"x" * (name == "graph.nt")) for name, data in members])
    assert refused(path) == "graph.nt differs from its sum in SHA256SUMS: the box was altered"


def test_a_missing_a_strange_and_a_repeated_member_are_named(path, tmp_path):
    rewrite(path, lambda members: [each for each in members if each[0] != "graph.nt"])
    assert refused(path) == "is no box: it lacks graph.nt"
    write_box(path, PARTS)
    rewrite(path, lambda members: [*members, ("../out.txt", b"")])
    assert refused(path) == "is no box: no box has the member '../out.txt'"
    assert not (tmp_path.parent / "out.txt").exists()
    write_box(path, PARTS)
    with pytest.warns(UserWarning, match="Duplicate name"):
        rewrite(path, lambda members: [*members, ("box.json", b"")])
    assert refused(path) == "is no box: a member occurs twice"


def test_a_bomb_is_not_unpacked(path):
    rewrite(path, lambda members: [(name, bytes(101 << 20) if name == "graph.nt" else data) for name, data in members])
    assert refused(path) == "its members would take 101 MB: too many, or packed too tightly"


def test_what_takes_much_memory_to_read_is_refused(path):
    rewrite(path, lambda members: [(name, data + b" " * (5 << 20) * (name == "box.json")) for name, data in members])
    assert refused(path) == "is no box: box.json is larger than 4 MB"
    write_box(path, PARTS)
    rewrite(path, lambda members: [(n, b"[]" * (9 << 20) if n == "benchmark.jsonl" else data) for n, data in members])
    assert refused(path) == "benchmark.jsonl has a line of more than 16 MB"


def test_half_a_box_and_what_is_none_are_refused(path):
    path.write_bytes(path.read_bytes()[:300])
    assert is_box(path) and refused(path).startswith("is no box, or a damaged one")
    path.write_text("{}", encoding="utf-8")
    assert not is_box(path) and refused(path).startswith("is no box, or a damaged one")


def test_json_lines_are_read_from_the_benchmark_of_a_box(path):
    assert list(read_lines(path)) == [(1, {"a": 1})]
    with open_jsonl(path) as stream:
        assert stream.read() == PARTS["benchmark.jsonl"]


def test_a_box_is_a_graph_that_is_read_by_its_own_profile(path):
    kg = open_kg(str(path))
    assert (kg.name, kg.count_triples(), kg.profile.labels) == ("box.zip", 1, ("http://ex.org/name",))
    with pytest.raises(ConfigError, match="not a mixture"):
        open_kg([str(path), "demo"])


def test_a_box_of_another_format_is_refused(path):
    write_box(path, PARTS | {"box.json": b'{"format": 9}'})
    with pytest.raises(ConfigError, match="box.json is not of format 1"):
        read_members(path)
    write_box(path, PARTS | {"box.json": b"?"})
    with pytest.raises(ConfigError, match="box.json is not JSON"):
        read_members(path)


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("profile.toml", b'[kg]\ntypes = ["x y"]\n', "its profile names 'x y', which is no IRI"),
        ("profile.toml", b'[kg.names]\n"x y" = "a name"\n', "its profile names 'x y', which is no IRI"),
        ("profile.toml", b"[kg]\nfoo = 1\n", "profile.toml: unknown key 'foo'"),
        ("graph.nt", b"no triple\n", "graph.nt: line 1, column 1: "),
        ("graph.nt", b"", "graph.nt: holds no triples"),
    ],
)
def test_what_is_wrong_with_graph_or_profile_is_told_of_the_box(path, name, data, message):
    write_box(path, PARTS | {name: data})
    with pytest.raises(ConfigError) as caught:
        open_kg(path)
    assert message in str(caught.value) and str(path) in str(caught.value)
