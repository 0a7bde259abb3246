"""Names of tables and columns: what people call them, and names of people in two columns."""

from __future__ import annotations

import pytest
from chattyshared.endpoint.dialect import Dialect
from chattyshared.kg import KnowledgeGraph, table_names
from chattyshared.kg.cache import CachedReader, KGCache
from chattyshared.kg.profile_detection import detect_profile
from chattyshared.kg.table_names import add_names, name_terms
from chattyshared.kg.text_search import search_exact, search_parts
from chattyshared.kg.vocabulary import ClassEntry, PredicateEntry, Vocabulary
from chattyshared.profile import Profile
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
    assert table_names.find_name_pair(V + name for name in predicates) == (pair and tuple(V + name for name in pair))


def test_the_vocabulary_speaks_of_columns_as_people_do(turtle):
    predicates = KnowledgeGraph(turtle(CLUB)).vocabulary.predicates
    assert predicates[V + "rider_trainer_id"].label == "trainer"
    assert "rider trainer" in predicates[V + "rider_trainer_id"].alt_labels
    assert predicates[V + "rider_mail"].label == "mail"
    assert predicates[V + "rider_id"].label == "rider id"


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
    assert table_names.find_column_mark(V + name for name in names.split()) == mark


EXPORT = """
v:BOAT a rdfs:Class ; rdfs:label "BOAT" . v:CRWMBR a rdfs:Class ; rdfs:label "CRWMBR" ; rdfs:comment "crew members" .
:b\\/1 a v:BOAT ; v:BOAT.lgth_m 12 . :b\\/2 a v:BOAT ; v:BOAT.lgth_m 14 .
:c\\/1 a v:CRWMBR ; v:CRWMBR.boat_id :b\\/1 .
"""


def test_classes_in_capitals_are_tables(turtle):
    endpoint = turtle(EXPORT)
    classes = KnowledgeGraph(endpoint, detect_profile(endpoint)).vocabulary.classes
    assert classes[V + "BOAT"].label == "boat"
    assert (classes[V + "CRWMBR"].label, classes[V + "CRWMBR"].alt_labels) == ("crew member", ("CRWMBR",))


def test_a_column_with_the_abbreviated_name_of_its_table_names_the_rows(turtle):
    rows = (
        f':h\\/{n} a v:BLDG ; v:BLDG.bldg_nm "{name}" ; v:BLDG.str_nm "{street} Lane" .\n'
        for n, (name, street) in enumerate([("Mill House", "Mill"), ("Old Court", "Elm"), ("North Park", "Oak")])
    )
    assert detect_profile(turtle("".join(rows))).type_labels == ((V + "BLDG", V + "BLDG.bldg_nm"),)


DECIMAL = "http://www.w3.org/2001/XMLSchema#decimal"
BOOLEAN = "http://www.w3.org/2001/XMLSchema#boolean"


def name_of(entry: PredicateEntry, *others: PredicateEntry, languages: tuple[str, ...] = ("",)) -> str:
    vocabulary = Vocabulary({}, {each.iri: each for each in (entry, *others)})
    return name_terms(vocabulary, languages)[entry.iri]


@pytest.mark.parametrize(
    ("entry", "name"),
    [
        (PredicateEntry("u:a", "director"), "director"),
        (PredicateEntry("u:a", "PUB YR", ("publication year",)), "publication year"),
        (PredicateEntry("u:a", "YOB", comment="Year of birth"), "year of birth"),
        (PredicateEntry("u:a", "PGS", comment="Number of pages"), "pages"),
        (PredicateEntry("u:a", "BK", ("BK ID", "book id", "book")), "book"),
        (PredicateEntry("u:a", "accelerate", object_kind="literal", datatypes=(DECIMAL,)), "acceleration"),
        (PredicateEntry("u:a", "edispl"), ""),
        (PredicateEntry("u:a", "paper flag", ("paper",)), ""),
    ],
)
def test_a_predicate_has_the_name_that_people_say(entry: PredicateEntry, name: str) -> None:
    assert name_of(entry) == name


def test_another_predicate_tells_what_an_abbreviation_means() -> None:
    elevation = PredicateEntry("u:b", "elevation zone", comment="The elevation of a zone.")
    assert name_of(PredicateEntry("u:a", "elev"), elevation) == "elevation"


def test_a_name_that_another_predicate_of_the_class_has_is_not_said() -> None:
    taken = PredicateEntry("u:b", "publication year", domains=("u:Book",))
    assert name_of(PredicateEntry("u:a", "PUB YR", ("publication year",), domains=("u:Book",)), taken) == ""


def test_labels_in_another_language_stay() -> None:
    assert name_of(PredicateEntry("u:a", "Ort"), languages=("de", "")) == "Ort"
    german = [PredicateEntry(f"u:{word}", word) for word in ("Bestelldatum", "Kunde", "Rechnung", "Strasse", "Umsatz")]
    assert name_of(PredicateEntry("u:a", "Ort"), *german) == "Ort"


PET, OWNER = ClassEntry("u:PET", "pet"), ClassEntry("u:OWNER", "owner")
TABLES = {entry.iri: entry for entry in (PET, OWNER, ClassEntry("u:ITEM", "item"), ClassEntry("u:STAFF", "staff"))}


def column(table: str, name: str, **facts: object) -> PredicateEntry:
    values: dict[str, object] = {"object_kind": "literal", "domains": (f"u:{table}",)}
    return PredicateEntry(f"u:v/{name}", name.replace("_", " "), **values | facts)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("tbl_mach", "machine"), ("equip", "equipment"),
        ("Concept", ""), ("staff", "staff member"), ("plays", "play"), ("tv channel", "TV channel"),
        ("TANKER", "tanker"),
        ("stop of a line", "stop"), ("actor_lists", "actor"), ("model_list", "model"),
    ],
)  # fmt: skip
def test_the_members_of_a_class_have_a_noun_or_none(label: str, name: str) -> None:
    iri = f"u:{label.replace(' ', '')}"
    assert name_terms(Vocabulary({iri: ClassEntry(iri, label)}), ("en",))[iri] == name


def test_the_mark_before_the_columns_of_a_table_is_not_said() -> None:
    columns = [column("PET", f"zim_{name}") for name in ("dob", "weight", "coat", "box")]
    for some, expected in (
        (columns, ["date of birth", "weight", "coat", "box"]),
        (columns[:3], ["", "", ""]),
    ):
        names = name_terms(Vocabulary(TABLES, {each.iri: each for each in some}), ("en",))
        assert [names[each.iri] for each in some] == expected


def test_a_key_beside_the_reference_of_the_same_name_is_not_said() -> None:
    key = PredicateEntry("u:d/PET#own", "own", object_kind="literal", domains=("u:d/PET",))
    reference = PredicateEntry("u:d/PET#ref-own", "own", domains=("u:d/PET",), ranges=("u:OWNER",))
    classes = {"u:d/PET": ClassEntry("u:d/PET", "pet"), "u:OWNER": OWNER}
    names = name_terms(Vocabulary(classes, {key.iri: key, reference.iri: reference}), ("en",))
    assert (names[key.iri], names[reference.iri]) == ("", "owner")


@pytest.mark.parametrize(
    ("entry", "name"),
    [
        (column("OWNER", "tel_mob"), "mobile telephone number"),
        (column("ITEM", "exp_ret_dt", comment="expected return date"), "expected return date"),
        (column("ITEM", "due_bk_dt"), ""),
        (column("OWNER", "owner_pcode"), ""),
        (column("ITEM", "pmt_days", datatypes=(DECIMAL,)), ""),
        (column("ITEM", "passenger"), "passenger"),
        (column("ITEM", "genuine"), ""),
        (column("ITEM", "usage_code", object_kind="iri"), "usage"),
        (column("OWNER", "phone_home"), "home phone number"),
        (column("ITEM", "addr_town"), "town"),
        (column("ITEM", "cap_pax"), "passenger capacity"),
        (column("PET", "hgr_id", object_kind="iri", ranges=("u:HANGAR",)), "hangar"),
    ],
)  # fmt: skip
def test_a_column_keeps_all_of_its_words_in_spoken_order(entry: PredicateEntry, name: str) -> None:
    vocabulary = Vocabulary(TABLES | {"u:HANGAR": ClassEntry("u:HANGAR", "hangar")}, {entry.iri: entry})
    assert name_terms(vocabulary, ("",))[entry.iri] == name


@pytest.mark.parametrize(
    ("comment", "name"),
    [
        ("", "home department"),
        ("home depot of the pet", "home depot"),
        ("department of the pet", "home department"),
    ],
)
def test_a_comment_wins_over_a_label_that_contradicts_it(comment: str, name: str) -> None:
    entry = PredicateEntry("u:v/home_dep", "home department", comment=comment, domains=("u:PET",))
    assert name_terms(Vocabulary(TABLES, {entry.iri: entry}), ("en",))[entry.iri] == name


def test_a_name_in_the_profile_wins() -> None:
    weight, other = column("PET", "pet_weight"), column("PET", "pet_wgt_kg")
    vocabulary = Vocabulary(TABLES, {weight.iri: weight, other.iri: other})
    profile = Profile(names=((other.iri, "weight"), ("u:PET", "companion"), ("u:gone", "nothing")))
    named = add_names(vocabulary, profile)
    assert (named.spoken_names["u:PET"], named.classes["u:PET"].label) == ("companion", "companion")
    assert (named.spoken_names[other.iri], named.predicates[other.iri].label) == ("weight", "weight")
    assert named.spoken_names[weight.iri] == ""  # the name is taken
    assert "u:gone" not in named.spoken_names
    german = add_names(vocabulary, Profile(names=((other.iri, "Gewicht"),), languages=("de",)))
    assert german.predicates[other.iri].label == german.spoken_names[other.iri] == "Gewicht"


@pytest.mark.parametrize(
    ("label", "comment", "name"),
    [
        ("REPREQ", "repair requests (since 2020)", "repair request"),
        ("TENCY", "tenancies", "tenancy"),
        ("BOAT", "all boats of the club that are afloat", "boat"),
    ],
)
def test_a_table_is_named_by_the_comment_that_its_name_abbreviates(label: str, comment: str, name: str) -> None:
    entry = ClassEntry(f"u:{label}", label, comment=comment)
    assert name_terms(Vocabulary({entry.iri: entry}), ("en",))[entry.iri] == name


SHOP = "".join(
    f":order\\/{n} a v:Order ; v:order_no {n} ; v:total {n}.5 ; v:buyer :b{n % 3} . "
    f':b{n % 3} a v:Buyer ; v:name "{name}" .'
    for n, name in zip(range(1041, 1047), ("Ada Holm", "Ben Aas", "Cleo Berg") * 2, strict=True)
)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (SHOP, "order 1042"),
        (SHOP.replace("order_no 1043", "order_no 1042"), "1042"),  # two rows share it
        (SHOP.replace("v:order_no 1043 ;", ""), "1042"),  # one row has none
        (SHOP.replace("v:order_no", "v:pages"), "1042"),  # no number of the row
        (SHOP.replace("v:total 1", "v:invoice_no 9").replace(".5 ;", " ;"), "1042"),  # two such numbers
        (SHOP + ':x a v:order ; v:name "Ex" .', "1042"),  # another class with the noun
        (SHOP.replace("v:order_no", 'rdfs:label "one" ; v:order_no', 1).replace("v:total", "rdfs:label"), "1042.5"),
    ],
)
def test_a_row_without_a_name_is_called_by_its_class_and_its_key(turtle, text, name):
    kg = KnowledgeGraph(turtle(text))
    row = URIRef("http://ex.org/r/order/1042")
    assert kg.label(row) == name
    found = kg.find_exact(["Order 1042"])["Order 1042"]
    assert [hit.iri for hit in found] == ([str(row)] if name == "order 1042" else [])
    assert {
        edge.label
        for edge in kg.neighbourhoods([URIRef("http://ex.org/r/b1")])[URIRef("http://ex.org/r/b1")]
        if edge.direction == "in"
    } >= {name}
