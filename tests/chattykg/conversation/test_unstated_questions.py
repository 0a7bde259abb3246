"""Opinions and reasons are no questions to a graph; names that sound like them are."""

from pathlib import Path

import pytest
from chattyshared.kg.factory import open_kg

from chattykg.conversation.unstated_questions import find_unstated
from chattykg.linking.vocabulary_card import build_vocabulary_card

SONGS = """
@prefix : <https://songs.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Song rdfs:label "song" . :writer rdfs:label "writer" . :Ann rdfs:label "Ann Lee" .
:s1 a :Song ; rdfs:label "Who Do You Think You Are" ; :writer :Ann .
:s2 a :Song ; rdfs:label "Low Tide" ; :writer :Ann .
"""


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("Who wrote Who Do You Think You Are?", ""),
        ('Which of "Low Tide" and "Who Do You Think You Are" is longer?', ""),
        ("Who do you think wrote Low Tide?", "not-stated"),
        ("Do you like Who Do You Think You Are?", "not-stated"),
        ("Why was Low Tide written?", "not-stated"),
    ],
)
def test_a_name_is_no_opinion(tmp_path: Path, question: str, code: str) -> None:
    (tmp_path / "songs.ttl").write_text(SONGS, encoding="utf-8")
    card = build_vocabulary_card(question, open_kg([str(tmp_path / "songs.ttl")]))
    found = find_unstated(question, card)
    assert (found[0] if found else "") == code
