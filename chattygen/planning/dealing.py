"""Deal the mix of a run to its dialogues before any is made: forms, truths, and turns that hang on an answer.

What is dealt to a place depends on its number, its type and the options alone, so that threads and resumption cannot
change it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from chattygen.node_types import apportion
from chattygen.options import Options
from chattygen.planning.wishes import SET_FORMS, Deal, Want
from chattygen.seeds import Slot

LINKS: tuple[tuple[str, float], ...] = (("position", 2.0), ("shift", 3.0))
"""Shares of the turns, in percent, that go back to a place, or on to another thing."""
TOGETHER = 40
"""Places that quotas are dealt to together: few enough to look at each for every turn."""
PARTS = 4
YIELD = 0.85
"""How many of the wants that a seed could carry by itself come through beside the others of its dialogue."""
SURPLUS = 1.6
"""The most by which a form is dealt more often than it is wanted, because not every seed can carry it."""
_ALONE = frozenset({"shift", "comparison"})
_LAST = _ALONE | {*SET_FORMS, "position"}
"""Wants after which a pronoun may mean something else than the seed: the first two go with no other of them."""
_HANGING = frozenset({*SET_FORMS, "position"})

Gifts = Mapping[str, Mapping[str, float]]
"""By type: the share of its entities that can carry a form (or ``answer``, ``shift``, ``position``)."""


@dataclass(frozen=True, slots=True)
class Deals:
    """The deals of a run by place; places beyond the first round take the deals of its places again, in order."""

    dealt: tuple[Deal, ...] = ()
    quotas: Mapping[str, int] = field(default_factory=dict)

    def at(self, index: int) -> Deal:
        """Return what the dialogue at a place shall ask."""
        return self.dealt[index % len(self.dealt)] if self.dealt else Deal()


def quotas(options: Options) -> dict[str, int]:
    """Return how many turns of a run each form shall have; they sum to all turns (largest remainder)."""
    shares = dict(options.mix)
    turns = options.dialogues * options.turns
    seats = apportion([round(share * 1000) for share in shares.values()], turns)
    return dict(zip(shares, seats, strict=True))


def deal(slots: Sequence[Slot], options: Options, gifts: Gifts) -> Deals:
    """Deal the quotas to the places of the first round, some places at a time; what some cannot take, the next get.

    Forms that pick from a set come first, then scarce ones, then those that nearly every seed can carry.
    """
    wanted = quotas(options)
    turns = options.dialogues * options.turns
    goals = {form: float(number) for form, number in wanted.items() if form != "lookup"}
    if options.turns > 2:
        goals |= {link: turns * share / 100 for link, share in LINKS}
    goals["answer"] = options.chain * options.dialogues * (options.turns - 1)
    open_goals = dict.fromkeys(goals, 0.0)
    tables = []
    for start in range(0, len(slots), TOGETHER):
        table = Table(slots[start : start + TOGETHER], options, gifts)
        share = len(table.places) / options.dialogues
        open_goals = {form: open_goals[form] + goals[form] * share for form in goals}
        open_goals = table.serve(open_goals)
        tables.append(table)
    wants = _with_truths([place.forms for table in tables for place in table.places])
    chained = [place.chained for table in tables for place in table.places]
    deals = tuple(Deal(tuple(some), number) for some, number in zip(wants, chained, strict=True))
    return Deals(deals, {form: round(number) for form, number in goals.items()})


@dataclass(slots=True)
class Place:
    """One place with what was dealt to it: forms, and turns about an answer beside those that pick from a list."""

    gifts: Mapping[str, float]
    order: float
    forms: list[str] = field(default_factory=list)
    answers: int = 0

    @property
    def chained(self) -> int:
        """How many of its turns shall hang on an earlier answer."""
        picked = sum(form in _HANGING for form in self.forms)
        return self.answers + picked + (picked > 0 and self.is_led)

    @property
    def is_led(self) -> bool:
        """Whether its lists are most likely those of an answer, which is asked for before."""
        return self.gifts.get("list", 0.0) < 0.5

    def turns(self) -> int:
        """Return how many turns it takes to ask what was dealt, with the questions that must come before."""
        tally = Counter(self.forms)
        sets = sum(tally[form] for form in SET_FORMS)
        led = self.is_led and bool(sets or tally["position"])
        fixed = (1 + sets if sets else 0) + 2 * tally["position"] + 2 * tally["shift"] + tally["comparison"] + led
        talk = 1 + self.answers if self.answers else 0
        absorbed = sum(tally[form] for form in ("count", "boolean") if self.gifts.get(f"answer {form}", 0.0) >= 0.5)
        alone = sum(tally[form] for form in ("count", "boolean", "two-hop", "unanswerable"))
        alone -= min(self.answers, absorbed)
        return fixed + talk + alone + (led or not sets)

    def gift(self, form: str) -> float:
        """Return how likely a seed here can carry a form: itself, or one of the answers that are talked about."""
        own = self.gifts.get(form, 0.0)
        return max(own, self.gifts.get(f"answer {form}", 0.0)) if self.answers else own

    def takes(self, form: str, most: int) -> bool:
        """Tell whether one more turn of a form has room, and goes with what was dealt."""
        held = set(self.forms)
        if form == "answer":
            if held & _ALONE or self.gift("answer") <= 0:
                return False
        elif self.gift(form) <= 0 or self.forms.count(form) >= (2 if form == "boolean" else 1):
            return False
        elif (form in _ALONE and (held & _LAST or self.answers)) or (form in _LAST and held & _ALONE):
            return False
        elif form in SET_FORMS and len(held & {*SET_FORMS}) >= max(1, (most - 1) // 2):
            return False
        elif (form == "position" and held & {*SET_FORMS}) or (form in SET_FORMS and "position" in held):
            return False
        return self.with_one(form).turns() <= most

    def with_one(self, form: str) -> Place:
        """Return the place with one more turn of a form."""
        if form == "answer":
            return Place(self.gifts, self.order, self.forms, self.answers + 1)
        return Place(self.gifts, self.order, [*self.forms, form], self.answers)


class Table:
    """Some places that the quotas are dealt to together."""

    def __init__(self, slots: Sequence[Slot], options: Options, gifts: Gifts) -> None:
        self._most = options.turns
        chance = Random(f"{options.seed}/deal/{slots[0].index}")
        self.places = [Place(gifts.get(slot.type, {}), chance.random()) for slot in slots]

    def serve(self, goals: Mapping[str, float]) -> dict[str, float]:
        """Deal each form until as many turns of it can be expected as are wanted; return what is left.

        Part after part of each goal is dealt, so that a want of room takes something from every form.
        """
        left = dict(goals)
        sets = [form for form in SET_FORMS if form in goals]
        order = (*sets, *self._scarcest(form for form in goals if form not in SET_FORMS))
        for part in range(1, PARTS + 1):
            for form in order:
                rest = goals[form] * (1 - part / PARTS)
                hung = sum(self._hang(place) for place in self.places) if form == "answer" and part == 1 else 0.0
                left[form] = self._spread(form, left[form] - hung - rest) + rest
        return left

    def _hang(self, place: Place) -> float:
        likely = [place.gifts.get(form, 0.0) for form in place.forms if form in _HANGING]
        return sum(likely) + (max(likely, default=0.0) if place.is_led else 0.0)

    def _scarcest(self, forms: Iterable[str]) -> list[str]:
        """Return the forms, those that the fewest places can carry first; but talk about answers before what goes
        with any talk, and counts and yes-no questions, which can be asked of answers, too, last."""
        mass = {form: sum(place.gifts.get(form, 0.0) for place in self.places) for form in forms}
        late = {"answer": 1, "two-hop": 2, "unanswerable": 2, "count": 3, "boolean": 3}
        return sorted(mass, key=lambda form: (late.get(form, 0), mass[form], form))

    def _spread(self, form: str, wanted: float) -> float:
        """Deal one form; a place where it costs the fewest further turns comes first, then the freest one."""
        dealt, most = 0, SURPLUS * max(0.0, wanted) + 1
        while wanted >= 0.5 and dealt < most:
            able = [number for number, place in enumerate(self.places) if place.takes(form, self._most)]
            if not able:
                break
            best = min(able, key=lambda number: self._cost(self.places[number], form))
            wanted -= self.places[best].gift(form) * YIELD
            self.places[best] = self.places[best].with_one(form)
            dealt += 1
        return wanted

    def _cost(self, place: Place, form: str) -> tuple[float, ...]:
        before, after = place.turns(), place.with_one(form).turns()
        return (after - before, form in place.forms, -place.gift(form), before, place.order)


def _with_truths(forms: Sequence[Sequence[str]]) -> list[list[Want]]:
    """Give every yes-no question its truth, and make every other comparison one.

    True and false take turns within a dialogue, and so do the dialogues in which one comes first: the first one is
    granted more often than the second.
    """
    compared, balance, first = 0, 0, False
    dealt: list[list[Want]] = []
    for some in forms:
        wants = [Want(form) for form in some]
        first = not first if balance == 0 else balance < 0
        truth = first
        for number, want in enumerate(wants):
            if want.form == "comparison":
                want = replace(want, polar=compared % 2 == 1)
                compared += 1
            if want.form == "boolean" or want.polar:
                want, truth = replace(want, truth=truth), not truth
                balance += 1 if want.truth else -1
            wants[number] = want
        dealt.append(wants)
    return dealt
