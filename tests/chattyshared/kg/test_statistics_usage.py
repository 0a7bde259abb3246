"""The use of predicates by class, and samples of values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.statistics import MAX_SAMPLES, ClassUsage, fetch_value_samples
from rdflib import XSD, Literal

KEEPERS = """
:m1 a v:Model ; v:maker 10 . :m2 a v:Model ; v:maker 11 . :m3 a v:Model .
:c1 a v:Car ; v:maker :f1 , :f2 ; v:note "red"@en , "rot"@de . :c2 a v:Car ; v:maker :f1 .
:f1 a v:Firm . :f2 a v:Firm , v:Bank .
"""
V = "https://ex.org/v/"


def make(turtle: Callable[..., Any]) -> KnowledgeGraph:
    return KnowledgeGraph(turtle(f"@prefix v: <{V}> . {KEEPERS}"))


def test_each_class_has_its_own_ends(turtle: Callable[..., Any]) -> None:
    usage = make(turtle).class_usage
    assert sorted(usage[f"{V}maker"], key=lambda each: each.class_iri) == [
        ClassUsage(f"{V}Car", 2, (f"{V}Firm", f"{V}Bank")),
        ClassUsage(f"{V}Model", 2, (str(XSD.integer),)),
    ]
    assert usage[f"{V}note"] == (ClassUsage(f"{V}Car", 1, ("http://www.w3.org/1999/02/22-rdf-syntax-ns#langString",)),)


def test_samples_are_distinct_literals_read_once(turtle: Callable[..., Any], counting: Any) -> None:
    numbers = "".join(f":x{n} v:n {n % 7} ; v:to :x1 ." for n in range(30))
    endpoint = counting(turtle(f"@prefix v: <{V}> . {numbers}"))
    samples = fetch_value_samples(endpoint, dict.fromkeys((f"{V}n", f"{V}to", f"{V}none", "no iri"), ()))
    assert list(samples) == [f"{V}n"] and len(set(samples[f"{V}n"])) == MAX_SAMPLES
    assert all(isinstance(value, Literal) for value in samples[f"{V}n"])


def test_each_datatype_of_a_predicate_is_sampled(turtle: Callable[..., Any]) -> None:
    years = "".join(f':x{n} v:n "{1900 + n}" .' for n in range(30))
    kg = KnowledgeGraph(turtle(f"@prefix v: <{V}> . {years} :y v:n 7 ."))
    assert sorted(len(value) for value in kg.value_samples[f"{V}n"]) == [1, 4]


def test_a_graph_reads_them_once_and_a_big_one_never(turtle: Callable[..., Any], monkeypatch: Any) -> None:
    kg = make(turtle)
    assert kg.class_usage is kg.class_usage and kg.value_samples is kg.value_samples
    assert set(kg.value_samples) == {f"{V}maker", f"{V}note"}
    monkeypatch.setattr("chattyshared.kg.statistics.MAX_SMALL", 3)
    big = make(turtle)
    assert (big.class_usage, big.value_samples) == ({}, {})
