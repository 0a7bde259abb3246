"""Noun phrases among the predicates: a count, something that happens at a time or place, a doer, or just a noun."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from chattyshared.language.inflection import (
    add_indefinite_article,
    head_noun,
    is_participle,
    is_plural,
    lemmatize_verb,
    past_participle,
    plain_label,
    pluralize,
    singularize,
)
from chattyshared.language.lexicon import word_set

from chattygen.rulebook.lexicon import (
    AGENT_NOUNS,
    AMOUNT_NOUNS_IN_S,
    COUNTRY_NOUNS,
    EVENT_VERBS,
    FOUNDED_KINDS,
    FULL_NOUNS,
    MEMBER_NOUNS,
    NOUNS_IN_EED,
    PLACE_NOUNS,
    UNIQUE_MODIFIERS,
    WORK_KINDS,
)


def lexicalize_noun(noun: str, comment: str, shape: str) -> PredicateFrame:
    """Read a noun phrase as a relation; ``comment`` is a hint, ``shape`` that of the objects."""
    noun = _usual(noun)
    counted = _counted(noun, shape)
    if counted is not None:
        return counted
    *before, last = noun.split()
    if shape == "number" and last.lower() in UNIQUE_MODIFIERS and last.lower().endswith("est"):
        return PredicateFrame(f"{noun} value")
    if before and is_participle(last.lower()) and last.lower() not in NOUNS_IN_EED and " of " not in noun:
        bare = singularize(" ".join(before))
        return PredicateFrame(
            bare, (ClauseFrame(lemmatize_verb(last.lower()), tense="past"),), event_verb=lemmatize_verb(last.lower())
        )
    noun = singularize(noun)
    if noun.lower() == "year":
        return PredicateFrame(noun, (ClauseFrame("be", preposition="from"),))
    happening = _happening(re.sub(r"^(?:original|initial) ", "", noun.lower()), shape)
    noun = re.sub(r" of (\w+)$", lambda match: f" of {_event(match[1])}", noun) if happening else noun
    if happening is not None:
        return PredicateFrame(noun, (happening,))
    if MEMBER_NOUNS.get(noun.lower()):
        role = MEMBER_NOUNS[noun.lower()]
        return PredicateFrame(
            noun, (ClauseFrame("be", add_indefinite_article(role), pluralize(role), preposition="of"),)
        )
    if noun.lower() in ("spouse", "husband", "wife"):
        return PredicateFrame(noun, (ClauseFrame("be", "married", preposition="to"),))
    doer = AGENT_NOUNS.get(noun.lower())
    if doer is not None:
        verb, tense = doer
        active = ClauseFrame(verb, tense=tense, is_inverse=True)  # type: ignore[arg-type]
        passive = ClauseFrame("be", past_participle(verb), preposition="by", tense=tense)  # type: ignore[arg-type]
        return PredicateFrame(noun, (active, passive))
    if noun.lower() in PLACE_NOUNS and re.search(r"\b(?:located|lies?|situated|based)\b", comment.lower()):
        return PredicateFrame(noun, (ClauseFrame("be", "located", preposition="in"),))
    if noun.lower() in ("location", "headquarters"):
        return PredicateFrame(
            noun, (ClauseFrame("be", "located" if noun.lower() == "location" else "based", preposition="in"),)
        )
    return PredicateFrame(noun, preposition="in" if OCCASION_TITLES.search(noun) else "of")


OCCASION_TITLES = re.compile(
    r"^(?:wo)?(?:man|player|person|athlete|rookie|goal|rider|song|artist|performer|star|team|moment) of the"
    r" (?:match|game|day|week|month|year|season|series|tournament|round|final|race|festival)$",
    re.IGNORECASE,
)
"""Honors that have the name of their occasion in them: they are won *in* a match."""


def adapt_frame(found: PredicateFrame, kinds: Iterable[str], object_kinds: Iterable[str] = ()) -> PredicateFrame:
    """Say a relation as it is said of subjects of these kinds, and of objects of those (``ends``).

    One composes the music *for* a film; an album is *by* an artist; a thing was founded or created, where the KG says
    when its inception was; and somebody with a country for a nationality is a national of it.
    """
    subjects = {head_noun(plain_label(kind)) for kind in kinds}
    if found.noun == "composer" and subjects & _SCORED:
        return replace(found, clauses=(ClauseFrame("compose", "the music for", tense="past", is_inverse=True),))
    if found.noun == "artist" and subjects & WORK_KINDS:
        return replace(found, clauses=(ClauseFrame("be", preposition="by"),))
    if found.noun == "nationality" and {head_noun(plain_label(kind)) for kind in object_kinds} & COUNTRY_NOUNS:
        return replace(found, clauses=(ClauseFrame("be", "a national", "nationals", preposition="of"),))
    if found.noun.startswith("inception") and found.clauses:
        said = "founded" if subjects & FOUNDED_KINDS else "created"
        return replace(found, clauses=(replace(found.clauses[0], complement=said),))
    return found


_SCORED = word_set("nouns", "scored_kinds")


def _usual(noun: str) -> str:
    """Return the usual words for a noun: an *email address*; the *founded date* for *date founded*."""
    turned = re.fullmatch(r"(date|year|day|place|time) (\w+)", noun.lower())
    if turned and is_participle(turned[2]):
        return f"{turned[2]} {turned[1]}"
    return FULL_NOUNS.get(noun.lower(), re.sub(r"(?<=\w) (?:text|string|value)$", "", noun))


def _event(done: str) -> str:
    """Return the noun for what happened: ``founding`` for *founded*; any other word stays."""
    known = (noun for noun, (verb, said, _) in EVENT_VERBS.items() if verb == "be" and said == done)
    return next(known, done)


def _counted(noun: str, shape: str) -> PredicateFrame | None:
    """Read ``number of pages``, ``page count``, ``pages``, ``matches officiated``; None if it counts nothing."""
    match = re.match(r"^(?:(?:total )?(?:number|num|no\.?|nr\.?|count) of (.+)|(.+) count)$", noun)
    if match:
        return _pieces(noun, match[1] or match[2])
    *before, last = noun.split()
    counted = re.split(r" (?:of|per) ", noun)[0].split()[-1]
    done = bool(before) and is_participle(last.lower()) and is_plural(before[-1])
    if shape == "number" and (done or (is_plural(counted) and counted.lower() not in AMOUNT_NOUNS_IN_S)):
        return _pieces(noun, noun)
    return None


def _pieces(noun: str, counted: str) -> PredicateFrame:
    words = counted.split()
    done = words[-1].lower()
    if len(words) > 1 and is_participle(done):
        return PredicateFrame(
            noun, counted_noun=pluralize(singularize(" ".join(words[:-1]))), event_verb=lemmatize_verb(done)
        )
    what, per, each = counted.partition(" per ")
    return PredicateFrame(noun, counted_noun=pluralize(singularize(what)) + per + each)


def _happening(noun: str, shape: str) -> ClauseFrame | None:
    """Read ``birth place``, ``date of birth``, ``release date``, ``year of publication``: what happened, and where."""
    match = re.match(
        r"^(?:(?P<a>\w+) (?P<b>date|year|day|place|city|town|country|location|time)"
        r"|(?P<d>date|year|day|place|city|town|country|location|time) of (?P<c>\w+)"
        r"|(?P<e>birth|death)(?P<f>place|date))$",
        noun.lower(),
    )
    if match is None and shape == "date" and noun in EVENT_VERBS:
        verb, said, tense = EVENT_VERBS[noun]
        return ClauseFrame(verb, said, tense=tense)  # type: ignore[arg-type]
    if match is None:
        return None
    what = match["a"] or match["c"] or match["e"]
    when_or_where = match["b"] or match["d"] or match["f"]
    what = "founding" if what == "founded" else what
    found = EVENT_VERBS.get(what)
    if found is None and is_participle(what):
        found = ("be", what, "past")
    if found is None:
        return None
    verb, said, tense = found
    prep = "on" if when_or_where in ("date", "day") else "at" if when_or_where == "time" and shape == "text" else "in"
    if what == "origin":
        if when_or_where not in PLACE_NOUNS:
            return None
        prep = "from"
    return ClauseFrame(verb, said, preposition=prep, tense=tense)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class ClauseFrame:
    """A way to say the relation as a sentence.

    ``verb`` is a base form, or ``be`` with what follows it in ``said`` (``directed``, ``a member``); ``many`` is that
    for several subjects. ``prep`` stands before the object. ``flipped``: the triple's object is the sentence's subject.
    """

    verb: str
    complement: str = ""
    plural_complement: str = ""
    preposition: str = ""
    tense: Literal["present", "past"] = "present"
    is_inverse: bool = False

    def predicate(self, several: bool) -> str:
        """Return what follows ``be``, for one subject or several."""
        return self.plural_complement if several and self.plural_complement else self.complement


@dataclass(frozen=True, slots=True)
class PredicateFrame:
    """A predicate in English: ``noun`` is what the object is to the subject (singular; empty if there is none).

    ``unit`` is that of its numbers, ``counts`` the plural of the things whose number it is, ``done`` the base form of
    what the subject did with its objects. ``gap`` is the noun for what a clause leaves open (the *side* that one drives
    on), ``article`` stands before it. ``of`` leads from the noun to what has it (the man of the match *in* a game).
    """

    noun: str
    clauses: tuple[ClauseFrame, ...] = ()
    unit: str = ""
    counted_noun: str = ""
    event_verb: str = ""
    object_noun: str = ""
    article: str = ""
    preposition: str = "of"
