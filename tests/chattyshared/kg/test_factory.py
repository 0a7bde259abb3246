import gzip

import pytest
from chattyshared.errors import ConfigError
from chattyshared.kg.factory import open_kg

TRIPLES = '<http://a.org/x> <http://a.org/name> "{}" .\n<http://a.org/x> <http://a.org/k> <http://a.org/y> .\n'


def test_the_demo_opens_by_name():
    kg = open_kg(["demo"])
    assert kg.name == "demo"
    assert kg.count_triples() > 1000 and len(kg.types()) >= 8


@pytest.mark.parametrize(
    ("specs", "message"),
    [
        ([], "no knowledge graph given"),
        (["nowhere.ttl"], "nowhere.ttl: no such file"),
        (["demo", "http://localhost/sparql"], "not a mixture"),
        (["http://localhost/a", "http://localhost/b"], "not a mixture"),
        (["deemo"], "deemo: no such file"),
    ],
)
def test_what_cannot_be_opened_is_said_in_one_line(specs, message):
    with pytest.raises(ConfigError, match=message) as caught:
        open_kg(specs)
    assert "\n" not in str(caught.value)


def test_an_empty_file_holds_no_triple(tmp_path):
    path = tmp_path / "empty.ttl"
    path.write_text("# nothing\n")
    with pytest.raises(ConfigError, match="no triple"):
        open_kg([str(path)])


def test_equal_content_gives_equal_fingerprints(tmp_path):
    one, two, other = tmp_path / "one.nt", tmp_path / "two.nt.gz", tmp_path / "other.nt"
    one.write_text(TRIPLES.format("Ada"))
    two.write_bytes(gzip.compress("".join(reversed(TRIPLES.format("Ada").splitlines(keepends=True))).encode()))
    other.write_text(TRIPLES.format("Adb"))
    first, second, third = (open_kg([str(path)]).fingerprint() for path in (one, two, other))
    assert first == second != third


def test_named_graphs_are_one_graph(tmp_path):
    path = tmp_path / "kg.trig"
    path.write_text("<http://g/1> { <http://a/x> a <http://v/C> } <http://g/2> { <http://a/y> a <http://v/C> }")
    assert [(t.label, t.count) for t in open_kg([str(path)]).types()] == [("c", 2)]
