"""Predicate frames from noun phrases: counts, events with a time or place, agent nouns, plain nouns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from chattyshared.language.inflection import (
    add_indefinite_article,
    denote_persons,
    head_noun,
    is_plural,
    plain_label,
    pluralize,
    singularize,
)
from chattyshared.language.lexicon import alternation, word_list, word_set
from chattyshared.language.wordnet import has_sense, noun_kinds

from chattygen.lexicalization.lexicon import (
    AGENT_NOUNS,
    AMOUNT_NOUNS_IN_S,
    EVENT_VERBS,
    FULL_NOUNS,
    INTRANSITIVE_VERBS,
    NOUNS_IN_EED,
    NOUNS_IN_ING,
    PLACE_NOUNS,
    PREPOSITIONS,
    RELEASED_KINDS,
    UNIQUE_MODIFIERS,
)
from chattygen.lexicalization.rows import Row, Subject, fill_slots, fitting_rows
from chattygen.lexicalization.word_forms import (
    IRREGULAR_VERBS,
    base_of_gerund,
    is_participle,
    join_words,
    lemmatize_verb,
    past_participle,
)

_BARE_END = re.compile(r"\b(distance from) (?!the |an? |[A-Z])")
"""What a distance is from, without its article: the *lower terminus*."""


def lexicalize_noun(noun: str, comment: str, shape: str) -> PredicateFrame:
    """Return the frame of a noun phrase; ``comment`` is a hint, ``shape`` is that of the objects."""
    noun = _BARE_END.sub(r"\1 the ", _usual_noun(noun))
    special_frame = _past_frame(noun) or _count_frame(noun, shape) or _use_frame(noun)
    if special_frame is not None:
        return special_frame
    *before, last = noun.split()
    if shape == "number" and last.lower() in UNIQUE_MODIFIERS and last.lower().endswith("est"):
        return PredicateFrame(f"{noun} value")
    if before and is_participle(last.lower()) and last.lower() not in NOUNS_IN_EED and " of " not in noun:
        bare = singularize(" ".join(before))
        return PredicateFrame(
            bare, (ClauseFrame(lemmatize_verb(last.lower()), tense="past"),), event_verb=lemmatize_verb(last.lower())
        )
    noun = singularize(noun)
    event_clause = _event_clause(noun.lower(), shape)
    noun = re.sub(r" of (\w+)$", lambda match: f" of {_event_noun(match[1])}", noun) if event_clause else noun
    if event_clause is not None:
        return PredicateFrame(noun, (event_clause,))
    if noun.lower() in AGENT_NOUNS:
        return PredicateFrame(noun, _agent_clauses(*AGENT_NOUNS[noun.lower()]))
    if (found := clause_of_row("noun", {"noun": noun.lower(), "comment": comment.lower(), "shape": shape})) is not None:
        return PredicateFrame(noun, (found[1],))
    return PredicateFrame(noun, preposition="in" if OCCASION_TITLES.search(noun) else "of")


def _past_frame(noun: str) -> PredicateFrame | None:
    """Return the frame of a past tense (``wrote``); None for a noun."""
    first, *rest = noun.lower().split()
    base = next((base for base, forms in IRREGULAR_VERBS.items() if forms[0] == first), "")
    if base and not rest and not noun_kinds(first):
        return PredicateFrame("", (ClauseFrame(base, tense="past"),))
    return None


def _agent_clauses(verb: str, tense: str) -> tuple[ClauseFrame, ClauseFrame]:
    """Return the clauses of an agent noun: ``X directed Y``, ``Y was directed by X``."""
    active = ClauseFrame(verb, tense=tense, is_inverse=True)  # type: ignore[arg-type]
    return active, ClauseFrame("be", past_participle(verb), preposition="by", tense=tense)  # type: ignore[arg-type]


OCCASION_TITLES = re.compile(
    rf"^(?:wo)?(?:{alternation(word_list('nouns', 'honored'))}) of the"
    rf" (?:{alternation(word_list('nouns', 'honor_occasions'))})$",
    re.IGNORECASE,
)
"""Honors named after their occasion: a player has them *in* a match."""


def adapt_frame(frame: PredicateFrame, kinds: Iterable[str], object_kinds: Iterable[str] = ()) -> PredicateFrame:
    """Adapt a frame to the kinds of its subjects and to those of its objects (``object_kinds``), by the rows
    ``between`` of ``frames.toml``: an album is *by* an artist, a product compatible *with* compatible products."""
    subjects, objects = ({head_noun(plain_label(kind)) for kind in labels} for labels in (kinds, object_kinds))
    fitting = (clause for clause in frame.clauses if clause.verb != "expire" or subjects & _EXPIRING_KINDS)
    frame = replace(frame, clauses=tuple(_fit_clause(_mend_clause(clause), subjects) for clause in fitting))
    if not frame.noun:
        return frame
    *modifiers, head = frame.noun.lower().split()
    modifier = " ".join(modifiers)
    agent_verb, agent_tense = AGENT_NOUNS.get(head, ("", ""))
    is_agent = denote_persons([head]) and not agent_verb  # a hiring manager hires no posting
    act = base_of_gerund(modifier) if is_agent and modifier not in NOUNS_IN_ING else ""
    found = clause_of_row("between", {
        "noun": frame.noun, "clauses": bool(frame.clauses), "subjects": subjects, "objects": objects,
        "are_events": any(kind in _GATHERINGS or "event" in noun_kinds(kind)[:2] for kind in subjects),
        "manages_subject": bool(agent_verb) and modifier in subjects, "names_object": head in objects,
        "agent_verb": agent_verb, "agent_tense": agent_tense, "acts": bool(act), "act": act,
    })  # fmt: skip
    if found is None:
        return frame
    row, clause = found
    return replace(frame, noun=row.get("noun", frame.noun), clauses=(clause,))


_EXPIRING_KINDS, _GATHERINGS = word_set("nouns", "expiring_kinds"), word_set("nouns", "gatherings")


def clause_of_row(table: str, subject: Subject, file: str = "frames") -> tuple[Row, ClauseFrame] | None:
    """Return the first row of a table that fits a subject, and its clause; None if none fits."""
    return next(((row, clause_from(row, subject, groups)) for row, groups in fitting_rows(file, table, subject)), None)


def clause_from(row: Row, subject: Subject, groups: Mapping[str, str]) -> ClauseFrame:
    """Return the clause of a row with the words of a subject in its slots."""
    names = [name for name in ("verb", "complement", "preposition", "tense", "suffix", "object") if name in row]
    words: dict[str, Any] = {name: fill_slots(row[name], subject, groups) for name in names}
    plural = fill_slots(row.get("plural", ""), subject, groups)
    is_inverse, is_formula = row.get("inverse", False), row.get("formula", False)
    return ClauseFrame(plural_complement=plural, is_inverse=is_inverse, is_formula=is_formula, **words)


def _mend_clause(clause: ClauseFrame) -> ClauseFrame:
    """Return a clause that English has: somebody *worked for* a firm (not *was worked for*), *is in charge of* a thing,
    *is a coach of* a team."""
    words = clause.complement.split()
    base = lemmatize_verb(words[-1]) if words else ""
    if clause.verb == "be" and base in INTRANSITIVE_VERBS and clause.preposition != "by" and is_participle(words[-1]):
        return replace(clause, verb=base, complement=" ".join(words[:-1]), tense="past")
    if clause.verb == "be" and len(words) > 1 and words[0] in ("a", "an") and words[1] in PREPOSITIONS:
        return replace(clause, complement=" ".join(words[1:]), plural_complement="")
    if clause.preposition == "of" and not clause.complement and noun_kinds(clause.verb)[:1] == ("person",):
        role, several = add_indefinite_article(clause.verb), pluralize(clause.verb)
        return replace(clause, verb="be", complement=role, plural_complement=several)
    return clause


_STARTED = {"started": "start", "finished": "finish", "left": "leave"}
"""What persons do themselves at a date, and things undergo."""


def _fit_clause(clause: ClauseFrame, subjects: Iterable[str]) -> ClauseFrame:
    """Return a clause with the verb for its subjects: films and songs are released, not published."""
    if clause.verb == "be" and clause.complement in _STARTED and denote_persons(subjects):  # a technician started
        return replace(clause, verb=_STARTED[clause.complement], complement="")
    is_released = clause.complement == "published" and clause.preposition != "by" and RELEASED_KINDS & {*subjects}
    return replace(clause, complement="released") if is_released else clause


_NAMED_BY_KIND = word_set("nouns", "name_modifiers")
"""Words before *name* that tell which name it is, not whose: a file name, a trade name."""


def _usual_noun(noun: str) -> str:
    """Return the usual form of a noun: an *email address*; the *founded date* for *date founded*."""
    noun = re.sub(r"(?:^|(?<= ))(?:timestamp|datetime|date time)$", "date", noun)
    match = re.fullmatch(r"(date|year|day|place|time) (\w+)", noun.lower())
    if match and is_participle(match[2]):
        return f"{match[2]} {match[1]}"
    noun = noun.removeprefix("own ")  # their own dentist
    owner = noun.lower().removesuffix(" name")
    if owner != noun.lower() and noun_kinds(head_noun(owner)) and owner not in _NAMED_BY_KIND:  # make name
        return noun[: len(owner)]
    bare = re.sub(r"(?<=\w) (?:text|string|value)$", "", noun)
    return FULL_NOUNS.get(noun.lower(), bare if has_sense(head_noun(bare), "n") else noun)


def _event_noun(participle: str) -> str:
    """Return the noun for a participle: ``founding`` for *founded*; any other word stays."""
    nouns = (noun for noun, (verb, complement, _) in EVENT_VERBS.items() if verb == "be" and complement == participle)
    return next(nouns, participle)


def _count_frame(noun: str, shape: str) -> PredicateFrame | None:
    """Return the frame of ``number of pages``, ``page count``, ``pages``, ``matches officiated``; None if no count."""
    match = re.match(r"^(?:(?:total )?(?:number|num|no\.?|nr\.?|count) of (.+)|(.+) count)$", noun)
    if match:
        return _things_frame(noun, match[1] or match[2])
    *before, last = noun.split()
    counted = re.split(r" (?:of|per|in|on|at|over|above|below) ", noun)[0].split()[-1]
    has_participle = bool(before) and is_participle(last.lower()) and is_plural(before[-1])
    if shape == "number" and (has_participle or (is_plural(counted) and counted.lower() not in AMOUNT_NOUNS_IN_S)):
        return _things_frame(noun, noun)
    return None


def _use_frame(noun: str) -> PredicateFrame | None:
    """Return the frame of ``instrument used``; None for any other noun."""
    things, _, last = noun.rpartition(" ")
    return PredicateFrame("", (_USED_FOR,), object_noun=singularize(things)) if things and last == "used" else None


_BOUNDS = {"max": "maximum", "min": "minimum", "maximum": "maximum", "minimum": "minimum", "average": "average"}
"""What bounds a number of things: nobody *has* eight maximum berths."""


def _things_frame(noun: str, counted: str) -> PredicateFrame:
    words = counted.split()
    participle = words[-1].lower()
    if len(words) > 1 and is_participle(participle):
        return PredicateFrame(
            noun, counted_noun=pluralize(singularize(" ".join(words[:-1]))), event_verb=lemmatize_verb(participle)
        )
    things, rest = re.fullmatch(r"(.+?)((?: (?:per|in|on|at|over|above|below) .+)?)", counted).groups()  # type: ignore[union-attr]
    bound, _, bounded = things.partition(" ")
    if bounded and bound.lower() in _BOUNDS:
        return PredicateFrame(f"{_BOUNDS[bound.lower()]} number of {pluralize(singularize(bounded))}{rest}")
    return PredicateFrame(noun, counted_noun=pluralize(singularize(things)) + rest)


def _event_clause(label: str, shape: str) -> ClauseFrame | None:
    """Return the clause of an event, first or official too: ``first publication date``, *was first published*."""
    clause = _plain_event_clause(re.sub(r"\b(?:original|initial|official|first) ", "", label), shape)
    if clause is not None and clause.verb == "be" and label.startswith("first "):
        return replace(clause, complement=f"first {clause.complement}")
    return clause


def _plain_event_clause(noun: str, shape: str) -> ClauseFrame | None:
    """Return the clause of an event with a time or place: ``birth place``, ``date of birth``, ``release date``."""
    match = re.match(
        r"^(?:(?P<a>\w+) (?P<b>date|year|day|place|city|town|country|location|time)"
        r"|(?P<d>date|year|day|place|city|town|country|location|time) of (?P<c>\w+)"
        r"|(?P<e>birth|death)(?P<f>place|date))$",
        noun.lower(),
    )
    if match is None and shape == "date" and noun in EVENT_VERBS:
        verb, complement, tense = EVENT_VERBS[noun]
        return ClauseFrame(verb, complement, tense=tense)  # type: ignore[arg-type]
    if match is None:
        return None
    event = match["a"] or match["c"] or match["e"]
    when_or_where = match["b"] or match["d"] or match["f"]
    event = "founding" if event == "founded" else event
    verb_phrase = EVENT_VERBS.get(event)
    if verb_phrase is None and is_participle(event) and (shape, when_or_where) != ("number", "date"):
        verb_phrase = ("be", event, "past")
    if verb_phrase is None:
        return None
    verb, complement, tense = verb_phrase
    preposition = (
        "on" if when_or_where in ("date", "day") else "at" if when_or_where == "time" and shape == "text" else "in"
    )
    if event == "origin":
        if when_or_where not in PLACE_NOUNS:
            return None
        preposition = "from"
    return ClauseFrame(verb, complement, preposition=preposition, tense=tense)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class ClauseFrame:
    """A predicate as a clause.

    Attributes:
        verb: A base form, or ``be``.
        complement: The words behind the verb (``directed``, ``a member``).
        plural_complement: The words behind ``be`` of several subjects, where they differ.
        preposition: The preposition before the object.
        tense: The tense.
        is_inverse: Whether the triple's object is the subject of the clause.
        suffix: The words behind the object (speaks it *as their native language*).
        object: The words for the object where its name alone does not do (*the genre satire*); None: its name.
        is_formula: Whether only the predicate's noun says it: ``have X as their contractor``.
    """

    verb: str
    complement: str = ""
    plural_complement: str = ""
    preposition: str = ""
    tense: Literal["present", "past"] = "present"
    is_inverse: bool = False
    suffix: str = ""
    object: str | None = None
    is_formula: bool = False

    def predicate(self, several: bool) -> str:
        """Return the complement of ``be`` for one subject or several."""
        return self.plural_complement if several and self.plural_complement else self.complement

    def tail(self, value: str, several: bool) -> str:
        """Return the words behind the verb, with a value as the object."""
        return join_words(
            self.predicate(several), self.preposition, value if self.object is None else self.object, self.suffix
        )


@dataclass(frozen=True, slots=True)
class PredicateFrame:
    """A predicate in English.

    Attributes:
        noun: What the object is to the subject, in the singular; "" if there is none.
        clauses: The predicate as clauses, the most natural first.
        unit: The unit of its numbers.
        counted_noun: The plural noun for the things that its numbers count.
        event_verb: The base form of what the subject did with its objects.
        object_noun: The noun for the object of a clause (the *side* of "drives on the").
        article: The article before that noun.
        preposition: The preposition from the noun to its possessor (the man of the match *in* a game).
    """

    noun: str
    clauses: tuple[ClauseFrame, ...] = ()
    unit: str = ""
    counted_noun: str = ""
    event_verb: str = ""
    object_noun: str = ""
    article: str = ""
    preposition: str = "of"

    @property
    def tells_year(self) -> bool:
        """Whether its numbers are the years of an event: the *release year*, or *built* without a noun."""
        is_event = any(clause.verb == "be" and clause.complement for clause in self.clauses)
        is_event &= all(clause.preposition in ("", "in") for clause in self.clauses)  # not what was calibrated to 736
        is_event |= self.object_noun == "year"
        return bool(self.clauses) and ("year" in self.noun.lower().split() or (not self.noun and is_event))

    @property
    def can_tell_number(self) -> bool:
        """Whether English asks for its numbers: by a noun, a count or a year, but not ``begins in`` alone."""
        return self.noun not in ("", "value") or bool(self.counted_noun) or self.tells_year


_USED_FOR = ClauseFrame("be", "used", preposition="for", tense="past", is_inverse=True)
"""The clause of things used for an event or a project; a person uses them."""
