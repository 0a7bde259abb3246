"""Clauses: what is said of a noun by verbs, relative clauses and prepositions."""

from __future__ import annotations

from chattykg.qir import Having, Order, is_unknown
from chattykg.rulebook.closed_words import ADVERB, AUXILIARY, BE, HAVE, MODAL, PREPOSITION
from chattykg.rulebook.nouns import noun, order_by, starts_noun
from chattykg.rulebook.parse import Noun, Parse, Quantity
from chattykg.rulebook.quantities import between, comparison, graded, moment, number, superlative

_RELATIVE = ("that", "which", "who", "whom")
_BASE = ("in", "for", "at", "on", "to", "from", "of", "with")


def after_noun(p: Parse, found: Noun) -> None:
    """Read all that may stand behind a noun and say it of the noun's end."""
    reader = p.reader
    while not reader.done:
        began = reader.place
        if not _modifier(p, found):
            reader.place = began
            return


def _modifier(p: Parse, found: Noun) -> bool:
    reader = p.reader
    skipped = reader.skip(",") and not found.named
    if found.named:
        if reader.at(*_RELATIVE) and is_unknown(found.end):
            return _relative(p, found)
        return False
    if reader.at(*_RELATIVE):
        return _relative(p, found)
    if reader.at("whose"):
        return _whose(p, found)
    if reader.at("where", "when") and not skipped:
        reader.take()
        return _object_relative(p, found, "")
    if reader.peek().lower in PREPOSITION and reader.at(*_RELATIVE, ahead=1) and reader.peek(1).lower != "that":
        preposition = reader.take().lower
        reader.take()
        return _object_relative(p, found, preposition)
    if reader.at("not", "never") and (reader.peek(1).is_verb or reader.peek(1).lower in PREPOSITION):
        reader.take()
        return clause(p, found, negative=True)
    if reader.at("without"):
        reader.take()
        return _having(p, found, negative=True)
    if reader.peek().is_participle and not reader.peek().is_name:
        return _participle(p, found)
    if graded_at(p):
        return complement(p, found)
    if comparison_at(p) and found.literal:
        return complement(p, found)
    if reader.peek().lower in PREPOSITION:
        return prepositional(p, found)
    if reader.peek().is_name and _verb_after_noun(p):
        return _object_relative(p, found, "")
    return False


def graded_at(p: Parse) -> bool:
    """Tell whether a comparative stands at the cursor."""
    began = p.reader.place
    found = graded(p.reader)
    p.reader.place = began
    return found is not None


def comparison_at(p: Parse) -> bool:
    """Tell whether a comparison with a number stands at the cursor."""
    began = p.reader.place
    found = comparison(p.reader)
    p.reader.place = began
    return found is not None


def _verb_after_noun(p: Parse) -> bool:
    following = p.reader.peek(1)
    return following.is_verb and not following.is_name or following.lower in AUXILIARY


def _relative(p: Parse, found: Noun) -> bool:
    reader = p.reader
    reader.take()
    if (
        reader.peek().is_verb
        and not reader.peek().is_name
        or reader.peek().lower in AUXILIARY
        or reader.at("not", "never")
    ):
        return clauses(p, found)
    return _object_relative(p, found, "")


def _object_relative(p: Parse, found: Noun, preposition: str) -> bool:
    """Read "Nolan directed", "the Weser flows through": the noun is the object."""
    reader = p.reader
    subject = noun(p, after=False)
    if subject is None:
        return False
    while reader.peek().lower in AUXILIARY or reader.peek().lower in ADVERB:
        reader.take()
    if not reader.peek().is_content:
        return False
    verb = reader.take().text
    preposition = preposition or (reader.take().lower if stranded(p) else "")
    p.draft.relate(subject.end, f"{verb} {preposition}".strip(), found.end)
    return True


def stranded(p: Parse) -> bool:
    """Tell whether a preposition without a noun stands at the cursor."""
    following = p.reader.peek(1)
    ends = following.kind in ("end", "mark") or following.is_function and following.lower not in ("the", "a", "an")
    return p.reader.peek().lower in PREPOSITION and ends


def _whose(p: Parse, found: Noun) -> bool:
    p.reader.take()
    thing = noun(p, after=False)
    if thing is None:
        return False
    own(p, found, thing)
    return clauses(p, thing)


def own(p: Parse, owner: Noun, thing: Noun, *, negative: bool = False) -> None:
    """Say that the owner has the thing."""
    if negative and is_unknown(thing.end):
        phrase = p.draft.pending.pop(thing.end, thing.head)
        p.draft.relate(owner.end, phrase, thing.end, negative=True)
        return
    if not p.draft.settle(thing.end, owner.end):
        phrase = "" if thing.named or thing.number else thing.head
        p.draft.relate(owner.end, phrase, thing.end, negative=negative)
    for column in thing.columns[1:]:
        p.draft.settle(column, owner.end)


def _participle(p: Parse, found: Noun) -> bool:
    verb = p.reader.peek().lower
    if verb in ("called", "named", "titled", "entitled", "labeled", "labelled"):
        p.reader.take()
        p.reader.skip("as")
        named = noun(p, after=False)
        if named is None:
            return False
        call(p, found, named)
        return True
    if verb in ("having", "containing") and verb == "having":
        p.reader.take()
        return _having(p, found)
    return verb_group(p, found, negative=False)


def call(p: Parse, found: Noun, named: Noun) -> None:
    """Say that a noun bears a name: it is the thing so named."""
    if named.named and is_unknown(found.end):
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
        verbal = p.reader.peek().is_verb and not p.reader.peek().is_name or p.reader.peek().lower in AUXILIARY
        if not (joined and (verbal or p.reader.at("not") or p.reader.at("whose")) and _more(p, subject)):
            p.reader.place = began
            return True


def _more(p: Parse, subject: Noun) -> bool:
    return _whose(p, subject) if p.reader.at("whose") else clause(p, subject)


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
    if have and not be and not (reader.peek().is_participle and not _is_object(p)):
        return _having(p, subject, negative=negative)
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


def _having(p: Parse, subject: Noun, *, negative: bool = False) -> bool:
    """Read the object of "have" or "with"."""
    p.reader.skip("any", "a", "an") if negative else None
    thing = noun(p, after=False)
    if thing is None:
        return False
    return have_noun(p, subject, thing, negative=negative or thing.negative)


def have_noun(p: Parse, subject: Noun, thing: Noun, *, negative: bool = False) -> bool:
    """Say that a subject has a thing, with the thing's quantity, superlative and comparison."""
    own(p, subject, thing, negative=negative)
    if negative:
        return True
    if thing.superlative:
        best = thing.superlative
        p.draft.order = Order(
            thing.end,
            best.descending,
            count=not thing.literal and best.count or not thing.literal,
            limit=best.limit,
            offset=best.offset,
        )
        thing.superlative = None
    elif thing.quantity and is_unknown(thing.end):
        count(p, subject, thing, thing.quantity)
    elif not thing.named:
        _valued(p, thing)
        after_noun(p, thing)
    return True


def _valued(p: Parse, thing: Noun) -> bool:
    """Read "over 5", "of 10", "longer than 3", "between 3 and 5" behind a quantity noun."""
    reader = p.reader
    began = reader.place
    reader.skip("is", "of", "that", "which", "are", "was")
    bounds = between(reader)
    if bounds:
        p.draft.compare(thing.end, ">=", bounds[0])
        p.draft.compare(thing.end, "<=", bounds[1])
        return True
    if graded_at(p) or comparison_at(p) or number(reader)[1]:
        return complement(p, thing)
    reader.place = began
    return False


def count(p: Parse, subject: Noun, thing: Noun, quantity: Quantity) -> None:
    """Say how many of a thing a subject has: a number in the graph, or counted."""
    if thing.literal:
        p.draft.compare(thing.end, quantity.operator, quantity.value)
    elif not (quantity.operator == ">=" and quantity.value == "1"):
        p.draft.having.append(Having(subject.end, thing.end, quantity.operator, quantity.value))  # type: ignore[arg-type]


def complement(p: Parse, subject: Noun, *, negative: bool = False) -> bool:
    """Read what stands behind "is": a comparison, a place, a class, a name, a number."""
    reader = p.reader
    bounds = between(reader)
    if bounds:
        p.draft.compare(subject.end, ">=", bounds[0])
        p.draft.compare(subject.end, "<=", bounds[1])
        return True
    grade = graded(reader)
    if grade:
        return _compared(p, subject, *grade)
    when = moment(reader)
    if when:
        timed(p, subject.end, "", when)
        return True
    quantity = comparison(reader)
    if quantity is None and number(reader)[1]:
        said, size = number(reader)
        reader.place += size
        quantity = Quantity("!=" if negative else "=", said)
    if quantity:
        p.draft.compare(subject.end, quantity.operator, quantity.value)
        unit(p)
        return True
    began = reader.place
    reader.skip("the")
    best = superlative(reader)
    if best and best.adjective and not reader.peek().is_content:
        order_by(p, subject.end, best)
        return True
    reader.place = began
    if reader.peek().lower in PREPOSITION:
        return prepositional(p, subject, negative=negative)
    return _nominal(p, subject, negative=negative)


def unit(p: Parse) -> None:
    """Move past a unit behind a number ("20 g", "5 years old")."""
    if p.reader.peek().kind == "word" and not p.reader.peek().is_participle and not p.reader.peek().predicate:
        p.reader.take()
        p.reader.skip("old", "tall", "long", "wide", "deep", "high")


def _compared(p: Parse, subject: Noun, adjective: str, more: bool) -> bool:
    """Read the standard of a comparative: a number, or another thing."""
    reader = p.reader
    said, size = number(reader)
    phrase, sign = p.quantity_noun(adjective)
    operator = ">" if (sign > 0) == more else "<"
    value = subject.end if subject.literal else p.draft.fresh(phrase)
    if not subject.literal:
        p.draft.relate(subject.end, phrase, value)
    if size:
        reader.place += size
        p.draft.compare(value, operator, said)
        unit(p)
        return True
    other = noun(p)
    if other is None:
        return False
    bound = p.draft.fresh(phrase)
    if other.literal:
        bound = other.end
    else:
        p.draft.relate(other.end, phrase, bound)
    p.draft.compare(value, operator, bound)
    return True


def _nominal(p: Parse, subject: Noun, *, negative: bool) -> bool:
    """Read "is a comedy", "is female", "is Nolan", "is the director of X"."""
    other = noun(p)
    if other is None:
        return False
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
    elif is_unknown(other.end):
        p.draft.equate(other.end, subject.end)
    else:
        p.draft.relate(subject.end, "", other.end)
    return True


def alternatives(p: Parse, first: Noun) -> list[Noun]:
    """Read "or B", "and C" behind a name: further names."""
    found: list[Noun] = []
    while first.named and p.reader.at("or", "and", ","):
        began = p.reader.place
        p.reader.skip("or", "and", ",", "either")
        other = noun(p, after=False) if p.reader.peek().is_name or p.reader.at("the") else None
        if other is None or not other.named:
            p.reader.place = began
            break
        found.append(other)
    return found


def verb_group(p: Parse, subject: Noun, *, negative: bool) -> bool:
    """Read a main verb with its objects and prepositions."""
    reader = p.reader
    verb = reader.take().text
    if reader.at("out", "up", "off", "down") and not stranded(p):
        verb += " " + reader.take().lower
    told = False
    quantity = comparison(reader)
    if quantity and not reader.peek().is_content:
        value = p.draft.fresh(verb)
        p.draft.relate(subject.end, verb, value)
        p.draft.compare(value, quantity.operator, quantity.value)
        unit(p)
        told = True
    elif quantity or reader.peek().lower not in PREPOSITION and starts_noun(p):
        told = _object(p, subject, verb, quantity, negative=negative)
    while reader.peek().lower in PREPOSITION and not stranded(p):
        if not _argument(p, subject, verb, negative=negative):
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
    thing = noun(p, after=quantity is None)
    if thing is None:
        return False
    relate_all(p, subject, verb, thing, negative=negative or thing.negative)
    quantity = quantity or thing.quantity
    if thing.superlative:
        p.draft.order = Order(
            thing.end, thing.superlative.descending, count=not thing.literal, limit=thing.superlative.limit
        )
        thing.superlative = None
    elif quantity and is_unknown(thing.end):
        count(p, subject, thing, quantity)
    return True


def relate_all(p: Parse, subject: Noun, phrase: str, thing: Noun, *, negative: bool = False) -> None:
    """Relate a subject to an object and to those that are joined to it by "and" / "or"."""
    joined_by_or = _or_ahead(p)
    others = alternatives(p, thing)
    pending = p.draft.pending.pop(thing.end, "") if is_unknown(thing.end) else ""
    said = phrase if not pending or pending == phrase else f"{phrase} {pending}"
    if others and joined_by_or:
        unknown = p.draft.fresh(phrase)
        p.draft.relate(subject.end, said, unknown, negative=negative)
        p.draft.values.append((unknown, (thing.end, *(other.end for other in others))))
        return
    p.draft.relate(subject.end, said, thing.end, negative=negative)
    for other in others:
        p.draft.relate(subject.end, said, other.end, negative=negative)


def _or_ahead(p: Parse) -> bool:
    ahead = 0
    while p.reader.peek(ahead).is_name or p.reader.at(",", "or", "and", ahead=ahead):
        if p.reader.at("or", ahead=ahead):
            return True
        ahead += 1
    return False


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
    thing = noun(p)
    if thing is None:
        return False
    if thing.quantity and is_unknown(thing.end):
        count(p, subject, thing, thing.quantity)
    relate_all(p, subject, f"{verb} {preposition}", thing, negative=negative)
    return True


def timed(p: Parse, subject: str, verb: str, when: Quantity) -> None:
    """Bind a date of the subject (by its verb, if there is one) and compare it."""
    value = p.draft.fresh("date")
    p.draft.relate(subject, verb or "date", value)
    p.draft.compare(value, when.operator, when.value)


def prepositional(p: Parse, found: Noun, *, negative: bool = False) -> bool:
    """Read a preposition with its noun behind a noun (or behind "is")."""
    reader = p.reader
    if reader.at("with", "without") and not is_unknown(found.end):
        return False
    bounds = between(reader)
    if bounds:
        value = found.end if found.literal else p.draft.fresh("date")
        if not found.literal:
            p.draft.relate(found.end, "date", value)
        p.draft.compare(value, ">=", bounds[0])
        p.draft.compare(value, "<=", bounds[1])
        return True
    when = moment(reader)
    if when:
        if found.literal and found.end in p.draft.pending:
            p.draft.compare(found.end, when.operator, when.value)
        else:
            timed(p, found.end, "", when)
        return True
    if reader.at("per") or reader.at("for", "in", "by", "of", "from") and reader.at("each", "every", ahead=1):
        return _grouped(p, found)
    if reader.at("than") or stranded(p):
        return False
    preposition = reader.take().lower
    if preposition == "with":
        return _having(p, found, negative=negative)
    thing = noun(p)
    if thing is None:
        return False
    if thing.quantity and not is_unknown(thing.end) and thing.number:
        p.draft.compare(found.end, "=", thing.end)
        return True
    if found.end in p.draft.pending and preposition in _BASE and not found.is_class:
        p.draft.settle(found.end, thing.end)
        return True
    relate_all(p, found, preposition if preposition not in ("of", "among") else "", thing, negative=negative)
    return True


def _grouped(p: Parse, found: Noun) -> bool:
    """Read "per country", "for each singer": the groups of a count or of an aggregate."""
    p.reader.take()
    group = noun(p)
    if group is None:
        return False
    if not p.draft.settle(found.end, group.end):
        if group.end in p.draft.pending:
            p.draft.settle(group.end, found.end)
        else:
            p.draft.relate(found.end, "", group.end)
    p.draft.targets = [group.end, *p.draft.targets]
    return True
