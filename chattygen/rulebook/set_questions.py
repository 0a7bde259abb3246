"""Questions that pick from a set: which of them is the longest, which are longer than, how many do not star X."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from chattyshared.language.inflection import is_mass_noun, pluralize

from chattygen.rulebook import set_questions
from chattygen.rulebook.condition_phrases import (
    ConditionPhrase,
    lexicalize_measure,
    phrase_bound,
    phrase_order,
    phrase_superlative,
    phrase_value,
)
from chattygen.rulebook.dialogue_rewriting import replace_name
from chattygen.rulebook.question_realizer import lexicalize_step, realize_fact_question, realize_intermediate
from chattygen.rulebook.referring_expressions import ReferringExpression, refer_by_name, refer_by_phrase
from chattygen.rulebook.set_phrases import SetPhrase, lexicalize_set
from chattygen.stages.turn_plan import Condition, TurnPlan

SetPhrases = Sequence[SetPhrase]


def ask_which_one(found: SetPhrases, claims: Iterable[ConditionPhrase]) -> Iterator[str]:
    """Ask which member of a set it is: ``Which of the films that X directed is the longest?``"""
    for claim in claims:
        for some in found:
            among = ("Which of", "Who among") if some.is_person else ("Which of",)
            for word in among if not some.is_mass else ():
                yield f"{word} {some.whole_phrase()} {claim.as_predicate(False)}?"
            if some.is_mass:
                yield f"Which {some.whole_phrase().replace('pieces', 'piece', 1)} {claim.as_predicate(False)}?"
            if some.member_phrase() and not _jars(some) and some.noun != "person":
                yield f"Which {some.member_phrase()} {claim.as_predicate(False)}?"
            if claim.adjective and some.possessive and not some.is_mass:
                yield f"{_what(some)} is {some.possessive} {claim.adjective} {some.noun}?"
            elif claim.adjective and some.member_phrase() and not claim.adjective.startswith("least"):
                yield f"{_what(some)} is the {claim.adjective} {some.member_phrase()}?"


def ask_which_ones(found: SetPhrases, claims: Iterable[ConditionPhrase]) -> Iterator[str]:
    """Ask which members of a set they are: ``Which of the films that X directed star Y?``"""
    for claim in claims:
        for some in found:
            yield f"Which {'' if some.is_mass else 'of '}{some.whole_phrase()} {claim.as_predicate(True)}?"
            if some.plural_phrase() and not some.is_mass and not _jars(some):
                yield f"Which {some.plural_phrase()} {claim.as_predicate(True)}?"


def ask_how_many(found: SetPhrases, claims: Iterable[ConditionPhrase]) -> Iterator[str]:
    """Ask how many members of a set they are."""
    for claim in claims:
        for some in found:
            yield f"How many {'' if some.is_mass else 'of '}{some.whole_phrase()} {claim.as_predicate(True)}?"
            if some.plural_phrase() and not some.is_mass and not _jars(some):
                yield f"How many {some.plural_phrase()} {claim.as_predicate(True)}?"


def _jars(some: SetPhrase) -> bool:
    """Tell whether a second verb right behind the phrase would read badly: ``which thing that X has is``."""
    return (some.plural_modifier or some.modifier).endswith(
        (" of", " in", " at", " on", " to", " for", " with", " from")
    )


def _what(some: SetPhrase) -> str:
    return "Who" if some.is_person else "What"


def ask_which_one_of_them(claims: Iterable[ConditionPhrase], noun: str, *, is_person: bool) -> Iterator[str]:
    """Ask which of the answers just given it is."""
    nouns = _those(noun)
    for claim in claims:
        said = claim.as_predicate(False)
        yield f"Which of them {said}?"
        yield f"Which one of them {said}?"
        if is_person:
            yield f"Who among them {said}?"
        if nouns:
            yield f"Which of those {nouns} {said}?"
        yield f"And which of them {said}?"
        yield f"Of these, which one {said}?"
        if claim.adjective:
            yield f"{'Who' if is_person else 'What'} is the {claim.adjective} of them?"


def ask_which_of_them(claims: Iterable[ConditionPhrase], noun: str) -> Iterator[str]:
    """Ask which of the answers just given they are."""
    nouns = _those(noun)
    for claim in claims:
        said = claim.as_predicate(True)
        yield f"Which of them {said}?"
        yield f"Which of these {said}?"
        if nouns:
            yield f"Which of those {nouns} {said}?"
        yield f"And which of them {said}?"
        yield f"Of these, which ones {said}?"


def ask_how_many_of_them(claims: Iterable[ConditionPhrase], noun: str) -> Iterator[str]:
    """Ask how many of the answers just given they are."""
    nouns = _those(noun)
    for claim in claims:
        said = claim.as_predicate(True)
        yield f"How many of them {said}?"
        yield f"How many of those {said}?"
        if nouns:
            yield f"How many of these {nouns} {said}?"
        yield f"And how many of them {said}?"


def _those(noun: str) -> str:
    """Return the plural noun behind ``those``, if the members have a noun that says something."""
    return "" if not noun or noun == "thing" or is_mass_noun(noun) or len(noun.split()) > 3 else pluralize(noun)


_ORDERS = ("rising", "falling")


def realize_set_question(ask: TurnPlan, owner: ReferringExpression) -> Iterator[str]:
    """Yield wordings of a question about the set that ``ask`` names; ``owner`` says how its entity is spoken of."""
    condition = _condition(ask)
    if condition.kind in _ORDERS:
        yield from _ordered(ask, condition, owner)
        return
    found, claims = lexicalize_plan_set(ask, owner), tuple(_claims(condition, ask.fact.class_labels))
    if condition.kind in ("most", "least"):
        yield from set_questions.ask_which_one(found, claims)
    elif ask.form == "count":
        yield from set_questions.ask_how_many(found, claims)
    else:
        yield from set_questions.ask_which_ones(found, claims)


def realize_set_follow_up(ask: TurnPlan) -> Iterator[str]:
    """Yield wordings of a question about the answers just given (``which of them ...``)."""
    condition = _condition(ask)
    (some, *_) = lexicalize_plan_set(ask, refer_by_name(ask.entity))
    claims = tuple(_claims(condition, ask.fact.class_labels))
    if condition.kind in _ORDERS:
        for order in phrase_order(lexicalize_measure(condition, ask.fact.class_labels)):
            yield f"What are they, {order}?" if not some.is_person else f"Who are they, {order}?"
    elif condition.kind in ("most", "least"):
        yield from set_questions.ask_which_one_of_them(claims, some.noun, is_person=some.is_person)
    elif ask.form == "count":
        yield from set_questions.ask_how_many_of_them(claims, some.noun)
    else:
        yield from set_questions.ask_which_of_them(claims, some.noun)


def lexicalize_plan_set(ask: TurnPlan, owner: ReferringExpression) -> tuple[SetPhrase, ...]:
    """Return the noun phrases for the set of an ask."""
    fact, kinds = ask.fact, ask.entity.class_labels
    if len(fact.steps) == 2:
        owner, kinds = (
            refer_by_phrase(realize_intermediate(fact.steps[0], owner, kinds, fact.via_class_labels)),
            fact.via_class_labels,
        )
    return lexicalize_set(fact, lexicalize_step(fact.last_step, fact.shape, kinds, fact.class_labels), owner, kinds)


def _ordered(ask: TurnPlan, condition: Condition, owner: ReferringExpression) -> Iterator[str]:
    """Ask for the members in an order: ``Which films did X direct, in order of release?``"""
    plain = [
        text
        for text in realize_fact_question(ask.entity, ask.fact, ask.form)
        if text.startswith(("Wh", "By")) and not text.startswith("Whose ")
    ]
    for text in plain:
        said = text if owner == refer_by_name(ask.entity) else replace_name(text, ask.entity.label, owner)
        for order in phrase_order(lexicalize_measure(condition, ask.fact.class_labels)):
            yield f"{said.rstrip('?')}, {order}?"


def _claims(condition: Condition, members: tuple[str, ...]) -> Iterator[ConditionPhrase]:
    if condition.kind in ("most", "least"):
        yield from phrase_superlative(lexicalize_measure(condition, members))
    elif condition.kind in ("over", "under"):
        yield from phrase_bound(lexicalize_measure(condition, members))
    elif condition.kind in ("with", "without", "lacks"):
        yield from phrase_value(condition, members)


def _condition(ask: TurnPlan) -> Condition:
    if ask.condition is None:
        raise ValueError("what picks from a set needs a condition")
    return ask.condition
