"""The n-grams of a question in another language than English that are looked up."""

from __future__ import annotations

import pytest
from chattyshared.language.tokenizer import tokenize

from chattykg.linking.question_spans import extract_spans


def looked_up(question: str) -> set[str]:
    return {span.text for span in extract_spans(question, tokenize(question))}


@pytest.mark.parametrize(
    ("question", "names", "others"),
    [
        ("En quelle année est sorti Juno ?", {"Juno"}, {"En", "est", "quelle"}),
        ("Qui est le gardien de la porte de Juno ?", {"gardien", "porte", "Juno"}, {"de la", "de", "la porte"}),
        ("¿De quién es la torre de Juno?", {"torre", "Juno"}, {"De", "es la", "la"}),
        ("Qui a vu « La La Land » ?", {"La La Land"}, {"a"}),
        ("Quel est le titre de La Grande Illusion ?", {"La Grande Illusion"}, {"de La", "le"}),
    ],
)
def test_function_words_of_another_language_are_no_mentions(question: str, names: set[str], others: set[str]) -> None:
    assert names <= looked_up(question) and not others & looked_up(question)


@pytest.mark.parametrize("question", ["Qui a composé la musique d'Juno ?", "Chi ha visto l’arrivo dell’Juno?"])
def test_a_name_behind_an_elided_word_is_looked_up(question: str) -> None:
    assert "Juno" in looked_up(question)


def test_a_name_with_an_apostrophe_stays_one() -> None:
    assert "O'Brien" in looked_up("Où est né O'Brien ?") and "D'Angelo" in looked_up("Où est né D'Angelo ?")
    assert "d'Or" in looked_up("Who won the Palme d'Or?")
