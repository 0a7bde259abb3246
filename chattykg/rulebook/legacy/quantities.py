"""Numbers, dates, comparisons and superlatives."""

from __future__ import annotations

import re
from decimal import Decimal

from chattyshared.language.morphology import ADJECTIVE_ANTONYMS, ADJECTIVE_QUANTITIES, ADJECTIVE_SYNONYMS, parse_degree
from chattyshared.literals import parse_number

from chattykg.rulebook.legacy.averages import mean
from chattykg.rulebook.legacy.closed_words import AUXILIARY, MONTHS, NUMBERS, ORDINALS, SCALES, UNITS
from chattykg.rulebook.legacy.parse import Quantity, Superlative
from chattykg.rulebook.legacy.periods import period
from chattykg.rulebook.legacy.reader import Reader

_OVER = {"over": ">", "above": ">", "exceeding": ">", "under": "<", "below": "<", "exactly": "=", "beyond": ">"}
_TIME = {"after": ">", "since": ">=", "before": "<", "until": "<=", "till": "<=", "by": "<=", "in": "=", "on": "=",
         "during": "=", "from": "=", "of": "=", "for": "=", "at": "="}  # fmt: skip
_NAMED = 0.97
_ISO = re.compile(r"\d{4}-\d\d(-\d\d)?$")
_WITH_UNIT = re.compile(r"(\d+(?:\.\d+)?)([a-z%€$°]{1,6})$")
_RANGE = re.compile(r"(\d{4})[-–/](\d{4})$")
_GRADES = {"highest": True, "largest": True, "greatest": True, "biggest": True, "maximum": True, "max": True,
           "lowest": False, "smallest": False, "minimum": False, "min": False, "top": True, "maximal": True,
           "minimal": False, "least": False, "most": True, "fewest": False, "longest": True, "shortest": False,
           "latest": True, "earliest": False, "best": True, "worst": False, "bottom": False}  # fmt: skip


def number(reader: Reader, *, ahead: int = 0) -> tuple[str, int]:
    """Return the number that stands at the cursor and how many atoms it takes ("" and 0 if none does)."""
    atom = reader.peek(ahead)
    value: Decimal | None = None
    if atom.kind == "number":
        value = parse_number(atom.lower.replace(",", "").lstrip("$€£"))
    elif atom.lower in NUMBERS and atom.lower not in ("once", "twice"):
        value = Decimal(NUMBERS[atom.lower])
    elif _WITH_UNIT.match(atom.lower) and not atom.lower.endswith(("st", "nd", "rd", "th")) and not atom.vertex:
        match = _WITH_UNIT.match(atom.lower)
        assert match is not None
        value = Decimal(match[1]) * SCALES.get(match[2], 1)
    if value is None:
        return "", 0
    size = 1
    while reader.peek(ahead + size).lower in SCALES and reader.peek(ahead + size).lower not in ("m", "k"):
        value *= SCALES[reader.peek(ahead + size).lower]
        size += 1
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text, size


def date(reader: Reader, *, ahead: int = 0) -> tuple[str, int]:
    """Return the date or year at the cursor in ISO form and how many atoms it takes ("" and 0 if none does)."""
    atom = reader.peek(ahead)
    if atom.lower in ("year", "the") and reader.peek(ahead + 1).lower != atom.lower:
        value, size = (
            date(reader, ahead=ahead + 1) if atom.lower == "year" or reader.peek(ahead + 1).lower == "year" else ("", 0)
        )
        return (value, size + 1) if size else ("", 0)
    if _ISO.match(atom.lower):
        return atom.lower, 1
    if atom.kind == "number" and re.fullmatch(r"1\d{3}|20\d\d", atom.lower):
        return atom.lower, 1
    if atom.lower in MONTHS:
        return _month_first(reader, ahead)
    day = re.fullmatch(r"(\d{1,2})(st|nd|rd|th)?", atom.lower)
    if day:
        skip = 1 + (reader.peek(ahead + 1).lower == "of")
        month, year = reader.peek(ahead + skip), reader.peek(ahead + skip + 1)
        if month.lower in MONTHS and re.fullmatch(r"\d{3,4}", year.lower):
            return f"{int(year.lower):04}-{MONTHS[month.lower]:02}-{int(day[1]):02}", skip + 2
    return "", 0


def _month_first(reader: Reader, ahead: int) -> tuple[str, int]:
    month = MONTHS[reader.peek(ahead).lower]
    day = re.fullmatch(r"(\d{1,2})(st|nd|rd|th)?", reader.peek(ahead + 1).lower)
    at = ahead + (2 if day else 1)
    at += reader.peek(at).lower in (",", "of")
    year = reader.peek(at)
    if not re.fullmatch(r"\d{4}", year.lower):
        return "", 0
    said = f"{year.lower}-{month:02}" + (f"-{int(day[1]):02}" if day else "")
    return said, at - ahead + 1


def _value(reader: Reader) -> tuple[str, int, bool]:
    said, size = mean(reader)
    if size:
        return said, size, False
    said, size = date(reader)
    if size:
        return said, size, True
    said, size = number(reader)
    return said, size, False


def over(word: str) -> str:
    """Return the operator of "above", "under" and their like ("" for any other word)."""
    return _OVER.get(word, "")


def unit(reader: Reader) -> bool:
    """Move past a unit behind a number ("20 g", "5 years old"); tell whether there was one."""
    following = reader.peek(1)
    if (
        reader.peek().lower not in UNITS
        or following.is_content
        and not following.is_participle
        and not degree_word(following.lower)
    ):
        return False
    reader.take()
    reader.skip("old", "tall", "long", "wide", "deep", "high", "of")
    return True


def degree_word(word: str) -> bool:
    """Tell whether a word is one of the adjectives that stand behind a measure."""
    return word in ("old", "tall", "long", "wide", "deep", "high")


def comparison(reader: Reader) -> Quantity | None:
    """Read "more than 5", "at least 3", "over 20", "between" is not one; the cursor moves only if there is one."""
    began = reader.place
    operator = _operator(reader)
    if operator:
        said, size, is_date = _value(reader)
        if size:
            reader.place += size
            return Quantity(operator, said, is_date)
    reader.place = began
    said, size = number(reader)
    if not size:
        return None
    if reader.peek(size).lower in ("or", "and") and reader.peek(size + 1).lower in _OR:
        reader.place += size + 2
        return Quantity(_OR[reader.peek(-1).lower], said)
    return None


_OR = {"more": ">=", "above": ">=", "over": ">=", "greater": ">=", "higher": ">=", "less": "<=", "fewer": "<=",
       "below": "<=", "lower": "<=", "later": ">=", "newer": ">=", "older": ">=", "up": ">=",
       "under": "<="}  # fmt: skip


def _operator(reader: Reader) -> str:
    if reader.at("above-average", "below-average"):
        return ">" if reader.at("above-average") else "<"
    for words, operator in (
        (("at", "least"), ">="), (("at", "most"), "<="), (("no", "more", "than"), "<="), (("up", "to"), "<="),
        (("no", "less", "than"), ">="), (("no", "fewer", "than"), ">="), (("equal", "to"), "="),
        (("not", "more", "than"), "<="), (("not", "less", "than"), ">="), (("a", "minimum", "of"), ">="),
        (("a", "maximum", "of"), "<="),
    ):  # fmt: skip
        if reader.skip_sequence(*words):
            return operator
    if reader.at("more", "greater", "higher", "larger", "bigger", "later") and reader.at("than", ahead=1):
        reader.place += 2
        return ">"
    if reader.at("less", "fewer", "lower", "smaller", "earlier") and reader.at("than", ahead=1):
        reader.place += 2
        return "<"
    if reader.peek().lower in _OVER:
        return _OVER[reader.take().lower]
    return ""


def between(reader: Reader) -> tuple[str, str] | None:
    """Read "between A and B" or "from A to B" or "in the 1990s"; the cursor moves only if there is one."""
    began = reader.place
    if reader.at("between", "from"):
        reader.take()
        low = _bounds(reader)
        if low and reader.at("and", "to", "until", "till", "-", "–"):
            reader.take()
            high = _bounds(reader)
            if high:
                return low[0], high[1]
    reader.place = began
    return _within(reader)


def _bounds(reader: Reader) -> tuple[str, str] | None:
    """Read one end of a range: of a period its first and last year, of a value the value twice."""
    bounds, size = period(reader)
    if not bounds:
        said, size, _ = _value(reader)
        bounds = (said, said) if size else None
    reader.place += size
    return bounds


def _within(reader: Reader) -> tuple[str, str] | None:
    """Read "in the 1990s", "in the 80s and 90s", "from 1990-1995"; the cursor moves only if there is one."""
    if not reader.at("in", "during", "from", "of"):
        return None
    bounds, size = period(reader, ahead=1)
    ahead = 1 + reader.at("the", ahead=1)
    span = _RANGE.match(reader.peek(ahead).lower)
    if bounds:
        reader.place += 1 + size
        return _prolonged(reader, bounds)
    if span and not reader.at("of"):
        reader.place += ahead + 1
        return span[1], span[2]
    return None


def _prolonged(reader: Reader, bounds: tuple[str, str]) -> tuple[str, str]:
    """Read "and the 90s" behind "the 80s": periods side by side are one span; others are left unread."""
    following, size = period(reader, ahead=1) if reader.at("and", "or") else (None, 0)
    if following is None or int(following[0]) != int(bounds[1]) + 1:
        return bounds
    reader.place += 1 + size
    return _prolonged(reader, (bounds[0], following[1]))


def moment(reader: Reader) -> Quantity | None:
    """Read "in 2010", "before March 2001", "on 5 May 1999"; the cursor moves only if there is one."""
    if reader.at("from", "since") and reader.at("before", "after", "since", "until", ahead=1):
        reader.place += 1
        found = moment(reader)
        reader.place -= found is None
        return found
    if reader.peek().lower not in _TIME:
        return None
    bounds, size = period(reader, ahead=1)
    operator = _TIME[reader.peek().lower]
    if bounds and operator != "=":
        reader.place += 1 + size
        return Quantity(operator, bounds[operator in (">", "<=")], date=True)
    ahead = 1 + reader.at("the", ahead=1) * (reader.peek(2).lower == "year")
    said, size = date(reader, ahead=ahead)
    if not size or (reader.at("of", "at", "for", "by") and len(said) == 4 and reader.peek().lower != "by"):
        return None
    reader.place += ahead + size
    return Quantity(operator, said, date=True)


def graded(reader: Reader) -> tuple[str, bool] | None:
    """Read "heavier than", "less heavy than": adjective, and whether more of it; moves only if there is one."""
    began = reader.place
    if reader.at("more", "less") and reader.peek(1).is_content and reader.at("than", ahead=2):
        more = reader.take().lower == "more"
        adjective = reader.take().lower
        reader.take()
        return adjective, more
    base, ending = parse_degree(reader.peek().lower)
    if ending == "er" and reader.at("than", ahead=1):
        reader.place += 2
        return base, True
    reader.place = began
    return None


def superlative(reader: Reader) -> Superlative | None:
    """Read "longest", "most expensive", "second largest", "top 3", "most"; moves only if there is one."""
    began = reader.place
    limit, offset = 1, 0
    if reader.peek().lower in ORDINALS and _grade_at(reader, 1):
        offset = ORDINALS[reader.take().lower] - 1
        reader.skip("most") if _grade_at(reader, 1) else None
    elif (ordinal := re.fullmatch(r"(\d+)(st|nd|rd|th)", reader.peek().lower)) and _grade_at(reader, 1):
        offset = int(ordinal[1]) - 1
        reader.take()
    elif reader.at("top", "bottom", "first", "last") and number(reader, ahead=1)[1]:
        said, size = number(reader, ahead=1)
        descending = reader.take().lower in ("top", "last")
        reader.place += size
        inner = superlative(reader)
        if inner:
            inner.limit = int(Decimal(said))
            return inner
        return Superlative("", descending, int(Decimal(said)))
    elif number(reader)[1] and _grade_at(reader, number(reader)[1]):
        said, size = number(reader)
        reader.place += size
        limit = int(Decimal(said))
    found = _grade(reader)
    if found is None:
        reader.place = began
        return None
    found.limit, found.offset = limit, offset
    said, size = number(reader)
    if size and found.limit == 1 and reader.peek(size).is_content:
        reader.place += size
        found.limit = int(Decimal(said))
    return found


def _grade_at(reader: Reader, ahead: int) -> bool:
    word = reader.peek(ahead).lower
    return parse_degree(word)[1] == "est" or word in _GRADES


def names_value(reader: Reader) -> bool:
    """Tell whether the graph has a predicate of the word at the cursor itself: "its highest value", "the average of X".

    Then it is no superlative and no mean: one thing has one such value.
    """
    atom = reader.peek()
    if atom.predicate is None or atom.predicate.score < _NAMED or atom.size > 1:
        return False
    following = reader.peek(1)
    of_one = following.lower == "of" and reader.peek(2 + (reader.peek(2).lower == "the")).is_name
    owned = reader.peek(-1).kind == "possessive" and not following.is_content
    return following.lower in ("value", "values") or following.lower in AUXILIARY or of_one or owned


def _grade(reader: Reader) -> Superlative | None:
    word, following = reader.peek().lower, reader.peek(1)
    if names_value(reader):
        return None
    if word in ("most", "least") and following.lower.endswith("ly"):
        reader.place += 2
        return Superlative(following.lower[:-2], word == "most", least=word == "least")
    if word in ("most", "least") and following.is_content and not following.is_plural:
        known = (
            following.lower in ADJECTIVE_QUANTITIES
            or following.lower in ADJECTIVE_ANTONYMS
            or following.lower in ADJECTIVE_SYNONYMS
        )
        if known or not (following.predicate or following.group) and reader.peek(2).is_content:
            reader.place += 2
            return Superlative(following.lower, word == "most", least=word == "least")
    base, ending = parse_degree(word)
    if word in _GRADES:
        reader.place += 1
        reader.skip("of") if word in ("most", "least") else None
        return Superlative(base, _GRADES[word], count=word in ("most", "least", "fewest"))
    if ending == "est" and not reader.peek().predicate:
        reader.place += 1
        return Superlative(base, True)
    return None
