"""Noun phrases among the predicates: a count, something that happens at a time or place, a doer, or just a noun."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from chattygen.rulebook.lexicon import (
    AGENTS,
    FOUNDED,
    FULLER,
    HAPPENINGS,
    PAST_AS_NOUN,
    REALMS,
    SINGLE_OUT,
    SPOTS,
    STANDING,
    SUMS_IN_S,
    WORKS,
)
from chattygen.rulebook.words import (
    head,
    indefinite,
    is_participle,
    is_plural,
    lemma,
    participle,
    plain,
    plural,
    singular,
)


def nominal(noun: str, comment: str, shape: str) -> Relation:
    """Read a noun phrase as a relation; ``comment`` is a hint, ``shape`` that of the objects."""
    noun = _usual(noun)
    counted = _counted(noun, shape)
    if counted is not None:
        return counted
    *before, last = noun.split()
    if shape == "number" and last.lower() in SINGLE_OUT and last.lower().endswith("est"):
        return Relation(f"{noun} value")
    if before and is_participle(last.lower()) and last.lower() not in PAST_AS_NOUN and " of " not in noun:
        bare = singular(" ".join(before))
        return Relation(bare, (Clause(lemma(last.lower()), tense="past"),), done=lemma(last.lower()))
    noun = singular(noun)
    if noun.lower() == "year":
        return Relation(noun, (Clause("be", prep="from"),))
    happening = _happening(re.sub(r"^(?:original|initial) ", "", noun.lower()), shape)
    noun = re.sub(r" of (\w+)$", lambda match: f" of {_event(match[1])}", noun) if happening else noun
    if happening is not None:
        return Relation(noun, (happening,))
    if STANDING.get(noun.lower()):
        role = STANDING[noun.lower()]
        return Relation(noun, (Clause("be", indefinite(role), plural(role), prep="of"),))
    if noun.lower() in ("spouse", "husband", "wife"):
        return Relation(noun, (Clause("be", "married", prep="to"),))
    doer = AGENTS.get(noun.lower())
    if doer is not None:
        verb, tense = doer
        active = Clause(verb, tense=tense, flipped=True)  # type: ignore[arg-type]
        passive = Clause("be", participle(verb), prep="by", tense=tense)  # type: ignore[arg-type]
        return Relation(noun, (active, passive))
    if noun.lower() in SPOTS and re.search(r"\b(?:located|lies?|situated|based)\b", comment.lower()):
        return Relation(noun, (Clause("be", "located", prep="in"),))
    if noun.lower() in ("location", "headquarters"):
        return Relation(noun, (Clause("be", "located" if noun.lower() == "location" else "based", prep="in"),))
    return Relation(noun, of="in" if TITLES.search(noun) else "of")


TITLES = re.compile(
    r"^(?:wo)?(?:man|player|person|athlete|rookie|goal|rider|song|artist|performer|star|team|moment) of the"
    r" (?:match|game|day|week|month|year|season|series|tournament|round|final|race|festival)$",
    re.IGNORECASE,
)
"""Honors that have the name of their occasion in them: they are won *in* a match."""


def adapted(found: Relation, kinds: Iterable[str], ends: Iterable[str] = ()) -> Relation:
    """Say a relation as it is said of subjects of these kinds, and of objects of those (``ends``).

    One composes the music *for* a film; an album is *by* an artist; a thing was founded or created, where the KG says
    when its inception was; and somebody with a country for a nationality is a national of it.
    """
    subjects = {head(plain(kind)) for kind in kinds}
    if found.noun == "composer" and subjects & _SCORED:
        return replace(found, clauses=(Clause("compose", "the music for", tense="past", flipped=True),))
    if found.noun == "artist" and subjects & WORKS:
        return replace(found, clauses=(Clause("be", prep="by"),))
    if found.noun == "nationality" and {head(plain(kind)) for kind in ends} & REALMS:
        return replace(found, clauses=(Clause("be", "a national", "nationals", prep="of"),))
    if found.noun.startswith("inception") and found.clauses:
        said = "founded" if subjects & FOUNDED else "created"
        return replace(found, clauses=(replace(found.clauses[0], said=said),))
    return found


_SCORED = frozenset("film movie series serial show game play documentary drama episode".split())


def _usual(noun: str) -> str:
    """Return the usual words for a noun: an *email address*; the *founded date* for *date founded*."""
    turned = re.fullmatch(r"(date|year|day|place|time) (\w+)", noun.lower())
    if turned and is_participle(turned[2]):
        return f"{turned[2]} {turned[1]}"
    return FULLER.get(noun.lower(), re.sub(r"(?<=\w) (?:text|string|value)$", "", noun))


def _event(done: str) -> str:
    """Return the noun for what happened: ``founding`` for *founded*; any other word stays."""
    known = (noun for noun, (verb, said, _) in HAPPENINGS.items() if verb == "be" and said == done)
    return next(known, done)


def _counted(noun: str, shape: str) -> Relation | None:
    """Read ``number of pages``, ``page count``, ``pages``, ``matches officiated``; None if it counts nothing."""
    match = re.match(r"^(?:(?:total )?(?:number|num|no\.?|nr\.?|count) of (.+)|(.+) count)$", noun)
    if match:
        return _pieces(noun, match[1] or match[2])
    *before, last = noun.split()
    counted = re.split(r" (?:of|per) ", noun)[0].split()[-1]
    done = bool(before) and is_participle(last.lower()) and is_plural(before[-1])
    if shape == "number" and (done or (is_plural(counted) and counted.lower() not in SUMS_IN_S)):
        return _pieces(noun, noun)
    return None


def _pieces(noun: str, counted: str) -> Relation:
    words = counted.split()
    done = words[-1].lower()
    if len(words) > 1 and is_participle(done):
        return Relation(noun, counts=plural(singular(" ".join(words[:-1]))), done=lemma(done))
    what, per, each = counted.partition(" per ")
    return Relation(noun, counts=plural(singular(what)) + per + each)


def _happening(noun: str, shape: str) -> Clause | None:
    """Read ``birth place``, ``date of birth``, ``release date``, ``year of publication``: what happened, and where."""
    match = re.match(
        r"^(?:(?P<a>\w+) (?P<b>date|year|day|place|city|town|country|location|time)"
        r"|(?P<d>date|year|day|place|city|town|country|location|time) of (?P<c>\w+)"
        r"|(?P<e>birth|death)(?P<f>place|date))$",
        noun.lower(),
    )
    if match is None and shape == "date" and noun in HAPPENINGS:
        verb, said, tense = HAPPENINGS[noun]
        return Clause(verb, said, tense=tense)  # type: ignore[arg-type]
    if match is None:
        return None
    what = match["a"] or match["c"] or match["e"]
    when_or_where = match["b"] or match["d"] or match["f"]
    what = "founding" if what == "founded" else what
    found = HAPPENINGS.get(what)
    if found is None and is_participle(what):
        found = ("be", what, "past")
    if found is None:
        return None
    verb, said, tense = found
    prep = "on" if when_or_where in ("date", "day") else "at" if when_or_where == "time" and shape == "text" else "in"
    if what == "origin":
        if when_or_where not in SPOTS:
            return None
        prep = "from"
    return Clause(verb, said, prep=prep, tense=tense)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Clause:
    """A way to say the relation as a sentence.

    ``verb`` is a base form, or ``be`` with what follows it in ``said`` (``directed``, ``a member``); ``many`` is that
    for several subjects. ``prep`` stands before the object. ``flipped``: the triple's object is the sentence's subject.
    """

    verb: str
    said: str = ""
    many: str = ""
    prep: str = ""
    tense: Literal["present", "past"] = "present"
    flipped: bool = False

    def predicate(self, several: bool) -> str:
        """Return what follows ``be``, for one subject or several."""
        return self.many if several and self.many else self.said


@dataclass(frozen=True, slots=True)
class Relation:
    """A predicate in English: ``noun`` is what the object is to the subject (singular; empty if there is none).

    ``unit`` is that of its numbers, ``counts`` the plural of the things whose number it is, ``done`` the base form of
    what the subject did with its objects. ``gap`` is the noun for what a clause leaves open (the *side* that one drives
    on), ``article`` stands before it. ``of`` leads from the noun to what has it (the man of the match *in* a game).
    """

    noun: str
    clauses: tuple[Clause, ...] = ()
    unit: str = ""
    counts: str = ""
    done: str = ""
    gap: str = ""
    article: str = ""
    of: str = "of"
