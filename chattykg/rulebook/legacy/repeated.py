"""How often something was done: "starred more than once", "won it at least three times"."""

from __future__ import annotations

from chattykg.qir import Having, is_unknown
from chattykg.rulebook.legacy.closed_words import NUMBERS
from chattykg.rulebook.legacy.parse import Noun, Parse
from chattykg.rulebook.legacy.reader import Reader

_OPERATORS = (
    (("more", "than"), ">"), (("at", "least"), ">="), (("at", "most"), "<="), (("less", "than"), "<"),
    (("fewer", "than"), "<"), (("only",), "="), (("exactly",), "="), ((), "="),
)  # fmt: skip


def repeated(p: Parse, subject: Noun, verb: str) -> bool:
    """Read "more than once" behind a verb without an object: so many things are what the verb leads to."""
    said = _times(p.reader) if is_unknown(subject.end) else None
    if said is None:
        return False
    operator, number = said
    done = p.draft.fresh(verb)
    p.draft.relate(subject.end, verb, done)
    if (operator, number) != (">=", 1):
        p.draft.having.append(Having(subject.end, done, operator, str(number)))  # type: ignore[arg-type]
    return True


def _times(reader: Reader) -> tuple[str, int] | None:
    """Take a number of times; None (cursor unmoved) where none stands there."""
    began = reader.place
    for words, operator in _OPERATORS:
        if not words or reader.skip_sequence(*words):
            word = reader.take()
            if word.lower in ("once", "twice"):
                return operator, NUMBERS[word.lower]
            number = int(word.lower) if word.lower.isdecimal() else NUMBERS.get(word.lower, 0)
            if number and reader.skip("times"):
                return operator, number
            break
    reader.place = began
    return None
