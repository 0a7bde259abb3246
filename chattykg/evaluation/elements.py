"""Elements of answers, and when two of them are the same thing: IRIs exactly, numbers, dates and booleans by value."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Context, Decimal, InvalidOperation

from chattyshared.dialogue import Value
from chattyshared.terms import DATES, NUMERIC

Key = tuple[str, str]
"""A way to tell an element: ``iri``, ``number``, ``date``, ``boolean``, ``text`` or ``name``, and its normal form.

A ``name`` is a vertex's label. Only systems that know no IRIs are scored by it: theirs is a key of what they say.
"""

_DIGITS = Context(prec=12)
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?")
_DAY = re.compile(r"(\d{4}-\d\d-\d\d)(Z|[+-]\d\d:\d\d)?")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?")
_IRI = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://|urn:)\S+")
_BOOLEANS = {"true": "true", "yes": "true", "false": "false", "no": "false"}
_BY_VALUE = frozenset(str(datatype) for datatype in DATES | NUMERIC)


@dataclass(frozen=True, slots=True)
class Element:
    """One element of an answer and the keys that tell it; two elements are the same if they share a key.

    ``iri`` is set where the element is a vertex: a vertex that is right by its IRI is not looked up by label as well.
    ``text`` is the element as it was written: its IRI or its lexical form.
    """

    keys: frozenset[Key]
    iri: str = ""
    text: str = field(default="", compare=False)

    def meets(self, other: Element) -> bool:
        """Tell whether both are the same thing."""
        return not self.keys.isdisjoint(other.keys)


def number_key(text: str) -> Key | None:
    """Return the key of a number: integers exactly, others to 12 significant digits; ``1``, ``1.0``, ``1e0`` agree."""
    if not _NUMBER.fullmatch(text.strip()):
        return None
    try:
        value = Decimal(text.strip())
    except InvalidOperation:  # pragma: no cover - the pattern admits only what Decimal reads
        return None
    if value != value.to_integral_value():
        value = _DIGITS.create_decimal(value)
    return "number", str(value.normalize(Context(prec=400)) + 0)


def date_key(text: str) -> Key | None:
    """Return the key of a date; a date with time agrees with the date at midnight, time zones are brought to UTC."""
    day = _DAY.fullmatch(text.strip())
    if day is None and not _MOMENT.fullmatch(text.strip()):
        return None
    try:
        moment = datetime.fromisoformat(day[1] if day else text.strip())
        moment = moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment
    except (ValueError, OverflowError):
        return None
    return "date", moment.isoformat()


def text_key(text: str) -> Key:
    """Return the key of a text: Unicode composed, case folded, white space collapsed."""
    return "text", " ".join(unicodedata.normalize("NFC", text).casefold().split())


def is_iri(text: str) -> bool:
    """Tell whether a string of a questions or answers file is an IRI."""
    return _IRI.fullmatch(text) is not None


def gold_value(value: Value) -> Element:
    """Return the element of a benchmark's gold value: an IRI counts exactly, a literal by value or text.

    The language of a literal is ignored, and so is its datatype but for what it says about numbers and dates.
    """
    if value.kind == "iri":
        return Element(frozenset({("iri", value.value)} | name_keys(value.label)), value.value, value.value)
    if value.kind == "boolean":
        return Element(frozenset(_boolean(value.value)) or frozenset({text_key(value.value)}), text=value.value)
    keys = {text_key(value.value)}
    if value.kind == "number" or value.datatype in _BY_VALUE:
        keys |= _present(number_key(value.value), date_key(value.value))
    return Element(frozenset(keys), text=value.value)


def gold_text(*texts: str) -> Element:
    """Return the element of a question file's gold: each of its texts (IRI, answer, label) counts, values by value."""
    known = next((text for text in texts if is_iri(text)), "")
    return Element(frozenset(key for text in texts for key in _keys(text)), known, known or next(iter(texts), ""))


def said(answer: str, label: str = "", *, in_names: bool = False) -> Element:
    """Return the element that a system said: its value in every reading, and its label where it is a vertex.

    The label only counts against gold that is not known by IRI alone: a benchmark's vertex has no text key. With
    ``in_names`` the system knows no IRIs, so that its texts count as names of vertices.
    """
    if not is_iri(answer):
        return Element(frozenset(_keys(answer) | (name_keys(answer) if in_names else set())), text=answer)
    return Element(frozenset(_keys(answer) | (_readings(label) if label else set())), answer, answer)


def name_keys(label: str) -> set[Key]:
    """Return the keys of a vertex's label; none where there is no label."""
    return {("name", text_key(label)[1])} if label.strip() else set()


def distinct(elements: Iterable[Element]) -> tuple[Element, ...]:
    """Return a set of elements, in order of first appearance: equal numbers, dates and texts are one element."""
    listed = tuple(elements)
    return tuple(listed[place] for place in places(listed))


def places(elements: Iterable[Element]) -> tuple[int, ...]:
    """Return where each distinct element first stands."""
    first: dict[Key, int] = {}
    for place, element in enumerate(elements):
        first.setdefault(_identity(element), place)
    return tuple(first.values())


def _identity(element: Element) -> Key:
    if element.iri:
        return "iri", element.iri
    return min(element.keys, key=lambda key: ("number date boolean text iri name".split().index(key[0]), key[1]))


def _keys(text: str) -> set[Key]:
    return {("iri", text)} if is_iri(text) else {("iri", text)} | _readings(text)


def _readings(text: str) -> set[Key]:
    return {text_key(text)} | _present(number_key(text), date_key(text)) | _boolean(text)


def _boolean(text: str) -> set[Key]:
    truth = _BOOLEANS.get(text.strip().casefold())
    return {("boolean", truth)} if truth else set()


def _present(*keys: Key | None) -> set[Key]:
    return {key for key in keys if key is not None}
