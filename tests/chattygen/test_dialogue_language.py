"""The language of a dialogue: question marks, names in running text, numbers, and what prompts say of it."""

from __future__ import annotations

from decimal import Decimal

import pytest
from chattyshared.errors import ConfigError
from chattyshared.language.scripts import contains_name
from rdflib import URIRef

from chattygen.context.facts import Entity
from chattygen.dialogue_language import DialogueLanguage, find_language, numbers_in
from chattygen.wording.checks import check_reference, check_well_formed


@pytest.mark.parametrize(
    ("tag", "text"),
    [
        ("en", "Who owns Juno?"), ("de", "Wem gehört Juno?"), ("fr", "À qui appartient Juno ?"),
        ("fr", "À qui appartient Juno\u202f?"), ("fr", "À qui est Juno\u00a0?"),
        ("es", "¿De quién es Juno?"), ("zh", "谁拥有Juno？"), ("ja", "Junoの持ち主は誰ですか？"),
        ("ar", "من يملك Juno؟"),
        ("el", "Ποιος κατέχει το Juno;"), ("hy", "Ո՞վ է Juno նավի տերը։"), ("th", "ใครเป็นเจ้าของ Juno?"),
        ("pt-br", "Quem é o dono do Juno?"),
    ],
)  # fmt: skip
def test_a_question_carries_the_mark_of_its_language(tag: str, text: str) -> None:
    language = DialogueLanguage(tag)
    assert language.asks(text)
    assert not list(check_well_formed(text, language))
    assert language.contains_name(text, "Juno")


@pytest.mark.parametrize(
    ("tag", "text"),
    [("en", "Who owns Juno;"), ("de", "Wem gehört Juno."), ("zh", "谁拥有Juno。"), ("el", "Ποιος κατέχει το Juno."),
     ("hy", "Ով է տերը։"), ("en", "Who owns it??"), ("zh", "谁？？"), ("de", "")],
)  # fmt: skip
def test_other_ends_are_no_question(tag: str, text: str) -> None:
    assert not DialogueLanguage(tag).asks(text)


def test_names_end_where_words_end_or_where_the_script_changes() -> None:
    assert contains_name("Juno的船长是谁", "Juno") and contains_name("谁拥有朱诺", "谁")
    assert not contains_name("Junon owns it", "Juno") and not contains_name("Bjuno", "Juno")
    german, chinese, korean = DialogueLanguage("de"), DialogueLanguage("zh"), DialogueLanguage("ko")
    assert german.contains_name("Wer war Junos Kapitän?", "Juno") and not german.contains_name("Bjuno?", "Juno")
    assert not german.contains_name("Wie lang ist Junobergen?", "Juno")
    assert chinese.contains_name("张艺谋的电影有哪些？", "张艺谋") and korean.contains_name(
        "인셉션의 감독은?", "인셉션"
    )
    assert not DialogueLanguage().contains_name("Who was Junos captain?", "Juno")


def test_numbers_are_read_with_their_separators_and_in_any_digits() -> None:
    assert {1234, 5} <= numbers_in("1.234,5 Tonnen") and 1234567 in numbers_in("1 234 567")
    assert 1998 in numbers_in("في ١٩٩٨") and 1998 in numbers_in("1. Mai 1998")
    assert 12 not in numbers_in("1234") and Decimal("1.5") in numbers_in("1,5 Millionen")
    assert not numbers_in("二十")
    assert {10**40 + 1, 7} <= numbers_in(f"{10**40 + 1} and 7")


def test_a_prompt_names_the_language_and_its_mark() -> None:
    assert DialogueLanguage().as_prompt_text() == 'English that ends with "?"'
    assert DialogueLanguage("zh").as_prompt_text().startswith('Chinese that ends with "？" (names')
    assert "in digits as German writes them" in DialogueLanguage("de").as_prompt_text()
    assert 'Armenian that contains "՞"' in DialogueLanguage("hy").as_prompt_text()


def test_an_unknown_language_is_refused_by_name() -> None:
    with pytest.raises(ConfigError, match="--lang xx: unknown language; there are ar, "):
        find_language("xx")


def test_a_follow_up_hides_its_entity_in_any_language_and_refers_by_english_words_in_english_alone() -> None:
    juno = Entity(URIRef("https://x.example/juno"), "Juno", "https://x.example/Ship", "Ship", ("Ship",))
    german = DialogueLanguage("de")
    assert not list(check_reference("Wer besitzt es?", "Wer besitzt Juno?", juno, german))
    assert [p.rule for p in check_reference("Wer besitzt Juno?", "Wer besitzt Juno?", juno, german)] == ["hides-entity"]
    assert "reference" in [p.rule for p in check_reference("Wer besitzt es?", "Wer besitzt Juno?", juno)]
