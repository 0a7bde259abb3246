"""Questions about a set: which of its members is the longest, which are longer than, how many do not star X, or all of
them in an order; and which of two things is the longer one."""

from __future__ import annotations

from collections.abc import Iterator

from chattyshared.language.inflection import class_noun, pluralize

from chattygen.lexicalization.lexicon import GENERAL_PERSON_NOUNS
from chattygen.lexicalization.rows import texts_of_rows
from chattygen.lexicalization.word_forms import are_persons
from chattygen.rulebook.condition_phrases import lexicalize_measure, phrase_condition, phrase_measure, phrase_order
from chattygen.rulebook.dialogue_rewriting import replace_name
from chattygen.rulebook.fact_questions import (
    AS_RECORDED,
    ask_of_record,
    lexicalize_fact,
    realize_fact_question,
    topic_of,
)
from chattygen.rulebook.referring_expressions import (
    IT,
    ReferringExpression,
    refer_by_name,
    refer_by_pronoun,
    short_noun_of,
    shorten_noun,
)
from chattygen.rulebook.set_phrases import SetPhrase, lexicalize_set
from chattygen.turns import Condition, TurnSpec

_STRANDED = (" of", " in", " at", " on", " to", " for", " with", " from")
"""Prepositions behind which a verb reads badly."""
_PICKS = {"most": "one", "least": "one"}


def word_turn(turn: TurnSpec, reference: ReferringExpression | None) -> Iterator[str]:
    """Yield English questions of a turn, the most natural first; ``reference`` refers to its entity (None: it is about
    the answers of an earlier turn)."""
    condition = turn.condition
    if condition is not None and not turn.is_ordered:
        texts = _choices(turn, condition, reference)
        yield from map(ask_of_record, texts) if turn.is_of_class else texts
    elif condition is not None and reference is None:
        (members, *_) = lexicalize_plan_set(turn, refer_by_name(turn.entity))
        for order in phrase_order(lexicalize_measure(condition, turn.fact.class_labels)):
            yield f"{'Who' if members.is_person else 'What'} are they, {order}?"
    else:
        is_name = reference is None or reference == refer_by_name(turn.entity)
        for text in realize_fact_question(turn.entity, turn.fact, turn.form):
            text = text if is_name or reference is None else replace_name(text, turn.entity.label, reference)
            if condition is None:
                yield text
            elif text.startswith("Wh") and not text.startswith("Whose "):
                orders = phrase_order(lexicalize_measure(condition, turn.fact.class_labels))
                said, record, _ = text.rstrip("?").partition(AS_RECORDED)
                yield from (f"{said}, {order}{record}?" for order in orders)


def lexicalize_plan_set(plan: TurnSpec, owner: ReferringExpression) -> tuple[SetPhrase, ...]:
    """Return the noun phrases for the set of a turn."""
    if plan.is_of_class:
        return (SetPhrase(class_noun(plan.fact.class_labels[0]), "", plan.fact.class_labels),)
    topic, kinds = topic_of(plan.entity, plan.fact, owner)
    return lexicalize_set(plan.fact, lexicalize_fact(plan.entity, plan.fact), topic, kinds)


def _choices(plan: TurnSpec, condition: Condition, owner: ReferringExpression | None) -> Iterator[str]:
    """Ask for one member of a set, for some, or for their number; without an owner, of the last answers."""
    use = "number" if plan.kind.is_count else _PICKS.get(condition.kind, "some")
    sets = lexicalize_plan_set(plan, owner or refer_by_name(plan.entity))
    table = "choice_of_class" if plan.is_of_class else "choice" if owner is not None else "choice_of_them"
    for phrase in phrase_condition(condition, plan.fact.class_labels):
        for members in sets if owner is not None else sets[:1]:
            is_stranded = (members.plural_modifier or members.modifier).endswith(_STRANDED)
            short_noun = "" if members.noun in ("", "thing") or len(members.noun.split()) > 3 else members.noun
            traits = {
                "use": use, "one": phrase.as_predicate(False), "many": phrase.as_predicate(True),
                "whole": members.whole_phrase(), "noun": members.noun, "possessive": members.possessive,
                "member": "" if is_stranded or members.noun == "person" else members.member_phrase(),
                "member_phrase": members.member_phrase(), "plural": "" if is_stranded else members.plural_phrase(),
                "nouns": pluralize(shorten_noun(short_noun)) if short_noun else "", "adjective": phrase.adjective,
                "plain_adjective": "" if phrase.adjective.startswith("least") else phrase.adjective,
                "who": "Who" if members.is_person else "What", "who_among": "Who" if members.is_person else "",
            }  # fmt: skip
            yield from texts_of_rows("questions", table, traits)


def realize_comparison(plan: TurnSpec, one: ReferringExpression) -> Iterator[str]:
    """Ask which of two entities has the greater or smaller value, or whether the first has it (``one``)."""
    assert plan.condition is not None and plan.other_entity is not None
    measure, other = lexicalize_measure(plan.condition, plan.entity.class_labels), refer_by_name(plan.other_entity)
    if plan.is_yes_no:
        for phrase in phrase_measure(measure, "than", other.object):
            yield phrase.as_question(one.subject, one.is_plural)
        return
    first, noun = _contrastive_subject(one, plan), short_noun_of(plan.entity)
    say_who = are_persons(plan.entity.class_labels) and refer_by_pronoun(plan.entity) != IT
    has_noun = plan.entity.noun and plan.entity.noun == plan.other_entity.noun and not say_who and noun not in first
    for phrase in phrase_measure(measure, "comparative"):
        traits = {
            "which": "Who" if say_who else "Which", "noun": noun if has_noun else "", "one": first,
            "other": other.subject, "is": phrase.as_predicate(False), "named": one == refer_by_name(plan.entity),
            "who": "who" if say_who else "which",
        }  # fmt: skip
        yield from texts_of_rows("questions", "comparison", traits)


def _contrastive_subject(one: ReferringExpression, plan: TurnSpec) -> str:
    """Return the first entity as a subject beside the other's name: no bare ``it`` or ``they``."""
    noun, is_gendered = short_noun_of(plan.entity), one.subject in ("he", "she")
    if noun in GENERAL_PERSON_NOUNS and not is_gendered:
        return refer_by_name(plan.entity).subject
    is_odd = is_gendered and not are_persons(plan.entity.class_labels)
    rival = f"the {short_noun_of(plan.other_entity)}" if plan.other_entity is not None else ""
    return f"this {noun}" if is_odd or one.subject in ("it", "they", rival) else one.subject
