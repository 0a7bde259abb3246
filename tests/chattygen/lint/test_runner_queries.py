"""Defects of queries: planted ones are found, near misses are left alone."""

from __future__ import annotations

import pytest
from chattyshared.sparql.analysis import analyze_query
from lighthouses import AT, ORMEN, ask, changed, into, iri, kinds, number, out, querying, thing, truth

from chattygen.lint.dialogue_view import DialogueView

L, P = f"<{iri('Ormen Light')}>", f"<{AT}height>"


def tall(sparql: str) -> DialogueView:
    return querying(sparql, "How tall is it?", "How tall is Ormen Light?", number(41), form="number")


@pytest.mark.parametrize("sparql", [
    f"select ?x where {{ {L} {P} ?x }}",
    f"SELECT ?x {{ {L} {P} ?x . }} LIMIT 5",
    f"# a comment\nSELECT * WHERE {{ {L} {P} ?x }}",
    f"PREFIX v: <{AT}>\nSELECT ?x WHERE {{ {L} v:height ?x }}",
    f"SELECT (MAX(?h) AS ?x) WHERE {{ {L} {P} ?h }}",
    f"SELECT ?x WHERE {{ VALUES ?l {{ {L} }} ?l {P} ?x }}",
])  # fmt: skip
def test_query_syntax_near_misses(sparql: str) -> None:
    assert kinds(tall(sparql)) == set()


@pytest.mark.parametrize("sparql", [
    f"PREFIX v: <{AT}> SELECT ?x WHERE {{ {L} v:height ?x }}",
    f"PREFIX : <{AT}> SELECT ?x WHERE {{ :Ormen_Light :height ?x }}",
    f"prefix v:<{AT}> select ?x where {{ {L} v:height ?x }}",
    f"SELECT ?x WHERE {{ {L} <{AT}v:height> ?x }}",
    f"PREFIX v: <{AT}> PREFIX l: <{AT}> SELECT ?x WHERE {{ l:Ormen_Light v:height ?x }}",
])  # fmt: skip
def test_query_prefix_near_misses(sparql: str) -> None:
    assert kinds(tall(sparql)) == set()


@pytest.mark.parametrize("sparql", [
    f"SELECT ?x WHERE {{ {L} {P}?x }}",
    f"SELECT ?x WHERE {{{L}{P}?x}}",
    f"SELECT ?x WHERE {{ {L} {P}$x }}",
    f"SELECT ?x WHERE {{ {L} {P}?x . {L} <{AT}lit>?y }}",
    f"SELECT ?x WHERE {{ ?l {P}?x FILTER(?l = {L}) }}",
])  # fmt: skip
def test_tight_tokens_are_sparql(sparql: str) -> None:
    assert kinds(tall(sparql)) == set()


def asked(sparql: str, standalone: str = "Does Ormen Light have a fog horn?") -> DialogueView:
    return querying(sparql, standalone.replace("Ormen Light", "it"), standalone, truth(True), form="boolean")


@pytest.mark.parametrize("sparql", [
        f"ASK {{ {L} <{AT}fogHorn> ?x }}",
        f"ASK {{ {L} <{AT}keeper> ?x . ?x a <{AT}Keeper> }}",
        f"ASK {{ {L} ?p ?o }}",
        f'ASK {{ {L} <{AT}motto> ?x FILTER(LANG(?x) = "en") }}',
    ])  # fmt: skip
def test_existence_ask_planted(sparql: str) -> None:
    assert "yes-no" in kinds(asked(sparql))


@pytest.mark.parametrize(("sparql", "standalone"), [
    (ask("Ormen Light", "island", "Skarv Island"), "Does Ormen Light stand on Skarv Island?"),
    (f"ASK {{ {L} <{AT}keeper> ?y . ?y <{AT}bornIn> <{iri('Bergen')}> }}",
     "Did Ormen Light have a keeper from Bergen?"),
    (f"ASK {{ {L} {P} ?a . <{iri('Skarv Light')}> {P} ?b FILTER(?a > ?b) }}",
     "Is Ormen Light taller than Skarv Light?"),
    (f"ASK {{ {L} {P} ?a FILTER(?a > 40) }}", "Is Ormen Light taller than 40 meters?"),
    (f'ASK {{ {L} <{AT}color> "red" }}', "Is Ormen Light red?"),
    (f"ASK {{ {L} a <{AT}Monument> }}", "Is Ormen Light a monument?"),
])  # fmt: skip
def test_existence_ask_near_misses(sparql: str, standalone: str) -> None:
    assert kinds(asked(sparql, standalone)) == set()


def how_many(predicate: str, **more: object) -> DialogueView:
    name = predicate.rpartition("/")[2]
    question = f"How many of its {name} are there?"
    sparql = f"SELECT (COUNT(?x) AS ?n) WHERE {{ {L} <{AT}{predicate}> ?x }}"
    return querying(sparql, question, f"How many {name} does Ormen Light have?", number(3), form="count", **more)


@pytest.mark.parametrize("talk", [
    how_many("keepers"), how_many("lamps"), how_many("countries"),
    how_many("colors", witness=((iri("Ormen Light"), f"{AT}colors", '"red"'),)),
    querying(f"SELECT (COUNT(?x) AS ?n) WHERE {{ ?x <{AT}near> {L} . ?x {P} ?h FILTER(?h > 20) }}",
             "How many towers near it are taller than 20 meters?",
             "How many towers near Ormen Light are taller than 20 meters?", number(3), form="count"),
])  # fmt: skip
def test_count_of_number_near_misses(talk: DialogueView) -> None:
    assert "needless-count" not in kinds(talk)


@pytest.mark.parametrize("sparql", [
    f"SELECT ?x WHERE {{ {L} <{AT}height> ?x }}",
    f"SELECT ?x WHERE {{ {L} <{AT}idol> ?x }}",
    f"SELECT ?x WHERE {{ {L} <{AT}pageCount> ?x }}",
    f"SELECT ?x WHERE {{ {L} <{AT}geology> ?x }}",
    f"SELECT ?x WHERE {{ ?x <{AT}lights> {L} ; a <{AT}Homepage> }}",
    f"SELECT ?x WHERE {{ {L} <{AT}latinName> ?x }}",
])  # fmt: skip
def test_metadata_near_misses(sparql: str) -> None:
    assert "uninformative" not in kinds(tall(sparql))


@pytest.mark.parametrize("again", [
        out("Ormen Light", "architect"),
        out("Ormen Light", "architect").replace(" ", "  ").replace("SELECT", "select"),
        out("Ormen Light", "architect").replace(" }", " . }"),
    ])  # fmt: skip
def test_duplicate_query_planted(again: str) -> None:
    assert "repeated" in kinds(changed(ORMEN, 2, sparql=again))


@pytest.mark.parametrize("other", [
    out("Ormen Light", "builder"), out("Skarv Light", "architect"), into("Ormen Light", "architect"),
    out("Ormen Light", "Architect"), f"SELECT ?x WHERE {{ ?y <{AT}architect> ?x . {L} <{AT}model> ?y }}",
])  # fmt: skip
def test_duplicate_query_near_misses(other: str) -> None:
    assert "repeated" not in kinds(changed(ORMEN, 2, sparql=other))


@pytest.mark.parametrize("talk", [
    ORMEN,
    changed(ORMEN, 6, sparql=out("Eva Moe", "workplace"), answers=(thing("Ormen Light"), thing("Skarv Light"))),
    changed(ORMEN, 6, sparql=into("Ada Lund", "architect"), answers=(thing("Ormen Light"),)),
    changed(ORMEN, 6, sparql=into("Skarv Island", "island")),
    changed(ORMEN, 6, sparql=out("Skarv Light", "height")),
    changed(ORMEN, 6, sparql=f"SELECT (COUNT(?x) AS ?n) {{ ?x <{AT}workplace> {L} . ?x <{AT}rank> <{AT}first> }}"),
])  # fmt: skip
def test_restated_near_misses(talk: DialogueView) -> None:
    assert "repeated" not in kinds(talk)


def test_a_query_is_read_through_prefixes_paths_and_filters() -> None:
    query = analyze_query(
        f"PREFIX v: <{AT}> SELECT ?x {{ {L} v:keeper/v:bornIn ?x . ?x a v:Town FILTER NOT EXISTS {{ ?x v:lost ?y }} }}"
    )
    assert query.iris == (iri("Ormen Light"),)
    assert set(query.predicates) >= {f"{AT}keeper", f"{AT}bornIn", f"{AT}lost"}
    assert len(query.negated_patterns) == 1
