"""A predicate's label as English: a noun (``director``), clauses (``X was directed by Y``, ``Y directed X``), unit."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from chattygen.rulebook.lexicon import (
    ADVERBS,
    AGENTS,
    BYGONE,
    FULLER,
    HAPPENINGS,
    NEVER_NOUNS,
    NOUNS_IN_ING,
    PAST_AS_NOUN,
    PREPOSITIONS,
    SPOTS,
    STANDING,
    STATIVE,
    SUMS_IN_S,
    UNITS,
    VERBS,
)
from chattygen.rulebook.words import (
    head,
    indefinite,
    is_participle,
    is_plural,
    lemma,
    mean_person,
    participle,
    plain,
    plural,
    singular,
)

_NUMBER_OF = re.compile(r"^(?:total )?(?:number|num|no\.?|nr\.?|count) of (.+)$")


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
    """A predicate in English: ``noun`` is what the object is to the subject (singular; empty if there is none)."""

    noun: str
    clauses: tuple[Clause, ...] = ()
    unit: str = ""
    counts: str = ""
    done: str = ""


@lru_cache(maxsize=4096)
def relation(label: str, comment: str = "", shape: str = "entity") -> Relation:
    """Read a predicate's label (its comment is a hint) as English; ``shape`` is that of its objects."""
    unit = _unit(label)
    words = plain(label).split()
    while len(words) > 1 and words[-1].lower() in ("the", "a", "an"):
        words = words[:-1]
    if words[0].lower() in ("has", "have") and len(words) > 1:
        words = words[1:]
    if words[0].lower() in ("is", "are", "was", "were") and len(words) > 1:
        found = _being(words[1:], "past" if words[0].lower() in ("was", "were") else "present")
    else:
        found = _verbal(words, shape) or _nominal(" ".join(words), comment, shape)
    return replace(found, unit=unit)


def _unit(label: str) -> str:
    match = re.search(r"[(\[]([^)\]]{1,8})[)\]]\s*$", label)
    return UNITS.get(match.group(1).strip().lower(), "") if match else ""


def _being(words: list[str], tense: Literal["present", "past"]) -> Relation:
    """Read what follows ``is`` or ``was``: ``part of``, ``located in``, ``author of``, ``similar to``."""
    if words[0] in ("a", "an", "the"):
        words = words[1:]
    if len(words) > 1 and words[-1] in PREPOSITIONS:
        stem = words[:-1]
        if is_participle(stem[-1]):
            return _passive(stem, words[-1])
        return _adjectival(stem, words[-1])
    return (
        Relation("", (Clause("be", " ".join(words), tense=tense),))
        if is_participle(words[-1])
        else Relation(" ".join(words))
    )


def _verbal(words: list[str], shape: str) -> Relation | None:
    """Read a label that begins or ends like a verb phrase; None if it is a noun phrase."""
    if len(words) == 1:
        return _one_word(words[0].lower(), shape)
    first, last = words[0].lower(), words[-1].lower()
    if last in PREPOSITIONS:
        if is_participle(words[-2].lower()) and all(w.lower() in ADVERBS or w.endswith("ly") for w in words[:-2]):
            return _passive(words[:-1], last)
        verb = _finite(first) or _third_person(first, last)
        if verb:
            return Relation("", (Clause(verb, _object_noun(words[1:-1]), prep=last),))
        if is_participle(first) and words[1].lower() in ("a", "an", "the") and lemma(first) != first:
            return Relation("", (Clause(lemma(first), " ".join(words[1:-1]), prep=last, tense="past"),))
        return _adjectival(words[:-1], last)
    if is_participle(last) and all(word.lower() in ADVERBS for word in words[:-1]):
        return _passive(words, "in" if shape == "date" else "")
    return _with_its_object(words, shape)


def _with_its_object(words: list[str], shape: str) -> Relation | None:
    """Read ``lies on the river``, ``lost in battle``, ``plays instrument``; None if it is a noun phrase."""
    first, second = words[0].lower(), words[1].lower()
    if len(words) > 2 and second in PREPOSITIONS:
        verb = _finite(first) or _third_person(first, second)
        if verb:
            return Relation("", (Clause(verb, prep=second),))
        if is_participle(first) and shape in ("entity", "text"):
            return _passive(words[:1], second)
    verb = _finite(first) if first.endswith("s") else ""
    if not verb or first in ("works", "parts", "needs", "offers", "uses"):
        return None
    return Relation(singular(" ".join(words[1:])), (Clause(verb),), done=verb)


def _one_word(word: str, shape: str) -> Relation | None:
    """Read ``near``, ``starring``, ``employs``, ``founded``; None if it is a noun."""
    if word in PREPOSITIONS:
        return Relation("", (Clause("be", prep=word),))
    if word.endswith("ing") and word not in NOUNS_IN_ING:
        return _gerund(word)
    if word in NEVER_NOUNS or (word.endswith("s") and lemma(word) in NEVER_NOUNS and shape == "entity"):
        return Relation("", (Clause(lemma(word)),))
    if is_participle(word) and word not in PAST_AS_NOUN:
        if shape == "entity":
            return Relation("", (Clause(lemma(word), tense="past"),))
        return Relation("", (Clause("be", word, tense="past"),))
    return None


def _finite(word: str) -> str:
    """Return the base form of a verb in the third person (or in its base form), or the empty string."""
    base = lemma(word)
    return base if (base in VERBS or base in NEVER_NOUNS) and (word.endswith("s") or word == base) else ""


def _third_person(word: str, prep: str) -> str:
    """Return the base form of what ends like a verb before a preposition (``stands near``), or the empty string."""
    base = lemma(word)
    ends = word.endswith("s") and not word.endswith(("ss", "us", "is"))
    return base if prep != "of" and ends and base != word else ""


def _object_noun(words: list[str]) -> str:
    noun = " ".join(words)
    return indefinite(noun) if noun and not is_plural(noun) and words[0] not in ("a", "an", "the") else noun


def _gerund(word: str) -> Relation:
    verb = lemma(word)
    if verb == "star":
        return Relation("", (Clause("star", prep="in", flipped=True), Clause("star")))
    return Relation("", (Clause(verb),))


def _passive(words: list[str], prep: str) -> Relation:
    """Read a participle with a preposition: ``directed by``, ``located in``, ``based on``."""
    done = words[-1].lower()
    before = " ".join(words[:-1])
    said = f"{before} {done}".strip()
    tense: Literal["present", "past"] = "past" if done not in STATIVE or before in BYGONE else "present"
    passive = Clause("be", said, prep=prep, tense=tense)
    if prep == "by":
        active = Clause(lemma(done), tense=tense, flipped=True)
        return Relation("", (active, passive) if not before else (passive,))
    return Relation("", (passive,))


def _adjectival(words: list[str], prep: str) -> Relation:
    """Read an adjective or noun with a preposition: ``responsible for``, ``member of``, ``successor to``."""
    noun = " ".join(words)
    last = words[-1].lower()
    if prep == "by":
        made = Clause("do", f"the {noun}", prep="for", tense="past", flipped=True)
        return Relation("", (made, Clause("have", indefinite(noun), prep="by")))
    if prep != "of" and not _is_noun(last):
        return Relation("", (Clause("be", noun, prep=prep),))
    if last == "part":
        return Relation("", (Clause("be", noun, "parts", prep=prep),))
    if last.endswith(("able", "ible", "ful", "ous")) or last in (
        "capable",
        "typical",
        "full",
        "north",
        "south",
        "aware",
    ):
        return Relation("", (Clause("be", noun, prep=prep),))
    noun = singular(noun)
    return Relation("", (Clause("be", f"{_article(noun)} {noun}", plural(noun), prep=prep),))


def _article(noun: str) -> str:
    unique = head(noun) in ("capital", "successor", "predecessor", "head", "headquarters", "king", "queen", "seat")
    return "the" if unique else indefinite(noun).split()[0]


def _is_noun(word: str) -> bool:
    return mean_person([word]) or word in ("award", "prize", "reason", "gift", "answer", "key", "guide", "member")


def _nominal(noun: str, comment: str, shape: str) -> Relation:
    """Read a noun phrase: a count, something that happens at a time or place, a doer, or just a noun."""
    noun = FULLER.get(noun.lower(), re.sub(r"(?<=\w) (?:text|string|value)$", "", noun))
    counted = re.match(r"^(?:total )?(?:number|num|no\.?|nr\.?|count) of (.+)$", noun) or re.match(
        r"^(.+) count$", noun
    )
    if counted:
        return _counted(noun, counted.group(1))
    *before, last = noun.split()
    if shape == "number" and is_plural(last) and last.lower() not in SUMS_IN_S and " of " not in noun:
        return _counted(noun, noun)
    if before and is_participle(last.lower()) and last.lower() not in PAST_AS_NOUN and " of " not in noun:
        bare = singular(" ".join(before))
        return Relation(bare, (Clause(lemma(last.lower()), tense="past"),), done=lemma(last.lower()))
    noun = singular(noun)
    happening = _happening(noun)
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
    return Relation(noun)


def _counted(noun: str, counted: str) -> Relation:
    words = counted.split()
    done = words[-1].lower()
    if len(words) > 1 and is_participle(done):
        return Relation(noun, counts=plural(singular(" ".join(words[:-1]))), done=lemma(done))
    return Relation(noun, counts=plural(singular(counted)))


def _happening(noun: str) -> Clause | None:
    """Read ``birth place``, ``date of birth``, ``release date``, ``year of publication``: what happened, and where."""
    match = re.match(
        r"^(?:(?P<a>\w+) (?P<b>date|year|day|place|city|town|country|location|time)"
        r"|(?P<d>date|year|day|place|city|town|country|location|time) of (?P<c>\w+)"
        r"|(?P<e>birth|death)(?P<f>place|date))$",
        noun.lower(),
    )
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
    prep = "on" if when_or_where in ("date", "day") else "in"
    if what == "origin":
        if when_or_where not in SPOTS:
            return None
        prep = "from"
    return Clause(verb, said, prep=prep, tense=tense)  # type: ignore[arg-type]
