"""Conditions on the members of a set as verb phrases: is longer than, was born first, does not star."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from chattyshared.language.inflection import head_noun, plain_label, singularize
from chattyshared.language.lexicon import word_lists, word_map, word_set
from chattyshared.language.quantities import unit_names
from chattyshared.language.wordnet import related_forms
from chattyshared.literals import parse_number

from chattygen.lexicalization.amounts import group_digits, render_amount, render_year
from chattygen.lexicalization.lexicon import EVENT_VERBS, FRACTIONAL_DATATYPES, MEASURE_ADJECTIVES
from chattygen.lexicalization.predicate_frames import ClauseFrame, PredicateFrame, adapt_frame, clause_from
from chattygen.lexicalization.predicate_lexicalization import lexicalize_predicate
from chattygen.lexicalization.rows import fill_slots, fitting_rows, texts_of_rows
from chattygen.lexicalization.step_lexicalization import lexicalize_step
from chattygen.lexicalization.word_forms import (
    are_events,
    are_persons,
    base_of_participle,
    is_mass_noun,
    join_words,
    name_in_sentence,
)
from chattygen.rulebook.set_phrases import NounRelation
from chattygen.turns import Condition

Scale = tuple[str, str, str, str]
"""The degrees of a measure: most, least, more, less (``longest``, ``shortest``, ``longer``, ``shorter``)."""
_SCALES: dict[str, Scale] = {
    adjective: (most, least, more, less)
    for adjective, (most, least, more, less) in word_lists("gradable_adjectives", "scales").items()
}
_MANY, _MUCH, _LATE, _OLD_THING = map(_SCALES.__getitem__, ("many", "much", "late", "old thing"))
_ADJECTIVES = {**MEASURE_ADJECTIVES, **word_map("gradable_adjectives", "by_compared_measure")}
_LONG_NOUNS = word_set("gradable_adjectives", "long_nouns")
_LARGE_NOUNS = word_set("gradable_adjectives", "large_nouns")
_TIME_MODIFIERS = word_set("gradable_adjectives", "time_modifiers")
_HIGH_KINDS = word_set("gradable_adjectives", "high_kinds")
_RANK_NOUNS = frozenset("rank ranking position place".split())


def scale_of_adjective(noun: str, kinds: Iterable[str]) -> Scale | None:
    """Return the scale of the adjective for a measure of things of these kinds (``length``: long); None if none."""
    labels = tuple(kinds)
    adjective = _ADJECTIVES.get(noun.lower(), "")
    if adjective == "tall" and {head_noun(plain_label(label)) for label in labels} & _HIGH_KINDS:
        adjective = "high"
    return _OLD_THING if adjective == "old" and not are_persons(labels) else _SCALES.get(adjective)


def scale_of_noun(noun: str) -> Scale:
    """Return the scale of the noun itself: the *highest* price, the *longest* cooking time, the *largest* area."""
    measure = noun.partition(" from ")[0]
    modifiers, head = measure.lower().split()[:-1], head_noun(measure)
    is_long = head in _LONG_NOUNS or (head == "time" and bool(_TIME_MODIFIERS & set(modifiers[-1:])))
    return _SCALES["long" if is_long else "large" if head in _LARGE_NOUNS else "high"]


def phrase_condition(condition: Condition, members: tuple[str, ...]) -> Iterator[ClauseFrame]:
    """Yield phrases for a condition that picks from members of some kinds."""
    use = _USES.get(condition.kind)
    if use is None:
        yield from phrase_value(condition, members)
    else:
        yield from phrase_measure(lexicalize_measure(condition, members), use)


def phrase_value(condition: Condition, members: tuple[str, ...]) -> Iterator[ClauseFrame]:
    """Yield phrases that members have a value, or do not have it; ``members``: their class labels."""
    step, values, is_incoming = condition.step, condition.class_labels, condition.step.direction == "in"
    is_negated = condition.kind == "without"
    frame = lexicalize_predicate(step.label, step.comment, condition.shape)
    if not (frame.noun or frame.clauses):
        frame = PredicateFrame(plain_label(step.label))
    frame = adapt_frame(frame, *((values, members) if is_incoming else (members, values)))
    value = name_in_sentence(condition.value, values or (frame.noun or frame.object_noun or "thing",))
    value = frame.with_article(value)
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
    if frame.noun and is_role_only and (is_negated or not frame.clauses):
        relation = NounRelation(frame, value, members, values, is_topic=False, is_negated=is_negated)
        clause = ClauseFrame("be", f"the {frame.noun}", preposition="of") if is_incoming else relation.as_clause()
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
        noun, counted = self.frame.noun or "value", self.frame.counted_noun
        if counted and not self.counted_noun:
            return counted if self.frame.unit else f"number of {counted}"
        return f"{noun} number" if head_noun(noun) in _RANK_NOUNS else noun

    @property
    def event_clause(self) -> ClauseFrame | None:
        """The clause for the event at that time; None if the measure is not the time of an event."""
        clauses = (one for one in self.frame.clauses if not one.is_inverse and one.preposition != "from")
        return next(clauses, None) if self.is_date else None

    @property
    def counted_noun(self) -> str:
        """The noun for the counted things (``goals``, ``home team goals``), or the empty string."""
        things, _, owner = self.frame.counted_noun.partition(" of the ")
        is_unit = things.split(" ")[0] in unit_names()  # hours afloat
        parts = bool(self.frame.unit) or (self.condition.datatype in FRACTIONAL_DATATYPES and not is_unit)
        return "" if self.is_date or (parts and not self.frame.event_verb) else join_words(owner, things)

    @property
    def adjective_scale(self) -> Scale | None:
        """The scale of the members themselves (*longer*); None if there is none."""
        if self.frame.noun == "year" and self.kinds and not are_events(self.kinds):
            return _SCALES["new"]
        return None if self.is_date else scale_of_adjective(self.frame.noun, self.kinds)

    @property
    def noun_scale(self) -> Scale:
        """The scale of the noun or of the counted things."""
        if self.counted_noun:
            return _MUCH if is_mass_noun(self.counted_noun) else _MANY
        return _LATE if self.is_date else scale_of_noun(self.noun)


def lexicalize_measure(condition: Condition, kinds: tuple[str, ...]) -> MeasuredCondition:
    """Lexicalize the measure of a condition."""
    frame = lexicalize_step(condition.step, condition.shape, kinds)
    if condition.shape == "date":
        frame = replace(frame, clauses=tuple(replace(clause, tense="past") for clause in frame.clauses))
    return MeasuredCondition(condition, frame, kinds)


MeasureUse = Literal["superlative", "comparative", "than", "bound"]
_USES: dict[str, MeasureUse] = {"most": "superlative", "least": "superlative", "over": "bound", "under": "bound"}


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
    is_most, counted = condition.kind in ("most", "over"), measure.counted_noun
    place = 2 * (use != "superlative") + (not is_most)
    complement = clause.complement if clause else ""
    if use == "bound" and measure.is_date:
        year = parse_number(condition.value)
        other = condition.value if year is None else render_year(int(year))
    elif use == "bound":
        other = render_amount(group_digits(condition.value, "" if counted else frame.noun), frame.unit)
    return {
        "use": use,
        "other": other,
        "is_most": is_most,
        "is_date": measure.is_date,
        "is_bare_date": measure.is_date and clause is None and frame.noun in ("", "date"),
        "event": clause.verb if clause else "",
        "tense": clause.tense if clause else "",
        "complement": complement,
        "first": "" if "first" in complement.split() else "first",  # was first made first
        "last": "" if {"first", "last"} & set(complement.split()) else "last",
        "when": "after" if is_most else "before",
        "adjective": scale[place] if scale is not None else "",
        "degree": measure.noun_scale[place],
        "much": _MUCH[place],
        "noun": measure.noun,
        "unit": frame.unit,
        "counted": counted,
        "acts": frame.event_verb,
        "things": singularize(counted) if counted and condition.value == "1" else counted,
    }


def phrase_order(measure: MeasuredCondition) -> Iterator[str]:
    """Yield phrases for the order of a list: ``from the shortest to the longest``, ``in order of release``."""
    is_rising, clause, scale = measure.condition.kind == "rising", measure.event_clause, measure.adjective_scale
    number_noun = f"number of {measure.counted_noun}" if measure.counted_noun else measure.noun
    event = (clause.verb, clause.complement) if clause is not None else ("", "")
    first, last = ((scale[not is_most] if scale else "") for is_most in (not is_rising, is_rising))
    traits: dict[str, Any] = {
        "is_date": measure.is_date,
        "order": "order" if is_rising else "reverse order",
        "rising": "increasing" if is_rising else "decreasing",
        "event_noun": next(_nouns_of_event(*event), ""),
        "event_said": replace(clause, preposition="").behind_subject("", True) if clause is not None else "",
        "date_noun": measure.frame.noun,
        "start": _LATE[is_rising],
        "end": _LATE[not is_rising],
        "adjective_start": first,
        "adjective_end": last,
        "number_noun": number_noun,
    }
    for text in texts_of_rows("questions", "order", traits):
        yield text[:1].lower() + text[1:]


def _nouns_of_event(verb: str, complement: str) -> Iterator[str]:
    """Yield nouns for an event by its clause: *opening* of ``be opened``, *withdrawal* of ``be withdrawn``."""
    yield from (noun for noun, said in EVENT_VERBS.items() if (verb, complement) == tuple(said[:2]))
    base = base_of_participle(complement) if verb == "be" else verb if not complement else ""
    yield from (noun for noun in related_forms(base) if noun.endswith(("ion", "ment", "nce", "al")))
