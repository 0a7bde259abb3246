"""Questions with "how": how many, how old, how much."""

from __future__ import annotations

from chattykg.qir import is_unknown
from chattykg.rulebook.legacy.asking import read_rest
from chattykg.rulebook.legacy.closed_words import AUXILIARY
from chattykg.rulebook.legacy.nouns import noun
from chattykg.rulebook.legacy.parse import Noun, Parse
from chattykg.rulebook.legacy.prepositions import alternatives, stranded
from chattykg.rulebook.legacy.resolving import common

_HOW_ADJECTIVES = {"old": "age", "tall": "height", "high": "height", "long": "length", "big": "size", "large": "size",
                   "deep": "depth", "wide": "width", "heavy": "weight", "fast": "speed", "far": "distance",
                   "expensive": "price", "thick": "thickness", "hot": "temperature", "rich": "net worth"}  # fmt: skip


def how_question(p: Parse) -> None:
    """Read what stands behind "how"."""
    reader = p.reader
    if reader.at("many", "often") or reader.at("much") and reader.peek(1).is_content:
        _how_many(p)
        return
    p.draft.shape = "number"
    adjective = reader.take().lower if reader.peek().lower not in AUXILIARY else ""
    value = Noun(p.draft.fresh(_HOW_ADJECTIVES.get(adjective, adjective or "answer")), literal=True)
    p.draft.target = value.end
    if adjective == "much":
        _how_much(p, value)
        return
    if not adjective:
        p.draft.shape = "list"
        read_rest(p, value)
        return
    reader.skip(*AUXILIARY)
    subject = noun(p)
    if subject is None:
        return
    measured, sign = p.quantity_noun(adjective, subject.end)
    phrase = measured if sign > 0 else _HOW_ADJECTIVES.get(adjective, adjective)
    verb = reader.take().text if reader.peek().is_verb else ""
    if verb and adjective in ("long", "far") and verb not in ("take",):
        phrase = f"{verb} {phrase}"
    if _is_the_value(p, subject):
        return
    p.draft.relate(subject.end, phrase, value.end)


def _is_the_value(p: Parse, subject: Noun) -> bool:
    """Ask for the quantity itself where it is named ("how large is the population of X")."""
    if subject.literal and is_unknown(subject.end) and p.draft.is_tied(subject.end):
        p.draft.target = subject.end
        return True
    return False


def _how_much(p: Parse, value: Noun) -> None:
    """ "How much does X cost / weigh", "how much is X"."""
    reader = p.reader
    reader.skip(*AUXILIARY)
    subject = noun(p)
    if subject is None:
        return
    if _is_the_value(p, subject):
        return
    verb = reader.take().text if reader.peek().is_content else "price"
    if stranded(p):
        reader.take()
    p.draft.relate(subject.end, verb, value.end)


def _how_many(p: Parse) -> None:
    reader = p.reader
    p.draft.shape = "count"
    of = reader.at("of", ahead=1)
    if reader.take().lower == "often":
        thing = Noun(p.draft.fresh("time"))
    else:
        reader.skip("of", "different", "distinct", "total", "the", "other")
        often = reader.at("times") and (reader.skip("times") if reader.peek(1).lower in AUXILIARY else False)
        thing = Noun(p.draft.fresh("time")) if often else noun(p) or Noun(p.draft.fresh("one"))
    if thing.named and not of and thing.end.lower().endswith("s") and not reader.done:
        thing = common(p, thing)
    elif thing.named and (of or not reader.peek().is_content):
        thing = _among(p, thing, of=of)
    p.draft.target = thing.end
    read_rest(p, thing)
    _as_stated(p, thing)


def _among(p: Parse, first: Noun, *, of: bool) -> Noun:
    """Read "how many of A, B and C": the names bound what is counted."""
    unknown = p.draft.fresh("one")
    names = [first, *alternatives(p, first)]
    if of:
        p.draft.values.append((unknown, tuple(name.end for name in names)))
    else:
        p.draft.relate(unknown, "", first.end)
    return Noun(unknown)


def _as_stated(p: Parse, thing: Noun) -> None:
    """Ask for the number itself where the graph states it ("how many inhabitants": the population)."""
    owners = [t.subject for t in p.draft.triples if t.object == thing.end]
    if thing.numeric and len(owners) == 1 and p.draft.target == thing.end:
        p.draft.shape = "number"
        if is_unknown(owners[0]):
            p.draft.aggregate = "sum"
