"""The words that people say for classes and predicates, and those that nobody says."""

from __future__ import annotations

import pytest
from chattyshared.kg.spoken_names import spell_out_names
from chattyshared.kg.vocabulary import ClassEntry, PredicateEntry, Vocabulary

DECIMAL = "http://www.w3.org/2001/XMLSchema#decimal"
BOOLEAN = "http://www.w3.org/2001/XMLSchema#boolean"


def name_of(entry: PredicateEntry, *others: PredicateEntry, languages: tuple[str, ...] = ("",)) -> str:
    vocabulary = Vocabulary({}, {each.iri: each for each in (entry, *others)})
    return spell_out_names(vocabulary, languages)[entry.iri]


@pytest.mark.parametrize(
    ("entry", "name"),
    [
        (PredicateEntry("u:a", "director"), "director"),
        (PredicateEntry("u:a", "PUB YR", ("publication year",)), "publication year"),
        (PredicateEntry("u:a", "YOB", comment="Year of birth"), "year of birth"),
        (PredicateEntry("u:a", "PGS", comment="Number of pages"), "number of pages"),
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


def test_a_class_that_nobody_names_has_no_name() -> None:
    vocabulary = Vocabulary({"u:C": ClassEntry("u:C", "reqstat"), "u:D": ClassEntry("u:D", "patron")})
    assert spell_out_names(vocabulary, ()) == {"u:C": "", "u:D": "patron"}


PET, OWNER = ClassEntry("u:PET", "pet"), ClassEntry("u:OWNER", "owner")
TABLES = {entry.iri: entry for entry in (PET, OWNER, ClassEntry("u:ITEM", "item"), ClassEntry("u:STAFF", "staff"))}


def column(table: str, name: str, **facts: object) -> PredicateEntry:
    values: dict[str, object] = {"object_kind": "literal", "domains": (f"u:{table}",)}
    return PredicateEntry(f"u:v/{name}", name.replace("_", " "), **values | facts)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("entry", "name"),
    [
        (column("PET", "pet_weight"), "weight"),
        (column("STAFF", "staff_hire_date"), "hire date"),
        (column("ITEM", "item_vat_percent"), "VAT percentage"),
        (column("STAFF", "staff_hr_rate"), "hourly rate"),
        (column("PET", "opened_year"), "opening year"),
        (column("PET", "pet_type"), "pet type"),
        (column("PET", "pet_own", object_kind="iri", ranges=("u:OWNER",)), "owner"),
        (column("PET", "onr_id", object_kind="iri", ranges=("u:OWNER",)), "owner"),
        (column("PET", "care_own", object_kind="iri", comment="caretaker in charge", ranges=("u:OWNER",)), "caretaker"),
        (column("ITEM", "item_no"), ""),
        (column("ITEM", "genre_cd", values=("DR", "CO")), ""),
        (column("PET", "average", datatypes=(DECIMAL,)), ""),
        (column("PET", "if_first_show"), ""),
        (column("PET", "pet_vaccinated", values=("Y", "N")), ""),
    ],
)
def test_a_column_has_a_name_that_people_say_or_none(entry: PredicateEntry, name: str) -> None:
    assert spell_out_names(Vocabulary(TABLES, {entry.iri: entry}), ("en",))[entry.iri] == name


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("tbl_mach", "machine"), ("equip", "equipment"),
        ("Concept", ""), ("staff", "staff member"), ("plays", "play"), ("tv channel", "TV channel"),
        ("TANKER", "tanker"), ("driver account", "driver"), ("savings account", "savings account"),
        ("share holder", "shareholder"),
        ("stop of a line", "stop"), ("actor_lists", "actor"), ("model_list", "model"),
    ],
)  # fmt: skip
def test_the_members_of_a_class_have_a_noun_or_none(label: str, name: str) -> None:
    iri = f"u:{label.replace(' ', '')}"
    assert spell_out_names(Vocabulary({iri: ClassEntry(iri, label)}), ("en",))[iri] == name


def test_the_mark_before_the_columns_of_a_table_is_not_said() -> None:
    columns = [column("PET", f"zim_{name}") for name in ("dob", "weight", "coat", "box")]
    for some, expected in (
        (columns, ["date of birth", "weight", "coat", "box"]),
        (columns[:3], ["", "", ""]),
    ):
        names = spell_out_names(Vocabulary(TABLES, {each.iri: each for each in some}), ("en",))
        assert [names[each.iri] for each in some] == expected


def test_a_table_of_names_of_persons_is_called_after_persons() -> None:
    given, family = column("DENT", "fnm"), column("DENT", "snm")
    other = column("PET", "reg_vet", comment="dentist in charge")
    predicates = {each.iri: each for each in (given, family, other)}
    names = spell_out_names(Vocabulary({"u:DENT": ClassEntry("u:DENT", "dent")}, predicates), ("en",))
    assert names["u:DENT"] == "dentist"


def test_a_key_beside_the_reference_of_the_same_name_is_not_said() -> None:
    key = PredicateEntry("u:d/PET#own", "own", object_kind="literal", domains=("u:d/PET",))
    reference = PredicateEntry("u:d/PET#ref-own", "own", domains=("u:d/PET",), ranges=("u:OWNER",))
    classes = {"u:d/PET": ClassEntry("u:d/PET", "pet"), "u:OWNER": OWNER}
    names = spell_out_names(Vocabulary(classes, {key.iri: key, reference.iri: reference}), ("en",))
    assert (names[key.iri], names[reference.iri]) == ("", "owner")


@pytest.mark.parametrize(
    ("entry", "name"),
    [
        (column("ITEM", "arc_exp_dt", comment="Airworthiness Review Certificate (or permit) expiry"),
         "airworthiness review certificate expiry date"),
        (column("OWNER", "tel_mob"), "mobile telephone number"),
        (column("OWNER", "owner_tel_no_mob"), "mobile telephone number"),
        (column("ITEM", "exp_ret_dt", comment="expected return date"), "expected return date"),
        (column("ITEM", "exp_ret_dt"), ""),
        (column("ITEM", "exp_dt"), "expiry date"),
        (column("ITEM", "due_bk_dt"), ""),
        (column("OWNER", "owner_ttl", values=("Mr", "Mrs")), ""),
        (column("OWNER", "owner_pcode"), ""),
        (column("ITEM", "on_hire_dt"), ""),
        (column("ITEM", "pmt_days", datatypes=(DECIMAL,)), ""),
        (column("ITEM", "pmt_months", datatypes=(DECIMAL,)), ""),
        (column("ITEM", "passenger", datatypes=(DECIMAL,)), ""),
        (column("ITEM", "passenger"), "passenger"),
        (column("ITEM", "live_from_dt"), ""),
        (column("ITEM", "genuine"), ""),
        (column("ITEM", "genuine", datatypes=(BOOLEAN,)), "genuine"),
        (column("ITEM", "berths_max"), "maximum berths"),
        (column("ITEM", "usage_code", object_kind="iri"), "usage"),
        (column("ITEM", "lead_owner", object_kind="iri", ranges=("u:OWNER",)), "lead owner"),
        (column("OWNER", "phone_home"), "home phone number"),
        (column("ITEM", "addr_1"), ""),
        (column("ITEM", "addr_town"), "town"),
        (column("ITEM", "home_hgr", object_kind="iri", ranges=("u:HANGAR",)), "home hangar"),
        (column("ITEM", "line_mgr_no", object_kind="iri", ranges=("u:OWNER",)), "line manager"),
        (column("ITEM", "cap_pax"), "passenger capacity"),
        (column("ITEM", "req_rtg", object_kind="iri"), ""),
        (column("PET", "hgr_id", object_kind="iri", ranges=("u:HANGAR",)), "hangar"),
    ],
)  # fmt: skip
def test_a_column_keeps_all_of_its_words_in_spoken_order(entry: PredicateEntry, name: str) -> None:
    vocabulary = Vocabulary(TABLES | {"u:HANGAR": ClassEntry("u:HANGAR", "hangar")}, {entry.iri: entry})
    assert spell_out_names(vocabulary, ("",))[entry.iri] == name
