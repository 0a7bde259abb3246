"""The rule of ``generate/questions``: choose one wording at random for each question request."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from random import Random
from typing import Any

from chattyshared.language.inflection import class_noun, denote_places
from chattyshared.language.lexicon import word_set
from chattyshared.model import Request

from chattygen.context.facts import Entity, Fact, QuestionRequest, Step
from chattygen.lexicalization.lexicon import AGENT_NOUNS, GENERAL_PERSON_NOUNS, PREPOSITIONS
from chattygen.lexicalization.predicate_frames import ClauseFrame
from chattygen.lexicalization.rows import fitting_rows
from chattygen.lexicalization.step_lexicalization import is_sayable_fact, lexicalize_step
from chattygen.lexicalization.word_forms import are_persons, finite_form, join_words
from chattygen.rulebook.fact_questions import (
    FactQuestion,
    realize_count_question,
    realize_inverse_question,
    realize_object_question,
    realize_yes_no_question,
)
from chattygen.rulebook.referring_expressions import ReferringExpression, refer_by_name, refer_by_phrase


def write_questions(request: Request) -> dict[str, Any]:
    """Write one question for each request; a request without a fact gets the first free one of its form.

    A fact that no sound phrase says gets no question.
    """
    entity: Entity = request.variables["entity"]
    facts: dict[int, Fact] = {
        fact.number: fact for fact in request.variables["facts"] if is_sayable_fact(fact, entity.class_labels)
    }
    requests: tuple[QuestionRequest, ...] = request.variables["wanted"]
    free = [number for number in facts if number not in {question_request.fact_number for question_request in requests}]
    items, used_beginnings = [], set[str]()
    for question_request in requests:
        number = question_request.fact_number or next((n for n in free if question_request.form in facts[n].forms), 0)
        if number in free:
            free.remove(number)
        if number not in facts:
            continue
        rng = Random(f"{request.digest()}/{number}")
        question = choose_wording(
            deduplicate_wordings(realize_fact_question(entity, facts[number], question_request.form)),
            used_beginnings,
            rng,
        )
        used_beginnings.add(first_two_words(question))
        items.append({"question": question, "facts": [number], "form": question_request.form})
    return {"questions": items}


def realize_fact_question(entity: Entity, fact: Fact, form: str) -> Iterator[str]:
    """Yield the wordings of one question, the most natural first."""
    topic, kinds = refer_by_name(entity), entity.class_labels
    if len(fact.steps) == 2:
        topic = refer_by_phrase(realize_intermediate(fact.steps[0], topic, kinds, fact.via_class_labels))
        kinds = fact.via_class_labels
    frame = lexicalize_step(fact.last_step, fact.shape, kinds, fact.class_labels)
    question = FactQuestion(topic, kinds, fact, frame)
    texts = tuple(text for text in _questions_of_form(question, form) if not _STIFF_BEGINNING.match(text))
    texts = tuple(_drop_stranded_prepositions(texts)) if question.has_clause else texts
    yield from (f"{text.rstrip('?')}, as far as is recorded?" for text in texts) if fact.asks_record(form) else texts


_STIFF_BEGINNING = re.compile(r"Which people (?:is|are|was|were|does|do|did)\b")
"""English says *who*."""


def _questions_of_form(question: FactQuestion, form: str) -> Iterator[str]:
    if form == "boolean":
        return realize_yes_no_question(question)
    if form == "count":
        return realize_count_question(question)
    is_incoming = question.fact.last_step.direction == "in"
    return realize_inverse_question(question) if is_incoming else realize_object_question(question)


def _drop_stranded_prepositions(texts: tuple[str, ...]) -> Iterator[str]:
    """Drop wordings that end with a preposition or ``have`` behind a relative clause: *the award he won given by*.

    A verb that the clause ends with is not repeated: *the city where it is located located*.
    """
    texts = tuple(re.sub(r"\b(\w{4,}) \1\b", r"\1", text) for text in texts)
    kept = [text for text in texts if text.rstrip("?").split()[-1] not in PREPOSITIONS | {"have"}]
    yield from kept or texts


def realize_intermediate(step: Step, owner: ReferringExpression, kinds: tuple[str, ...], via: tuple[str, ...]) -> str:
    """Return a noun phrase for the entity behind the first step: ``the director of X``, ``his school``.

    ``kinds`` are the class labels of the owner, ``via`` those of that entity.
    """
    frame = lexicalize_step(step, "entity", kinds, via)
    if frame.noun and not frame.event_verb and step.direction == "out" and frame.noun != "nationality":
        return owner.with_noun(frame.noun)
    kind = class_noun(via[0]) if via else "thing"
    if step.direction == "out" and _is_owned(frame.clauses, kind, kinds, via):  # its city, her department
        return owner.with_noun(kind)
    is_incoming = step.direction == "in"
    for clause in frame.clauses:
        if clause.is_inverse != is_incoming:
            role = "" if is_incoming or clause.complement else _role_of_agent(kind, clause)
            if role:  # the painter, not the person who painted it
                return owner.with_noun(role)
            pronoun, verb = "who" if are_persons(via) else "that", finite_form(clause.verb, clause.tense, False)
            return join_words(f"the {kind} {pronoun}", verb, clause.tail(owner.object, False))
    if not frame.clauses:
        return f"the {kind} whose {frame.noun} is {owner.object}"
    clause = frame.clauses[0]
    verb = finite_form(clause.verb, clause.tense, owner.is_plural)
    if clause.preposition in ("in", "at", "on") and denote_places(via):
        return join_words(f"the {kind} where {owner.subject}", verb, clause.complement)
    tail = join_words(clause.predicate(owner.is_plural), clause.preposition)
    return join_words(f"the {kind} that {owner.subject}", verb, tail)


def _is_owned(clauses: tuple[ClauseFrame, ...], kind: str, kinds: tuple[str, ...], via: tuple[str, ...]) -> bool:
    """Tell whether a thing calls another *its* (its city, her department), for it is in it, at it or of it."""
    clause = clauses[0] if clauses else None
    if clause is None or clause.is_inverse or are_persons(via) or kind in ("thing", *map(class_noun, kinds)):
        return False
    traits = {name: getattr(clause, name) for name in ("verb", "complement", "preposition", "tense")}
    return next(fitting_rows("questions", "owned", traits), None) is not None


def _role_of_agent(kind: str, clause: ClauseFrame) -> str:
    """Return the short noun for who does what a clause tells: ``conductor``, ``painter`` of a person; else ""."""
    if AGENT_NOUNS.get(kind, ("",))[0] == clause.verb:
        return kind
    roles = (role for role, agent in AGENT_NOUNS.items() if agent == (clause.verb, clause.tense))
    return next(roles, "") if kind in GENERAL_PERSON_NOUNS else ""


def prefix_with_and(text: str) -> str:
    """Begin a question with ``and``."""
    first = text.split()[0].lower().split("'")[0]
    return f"And {text[:1].lower()}{text[1:]}" if first in _QUESTION_WORDS else text


_QUESTION_WORDS = word_set("function_words", "question_beginnings", "question_prepositions")


def choose_wording(options: list[str], used_beginnings: set[str], rng: Random) -> str:
    """Choose a wording at random: earlier ones weigh more, and so do beginnings that are not used yet."""
    beginnings = Counter(first_two_words(text) for text in options)
    weights = [
        (0.3 if first_two_words(text) in used_beginnings else 1.0) / (index + 1.5) / beginnings[first_two_words(text)]
        for index, text in enumerate(options)
    ]
    return rng.choices(options, weights=weights)[0]


def deduplicate_wordings(options: Iterable[str]) -> list[str]:
    """Return the wordings without duplicates; a name that ends with a question mark ends the question."""
    texts = (re.sub(r'^([^"]*)"([^"]+\?)"\?$', r"\1\2", re.sub(r"\?+$", "?", text)) for text in options)
    return list(dict.fromkeys(texts))


def first_two_words(question: str) -> str:
    """Return the first two words, the beginning of a question."""
    return " ".join(question.split()[:2]).casefold()
