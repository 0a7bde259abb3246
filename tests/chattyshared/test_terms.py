from __future__ import annotations

import pyoxigraph as ox
import pytest
from chattyshared.terms import iri_to_words, local_name, n3
from hypothesis import given
from hypothesis import strategies as st
from rdflib import BNode, Literal, URIRef
from rdflib.namespace import XSD
from rdflib.plugins.sparql.parser import parseQuery

TEXT = st.text(st.characters(exclude_characters="\x00", exclude_categories=("Cs",)))
AWKWARD = st.text(st.sampled_from("\\\"\n\r\tuU04Af{}<>'?$#@^.; \u2028é😀\x07"), max_size=30)


def asked_of_oxigraph(term):
    (row,) = ox.Store().query(f"SELECT ?x WHERE {{ VALUES ?x {{ {n3(term)} }} }}")
    return row[0]


def parsed_by_rdflib(term):
    query = parseQuery(f"SELECT ?x WHERE {{ VALUES ?x {{ {n3(term)} }} }}")
    return query[1].where.part[0].value[0]["string"]


@given(TEXT | AWKWARD)
def test_a_literal_comes_back_from_both_parsers_as_it_was(text):
    assert asked_of_oxigraph(Literal(text)) == ox.Literal(text)
    assert str(parsed_by_rdflib(Literal(text))) == text


@pytest.mark.parametrize(
    ("term", "written"),
    [
        (Literal("5", datatype=XSD.integer), '"5"^^<http://www.w3.org/2001/XMLSchema#integer>'),
        (Literal("x", datatype=XSD.string), '"x"'),
        (Literal("007", datatype=XSD.integer, normalize=False), '"007"^^<http://www.w3.org/2001/XMLSchema#integer>'),
        (Literal('say "hi"\n', lang="en"), '"say \\"hi\\"\\n"@en'),
        (Literal("a\x00b\ud800c"), '"abc"'),
        (URIRef("http://example.org/a(b)'c%20é"), "<http://example.org/a(b)'c%20é>"),
        (URIRef("urn:isbn:1"), "<urn:isbn:1>"),
    ],
)
def test_how_terms_are_written(term, written):
    assert n3(term) == written


@pytest.mark.parametrize("text", ["\\u0022", "\\\\u0022 } DROP ALL #", "\\U00000022", "\\u005c\\u0022"])
def test_a_text_that_spells_an_escape_stays_text(text):
    assert asked_of_oxigraph(Literal(text)) == ox.Literal(text)
    assert str(parsed_by_rdflib(Literal(text))) == text


@given(st.text(max_size=20))
def test_an_iri_is_written_bare_or_refused_and_never_ends_early(tail):
    iri = URIRef("http://example.org/" + tail)
    try:
        written = n3(iri)
    except ValueError:
        return
    assert written == f"<{iri}>"
    assert not set(written[1:-1]) & set('<>"{}|^`\\ \n\r\t')


@pytest.mark.parametrize(
    "iri", ["http://x/a> } DROP", "http://x/a b", "http://x/\\u003E", "relative", "", "?x", "/a:b", "http://x/\ud800"]
)
def test_what_is_no_iri_is_refused(iri):
    with pytest.raises(ValueError, match="not an IRI"):
        n3(URIRef(iri))


def test_a_blank_node_has_no_name():
    with pytest.raises(ValueError, match="blank node"):
        n3(BNode())


@pytest.mark.parametrize(
    ("iri", "name", "words"),
    [
        ("http://x.org/v#birthPlace", "birthPlace", "birth place"),
        ("http://x.org/r/The_Lord_of_the_Rings", "The_Lord_of_the_Rings", "the Lord of the Rings"),
        ("http://x.org/HTTPServer", "HTTPServer", "HTTP server"),
        ("urn:isbn:123", "123", "123"),
        ("http://x.org/X", "X", "x"),
        ("http://x.org/v#dteBirth", "dteBirth", "birth date"),
        ("http://x.org/v#dtmCreated", "dtmCreated", "created"),
        ("http://x.org/v#curator", "curator", "curator"),
    ],
)
def test_names_are_read_from_iris(iri, name, words):
    assert (local_name(iri), iri_to_words(iri)) == (name, words)
