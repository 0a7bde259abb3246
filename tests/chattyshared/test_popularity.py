from chattyshared.kg.factory import open_kg
from chattyshared.popularity import assign_bands, entity_bands, predicate_bands, rarest_band

INNS = """
@prefix : <https://inns.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:swan a :Inn ; rdfs:label "Swan" ; :room 1, 2, 3, 4, 5, 6 ; :owner :ada .
:star a :Inn ; rdfs:label "Star" ; :room 1 .
:bell a :Inn ; rdfs:label "Bell" ; :room 2 ; :motto "Ring" .
:ada a :Host ; rdfs:label "Ada" .
"""
BASE = "https://inns.example/"


def test_each_band_holds_a_third_of_the_counts() -> None:
    assert assign_bands({"a": 6, "b": 3, "c": 2, "d": 1}) == {"a": "head", "b": "torso", "c": "tail", "d": "tail"}
    assert assign_bands({}) == {}


def test_entities_have_bands_in_their_class_and_predicates_in_the_graph(tmp_path) -> None:
    (tmp_path / "inns.ttl").write_text(INNS, encoding="utf-8")
    kg = open_kg([str(tmp_path / "inns.ttl")])
    names = {"swan": "Inn", "star": "Inn", "ada": "Host"}
    bands = entity_bands(kg, {BASE + name: BASE + type_name for name, type_name in names.items()})
    assert bands == {BASE + "swan": "head", BASE + "star": "tail", BASE + "ada": "head"}
    by_predicate = predicate_bands(kg)
    assert by_predicate == {BASE + "room": "head", BASE + "motto": "tail", BASE + "owner": "tail"}
    assert rarest_band(by_predicate, [BASE + "room", BASE + "motto", BASE + "unknown"]) == "tail"
    assert rarest_band(by_predicate, []) == ""
