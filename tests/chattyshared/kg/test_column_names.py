"""Graphs exported from databases: names in two columns, and columns that bear their table's name."""

from __future__ import annotations

import pytest
from chattyshared.endpoint.dialect import Dialect
from chattyshared.kg import KnowledgeGraph, column_names
from chattyshared.kg.cache import CachedReader, KGCache
from chattyshared.kg.entity_search import search_parts
from chattyshared.kg.literal_search import search_exact
from chattyshared.kg.profile_detection import detect_profile
from rdflib import URIRef

V = "http://ex.org/v#"
RIDERS = "".join(
    f':rider\\/{n} a v:Rider ; v:rider_id {n} ; v:rider_first_name "{first}" ; v:rider_last_name "{last}" ;'
    f' v:rider_mail "r{n}@club.example" ; v:rider_trainer_id :trainer\\/1 .\n'
    for n, (first, last) in enumerate([("Ada", "Holm"), ("Ben", "Aas"), ("Ada", "Berg"), ("Cleo", "Holm")], start=1)
)
CLUB = RIDERS + ':trainer\\/1 a v:Trainer ; v:trainer_name "Old Ned" ; v:trainer_fee 12 .\n'


def test_a_label_is_made_of_given_and_family_name(turtle):
    endpoint = turtle(CLUB)
    profile = detect_profile(endpoint)
    assert profile.name_pairs == ((V + "rider_first_name", V + "rider_last_name"),)
    assert dict(profile.type_labels)[V + "Trainer"] == V + "trainer_name"
    kg = KnowledgeGraph(endpoint)
    assert kg.label(URIRef("http://ex.org/r/rider/1")) == "Ada Holm"
    best = kg.search(["ada holm"], limit=5)["ada holm"][0]
    assert (best.iri, best.label, best.score) == ("http://ex.org/r/rider/1", "Ada Holm", 1.0)
    assert {hit.label for hit in kg.search(["Holm"], limit=5)["Holm"] if hit.score == 1.0} == {"Ada Holm", "Cleo Holm"}


def test_a_whole_name_is_kept_beside_its_parts(turtle):
    people = "".join(
        f':p{n} a v:Sailor ; v:full_name "Captain Nr {n}" ; v:name "Jo Number {n}" ; v:first_name "Jo" ;'
        f' v:last_name "Number {n}" .\n'
        for n in range(4)
    )
    profile = detect_profile(turtle(people))
    assert profile.name_pairs == ()
    assert profile.type_labels == ((V + "Sailor", V + "name"),)


def test_an_endpoint_is_searched_for_names_in_two_columns(turtle):
    endpoint = turtle(CLUB)
    source = CachedReader(endpoint, detect_profile(endpoint), KGCache())
    found = search_exact(source, ["Cleo Holm", "Ben Ass"], {})
    assert [entry.text for entry in found["Cleo Holm"].labels] == ["Cleo Holm"]
    assert found["Ben Ass"].labels == []
    assert search_parts(source, ["Ben Ass"], Dialect("plain"))["Ben Ass"][0].text == "Ben Aas"


@pytest.mark.parametrize(
    ("predicates", "pair"),
    [
        (("firstName", "lastName"), ("firstName", "lastName")),
        (("staff_fname", "staff_lname"), ("staff_fname", "staff_lname")),
        (("given_name", "surname"), ("given_name", "surname")),
        (("kin_first_name", "kin_last_name", "first_name", "last_name"), ("first_name", "last_name")),
        (("kin_first_name", "last_name"), None),
        (("first_name", "age"), None),
        (("initials", "surname"), ("initials", "surname")),
        (("initials", "age"), None),
    ],
)  # fmt: skip
def test_pairs_of_name_columns(predicates, pair):
    assert column_names.find_name_pair(V + name for name in predicates) == (pair and tuple(V + name for name in pair))


@pytest.mark.parametrize(
    ("name", "table", "refers", "names"),
    [
        ("lesson rider id", "lesson", True, ("lesson rider", "rider")),
        ("prod unit price", "product", False, ("unit price",)),
        ("hire date", "staff", False, ()),
        ("horse name", "horse", False, ()),
        ("rider id", "lesson", True, ("rider",)),
        ("bed number", "hospital", False, ()),
    ],
)  # fmt: skip
def test_columns_without_the_name_of_their_table(name, table, refers, names):
    assert column_names.shorten_column_name(name, [table], is_reference=refers) == names


def test_the_vocabulary_speaks_of_columns_as_people_do(turtle):
    predicates = KnowledgeGraph(turtle(CLUB)).vocabulary.predicates
    assert predicates[V + "rider_trainer_id"].label == "trainer"
    assert "rider trainer" in predicates[V + "rider_trainer_id"].alt_labels
    assert predicates[V + "rider_mail"].label == "mail"
    assert predicates[V + "rider_id"].label == "rider id"


@pytest.mark.parametrize(
    ("name", "tables", "is_reference", "targets", "shorter"),
    [
        ("paid flg", ["rent"], False, [], ("paid",)),
        ("stat cd", ["boat"], True, ["status"], ("stat",)),
        ("hndl emp no", ["request"], True, ["employee"], ("hndl emp", "hndl")),
        ("boat nm", ["boat"], False, [], ()),
    ],
)
def test_kinds_of_values_and_targets_are_dropped(
    name: str, tables: list[str], is_reference: bool, targets: list[str], shorter: tuple[str, ...]
) -> None:
    assert column_names.shorten_column_name(name, tables, is_reference=is_reference, targets=targets) == shorter


@pytest.mark.parametrize(
    ("names", "mark"),
    [
        ("zim_dob zim_sex zim_box_no zim_coat", "zim"),
        ("zim_dob zim_sex zim_box_no zim_coat admitted", "zim"),  # one word has no mark
        ("zim_dob zim_sex zim_coat", ""),
        ("zim_dob zim_sex zim_box_no zim_coat box_no vet_no", ""),
        ("", ""),
    ],
)  # fmt: skip
def test_nearly_all_columns_of_a_table_have_its_mark_before_them(names: str, mark: str) -> None:
    assert column_names.find_column_mark(V + name for name in names.split()) == mark


def test_the_table_before_a_full_stop_is_no_part_of_the_column() -> None:
    assert column_names.column_words(V + "RIDER.ret_dt") == "ret dt"


@pytest.mark.parametrize(
    ("name", "comment", "words"),
    [
        ("repreq", "repair requests (since 2020)", "repair request"),
        ("tency", "tenancies", "tenancy"),
        ("emp dept", "", "employee department"),
        ("boat", "all boats of the club that are afloat", "boat"),
    ],
)
def test_the_name_of_a_table_is_spelt_out(name: str, comment: str, words: str) -> None:
    assert column_names.spell_out_table(name, comment) == words


def test_a_column_is_spelt_out_by_comments_and_names_of_tables() -> None:
    assert column_names.spell_out_column("warr flg", ("repair under warranty",)) == "warranty flag"
    assert column_names.spell_out_column("contr id", ("contractors",)) == "contractor id"
    assert column_names.spell_out_column("contr id", ("harbour",)) == "contr id"


EXPORT = """
v:BOAT a rdfs:Class ; rdfs:label "BOAT" . v:CRWMBR a rdfs:Class ; rdfs:label "CRWMBR" ; rdfs:comment "crew members" .
:b\\/1 a v:BOAT ; v:BOAT.lgth_m 12 . :b\\/2 a v:BOAT ; v:BOAT.lgth_m 14 .
:c\\/1 a v:CRWMBR ; v:CRWMBR.boat_id :b\\/1 .
"""


def test_a_column_of_two_words_in_one_or_with_the_mark_of_a_datatype_is_spelt_out(turtle):
    table = "http://ex.org/r/boat"
    columns = "".join(
        f':b{n} a :boat ; <{table}#custno> "K{n}" ; <{table}#dteBuilt> "{n}" ; <{table}#dteBirth> "{n}" .'
        for n in range(4)
    )
    predicates = KnowledgeGraph(turtle(columns)).vocabulary.predicates
    labels = [predicates[f"{table}#{name}"].label for name in ("custno", "dteBuilt", "dteBirth")]
    assert labels == ["customer number", "built date", "birth date"]


def test_classes_in_capitals_are_tables(turtle):
    endpoint = turtle(EXPORT)
    classes = KnowledgeGraph(endpoint, detect_profile(endpoint)).vocabulary.classes
    assert classes[V + "BOAT"].label == "boat"
    assert (classes[V + "CRWMBR"].label, classes[V + "CRWMBR"].alt_labels) == ("crew member", ("crwmbr",))


def test_a_column_with_the_abbreviated_name_of_its_table_names_the_rows(turtle):
    rows = (
        f':h\\/{n} a v:BLDG ; v:BLDG.bldg_nm "{name}" ; v:BLDG.str_nm "{street} Lane" .\n'
        for n, (name, street) in enumerate([("Mill House", "Mill"), ("Old Court", "Elm"), ("North Park", "Oak")])
    )
    assert detect_profile(turtle("".join(rows))).type_labels == ((V + "BLDG", V + "BLDG.bldg_nm"),)
