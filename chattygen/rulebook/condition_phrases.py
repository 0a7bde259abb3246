"""What a condition says of the members of a set, as verb phrases: is longer than, was born first, does not star."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from chattyshared.language.inflection import (
    add_indefinite_article,
    denote_persons,
    head_noun,
    is_mass_noun,
    is_plural,
    name_in_sentence,
    past_tense,
    plain_label,
    pluralize,
    singularize,
    third_person,
)
from chattyshared.language.lexicon import word_set
from chattyshared.language.quantities import group_digits, render_amount

from chattygen.rulebook.clause_questions import form_of_be
from chattygen.rulebook.gradable_adjectives import MANY, MUCH, Scale, is_rank, scale_of_adjective, scale_of_noun
from chattygen.rulebook.lexicon import (
    COUNTRY_NOUNS,
    EVENT_VERBS,
    FRACTIONAL_DATATYPES,
    LANGUAGE_NOUNS,
    MEMBERSHIP_NOUNS,
    OCCUPATION_NOUNS,
    SHARED_ROLES,
)
from chattygen.rulebook.predicate_frames import ClauseFrame, PredicateFrame, adapt_frame
from chattygen.rulebook.predicate_lexicalization import lexicalize_predicate
from chattygen.rulebook.referring_expressions import ReferringExpression
from chattygen.stages.turn_plan import Condition


@dataclass(frozen=True, slots=True)
class ConditionPhrase:
    """A verb phrase without its subject: a base form, what follows it, what follows it for several subjects.

    ``giver`` is the subject of the sentence where the set's members are its object (``did Ann direct``); ``adjective``
    is a superlative that can stand before the set's noun; ``is_not``: it is to be said in the negative.
    """

    verb: str
    tail: str
    plural_tail: str = ""
    tense: Literal["present", "past"] = "present"
    subject: str = ""
    adjective: str = ""
    is_negated: bool = False

    def as_predicate(self, several: bool) -> str:
        """Return it behind its subject: ``is longer than B``, ``do not star X``; behind ``which of them``, too."""
        tail = self.plural_tail if several and self.plural_tail else self.tail
        no = "not" if self.is_negated else ""
        if self.subject:
            return join_words(self._helper(False), self.subject, no, "" if self.verb == "be" else self.verb, tail)
        if self.verb == "be":
            return join_words(form_of_be(self.tense, several), no, tail)
        if self.is_negated:
            return join_words(self._helper(several), no, self.verb, tail)
        verb = past_tense(self.verb) if self.tense == "past" else self.verb if several else third_person(self.verb)
        return join_words(verb, tail)

    def as_question(self, subject: ReferringExpression) -> str:
        """Return it as a yes-no question about a subject, without the mark: ``Is X longer than B``."""
        tail = self.plural_tail if subject.is_plural and self.plural_tail else self.tail
        verb = "" if self.verb == "be" else self.verb
        asked = join_words(
            self._helper(subject.is_plural), subject.subject, "not" if self.is_negated else "", verb, tail
        )
        return asked[:1].upper() + asked[1:]

    def _helper(self, several: bool) -> str:
        if self.verb == "be":
            return form_of_be(self.tense, several)
        return "did" if self.tense == "past" else "do" if several else "does"


def join_words(*parts: str) -> str:
    """Join what there is with spaces."""
    return " ".join(part for part in parts if part)


def lexicalize_condition(condition: Condition) -> PredicateFrame:
    """Read the condition's predicate; its label is the noun where nothing else is known."""
    step = condition.step
    found = lexicalize_predicate(step.label, step.comment, condition.shape)
    return found if found.noun or found.clauses else PredicateFrame(plain_label(step.label), unit=found.unit)


def phrase_value(condition: Condition, members: tuple[str, ...]) -> Iterator[ConditionPhrase]:
    """Say that members of these kinds have a given value, have it not, or have none at all."""
    pair = (members, condition.class_labels) if condition.step.direction == "out" else (condition.class_labels, members)
    found = adapt_frame(lexicalize_condition(condition), *pair)
    if condition.kind == "lacks":
        yield from _lacking(condition, found)
        return
    value = name_in_sentence(condition.value, condition.class_labels)
    no = condition.kind == "without"
    pointing = condition.step.direction == "in"
    said_plainly = False
    for clause in sorted(found.clauses, key=lambda one: one.is_inverse != pointing):
        if found.event_verb:
            noun = found.noun if found.noun.lower() not in value.lower() else ""
            yield ConditionPhrase(
                clause.verb, join_words("the" if noun else "", noun, value), tense=clause.tense, is_negated=no
            )
        elif clause.is_inverse == pointing:
            said_plainly = True
            yield ConditionPhrase(
                clause.verb, join_words(clause.complement, clause.preposition, value),
                plural_tail=join_words(clause.predicate(True), clause.preposition, value)
                if clause.plural_complement else "",
                tense=clause.tense, is_negated=no,
            )  # fmt: skip
        elif not said_plainly or not (no or clause.preposition == "by"):
            yield ConditionPhrase(
                clause.verb,
                join_words(clause.complement, clause.preposition),
                tense=clause.tense,
                subject=value,
                is_negated=no,
            )
    if found.noun and not found.clauses:
        yield from _by_noun(found.noun, value, pointing=pointing, of_person=denote_persons(members), no=no)


def _by_noun(noun: str, value: str, *, pointing: bool, of_person: bool, no: bool) -> Iterator[ConditionPhrase]:
    if pointing:
        yield ConditionPhrase("be", f"the {noun} of {value}", is_negated=no)
        return
    if is_occupation_value(noun, value):
        yield ConditionPhrase("work", f"as {add_indefinite_article(value)}", is_negated=no)
        return
    if noun in LANGUAGE_NOUNS:
        yield ConditionPhrase(
            "speak",
            f"{value} as {'their' if of_person else 'its'} {noun}",
            plural_tail=f"{value} as their {noun}",
            is_negated=no,
        )
        return
    if noun in ("price", "cost"):
        yield ConditionPhrase("cost", value, is_negated=no)
        return
    if noun in COUNTRY_NOUNS:
        yield ConditionPhrase("be", f"from {value}", is_negated=no)
    own = "their" if of_person else "its"
    whole = phrase_membership(value, noun)
    if whole:
        yield ConditionPhrase("belong", f"to {whole}", is_negated=no)
        return
    if head_noun(noun) in SHARED_ROLES:
        yield ConditionPhrase("have", f"{value} as {add_indefinite_article(noun)}", is_negated=no)
        return
    yield ConditionPhrase("have", f"{value} as {own} {noun}", plural_tail=f"{value} as their {noun}", is_negated=no)


def _lacking(condition: Condition, found: PredicateFrame) -> Iterator[ConditionPhrase]:
    """Say that the KG states nothing: ``have no spouse``, ``are not located anywhere``."""
    if condition.step.direction == "in":
        nobody = "anyone" if denote_persons(condition.class_labels) else "anything"
        if found.noun and not found.clauses:
            yield ConditionPhrase("be", f"the {found.noun} of {nobody}", is_negated=True)
        for clause in found.clauses[:1]:
            yield _turned(clause, nobody, pointing=True)
        return
    if found.event_verb:
        yield ConditionPhrase(
            found.event_verb, f"any {pluralize(found.noun)}", tense=found.clauses[0].tense, is_negated=True
        )
    elif found.counted_noun or found.noun:
        yield ConditionPhrase(
            "have", f"no {found.noun or found.counted_noun}", plural_tail=f"no {found.noun or found.counted_noun}"
        )
    elif found.clauses:
        clause = found.clauses[0]
        by = any(one.preposition == "by" or one.is_inverse for one in found.clauses)
        person = denote_persons(condition.class_labels) or (by and not condition.class_labels)
        if condition.shape in ("date", "number"):
            yield ConditionPhrase("have", f"no {plain_label(condition.step.label)} date")
        elif clause.preposition in ("in", "at") and not person:
            yield ConditionPhrase(
                clause.verb, join_words(clause.complement, "anywhere"), tense=clause.tense, is_negated=True
            )
        else:
            yield _turned(clause, "anyone" if person else "anything", pointing=False)


def _turned(clause: ClauseFrame, whatever: str, *, pointing: bool) -> ConditionPhrase:
    if clause.is_inverse == pointing:
        return ConditionPhrase(
            clause.verb,
            join_words(clause.complement, clause.preposition, whatever),
            tense=clause.tense,
            is_negated=True,
        )
    giver = {"anyone": "nobody", "anything": "nothing"}[whatever]
    return ConditionPhrase(
        clause.verb, join_words(clause.complement, clause.preposition), tense=clause.tense, subject=giver
    )


def is_occupation_value(noun: str, value: str) -> bool:
    """Tell whether a value under a noun says what somebody does (``occupation``, ``painter``)."""
    is_role = denote_persons([value]) or head_noun(value).endswith(("er", "or", "ian", "ant"))
    return noun in OCCUPATION_NOUNS and value[:1].islower() and is_role


def is_membership_noun(noun: str) -> bool:
    """Tell whether a noun is one for what things belong to: a genre, a plant family; but nobody's licence class."""
    return noun in MEMBERSHIP_NOUNS or (
        head_noun(noun) in MEMBERSHIP_NOUNS and head_noun(noun) not in ("class", "order")
    )


def phrase_membership(value: str, noun: str) -> str:
    """Name what something belongs to: ``the genre satire``, ``the Lind Collection``; empty where that reads badly.

    Who has a name of their own (a collection, a range) must say in it what they are, or *belongs to* could mean more.
    """
    if not is_membership_noun(noun):
        return ""
    if head_noun(noun) in value.lower().split():
        return value if value.lower().startswith("the ") or value[:1].islower() else f"the {value}"
    return "" if head_noun(noun) in _PROPER else f"the {noun} {value}"


_PROPER = frozenset("collection range chain".split())


@dataclass(frozen=True, slots=True)
class MeasuredCondition:
    """What a condition measures on members of some kinds, read as English."""

    condition: Condition
    frame: PredicateFrame
    kinds: tuple[str, ...] = ()

    @property
    def is_date(self) -> bool:
        """Whether it is a time: a date, or a number that is a year."""
        return self.condition.shape == "date" or "year" in self.frame.noun.lower().split()

    @property
    def noun(self) -> str:
        """The noun for the value; a rank is called a number, for the highest rank is the one with the number one."""
        noun = self.frame.noun or "value"
        if self.frame.counted_noun and not self.counted_noun:
            return self.frame.counted_noun
        return f"{noun} number" if is_rank(noun) else noun

    @property
    def event_clause(self) -> ClauseFrame | None:
        """What happened at that time, if it is a time at which something happens."""
        return (
            next(
                (clause for clause in self.frame.clauses if not clause.is_inverse and clause.preposition != "from"),
                None,
            )
            if self.is_date
            else None
        )

    @property
    def counted_noun(self) -> str:
        """The noun for the things whose number it is, or the empty string."""
        parts = bool(self.frame.unit) or self.condition.datatype in FRACTIONAL_DATATYPES
        return "" if self.is_date or (parts and not self.frame.event_verb) else self.frame.counted_noun

    @property
    def adjective_scale(self) -> Scale | None:
        """The scale of the things themselves."""
        return None if self.is_date else scale_of_adjective(self.frame.noun, self.kinds)

    @property
    def is_dimension(self) -> bool:
        """Whether the noun says no more than the adjective: one is longer, and has no *longer length*."""
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
    """Read what a condition measures."""
    found = adapt_frame(lexicalize_condition(condition), kinds)
    if condition.shape == "date" and not found.noun and not found.clauses:
        found = PredicateFrame("date")
    return MeasuredCondition(condition, found, kinds)


def phrase_superlative(what: MeasuredCondition) -> Iterator[ConditionPhrase]:
    """Say that a member has the greatest or the smallest value: ``is the longest``, ``was born first``."""
    pick = what.condition.kind
    if what.event_clause is not None:
        for when in ("last", "most recently") if pick == "most" else ("first", "earliest"):
            if when not in what.event_clause.complement.split():  # was first made first
                yield _happened(what.event_clause, when)
        return
    if what.adjective_scale is not None:
        adjective = what.adjective_scale.superlative(pick)
        yield ConditionPhrase("be", f"the {adjective}", adjective=adjective)
        if what.is_dimension:
            return
    if what.counted_noun:
        verb, tense = (what.frame.event_verb, "past") if what.frame.event_verb else ("have", "present")
        yield ConditionPhrase(verb, f"{what.noun_scale.superlative(pick)} {what.counted_noun}", tense=tense)  # type: ignore[arg-type]
        return
    yield ConditionPhrase("have", f"the {what.noun_scale.superlative(pick)} {what.noun}")


def phrase_bound(what: MeasuredCondition) -> Iterator[ConditionPhrase]:
    """Say that a member's value is beyond a bound: ``is longer than 120 minutes``, ``was released after 1990``."""
    over, bound = what.condition.kind == "over", what.condition.value
    if what.is_date:
        when = f"{'after' if over else 'before'} {bound}"
        if what.event_clause is not None:
            yield _happened(what.event_clause, when)
        else:
            yield ConditionPhrase("have", _a(what.noun, when), plural_tail=_a(what.noun, when))
        return
    limit = render_amount(group_digits(bound, "" if what.counted_noun else what.frame.noun), what.frame.unit)
    if what.counted_noun:
        verb, tense = (what.frame.event_verb, "past") if what.frame.event_verb else ("have", "present")
        pieces = singularize(what.counted_noun) if bound == "1" else what.counted_noun
        tail = f"{what.noun_scale.comparative(what.condition.kind)} than {limit} {pieces}"
        yield ConditionPhrase(verb, tail, tense=tense)  # type: ignore[arg-type]
        return
    if what.adjective_scale is not None and what.frame.unit and what.noun not in ("price", "cost", "population"):
        yield ConditionPhrase("be", f"{what.adjective_scale.comparative(what.condition.kind)} than {limit}")
    for word in ("of more than", "over", "above") if over else ("of less than", "under", "below"):
        yield ConditionPhrase("have", _a(what.noun, f"{word} {limit}"))


def _a(noun: str, rest: str) -> str:
    return f"{add_indefinite_article(noun)} {rest}"


def phrase_comparison(what: MeasuredCondition, other: ReferringExpression) -> Iterator[ConditionPhrase]:
    """Say that a thing's value is beyond that of another one: ``is longer than B``, ``was born before B``."""
    pick = what.condition.kind
    if what.event_clause is not None:
        yield _happened(what.event_clause, f"{'after' if pick == 'most' else 'before'} {other.object}")
        yield _happened(what.event_clause, f"{what.noun_scale.comparative(pick)} than {other.object}")
        return
    if what.adjective_scale is not None:
        yield ConditionPhrase("be", f"{what.adjective_scale.comparative(pick)} than {other.object}")
        if what.is_dimension:
            return
    if what.counted_noun:
        verb, tense = (what.frame.event_verb, "past") if what.frame.event_verb else ("have", "present")
        tail = f"{what.noun_scale.comparative(pick)} {what.counted_noun} than {other.object}"
        yield ConditionPhrase(verb, tail, tense=tense)  # type: ignore[arg-type]
        return
    yield ConditionPhrase("have", f"{_a_degree(what, pick)} {what.noun} than {other.object}")


def _a_degree(what: MeasuredCondition, pick: str) -> str:
    degree = what.noun_scale.comparative(pick)
    if is_plural(what.noun):
        return degree
    return f"{'an' if degree[0] in 'aeiou' else 'a'} {degree}"


def phrase_comparative(what: MeasuredCondition) -> Iterator[ConditionPhrase]:
    """Say that one of two has the greater or the smaller value: ``is longer``, ``was born first``."""
    pick = what.condition.kind
    if what.event_clause is not None:
        for when in ("later", "more recently") if pick == "most" else ("earlier", "first"):
            if when not in what.event_clause.complement.split():
                yield _happened(what.event_clause, when)
        return
    if what.adjective_scale is not None:
        yield ConditionPhrase("be", what.adjective_scale.comparative(pick))
        if what.is_dimension:
            return
    if what.counted_noun:
        verb, tense = (what.frame.event_verb, "past") if what.frame.event_verb else ("have", "present")
        yield ConditionPhrase(verb, f"{what.noun_scale.comparative(pick)} {what.counted_noun}", tense=tense)  # type: ignore[arg-type]
        return
    yield ConditionPhrase("have", f"the {what.noun_scale.comparative(pick)} {what.noun}")


def _happened(clause: ClauseFrame, when: str) -> ConditionPhrase:
    return ConditionPhrase(clause.verb, join_words(clause.complement, when), tense=clause.tense)


def phrase_order(what: MeasuredCondition) -> Iterator[str]:
    """Name the order of a list: ``from the shortest to the longest``, ``in order of release``."""
    rising = what.condition.kind == "rising"
    first, last = ("least", "most") if rising else ("most", "least")
    if what.is_date:
        yield from _in_time(what, rising)
        return
    if what.adjective_scale is not None:
        yield f"from the {what.adjective_scale.superlative(first)} to the {what.adjective_scale.superlative(last)}"
        yield f"in {'increasing' if rising else 'decreasing'} order of {what.noun}"
        return
    noun = f"number of {what.counted_noun}" if what.counted_noun else what.noun
    yield f"in {'increasing' if rising else 'decreasing'} order of {noun}"
    degrees = scale_of_noun(noun)
    yield f"from the {degrees.superlative(first)} {noun} to the {degrees.superlative(last)}"


def _in_time(what: MeasuredCondition, rising: bool) -> Iterator[str]:
    noun = what.frame.noun or "date"
    first, last = ("earliest", "latest") if rising else ("latest", "earliest")
    event = _event(what.event_clause) if what.event_clause is not None else ""
    ages = _ages(event, what.kinds)
    if ages:
        yield f"from the {ages[not rising]} to the {ages[rising]}"
    if event and rising:
        yield f"in order of {event}"
    elif event:
        yield f"in reverse order of {event}"
    if what.frame.noun or not event:
        yield f"from the {first} {noun} to the {last}"
        yield f"in order of {noun}, {first} first"
    if what.frame.noun and rising:
        yield f"by {noun}"


def _ages(event: str, kinds: tuple[str, ...]) -> tuple[str, str] | None:
    """Return the words for the first and the last in an order by age, where the date is that of a beginning."""
    if event == "birth" and denote_persons(kinds):
        return "oldest", "youngest"
    return ("oldest", "newest") if event in ("founding", "establishment", "opening", "construction") else None


def _event(clause: ClauseFrame) -> str:
    """Return the noun for what happened: ``birth``, ``release``; empty where none is known."""
    known = (noun for noun, (verb, said, _) in EVENT_VERBS.items() if (verb, said) == (clause.verb, clause.complement))
    return next(known, "")
