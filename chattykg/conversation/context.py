"""The conversation context C_q that the classifier, the rephraser and the translator read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from chattyshared.dialogue import Answer, Exchange, History, Value
from chattyshared.kg import KnowledgeGraph
from chattyshared.option_specs import SHOWN_ANSWERS

from chattykg.linking.mentions import EXACT_MENTION_SCORE, Mention
from chattykg.linking.vocabulary_card import VocabularyCard, build_vocabulary_card

ANSWERS_PER_TURN = 3
"""Answers of a turn that the context shows; the referents show the others."""

MAX_CHARACTERS = 8_000
"""Most characters of a context in a prompt, about 2,000 tokens; one question and its answer always fit."""
MAX_ANSWER_CHARACTERS = 160
"""Characters of an answer that are shown: longer texts are not names."""
READ_TURNS = 4
"""Latest turns whose words are compared with the graph's vocabulary: a request seldom lies further back."""
_KINDS = ("vertex", "class", "predicate", "value")
"""Kinds of mentions, the most telling first."""
MAX_KNOWN_CHARACTERS = 320
"""Most characters of the known words in a prompt, about 80 tokens."""


@dataclass(frozen=True, slots=True)
class ConversationContext:
    """C_q: the standalone questions so far, with the first answers of each, as rows if these have several columns.

    ``shows_wording``: behind a standalone question stands how it was asked.
    """

    history: History
    shown_answers: int = SHOWN_ANSWERS
    shows_wording: bool = False

    def as_prompt_text(self) -> str:
        """Return the text in a prompt; a long conversation keeps its latest turns."""
        turns = [self._turn(number, exchange) for number, exchange in enumerate(self.history, 1)]
        room, first = MAX_CHARACTERS, len(turns)
        while first and room >= len(turns[first - 1]) + 1:
            first -= 1
            room -= len(turns[first]) + 1
        omitted = [f"({first} earlier turns left out)"] if first else []
        return "\n".join((*omitted, *turns[first:])) or "(nothing yet)"

    def _turn(self, number: int, exchange: Exchange) -> str:
        answer = exchange.answer
        shown = min(self.shown_answers, ANSWERS_PER_TURN)
        rows = answer.rows or tuple((value,) for value in answer.values)
        texts = (", ".join(map(_shown_value, row)) for row in rows[:shown])
        answers = "; ".join(texts) or _why_no_answer(exchange.answer)
        count = f" ({len(rows)} in all)" if len(rows) > shown else ""
        question = answer.standalone or exchange.question
        asked = f" (asked: {exchange.question})" if self.shows_wording and question != exchange.question else ""
        return f"Q{number}: {question}{asked}\nA{number}: {answers}{count}"


def _why_no_answer(answer: Answer) -> str:
    if answer.status == "empty":
        return "(nothing fits)"
    is_explained = answer.reason is not None or answer.clarification is not None
    return f"(no answer: {answer.explanation[:MAX_ANSWER_CHARACTERS]})" if is_explained else "(no answer)"


def _shown_value(value: Value) -> str:
    return (value.label or value.value)[:MAX_ANSWER_CHARACTERS]


def with_class_labels(history: History, kg: KnowledgeGraph) -> History:
    """Return a conversation whose entities have class labels instead of class IRIs as types."""
    classes = kg.vocabulary.classes

    def with_labels(exchange: Exchange) -> Exchange:
        entities = tuple(
            replace(linked, type=classes[linked.type].label) if linked.type in classes else linked
            for linked in exchange.answer.entities
        )
        return replace(exchange, answer=replace(exchange.answer, entities=entities))

    return tuple(with_labels(exchange) for exchange in history)


@dataclass(frozen=True, slots=True)
class DialogueWords:
    """What the graph knows of the words of the newest question (``card``) and of the latest standalone questions.

    ``earlier`` holds the cards of the latest standalone questions, the latest first.
    """

    card: VocabularyCard
    earlier: tuple[VocabularyCard, ...] = ()

    def as_prompt_text(self) -> str:
        """Return the words with the kind of what they name, those of the newest question first.

        A word is shown once, and not beside a longer phrase that holds it.
        """
        names = dict.fromkeys(
            _name_kind(mention) for c in (self.card, *self.earlier) for mention in _telling_mentions(c)
        )
        shown: list[str] = []
        for name in names:
            if sum(len(other) + 2 for other in shown) + len(name) > MAX_KNOWN_CHARACTERS:
                break
            shown.append(name)
        return ", ".join(shown) or "(none)"


def _name_kind(mention: Mention) -> str:
    return f"{mention.text} ({'name' if mention.kind == 'vertex' else mention.kind})"


def _telling_mentions(card: VocabularyCard) -> Iterator[Mention]:
    """Yield the mentions of a card that no longer one holds, of each text the one of the most telling kind."""
    best: dict[tuple[int, int], Mention] = {}
    for mention in card.mentions:
        span = mention.start, mention.end
        if span not in best or _KINDS.index(mention.kind) < _KINDS.index(best[span].kind):
            best[span] = mention
    for (start, end), mention in best.items():
        if not any(o != (start, end) and o[0] <= start and end <= o[1] for o in best):
            yield mention


def find_known_names(question: str, kg: KnowledgeGraph) -> str:
    """Return the names of things in a question, as it writes them.

    Raises:
        EndpointError: the KG could not be asked.
    """
    mentions = _telling_mentions(build_vocabulary_card(question, kg))
    names = (m.text for m in mentions if m.kind == "vertex" and m.score >= EXACT_MENTION_SCORE)
    return "; ".join(dict.fromkeys(names)) or "(none)"


def find_known_words(question: str, history: History, kg: KnowledgeGraph) -> DialogueWords:
    """Compare the newest question and the latest standalone questions with the vocabulary of a KG.

    Raises:
        EndpointError: the KG could not be asked.
    """
    latest = [exchange.answer.standalone or exchange.question for exchange in history[: -READ_TURNS - 1 : -1]]
    return DialogueWords(build_vocabulary_card(question, kg), tuple(build_vocabulary_card(e, kg) for e in latest))
