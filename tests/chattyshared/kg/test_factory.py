import gzip
from contextlib import contextmanager
from pathlib import Path

import pyoxigraph as ox
import pytest
import rdflib
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
        (["deemo"], "deemo: no such file"),
        ("nowhere.ttl", "nowhere.ttl: no such file"),
        ([Path(__file__), "http://localhost/sparql"], "not a mixture"),
        (rdflib.Graph(), "holds no triple"),
        (None, "NoneType is no knowledge graph"),
        ({"demo": 1}, "dict is no knowledge graph"),
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


def test_one_source_needs_no_list(tmp_path):
    path = tmp_path / "kg.nt"
    path.write_text(TRIPLES.format("Ada"))
    by_path, by_text, by_list = open_kg(path), open_kg(str(path)), open_kg([path])
    assert by_path.fingerprint() == by_text.fingerprint() == by_list.fingerprint()
    assert open_kg(by_path) is by_path is open_kg([by_path])
    assert open_kg("demo").name == "demo"


def test_graphs_in_memory_are_equal_to_the_file_that_holds_them(tmp_path):
    path = tmp_path / "kg.nt"
    path.write_text(TRIPLES.format("Ada"))
    store = ox.Store()
    store.load(path=path)
    graph = rdflib.Graph().parse(path)
    opened = open_kg(graph)
    assert opened.fingerprint() == open_kg(store).fingerprint() == open_kg(path).fingerprint()
    graph.add((rdflib.URIRef("http://a.org/x"), rdflib.RDFS.label, rdflib.Literal("later")))
    assert opened.count_triples() == 2  # the content is that of the moment of opening


def test_the_folder_of_a_store_is_for_files(tmp_path):
    graph = rdflib.Graph().add((rdflib.URIRef("http://a/x"), rdflib.RDFS.label, rdflib.Literal("x")))
    with pytest.raises(ConfigError, match="store keeps the triples of files"):
        open_kg(graph, store=tmp_path / "store")


def test_a_kept_store_is_opened_with_its_counts_and_indexes(tmp_path):
    file, store, shown = tmp_path / "k.nt", tmp_path / "store", []

    @contextmanager
    def show(name, total):
        shown.append((name, total))
        yield lambda count: None

    def look(content=""):
        if content:
            file.write_text(content)
        kg = open_kg(file, store=store, show_progress=show)
        return kg.count_triples(), [h.iri for h in kg.search(["ada"])["ada"]], kg.search_literals(["7"])["7"]

    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    seven = '"7"^^<http://www.w3.org/2001/XMLSchema#integer>'
    one = f'<http://e/1> {label} "Ada" .\n<http://e/1> <http://e/p> {seven} .'
    count, names, values = look(one)
    assert (count, names, [str(hit.value) for hit in values]) == (2, ["http://e/1"], ["7"])
    assert [name for name, _ in shown] == ["triples read", "index of names", "index of values"]
    kept = sorted(path.name.partition("-")[0] for path in store.iterdir())
    assert kept == ["counts", "labels", "literals", "made", "triples"]
    shown.clear()
    assert look() == (count, names, values) and not shown
    (tmp_path / "other").mkdir()
    open_kg(file, cache_dir=tmp_path / "other", show_progress=show).build_indexes()
    assert [name for name, _ in shown] == ["triples read", "index of names", "index of values"]
    assert look(f'<http://e/2> {label} "Ada" .') == (1, ["http://e/2"], ())
