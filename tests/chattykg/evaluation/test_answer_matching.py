import pytest
from chattyshared.dialogue import Value
from chattyshared.terms import is_iri

from chattykg.evaluation.answer_matching import (
    date_key,
    distinct_elements,
    element_from_answer,
    element_from_gold_texts,
    element_from_value,
    number_key,
)

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
    gold = element_from_value(Value(ADA, "iri", label="Ada"))
    assert gold.matches(element_from_answer(ADA, "whatever"))
    assert not gold.matches(element_from_answer(ADA.lower()))
    assert not gold.matches(element_from_answer("Ada"))
    assert not gold.matches(element_from_answer("https://chatty.example/Other", "Ada"))


def test_gold_literal_counts_by_folded_text_and_no_language():
    gold = element_from_value(Value("Die  Stra\u00dfe", "literal", lang="de"))
    assert gold.matches(element_from_answer("die STRASSE"))
    assert not gold.matches(element_from_answer("die Strassen"))


def test_gold_text_that_looks_like_a_number_is_text():
    assert not element_from_value(Value("007", "literal")).matches(element_from_answer("7"))
    assert element_from_value(Value("007", "literal")).matches(element_from_answer("007"))
    assert element_from_value(Value("007", "number", INTEGER)).matches(element_from_answer("7.0"))


def test_gold_date_and_boolean():
    assert element_from_value(Value("1999-03-31", "literal", DATE)).matches(element_from_answer("1999-03-31T00:00:00"))
    assert element_from_value(Value("true", "boolean")).matches(element_from_answer("True"))
    assert element_from_value(Value("true", "boolean")).matches(element_from_answer("yes"))
    assert not element_from_value(Value("true", "boolean")).matches(element_from_answer("false"))
    assert not element_from_value(Value("true", "boolean")).matches(element_from_answer("1"))


def test_gold_of_a_question_file_counts_by_iri_or_label():
    gold = element_from_gold_texts("Ada", ADA)
    assert gold.matches(element_from_answer(ADA))
    assert gold.matches(element_from_answer("ADA"))
    assert gold.matches(element_from_answer("https://elsewhere.example/ada", "ada"))
    assert not gold.matches(element_from_answer("Adam"))
    labelled = element_from_gold_texts(ADA, "Ada Lovelace")
    assert labelled.iri == ADA
    assert labelled.matches(element_from_answer("ada lovelace")) and labelled.matches(element_from_answer(ADA))


def test_gold_of_a_question_file_counts_by_value():
    assert element_from_gold_texts("52.0").matches(element_from_answer("52"))
    assert element_from_gold_texts("no").matches(element_from_answer("false"))
    assert element_from_gold_texts("2010-07-16").matches(element_from_answer("2010-07-16T00:00:00Z"))
    assert not element_from_gold_texts("52").matches(element_from_answer("53"))


def test_a_set_has_each_element_once_in_order_of_appearance():
    elements = [element_from_answer(text) for text in ("Rome", "2", "rome", "2.0", ADA, ADA, "true", "TRUE")]
    assert distinct_elements(elements) == (elements[0], elements[1], elements[4], elements[6])
    assert len(distinct_elements([element_from_answer(ADA, "Ada"), element_from_answer(ADA + "2", "Ada")])) == 2


def test_a_name_counts_for_a_vertex_only_where_the_system_knows_no_iris():
    gold = element_from_value(Value(ADA, "iri", label="Ada  Lovelace"))
    assert gold.matches(element_from_answer("ada lovelace", answers_in_names=True)) and not gold.matches(
        element_from_answer("ada lovelace")
    )
    assert not gold.matches(element_from_answer("https://chatty.example/Other", "Ada Lovelace", answers_in_names=True))
    assert not element_from_value(Value(ADA, "iri")).matches(element_from_answer("", answers_in_names=True))
    assert (
        len(
            distinct_elements(
                [element_from_answer("Ada", answers_in_names=True), element_from_answer("ada", answers_in_names=True)]
            )
        )
        == 1
    )
