"""What a condition says of the members of a set, as verb phrases: is longer than, was born first, does not star."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from chattygen.rulebook.amounts import amount, spelled
from chattygen.rulebook.clause_questions import be
from chattygen.rulebook.lexicon import (
    BELONGINGS,
    FRACTIONS,
    HAPPENINGS,
    MANIFOLD,
    MEASURES,
    OCCUPATIONS,
    REALMS,
    TONGUES,
)
from chattygen.rulebook.predicate_frames import Clause, Relation, adapted
from chattygen.rulebook.predicate_lexicalization import relation
from chattygen.rulebook.referring_expressions import Reference
from chattygen.rulebook.words import (
    called,
    head,
    indefinite,
    is_mass,
    is_plural,
    mean_person,
    past,
    plain,
    plural,
    singular,
    third,
)
from chattygen.stages.turn_plan import Condition


@dataclass(frozen=True, slots=True)
class Claim:
    """A verb phrase without its subject: a base form, what follows it, what follows it for several subjects.

    ``giver`` is the subject of the sentence where the set's members are its object (``did Ann direct``); ``adjective``
    is a superlative that can stand before the set's noun; ``is_not``: it is to be said in the negative.
    """

    verb: str
    tail: str
    many: str = ""
    tense: Literal["present", "past"] = "present"
    giver: str = ""
    adjective: str = ""
    is_not: bool = False

    def said(self, several: bool) -> str:
        """Return it behind its subject: ``is longer than B``, ``do not star X``; behind ``which of them``, too."""
        tail = self.many if several and self.many else self.tail
        no = "not" if self.is_not else ""
        if self.giver:
            return joined(self._helper(False), self.giver, no, "" if self.verb == "be" else self.verb, tail)
        if self.verb == "be":
            return joined(be(self.tense, several), no, tail)
        if self.is_not:
            return joined(self._helper(several), no, self.verb, tail)
        verb = past(self.verb) if self.tense == "past" else self.verb if several else third(self.verb)
        return joined(verb, tail)

    def asked(self, subject: Reference) -> str:
        """Return it as a yes-no question about a subject, without the mark: ``Is X longer than B``."""
        tail = self.many if subject.several and self.many else self.tail
        verb = "" if self.verb == "be" else self.verb
        asked = joined(self._helper(subject.several), subject.subject, "not" if self.is_not else "", verb, tail)
        return asked[:1].upper() + asked[1:]

    def _helper(self, several: bool) -> str:
        if self.verb == "be":
            return be(self.tense, several)
        return "did" if self.tense == "past" else "do" if several else "does"


def joined(*parts: str) -> str:
    """Join what there is with spaces."""
    return " ".join(part for part in parts if part)


def read(condition: Condition) -> Relation:
    """Read the condition's predicate; its label is the noun where nothing else is known."""
    step = condition.step
    found = relation(step.label, step.comment, condition.shape)
    return found if found.noun or found.clauses else Relation(plain(step.label), unit=found.unit)


def linked(condition: Condition, members: tuple[str, ...]) -> Iterator[Claim]:
    """Say that members of these kinds have a given value, have it not, or have none at all."""
    pair = (members, condition.kinds) if condition.step.direction == "out" else (condition.kinds, members)
    found = adapted(read(condition), *pair)
    if condition.pick == "lacks":
        yield from _lacking(condition, found)
        return
    value = called(condition.value, condition.kinds)
    no = condition.pick == "without"
    pointing = condition.step.direction == "in"
    said_plainly = False
    for clause in sorted(found.clauses, key=lambda one: one.flipped != pointing):
        if found.done:
            noun = found.noun if found.noun.lower() not in value.lower() else ""
            yield Claim(clause.verb, joined("the" if noun else "", noun, value), tense=clause.tense, is_not=no)
        elif clause.flipped == pointing:
            said_plainly = True
            yield Claim(
                clause.verb, joined(clause.said, clause.prep, value),
                many=joined(clause.predicate(True), clause.prep, value) if clause.many else "",
                tense=clause.tense, is_not=no,
            )  # fmt: skip
        elif not said_plainly or not (no or clause.prep == "by"):
            yield Claim(clause.verb, joined(clause.said, clause.prep), tense=clause.tense, giver=value, is_not=no)
    if found.noun and not found.clauses:
        yield from _by_noun(found.noun, value, pointing=pointing, of_person=mean_person(members), no=no)


def _by_noun(noun: str, value: str, *, pointing: bool, of_person: bool, no: bool) -> Iterator[Claim]:
    if pointing:
        yield Claim("be", f"the {noun} of {value}", is_not=no)
        return
    if does(noun, value):
        yield Claim("work", f"as {indefinite(value)}", is_not=no)
        return
    if noun in TONGUES:
        yield Claim(
            "speak", f"{value} as {'their' if of_person else 'its'} {noun}", many=f"{value} as their {noun}", is_not=no
        )
        return
    if noun in ("price", "cost"):
        yield Claim("cost", value, is_not=no)
        return
    if noun in REALMS:
        yield Claim("be", f"from {value}", is_not=no)
    own = "their" if of_person else "its"
    whole = member_of(value, noun)
    if whole:
        yield Claim("belong", f"to {whole}", is_not=no)
        return
    if head(noun) in MANIFOLD:
        yield Claim("have", f"{value} as {indefinite(noun)}", is_not=no)
        return
    yield Claim("have", f"{value} as {own} {noun}", many=f"{value} as their {noun}", is_not=no)


def _lacking(condition: Condition, found: Relation) -> Iterator[Claim]:
    """Say that the KG states nothing: ``have no spouse``, ``are not located anywhere``."""
    if condition.step.direction == "in":
        nobody = "anyone" if mean_person(condition.kinds) else "anything"
        if found.noun and not found.clauses:
            yield Claim("be", f"the {found.noun} of {nobody}", is_not=True)
        for clause in found.clauses[:1]:
            yield _turned(clause, nobody, pointing=True)
        return
    if found.done:
        yield Claim(found.done, f"any {plural(found.noun)}", tense=found.clauses[0].tense, is_not=True)
    elif found.counts or found.noun:
        yield Claim("have", f"no {found.noun or found.counts}", many=f"no {found.noun or found.counts}")
    elif found.clauses:
        clause = found.clauses[0]
        by = any(one.prep == "by" or one.flipped for one in found.clauses)
        person = mean_person(condition.kinds) or (by and not condition.kinds)
        if condition.shape in ("date", "number"):
            yield Claim("have", f"no {plain(condition.step.label)} date")
        elif clause.prep in ("in", "at") and not person:
            yield Claim(clause.verb, joined(clause.said, "anywhere"), tense=clause.tense, is_not=True)
        else:
            yield _turned(clause, "anyone" if person else "anything", pointing=False)


def _turned(clause: Clause, whatever: str, *, pointing: bool) -> Claim:
    if clause.flipped == pointing:
        return Claim(clause.verb, joined(clause.said, clause.prep, whatever), tense=clause.tense, is_not=True)
    giver = {"anyone": "nobody", "anything": "nothing"}[whatever]
    return Claim(clause.verb, joined(clause.said, clause.prep), tense=clause.tense, giver=giver)


def does(noun: str, value: str) -> bool:
    """Tell whether a value under a noun says what somebody does (``occupation``, ``painter``)."""
    is_role = mean_person([value]) or head(value).endswith(("er", "or", "ian", "ant"))
    return noun in OCCUPATIONS and value[:1].islower() and is_role


def is_whole(noun: str) -> bool:
    """Tell whether a noun is one for what things belong to: a genre, a plant family; but nobody's licence class."""
    return noun in BELONGINGS or (head(noun) in BELONGINGS and head(noun) not in ("class", "order"))


def member_of(value: str, noun: str) -> str:
    """Name what something belongs to: ``the genre satire``, ``the Lind Collection``; empty where that reads badly.

    Who has a name of their own (a collection, a range) must say in it what they are, or *belongs to* could mean more.
    """
    if not is_whole(noun):
        return ""
    if head(noun) in value.lower().split():
        return value if value.lower().startswith("the ") or value[:1].islower() else f"the {value}"
    return "" if head(noun) in _PROPER else f"the {noun} {value}"


_PROPER = frozenset("collection range chain".split())


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


@dataclass(frozen=True, slots=True)
class Scale:
    """The degrees of a measure: ``longest``, ``shortest``, ``longer``, ``shorter``."""

    most: str
    least: str
    more: str
    less: str

    def superlative(self, pick: str) -> str:
        """Return the degree of the greatest (``most``) or the smallest value."""
        return self.most if pick == "most" else self.least

    def comparative(self, pick: str) -> str:
        """Return the degree of more (picks ``most`` and ``over``) or less."""
        return self.more if pick in ("most", "over") else self.less


HIGH = Scale("highest", "lowest", "higher", "lower")
LONG = Scale("longest", "shortest", "longer", "shorter")
LARGE = Scale("largest", "smallest", "larger", "smaller")
MANY = Scale("the most", "the fewest", "more", "fewer")
MUCH = Scale("the most", "the least", "more", "less")
_OLD_THING = Scale("oldest", "newest", "older", "newer")

_SCALES = {
    "long": LONG, "high": HIGH, "large": LARGE, "tall": Scale("tallest", "shortest", "taller", "shorter"),
    "deep": Scale("deepest", "shallowest", "deeper", "shallower"),
    "wide": Scale("widest", "narrowest", "wider", "narrower"),
    "thick": Scale("thickest", "thinnest", "thicker", "thinner"),
    "heavy": Scale("heaviest", "lightest", "heavier", "lighter"),
    "old": Scale("oldest", "youngest", "older", "younger"),
    "fast": Scale("fastest", "slowest", "faster", "slower"),
    "hot": Scale("hottest", "coldest", "hotter", "colder"),
    "expensive": Scale("most expensive", "cheapest", "more expensive", "cheaper"),
    "populous": Scale("most populous", "least populous", "more populous", "less populous"),
}  # fmt: skip
_ADJECTIVES = {
    **MEASURES, "price": "expensive", "cost": "expensive", "retail price": "expensive", "list price": "expensive",
    "population": "populous", "size": "large", "top speed": "fast", "maximum speed": "fast", "max speed": "fast",
    "diameter": "wide", "total length": "long", "maximum depth": "deep", "max depth": "deep",
}  # fmt: skip
_LONG_NOUNS = frozenset("length duration runtime distance range radius diameter circumference perimeter".split())
_LARGE_NOUNS = frozenset("population area size volume number amount quantity share surface audience crew".split())
_TIMES = frozenset("running playing cooking preparation baking travel waiting service boiling ripening aging".split())
_HEIGHTS = frozenset("mountain hill peak volcano summit plateau pass waterfall wave cliff village town city".split())
_RANKS = frozenset("rank ranking position place".split())


def adjectival(noun: str, kinds: Iterable[str]) -> Scale | None:
    """Return the scale of things of these kinds by what the noun measures (``length``: long); None if there is none."""
    labels = tuple(kinds)
    adjective = _ADJECTIVES.get(noun.lower(), "")
    if adjective == "tall" and {head(plain(label)) for label in labels} & _HEIGHTS:
        adjective = "high"
    if adjective == "old" and not mean_person(labels):
        return _OLD_THING
    return _SCALES.get(adjective)


def nominal(noun: str) -> Scale:
    """Return the degrees of the noun itself: the *highest* price, the *longest* cooking time, the *largest* area."""
    before, last = noun.lower().split()[:-1], head(noun)
    if last in _LONG_NOUNS or (last == "time" and before and before[-1] in _TIMES):
        return LONG
    return LARGE if last in _LARGE_NOUNS else HIGH


def is_rank(noun: str) -> bool:
    """Tell whether a noun counts from the best downwards, so that ``high`` would be said of a small number."""
    return head(noun) in _RANKS
