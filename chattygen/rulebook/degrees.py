"""Verb phrases for conditions on dates and numbers: superlatives, bounds, comparisons, and the words for an order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from chattygen.asks import Condition
from chattygen.rulebook.amounts import amount, spelled
from chattygen.rulebook.claims import Claim, joined, read
from chattygen.rulebook.lexicon import FRACTIONS, HAPPENINGS
from chattygen.rulebook.nominals import adapted
from chattygen.rulebook.readings import Clause, Relation
from chattygen.rulebook.references import Reference
from chattygen.rulebook.scales import MANY, MUCH, Scale, adjectival, is_rank, nominal
from chattygen.rulebook.words import indefinite, is_mass, is_plural, mean_person, singular


@dataclass(frozen=True, slots=True)
class Measure:
    """What a condition measures on members of some kinds, read as English."""

    condition: Condition
    found: Relation
    kinds: tuple[str, ...] = ()

    @property
    def is_date(self) -> bool:
        """Whether it is a time: a date, or a number that is a year."""
        return self.condition.shape == "date" or "year" in self.found.noun.lower().split()

    @property
    def noun(self) -> str:
        """The noun for the value; a rank is called a number, for the highest rank is the one with the number one."""
        noun = self.found.noun or "value"
        if self.found.counts and not self.counted:
            return self.found.counts
        return f"{noun} number" if is_rank(noun) else noun

    @property
    def happening(self) -> Clause | None:
        """What happened at that time, if it is a time at which something happens."""
        return (
            next((clause for clause in self.found.clauses if not clause.flipped and clause.prep != "from"), None)
            if self.is_date
            else None
        )

    @property
    def counted(self) -> str:
        """The noun for the things whose number it is, or the empty string."""
        parts = bool(self.found.unit) or self.condition.datatype in FRACTIONS
        return "" if self.is_date or (parts and not self.found.done) else self.found.counts

    @property
    def adjective(self) -> Scale | None:
        """The scale of the things themselves."""
        return None if self.is_date else adjectival(self.found.noun, self.kinds)

    @property
    def is_plain(self) -> bool:
        """Whether the noun says no more than the adjective: one is longer, and has no *longer length*."""
        return self.found.noun.lower() in _DIMENSIONS

    @property
    def degrees(self) -> Scale:
        """The scale of the noun or of the counted things."""
        if self.counted:
            return MUCH if is_mass(self.counted) else MANY
        if self.is_date:
            return Scale("latest", "earliest", "later", "earlier")
        return nominal(self.noun)


_DIMENSIONS = frozenset("length height depth width breadth thickness age size weight".split())


def measure(condition: Condition, kinds: tuple[str, ...]) -> Measure:
    """Read what a condition measures."""
    found = adapted(read(condition), kinds)
    if condition.shape == "date" and not found.noun and not found.clauses:
        found = Relation("date")
    return Measure(condition, found, kinds)


def extreme(what: Measure) -> Iterator[Claim]:
    """Say that a member has the greatest or the smallest value: ``is the longest``, ``was born first``."""
    pick = what.condition.pick
    if what.happening is not None:
        for when in ("last", "most recently") if pick == "most" else ("first", "earliest"):
            if when not in what.happening.said.split():  # was first made first
                yield _happened(what.happening, when)
        return
    if what.adjective is not None:
        adjective = what.adjective.superlative(pick)
        yield Claim("be", f"the {adjective}", adjective=adjective)
        if what.is_plain:
            return
    if what.counted:
        verb, tense = (what.found.done, "past") if what.found.done else ("have", "present")
        yield Claim(verb, f"{what.degrees.superlative(pick)} {what.counted}", tense=tense)  # type: ignore[arg-type]
        return
    yield Claim("have", f"the {what.degrees.superlative(pick)} {what.noun}")


def bounded(what: Measure) -> Iterator[Claim]:
    """Say that a member's value is beyond a bound: ``is longer than 120 minutes``, ``was released after 1990``."""
    over, bound = what.condition.pick == "over", what.condition.value
    if what.is_date:
        when = f"{'after' if over else 'before'} {bound}"
        if what.happening is not None:
            yield _happened(what.happening, when)
        else:
            yield Claim("have", _a(what.noun, when), many=_a(what.noun, when))
        return
    limit = amount(spelled(bound, "" if what.counted else what.found.noun), what.found.unit)
    if what.counted:
        verb, tense = (what.found.done, "past") if what.found.done else ("have", "present")
        pieces = singular(what.counted) if bound == "1" else what.counted
        tail = f"{what.degrees.comparative(what.condition.pick)} than {limit} {pieces}"
        yield Claim(verb, tail, tense=tense)  # type: ignore[arg-type]
        return
    if what.adjective is not None and what.found.unit and what.noun not in ("price", "cost", "population"):
        yield Claim("be", f"{what.adjective.comparative(what.condition.pick)} than {limit}")
    for word in ("of more than", "over", "above") if over else ("of less than", "under", "below"):
        yield Claim("have", _a(what.noun, f"{word} {limit}"))


def _a(noun: str, rest: str) -> str:
    return f"{indefinite(noun)} {rest}"


def beyond(what: Measure, other: Reference) -> Iterator[Claim]:
    """Say that a thing's value is beyond that of another one: ``is longer than B``, ``was born before B``."""
    pick = what.condition.pick
    if what.happening is not None:
        yield _happened(what.happening, f"{'after' if pick == 'most' else 'before'} {other.object}")
        yield _happened(what.happening, f"{what.degrees.comparative(pick)} than {other.object}")
        return
    if what.adjective is not None:
        yield Claim("be", f"{what.adjective.comparative(pick)} than {other.object}")
        if what.is_plain:
            return
    if what.counted:
        verb, tense = (what.found.done, "past") if what.found.done else ("have", "present")
        tail = f"{what.degrees.comparative(pick)} {what.counted} than {other.object}"
        yield Claim(verb, tail, tense=tense)  # type: ignore[arg-type]
        return
    yield Claim("have", f"{_a_degree(what, pick)} {what.noun} than {other.object}")


def _a_degree(what: Measure, pick: str) -> str:
    degree = what.degrees.comparative(pick)
    if is_plural(what.noun):
        return degree
    return f"{'an' if degree[0] in 'aeiou' else 'a'} {degree}"


def greater(what: Measure) -> Iterator[Claim]:
    """Say that one of two has the greater or the smaller value: ``is longer``, ``was born first``."""
    pick = what.condition.pick
    if what.happening is not None:
        for when in ("later", "more recently") if pick == "most" else ("earlier", "first"):
            if when not in what.happening.said.split():
                yield _happened(what.happening, when)
        return
    if what.adjective is not None:
        yield Claim("be", what.adjective.comparative(pick))
        if what.is_plain:
            return
    if what.counted:
        verb, tense = (what.found.done, "past") if what.found.done else ("have", "present")
        yield Claim(verb, f"{what.degrees.comparative(pick)} {what.counted}", tense=tense)  # type: ignore[arg-type]
        return
    yield Claim("have", f"the {what.degrees.comparative(pick)} {what.noun}")


def _happened(clause: Clause, when: str) -> Claim:
    return Claim(clause.verb, joined(clause.said, when), tense=clause.tense)


def in_order(what: Measure) -> Iterator[str]:
    """Name the order of a list: ``from the shortest to the longest``, ``in order of release``."""
    rising = what.condition.pick == "rising"
    first, last = ("least", "most") if rising else ("most", "least")
    if what.is_date:
        yield from _in_time(what, rising)
        return
    if what.adjective is not None:
        yield f"from the {what.adjective.superlative(first)} to the {what.adjective.superlative(last)}"
        yield f"in {'increasing' if rising else 'decreasing'} order of {what.noun}"
        return
    noun = f"number of {what.counted}" if what.counted else what.noun
    yield f"in {'increasing' if rising else 'decreasing'} order of {noun}"
    degrees = nominal(noun)
    yield f"from the {degrees.superlative(first)} {noun} to the {degrees.superlative(last)}"


def _in_time(what: Measure, rising: bool) -> Iterator[str]:
    noun = what.found.noun or "date"
    first, last = ("earliest", "latest") if rising else ("latest", "earliest")
    event = _event(what.happening) if what.happening is not None else ""
    ages = _ages(event, what.kinds)
    if ages:
        yield f"from the {ages[not rising]} to the {ages[rising]}"
    if event and rising:
        yield f"in order of {event}"
    elif event:
        yield f"in reverse order of {event}"
    if what.found.noun or not event:
        yield f"from the {first} {noun} to the {last}"
        yield f"in order of {noun}, {first} first"
    if what.found.noun and rising:
        yield f"by {noun}"


def _ages(event: str, kinds: tuple[str, ...]) -> tuple[str, str] | None:
    """Return the words for the first and the last in an order by age, where the date is that of a beginning."""
    if event == "birth" and mean_person(kinds):
        return "oldest", "youngest"
    return ("oldest", "newest") if event in ("founding", "establishment", "opening", "construction") else None


def _event(clause: Clause) -> str:
    """Return the noun for what happened: ``birth``, ``release``; empty where none is known."""
    known = (noun for noun, (verb, said, _) in HAPPENINGS.items() if (verb, said) == (clause.verb, clause.said))
    return next(known, "")
