"""What an engine is asked: conversations, from a benchmark's dialogues or from a file of questions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from chattyshared import questions
from chattyshared.benchmark import turn_id
from chattyshared.dialogue import Answer, Dialogue, Exchange, History, LinkedTerm, Turn, Value
from chattyshared.errors import ConfigError
from chattyshared.kg import KnowledgeGraph
from chattyshared.sparql.analysis import parse_linked_terms
from chattyshared.terms import Term
from rdflib import URIRef

from chattykg.conversation.referent_lookup import class_labels
from chattykg.engines.prompt_history import parse_values

Wording = Literal["follow-up", "standalone"]


@dataclass(frozen=True, slots=True)
class QuestionItem:
    """One question: its place in the input (from 0), its id, its words, and the exchange that would have been right.

    ``gold`` is None where the input does not say what is right.
    """

    index: int
    id: str | int
    question: str
    gold: Exchange | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """Questions in the order in which they are asked; with ``alone`` each is asked as if it were the first.

    ``before`` is what was said before the first of them.
    """

    items: tuple[QuestionItem, ...]
    is_standalone: bool = False
    history: History = ()


def conversations_from_dialogues(
    dialogues: Iterable[Dialogue], wording: Wording = "follow-up"
) -> tuple[Conversation, ...]:
    """Return a conversation per dialogue; in standalone wording each question stands, and is asked, for itself."""
    alone = wording == "standalone"
    made, place = [], 0
    for dialogue in dialogues:
        asked: list[QuestionItem] = []
        for turn, gold in zip(dialogue.turns, _gold(dialogue), strict=True):
            words = turn.standalone if alone else turn.question
            asked.append(QuestionItem(place + len(asked), turn_id(dialogue, turn), words, gold))
        made.append(Conversation(tuple(asked), alone))
        place += len(asked)
    return tuple(made)


def conversations_from_questions(
    items: Sequence[questions.Question], wording: Wording = "follow-up"
) -> tuple[Conversation, ...]:
    """Return the conversations of a file of questions; each question keeps its place in the file.

    In standalone wording each question stands, and is asked, for itself; one that belongs to no conversation does so
    anyway.

    Raises:
        ConfigError: the file does not say how a question of a conversation stands alone.
    """
    places = {str(question.id): place for place, question in enumerate(items)}
    alone = wording == "standalone"
    return tuple(
        Conversation(
            tuple(QuestionItem(places[str(each.id)], each.id, _words(each, alone)) for each in group),
            alone,
            tuple(Exchange(turn.question, Answer(parse_values(turn.answers))) for turn in group[0].history),
        )
        for group in questions.group_by_conversation(items)
    )


def link_gold_answers(conversations: Iterable[Conversation], kg: KnowledgeGraph) -> tuple[Conversation, ...]:
    """Return the conversations with gold exchanges that hold the links of an engine that answers right.

    Every vertex and every text that a gold query names becomes an entity, in the order of the query, a vertex with the
    label and the class that the KG gives it. Labels and classes are read in batches.

    Raises:
        EndpointError: the KG could not be asked.
    """
    conversations = tuple(conversations)
    told = (asked.gold for each in conversations if not each.is_standalone for asked in each.items)
    answers = [exchange.answer for exchange in told if exchange is not None]
    terms = {answer.sparql: parse_linked_terms(answer.sparql, kg.profile.types) for answer in answers}
    unnamed = (URIRef(value.value) for answer in answers for value in answer.values if _is_unnamed(value))
    kg.prefetch_labels_and_types((*(term for found in terms.values() for term in found), *unnamed))

    def linked(asked: QuestionItem) -> QuestionItem:
        if asked.gold is None:
            return asked
        answer = asked.gold.answer
        values = tuple(replace(v, label=kg.label(URIRef(v.value))) if _is_unnamed(v) else v for v in answer.values)
        entities = tuple(_link(term, kg) for term in terms[answer.sparql])
        return replace(asked, gold=replace(asked.gold, answer=replace(answer, values=values, entities=entities)))

    return tuple(
        each if each.is_standalone else replace(each, items=tuple(map(linked, each.items))) for each in conversations
    )


def _is_unnamed(value: Value) -> bool:
    return value.kind == "iri" and not value.label


def _link(term: Term, kg: KnowledgeGraph) -> LinkedTerm:
    label = kg.label(term)
    classes = class_labels(kg.types_of([term])[term], kg) if isinstance(term, URIRef) else ()
    return LinkedTerm(label, str(term), label, type=classes[0] if classes else "")


def _words(question: questions.Question, alone: bool) -> str:
    by_itself = question.dialogue_id is None and not question.history
    if not alone or (by_itself and not question.standalone):
        return question.question
    if not question.standalone:
        raise ConfigError(f"the file does not say how question {question.id} stands alone: leave out --wording")
    return question.standalone


def _gold(dialogue: Dialogue) -> Iterator[Exchange]:
    """Yield each turn as if an engine had answered it right, linked to the known vertices that its query names."""
    seed = dialogue.seed
    known = {seed.iri: LinkedTerm(seed.label, seed.iri, seed.label, type=seed.type)}
    for turn in dialogue.turns:
        named = tuple(linked for iri, linked in known.items() if f"<{iri}>" in turn.sparql)
        yield Exchange(turn.question, _right(turn, named))
        for value in turn.answers:
            if value.kind == "iri":
                known.setdefault(value.value, LinkedTerm(value.label, value.value, value.label))


def _right(turn: Turn, named: tuple[LinkedTerm, ...]) -> Answer:
    return Answer(
        turn.answers,
        scores=(1.0,) * len(turn.answers),
        sparql=turn.sparql,
        standalone=turn.standalone,
        confidence=1.0,
        witness=turn.witness,
        entities=named,
    )
