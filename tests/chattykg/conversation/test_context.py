"""What the classifier and the rephraser see of a conversation."""

from __future__ import annotations

import pytest
from chattyshared.dialogue import Answer, Clarification, Exchange, Reason, Value

from chattykg.conversation.context import ConversationContext, DialogueWords
from chattykg.linking.vocabulary_card import Mention, MentionKind, VocabularyCard


def people(*names: str) -> tuple[Value, ...]:
    return tuple(Value(f"https://ships.example/{name}", "iri", label=name) for name in names)


def test_a_word_that_the_graph_knows_is_shown_once_and_not_within_a_longer_one() -> None:
    def mention(text: str, start: int, kind: MentionKind) -> Mention:
        return Mention(text, start, start + len(text), kind, 1.0, iris=("https://ships.example/x",))

    question = "Which tug boats has a port?"
    mentions = (
        mention("tug boats", 6, "predicate"), mention("tug boats", 6, "class"), mention("boats", 10, "class"),
        mention("port", 22, "predicate"),
    )  # fmt: skip
    words = DialogueWords(VocabularyCard(mentions, question=question))
    assert words.as_prompt_text() == "tug boats (class), port (predicate)"


def test_an_earlier_question_is_shown_as_it_was_asked_where_this_is_wanted() -> None:
    exchange = Exchange("Wer fährt sie?", Answer(people("Ann"), standalone="Who commands the Juno?"))
    assert "Q1: Who commands the Juno?\n" in ConversationContext((exchange,)).as_prompt_text()
    context = ConversationContext((exchange,), shows_wording=True)
    assert "Q1: Who commands the Juno? (asked: Wer fährt sie?)\n" in context.as_prompt_text()


def test_a_turn_shows_its_first_answers_and_how_many_there_are() -> None:
    exchange = Exchange("Who commands a ship?", Answer(people("Ann", "Bob", "Cid", "Dot")))
    assert ConversationContext((exchange,)).as_prompt_text() == "Q1: Who commands a ship?\nA1: Ann; Bob; Cid (4 in all)"


def test_the_counts_of_an_answer_in_columns_stay_visible() -> None:
    ann, bob = people("Ann", "Bob")
    rows = ((ann, Value("2", "number")), (bob, Value("1", "number")))
    exchange = Exchange("How many ships has each captain?", Answer((ann, bob), rows=rows, columns=("captain", "n")))
    assert ConversationContext((exchange,)).as_prompt_text().endswith("\nA1: Ann, 2; Bob, 1")


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        (Answer(), "(no answer)"),
        (Answer(without_values="empty", notes=("None: no ship fits.",)), "(nothing fits)"),
        (Answer(reason=Reason("unknown-name", "I do not know Bob.")), "(no answer: I do not know Bob.)"),
        (
            Answer(without_values="clarification", clarification=Clarification("Which Bob?")),
            "(no answer: Which Bob?)",
        ),
    ],
)
def test_a_turn_without_answers_says_why(answer: Answer, shown: str) -> None:
    assert ConversationContext((Exchange("Who is Bob?", answer),)).as_prompt_text() == f"Q1: Who is Bob?\nA1: {shown}"
