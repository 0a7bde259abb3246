"""Conditions on the members of a set as verb phrases: is longer than, was born first, does not star."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from chattyshared.language.inflection import (
    head_noun,
    is_plural,
    plain_label,
    singularize,
)
from chattyshared.language.quantities import unit_names
from chattyshared.language.wordnet import noun_kinds

from chattygen.lexicalization.amounts import group_digits, render_amount
from chattygen.lexicalization.lexicon import (
    EVENT_VERBS,
    FRACTIONAL_DATATYPES,
)
from chattygen.lexicalization.predicate_frames import ClauseFrame, PredicateFrame, adapt_frame, clause_from
from chattygen.lexicalization.predicate_lexicalization import lexicalize_predicate
from chattygen.lexicalization.rows import fill_slots, fitting_rows, texts_of_rows
from chattygen.lexicalization.step_lexicalization import lexicalize_step
from chattygen.lexicalization.word_forms import (
    are_persons,
    is_mass_noun,
    join_words,
    name_in_sentence,
)
from chattygen.rulebook.gradable_adjectives import MANY, MUCH, Scale, is_rank, scale_of_adjective, scale_of_noun
from chattygen.rulebook.noun_relations import NounRelation
from chattygen.turns import Condition


def lexicalize_condition(condition: Condition) -> PredicateFrame:
    """Lexicalize the condition's predicate; its label is the noun where nothing else is known."""
    step = condition.step
    frame = lexicalize_predicate(step.label, step.comment, condition.shape)
    return frame if frame.noun or frame.clauses else PredicateFrame(plain_label(step.label), unit=frame.unit)


def phrase_value(condition: Condition, members: tuple[str, ...]) -> Iterator[ClauseFrame]:
    """Yield phrases that members have a value, or do not have it; ``members``: their class labels."""
    is_incoming, is_negated = condition.step.direction == "in", condition.kind == "without"
    values = condition.class_labels
    frame = adapt_frame(lexicalize_condition(condition), *((values, members) if is_incoming else (members, values)))
    value = name_in_sentence(condition.value, values)
    is_role_only = bool(frame.noun) and all(clause.is_inverse != is_incoming for clause in frame.clauses)
    has_plain_phrase = is_negated and is_role_only
    for clause in sorted(frame.clauses, key=lambda one: one.is_inverse != is_incoming):
        if frame.event_verb:
            noun = frame.noun if frame.noun.lower() not in value.lower() else ""
            tail = join_words("the" if noun else "", noun, value)
            yield ClauseFrame(clause.verb, tail, tense=clause.tense, is_negated=is_negated)
        elif clause.is_inverse == is_incoming:
            has_plain_phrase = True
            yield replace(clause.with_object(value), is_negated=is_negated)
        elif not has_plain_phrase or not (is_negated or clause.preposition == "by"):
            tail = join_words(clause.complement, clause.preposition)
            yield ClauseFrame(clause.verb, tail, tense=clause.tense, subject=value, is_negated=is_negated)
    if frame.noun and is_role_only:
        relation = NounRelation(frame, value, members, values, is_topic=False, is_negated=is_negated)
        clause = ClauseFrame("be", f"the {frame.noun}", preposition="of") if is_incoming else relation.as_clause()
        if is_negated or not frame.clauses:
            yield replace(clause.with_object(value), is_negated=is_negated)


@dataclass(frozen=True, slots=True)
class MeasuredCondition:
    """The measure of a condition on members of some kinds, in English."""

    condition: Condition
    frame: PredicateFrame
    kinds: tuple[str, ...] = ()

    @property
    def is_date(self) -> bool:
        """Whether the measure is a time: a date, or a number that is a year."""
        return self.condition.shape == "date" or "year" in self.frame.noun.lower().split()

    @property
    def noun(self) -> str:
        """The noun for the value; a rank is a *rank number*, for the highest rank has the number one."""
        noun = self.frame.noun or "value"
        if self.frame.counted_noun and not self.counted_noun:
            return self.frame.counted_noun if self.frame.unit else f"number of {self.frame.counted_noun}"
        return f"{noun} number" if is_rank(noun) else noun

    @property
    def event_clause(self) -> ClauseFrame | None:
        """The clause for the event at that time; None if the measure is not the time of an event."""
        clauses = (one for one in self.frame.clauses if not one.is_inverse and one.preposition != "from")
        return next(clauses, None) if self.is_date else None

    @property
    def counted_noun(self) -> str:
        """The noun for the counted things, or the empty string."""
        is_unit = self.frame.counted_noun.split(" ")[0] in unit_names()  # hours afloat
        parts = bool(self.frame.unit) or (self.condition.datatype in FRACTIONAL_DATATYPES and not is_unit)
        return "" if self.is_date or (parts and not self.frame.event_verb) else self.frame.counted_noun

    @property
    def adjective_scale(self) -> Scale | None:
        """The scale of the members themselves (*longer*); None if there is none."""
        if (
            self.frame.noun == "year"
            and self.kinds
            and noun_kinds(head_noun(plain_label(self.kinds[0])))[:1] != ("event",)
        ):
            return Scale("newest", "oldest", "newer", "older")
        return None if self.is_date else scale_of_adjective(self.frame.noun, self.kinds)

    @property
    def noun_scale(self) -> Scale:
        """The scale of the noun or of the counted things."""
        if self.counted_noun:
            return MUCH if is_mass_noun(self.counted_noun) else MANY
        if self.is_date:
            return Scale("latest", "earliest", "later", "earlier")
        return scale_of_noun(self.noun)


def lexicalize_measure(condition: Condition, kinds: tuple[str, ...]) -> MeasuredCondition:
    """Lexicalize the measure of a condition."""
    frame = lexicalize_step(condition.step, condition.shape, kinds)
    if condition.shape == "date":
        frame = replace(frame, clauses=tuple(replace(clause, tense="past") for clause in frame.clauses))
    if condition.shape == "date" and not frame.noun and not frame.clauses:
        frame = PredicateFrame("date")
    return MeasuredCondition(condition, frame, kinds)


MeasureUse = Literal["superlative", "comparative", "than", "bound"]


def phrase_measure(measure: MeasuredCondition, use: MeasureUse, other: str = "") -> Iterator[ClauseFrame]:
    """Yield phrases for a measure: ``is the longest``, ``is longer``, ``is longer than B``, ``was born after 1990``.

    ``other`` is what it is compared with (than); a bound is that of the condition.
    """
    traits = _measure_traits(measure, use, other)
    for row, groups in fitting_rows("questions", "measure", traits):
        clause = clause_from({"verb": "be", **row}, traits, groups)
        for tail in (fill_slots(template, traits, groups) for template in row["tails"]):
            if tail:
                yield replace(clause, complement=tail, adjective=traits["adjective"] if "before_noun" in row else "")


def _measure_traits(measure: MeasuredCondition, use: MeasureUse, other: str) -> dict[str, Any]:
    """Return what the rows of measures know."""
    condition, frame, clause, scale = measure.condition, measure.frame, measure.event_clause, measure.adjective_scale
    pick, counted = condition.kind, measure.counted_noun
    name = "superlative" if use == "superlative" else "comparative"
    degree = getattr(measure.noun_scale, name)(pick)
    complement = clause.complement if clause else ""
    kinds = [noun_kinds(head_noun(plain_label(kind)))[:1] for kind in measure.kinds]
    if use == "bound" and not measure.is_date:
        other = render_amount(group_digits(condition.value, "" if counted else frame.noun), frame.unit)
    return {
        "use": use,
        "other": condition.value if use == "bound" and measure.is_date else other,
        "is_most": pick in ("most", "over"),
        "is_date": measure.is_date,
        "is_bare_date": measure.is_date and clause is None and frame.noun == "date",
        "is_cost_of_act": measure.noun == "cost"
        and kinds[:1] in ([("act",)], [("event",)]) and ("artifact",) not in kinds,
        "event": clause.verb if clause else "",
        "tense": clause.tense if clause else "",
        "complement": complement,
        "first": "" if "first" in complement.split() else "first",  # was first made first
        "last": "" if "last" in complement.split() else "last",
        "when": "after" if pick in ("most", "over") else "before",
        "adjective": getattr(scale, name)(pick) if scale is not None else "",
        "degree": degree,
        "a_degree": degree if is_plural(measure.noun) else f"{'an' if degree[0] in 'aeiou' else 'a'} {degree}",
        "much": getattr(MUCH, name)(pick),
        "noun": measure.noun,
        "unit": frame.unit,
        "counted": counted,
        "acts": frame.event_verb,
        "things": singularize(counted) if counted and condition.value == "1" else counted,
    }  # fmt: skip


def phrase_order(measure: MeasuredCondition) -> Iterator[str]:
    """Yield phrases for the order of a list: ``from the shortest to the longest``, ``in order of release``."""
    is_rising, clause, scale = measure.condition.kind == "rising", measure.event_clause, measure.adjective_scale
    picks = ("least", "most") if is_rising else ("most", "least")
    events = [noun for noun, event in EVENT_VERBS.items() if clause and event[:2] == (clause.verb, clause.complement)]
    number_noun = f"number of {measure.counted_noun}" if measure.counted_noun else measure.noun
    traits: dict[str, Any] = {
        "is_date": measure.is_date, "is_rising": is_rising, "rising": "increasing" if is_rising else "decreasing",
        "event_noun": next(iter(events), ""), "of_persons": are_persons(measure.kinds),
        "own_noun": measure.frame.noun, "noun": measure.noun, "number_noun": number_noun,
    }  # fmt: skip
    for name, pick in zip(("start", "end"), picks, strict=True):
        traits[name] = "earliest" if pick == "least" else "latest"
        traits[f"adjective_{name}"] = scale.superlative(pick) if scale is not None else ""
        traits[f"number_{name}"] = scale_of_noun(number_noun).superlative(pick)
    for text in texts_of_rows("questions", "order", traits):
        yield text[:1].lower() + text[1:]
