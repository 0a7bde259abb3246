import re
import sqlite3
from contextlib import closing

import pytest
from chattyshared.errors import StorageFailed
from chattyshared.kg import KnowledgeGraph
from rdflib import Literal
from rdflib.namespace import XSD

R, V = "http://ex.org/r/", "http://ex.org/v#"


@pytest.fixture
def near(places):
    return KnowledgeGraph(places)


@pytest.fixture
def far(places):
    return KnowledgeGraph(places, use_index=False, index_up_to=0)


def found(kg, text):
    return [(hit.iri.removeprefix(R), hit.matched_label, hit.score) for hit in kg.search([text])[text]]


@pytest.mark.parametrize(
    ("text", "hits"),
    [
        ("paris", [("Paris", "Paris", 1.0), ("ParisTexas", "Paris (Texas)", 0.96)]),
        ("Cologne", [("Koeln", "Cologne", 1.0)]),
        ("Köln", [("Koeln", "Köln", 1.0)]),
        ("colonia", [("Koeln", "Colonia", 1.0)]),
        ("PAR-0002", [("ParisTexas", "PAR-0002", 1.0)]),
        ('The "Big" Apple\\Pie', [("Quote", 'The "Big" Apple\\Pie', 1.0)]),
        ("' } UNION { ?s ?p ?o", []),
        ("", []),
    ],
)
def test_near_and_far_find_the_same_first(near, far, text, hits):
    assert found(near, text)[: len(hits)] == hits
    assert found(far, text)[:1] == hits[:1]
    assert bool(found(near, text)) == bool(hits)


@pytest.mark.parametrize("text", ["Germani", "countries of France", "Parises", "Kölne", "Álvarezz"])
def test_misspelled_words_are_found(near, far, text):
    assert found(near, text)[0] == found(far, text)[0]


def test_hits_carry_main_label_and_types(near, far):
    for kg in (near, far):
        (hit,) = kg.search(["Colonia"], limit=1)["Colonia"]
        assert (hit.label, hit.matched_label, hit.types) == ("Cologne", "Colonia", (V + "City",))


def test_accents_need_not_be_typed(near):
    assert found(near, "anna alvarez") == [("Anna", "Anna Álvarez", 1.0)]


def test_vertices_without_label_are_found_by_name(near):
    assert found(near, "lonely island") == [("Lonely_Island", "Lonely Island", 1.0)]


def test_classes_predicates_and_ontologies_are_no_vertices(near, far):
    for kg in (near, far):
        for text in ("city", "country", "places"):
            assert all(score < 1 for _, _, score in found(kg, text)), text


@pytest.mark.parametrize("text", ["x " * 5000, "\x00\ud800", "Cologne" * 2000, "\n", '"*" NEAR(', "AND OR NOT"])
def test_hostile_texts_find_nothing_and_break_nothing(near, far, text):
    for kg in (near, far):
        assert found(kg, text) == []
        assert kg.search_literals([text]) == {text: ()}


def test_of_equal_fits_the_same_case_and_the_better_known_come_first(turtle):
    kg = KnowledgeGraph(
        turtle(
            ':a a v:Model ; rdfs:label "honda" . :b a v:Maker ; rdfs:label "Honda" .'
            ' :c a v:Maker ; rdfs:label "Honda" .'
            " :x v:by :c . :y v:by :c ."
        )
    )
    assert [iri for iri, _, _ in found(kg, "Honda")] == ["c", "b", "a"]
    assert [iri for iri, _, _ in found(kg, "honda")] == ["a", "c", "b"]


HERD = (
    ':a a v:Beast ; rdfs:label "Dwarf Goose" . :b a v:Beast ; rdfs:label "Dwarf Goose of the Fens" .'
    ' :c a v:Beast ; rdfs:label "Fox" . :d a v:Beast ; rdfs:label "Goose Foot Dwarf" .'
    ' :e a v:Beast ; rdfs:label "Analysis" .'
)


@pytest.mark.parametrize(
    ("text", "iris"),
    [
        ("dwarf goose", ["a"]),
        ("dwarf geese", ["a"]),
        ("foxes", ["c"]),
        ("analyses", ["e"]),
        ("dwarf", []),
        ("goose", []),
        ("dwarf goose of", []),
        ("fo", []),
        ("", []),
        ("%", []),
    ],
)
def test_texts_that_are_whole_find_whole_labels_in_other_forms_too(turtle, text, iris):
    kg = KnowledgeGraph(turtle(HERD))
    hits = kg.search([text], whole_only={text}, min_score=0.5)[text]
    assert [hit.iri.removeprefix(R) for hit in hits] == iris
    near = kg.search([text])[text]
    assert {hit.iri for hit in hits} <= {hit.iri for hit in near} | {R + "a", R + "e"}


def test_what_fits_less_than_asked_for_is_not_read(near, places, counting):
    endpoint = counting(places)
    assert near.with_endpoint(endpoint).search(["Paris in the spring"], min_score=0.9) == {"Paris in the spring": ()}
    assert endpoint.count == 0


def test_whole_values_are_those_that_are_the_text(near):
    assert near.search_literals(["always on"], whole_only=True) == near.search_literals(["always on"])
    assert near.search_literals(["always"], whole_only=True) == {"always": ()}
    assert near.search_literals(["always"])["always"]


def test_search_takes_two_requests_at_most(places, counting):
    endpoint = counting(places)
    kg = KnowledgeGraph(places, use_index=False, index_up_to=0)
    assert kg.vocabulary
    kg.with_endpoint(endpoint).search(["Paris", "Colonia", "nothing like this", "unheard"])
    assert endpoint.count == 2
    near = KnowledgeGraph(places)
    assert near.search(["Paris"])
    endpoint.count = 0
    near.with_endpoint(endpoint).search(["Paris", "Colonia"])
    assert endpoint.count == 1


def test_parts_of_labels_are_not_read_for_whole_texts_without_capitals(places, counting):
    kg = KnowledgeGraph(places, use_index=False, index_up_to=0)
    assert kg.vocabulary
    for text, requests in (("盗梦空间", 1), ("nothing like this", 2)):
        endpoint = counting(places)
        assert kg.with_endpoint(endpoint).search([text], whole_only={text}) == {text: ()}
        assert endpoint.count == requests


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("2100000", [(Literal(2100000), V + "population")]),
        ("2,100,000", [(Literal(2100000), V + "population")]),
        ("1844", [(Literal("1844", datatype=XSD.gYear), V + "founded")]),
        ("1880", [(Literal("1880-10-15", datatype=XSD.date), V + "opened")]),
        ("1880-10-15", [(Literal("1880-10-15", datatype=XSD.date), V + "opened")]),
        ("always on", [(Literal("Always on"), V + "motto")]),
        ("Cologne", []),
        ("", []),
    ],
)
def test_values_are_found_near_and_far(near, far, text, values):
    for kg in (near, far):
        assert [(h.value, h.predicates) for h in kg.search_literals([text])[text]] == [(v, (p,)) for v, p in values]


def test_the_index_is_kept_between_runs(places, tmp_path, counting):
    first = KnowledgeGraph(places, cache_dir=tmp_path / "cache")
    assert found(first, "Cologne") == [("Koeln", "Cologne", 1.0)]
    (kept,) = (tmp_path / "cache").iterdir()
    assert kept.name == f"labels-4-{first.fingerprint()}-{first.profile.digest}.sqlite"
    endpoint = counting(places)
    second = KnowledgeGraph(endpoint, first.profile, cache_dir=tmp_path / "cache")
    assert second.fingerprint() == first.fingerprint() and not second.row_keys
    endpoint.count = 0
    assert found(second, "Cologne") == [("Koeln", "Cologne", 1.0)]
    assert endpoint.count == 1  # label and types of what was found


def test_a_damaged_index_is_made_anew_and_an_unwritable_one_stays_in_memory(places, tmp_path):
    first = KnowledgeGraph(places, cache_dir=tmp_path)
    file = tmp_path / f"labels-4-{first.fingerprint()}-{first.profile.digest}.sqlite"
    file.write_bytes(b"no database at all, but some bytes " * 100)
    assert found(first, "Cologne") == [("Koeln", "Cologne", 1.0)]
    assert file.read_bytes()[:6] == b"SQLite"
    assert found(KnowledgeGraph(places, cache_dir=file / "below"), "Cologne") == [("Koeln", "Cologne", 1.0)]


def test_an_index_with_damaged_pages_is_removed_and_named(places, tmp_path):
    kg = KnowledgeGraph(places, cache_dir=tmp_path)
    assert found(kg, "Cologne")
    file = tmp_path / f"labels-4-{kg.fingerprint()}-{kg.profile.digest}.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        [(page,)] = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'entry'")
        [(size,)] = connection.execute("PRAGMA page_size")
    data = bytearray(file.read_bytes())
    data[(page - 1) * size : page * size] = b"\x5a" * size
    file.write_bytes(data)
    with pytest.raises(StorageFailed, match="is damaged .* and was removed; the next start makes it anew"):
        found(KnowledgeGraph(places, cache_dir=tmp_path), "Cologne")
    assert found(KnowledgeGraph(places, cache_dir=tmp_path), "Cologne") == [("Koeln", "Cologne", 1.0)]


def test_literals_are_asked_for_in_small_blocks(far):
    """Virtuoso reads a whole KG of ten million triples for a block of 20 numbers."""
    queries, select = [], far.endpoint.select

    class Recording:
        name = "recording"

        def select(self, query):
            queries.append(query)
            return select(query)

    far.with_endpoint(Recording()).search_literals(["2010", "35", "twelve"])
    blocks = re.findall(r"VALUES \?o \{ (.*?) \}", queries[-1])
    assert len(blocks) > 3 and max(block.count(' "') + 1 for block in blocks) <= 8


def test_names_and_values_are_one_request(places, counting):
    endpoint = counting(places)
    kg = KnowledgeGraph(places, use_index=False, index_up_to=0).with_endpoint(endpoint)
    hits, values = kg.find_exact(["Cologne", "always on"]), kg.search_literals(["Cologne", "always on"])
    assert [hit.iri for hit in hits["Cologne"]] == [f"{R}Koeln"] and hits["always on"] == ()
    assert [str(hit.value) for hit in values["always on"]] == ["Always on"]
    assert endpoint.count == 1
    assert kg.search(["Cologne"])["Cologne"][:1] == hits["Cologne"]
    assert endpoint.count == 1


def test_a_predicate_with_a_label_is_no_vertex(turtle):
    data = turtle(
        ':a v:ship :b . :b v:ship :c . v:ship rdfs:label "ship" . :b rdfs:label "Ship" . :c rdfs:label "sea" .'
    )
    for kg in (KnowledgeGraph(data), KnowledgeGraph(data, use_index=False, index_up_to=0)):
        assert found(kg, "ship")[0][:2] == ("b", "Ship") and len(found(kg, "ship")) == 1
