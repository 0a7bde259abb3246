"""Predicate frames from noun phrases: counts, events with a time or place, agent nouns, plain nouns."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from chattyshared.language.inflection import head_noun, is_plural, plain_label, singularize
from chattyshared.language.lexicon import alternation, word_list, word_set
from chattyshared.language.wordnet import has_sense, noun_kinds

from chattygen.lexicalization.lexicon import AMOUNT_NOUNS_IN_S, FULL_NOUNS
from chattygen.lexicalization.rows import Row, Subject, fill_slots, fitting_rows
from chattygen.lexicalization.word_forms import (
    WORD_CLASSES,
    are_agents,
    are_events,
    are_persons,
    auxiliary_and_verb,
    finite_form,
    is_participle,
    join_words,
)

_BARE_END = re.compile(r"\b(distance from) (?!the |an? |[A-Z])")
"""What a distance is from, without its article: the *lower terminus*."""


def lexicalize_noun(noun: str, comment: str, shape: str) -> PredicateFrame:
    """Return the frame of a noun phrase; ``comment`` is a hint, ``shape`` is that of the objects."""
    noun = _BARE_END.sub(r"\1 the ", _usual_noun(noun))
    counted = {"noun": noun, "shape": shape, "counted": _counted_things(noun, shape)}
    if (special := frame_of_row("count", counted) or frame_of_row("noun_phrase", counted)) is not None:
        return special
    noun = singularize(noun)
    event = re.sub(r"\b(?:original|initial|official|first) ", "", noun.lower())
    if (parts := _EVENT_FIRST.fullmatch(event)) is not None:
        event = f"{parts[2] or parts[3]} {parts[1] or parts[4]}"
    traits = {"noun": noun.lower(), "event": event, "comment": comment.lower(), "shape": shape}
    frame = frame_of_row("event", traits) or frame_of_row("noun", traits)
    if frame is None:
        return PredicateFrame(noun, preposition="in" if OCCASION_TITLES.search(noun) else "of")
    clause = frame.clauses[0]
    if clause.verb == "be" and noun.lower().startswith("first "):
        frame = replace(frame, clauses=(replace(clause, complement=f"first {clause.complement}"),))
    return replace(frame, noun=noun)


_EVENT_FIRST = re.compile(rf"({alternation(word_list('events', 'told'))}) of (\w+)|(birth|death)(place|date)")
"""The time or place of an event, which rows have behind its noun: ``birth date``."""


OCCASION_TITLES = re.compile(
    rf"^(?:wo)?(?:{alternation(word_list('nouns', 'honored'))}) of the"
    rf" (?:{alternation(word_list('nouns', 'honor_occasions'))})$",
    re.IGNORECASE,
)
"""Honors named after their occasion: a player has them *in* a match."""


def adapt_frame(frame: PredicateFrame, kinds: Iterable[str], object_kinds: Iterable[str] = ()) -> PredicateFrame:
    """Adapt a frame to the kinds of its subjects and to those of its objects (``object_kinds``), by the rows
    ``between`` of ``frames.toml``: an album is *by* an artist, a product compatible *with* compatible products."""
    kinds = tuple(kinds)
    subjects, objects = ({head_noun(plain_label(kind)) for kind in labels} for labels in (kinds, object_kinds))
    fitting = (clause for clause in frame.clauses if clause.verb != "expire" or subjects & _EXPIRING_KINDS)
    frame = replace(
        frame, clauses=tuple(_adapt_clause(clause, kinds, subjects, tuple(object_kinds)) for clause in fitting)
    )
    if not frame.noun:
        return frame
    modifiers, _, head = frame.noun.lower().rpartition(" ")
    found = clause_of_row("between", {
        "noun": frame.noun, "clauses": bool(frame.clauses), "subjects": subjects, "objects": objects,
        "are_events": are_events(kinds), "are_persons": are_persons(kinds),
        "has_subject": modifiers in subjects, "names_object": head in objects,
    })  # fmt: skip
    if found is None:
        return frame
    row, clause = found
    return replace(frame, noun=row.get("noun", frame.noun), clauses=(clause,))


_EXPIRING_KINDS = word_set("nouns", "expiring_kinds")


def clause_of_row(table: str, subject: Subject, file: str = "frames") -> tuple[Row, ClauseFrame] | None:
    """Return the first row of a table that fits a subject, and its clause; None if none fits."""
    return next(((row, clause_from(row, subject, groups)) for row, groups in fitting_rows(file, table, subject)), None)


def frame_of_row(table: str, subject: Subject) -> PredicateFrame | None:
    """Return the frame of the first row of a table of ``frames.toml`` that fits a subject; None if none fits."""
    for row, groups in fitting_rows("frames", table, subject):
        clauses = [clause_from(each, subject, groups) for each in row.get("clauses", [row] if "verb" in row else [])]
        names = [name for name in ("noun", "counted_noun", "event_verb", "object_noun") if name in row]
        words = {name: fill_slots(row[name], subject, groups) for name in names}
        return PredicateFrame(clauses=tuple(clauses), **{"noun": "", **words})
    return None


def clause_from(
    row: Row, subject: Subject, groups: Mapping[str, str], clause: ClauseFrame | None = None
) -> ClauseFrame:
    """Return a clause (None: an empty one) with what a row says in place of its own words."""
    said: dict[str, Any] = {field: row[name] for name, field in _CLAUSE_FIELDS.items() if name in row}
    texts = {name: fill_slots(value, subject, groups) for name, value in said.items() if isinstance(value, str)}
    return replace(clause or ClauseFrame(""), **{**said, **texts})


_CLAUSE_FIELDS = {
    **{name: name for name in ("verb", "complement", "preposition", "tense", "suffix", "object")},
    "plural": "plural_complement",
    "inverse": "is_inverse",
    "formula": "is_formula",
}
"""The words of rows for a clause, and its attributes."""


def _adapt_clause(
    clause: ClauseFrame, kinds: tuple[str, ...], subjects: Collection[str], object_kinds: tuple[str, ...]
) -> ClauseFrame:
    """Return a clause that English has, with the verb for its subjects, by the rows ``clause`` of ``frames.toml``:
    somebody *worked for* a firm (not *was worked for*), songs are *released* (not published)."""
    parts = {"verb": clause.verb, "complement": clause.complement, "preposition": clause.preposition}
    traits = {
        **parts, "tense": clause.tense, "is_inverse": clause.is_inverse,
        "subjects": subjects, "are_persons": are_persons(kinds), "are_agents": not kinds or are_agents(kinds),
        "are_known": bool(kinds), "by_agents": are_agents(object_kinds),
    }  # fmt: skip
    adapted = (clause_from(row, traits, groups, clause) for row, groups in fitting_rows("frames", "clause", traits))
    return next(adapted, clause)


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


def _counted_things(noun: str, shape: str) -> str:
    """Return the things that a noun counts: ``number of pages``, ``page count``, ``pages``, ``matches officiated``."""
    match = re.match(r"^(?:(?:total )?(?:number|num|no\.?|nr\.?|count) of (.+)|(.+) count)$", noun)
    if match or shape != "number":
        return (match[1] or match[2]) if match else ""
    *before, last = noun.split()
    counted = re.split(r" (?:of|per|in|on|at|over|above|below) ", noun)[0].split()[-1]
    is_postposed = is_participle(last.lower()) or WORD_CLASSES["adjective"](last.lower())  # officiated, afloat
    is_amount = counted.lower() in AMOUNT_NOUNS_IN_S
    return noun if (before and is_postposed and is_plural(before[-1])) or (is_plural(counted) and not is_amount) else ""


_STAYING = frozenset("located situated buried kept housed displayed exhibited".split())
"""Participles of what stays true of a thing that is over."""


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
        subject: The subject of a sentence whose object is asked for or picked from (``did Ann direct``).
        adjective: A superlative in the complement that can stand before a noun.
        is_negated: Whether it is in the negative.
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
    subject: str = ""
    adjective: str = ""
    is_negated: bool = False

    def in_past(self) -> ClauseFrame:
        """Return the clause about what is no more; where a thing lies and who made it stays true."""
        stays = self.complement in _STAYING if self.complement else self.preposition == "by"
        return self if stays else replace(self, tense="past")

    def with_object(self, value: str) -> ClauseFrame:
        """Return the clause with a value as its object, as one complement."""
        one, many = self.tail(value, False), self.tail(value, True)
        return replace(self, complement=one, plural_complement=many, preposition="", suffix="", object=None)

    def as_predicate(self, several: bool) -> str:
        """Return the clause behind ``which of them``: ``is longer than B``, ``do not star X``, ``did Ann direct``."""
        helper, verb = auxiliary_and_verb(self.verb, self.tense, several and not self.subject)
        if self.subject or self.is_negated or self.verb == "be":
            return join_words(helper, self.subject, "not" * self.is_negated, verb, self.predicate(several))
        return join_words(finite_form(self.verb, self.tense, several), self.predicate(several))

    def as_question(self, subject: str, several: bool, tail: str | None = None, word: str = "") -> str:
        """Return a question: ``Is X longer than B?``; ``tail`` is behind the verb in place of the complement, ``word``
        the question word."""
        helper, verb = auxiliary_and_verb(self.verb, self.tense, several)
        tail = self.predicate(several) if tail is None else tail
        text = join_words(word, helper, subject, "not" * self.is_negated, verb, tail)
        return f"{text[:1].upper()}{text[1:]}?"

    def behind_subject(self, value: str, several: bool) -> str:
        """Return the clause behind its subject or a relative pronoun, with a value as the object."""
        return join_words(finite_form(self.verb, self.tense, several), self.tail(value, several))

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

    def in_past(self) -> PredicateFrame:
        """Return the frame about what is no more."""
        return replace(self, clauses=tuple(clause.in_past() for clause in self.clauses))

    def with_article(self, value: str) -> str:
        """Return a value with the article that it takes as the object: drives on *the* right."""
        return join_words(self.article, value) if self.article and value[:1].islower() else value

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
