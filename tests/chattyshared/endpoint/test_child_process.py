"""Files that would bring the parser down: refused in one line by a child process; others like them are read."""

import gzip
import json
import os
import re
import resource
import socket

import pytest
from chattyshared.endpoint.child_process import read_quads_apart
from chattyshared.endpoint.connection_options import FileReading
from chattyshared.endpoint.local import LocalEndpoint
from chattyshared.endpoint.rdf_files import read_quads
from chattyshared.errors import ConfigError

RDF = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'
SPACES = f'{RDF} xmlns:e="http://e/"'
MEMORY, DEEP = "takes too much memory to be read", "is nested too deeply to be read"
EXPANDS = "its prefixes or entities expand to more than 10 times the file"
LONG_VALUE = "holds a line or a value of more than 16 MB"


def xml(declared="", text="x", attribute="x", before=""):
    return (
        f"<!DOCTYPE rdf:RDF [{declared}]><rdf:RDF {SPACES}>{before}"
        f'<rdf:Description rdf:about="http://e/a" e:q="{attribute}"><e:p>{text}</e:p></rdf:Description></rdf:RDF>'
    )


def laughs(levels):
    """Ten bytes, ten times as many at each level."""
    lines = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, levels))
    return f'<!ENTITY l0 "lolololol!">{lines}'


def nested(start, end, times, inner="1"):
    return start * times + inner + end * times


LONG = "http://e/" + "x" * 2_000_000
EXCESSIVE = [
    ("a.rdf", xml(laughs(9), "&l8;"), MEMORY),
    ("a.rdf", xml(laughs(9)), MEMORY),  # expanded where it is declared
    ("a.rdf", xml(f"<!-- {laughs(9)} -->", "&l8;"), MEMORY),
    ("a.rdf", xml('<!ENTITY a "xxxxxxxx">' + '<!ENTITY a "&a;&a;">' * 30, "&a;"), MEMORY),
    ("a.rdf", xml(f'<!ENTITY a "{"x" * 60_000}">', "&a;" * 1_000), LONG_VALUE),
    ("a.rdf", f'<r:RDF {RDF.replace("rdf=", "r=")} xmlns:e="{LONG}/"><r:Description r:about="e:s">'
     + "".join(f"<e:p{n}>1</e:p{n}>" for n in range(3_000)) + "</r:Description></r:RDF>", EXPANDS),
    ("a.jsonld", json.dumps({"@context": {"@vocab": f"{LONG}/"}, **{f"p{n}": 1 for n in range(3_000)}}), MEMORY),
    ("a.jsonld", "[" * 1_000_000, "line 1, column 65538: Max stack size of 65536 reached on an object opening"),
    ("a.ttl", f"@prefix p: <{LONG}/> .\n" + "".join(f"p:s{n} p:p p:o{n} .\n" for n in range(3_000)), EXPANDS),
    ("a.ttl", f"@base <{LONG}/> .\n" + "".join(f"<s{n}> <p> <o{n}> .\n" for n in range(3_000)), EXPANDS),
    ("a.ttl", f"@prefix p: <{LONG}/> .\n" + "".join(f'<e:s> <e:p> "{n}"^^p:t{n} .\n' for n in range(1_200)), EXPANDS),
    ("a.trig", f"@prefix p: <{LONG}/> .\n" + "".join(f"p:g{n} {{ p:s p:p 1 }}\n" for n in range(400)), EXPANDS),
    ("a.nt", "<x:a> <x:p> " + nested("<<( <x:a> <x:p> ", " )>>", 50_000, '"1"') + " .\n", DEEP),
    ("a.ttl", "<x:a> <x:p> " + nested("<<( <x:a> <x:p> ", " )>>", 50_000, '"1"') + " .\n", DEEP),
]  # fmt: skip


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(("name", "content", "said"), EXCESSIVE)
def test_what_would_bring_the_parser_down_is_refused_in_one_line(tmp_path, name, content, said, packed):
    path = tmp_path / (name + ".gz" if packed else name)
    path.write_bytes(gzip.compress(content.encode(), 1) if packed else content.encode())
    with pytest.raises(ConfigError) as caught:
        LocalEndpoint([path])
    assert str(caught.value) == f"{path}: {said}"
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 1_500 << 10


def test_a_parser_that_goes_on_is_ended(tmp_path, monkeypatch):
    path = tmp_path / "a.nt"
    path.write_text("".join(f"<x:{n}> <x:p> 'x' .\n".replace("'", '"') for n in range(50_000)) * 20)
    monkeypatch.setattr("chattyshared.endpoint.child_process.CPU_SECONDS", 1)
    monkeypatch.setattr("chattyshared.endpoint.child_process.BYTES_PER_SECOND", 1 << 40)
    with pytest.raises(ConfigError, match="a.nt: takes too long to be read$"):
        list(read_quads_apart([(0, path)], FileReading(), [], lenient=False))


def test_one_process_reads_several_files_and_tells_what_it_leaves_out(tmp_path):
    (tmp_path / "a.nt").write_text('_:x <x:p> "1" .\n<x:a> <x:p> <<( <x:a> <x:p> "1" )>> .\n')
    (tmp_path / "b.ttl").write_text("_:x <x:p> 1 .\n" * 200 + "<x:a b> <x:p> 1 .\n")
    files, notes = [(0, tmp_path / "a.nt"), (7, tmp_path / "b.ttl")], []
    read = list(read_quads_apart(files, FileReading(), notes, lenient=True))
    assert {str(quad.subject) for quad in read} == {"_:f0n0", "_:f7n0"}
    assert notes[0] == "1 statements about statements are not read"
    assert notes[1].startswith("b.ttl: 1 of 201 statements could not be read")
    with pytest.raises(ConfigError, match=r"b\.ttl: line 201"):
        list(read_quads_apart(files, FileReading(), [], lenient=False))


PROTEGE = """<?xml version="1.0"?>
<!DOCTYPE rdf:RDF [
    <!ENTITY owl "http://www.w3.org/2002/07/owl#" >
    <!ENTITY xsd "http://www.w3.org/2001/XMLSchema#" >
    <!ENTITY mine "http://example.org/ontologies/2009/3/a-rather-long-name-of-an-ontology.owl#" >
    <!ENTITY part "&mine;part-" >
]>
<rdf:RDF xmlns="&mine;" xml:base="http://example.org/" xmlns:owl="&owl;"
     xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
%s</rdf:RDF>"""
CLASS = '<owl:Class rdf:about="&part;{0}"><p rdf:datatype="&xsd;int">{0}</p></owl:Class>\n'
HTML = "<![CDATA[<p>one<br>two<br><b>]]>"
TERMS = ",".join(f'"n{n}":{{"@id":"s:n{n}","@type":"@id"}}' for n in range(6_000))
ORDINARY = [
    ("protege.rdf", PROTEGE % "".join(map(CLASS.format, range(2_000))), 4_000),
    ("html.rdf", f"<rdf:RDF {SPACES}>"
     + f"<rdf:Description><e:p>{HTML}</e:p><!-- <a> <b> --></rdf:Description>" * 2_500 + "</rdf:RDF>", 2_500),
    ("deep.jsonld", nested('{"http://e/p":', "}", 300), 300),
    ("schema.jsonld", f'{{"@context":{{"s":"http://s/",{TERMS}}},"n1":"x:y"}}', 1),
    ("brackets.ttl", "<x:a> <x:p> " + nested("[ <x:p> ", "]", 20_000) + " .", 20_001),
    ("long.nt", "".join(f"<{LONG}{n}> <e:p> <{LONG}{n}> .\n" for n in range(10)), 10),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "triples"), ORDINARY)
def test_what_only_looks_like_it_is_read(tmp_path, name, content, triples):
    (tmp_path / name).write_text(content)
    assert LocalEndpoint([tmp_path / name]).triple_count == triples


@pytest.mark.parametrize(
    "declared", ['<!ENTITY a SYSTEM "{file}">', '<!ENTITY % a SYSTEM "{file}"> %a;', '<!ENTITY a PUBLIC "x" "{file}">']
)
def test_no_other_file_is_read(tmp_path, declared):
    (tmp_path / "secret.txt").write_text("s3cret")
    path = tmp_path / "a.rdf"
    path.write_text(xml(declared.format(file=(tmp_path / "secret.txt").as_uri()), "&a;"))
    with pytest.raises(ConfigError, match=r"a\.rdf: line 1: ") as caught:
        LocalEndpoint([path])
    assert "s3cret" not in str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a.nt", "a.ttl", "a.nq", "a.trig", "a.jsonld"])
def test_a_packed_file_of_one_huge_line_is_refused_in_one_line(tmp_path, name):
    start = '{"http://e/p": "' if name == "a.jsonld" else '<x:a> <x:p> "'
    path = tmp_path / f"{name}.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(start.encode())
        for _ in range(40):
            file.write(b"x" * 1_000_000)
    with pytest.raises(ConfigError) as caught:
        LocalEndpoint([path])
    assert str(caught.value) == f"{path}: {LONG_VALUE}"


def test_a_fault_before_a_huge_line_is_found_without_reading_it(tmp_path):
    path = tmp_path / "a.jsonld.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(b'[{"http://e/p": 1},\n{"@id": 5}, "')
        for _ in range(40):
            file.write(b"x" * 1_000_000)
    with pytest.raises(ConfigError, match=re.escape(f"{path}: line 2: @id value must be a string")):
        list(read_quads(path, 0))


def test_what_is_no_file_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe.ttl")
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(os.path.relpath(tmp_path / "socket.ttl"))  # an address of a socket is short
        for path in (tmp_path / "pipe.ttl", tmp_path / "socket.ttl", "/dev/zero", "/dev/null"):
            with pytest.raises(ConfigError, match=f"^{path}: is a pipe, a socket or a device: store its content in a"):
                LocalEndpoint([path])


@pytest.mark.slow
def test_a_small_gzip_file_of_very_much_is_refused(tmp_path):
    path, block = tmp_path / "a.nt.gz", gzip.compress(b"#" + b" " * ((1 << 20) - 2) + b"\n")
    path.write_bytes(block * 1_025)
    with pytest.raises(ConfigError, match="a.nt.gz: unpacks to more than 1,024 MB"):
        LocalEndpoint([path])
