"""Clauses: what verbs and "is" say of a subject."""

from __future__ import annotations

from dataclasses import replace

from chattyshared.language.morphology import lemma_of

from chattykg.qir import is_unknown
from chattykg.rulebook.legacy.aspects import begun_or_ended
from chattykg.rulebook.legacy.closed_words import ADVERB, AUXILIARY, BE, HAVE, MODAL, PREPOSITION
from chattykg.rulebook.legacy.comparing import bound_value, graded_at, measure, measured_by, timed
from chattykg.rulebook.legacy.flags import flag_at, is_flagged, set_flag
from chattykg.rulebook.legacy.gender import of_gender
from chattykg.rulebook.legacy.happening import beside, ranked_in_time
from chattykg.rulebook.legacy.light_verbs import in_own_role
from chattykg.rulebook.legacy.nouns import noun, order_by, starts_noun
from chattykg.rulebook.legacy.parse import Noun, Parse, Quantity
from chattykg.rulebook.legacy.possession import count, measured, own, read_having, won_more
from chattykg.rulebook.legacy.prepositions import alternatives, prepositional, relate_all, stranded
from chattykg.rulebook.legacy.quantities import between, comparison, moment, superlative, unit
from chattykg.rulebook.legacy.repeated import repeated
from chattykg.rulebook.legacy.resolving import common, is_kind
from chattykg.rulebook.legacy.units import converted
from chattykg.rulebook.legacy.verb_tails import as_role, kept_most, known_as

_RELATIVE = ("that", "which", "who", "whom")
_LASTING = frozenset("run last take go stand measure reach stretch extend".split())
"""Verbs that say of a thing how much it is in the unit that follows, and nothing else."""


def read_whose(p: Parse, found: Noun) -> bool:
    """Read "whose weight is over 5"."""
    p.reader.take()
    thing = noun(p, after=False)
    if thing is None:
        return False
    own(p, found, thing)
    return clauses(p, thing)


def call(p: Parse, found: Noun, named: Noun) -> None:
    """Say that a noun bears a name: it is the thing so named."""
    if named.named and found.plural and is_unknown(found.end):
        p.draft.compare(found.end, "contains", named.end)
    elif named.named and is_unknown(found.end):
        found.apposed = p.draft.pending.get(found.end, "")
        p.draft.equate(found.end, named.end)
        found.end, found.named = named.end, True


def clauses(p: Parse, subject: Noun) -> bool:
    """Read one or more coordinated clauses with the same subject."""
    if not clause(p, subject):
        return False
    while True:
        began = p.reader.place
        joined = p.reader.skip(",", "and", "but", "both")
        p.reader.skip(*_RELATIVE) if joined else None
        if joined and p.verb and p.reader.at("not") and p.reader.peek(1).is_name:
            p.reader.take()
            said = [t.relation for t in p.draft.triples if t.subject == subject.end and t.relation.startswith(p.verb)]
            if _object(p, subject, said[-1] if said else p.verb, None, negative=True):
                continue
        if joined and p.verb and p.reader.at("not") and p.reader.peek(1).lower in PREPOSITION:
            p.reader.take()
            if _argument(p, subject, p.verb, negative=True):
                continue
        if joined and graded_at(p) and measure(p, subject):
            continue
        verbal = p.reader.peek().is_verb and not p.reader.peek().is_name or p.reader.peek().lower in AUXILIARY
        if not (joined and (verbal or p.reader.at("not") or p.reader.at("whose")) and _more(p, subject)):
            p.reader.place = began
            return True


def _more(p: Parse, subject: Noun) -> bool:
    return read_whose(p, subject) if p.reader.at("whose") else clause(p, subject)


def clause(p: Parse, subject: Noun, *, negative: bool = False) -> bool:
    """Read auxiliaries, verb and its objects, said of a subject."""
    reader = p.reader
    began = reader.place
    be = have = False
    while True:
        word = reader.peek().lower
        if word in BE or word in HAVE:
            be, have = be or word in BE, word in HAVE and not be
        elif word in ("not", "never"):
            negative = True
        elif word not in MODAL and word not in ("do", "does", "did", "both") and word not in ADVERB:
            break
        reader.take()
    if flag_at(p):
        set_flag(p, subject.end, reader.take(), negative=negative)
        return True
    if have and not be and not (reader.peek().is_participle and not _is_object(p)):
        return read_having(p, subject, negative=negative)
    if be and not (reader.peek().is_verb and not reader.peek().is_name and not reader.peek().is_nounish):
        if complement(p, subject, negative=negative):
            return True
        reader.place = max(began, reader.place)
        return reader.place > began
    if reader.peek().is_content and not reader.peek().is_name:
        return verb_group(p, subject, negative=negative)
    return reader.place > began


def _is_object(p: Parse) -> bool:
    return p.reader.peek(1).is_content and not p.reader.peek(1).is_name


def complement(p: Parse, subject: Noun, *, negative: bool = False) -> bool:
    """Read what stands behind "is": a comparison, a place, a class, a name, a number."""
    reader = p.reader
    if is_flagged(p, subject.end, negative=negative):
        return True
    if reader.at_sequence("one", "of") or reader.at("among", "amongst"):
        reader.skip("one", "of", "among", "amongst")
        return _nominal(p, subject, negative=negative)
    if measure(p, subject, negative=negative):
        return True
    began = reader.place
    reader.skip("the")
    best = superlative(reader)
    if best and best.adjective and not reader.peek().is_content:
        group = noun(p) if reader.at("of", "among") and reader.take() else None
        if group and group.is_class and is_unknown(subject.end):
            p.draft.equate(group.end, subject.end)
            p.groups[subject.end] = p.groups.get(group.end, ())
        order_by(p, subject.end, best)
        return True
    reader.place = began
    if reader.peek().lower in PREPOSITION:
        return prepositional(p, subject, negative=negative)
    return _nominal(p, subject, negative=negative)


def _nominal(p: Parse, subject: Noun, *, negative: bool) -> bool:
    """Read "is a comedy", "is female", "is Nolan", "is the director of X"."""
    if of_gender(p, subject, negative=negative):
        return True
    mark = len(p.draft.triples)
    other = noun(p)
    if other is None or not other.end:
        return False
    if negative and other.is_class:
        p.draft.classes = [(u, name) for u, name in p.draft.classes if u != other.end]
        p.draft.relate(subject.end, "is a", other.head, negative=True)
        return True
    if negative and is_unknown(other.end) and len(p.draft.triples) > mark:
        p.draft.equate(other.end, subject.end)
        p.draft.negate_since(mark)
        return True
    if not negative and other.named and _is_not_one(p, subject, other):
        relate_all(p, subject, "", other)
        return True
    ends = [other, *alternatives(p, other)]
    if negative:
        for end in ends:
            p.draft.relate(subject.end, p.draft.pending.get(subject.end, ""), end.end, negative=True)
    elif len(ends) > 1 and is_unknown(subject.end):
        p.draft.values.append((subject.end, tuple(end.end for end in ends)))
    elif (
        subject.literal
        or subject.end in p.draft.pending
        or (subject.head and not subject.is_class and is_unknown(subject.end))
    ):
        p.draft.equate(subject.end, other.end)
        subject.end = other.end
    elif is_unknown(other.end) and not p.draft.is_tied(other.end) and not is_unknown(subject.end):
        role = p.draft.pending.pop(other.end, "")
        p.draft.relate(p.draft.fresh(role) if role else subject.end, role, subject.end if role else other.head)
    elif is_unknown(other.end):
        p.draft.equate(other.end, subject.end)
    else:
        p.draft.relate(subject.end, "", other.end)
    return True


def _is_not_one(p: Parse, subject: Noun, other: Noun) -> bool:
    """Tell whether a name said of things of a class is none of them ("cars that are red")."""
    kin = p.card.expand_classes(p.groups.get(subject.end, ()))
    return is_unknown(subject.end) and subject.is_class and not kin.intersection(p.groups.get(other.end, ()))


def verb_group(p: Parse, subject: Noun, *, negative: bool) -> bool:
    """Read a main verb with its objects and prepositions; in the negative, all that it says must not hold."""
    mark = len(p.draft.triples)
    told = _verb_group(p, subject, negative=negative)
    if negative:
        p.draft.negate_since(mark)
    return told


def _verb_group(p: Parse, subject: Noun, *, negative: bool) -> bool:
    reader = p.reader
    verb = p.verb = reader.take().text
    verb = p.verb = begun_or_ended(p, verb)
    if reader.at("out", "up", "off", "down") and not stranded(p):
        verb += " " + reader.take().lower
    told = False
    if verb in ("called", "named") and reader.peek().is_name and is_unknown(subject.end):
        p.draft.compare(subject.end, "contains", reader.take().text)
        return True
    if (
        ranked_in_time(p, subject, verb)
        or beside(p, subject, verb)
        or repeated(p, subject, verb)
        or won_more(p, subject)
    ):
        return True
    if kept_most(p, subject) or graded_at(p) and measure(p, subject):
        return True
    quantity = comparison(reader)
    said = reader.peek().lower
    if quantity and (unit(reader) or not reader.peek().is_content):
        phrase = measured_by(p, subject, said) if lemma_of(verb.lower()) in _LASTING else ""
        if phrase:
            quantity = replace(quantity, value=converted(quantity.value, said, p.told_unit(phrase)))
        value = p.draft.fresh(phrase or verb)
        p.draft.relate(subject.end, phrase or verb, value)
        bound_value(p, value, quantity)
        told = True
    elif quantity or reader.peek().lower not in PREPOSITION and starts_noun(p):
        told = _object(p, subject, verb, quantity, negative=negative)
    while reader.peek().lower in PREPOSITION and not stranded(p):
        if not (beside(p, subject, verb) or _argument(p, subject, verb, negative=negative)):
            break
        told = True
        _also(p)
    if not told:
        lone = f"{verb} {reader.take().lower}" if reader.peek().lower in PREPOSITION else verb
        p.draft.relate(subject.end, lone, p.draft.fresh(verb), negative=negative)
    return True


def _also(p: Parse) -> None:
    if p.reader.at("and") and p.reader.peek(1).lower in PREPOSITION:
        p.reader.take()


def _object(p: Parse, subject: Noun, verb: str, quantity: Quantity | None, *, negative: bool) -> bool:
    kind = p.reader.at("a", "an", "any") and is_kind(p.reader.peek(1)) and not p.reader.peek(2).is_content
    thing = noun(p, after=quantity is None)
    if thing is None or not thing.end:
        return False
    if kind and thing.named:
        thing = common(p, thing)
    relate_all(p, subject, verb, thing, negative=negative or thing.negative)
    thing.quantity = quantity or thing.quantity
    measured(p, subject, thing)
    return True


def _argument(p: Parse, subject: Noun, verb: str, *, negative: bool) -> bool:
    """Read one preposition with its noun or date behind a verb."""
    reader = p.reader
    bounds = between(reader)
    if bounds:
        value = p.draft.fresh("date")
        p.draft.relate(subject.end, verb, value)
        p.draft.compare(value, ">=", bounds[0])
        p.draft.compare(value, "<=", bounds[1])
        return True
    when = moment(reader)
    if when:
        timed(p, subject.end, verb, when)
        return True
    quantity = comparison(reader)
    if quantity and reader.peek().is_content:
        thing = noun(p)
        if thing:
            relate_all(p, subject, verb, thing, negative=negative)
            count(p, subject, thing, quantity)
            return True
    preposition = reader.take().lower
    if preposition == "as" and as_role(p, subject, verb):
        return True
    thing = known_as(p) if preposition == "as" else None
    thing = thing or noun(p)
    if thing is None:
        return False
    if negative or not in_own_role(p, subject, verb, thing):
        relate_all(p, subject, f"{verb} {preposition}", thing, negative=negative)
    measured(p, subject, thing)
    return True
