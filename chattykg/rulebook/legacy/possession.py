"""What a thing has: values, other things, a number of them, the most of them."""

from __future__ import annotations

from chattyshared.language.morphology import ADJECTIVE_ANTONYMS, parse_degree

from chattykg.qir import Having, Order, is_unknown
from chattykg.rulebook.legacy.averages import mean
from chattykg.rulebook.legacy.closed_words import AUXILIARY, NAMING, PREPOSITION
from chattykg.rulebook.legacy.comparing import comparison_at, graded_at, measure
from chattykg.rulebook.legacy.determiners import either
from chattykg.rulebook.legacy.flags import had_flag
from chattykg.rulebook.legacy.light_verbs import in_own_role
from chattykg.rulebook.legacy.nouns import noun
from chattykg.rulebook.legacy.parse import Noun, Parse, Quantity
from chattykg.rulebook.legacy.quantities import between, number

_OWNERS = ("their", "its", "his", "her", "a", "an", "the", "one")


def own(p: Parse, owner: Noun, thing: Noun, *, negative: bool = False) -> None:
    """Say that the owner has the thing."""
    if not negative and in_own_role(p, owner, "", thing):
        return
    if negative and is_unknown(thing.end):
        phrase = p.draft.pending.pop(thing.end, thing.head)
        p.draft.relate(owner.end, phrase, thing.end, negative=True)
        return
    if thing.number and thing.apposed:
        value = p.draft.fresh(thing.apposed)
        p.draft.relate(owner.end, thing.apposed, value)
        p.draft.compare(value, "!=" if negative else "=", thing.end)
        return
    if thing.named and thing.apposed:
        p.draft.relate(owner.end, thing.apposed, thing.end, negative=negative)
    elif not p.draft.settle(thing.end, owner.end):
        phrase = "" if thing.named or thing.number else thing.head
        p.draft.relate(owner.end, phrase, thing.end, negative=negative)
    for column in thing.columns[1:]:
        p.draft.settle(column, owner.end)


def read_having(p: Parse, subject: Noun, *, negative: bool = False) -> bool:
    """Read the object of "have" or "with"."""
    if had_flag(p, subject.end, negative=negative):
        return True
    for read in (_valued_as, _of_value, _so_valued):
        if read(p, subject, negative=negative):
            return True
    if _nobody(p, subject):
        return True
    began = p.reader.place
    p.reader.skip("a", "an")
    if _comparative(p.reader.peek().lower) and not p.reader.at("than", ahead=1):
        if outnumbers(p, subject):
            return True
    p.reader.place = began
    p.reader.skip("any", "a", "an") if negative else None
    mark = len(p.draft.triples)
    thing = noun(p, after=negative)
    if thing is None:
        return False
    if _had_as(p, subject, thing, negative=negative or thing.negative):
        return True
    told = have_noun(p, subject, thing, negative=negative or thing.negative)
    if thing.negative and not negative and not thing.named:
        p.after_noun(p, thing)
    if negative or thing.negative:
        p.draft.negate_since(mark)
    return told


def _valued_as(p: Parse, subject: Noun, *, negative: bool) -> bool:
    """Read "VALUE as their ROLE" behind "have", whatever else the value's words may name."""
    reader = p.reader
    began = reader.place
    reader.skip("the", "a", "an")
    first = reader.peek()
    known = first.vertex or first.value
    if known and reader.at("as", ahead=1) and reader.at(*_OWNERS, ahead=2) and not reader.peek(4).is_function:
        value = reader.take().text
        if _had_as(p, subject, Noun(value, value, named=True), negative=negative):
            return True
    reader.place = began
    return False


def _nobody(p: Parse, subject: Noun) -> bool:
    """Read "nobody looking after it", "no one leading it" behind "have": nobody does it to the subject."""
    reader = p.reader
    began = reader.place
    if not (reader.skip("nobody", "none") or reader.skip_sequence("no", "one")) or not reader.peek().is_participle:
        reader.place = began
        return False
    verb = reader.take().text
    while reader.peek().lower in PREPOSITION or reader.at("it", "them", "him", "her", "to"):
        verb += "" if reader.at("it", "them", "him", "her") else f" {reader.peek().lower}"
        reader.take()
    p.draft.relate(p.draft.fresh("who"), verb, subject.end, negative=True)
    return True


def _of_value(p: Parse, subject: Noun, *, negative: bool) -> bool:
    """Read "the result of a draw", where the graph has the words behind "of" as a literal and as nothing else."""
    reader = p.reader
    began = reader.place
    reader.skip("the", "a", "an")
    role, value = reader.peek(), reader.peek(2 + reader.at("a", "an", "the", ahead=2))
    if role.predicate and not role.is_name and reader.at("of", ahead=1) and value.value and not value.vertex:
        reader.place += 3 + reader.at("a", "an", "the", ahead=2)
        p.draft.relate(subject.end, role.text, value.text, negative=negative)
        return True
    reader.place = began
    return False


def _so_valued(p: Parse, subject: Noun, *, negative: bool) -> bool:
    """Read "green sails" where the first word names something and the second only a predicate: its value."""
    reader = p.reader
    said = reader.at("a", "an", "the")
    began = reader.place
    reader.place += said
    listed = either(p, role=True)
    if listed and not negative:
        p.draft.relate_any(subject.end, reader.take().text, listed)
        return True
    reader.place = began
    value, role = reader.peek(int(said)), reader.peek(1 + said)
    named = (value.vertex or value.value) and not (value.capital or value.group or value.predicate)
    if not named or not role.predicate or role.group or role.vertex:
        return False
    reader.place += 2 + said
    p.draft.relate(subject.end, role.text, value.text, negative=negative)
    return True


def _had_as(p: Parse, subject: Noun, thing: Noun, *, negative: bool) -> bool:
    """Read "X as their capital" behind "have": the role names the relation."""
    reader = p.reader
    began = reader.place
    words = []
    if reader.skip("as", "for"):
        reader.skip(*_OWNERS, "of")
        while reader.peek().is_content and not reader.peek().is_name:
            words.append(reader.take().text)
    if not words or not thing.named:
        reader.place = began
        return False
    role = "" if words[-1].lower() in NAMING else " ".join(words)
    p.draft.relate(subject.end, role, thing.end, negative=negative)
    return True


def won_more(p: Parse, subject: Noun) -> bool:
    """Read "fewer prizes than X" behind a verb, where the graph states the number of what is compared."""
    reader = p.reader
    began = reader.place
    compared = reader.at("more", "fewer", "less") and p.holds_numbers(reader.peek(1)) and reader.at("than", ahead=2)
    if compared and outnumbers(p, subject):
        return True
    reader.place = began
    return False


def _comparative(said: str) -> str:
    """Return the operator of "more", "longer", "lower" before a noun ("" for any other word)."""
    base, ending = parse_degree(said)
    if said in ("more", "greater"):
        return ">"
    if said in ("less", "fewer", "lower"):
        return "<"
    return ("<" if base in ADJECTIVE_ANTONYMS else ">") if ending == "er" else ""


def outnumbers(p: Parse, subject: Noun) -> bool:
    """Read "more episodes than X": both have the number, and one is greater."""
    operator = _comparative(p.reader.take().lower)
    words = []
    while p.reader.peek().is_content:
        words.append(p.reader.take().text)
    if not words or not p.reader.skip("than"):
        return False
    standard, size = mean(p.reader)
    p.reader.place += size
    other = Noun(standard, number=True) if size else noun(p)
    if other is None:
        return False
    phrase = " ".join(words)
    mine, bound = p.draft.fresh(phrase), other.end
    p.draft.relate(subject.end, phrase, mine)
    if not other.number and not other.literal:
        bound = p.draft.fresh(phrase)
        p.draft.relate(other.end, phrase, bound)
    p.draft.compare(mine, operator, bound)
    return True


def have_noun(p: Parse, subject: Noun, thing: Noun, *, negative: bool = False) -> bool:
    """Say that a subject has a thing, with the thing's quantity, superlative and comparison."""
    own(p, subject, thing, negative=negative)
    if negative:
        return True
    if not measured(p, subject, thing) and not thing.named:
        _valued(p, thing)
        p.after_noun(p, thing)
    _and_having(p, subject)
    return True


def _and_having(p: Parse, subject: Noun) -> None:
    """Read "... and a height below 10" behind a first thing that is had."""
    reader = p.reader
    began = reader.place
    if not reader.skip("and", ",", "but", "with"):
        return
    negative = reader.at("no", "without")
    reader.skip("no", "without", "with")
    ahead = next((n for n in range(4) if reader.peek(n).predicate or reader.peek(n).group), None)
    plain = ahead is not None and all(
        not reader.peek(n).is_verb and reader.peek(n).lower not in AUXILIARY for n in range(ahead)
    )
    thing = noun(p, after=False) if plain else None
    if thing is None or thing.named or thing.number:
        reader.place = began
        return
    have_noun(p, subject, thing, negative=negative)


def measured(p: Parse, subject: Noun, thing: Noun) -> bool:
    """Apply an object's superlative ("the most films") or quantity ("three films"); tell whether it had one."""
    best = thing.superlative
    if best and is_unknown(thing.end):
        counted = not thing.literal or thing.counted
        p.draft.order = Order(thing.end, best.descending != best.least, counted, best.limit, best.offset)
        thing.superlative = None
        return True
    if thing.quantity and is_unknown(thing.end):
        count(p, subject, thing, thing.quantity)
        return True
    return False


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
        return measure(p, thing)
    reader.place = began
    return False


def count(p: Parse, subject: Noun, thing: Noun, quantity: Quantity) -> None:
    """Say how many of a thing a subject has: a number in the graph, or counted."""
    if thing.literal and thing.numeric:
        p.draft.compare(thing.end, quantity.operator, quantity.value)
    elif not (quantity.operator == ">=" and quantity.value == "1"):
        group = subject.end if is_unknown(subject.end) else p.draft.stand_in(subject.end, thing.end)
        p.draft.having.append(Having(group, thing.end, quantity.operator, quantity.value))  # type: ignore[arg-type]
