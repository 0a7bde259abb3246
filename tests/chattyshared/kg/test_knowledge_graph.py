"""What a caller may choose of a KG: its language, entities without types, entities by their number of triples."""

from collections.abc import Callable
from pathlib import Path

import pytest
from chattyshared.errors import ConfigError
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from rdflib import URIRef

GARDEN = """
@prefix : <https://garden.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Herb rdfs:label "herb"@en, "Kraut"@de .
:grows rdfs:label "grows"@en, "wächst"@de .
:sage a :Herb ; rdfs:label "sage"@en, "Salbei"@de ; :grows :bed .
:mint a :Herb ; rdfs:label "mint"@en, "Minze"@de ; :grows :bed, :pot .
:bed rdfs:label "bed"@en . :pot rdfs:label "pot"@en .
"""
UNTYPED = """
@prefix : <https://loose.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:a rdfs:label "Alpha" ; :next :b . :b rdfs:label "Beta" ; :next :c . :c :size 4 .
"""


@pytest.fixture
def opened(tmp_path: Path) -> Callable[[str], KnowledgeGraph]:
    def read(text: str) -> KnowledgeGraph:
        path = tmp_path / "graph.ttl"
        path.write_text(text, encoding="utf-8")
        return open_kg([str(path)])

    return read


def test_a_language_may_be_preferred(opened):
    kg = opened(GARDEN)
    german = kg.with_language("de")
    sage, grows = URIRef("https://garden.example/sage"), URIRef("https://garden.example/grows")
    assert (kg.label(sage), german.label(sage)) == ("sage", "Salbei")
    assert german.label(grows) == "wächst"
    assert german.vocabulary.classes["https://garden.example/Herb"].label == "Kraut"
    assert german.label(URIRef("https://garden.example/pot")) == "pot"
    assert german.fingerprint() == kg.fingerprint()


def test_a_language_that_is_not_there_is_refused(opened):
    with pytest.raises(ConfigError, match="nothing is named in the language 'fi'; there are en, de"):
        opened(GARDEN).with_language("fi")


def test_triples_are_counted_at_both_ends(opened):
    kg = opened(GARDEN)
    counts = kg.degrees("https://garden.example/Herb", max_entities=10)
    assert counts == {URIRef("https://garden.example/sage"): 4, URIRef("https://garden.example/mint"): 5}
    assert kg.degrees("https://garden.example/Herb", max_entities=1) is None
    loose = opened(UNTYPED).degrees("", max_entities=10)
    assert loose == {URIRef(f"https://loose.example/{name}"): n for name, n in (("a", 2), ("b", 3), ("c", 2))}
