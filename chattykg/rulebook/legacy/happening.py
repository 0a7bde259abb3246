"""When something happened, said by comparison: "founded first", "released most recently", "born before X"."""

from __future__ import annotations

from chattykg.qir import Order, is_unknown
from chattykg.rulebook.legacy.closed_words import DETERMINER
from chattykg.rulebook.legacy.nouns import noun
from chattykg.rulebook.legacy.parse import Noun, Parse
from chattykg.rulebook.legacy.quantities import moment

_LAST = frozenset("last latest newest".split())
_FIRST = frozenset("first earliest soonest oldest".split())
_LATELY = frozenset("recently late".split())
_EARLY = frozenset("early soon".split())
_SIDES = {"before": "<", "after": ">"}
_COMPARED = {"earlier": "<", "sooner": "<", "later": ">"}


def ranked_in_time(p: Parse, subject: Noun, verb: str) -> bool:
    """Read "first", "most recently", "the most" behind a verb: the order by the value that the verb binds."""
    reader = p.reader
    began = reader.place
    reader.skip("the")
    word, following = reader.peek().lower, reader.peek(1).lower
    graded = word in ("most", "least")
    size = 2 if graded and following in _LATELY | _EARLY else 1 if graded or word in _LAST | _FIRST else 0
    behind = reader.peek(size)
    if not size or behind.is_content or behind.kind == "number" or behind.lower in DETERMINER:
        reader.place = began
        return False
    descending = word in _LAST | {"most"} if size == 1 else (word == "most") == (following in _LATELY)
    reader.place += size
    value = p.draft.fresh("date")
    p.draft.relate(subject.end, verb, value)
    p.draft.order = Order(value, descending)
    return True


def beside(p: Parse, subject: Noun, verb: str) -> bool:
    """Read "before X", "later than X" behind a verb, where X is a thing: both dates are bound and compared."""
    reader = p.reader
    began = reader.place
    reader.skip("more") if reader.at("recently", ahead=1) else None
    operator = _SIDES.get(reader.peek().lower, "")
    if not operator and reader.at("than", ahead=1):
        recent = reader.at("recently") and reader.peek(-1).lower == "more"
        operator = ">" if recent else _COMPARED.get(reader.peek().lower, "")
        reader.take()
    if not operator or reader.at("before", "after") and moment(reader):
        reader.place = began
        return False
    reader.take()
    other = noun(p)
    if other is None or other.number or other.literal or not (other.named or is_unknown(other.end)):
        reader.place = began
        return False
    mine, bound = p.draft.fresh("date"), p.draft.fresh("date")
    p.draft.relate(subject.end, verb, mine)
    p.draft.relate(other.end, verb, bound)
    p.draft.compare(mine, operator, bound)
    return True
