"""Flags that a question words loosely."""

from __future__ import annotations

from pathlib import Path

import pytest
from chattyshared.kg.factory import open_kg

from chattykg.linking.vocabulary_card import build_vocabulary_card

SHOPS = """
@prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:a a :Shop ; rdfs:label "Ada's" ; :wheelchairAccessible true ; :acceptsCards false ; :dogsAllowed true ;
  :publiclyOwned false ; :shelter true ; :keeper "Una" .
:b a :Shop ; rdfs:label "Ben's" ; :wheelchairAccessible false ; :acceptsCards true ; :dogsAllowed false ;
  :publiclyOwned true ; :shelter false ; :keeper "Per" .
"""


@pytest.mark.parametrize(
    ("question", "flag", "word"),
    [
        ("wheelchair-friendly shops", "wheelchairAccessible", "friendly"),
        ("shops where you can pay by card", "acceptsCards", "pay"),
        ("can I bring my dog to the shop", "dogsAllowed", "bring"),
        ("shops in public hands", "publiclyOwned", "hands"),
        ("shops with shelter from the rain", "shelter", "rain"),
    ],
)
def test_a_phrase_with_one_other_word_names_a_flag(question: str, flag: str, word: str, tmp_path: Path) -> None:
    (tmp_path / "shops.ttl").write_text(SHOPS, encoding="utf-8")
    card = build_vocabulary_card(question, open_kg([str(tmp_path / "shops.ttl")]))
    found = {
        (mention.iris[0].rpartition("/")[2], mention.loose_words) for mention in card.mentions if mention.loose_words
    }
    assert found == {(flag, (word,))}


@pytest.mark.parametrize("question", ["shops with a heated shelter", "who is the shelter keeper", "public telephones"])
def test_a_modifier_and_a_compound_say_something_else(question: str, tmp_path: Path) -> None:
    (tmp_path / "shops.ttl").write_text(SHOPS, encoding="utf-8")
    card = build_vocabulary_card(question, open_kg([str(tmp_path / "shops.ttl")]))
    assert not [mention for mention in card.mentions if mention.loose_words]
