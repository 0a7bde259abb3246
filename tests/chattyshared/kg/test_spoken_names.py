"""The words that people say for classes and predicates."""

from __future__ import annotations

import pytest
from chattyshared.kg.spoken_names import spell_out_names
from chattyshared.kg.vocabulary import ClassEntry, PredicateEntry, Vocabulary

DECIMAL = "http://www.w3.org/2001/XMLSchema#decimal"


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
