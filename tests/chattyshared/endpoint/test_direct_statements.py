"""Stores are made direct when they are loaded: lists, containers, labels that are nodes, blank nodes with a name."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

import pytest
from chattyshared.endpoint.direct_statements import repeated_in_list
from chattyshared.endpoint.local import LocalEndpoint
from chattyshared.errors import ConfigError

PREFIXES = """@prefix : <urn:x:> . @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix xl: <http://www.w3.org/2008/05/skos-xl#> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
"""
Load = Callable[[str], LocalEndpoint]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    def loaded(turtle: str) -> LocalEndpoint:
        (tmp_path / "graph.ttl").write_text(PREFIXES + turtle, encoding="utf-8")
        return LocalEndpoint([tmp_path / "graph.ttl"])

    return loaded


def objects(endpoint: LocalEndpoint, subject: str, predicate: str) -> list[str]:
    return sorted(str(row["o"]) for row in endpoint.select(f"SELECT ?o WHERE {{ <{subject}> <{predicate}> ?o }}"))


@pytest.mark.parametrize(
    ("turtle", "members"),
    [
        (":s :p ( :a :b ) .", ["urn:x:a", "urn:x:b"]),
        (':s :p ( "one" 2 ) .', ["2", "one"]),
        (":s :p () ; :q 1 .", []),
        (":s :p ( ( :a ) ( :b () ) ) .", ["urn:x:a", "urn:x:b"]),
        (":s :p :c , ( :a ) .", ["urn:x:a", "urn:x:c"]),
        (":s :p [ a rdf:Seq ; rdf:_1 :a ; rdf:_12 :b ] .", ["urn:x:a", "urn:x:b"]),
        (":s :p _:l . _:l rdf:first :a ; rdf:rest _:m . _:m rdf:first :b ; rdf:rest _:l .", ["urn:x:a", "urn:x:b"]),
        (":s :p _:l . _:l rdf:first :a .", ["urn:x:a"]),
    ],
)
def test_a_predicate_of_lists_states_their_members(load: Load, turtle: str, members: list[str]):
    assert objects(load(turtle), "urn:x:s", "urn:x:p") == members


def test_what_a_list_repeats_is_stated(load: Load):
    endpoint = load(":s :p ( 4 8 4 ) . :t :p ( 1 2 :a :a ) .")
    assert objects(endpoint, "urn:x:s", "urn:x:p") == ["4", "8"]
    assert [objects(endpoint, name, repeated_in_list("urn:x:p")) for name in ("urn:x:s", "urn:x:t")] == [["4"], []]


def test_lists_of_an_ontology_stay(load: Load):
    endpoint = load(":c owl:unionOf ( :a :b ) .")
    assert not endpoint.ask("ASK { <urn:x:c> <http://www.w3.org/2002/07/owl#unionOf> <urn:x:a> }")


def test_a_class_lies_below_those_that_it_intersects(load: Load):
    endpoint = load(
        ":white owl:equivalentClass [ owl:intersectionOf ( :wine [ a owl:Restriction ] ) ] ."
        ":red owl:intersectionOf ( :wine ) ."
    )
    below = "http://www.w3.org/2000/01/rdf-schema#subClassOf"
    assert objects(endpoint, "urn:x:white", below) == objects(endpoint, "urn:x:red", below) == ["urn:x:wine"]


@pytest.mark.parametrize(
    ("name", "iri"),
    [
        ('rdfs:label "Ann Reed"', "urn:blank:f0n0:Ann_Reed"),
        ('<https://schema.org/name> "Ann/Reed"', "urn:blank:f0n0:Ann%2FReed"),
        (':fullName "Ann"', "urn:blank:f0n0:Ann"),
        (':givenName "Ann" ; :familyName "Reed"', "urn:blank:f0n0:Ann_Reed"),
    ],
)
def test_a_blank_node_with_a_name_is_a_thing(load: Load, name: str, iri: str):
    endpoint = load(f":book :author [ {name} ; :born :oslo ] .")
    assert objects(endpoint, "urn:x:book", "urn:x:author") == [iri]
    assert objects(endpoint, iri, "urn:x:born") == ["urn:x:oslo"]


def test_a_blank_node_without_a_name_stays_one(load: Load):
    endpoint = load(':house :price [ :amount 5 ; :publisherName "Reed" ] .')
    assert endpoint.ask("ASK { <urn:x:house> <urn:x:price> ?price FILTER(isBlank(?price)) }")


def test_a_label_that_is_a_node_is_one_of_skos(load: Load):
    endpoint = load(':wheat xl:prefLabel [ xl:literalForm "wheat"@en ] ; xl:altLabel [ xl:literalForm "corn"@en ] .')
    assert objects(endpoint, "urn:x:wheat", "http://www.w3.org/2004/02/skos/core#prefLabel") == ["wheat"]
    assert objects(endpoint, "urn:x:wheat", "http://www.w3.org/2004/02/skos/core#altLabel") == ["corn"]


def test_statements_about_statements_are_left_out_and_counted(load: Load, caplog: pytest.LogCaptureFixture):
    with caplog.at_level(logging.WARNING):
        endpoint = load(":c :about <<( :a :p :b )>> , :a . :a :p :b {| :since 1990 |} .")
    assert objects(endpoint, "urn:x:c", "urn:x:about") == ["urn:x:a"]
    assert [record.message for record in caplog.records] == ["2 statements about statements are not read"]


def test_lists_that_stand_for_too_many_statements_are_refused(tmp_path):
    cells = "".join(f"_:c{n} rdf:rest _:c{n + 1} . <e:s> <e:p{n}> _:c{n} .\n" for n in range(3_000))
    (tmp_path / "a.ttl").write_text(f"@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .\n{cells}")
    with pytest.raises(ConfigError, match="its lists and labels stand for too many statements"):
        LocalEndpoint([tmp_path / "a.ttl"])
