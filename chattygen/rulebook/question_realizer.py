"""The rule model's answer to ``generate/questions``: for each wish one wording, by chance, of those that fit."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from random import Random
from typing import Any

from chattyshared.language.inflection import (
    class_noun,
    denote_persons,
    denote_places,
    past_tense,
    plain_label,
    third_person,
)
from chattyshared.language.lexicon import word_set
from chattyshared.model import Request

from chattygen.rulebook.clause_questions import form_of_be
from chattygen.rulebook.condition_phrases import join_words
from chattygen.rulebook.inverse_questions import realize_count_question, realize_inverse_question
from chattygen.rulebook.lexicon import AGENT_NOUNS, PREPOSITIONS
from chattygen.rulebook.lookup_questions import TopicPhrase, realize_object_question
from chattygen.rulebook.predicate_frames import OCCASION_TITLES, PredicateFrame, adapt_frame
from chattygen.rulebook.predicate_lexicalization import lexicalize_predicate
from chattygen.rulebook.referring_expressions import ReferringExpression, refer_by_name
from chattygen.rulebook.yes_no_questions import realize_yes_no_question
from chattygen.subgraph.facts import Entity, Fact, QuestionRequest, Step


def write_questions(request: Request) -> dict[str, Any]:
    """Write one question for each wish; the facts that the wishes leave open are taken in order."""
    entity: Entity = request.variables["entity"]
    facts: dict[int, Fact] = {fact.number: fact for fact in request.variables["facts"]}
    wanted: tuple[QuestionRequest, ...] = request.variables["wanted"]
    free = [number for number in facts if number not in {wish.fact_number for wish in wanted}]
    items, begun = [], set[str]()
    for wish in wanted:
        number = wish.fact_number or next((n for n in free if wish.form in facts[n].forms), 0)
        if number in free:
            free.remove(number)
        if number not in facts:
            continue
        chance = Random(f"{request.digest()}/{number}")
        question = choose_wording(
            deduplicate_wordings(realize_fact_question(entity, facts[number], wish.form)), begun, chance
        )
        begun.add(first_two_words(question))
        items.append({"question": question, "facts": [number], "form": wish.form})
    return {"questions": items}


def realize_fact_question(entity: Entity, fact: Fact, form: str) -> Iterator[str]:
    """Yield the wordings of one question, the most natural first."""
    name = refer_by_name(entity)
    topic = TopicPhrase(name.subject, entity.class_labels, is_plural=name.is_plural)
    if len(fact.steps) == 2:
        topic = TopicPhrase(
            realize_intermediate(fact.steps[0], refer_by_name(entity), entity.class_labels, fact.via_class_labels),
            fact.via_class_labels,
            is_name=False,
        )
    found = lexicalize_step(fact.last_step, fact.shape, topic.kinds, fact.class_labels)
    texts = _formed(topic, fact, form, found)
    clause = not topic.is_name and re.search(r" (?:who|that|where) ", topic.text)
    yield from _fronted(tuple(texts), topic.text) if clause else texts


def _formed(topic: TopicPhrase, fact: Fact, form: str, found: PredicateFrame) -> Iterator[str]:
    if form == "boolean":
        return realize_yes_no_question(topic, fact, found)
    if form == "count":
        return realize_count_question(topic, fact, found)
    return (
        realize_inverse_question(topic, fact, found)
        if fact.last_step.direction == "in"
        else realize_object_question(topic, fact, found)
    )


def _fronted(texts: tuple[str, ...], phrase: str) -> Iterator[str]:
    """Leave out a preposition right behind a relative clause: *Which city is the guest who ordered it in?*"""
    better = [text for text in texts if text.rstrip("?").rpartition(f"{phrase} ")[2] not in PREPOSITIONS]
    yield from better or texts


def lexicalize_step(
    step: Step, shape: str, kinds: tuple[str, ...], object_kinds: tuple[str, ...] = ()
) -> PredicateFrame:
    """Read a predicate that leads from things of some kinds to things of others (``ends``).

    What it says of its own subject's class (``field of the award``) is left out.
    """
    label = step.label
    subjects, objects = (kinds, object_kinds) if step.direction == "out" else (object_kinds, kinds)
    owner = re.search(r" (?:of (?:the |an? )|in )([\w ]+)$", plain_label(label))
    if (
        owner
        and not OCCASION_TITLES.search(label)
        and owner[1].casefold() in {plain_label(kind).casefold() for kind in subjects}
    ):
        label = plain_label(label)[: owner.start()]
    found = adapt_frame(lexicalize_predicate(label, step.comment, shape), subjects, objects)
    return found if found.noun or found.clauses else replace(found, noun=plain_label(step.label))


def realize_intermediate(step: Step, owner: ReferringExpression, kinds: tuple[str, ...], via: tuple[str, ...]) -> str:
    """Name the thing behind the first step: ``the director of X``, ``his school``, ``the company that published X``.

    ``kinds`` are those of the owner, ``via`` those of the thing behind.
    """
    found = lexicalize_step(step, "entity", kinds, via)
    if found.noun and not found.event_verb and step.direction == "out" and found.noun != "nationality":
        return f"the {found.noun} of {owner.object}" if owner.is_long else f"{owner.possessive} {found.noun}"
    kind = class_noun(via[0]) if via else "thing"
    who = "who" if denote_persons(via) else "that"
    inward = step.direction == "in"
    for clause in found.clauses:
        if clause.is_inverse != inward:
            if (
                AGENT_NOUNS.get(kind, ("",))[0] == clause.verb and not clause.complement
            ):  # the conductor who conducted it
                return f"the {kind} of {owner.object}" if owner.is_long else f"{owner.possessive} {kind}"
            said = (
                clause.complement
                if clause.verb != "be"
                else join_words(form_of_be(clause.tense, False), clause.complement)
            )
            verb = "" if clause.verb == "be" else _finite(clause.verb, clause.tense)
            return join_words(f"the {kind} {who}", verb, said, clause.preposition, owner.object)
    if not found.clauses:
        return f"the {kind} whose {found.noun} is {owner.object}"
    clause = found.clauses[0]
    many = owner.is_plural
    if clause.verb == "be":
        if clause.preposition in ("in", "at") and denote_places(via):
            return join_words(f"the {kind} where {owner.subject}", form_of_be(clause.tense, many), clause.complement)
        return join_words(
            f"the {kind} that {owner.subject}",
            form_of_be(clause.tense, many),
            clause.predicate(many),
            clause.preposition,
        )
    verb = clause.verb if many and clause.tense == "present" else _finite(clause.verb, clause.tense)
    if clause.preposition in ("in", "at", "on") and denote_places(via):
        return join_words(f"the {kind} where {owner.subject}", verb, clause.complement)
    return join_words(f"the {kind} that {owner.subject}", verb, clause.complement, clause.preposition)


def _finite(verb: str, tense: str) -> str:
    return past_tense(verb) if tense == "past" else third_person(verb)


def prefix_with_and(text: str) -> str:
    """Begin a question with ``and``."""
    first = text.split()[0].lower().split("'")[0]
    return f"And {text[:1].lower()}{text[1:]}" if first in _QUESTION_WORDS else text


_QUESTION_WORDS = word_set("function_words", "question_beginnings")


def choose_wording(options: list[str], used_beginnings: set[str], rng: Random) -> str:
    """Choose a wording: early ones more often, and rather one that begins unlike those before it."""
    alike = Counter(first_two_words(text) for text in options)
    weights = [
        (0.3 if first_two_words(text) in used_beginnings else 1.0) / (place + 1.5) / alike[first_two_words(text)]
        for place, text in enumerate(options)
    ]
    return rng.choices(options, weights=weights)[0]


def deduplicate_wordings(options: Iterable[str]) -> list[str]:
    """Return wordings without doubles; a name that ends with a question mark ends the question, too."""
    texts = (re.sub(r'^([^"]*)"([^"]+\?)"\?$', r"\1\2", re.sub(r"\?+$", "?", text)) for text in options)
    return list(dict.fromkeys(texts))


def first_two_words(question: str) -> str:
    """Return the first two words, by which questions are told apart."""
    return " ".join(question.split()[:2]).casefold()
