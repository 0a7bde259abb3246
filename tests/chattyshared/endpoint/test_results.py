"""Results in JSON as rdflib terms."""

import json

import pyoxigraph as ox
import pytest
from chattyshared.endpoint.results import InvalidResult, convert_solutions, parse_result
from rdflib import XSD, BNode, Literal, URIRef

INTEGER = str(XSD.integer)
KEPT = Literal("01", datatype=XSD.integer, normalize=False)


def result(*bindings, names=("x",)):
    return json.dumps({"head": {"vars": list(names)}, "results": {"bindings": list(bindings)}}).encode()


@pytest.mark.parametrize(
    ("written", "term"),
    [
        ({"type": "uri", "value": "http://e/a"}, URIRef("http://e/a")),
        ({"type": "bnode", "value": "b1"}, BNode("b1")),
        ({"type": "literal", "value": "x"}, Literal("x")),
        ({"type": "literal", "value": "x", "datatype": str(XSD.string)}, Literal("x")),
        ({"type": "literal", "value": "x", "xml:lang": "pt-BR"}, Literal("x", lang="pt-BR")),
        ({"type": "literal", "value": "x", "xml:lang": "en_US"}, Literal("x", lang="en-US")),
        ({"type": "literal", "value": "x", "xml:lang": ""}, Literal("x")),
        ({"type": "typed-literal", "value": "01", "datatype": INTEGER}, KEPT),
    ],
)  # fmt: skip
def test_terms(written, term):
    rows = parse_result(result({"x": written}))
    assert rows == [{"x": term}]
    assert (str(rows[0]["x"]), type(rows[0]["x"])) == (str(term), type(term))


def test_rows_keep_their_order_and_lack_what_is_unbound():
    one, two = {"type": "literal", "value": "1"}, {"type": "literal", "value": "2"}
    rows = parse_result(result({"x": two}, {"x": one, "y": two}, {}, names=("x", "y")))
    assert rows == [{"x": Literal("2")}, {"x": Literal("1"), "y": Literal("2")}, {}]


def test_truth():
    assert parse_result(b'{"head": {}, "boolean": true}') is True
    assert parse_result(b'{"head": {}, "boolean": false}') is False
    assert parse_result(b'{"head": {}, "boolean": "false"}') is False


def test_half_a_surrogate_pair_becomes_what_can_be_written():
    rows = parse_result(
        result({"x": {"type": "literal", "value": "a\ud800é"}, "y": {"type": "uri", "value": "x:\udc00"}})
    )
    assert rows == [{"x": Literal("a?é"), "y": URIRef("x:?")}]


@pytest.mark.parametrize(("bindings", "truth"), [(["1"], True), (["0"], False), ([], False)])
def test_truth_as_virtuoso_writes_it(bindings, truth):
    rows = [{"__ASK_RETVAL": {"type": "typed-literal", "datatype": INTEGER, "value": value}} for value in bindings]
    assert parse_result(result(*rows, names=("__ASK_RETVAL",))) is truth


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"", "no whole JSON"),
        (b"<html></html>", "no whole JSON"),
        (b'{"head": {"vars": ["x"]}, "results": {"bindings": [', "no whole JSON"),
        (b'{"head": {"vars": ["x"]}}', "no SPARQL result"),
        (b"[]", "no SPARQL result"),
        (b"null", "no SPARQL result"),
        (result({"x": {"value": "1"}}), "no SPARQL result"),
        (b"\xff\xfe", "no whole JSON"),
        (b"[" * 50_000 + b"]" * 50_000, "no whole JSON .nested too deeply"),
        (b'{"head": {}, "results": {"bindings": ' + b'{"a":' * 50_000, "no whole JSON .nested too deeply"),
        (b'{"boolean": 1' + b"0" * 5_000 + b"}", "no whole JSON"),
        (b'{"boolean": NaN}', "a truth value of type float"),
        (b'{"head": {}, "results": {"bindings": [' + b"{}," * 2_000_000 + b"{}]}}", "too many parts"),
        (b'{"boolean": {}}', "a truth value of type dict"),
        (result({"x": {"type": "literal", "value": 5}}), "a value of type int"),
        (result({"x": {"type": "uri", "value": None}}), "a value of type NoneType"),
    ],
)
def test_what_is_no_result_is_never_an_empty_one(body, why):
    with pytest.raises(InvalidResult, match=why):
        parse_result(body)


def test_a_boolean_that_is_none_is_kept_without_a_warning():
    store = ox.Store()
    store.add(
        ox.Quad(ox.NamedNode("x:a"), ox.NamedNode("x:b"), ox.Literal("maybe", datatype=ox.NamedNode(XSD.boolean)))
    )
    [row] = convert_solutions(store.query("SELECT ?o { ?s ?p ?o }"))
    assert (str(row["o"]), row["o"].datatype, row["o"].value) == ("maybe", XSD.boolean, None)


XML = (
    '<?xml version="1.0"?><sparql xmlns="http://www.w3.org/2005/sparql-results#"><head><variable name="x"/></head>'
    '<results><result><binding name="x"><uri>http://e/a</uri></binding><binding name="y"><literal xml:lang='
    '"zh-classical">\u840a</literal></binding></result><result><binding name="x"><literal datatype='
    f'"{INTEGER}">01</literal></binding></result></results></sparql>'
)


@pytest.mark.parametrize(
    ("body", "content_type", "charset"),
    [
        (XML.encode(), "application/sparql-results+xml", "utf-8"),
        (b"\xef\xbb\xbf\n" + XML.encode(), "text/html", "utf-8"),
        (XML.encode("utf-16"), "application/xml", "utf-16"),
        (f'?x\t?y\n<http://e/a>\t"\u840a"@zh\n"01"^^<{INTEGER}>\t\n'.encode(), "text/plain", "utf-8"),
    ],
)
def test_results_in_other_formats(body, content_type, charset):
    first, second = parse_result(body, content_type, charset)
    assert (first["x"], str(first["y"]), second) == (URIRef("http://e/a"), "\u840a", {"x": KEPT})


def test_csv_tells_neither_numbers_nor_languages():
    assert parse_result(b'x,y\r\nhttp://e/a,"b, ""c"""\r\n5,\r\n', "text/csv")[0] == {
        "x": URIRef("http://e/a"), "y": Literal('b, "c"'),
    }  # fmt: skip
    assert parse_result(b"true\n", "text/csv") is True
    assert parse_result(b"true", "text/csv") is parse_result(b"true", "text/tab-separated-values") is True
    assert parse_result(b"false\n", "text/tab-separated-values") is False


def test_json_as_servers_write_it():
    body = (
        b'{"head": {}, "results": {"bindings": [{"x": {"type": "URI", "value": "http://e/a"}, "y": null},'
        b'{"x": {"type": "Literal", "value": "Incep\x01tion \\U0001F3AC", "lang": "en"}}]}}'
    )
    film = Literal("Incep\x01tion \U0001f3ac", lang="en")
    assert parse_result(body) == [{"x": URIRef("http://e/a")}, {"x": film}]
    for truth in (b"1", b'"1"', b'"True"', b"true"):
        assert parse_result(b'{"head": {}, "boolean": ' + truth + b"}") is True


@pytest.mark.parametrize(
    ("body", "content_type", "why"),
    [
        (XML[:-40].encode(), "application/sparql-results+xml", "no whole result"),
        (XML.replace("?>", '?><!DOCTYPE s [<!ENTITY a "aaaa">]>').encode(), "text/xml", "a document type"),
        (b"?x\t?y\n<http://e/a>\t", "text/tab-separated-values", "no whole result"),
        (b"?x\t?y\n<http://e/a>\n", "text/plain", "no whole result"),
        (b"\xff\xfe<", "text/csv", "no whole result"),
        (b"<a>" * 2_000_000, "text/xml", "too many parts"),
        (b'{"head": {}, "results": {"bindings": [{"x": "\\U00FFFFFF"}]}}', "", "no whole JSON"),
        (b'{"boolean": 2}', "", "a truth value"),
    ],
)  # fmt: skip
def test_what_is_broken_in_other_formats_is_no_result(body, content_type, why):
    with pytest.raises(InvalidResult, match=why):
        parse_result(body, content_type)


def test_rows_with_a_statement_are_left_out():
    body = result({"x": {"type": "triple", "value": {}}}, {"x": {"type": "uri", "value": "urn:x:a"}})
    assert parse_result(body) == [{"x": URIRef("urn:x:a")}]
