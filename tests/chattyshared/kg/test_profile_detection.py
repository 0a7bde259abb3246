import pytest
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.profile_detection import detect_profile
from rdflib import URIRef

RDFS_LABEL = "http://www.w3.org/2000/01/rdf-schema#label"


def test_labels_languages_and_metadata_are_learned(places):
    profile = detect_profile(places)
    assert profile.labels == (RDFS_LABEL,)
    assert profile.alt_labels == ("http://www.w3.org/2004/02/skos/core#altLabel", "http://ex.org/v#code")
    assert profile.type_labels == ()
    assert profile.languages == ("en", "", "de", "fr")
    assert profile.has_labels
    assert "http://purl.org/dc/terms/creator" in profile.metadata  # stands at the ontology alone
    assert "http://xmlns.com/foaf/0.1/depiction" in profile.metadata
    assert not {"http://ex.org/v#country", "http://ex.org/v#population", "http://ex.org/v#code"} & profile.metadata
    assert profile.metadata_classes == {
        "http://www.w3.org/2002/07/owl#Class",
        "http://www.w3.org/2002/07/owl#ObjectProperty",
        "http://www.w3.org/2002/07/owl#Ontology",
    }


def test_a_class_without_labels_is_named_by_its_own_literal(turtle):
    songs = "".join(
        f':s{n} a v:Song ; v:mood "sad" ; v:singer_name "X" ; v:song_title "Song number {n}" ;'
        f' v:lyrics "{"la " * 80}{n}" .\n'
        for n in range(5)
    )
    profile = detect_profile(turtle(songs + ':x a v:Place ; rdfs:label "Somewhere" .'))
    assert profile.labels == (RDFS_LABEL,)
    assert profile.type_labels == (("http://ex.org/v#Song", "http://ex.org/v#song_title"),)
    assert "http://ex.org/v#lyrics" in profile.metadata
    assert "http://ex.org/v#mood" not in profile.metadata


def test_a_kg_without_classes_may_be_named_too(turtle):
    profile = detect_profile(turtle(':a v:name "Ada" ; v:knows :b . :b v:name "Bob" .'))
    assert profile.labels == ("http://ex.org/v#name",)


def test_short_codes_and_foreign_names_are_no_alternative_labels(turtle):
    lands = [("a", "IT", "Rome"), ("b", "US", "Washington"), ("c", "NO", "Oslo")]
    text = "".join(
        f':{n} a v:Land ; rdfs:label "Land {n}" ; v:isoCode "{code}" ; v:capital_name "{city}" ;'
        f' v:official_name "O {n}" .\n'
        for n, code, city in lands
    )
    assert detect_profile(turtle(text)).alt_labels == ("http://ex.org/v#official_name",)


def test_links_and_ciphers_are_metadata(turtle):
    text = "".join(
        f':{n} a v:Page ; rdfs:label "Page {n}" ; v:web "https://ex.org/{n}" ; v:key "00ff00ff00ff00ff{n}" ;'
        f" v:pic <http://i.org/{n}.png> .\n"
        for n in range(4)
    )
    hidden = {iri for iri in detect_profile(turtle(text)).metadata if iri.startswith("http://ex.org/v#")}
    assert hidden == {"http://ex.org/v#web", "http://ex.org/v#key", "http://ex.org/v#pic"}


def test_the_first_language_is_the_most_frequent_where_there_is_no_english(turtle):
    kg = KnowledgeGraph(
        turtle(':a a v:T ; rdfs:label "Bär"@de , "ours"@fr . :b a v:T ; rdfs:label "Katze"@de . :c a v:T .')
    )
    assert kg.profile.languages == ("de", "", "fr")
    assert [kg.label(URIRef(f"http://ex.org/r/{name}")) for name in "abc"] == ["Bär", "Katze", "c"]


OWNERS = ("Ada Moss", "Bo Falk", "Cy Dahl", "Eva Lund")


@pytest.mark.parametrize(
    ("columns", "name"),
    [
        ('v:postcode "AB{n} {n}CD"', ""),
        ('v:contact_email "shop{n}@x.example"', ""),
        ('v:manager_name "{owner}"', ""),  # that of somebody else
        ('v:seal "a0b1c2d3e4f5a6b{n}"', ""),  # a cipher
        ('v:slogan "{owner}"', "slogan"),
        ('v:manager_name "{owner}" ; v:trading_name "M{n} Ltd"', "trading_name"),
        ('v:zim_name "{owner}" ; v:zim_dob 2{n} ; v:zim_sex "F" ; v:zim_box {n}', "zim_name"),
        ('v:zim_name "{owner}" ; v:dob 2{n} ; v:sex "F" ; v:box {n}', ""),  # no mark of the table
    ],
)
def test_no_postcode_or_address_and_no_name_of_another_names_the_rows(turtle, columns: str, name: str):
    rows = (
        f":s{n} a v:Shop ; v:size {n} ; {columns.replace('{n}', str(n)).replace('{owner}', owner)} .\n"
        for n, owner in enumerate(OWNERS)
    )
    found = dict(detect_profile(turtle("".join(rows))).type_labels).get("http://ex.org/v#Shop", "")
    assert found.rpartition("#")[2] == name


def test_initials_and_a_surname_make_a_name(turtle):
    rows = (
        f':t{n} a v:Tenancy ; v:initials "{owner[0]}." ; v:surname "{owner.split()[1]}" ; v:rent {n} .'
        for n, owner in enumerate(OWNERS)
    )
    kg = KnowledgeGraph(turtle("".join(rows)))
    assert kg.label(URIRef("http://ex.org/r/t0")) == "A. Moss"


def test_the_class_of_all_items_of_a_wikibase_is_no_class(turtle):
    rows = (
        f':t{n} a v:Tenant, <http://wikiba.se/ontology#Item> ; rdfs:label "{owner}" ; v:rent {n} .'
        for n, owner in enumerate(OWNERS)
    )
    kg = KnowledgeGraph(turtle("".join(rows)))
    tenant = URIRef("http://ex.org/r/t0")
    assert [node.label for node in kg.types()] == ["tenant"]
    assert "http://ex.org/v#rent" not in kg.profile.metadata
    assert kg.types_of([tenant]) == {tenant: ("http://ex.org/v#Tenant",)}
