import pytest
from chattyshared.dialogue import Value

from chattykg.evaluation.answer_matching import date_key, distinct, gold_text, gold_value, is_iri, number_key, said

INTEGER = "http://www.w3.org/2001/XMLSchema#integer"
DATE = "http://www.w3.org/2001/XMLSchema#date"
ADA = "https://chatty.example/Ada"


@pytest.mark.parametrize("text", ["1", "1.0", "+1", "1e0", "01", " 1 ", "1.", "10e-1"])
def test_numbers_are_told_by_value(text):
    assert number_key(text) == ("number", "1")


def test_numbers_keep_what_makes_them_differ():
    assert number_key("9780261103573") != number_key("9780261103574")
    assert number_key("-0") == number_key("0")
    assert number_key("100") == number_key("1E+2")
    assert number_key("37.04347826086956521739") == number_key("37.0434782608696")
    assert number_key("0.1") != number_key("0.2")
    assert [number_key(text) for text in ("", "1,000", "0x1", "nan", "inf", "1_0", "²", "1e9999")] == [None] * 8


def test_dates_are_told_by_value():
    assert date_key("2010-07-16") == date_key("2010-07-16Z") == date_key("2010-07-16T00:00:00")
    assert date_key("2010-07-16T01:00:00+01:00") == date_key("2010-07-16T00:00:00Z")
    assert date_key("2010-07-16T10:00:00") != date_key("2010-07-16")
    assert date_key("-0044-03-15") == date_key("-0044-03-15T00:00:00Z") != date_key("0044-03-15")
    assert date_key("2010-07-16T10:00:00.50") == date_key("2010-07-16T10:00:00.5") != date_key("2010-07-16T10:00:00.51")
    assert [date_key(text) for text in ("2010", "2010-07", "2010-02-30", "16.7.2010", "1999-13-45")] == [None] * 5


def test_an_iri_is_told_from_text():
    assert is_iri(ADA) and is_iri("urn:x:y")
    assert not any(is_iri(text) for text in ("Ada", "Batman: Year One", "Re:Zero", "https://two words.example/", ""))


def test_gold_iri_counts_exactly_and_never_by_label():
    gold = gold_value(Value(ADA, "iri", label="Ada"))
    assert gold.meets(said(ADA, "whatever"))
    assert not gold.meets(said(ADA.lower()))
    assert not gold.meets(said("Ada"))
    assert not gold.meets(said("https://chatty.example/Other", "Ada"))


def test_gold_literal_counts_by_folded_text_and_no_language():
    gold = gold_value(Value("Die  Stra\u00dfe", "literal", lang="de"))
    assert gold.meets(said("die STRASSE"))
    assert not gold.meets(said("die Strassen"))


def test_gold_text_that_looks_like_a_number_is_text():
    assert not gold_value(Value("007", "literal")).meets(said("7"))
    assert gold_value(Value("007", "literal")).meets(said("007"))
    assert gold_value(Value("007", "number", INTEGER)).meets(said("7.0"))


def test_gold_date_and_boolean():
    assert gold_value(Value("1999-03-31", "literal", DATE)).meets(said("1999-03-31T00:00:00"))
    assert gold_value(Value("true", "boolean")).meets(said("True"))
    assert gold_value(Value("true", "boolean")).meets(said("yes"))
    assert not gold_value(Value("true", "boolean")).meets(said("false"))
    assert not gold_value(Value("true", "boolean")).meets(said("1"))


def test_gold_of_a_question_file_counts_by_iri_or_label():
    gold = gold_text("Ada", ADA)
    assert gold.meets(said(ADA))
    assert gold.meets(said("ADA"))
    assert gold.meets(said("https://elsewhere.example/ada", "ada"))
    assert not gold.meets(said("Adam"))
    labelled = gold_text(ADA, "Ada Lovelace")
    assert labelled.iri == ADA
    assert labelled.meets(said("ada lovelace")) and labelled.meets(said(ADA))


def test_gold_of_a_question_file_counts_by_value():
    assert gold_text("52.0").meets(said("52"))
    assert gold_text("no").meets(said("false"))
    assert gold_text("2010-07-16").meets(said("2010-07-16T00:00:00Z"))
    assert not gold_text("52").meets(said("53"))


def test_a_set_has_each_element_once_in_order_of_appearance():
    elements = [said(text) for text in ("Rome", "2", "rome", "2.0", ADA, ADA, "true", "TRUE")]
    assert distinct(elements) == (elements[0], elements[1], elements[4], elements[6])
    assert len(distinct([said(ADA, "Ada"), said(ADA + "2", "Ada")])) == 2


def test_a_name_counts_for_a_vertex_only_where_the_system_knows_no_iris():
    gold = gold_value(Value(ADA, "iri", label="Ada  Lovelace"))
    assert gold.meets(said("ada lovelace", in_names=True)) and not gold.meets(said("ada lovelace"))
    assert not gold.meets(said("https://chatty.example/Other", "Ada Lovelace", in_names=True))
    assert not gold_value(Value(ADA, "iri")).meets(said("", in_names=True))
    assert len(distinct([said("Ada", in_names=True), said("ada", in_names=True)])) == 1
