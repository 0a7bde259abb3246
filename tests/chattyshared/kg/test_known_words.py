"""Which words a graph knows: of its names, values, classes and predicates, in any inflection."""

from pathlib import Path

import pytest
from chattyshared.dialogue import Certificate
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg

TEXT = """
@prefix : <https://kennel.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Dog rdfs:label "dog" . :trainedBy rdfs:label "trained by" .
:Rex a :Dog ; rdfs:label "Rex Hollow" ; :trainedBy :Ann ; :motto "Never divorce a sled" ; :homeTown :New_Harbor .
:Ann rdfs:label "Ann Pike" .
"""


class LargeGraph(KnowledgeGraph):
    is_small = False


@pytest.fixture(scope="module", params=["indexed", "read", "searched"])
def kennel(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    path: Path = tmp_path_factory.mktemp("kennel") / "kennel.ttl"
    path.write_text(TEXT, encoding="utf-8")
    kg = open_kg([str(path)])
    if request.param == "indexed":
        return kg
    opened = KnowledgeGraph if request.param == "read" else LargeGraph
    return opened(kg.endpoint, kg.profile, use_index=False, index_up_to=0)


@pytest.mark.parametrize("word", ["dogs", "trainer", "Ann Pike"])
def test_a_word_of_a_label_is_known_in_any_inflection(kennel: KnowledgeGraph, word: str) -> None:
    assert kennel.known_words.has_words(word)


@pytest.mark.parametrize("word", ["vegan", "left-handed", "Quito", "divorced cat"])
def test_a_word_that_no_text_has_is_not_known(kennel: KnowledgeGraph, word: str) -> None:
    assert not kennel.known_words.has_words(word)


def test_a_word_within_a_long_value_or_an_iri_is_known_where_texts_are_read(kennel: KnowledgeGraph) -> None:
    if kennel.is_small:
        assert kennel.known_words.has_words("divorced") and kennel.known_words.has_words("harbor")


def test_a_certificate_is_violated_by_what_the_graph_has(kennel: KnowledgeGraph) -> None:
    certificate = Certificate(("vegan", "dog"), ("train", "diet"), ("Rex Hollow", "Rex Pike"))
    assert list(kennel.known_words.find_violations(certificate)) == ["dog", "train", "Rex Hollow"]
    assert not list(kennel.known_words.find_violations(Certificate(("vegan",), ("diet",), ("Ann Hollow",))))


def test_what_may_be_asked_next_is_looked_up_with_a_text(kennel: KnowledgeGraph, counting: type) -> None:
    endpoint = counting(kennel.endpoint)
    graph = LargeGraph(endpoint, kennel.profile, use_index=False, index_up_to=0)
    words = ["vegan", "rex hollow", "gluten"]
    known = graph.known_words
    assert not known.has_words("vegan", next_texts=words)
    endpoint.count = 0
    assert [known.has_words(word) for word in words] == [False, True, False]
    assert endpoint.count == 0
