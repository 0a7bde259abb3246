"""RDF files: formats, packing, blank nodes, and one clear line for each way to be broken."""

import bz2
import gzip
import io
import json
import lzma
import re
import zipfile

import pytest
import zstandard
from chattyshared.endpoint.connection_options import FileReading
from chattyshared.endpoint.local import LocalEndpoint
from chattyshared.endpoint.packed_files import FileRefused, open_file
from chattyshared.endpoint.rdf_files import read_quads
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
    ("a.rdf", RDF_XML.replace("</e:p>", "</e:q>").encode(), "line 2: ill-formed document"),
    ("a.rdf", b"<html><body>x</body></html>", "line 1: XML namespaces are required in RDF/XML"),
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
    none.write_bytes(b'<http://e/a> <http://e/p> "1" .')
    with pytest.raises(ConfigError, match=re.escape(f"{cut}: cannot be unpacked: it is cut, damaged or encrypted")):
        LocalEndpoint([cut])
    assert LocalEndpoint([none]).triple_count == 1


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


def test_blank_nodes_are_named_by_file_and_order(tmp_path):
    path = tmp_path / "a.ttl"
    path.write_text("_:z <http://e/p> [ <http://e/q> _:z ] .")
    seen = [(str(quad.subject), str(quad.object)) for quad in read_quads(path, 3)]
    assert sorted(seen) == [("_:f3n0", "_:f3n1"), ("_:f3n1", "_:f3n0")]
    assert seen == [(str(quad.subject), str(quad.object)) for quad in read_quads(path, 3)]


def test_relative_iris_hang_on_the_bare_name(tmp_path):
    path = tmp_path / "a b.ttl"
    path.write_text('<#x> <http://e/p> "x" .')
    assert LocalEndpoint([path]).ask('ASK { <file:///a%20b.ttl#x> <http://e/p> "x" }')


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        (
            "a.rdf",
            f'{RDF_XML.splitlines()[0]}\n<rdf:Description rdf:ID="1 2"/>\n</rdf:RDF>',
            "line 2: ",
        ),
        ("a.jsonld", '{"http://x/p": "x",\n "@id": 5\n}', "line 3: "),
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
    with pytest.raises(ConfigError, match=r"a\.rdf: (does not parse|line 1|is not in the encoding)"):
        list(read_quads(path, 0))


GOOD = "".join(f'<http://e/{n}> <http://e/p> "{n}" .\n' for n in range(300))
OTHER = GOOD.replace("/e/", "/f/")
LOSSES = [
    ("a.nt", GOOD + '<http://e/a> <http://e/p> "x .\n<http://e/a b> <http://e/p> "y" .\n' + OTHER, 2, "line 301: "),
    ("a.ttl", GOOD + "<http://e/a> <http://e/p> 4 ;\n  <http://e/q> bla .\n" + OTHER, 2, "line 301: bla is not"),
    ("a.ttl", '@prefix : <http://e/> .\n:a :p "x"@zh-classical , <http://e/a b> .\n' + GOOD, 1, "line 2: "),
    ("a.jsonld", json.dumps([{"@id": f"http://e/{n}", "http://e/p": str(n)} for n in range(300)]
                            + [{"@id": "http://e/a b", "http://e/p": "x"}]), 1, "<http://e/a b> is no IRI"),
    ("a.rdf", RDF_XML.replace("</rdf:RDF>", "".join(
        f'<rdf:Description rdf:about="http://e/{n}"><e:p xml:lang="zh-classical">{n}</e:p></rdf:Description>\n'
        for n in range(300)) + '<rdf:Description rdf:about="http://e/a b"><e:p>x</e:p></rdf:Description></rdf:RDF>'),
     1, "<http://e/a b> is no IRI"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "lost", "first"), LOSSES)
def test_statements_that_cannot_be_read_are_left_out_and_counted(tmp_path, caplog, name, text, lost, first):
    path = tmp_path / name
    path.write_text(text)
    kept = LocalEndpoint([path], store=tmp_path / "store")
    assert kept.ask('ASK { <http://e/0> <http://e/p> ?x FILTER(STR(?x) = "0") }')
    assert not kept.ask("ASK { ?s ?p ?o FILTER(CONTAINS(STR(?s), ' ') || CONTAINS(STR(?o), '<http')) }")
    said = f"{name}: {lost} of {kept.triple_count + lost} statements could not be read and are left out; first: {first}"
    del kept
    assert LocalEndpoint([path], store=tmp_path / "store").untrusted_view().ask("ASK { ?s ?p ?o }")
    LocalEndpoint([path], reading=FileReading(0.5))
    assert len(caplog.messages) == 3 and all(message.startswith(said) for message in caplog.messages)
    for share, why in ((0, "line|is no IRI"), (0.0001, "statements cannot be read, more than 0.01 %")):
        with pytest.raises(ConfigError, match=why):
            LocalEndpoint([path], reading=FileReading(share))


def test_a_string_that_never_ends_takes_no_other_statement_for_its_text(tmp_path):
    path = tmp_path / "a.ttl"
    path.write_text(
        GOOD + '<http://e/a> <http://e/p> "x .\n<http://e/b> <http://e/p> "y .\n' + GOOD.replace("/e/", "/f/")
    )
    endpoint = LocalEndpoint([path])
    assert endpoint.triple_count == 600 and not endpoint.ask("ASK { <http://e/a> ?p ?o }")
    path.write_text(GOOD + '<http://e/a> <http://e/p> """x .\n' + GOOD)
    with pytest.raises(ConfigError, match="301 of 601 statements cannot be read"):
        LocalEndpoint([path])


PACKERS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, ".zst": zstandard.compress}


def zipped(**members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "."), content)
    return buffer.getvalue()


@pytest.mark.parametrize("ending", [*PACKERS, ".zip", ""])
def test_packed_files_are_known_by_their_content(tmp_path, ending):
    path, cut = tmp_path / f"a.ttl{ending}", tmp_path / f"cut.ttl{ending}"
    pack = PACKERS.get(ending, gzip.compress) if ending != ".zip" else lambda text: zipped(b__ttl=text)
    path.write_bytes(pack(GOOD.encode()))
    assert LocalEndpoint([path]).triple_count == 300
    lines = "".join(f'<http://e/{n * n}> <http://e/p> "{n * 7919 % 1013}" .\n' for n in range(20_000))
    cut.write_bytes(pack(lines.encode())[:20_000])
    with pytest.raises(ConfigError, match="cut, damaged or encrypted"):
        LocalEndpoint([cut])
    path.write_bytes(pack(pack(GOOD.encode())))
    with pytest.raises(ConfigError, match="holds a packed file again"):
        LocalEndpoint([path])


@pytest.mark.parametrize("ending", PACKERS)
def test_bombs_are_read_up_to_the_limit(tmp_path, ending):
    path = tmp_path / f"a.nt{ending}"
    path.write_bytes(PACKERS[ending](b"#" + b" " * (80 << 20)))
    with pytest.raises(FileRefused, match="more than 1 MB"), open_file(path, 1 << 20) as stream:
        while stream.read(1 << 16):
            pass


def test_a_zip_file_of_several_is_refused(tmp_path):
    path = tmp_path / "a.zip"
    path.write_bytes(zipped(a__ttl=GOOD, b__ttl=GOOD))
    with pytest.raises(ConfigError, match="holds 2 files: unpack it"):
        LocalEndpoint([path])


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.rdf", SAME["prefix.owl"].encode()),
        ("a.nt", SAME["prefix.owl"].encode()),
        ("a.ttl", RDF_XML.encode()),
        ("a.ttl", SAME["a.jsonld"].encode()),
        ("a.json", SAME["a.nt"].encode()),
        ("a.rdf", f'<?xml version="1.0" encoding="ISO-8859-1"?>{RDF_XML}'.encode("latin-1")),
        ("a.rdf", f"<?xml version='1.0' encoding='windows-1252' ?>{RDF_XML}".encode("cp1252")),
        ("a.rdf", f'<?xml version="1.0" encoding="UTF-16"?>{RDF_XML}'.encode("utf-16")),
        ("a.ttl", SAME["a.ttl"].encode("utf-16")),
    ],
)
def test_content_and_encoding_decide(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content.replace(b">x<", b">\xfc<") if b"1252" in content or b"8859" in content else content)
    text = "\u00fc" if b"1252" in content or b"8859" in content else "x"
    assert LocalEndpoint([path]).ask(f'ASK {{ <http://e/a> <http://e/p> "{text}" }}')


def test_bytes_of_another_encoding_than_stated_are_refused(tmp_path):
    path = tmp_path / "a.rdf"
    path.write_bytes(f'<?xml version="1.0" encoding="us-ascii"?>{RDF_XML}'.encode().replace(b">x<", b">\xfc<"))
    with pytest.raises(ConfigError, match="a.rdf"):
        LocalEndpoint([path])


def test_a_context_on_the_web_is_read_from_a_file(tmp_path):
    path, context = tmp_path / "a.jsonld", tmp_path / "context.json"
    path.write_text(json.dumps({"@context": ["https://schema.org", {"q": "http://e/q"}], "@id": "http://e/a",
                                "name": "x", "q": {"@context": "http://e/other", "name": "y"}}))  # fmt: skip
    context.write_text('{"@context": {"name": "http://e/name"}}')
    with pytest.raises(ConfigError, match="not fetched; name a copy of it"):
        LocalEndpoint([path])
    endpoint = LocalEndpoint([path], reading=FileReading(context=context))
    assert endpoint.untrusted_view().ask('ASK { <http://e/a> <http://e/name> "x" ; <http://e/q>/<http://e/name> "y" }')
    context.write_text("{")
    with pytest.raises(ConfigError, match="not JSON"):
        LocalEndpoint([path], reading=FileReading(context=context))
