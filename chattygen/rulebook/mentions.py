"""How a turn of a plan refers to what it asks about, given the turns before it."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from chattygen.asks import Ask
from chattygen.dialogues import Draft
from chattygen.rulebook.lexicon import MANIFOLD, OCCUPATIONS
from chattygen.rulebook.references import THEY, Reference, by_position, kind, phrase, says
from chattygen.rulebook.relation import relation
from chattygen.rulebook.retelling import reference
from chattygen.rulebook.words import head, mean_person, plain

_SETS = ("list", "count", "boolean", "comparison", "filter", "conjunction", "negation")


def mention(ask: Ask, before: tuple[Ask, ...], standalone: str, chance: Random) -> Reference:
    """Choose how a turn refers to its entity: by position, by the role in which it was the answer, as a pronoun."""
    if ask.link == "position":
        return _by_position(ask, before, chance)
    role = _role(ask, before, standalone)
    if role and chance.random() < 0.35:
        return phrase(f"that {role}", is_long=False)
    drafts = tuple(Draft(one.number, "", one.entity, one.link) for one in before)
    found = reference(Draft(ask.number, standalone, ask.entity, ask.link, brought_up(ask, before)), drafts, chance)
    nobody_else = ask.entity.gender or not mean_person(ask.entity.kinds)
    part = "" if nobody_else else _part(ask, before)
    if head(plain(ask.fact.last.label)) in OCCUPATIONS | {"title", "position", "role"}:
        part = ""  # it would tell the answer
    if ask.condition is None and part[:5] in standalone.replace(ask.entity.label, "").casefold():
        part = ""  # the captain the captain of
    if found == THEY and _means_several(ask, before[-1]) and ask.entity.noun:
        noun = part or kind(ask.entity)
        is_echo = ask.condition is None and noun[:5].casefold() in standalone.replace(ask.entity.label, "").casefold()
        return THEY if is_echo else phrase(f"the {noun}", is_long=False)
    if kind(ask.entity) in _ANYBODY and found.subject == f"the {kind(ask.entity)}":
        return phrase(f"the {part}", is_long=False) if part else THEY
    return found


def _part(ask: Ask, before: tuple[Ask, ...]) -> str:
    """Return what a person was in a list asked before (``author``: of the papers that they wrote), or nothing."""
    for one in (*before, ask):
        if one.entity.iri == ask.entity.iri and one.fact.last.direction == "in" and len(one.fact.steps) == 1:
            noun = relation(one.fact.last.label, one.fact.last.comment, one.fact.shape).noun
            if noun and mean_person([noun]) and len(noun.split()) <= 2 and head(noun) not in MANIFOLD:
                return noun
    return ""


_ANYBODY = frozenset("person human people agent individual".split())
"""Kinds of persons that one does not call by them."""


def _by_position(ask: Ask, before: tuple[Ask, ...], chance: Random) -> Reference:
    earlier = next(one for one in before if one.number == ask.of)
    if earlier.other is not None and not earlier.polar:
        return phrase("the former" if ask.entity.iri == earlier.entity.iri else "the latter")
    return by_position(ask.position, kind(ask.entity) if ask.entity.noun else "", chance.random())


def _role(ask: Ask, before: tuple[Ask, ...], standalone: str) -> str:
    """Return what the entity was when it was the answer just given (``architect``), where that is one person's role."""
    earlier = next((one for one in before if one.number == ask.of), None)
    if ask.link != "answer" or earlier is None or earlier is not before[-1] or earlier.condition is not None:
        return ""
    fact = earlier.fact
    if fact.last.direction == "in" or fact.count > 1 or fact.shape != "entity":
        return ""
    noun = relation(fact.last.label, fact.last.comment, fact.shape).noun
    known = bool(noun) and mean_person([noun]) and len(noun.split()) <= 2
    return noun if known and not says(standalone.replace(ask.entity.label, ""), noun) else ""


def brought_up(ask: Ask, before: tuple[Ask, ...]) -> tuple[str, ...]:
    """Return the kinds of other things that the turn before has brought up, and that a pronoun could mean as well."""
    last = before[-1]
    if ask.of == last.number:
        return ()
    said = [kinds for kinds in _said(last) if mean_person(kinds) == mean_person(ask.entity.kinds)]
    if last.fact.shape == "entity" and last.form not in _SETS and last.fact.count == 1:
        said.append(last.fact.kinds or ("thing",))
    return tuple(kinds[0] if kinds else "thing" for kinds in said)


def _said(last: Ask) -> Iterator[tuple[str, ...]]:
    """Yield the kinds of the things that a turn has named or asked about beside its entity."""
    condition = last.condition
    if last.other is not None:
        yield last.other.kinds
    elif condition is not None:
        yield last.fact.kinds
        if condition.value and condition.shape == "entity":
            yield condition.kinds
    elif last.form == "boolean" and last.fact.shape == "entity":
        yield last.fact.kinds


def _means_several(ask: Ask, last: Ask) -> bool:
    """Tell whether ``they`` would rather mean the things that the turn before asked about."""
    return gives_several(last) and ask.of != last.number


def gives_several(ask: Ask) -> bool:
    """Tell whether a turn asks about several things, which ``they`` would mean right after it."""
    several = ask.fact.shape == "entity" and (ask.fact.count > 1 or ask.condition is not None)
    return several and ask.form != "boolean" and ask.other is None
