"""Conditions on the members of a set as verb phrases: is longer than, was born first, does not star."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from chattyshared.language.inflection import (
    add_indefinite_article,
    denote_persons,
    head_noun,
    is_plural,
    plain_label,
    singularize,
)
from chattyshared.language.lexicon import word_set
from chattyshared.language.wordnet import noun_kinds

from chattygen.lexicalization.amounts import group_digits, render_amount
from chattygen.lexicalization.lexicon import (
    EVENT_VERBS,
    FRACTIONAL_DATATYPES,
    MEASURE_ADJECTIVES,
)
from chattygen.lexicalization.predicate_frames import ClauseFrame, PredicateFrame, adapt_frame
from chattygen.lexicalization.predicate_lexicalization import lexicalize_predicate
from chattygen.lexicalization.step_lexicalization import lexicalize_step
from chattygen.lexicalization.word_forms import (
    auxiliary_and_verb,
    finite_form,
    is_mass_noun,
    join_words,
    name_in_sentence,
)
from chattygen.rulebook.gradable_adjectives import MANY, MUCH, Scale, is_rank, scale_of_adjective, scale_of_noun
from chattygen.rulebook.noun_relations import NounRelation
from chattygen.rulebook.referring_expressions import ReferringExpression
from chattygen.turns import Condition


@dataclass(frozen=True, slots=True)
class ConditionPhrase:
    """A verb phrase without its subject.

    Attributes:
        verb: The base form.
        tail: The words behind the verb.
        plural_tail: The words behind the verb of several subjects, where they differ.
        tense: The tense.
        subject: The subject of the sentence where the members are its object (``did Ann direct``).
        adjective: A superlative that can stand before the noun of the set.
        is_negated: Whether the phrase is in the negative.
        is_formula: Whether only the predicate's noun says it: ``have X as their contractor``.
    """

    verb: str
    tail: str
    plural_tail: str = ""
    tense: Literal["present", "past"] = "present"
    subject: str = ""
    adjective: str = ""
    is_negated: bool = False
    is_formula: bool = False

    def as_predicate(self, several: bool) -> str:
        """Return the phrase behind its subject or behind ``which of them``: ``is longer than B``, ``do not star X``."""
        tail = self.plural_tail if several and self.plural_tail else self.tail
        negation = "not" if self.is_negated else ""
        helper, verb = auxiliary_and_verb(self.verb, self.tense, several and not self.subject)
        if self.subject or negation or self.verb == "be":
            return join_words(helper, self.subject, negation, verb, tail)
        return join_words(finite_form(self.verb, self.tense, several), tail)

    def as_question(self, subject: ReferringExpression) -> str:
        """Return a yes-no question about a subject, without the question mark: ``Is X longer than B``."""
        tail = self.plural_tail if subject.is_plural and self.plural_tail else self.tail
        helper, verb = auxiliary_and_verb(self.verb, self.tense, subject.is_plural)
        negation = "not" if self.is_negated else ""
        return join_words(helper.capitalize(), subject.subject, negation, verb, tail)


def lexicalize_condition(condition: Condition) -> PredicateFrame:
    """Lexicalize the condition's predicate; its label is the noun where nothing else is known."""
    step = condition.step
    frame = lexicalize_predicate(step.label, step.comment, condition.shape)
    return frame if frame.noun or frame.clauses else PredicateFrame(plain_label(step.label), unit=frame.unit)


def phrase_value(condition: Condition, members: tuple[str, ...]) -> Iterator[ConditionPhrase]:
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
            yield ConditionPhrase(clause.verb, tail, tense=clause.tense, is_negated=is_negated)
        elif clause.is_inverse == is_incoming:
            has_plain_phrase = True
            yield phrase_clause(clause, value, is_negated=is_negated)
        elif not has_plain_phrase or not (is_negated or clause.preposition == "by"):
            tail = join_words(clause.complement, clause.preposition)
            yield ConditionPhrase(clause.verb, tail, tense=clause.tense, subject=value, is_negated=is_negated)
    if frame.noun and is_role_only:
        relation = NounRelation(frame, value, members, values, is_topic=False, is_negated=is_negated)
        clause = ClauseFrame("be", f"the {frame.noun}", preposition="of") if is_incoming else relation.as_clause()
        if is_negated or not frame.clauses:
            yield phrase_clause(clause, value, is_negated=is_negated)


def phrase_clause(clause: ClauseFrame, value: str, *, is_negated: bool = False) -> ConditionPhrase:
    """Return the phrase of a clause with a value as its object."""
    return ConditionPhrase(
        clause.verb, clause.tail(value, False), clause.tail(value, True), clause.tense,
        is_negated=is_negated, is_formula=clause.is_formula,
    )  # fmt: skip


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
        parts = bool(self.frame.unit) or self.condition.datatype in FRACTIONAL_DATATYPES
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
    def is_dimension(self) -> bool:
        """Whether the noun repeats the adjective: a thing is longer, and has no *longer length*."""
        return self.frame.noun.lower() in _DIMENSIONS

    @property
    def noun_scale(self) -> Scale:
        """The scale of the noun or of the counted things."""
        if self.counted_noun:
            return MUCH if is_mass_noun(self.counted_noun) else MANY
        if self.is_date:
            return Scale("latest", "earliest", "later", "earlier")
        return scale_of_noun(self.noun)


_DIMENSIONS = word_set("nouns", "dimensions")


def lexicalize_measure(condition: Condition, kinds: tuple[str, ...]) -> MeasuredCondition:
    """Lexicalize the measure of a condition."""
    frame = lexicalize_step(condition.step, condition.shape, kinds)
    if condition.shape == "date":
        frame = replace(frame, clauses=tuple(replace(clause, tense="past") for clause in frame.clauses))
    if condition.shape == "date" and not frame.noun and not frame.clauses:
        frame = PredicateFrame("date")
    return MeasuredCondition(condition, frame, kinds)


def phrase_superlative(measure: MeasuredCondition) -> Iterator[ConditionPhrase]:
    """Yield phrases for the greatest or the smallest value: ``is the longest``, ``was born first``."""
    pick, scale = measure.condition.kind, measure.adjective_scale
    times = ("last", "most recently") if pick == "most" else ("first", "earliest")
    if _is_happening_cost(measure):
        yield ConditionPhrase("cost", MUCH.superlative(pick), tense="past")
        return
    if _is_bare_date(measure):
        yield ConditionPhrase("be", "the most recent" if pick == "most" else "the earliest")
        return
    adjective = scale.superlative(pick) if scale is not None else ""
    phrase = ConditionPhrase("be", f"the {adjective}", adjective=adjective)
    yield from _degree_phrases(measure, times, phrase, measure.noun_scale.superlative(pick))


def phrase_bound(measure: MeasuredCondition) -> Iterator[ConditionPhrase]:
    """Yield phrases for a value beyond a bound: ``is longer than 120 minutes``, ``was released after 1990``."""
    is_over, bound = measure.condition.kind == "over", measure.condition.value
    if measure.is_date:
        when = f"{'after' if is_over else 'before'} {bound}"
        if measure.event_clause is not None:
            yield _event_phrase(measure.event_clause, when)
        else:
            yield ConditionPhrase(
                "have", _with_article(measure.noun, when), plural_tail=_with_article(measure.noun, when)
            )
        return
    limit = render_amount(group_digits(bound, "" if measure.counted_noun else measure.frame.noun), measure.frame.unit)
    if measure.counted_noun:
        verb, tense = (measure.frame.event_verb, "past") if measure.frame.event_verb else ("have", "present")
        things = singularize(measure.counted_noun) if bound == "1" else measure.counted_noun
        tail = f"{measure.noun_scale.comparative(measure.condition.kind)} than {limit} {things}"
        yield ConditionPhrase(verb, tail, tense=tense)  # type: ignore[arg-type]
        return
    if measure.noun in ("price", "cost"):
        yield ConditionPhrase("cost", f"{'more' if is_over else 'less'} than {limit}")
        return
    if measure.adjective_scale is not None and measure.frame.unit and measure.noun != "population":
        yield ConditionPhrase("be", f"{measure.adjective_scale.comparative(measure.condition.kind)} than {limit}")
        return
    for word in ("of more than", "over") if is_over else ("of less than", "under"):
        yield ConditionPhrase("have", _with_article(measure.noun, f"{word} {limit}"))


def _with_article(noun: str, rest: str) -> str:
    return f"{add_indefinite_article(noun)} {rest}"


def phrase_comparison(measure: MeasuredCondition, other: ReferringExpression) -> Iterator[ConditionPhrase]:
    """Yield phrases for a value beyond that of another entity: ``is longer than B``, ``was born before B``."""
    pick = measure.condition.kind
    if measure.event_clause is not None:
        yield _event_phrase(measure.event_clause, f"{'after' if pick == 'most' else 'before'} {other.object}")
        yield _event_phrase(measure.event_clause, f"{measure.noun_scale.comparative(pick)} than {other.object}")
        return
    if measure.adjective_scale is not None:
        yield ConditionPhrase("be", f"{measure.adjective_scale.comparative(pick)} than {other.object}")
        return
    if measure.counted_noun:
        verb, tense = (measure.frame.event_verb, "past") if measure.frame.event_verb else ("have", "present")
        tail = f"{measure.noun_scale.comparative(pick)} {measure.counted_noun} than {other.object}"
        yield ConditionPhrase(verb, tail, tense=tense)  # type: ignore[arg-type]
        return
    yield ConditionPhrase("have", f"{_degree_with_article(measure, pick)} {measure.noun} than {other.object}")


def _degree_with_article(measure: MeasuredCondition, pick: str) -> str:
    degree = measure.noun_scale.comparative(pick)
    if is_plural(measure.noun):
        return degree
    return f"{'an' if degree[0] in 'aeiou' else 'a'} {degree}"


def phrase_comparative(measure: MeasuredCondition) -> Iterator[ConditionPhrase]:
    """Yield phrases for the greater or the smaller value of two: ``is longer``, ``was born first``."""
    pick, scale = measure.condition.kind, measure.adjective_scale
    times = ("later", "more recently") if pick == "most" else ("earlier", "first")
    if _is_happening_cost(measure):
        yield ConditionPhrase("cost", MUCH.comparative(pick), tense="past")
        return
    if _is_bare_date(measure):
        yield ConditionPhrase("be", "more recent" if pick == "most" else "earlier")
        return
    phrase = ConditionPhrase("be", scale.comparative(pick) if scale is not None else "")
    yield from _degree_phrases(measure, times, phrase, measure.noun_scale.comparative(pick))


def _is_bare_date(measure: MeasuredCondition) -> bool:
    """Tell whether a measure is a date that says no event: the date of a letter."""
    return measure.is_date and measure.event_clause is None and measure.frame.noun == "date"


def _is_happening_cost(measure: MeasuredCondition) -> bool:
    """Tell whether a measure is the cost of what happens once: a repair cost more, a tool is more expensive."""
    kinds = [noun_kinds(head_noun(plain_label(kind)))[:1] for kind in measure.kinds]
    return measure.noun == "cost" and kinds[:1] in ([("act",)], [("event",)]) and ("artifact",) not in kinds


def _degree_phrases(
    measure: MeasuredCondition, times: tuple[str, ...], adjective_phrase: ConditionPhrase, degree: str
) -> Iterator[ConditionPhrase]:
    if measure.event_clause is not None:
        for when in times:
            if when not in measure.event_clause.complement.split():  # was first made first
                yield _event_phrase(measure.event_clause, when)
        return
    if measure.adjective_scale is not None:
        yield adjective_phrase
        if measure.is_dimension:
            return
    if measure.counted_noun:
        verb, tense = (measure.frame.event_verb, "past") if measure.frame.event_verb else ("have", "present")
        yield ConditionPhrase(verb, f"{degree} {measure.counted_noun}", tense=tense)  # type: ignore[arg-type]
        return
    dimension, article, part = measure.noun.partition(" of a ")
    is_of_part = bool(article) and dimension in MEASURE_ADJECTIVES  # the length of a skein
    yield ConditionPhrase("have", f"the {degree} {part if is_of_part else measure.noun}")


def _event_phrase(clause: ClauseFrame, when: str) -> ConditionPhrase:
    return ConditionPhrase(clause.verb, join_words(clause.complement, when), tense=clause.tense)


def phrase_order(measure: MeasuredCondition) -> Iterator[str]:
    """Yield phrases for the order of a list: ``from the shortest to the longest``, ``in order of release``."""
    is_rising = measure.condition.kind == "rising"
    first, last = ("least", "most") if is_rising else ("most", "least")
    if measure.is_date:
        yield from _time_order(measure, is_rising)
        return
    if measure.adjective_scale is not None:
        scale = measure.adjective_scale
        yield f"from the {scale.superlative(first)} to the {scale.superlative(last)}"
        yield f"in {'increasing' if is_rising else 'decreasing'} order of {measure.noun}"
        return
    noun = f"number of {measure.counted_noun}" if measure.counted_noun else measure.noun
    yield f"in {'increasing' if is_rising else 'decreasing'} order of {noun}"
    degrees = scale_of_noun(noun)
    yield f"from the {degrees.superlative(first)} {noun} to the {degrees.superlative(last)}"


def _time_order(measure: MeasuredCondition, is_rising: bool) -> Iterator[str]:
    noun = measure.frame.noun or "date"
    first, last = ("earliest", "latest") if is_rising else ("latest", "earliest")
    event = _event_noun(measure.event_clause) if measure.event_clause is not None else ""
    ages = _age_words(event, measure.kinds)
    if ages:
        yield f"from the {ages[not is_rising]} to the {ages[is_rising]}"
    if event and is_rising:
        yield f"in order of {event}"
    elif event:
        yield f"in reverse order of {event}"
    if measure.frame.noun or not event:
        yield f"from the {first} {noun} to the {last}"
        yield f"in order of {noun}, {first} first"
    if measure.frame.noun and is_rising:
        yield f"by {noun}"


def _age_words(event: str, kinds: tuple[str, ...]) -> tuple[str, str] | None:
    """Return the words for the first and the last of an order by age, if the event is a beginning; else None."""
    if event == "birth" and denote_persons(kinds):
        return "oldest", "youngest"
    return ("oldest", "newest") if event in ("founding", "establishment", "opening", "construction") else None


def _event_noun(clause: ClauseFrame) -> str:
    """Return the noun for an event: ``birth``, ``release``; "" where none is known."""
    nouns = (
        noun
        for noun, (verb, complement, _) in EVENT_VERBS.items()
        if (verb, complement) == (clause.verb, clause.complement)
    )
    return next(nouns, "")
