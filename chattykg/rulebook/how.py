"""Questions with "how": how many, how old, how much."""

from __future__ import annotations

from chattykg.qir import is_unknown
from chattykg.rulebook.asking import read_rest
from chattykg.rulebook.closed_words import AUXILIARY
from chattykg.rulebook.nouns import noun
from chattykg.rulebook.parse import Noun, Parse
from chattykg.rulebook.prepositions import stranded

_HOW_ADJECTIVES = {"old": "age", "tall": "height", "high": "height", "long": "length", "big": "size", "large": "size",
                   "deep": "depth", "wide": "width", "heavy": "weight", "fast": "speed", "far": "distance",
                   "expensive": "price", "thick": "thickness", "hot": "temperature", "rich": "net worth"}  # fmt: skip


def how_question(p: Parse) -> None:
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
    phrase = (
        p.quantity_noun(adjective)[0]
        if p.quantity_noun(adjective)[1] > 0
        else _HOW_ADJECTIVES.get(adjective, adjective)
    )
    reader.skip(*AUXILIARY)
    subject = noun(p)
    if subject is None:
        return
    verb = reader.take().text if reader.peek().is_verb else ""
    if verb and adjective in ("long", "far") and verb not in ("take",):
        phrase = f"{verb} {phrase}"
    p.draft.relate(subject.end, phrase, value.end)


def _how_much(p: Parse, value: Noun) -> None:
    """ "How much does X cost / weigh", "how much is X"."""
    reader = p.reader
    reader.skip(*AUXILIARY)
    subject = noun(p)
    if subject is None:
        return
    verb = reader.take().text if reader.peek().is_content else "price"
    if stranded(p):
        reader.take()
    p.draft.relate(subject.end, verb, value.end)


def _how_many(p: Parse) -> None:
    reader = p.reader
    p.draft.shape = "count"
    much = reader.take().lower
    if much == "often":
        thing = Noun(p.draft.fresh("time"))
    else:
        reader.skip("of", "different", "distinct", "total", "the", "other")
        thing = noun(p) or Noun(p.draft.fresh("one"))
    if thing.named and reader.peek().is_content is False and is_unknown(thing.end) is False:
        unknown = p.draft.fresh("one")
        p.draft.relate(unknown, "", thing.end)
        thing = Noun(unknown)
    p.draft.target = thing.end
    if thing.end in p.draft.pending and reader.at("in", "on") and reader.at("the", ahead=1):
        pass
    p.draft.shape = "count"
    read_rest(p, thing)
