"""Elements of answers, and when two of them are the same thing: IRIs exactly, numbers, dates and booleans by value."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field

from chattyshared.dialogue import Value
from chattyshared.literals import DAY, format_number, parse_moment, parse_number
from chattyshared.terms import DATE_DATATYPES, NUMERIC_DATATYPES

ElementKey = tuple[str, str]
"""A way to tell an element: ``iri``, ``number``, ``date``, ``boolean``, ``text`` or ``name``, and its normal form.

A ``name`` is a vertex's label. Only systems that know no IRIs are scored by it: theirs is a key of what they say.
"""

_IRI = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://|urn:)\S+")
_BOOLEANS = {"true": "true", "yes": "true", "false": "false", "no": "false"}
_BY_VALUE = frozenset(str(datatype) for datatype in DATE_DATATYPES | NUMERIC_DATATYPES)


@dataclass(frozen=True, slots=True)
class AnswerElement:
    """One element of an answer and the keys that tell it; two elements are the same if they share a key.

    ``iri`` is set where the element is a vertex: a vertex that is right by its IRI is not looked up by label as well.
    ``text`` is the element as it was written: its IRI or its lexical form.
    """

    keys: frozenset[ElementKey]
    iri: str = ""
    text: str = field(default="", compare=False)

    def matches(self, other: AnswerElement) -> bool:
        """Tell whether both are the same thing."""
        return not self.keys.isdisjoint(other.keys)


def number_key(text: str) -> ElementKey | None:
    """Return the key of a number: integers exactly, others to 12 significant digits; ``1``, ``1.0``, ``1e0`` agree."""
    number = parse_number(text)
    return None if number is None else ("number", format_number(number))


def date_key(text: str) -> ElementKey | None:
    """Return the key of a date; a date with time agrees with the date at midnight, time zones are brought to UTC."""
    moment = parse_moment(text)
    if moment is None or moment.precision < DAY:
        return None
    seconds, fraction = moment.local_start if moment.precision == DAY else moment.start
    return "date", f"{seconds} {format_number(fraction)}"


def text_key(text: str) -> ElementKey:
    """Return the key of a text: Unicode composed, case folded, white space collapsed."""
    return "text", " ".join(unicodedata.normalize("NFC", text).casefold().split())


def is_iri(text: str) -> bool:
    """Tell whether a string of a questions or answers file is an IRI."""
    return _IRI.fullmatch(text) is not None


def element_from_value(value: Value) -> AnswerElement:
    """Return the element of a benchmark's gold value: an IRI counts exactly, a literal by value or text.

    The language of a literal is ignored, and so is its datatype but for what it says about numbers and dates.
    """
    if value.kind == "iri":
        return AnswerElement(frozenset({("iri", value.value)} | name_keys(value.label)), value.value, value.value)
    if value.kind == "boolean":
        return AnswerElement(frozenset(_boolean(value.value)) or frozenset({text_key(value.value)}), text=value.value)
    keys = {text_key(value.value)}
    if value.kind == "number" or value.datatype in _BY_VALUE:
        keys |= _present(number_key(value.value), date_key(value.value))
    return AnswerElement(frozenset(keys), text=value.value)


def element_from_gold_texts(*texts: str) -> AnswerElement:
    """Return the element of a question file's gold: each of its texts (IRI, answer, label) counts, values by value."""
    known = next((text for text in texts if is_iri(text)), "")
    return AnswerElement(frozenset(key for text in texts for key in _keys(text)), known, known or next(iter(texts), ""))


def element_from_answer(answer: str, label: str = "", *, answers_in_names: bool = False) -> AnswerElement:
    """Return the element that a system said: its value in every reading, and its label where it is a vertex.

    The label only counts against gold that is not known by IRI alone: a benchmark's vertex has no text key. With
    ``in_names`` the system knows no IRIs, so that its texts count as names of vertices.
    """
    if not is_iri(answer):
        return AnswerElement(frozenset(_keys(answer) | (name_keys(answer) if answers_in_names else set())), text=answer)
    return AnswerElement(frozenset(_keys(answer) | (_readings(label) if label else set())), answer, answer)


def name_keys(label: str) -> set[ElementKey]:
    """Return the keys of a vertex's label; none where there is no label."""
    return {("name", text_key(label)[1])} if label.strip() else set()


def distinct_elements(elements: Iterable[AnswerElement]) -> tuple[AnswerElement, ...]:
    """Return a set of elements, in order of first appearance: equal numbers, dates and texts are one element."""
    listed = tuple(elements)
    return tuple(listed[place] for place in distinct_indexes(listed))


def distinct_indexes(elements: Iterable[AnswerElement]) -> tuple[int, ...]:
    """Return where each distinct element first stands."""
    first: dict[ElementKey, int] = {}
    for place, element in enumerate(elements):
        first.setdefault(_identity(element), place)
    return tuple(first.values())


def _identity(element: AnswerElement) -> ElementKey:
    if element.iri:
        return "iri", element.iri
    return min(element.keys, key=lambda key: ("number date boolean text iri name".split().index(key[0]), key[1]))


def _keys(text: str) -> set[ElementKey]:
    return {("iri", text)} if is_iri(text) else {("iri", text)} | _readings(text)


def _readings(text: str) -> set[ElementKey]:
    return {text_key(text)} | _present(number_key(text), date_key(text)) | _boolean(text)


def _boolean(text: str) -> set[ElementKey]:
    truth = _BOOLEANS.get(text.strip().casefold())
    return {("boolean", truth)} if truth else set()


def _present(*keys: ElementKey | None) -> set[ElementKey]:
    return {key for key in keys if key is not None}
