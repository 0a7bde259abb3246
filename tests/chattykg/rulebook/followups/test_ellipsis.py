"""What a short follow-up changes in the question before, and what a correction asks for."""

from __future__ import annotations

import pytest
from chattyshared.language.tokenizer import tokenize

from chattykg.conversation.unanswerable import find_unstated
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.rulebook.followups.dialogue_state import merge_sentences
from chattykg.rulebook.followups.ellipsis import restore_counted_noun, substitute_name, substitute_time


@pytest.mark.parametrize(
    ("rest", "previous", "expected"),
    [
        ("2010", "How many ferries sank in 1988?", "How many ferries sank in 2010?"),
        ("after 2001", "Which sank between 1990 and 2001?", "Which sank after 2001?"),
        ("in 2010", "Which ferries sank?", "Which ferries sank in 2010?"),
        ("after", "Which ferries sank before 1980?", "Which ferries sank after 1980?"),
        ("the skipper", "Which ferries sank before 1980?", ""),
        ("River Cup 2021", "When did River Cup 2024 end?", ""),
    ],
)
def test_another_time_takes_the_place_of_the_whole_span(rest: str, previous: str, expected: str) -> None:
    assert substitute_time(rest, previous) == expected


@pytest.mark.parametrize(
    ("question", "previous", "expected"),
    [
        ("Who owns the most?", "How many small ferries does Ann own?", "Who owns the most small ferries?"),
        ("Which ones have at least two?", "Which harbours have no cranes?", "Which ones have at least two cranes?"),
    ],
)
def test_what_is_counted_is_said(question: str, previous: str, expected: str) -> None:
    assert restore_counted_noun(question, previous) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("No, I meant Olm Quay.", "What about Olm Quay?"),
        ("sorry, I meant the harbour, not the ship", "What about the harbour?"),
        ("OK, what is its draught?", "What is its draught?"),
        ("No Way Home was filmed where?", "No Way Home was filmed where?"),
        ("What about Olm Quay, which ferries are there?", "which ferries are there in Olm Quay?"),
        ("What about Olm Quay, where is that?", "where is Olm Quay?"),
    ],
)
def test_correction_and_shift_are_one_sentence(question: str, expected: str) -> None:
    assert merge_sentences(question) == expected


@pytest.mark.parametrize(
    ("rest", "previous", "name", "expected"),
    [
        ("the crane Big Ann", "Where did the ferry 'Grey Gull' stand?", "Grey Gull",
         "Where did the crane Big Ann stand?"),
        ("the Orm", "Which towns lie on the Vire?", "Vire", "Which towns lie on the Orm?"),
    ],
)  # fmt: skip
def test_another_name_comes_with_its_noun(rest: str, previous: str, name: str, expected: str) -> None:
    start = previous.index(name)
    assert substitute_name(rest, tokenize(rest), previous, (start, start + len(name))) == expected


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Why did she leave?", "reason"), ("And why?", "reason"), ("Would you recommend it?", "opinion"),
        ("Where does she work?", '"she"'), ("Which ferries did he own?", '"he"'), ("Who left before he came?", ""),
        ("Where does Ann work?", ""), ("Who owns it?", ""),
    ],
)  # fmt: skip
def test_what_no_graph_tells_is_said(question: str, said: str) -> None:
    found = find_unstated(question, VocabularyCard())
    assert (said in found[1]) if found else not said
