"""The language of a question in its conversation, and the names of languages."""

from __future__ import annotations

from chattyshared.dialogue import Answer, Exchange
from chattyshared.language.scripts import known_languages

from chattykg.conversation.language_id import detect_conversation_language, language_name


def test_a_follow_up_that_shows_none_is_in_the_language_of_the_last_that_did() -> None:
    history = (Exchange("Wer baute die Schleuse?", Answer()), Exchange("Und in Wien?", Answer()))
    assert detect_conversation_language("Und in Linz?", history) == "de"
    assert detect_conversation_language("Who built it?", history) == "en"
    assert detect_conversation_language("Und in Linz?") == ""


def test_languages_have_names_and_the_table_holds_no_tag_twice() -> None:
    assert (language_name("de"), language_name("pt-BR"), language_name("qq")) == ("German", "Portuguese", "qq")
    tags = [language.tag for language in known_languages()]
    assert len(tags) == len(set(tags))
