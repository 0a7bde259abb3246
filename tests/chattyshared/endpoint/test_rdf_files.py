"""RDF files: formats, packing, blank nodes, and one clear line for each way to be broken."""

import gzip
import re

import pyoxigraph as ox
import pytest
from chattyshared.endpoint.local import LocalEndpoint
from chattyshared.endpoint.rdf_files import detect_rdf_format, read_quads
from chattyshared.errors import ConfigError

RDF_XML = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/">
<rdf:Description rdf:about="http://e/a"><e:p>x</e:p></rdf:Description>
</rdf:RDF>"""
SAME = {
    "a.ttl": '<http://e/a> <http://e/p> "x" .',
    "a.nt": '<http://e/a> <http://e/p> "x" .\n',
    "a.nq": '<http://e/a> <http://e/p> "x" <http://e/g> .\n',
    "a.trig": '<http://e/g> { <http://e/a> <http://e/p> "x" }',
    "a.n3": '<http://e/a> <http://e/p> "x" .',
    "a.rdf": RDF_XML,
    "a.XML": RDF_XML,
    "a.jsonld": '{"@id": "http://e/a", "http://e/p": "x"}',
    "prefix.owl": '@prefix e: <http://e/> .\ne:a e:p "x" .',
    "comment.dat": '# a comment\n\nPREFIX e: <http://e/>\ne:a e:p "x" .',
    "lines.data": '<http://e/a> <http://e/p> "x" .\n',
    "xml.owl": RDF_XML,
    "json.txt": '{"@id": "http://e/a", "http://e/p": "x"}',
}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", SAME)
def test_every_format_says_the_same(tmp_path, name, packed):
    path = tmp_path / (name + ".gz" if packed else name)
    path.write_bytes(gzip.compress(SAME[name].encode()) if packed else SAME[name].encode())
    endpoint = LocalEndpoint([path])
    assert (endpoint.triple_count, endpoint.ask('ASK { <http://e/a> <http://e/p> "x" }')) == (1, True)


BROKEN = [
    ("a.ttl", b'<http://e/a>\n <http://e/p> "x" bla', "line 2, column 19: bla is not a valid subject or graph name"),
    ("a.nt", b"<http://e/a> <http://e/p>\n", "line 2, column 1: line jumps are not allowed in the middle of triples"),
    ("a.ttl", b'<http://e/a> <http://e/p> "\xe4" .', "line 1, column 28: Invalid UTF-8"),
    ("a.jsonld", b'{"@id": "http://e/a",\n "http://e/p": }', "line 2, column 16: Unexpected closing curly bracket"),
    ("a.jsonld", b'{"@context": "http://schema.org/", "name": "x"}', "its JSON-LD context lies on the web"),
    ("a.rdf", RDF_XML.replace("</e:p>", "</e:q>").encode(), "line 2, column 49: ill-formed document"),
    ("a.rdf", b"<html><body>x</body></html>", "line 1, column 6: XML namespaces are required in RDF/XML"),
    ("a.xyz", b"what is this", "cannot tell its RDF format; known file endings: .ttl"),
    ("a", b"", "cannot tell its RDF format"),
]


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(("name", "content", "said"), BROKEN)
def test_a_broken_file_is_named_with_its_place(tmp_path, name, content, said, packed):
    path = tmp_path / (name + ".gz" if packed else name)
    path.write_bytes(gzip.compress(content) if packed else content)
    with pytest.raises(ConfigError, match=re.escape(f"{path}: {said}")) as caught:
        LocalEndpoint([path])
    assert "\n" not in str(caught.value)


def test_a_gzip_file_that_is_cut_or_none(tmp_path):
    cut, none = tmp_path / "cut.nt.gz", tmp_path / "none.nt.gz"
    lines = "".join(f'<http://e/{n * n}> <http://e/p> "{n * 7919 % 1013}" .\n' for n in range(2_000))
    cut.write_bytes(gzip.compress(lines.encode())[:3_000])
    none.write_bytes(b"<http://e/a> <http://e/p> 1 .")
    for path in (cut, none):
        with pytest.raises(ConfigError, match=re.escape(f"{path}: is no whole gzip file")):
            LocalEndpoint([path])


def test_missing_folder_and_empty(tmp_path):
    (tmp_path / "empty.ttl").write_text("# nothing\n")
    with pytest.raises(ConfigError, match=r"/none\.ttl: no such file$"):
        LocalEndpoint([tmp_path / "empty.ttl", tmp_path / "none.ttl"])
    with pytest.raises(ConfigError, match="is a folder, not an RDF file;"):
        LocalEndpoint([tmp_path])
    with pytest.raises(ConfigError, match=r"/empty\.ttl: holds no triples$"):
        LocalEndpoint([tmp_path / "empty.ttl"])
    with pytest.raises(ConfigError, match="^no RDF file is named$"):
        LocalEndpoint([])


def test_one_empty_file_among_others_is_no_error(tmp_path):
    (tmp_path / "empty.ttl").write_text("")
    (tmp_path / "full.ttl").write_text('<http://e/a> <http://e/p> "x" .')
    assert LocalEndpoint([tmp_path / "empty.ttl", tmp_path / "full.ttl"]).triple_count == 1


def test_blank_nodes_are_named_by_file_and_order(tmp_path):
    path = tmp_path / "a.ttl"
    path.write_text("_:z <http://e/p> [ <http://e/q> _:z ] .")
    seen = [(str(quad.subject), str(quad.object)) for quad in read_quads(path, 3)]
    assert sorted(seen) == [("_:f3n0", "_:f3n1"), ("_:f3n1", "_:f3n0")]
    assert seen == [(str(quad.subject), str(quad.object)) for quad in read_quads(path, 3)]


def test_blank_nodes_of_two_files_do_not_mix(tmp_path):
    for name in ("a.nt", "b.nt"):
        (tmp_path / name).write_text(f'_:x <http://e/p> "{name}" .\n')
    endpoint = LocalEndpoint([tmp_path / "a.nt", tmp_path / "b.nt"])
    assert not endpoint.ask('ASK { ?x <http://e/p> "a.nt", "b.nt" }')


def test_relative_iris_hang_on_the_bare_name(tmp_path):
    path = tmp_path / "a b.ttl"
    path.write_text('<#x> <http://e/p> "x" .')
    assert LocalEndpoint([path]).ask('ASK { <file:///a%20b.ttl#x> <http://e/p> "x" }')


def test_statements_about_statements_are_left_out(tmp_path):
    path = tmp_path / "a.ttl"
    path.write_text('<http://e/a> <http://e/p> "x" .\n<http://e/b> <http://e/q> <<( <http://e/a> <http://e/p> 1 )>> .')
    assert LocalEndpoint([path]).triple_count == 1


def test_the_ending_rules_over_the_content(tmp_path):
    path = tmp_path / "a.TTL.gz"
    path.write_bytes(b"")
    assert detect_rdf_format(path) == ox.RdfFormat.TURTLE


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        (
            "a.rdf",
            f'{RDF_XML.splitlines()[0]}\n<rdf:Description rdf:ID="1 2"/>\n</rdf:RDF>',
            "line 2, column 31",
        ),
        ("a.jsonld", '{"http://x/p": "x",\n "@id": 5\n}', "line 3, column 1"),
        ("a.ttl", '<x:a> <x:b> "open', "line 1, column 13: "),
    ],
)
def test_what_is_wrong_by_its_meaning_has_a_place_too(tmp_path, name, text, place):
    (tmp_path / name).write_text(text)
    with pytest.raises(ConfigError, match=place) as caught:
        list(read_quads(tmp_path / name, 0))
    assert "Parser error" not in str(caught.value)


@pytest.mark.parametrize("name", ["a.ttl", "a.nt", "a.ttl.gz"])
def test_a_mark_in_front_of_a_file_is_skipped(tmp_path, name):
    content = b"\xef\xbb\xbf<x:a> <x:b> <x:c> .\n"
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    assert len(list(read_quads(tmp_path / name, 0))) == 1


@pytest.mark.parametrize("encoding", ["utf-7", "hex_codec", "zlib", "none-such"])
def test_an_encoding_that_is_not_read_is_told_in_one_line(tmp_path, encoding):
    path = tmp_path / "a.rdf"
    path.write_text(f'<?xml version="1.0" encoding="{encoding}"?><rdf:RDF')
    with pytest.raises(ConfigError, match=r"a\.rdf: (does not parse|line 1)"):
        list(read_quads(path, 0))
