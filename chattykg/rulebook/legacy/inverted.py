"""Inverted questions: an auxiliary, a subject and a verb stand behind the thing asked for ("did X direct")."""

from __future__ import annotations

from chattyshared.language.morphology import lemma_of

from chattykg.linking.similarity import argument_polarity, lexical_similarity
from chattykg.qir import is_unknown
from chattykg.rulebook.legacy.clauses import clauses, complement
from chattykg.rulebook.legacy.closed_words import ADVERB, AUXILIARY, BE, DETERMINER, DO, HAVE, MODAL, PREPOSITION
from chattykg.rulebook.legacy.comparing import timed
from chattykg.rulebook.legacy.light_verbs import did_noun
from chattykg.rulebook.legacy.nouns import noun, starts_noun
from chattykg.rulebook.legacy.parse import Noun, Parse
from chattykg.rulebook.legacy.prepositions import alternatives, stranded
from chattykg.rulebook.legacy.quantities import moment

_NEAR = 0.6
_PLACED = frozenset("locate situate base lie live seat headquarter".split())
_GRADED = frozenset("the most least fewest more fewer".split())
"""Words that begin an object, and never a subject, behind a verb."""


def inverted(p: Parse, target: Noun, wh: str, preposition: str) -> None:
    """ "did X direct": the auxiliary, a subject, a verb; the thing asked for is the object."""
    reader = p.reader
    negative = False
    began = reader.place
    if wh in ("who", "what") and did_noun(p, target):
        return
    while reader.peek().lower in AUXILIARY or reader.at("not", "n't", "you", "i", "we", "they"):
        negative = negative or reader.at("not")
        reader.take()
    owning = negative and reader.peek(-1).lower in HAVE
    if owning or negative and reader.peek().is_verb and not reader.peek().is_name:
        reader.place = began
        clauses(p, target)
        return
    asked = {atom.lower for atom in reader.atoms[began : reader.place]}
    if reader.skip("nobody") or reader.skip_sequence("no", "one"):
        relate_subjects(p, Noun(p.draft.fresh("who")), target, wh, preposition, negative=True)
        return
    if reader.peek().lower in PREPOSITION and asked & HAVE and asked & {"you", "we"} and complement(p, target):
        return
    if reader.at("people") and reader.peek(1).is_verb:
        reader.take()
    if asked & DO and _acts(p) or asked & MODAL and _can(p):
        clauses(p, target)
        return
    if reader.peek(-1).lower in ("you", "i", "we", "they", "one", "people") and reader.peek().is_verb:
        clauses(p, target)
        return
    p.inverted = True
    subject = noun(p)
    p.inverted = False
    if subject is None:
        clauses(p, target)
        return
    relate_subjects(p, subject, target, wh, preposition, negative=negative or subject.negative)


def relate_subjects(
    p: Parse, subject: Noun, target: Noun, wh: str, preposition: str, *, negative: bool = False
) -> None:
    """Relate one or several subjects to the thing asked for by the verb that follows."""
    reader = p.reader
    if subject.literal and is_unknown(subject.end) and p.draft.is_tied(subject.end) and not target.head:
        _value_itself(p, subject)
        return
    subjects = [subject]
    if reader.skip_sequence("as", "well", "as"):
        other = noun(p, after=False)
        subjects += [other] if other else []
    subjects += alternatives(p, subject)
    while reader.peek().lower in ADVERB or reader.at("not", "both") or reader.peek().lower in BE:
        negative = negative or reader.at("not")
        reader.take()
    verb = _verb(p)
    phrase = " ".join(part for part in (verb, preposition) if part)
    if wh == "where" and not verb:
        phrase = "location"
    elif wh == "where" and " " not in phrase:
        phrase += " in"
    if verb.lower() in ("have", "has", "had", "get"):
        phrase = ""
    bound(p, subjects, target, phrase, negative=negative)


def _acts(p: Parse) -> bool:
    """Tell whether a verb and its object follow with no subject between: the thing asked for did it."""
    verb, following = p.reader.peek(), p.reader.peek(1)
    plain = verb.is_verb and verb.size == 1 and not verb.is_name and not verb.is_nounish and not verb.group
    return plain and (following.lower in DETERMINER or following.kind == "number")


def _can(p: Parse) -> bool:
    """Tell whether a verb and its object follow "can" with no subject between ("which bees can pollinate clover")."""
    verb, following = p.reader.peek(), p.reader.peek(1)
    rest = [atom for atom in p.reader.atoms[p.reader.place + 1 :] if not atom.is_mark]
    plain = verb.is_verb and verb.size == 1 and not verb.is_name and not verb.group and not verb.is_plural
    follows = following.is_content or following.lower in _GRADED
    return plain and follows and not (rest[-1].is_verb and not rest[-1].is_name)


def _value_itself(p: Parse, subject: Noun) -> None:
    """Ask for a value that a verb is said of ("what did a berth on X cost"): nothing else can be asked of it."""
    p.draft.target = subject.end
    while p.reader.peek().is_content or p.reader.peek().lower in PREPOSITION | ADVERB | AUXILIARY:
        p.reader.take()


def _verb(p: Parse) -> str:
    """Take the verb and a stranded preposition behind it."""
    reader = p.reader
    verb = ""
    if reader.peek().lower in HAVE or reader.peek().is_content:
        verb = reader.take().text
    if reader.peek().is_content and verb.lower() in ("get", "become", "go"):
        verb += " " + reader.take().text
    if reader.peek().lower in PREPOSITION and (stranded(p) or not starts_after(p)):
        verb += " " + reader.take().lower
    return verb.strip()


def starts_after(p: Parse) -> bool:
    """Tell whether a noun begins behind the preposition at the cursor."""
    following = p.reader.peek(1)
    return (
        following.is_content or following.kind == "number" or following.lower in ("the", "a", "an", "his", "her", "its")
    )


def bound(p: Parse, subjects: list[Noun], target: Noun, phrase: str, *, negative: bool) -> None:
    """Say that each subject stands in the phrase's relation to the thing asked for, then read what follows the verb."""
    pending = p.draft.pending.pop(target.end, "")
    said = (
        pending
        if not phrase
        else f"{phrase} {pending}".strip()
        if pending and pending.lower() != phrase.lower()
        else phrase
    )
    if not said and target.head and not target.is_class:
        said = target.head
    if not pending and target.head and not target.is_class and said and lemma_of(said.split()[0].lower()) in _PLACED:
        said = target.head if _tells_more(p, target.head, said) else said  # where it lies is a city, not any place
    if target.is_class and lemma_of(said.lower()) == "make":
        said = f"{said} {lemma_of(target.head.lower())}"  # an album is made by others than a car
    for subject in subjects:
        p.draft.relate(subject.end, said or target.head, target.end, negative=negative)
    _arguments(p, subjects[0], said)
    if p.reader.at("that", "which", "who", "whose", "with") and is_unknown(target.end):
        p.after_noun(p, target)


def _tells_more(p: Parse, noun_said: str, phrase: str) -> bool:
    """Tell whether a predicate of the graph is rather called by the noun that is asked for than by the verb."""
    near = (e.label for e in p.card.predicates if argument_polarity(noun_said, e.label) > 0)
    return any(lexical_similarity(noun_said, label) > max(_NEAR, lexical_similarity(phrase, label)) for label in near)


def _arguments(p: Parse, subject: Noun, verb: str) -> None:
    """Read further arguments behind an inverted verb: dates bind the subject or the thing asked for."""
    reader = p.reader
    while not reader.done:
        began = reader.place
        when = moment(reader) if reader.peek().lower in PREPOSITION else None
        if when:
            timed(
                p, p.draft.target if p.draft.shape != "date" and is_unknown(p.draft.target) else subject.end, "", when
            )
            continue
        if reader.peek().lower in PREPOSITION and starts_after(p):
            preposition = reader.take().lower
            thing = noun(p)
            if thing and p.draft.shape not in ("date", "number") and is_unknown(p.draft.target):
                p.draft.relate(p.draft.target, preposition, thing.end)
                continue
            if thing and is_unknown(subject.end) and subject.is_class:
                p.draft.relate(subject.end, preposition, thing.end)
                continue
        elif starts_noun(p) and noun(p, after=False):
            continue
        if reader.place == began:
            return
