"""RDF files that would bring the parser down: refused in one line, and those that only look like them are read."""

import gzip
import json
import os
import re
import socket

import pyoxigraph as ox
import pytest
from chattyshared.endpoint.local import LocalEndpoint
from chattyshared.endpoint.packed_files import open_file
from chattyshared.endpoint.parser_limits import MAX_DEPTH, CheckedStream, ParserLimitExceeded
from chattyshared.endpoint.rdf_files import read_quads
from chattyshared.errors import ConfigError
from hypothesis import given, settings
from hypothesis import strategies as st

SPACES = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/"'
TEN_TIMES = "its entities expand to more than 10 times the file"
LARGE = "a text in it, with its entities expanded, has more than 100 MB"
DEEP = "objects and arrays stand in each other more than 200 deep"
TERMS = "triple terms stand in each other more than 200 deep"
CHAIN = "terms of its context are defined one by the other in chains of more than 100"


def xml(declared="", text="x", attribute="x", before=""):
    return (
        f"<!DOCTYPE rdf:RDF [{declared}]><rdf:RDF {SPACES}>{before}"
        f'<rdf:Description rdf:about="http://e/a" e:q="{attribute}"><e:p>{text}</e:p></rdf:Description></rdf:RDF>'
    )


def laughs(levels):
    """Ten bytes, ten times as many at each level."""
    lines = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, levels))
    return f'<!ENTITY l0 "lolololol!">{lines}'


def context(*terms, use='"t0":1'):
    return f'{{"@context":{{{",".join(terms)}}},{use}}}'


def nested(start, end, times, inner="1"):
    return start * times + inner + end * times


STEPS = [f'"t{n}":"t{n + 1}:x"' for n in range(4_000)]
EXCESSIVE = [
    ("a.rdf", xml(laughs(7), "&l6;"), TEN_TIMES),
    ("a.rdf", xml(laughs(9), "&l8;"), LARGE),
    ("a.rdf", xml(laughs(9)), LARGE),  # expanded where it is declared
    ("a.rdf", xml(laughs(9), "x", "&l8;"), LARGE),
    ("a.rdf", xml(f"<!-- {laughs(9)} -->", "&l8;"), LARGE),
    ("a.rdf", xml(laughs(9).replace("ENTITY ", "ENTITY\u00a0"), "&l8;"), LARGE),
    ("a.rdf", xml(laughs(9).replace("ENTITY ", "ENTITY % "), "&l8;"), LARGE),
    ("a.rdf", xml("", "&l8;", before=f"<!DOCTYPE x [{laughs(9)}]>"), LARGE),
    ("a.rdf", xml('<!ENTITY a "xxxxxxxx">' + '<!ENTITY a "&a;&a;">' * 30, "&a;"), LARGE),
    ("a.rdf", xml(f'<!ENTITY a "{"x" * 60_000}">', "&a;" * 1_000), TEN_TIMES),
    ("a.rdf", xml(f'<!ENTITY a "{"x" * 60_000}">', "x", "&a;" * 1_000), TEN_TIMES),
    ("a.rdf", xml(f'<!ENTITY a "{"x" * 70_000}">', "&a;"), "a declaration of an entity has more than 64 KB"),
    ("a.rdf", xml(f'<!ENTITY {"n" * 1_001} "x">', "x"), "the name of an entity has more than 1,000 bytes"),
    ("a.rdf", f"<rdf:RDF {SPACES}>" + "<rdf:Description><!-- </e:p></e:p> --><e:p>" * 1_500,
     "elements stand in each other more than 2,000 deep"),
    ("a.jsonld", nested('{"http://e/p":', "}", 201), DEEP),
    ("a.jsonld", '{"http://e/p":' + nested("[", "]", 50_000) + "}", DEEP),
    ("a.jsonld", "[" * 1_000_000, DEEP),
    ("a.jsonld", context(*STEPS), CHAIN),
    ("a.jsonld", context(*STEPS).replace('"@context"', '"\\u0040contex\\u0074"' + " \n" * 3_000), CHAIN),
    ("a.jsonld", context(*(f'"t{n}":{{"@id":"http://e/{n}","@type":"t{n + 1}"}}' for n in range(200))), CHAIN),
    ("a.jsonld", context('"s":{"@id":"e:s","@context":{' + ",".join(STEPS) + "}}"), CHAIN),
    ("a.jsonld", context(*(f'"t{n}":"http://e/{n}"' for n in range(5_001))),
     "its context defines more than 5,000 terms"),
    ("a.jsonld", context(*(f'"t{n}":{{"@id":"x:y","@context":{{"z":"x:z"}}}}' for n in range(2_000))),
     "its context has too many contexts within it"),
    ("a.jsonld", context('"a":"' + "x" * 1_500_000 + '"'), "its context has more than 1 MB"),
    *((f"a.{end}", "<x:a> <x:p> " + nested("<<( <x:a> <x:p> ", " )>>", 50_000, '"1"') + " .\n", TERMS)
      for end in ("ttl", "nt", "nq", "trig")),
    ("a.ttl", "<x:a> <x:p> " + "<<( <x:a> # )>>\n <x:p> " * 50_000, TERMS),
    ("a.ttl", "@prefix e: <x:> . e:a e:p " + "<<( e:a\\' # ' )>>\n e:p " * 50_000, TERMS),
]  # fmt: skip


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(("name", "content", "said"), EXCESSIVE)
def test_what_would_bring_the_parser_down_is_refused_in_one_line(tmp_path, name, content, said, packed):
    path = tmp_path / (name + ".gz" if packed else name)
    path.write_bytes(gzip.compress(content.encode(), 1) if packed else content.encode())
    with pytest.raises(ConfigError) as caught:
        LocalEndpoint([path])
    assert str(caught.value) == f"{path}: {said}"


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
SIBLING = '{{"@context":{{"e":"http://e/"}},"e:p":{}}}'
STATEMENT = '<x:a> <x:p> <<( <x:a> <x:p> "C# {0}" )>> . <x:b> <x:p> "<<( x y {0}" .\n'
ORDINARY = [
    ("protege.rdf", PROTEGE % "".join(map(CLASS.format, range(2_000))), 4_000),
    ("tiny.rdf", xml('<!ENTITY a "http://example.org/a/long/name/of/a/space/in/a/tiny/file#">', "&a;" * 100), 2),
    ("html.rdf", f"<rdf:RDF {SPACES}>"
     + f"<rdf:Description><e:p>{HTML}</e:p><!-- <a> <b> --></rdf:Description>" * 2_500 + "</rdf:RDF>", 2_500),
    ("deep.jsonld", nested('{"http://e/p":', "}", MAX_DEPTH), 200),
    ("text.jsonld", '{"http://e/p":"' + "[{" * 5_000 + '\\"[[[","http://e/q":"\\\\"}', 2),
    ("schema.jsonld", context('"s":"http://s/"', *(f'"n{n}":{{"@id":"s:n{n}","@type":"@id"}}' for n in range(3_000)),
                              use='"n1":"x:y"'), 1),
    ("many.jsonld", f"[{','.join(map(SIBLING.format, range(3_000)))}]", 3_000),
    ("value.jsonld", '{"http://e/p":["@context","@context",{"@value":"@context"}],"http://e/q":1}', 2),
    ("terms.ttl", "".join(map(STATEMENT.format, range(900))), 900),
    ("deep.ttl", "<x:a> <x:p> " + nested("<<( <x:a> <x:p> ", " )>>", 150) + " . <x:a> <x:p> 1 .", 1),
    ("brackets.ttl", "<x:a> <x:p> " + nested("[ <x:p> ", "]", 20_000) + " .", 20_001),
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


class Given:
    """A stream that hands out pieces of given sizes."""

    def __init__(self, data, sizes):
        self.data, self.sizes, self.number = data, sizes, -1

    def read(self, size=-1):
        self.number += 1
        size = self.sizes[self.number % len(self.sizes)]
        data, self.data = self.data[:size], self.data[size:]
        return data


def passes(content, kind, sizes):
    stream = CheckedStream(Given(content.encode(), sizes), kind)
    try:
        while stream.read():
            pass
    except ParserLimitExceeded:
        return False
    return True


SMALL = [(name, content) for name, content, _ in (*EXCESSIVE, *ORDINARY) if len(content) < 20_000]


@pytest.mark.parametrize("sizes", [(1,), (2, 7), (100,), (2_047,)])
@pytest.mark.parametrize(("name", "content"), SMALL)
def test_it_does_not_matter_in_which_pieces_a_file_comes(name, content, sizes):
    kind = {"rdf": ox.RdfFormat.RDF_XML, "jsonld": ox.RdfFormat.JSON_LD, "ttl": ox.RdfFormat.TURTLE}[name.split(".")[1]]
    assert passes(content, kind, sizes) is any((name, content) == each[:2] for each in ORDINARY)


names = st.sampled_from(["a", "b", "c", "lt"])
texts = st.lists(st.one_of(names.map(lambda name: f"&{name};"), st.sampled_from(["x", "yy ", "&#65;"])), max_size=6)


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(names, texts, st.sampled_from(["{}", "<!-- {} -->", "<!ELEMENT x>{}"])), max_size=6),
    texts, texts, st.lists(st.integers(1, 300), min_size=1, max_size=3),
)  # fmt: skip
def test_an_expansion_is_never_larger_than_it_was_counted(declared, text, attribute, sizes):
    dtd = "".join(form.format(f'<!ENTITY {name} "{"".join(parts)}">') for name, parts, form in declared)
    content = xml(dtd, "".join(text), "".join(attribute))
    stream = CheckedStream(Given(content.encode(), sizes), ox.RdfFormat.RDF_XML)
    try:
        found = sum(len(quad.object.value) for quad in ox.parse(stream, ox.RdfFormat.RDF_XML, base_iri="x:y"))
    except SyntaxError:
        return  # a name that is not declared
    written = len("".join((*text, *attribute)))
    assert found <= written + stream._check._added


def depth_of(value):
    inner = value if isinstance(value, list) else value.values() if isinstance(value, dict) else None
    return 0 if inner is None else 1 + max(map(depth_of, inner), default=0)


awkward = st.text(alphabet='"\\[]{}:,ab@', max_size=8)
values = st.recursive(awkward, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(awkward, inner, max_size=3))


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(values, st.lists(st.integers(1, 40), min_size=1, max_size=3))
def test_the_depth_of_json_is_that_of_its_value(value, sizes):
    deepest = depth_of(value)
    for more in (MAX_DEPTH - deepest, MAX_DEPTH - deepest + 1):
        content = "[" * more + json.dumps(value) + "]" * more
        assert passes(content, ox.RdfFormat.JSON_LD, sizes) is (more + deepest <= MAX_DEPTH)


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
    assert str(caught.value) == f"{path}: holds a line or a value of more than 16 MB"


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


LONG = "http://e/" + "x" * 200_000


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.ttl", f"@prefix p: <{LONG}/> .\n" + "".join(f"p:s{n} p:p p:o{n} .\n" for n in range(400))),
        ("a.ttl", f"@base <{LONG}/> .\n" + "".join(f"<s{n}> <p> <o{n}> .\n" for n in range(400))),
        ("a.ttl", f"@prefix p: <{LONG}/> .\n" + "".join(f'<e:s> <e:p> "{n}"^^p:t{n} .\n' for n in range(1_200))),
        ("a.trig", f"@prefix p: <{LONG}/> .\n" + "".join(f"p:g{n} {{ p:s p:p 1 }}\n" for n in range(400))),
        ("a.rdf", f'<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="{LONG}/">'
         '<r:Description r:about="e:s">' + "".join(f"<e:p{n}>1</e:p{n}>" for n in range(1_200))
         + "</r:Description></r:RDF>"),
        ("a.jsonld", json.dumps({"@context": {"@vocab": f"{LONG}/"}, **{f"p{n}": 1 for n in range(1_200)}})),
    ],
)  # fmt: skip
def test_a_long_prefix_is_not_used_without_end(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    with pytest.raises(ConfigError, match=f"{name}: its prefixes expand to more than 10 times the file"):
        for _ in read_quads(tmp_path / name, 0):
            pass


def test_a_file_with_long_terms_of_its_own_is_read(tmp_path):
    (tmp_path / "a.nt").write_text("".join(f"<{LONG}{n}> <e:p> <{LONG}{n}> .\n" for n in range(10)))
    assert len(list(read_quads(tmp_path / "a.nt", 0))) == 10


def test_a_gzip_file_is_unpacked_up_to_a_limit(tmp_path):
    path = tmp_path / "a.nt.gz"
    path.write_bytes(gzip.compress(b"<e:s> <e:p> <e:o> .\n" * 100_000))
    with open_file(path, 2_000_000) as stream:
        assert len(stream.read()) == 2_000_000
    limit = pytest.raises(ParserLimitExceeded, match="unpacks to more than 1 MB: unpack it yourself")
    with limit, open_file(path, 1_999_999) as stream:
        stream.read()


@pytest.mark.slow
def test_a_small_gzip_file_of_very_much_is_refused(tmp_path):
    path, block = tmp_path / "a.nt.gz", gzip.compress(b"#" + b" " * ((1 << 20) - 2) + b"\n")
    path.write_bytes(block * 1_025)
    with pytest.raises(ConfigError, match="a.nt.gz: unpacks to more than 1,024 MB"):
        list(read_quads(path, 0))
