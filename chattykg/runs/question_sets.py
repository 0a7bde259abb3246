"""Question sets: conversations from a benchmark's dialogues or from a file of questions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from chattyshared import questions
from chattyshared.answers import parse_values
from chattyshared.benchmark import turn_id
from chattyshared.dialogue import Answer, Dialogue, Exchange, History, LinkedTerm, Turn, Value
from chattyshared.errors import ConfigError
from chattyshared.kg import KnowledgeGraph
from chattyshared.sparql.analysis import parse_linked_terms
from chattyshared.terms import Term
from rdflib import URIRef

from chattykg.conversation.referents import class_labels

Wording = Literal["follow-up", "standalone"]


@dataclass(frozen=True, slots=True)
class QuestionItem:
    """One question: its index in the input (from 0), its id, its text, and the gold exchange.

    ``gold`` is None if the input has no gold.
    """

    index: int
    id: str | int
    question: str
    gold: Exchange | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """Questions in the order in which they are asked; with ``is_standalone`` each is asked without a history.

    ``history`` holds the exchanges before the first question.
    """

    items: tuple[QuestionItem, ...]
    is_standalone: bool = False
    history: History = ()


def conversations_from_dialogues(
    dialogues: Iterable[Dialogue], wording: Wording = "follow-up"
) -> tuple[Conversation, ...]:
    """Return a conversation per dialogue; in standalone wording each question is asked without its history."""
    is_standalone = wording == "standalone"
    conversations, start = [], 0
    for dialogue in dialogues:
        items: list[QuestionItem] = []
        for turn, gold in zip(dialogue.turns, _gold_exchanges(dialogue), strict=True):
            text = turn.standalone if is_standalone else turn.question
            items.append(QuestionItem(start + len(items), turn_id(dialogue, turn), text, gold))
        conversations.append(Conversation(tuple(items), is_standalone))
        start += len(items)
    return tuple(conversations)


def conversations_from_questions(
    items: Sequence[questions.Question], wording: Wording = "follow-up"
) -> tuple[Conversation, ...]:
    """Return the conversations of a file of questions; each question keeps its index in the file.

    In standalone wording each question is asked without its history.

    Raises:
        ConfigError: the file has no standalone wording of a question that belongs to a conversation.
    """
    indexes = {str(question.id): index for index, question in enumerate(items)}
    is_standalone = wording == "standalone"
    return tuple(
        Conversation(
            tuple(
                QuestionItem(indexes[str(question.id)], question.id, _text(question, is_standalone))
                for question in group
            ),
            is_standalone,
            tuple(Exchange(turn.question, Answer(parse_values(turn.answers))) for turn in group[0].history),
        )
        for group in questions.group_by_conversation(items)
    )


def link_gold_answers(conversations: Iterable[Conversation], kg: KnowledgeGraph) -> tuple[Conversation, ...]:
    """Return the conversations with gold exchanges that hold the links of an engine with the right answers.

    Every vertex and every text in a gold query becomes an entity, in the order of the query; a vertex gets its label
    and class from the KG. Labels and classes are read in batches.

    Raises:
        EndpointError: the KG's endpoint failed.
    """
    conversations = tuple(conversations)
    exchanges = (
        item.gold for conversation in conversations if not conversation.is_standalone for item in conversation.items
    )
    answers = [exchange.answer for exchange in exchanges if exchange is not None]
    terms = {answer.sparql: parse_linked_terms(answer.sparql, kg.profile.types) for answer in answers}
    unnamed = (URIRef(value.value) for answer in answers for value in answer.values if _is_unnamed(value))
    kg.prefetch_labels_and_types((*(term for query_terms in terms.values() for term in query_terms), *unnamed))

    def with_links(item: QuestionItem) -> QuestionItem:
        if item.gold is None:
            return item
        answer = item.gold.answer
        values = tuple(replace(v, label=kg.label(URIRef(v.value))) if _is_unnamed(v) else v for v in answer.values)
        entities = tuple(_link(term, kg) for term in terms[answer.sparql])
        return replace(item, gold=replace(item.gold, answer=replace(answer, values=values, entities=entities)))

    return tuple(
        conversation
        if conversation.is_standalone
        else replace(conversation, items=tuple(map(with_links, conversation.items)))
        for conversation in conversations
    )


def _is_unnamed(value: Value) -> bool:
    return value.kind == "iri" and not value.label


def _link(term: Term, kg: KnowledgeGraph) -> LinkedTerm:
    label = kg.label(term)
    classes = class_labels(kg.types_of([term])[term], kg) if isinstance(term, URIRef) else ()
    return LinkedTerm(label, str(term), label, type=classes[0] if classes else "")


def _text(question: questions.Question, is_standalone: bool) -> str:
    is_single = question.dialogue_id is None and not question.history
    if not is_standalone or (is_single and not question.standalone):
        return question.question
    if not question.standalone:
        raise ConfigError(f"the file does not say how question {question.id} stands alone: leave out --wording")
    return question.standalone


def _gold_exchanges(dialogue: Dialogue) -> Iterator[Exchange]:
    """Yield the gold exchange of each turn, linked to the known vertices in its query."""
    seed = dialogue.seed
    known = {seed.iri: LinkedTerm(seed.label, seed.iri, seed.label, type=seed.type)}
    for turn in dialogue.turns:
        entities = tuple(link for iri, link in known.items() if f"<{iri}>" in turn.sparql)
        yield Exchange(turn.question, _gold_answer(turn, entities))
        for value in turn.answers:
            if value.kind == "iri":
                known.setdefault(value.value, LinkedTerm(value.label, value.value, value.label))


def _gold_answer(turn: Turn, entities: tuple[LinkedTerm, ...]) -> Answer:
    return Answer(
        turn.answers,
        scores=(1.0,) * len(turn.answers),
        sparql=turn.sparql,
        standalone=turn.standalone,
        confidence=1.0,
        witness=turn.witness,
        entities=entities,
    )
