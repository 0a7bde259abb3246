"""Elements of answers and their equality: IRIs are compared exactly; numbers, dates and booleans by value."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from chattyshared.dialogue import Alternative, Value
from chattyshared.literals import DAY, format_number, parse_boolean, parse_moment, parse_number, parse_yes_no
from chattyshared.terms import DATE_DATATYPES, NUMERIC_DATATYPES, is_iri
from rdflib.namespace import XSD

ElementKey = tuple[str, str]
"""A kind (``iri``, ``number``, ``date``, ``boolean``, ``text`` or ``name``) and the normal form of an element.

A ``name`` is a vertex's label. It is used only for systems that know no IRIs: their answers have a ``name`` key.
"""

_COMPARED_BY_VALUE = frozenset(str(datatype) for datatype in DATE_DATATYPES | NUMERIC_DATATYPES)


@dataclass(frozen=True, slots=True)
class AnswerElement:
    """One element of an answer with its keys; two elements are the same if they share a key.

    ``iri`` is set if the element is a vertex; a vertex that matches by IRI is not matched by label too. ``text`` is the
    element as written: its IRI or its lexical form.
    """

    keys: frozenset[ElementKey]
    iri: str = ""
    text: str = field(default="", compare=False)

    def matches(self, other: AnswerElement) -> bool:
        """Tell whether both elements share a key."""
        return not self.keys.isdisjoint(other.keys)


def number_key(text: str) -> ElementKey | None:
    """Return the key of a number, or None: integers exactly, others to 12 significant digits (``1`` equals ``1e0``)."""
    number = parse_number(text)
    return None if number is None else ("number", format_number(number))


def date_key(text: str) -> ElementKey | None:
    """Return the key of a date in UTC, or None; a date equals the same date at midnight."""
    moment = parse_moment(text)
    if moment is None or moment.precision < DAY:
        return None
    seconds, fraction = moment.local_start if moment.precision == DAY else moment.start
    return "date", f"{seconds} {format_number(fraction)}"


def text_key(text: str) -> ElementKey:
    """Return the key of a text: NFC, case-folded, with single spaces."""
    return "text", " ".join(unicodedata.normalize("NFC", text).casefold().split())


def element_from_value(value: Value) -> AnswerElement:
    """Return the element of a gold value of a benchmark: an IRI matches exactly, a literal by value or text.

    The language of a literal is ignored; its datatype only tells whether it is a number or a date.
    """
    if value.kind == "iri":
        return AnswerElement(frozenset({("iri", value.value)} | name_keys(value.label)), value.value, value.value)
    if value.kind == "boolean" or value.datatype == str(XSD.boolean):
        truth = parse_boolean(value.value)
        text = value.value if truth is None else str(truth).lower()
        return AnswerElement(frozenset(_boolean_keys(text)) or frozenset({text_key(text)}), text=text)
    keys = {text_key(value.value)}
    if value.kind == "number" or value.datatype in _COMPARED_BY_VALUE:
        keys |= _not_none(number_key(value.value), date_key(value.value))
    return AnswerElement(frozenset(keys), text=value.value)


def element_from_gold_texts(*texts: str) -> AnswerElement:
    """Return the element of a question file's gold; each text (IRI, answer, label) gives keys, values by value."""
    iri = next((text for text in texts if is_iri(text)), "")
    return AnswerElement(frozenset(key for text in texts for key in _keys(text)), iri, iri or next(iter(texts), ""))


def with_alternatives(
    elements: Sequence[AnswerElement], alternatives: Iterable[Alternative]
) -> tuple[AnswerElement, ...]:
    """Return gold whose elements also match what a certificate accepts in their place."""
    accepted: dict[str, set[ElementKey]] = {}
    for each in alternatives:
        accepted.setdefault(each.answer, set()).update(_keys(each.value))
    return tuple(
        replace(element, keys=element.keys | accepted[element.text]) if element.text in accepted else element
        for element in elements
    )


def element_from_answer(answer: str, label: str = "", *, answers_in_names: bool = False) -> AnswerElement:
    """Return the element of a system's answer: its value in every reading, and its label if it is a vertex.

    The label matches only gold with text keys, and a benchmark's vertex has none. With ``answers_in_names`` the system
    knows no IRIs, and its texts are matched with the labels of vertices.
    """
    if not is_iri(answer):
        return AnswerElement(frozenset(_keys(answer) | (name_keys(answer) if answers_in_names else set())), text=answer)
    return AnswerElement(frozenset(_keys(answer) | (_value_keys(label) if label else set())), answer, answer)


def name_keys(label: str) -> set[ElementKey]:
    """Return the keys of a vertex's label; none if there is no label."""
    return {("name", text_key(label)[1])} if label.strip() else set()


def distinct_elements(elements: Iterable[AnswerElement]) -> tuple[AnswerElement, ...]:
    """Return the distinct elements in order of first appearance; equal numbers, dates and texts are one element."""
    all_elements = tuple(elements)
    return tuple(all_elements[index] for index in distinct_indexes(all_elements))


def distinct_indexes(elements: Iterable[AnswerElement]) -> tuple[int, ...]:
    """Return the index at which each distinct element first appears."""
    first: dict[ElementKey, int] = {}
    for index, element in enumerate(elements):
        first.setdefault(_primary_key(element), index)
    return tuple(first.values())


def _primary_key(element: AnswerElement) -> ElementKey:
    if element.iri:
        return "iri", element.iri
    return min(element.keys, key=lambda key: ("number date boolean text iri name".split().index(key[0]), key[1]))


def _keys(text: str) -> set[ElementKey]:
    return {("iri", text)} if is_iri(text) else {("iri", text)} | _value_keys(text)


def _value_keys(text: str) -> set[ElementKey]:
    return {text_key(text)} | _not_none(number_key(text), date_key(text)) | _boolean_keys(text)


def _boolean_keys(text: str) -> set[ElementKey]:
    truth = parse_yes_no(text)
    return {("boolean", truth)} if truth else set()


def _not_none(*keys: ElementKey | None) -> set[ElementKey]:
    return {key for key in keys if key is not None}
