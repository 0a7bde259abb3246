"""What a condition says of the members of a set, as verb phrases: is longer than, was born first, does not star."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from chattygen.asks import Condition
from chattygen.rulebook.clauses import be
from chattygen.rulebook.lexicon import BELONGINGS, MANIFOLD, OCCUPATIONS, REALMS, TONGUES
from chattygen.rulebook.nominals import adapted
from chattygen.rulebook.readings import Clause, Relation
from chattygen.rulebook.references import Reference
from chattygen.rulebook.relation import relation
from chattygen.rulebook.words import called, head, indefinite, mean_person, past, plain, plural, third


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
