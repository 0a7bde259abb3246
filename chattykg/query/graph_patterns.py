"""SPARQL built from terms: patterns, constraints and conditions as values, written out with every term escaped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal as Choice

from chattyshared.literals import parse_number
from chattyshared.profile import TYPE_PREDICATES
from chattyshared.terms import Term, n3
from rdflib import Literal, URIRef
from rdflib.namespace import XSD

from chattykg.linking.class_linking import MAX_CLASSES
from chattykg.qir import Operator

Node = str | tuple[Term, ...]
"""A variable (``?film``) or the terms that stand at this place."""
ValueReading = Choice["number", "text number", "date", "mixed date", "text", "label", "value"]
"""How values are read; "mixed date": dates of several datatypes, or beside values that are none."""

ANYTHING = "?anything"
"""The variable that takes the place of a named thing."""
_DATE = "^-?[0-9]{4,}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?($|[TZ]|[+-][0-9]{2}:)"
_DECIMAL = f"{n3(XSD.decimal)}(STR({{}}))"


@dataclass(frozen=True, slots=True)
class TriplePattern:
    """One triple pattern; several predicates are alternatives."""

    subject: Node
    predicates: tuple[str, ...]
    object: Node


@dataclass(frozen=True, slots=True)
class FilterCondition:
    """A condition on a variable: how its values are read decides how they are compared.

    ``other`` is a second variable to compare with, where there is no constant; ``terms`` are those that it must not
    be; ``labels`` are the predicates through which a vertex is read as text; ``over`` is the body over which the mean
    of the variable is what it is compared with.
    """

    variable: str
    operator: Operator
    value: str
    reading: ValueReading
    other_variable: str = ""
    label_predicates: tuple[str, ...] = ()
    excluded_terms: tuple[Term, ...] = ()
    mean_over: GraphPattern | None = None


@dataclass(frozen=True, slots=True)
class GraphPattern:
    """What stands between the braces: patterns, bodies that must not hold, classes, listed terms and conditions.

    ``untyped`` are variables whose values must carry no class at all; ``languages`` bounds the tags of literals;
    ``typing`` are the predicates that state classes.
    """

    patterns: tuple[TriplePattern, ...] = ()
    negated: tuple[GraphPattern, ...] = ()
    types: tuple[tuple[str, tuple[str, ...]], ...] = ()
    values: tuple[tuple[str, tuple[Term, ...]], ...] = ()
    conditions: tuple[FilterCondition, ...] = ()
    untyped_variables: tuple[str, ...] = ()
    languages: tuple[tuple[str, tuple[str, ...]], ...] = ()
    type_predicates: tuple[str, ...] = TYPE_PREDICATES

    def to_sparql(self) -> str:
        """Write the body."""
        return " ".join(self._parts(iter(range(1000))))

    def variables(self) -> tuple[str, ...]:
        """Return the variables that are bound by patterns, classes or listed terms, in order."""
        ends = (end for p in self.patterns for end in (p.subject, p.object) if isinstance(end, str))
        more = (variable for variable, _ in (*self.types, *self.values))
        return tuple(dict.fromkeys((*ends, *more)))

    def _parts(self, marks: Iterator[int]) -> Iterator[str]:
        for variable, terms in self.values:
            yield _values(variable, terms)
        for pattern in self.patterns:
            yield _pattern(pattern, marks)
        for variable, classes in self.types:
            yield _type(variable, write_path(self.type_predicates), classes, marks)
        for variable in self.untyped_variables:
            yield f"FILTER NOT EXISTS {{ {variable} {write_path(self.type_predicates)} ?any{next(marks)} . }}"
        for condition in self.conditions:
            yield _condition(condition, marks)
        for variable, languages in self.languages:
            tags = ", ".join(n3(Literal(tag)) for tag in languages)
            yield f"FILTER(LANG({variable}) IN ({tags}))"
        for body in self.negated:
            yield f"FILTER NOT EXISTS {{ {' '.join(body._parts(marks))} }}"


def relax_pattern(body: GraphPattern) -> Iterator[GraphPattern]:
    """Yield the body without what it negates, and with a variable in place of each thing that narrows the others.

    A thing narrows the others where several are named and its variable stands in patterns of others too.
    """
    if body.negated:
        yield replace(body, negated=())
    things = dict.fromkeys(end for p in body.patterns for end in (p.subject, p.object) if not isinstance(end, str))
    for thing in things if len(things) > 1 else ():
        here = [p for p in body.patterns if thing in (p.subject, p.object)]
        others = {end for p in body.patterns if p not in here for end in (p.subject, p.object) if isinstance(end, str)}
        if all(p.subject in others or p.object in others for p in here):
            yield replace(body, patterns=tuple(_without(p, thing) for p in body.patterns))


def _without(pattern: TriplePattern, thing: Node) -> TriplePattern:
    subject, other = (ANYTHING if end == thing else end for end in (pattern.subject, pattern.object))
    return TriplePattern(subject, pattern.predicates, other)


def write_path(predicates: Iterable[str]) -> str:
    """Write predicates as one step: alternatives in brackets."""
    steps = [n3(URIRef(iri)) for iri in predicates]
    return steps[0] if len(steps) == 1 else f"({'|'.join(steps)})"


def write_number(text: str) -> str:
    """Write a number as SPARQL takes it.

    Raises:
        ValueError: it is none.
    """
    value = parse_number(text.replace(",", ""))
    if value is None:
        raise ValueError(f"no number: {text[:80]!r}")
    plain = f"{value:f}"
    return n3(Literal(plain, datatype=XSD.decimal if "." in plain else XSD.integer, normalize=False))


def write_operand(variable: str, reading: ValueReading) -> str:
    """Write a variable so that its values compare as what they are read as."""
    if reading == "mixed date":
        return f"STR({variable})"  # dates of different datatypes have no order, their lexical forms do
    return _DECIMAL.format(variable) if reading == "text number" else variable


def write_guard(variable: str, reading: ValueReading) -> str:
    """Write the test that a value is readable as what it is read as; empty where there is none to make.

    One value that is not would be the greatest of all, or spoil a whole aggregate. Infinity less itself is not 0.
    """
    match reading:
        case "number":
            return f"isNumeric({variable}) && {variable} - {variable} = 0"
        case "text number":
            return f"isNumeric({write_operand(variable, reading)})"
        case "date":
            return f"REGEX(STR({variable}), {n3(Literal(_DATE))})"
        case "mixed date":
            return f"!isNumeric({variable}) && REGEX(STR({variable}), {n3(Literal(_DATE))})"
    return ""


def _values(variable: str, terms: tuple[Term, ...]) -> str:
    return f"VALUES {variable} {{ {' '.join(n3(term) for term in terms)} }}"


def _pattern(pattern: TriplePattern, marks: Iterator[int]) -> str:
    before, ends = [], []
    for end in (pattern.subject, pattern.object):
        if isinstance(end, str):
            ends.append(end)
        elif len(end) == 1:
            ends.append(n3(end[0]))
        else:
            mark = f"?given{next(marks)}"
            before.append(_values(mark, end))
            ends.append(mark)
    return " ".join([*before, f"{ends[0]} {write_path(pattern.predicates)} {ends[1]} ."])


def _type(variable: str, typing: str, classes: tuple[str, ...], marks: Iterator[int]) -> str:
    if len(classes) == 1:
        return f"{variable} {typing} {n3(URIRef(classes[0]))} ."
    mark = f"?class{next(marks)}"
    listed = _values(mark, tuple(URIRef(iri) for iri in classes[:MAX_CLASSES]))
    return f"{listed} {variable} {typing} {mark} ."


def _condition(condition: FilterCondition, marks: Iterator[int]) -> str:
    variable = condition.variable
    if condition.mean_over:
        return _beside_mean(condition, condition.mean_over, marks)
    if condition.excluded_terms:
        return f"FILTER({variable} NOT IN ({', '.join(n3(term) for term in condition.excluded_terms)}))"
    if condition.other_variable:
        one, two = (
            write_operand(variable, condition.reading),
            write_operand(condition.other_variable, condition.reading),
        )
        return f"FILTER({one} {condition.operator} {two})"
    if condition.label_predicates:
        mark = f"?label{next(marks)}"
        said = _compared(mark, condition)
        return f"FILTER EXISTS {{ {variable} {write_path(condition.label_predicates)} {mark} . FILTER({said}) }}"
    return f"FILTER({_compared(variable, condition)})"


def _beside_mean(condition: FilterCondition, over: GraphPattern, marks: Iterator[int]) -> str:
    """Write the mean as a query within the query: its variables but the mean are its own."""
    value, mean = write_operand(condition.variable, condition.reading), f"?mean{next(marks)}"
    readable = write_guard(condition.variable, condition.reading)
    guard = f" FILTER({readable})" if readable else ""
    rows = f"SELECT DISTINCT {' '.join(over.variables())} WHERE {{ {over.to_sparql()}{guard} }}"
    return f"{{ SELECT (AVG({value}) AS {mean}) WHERE {{ {{ {rows} }} }} }} FILTER({value} {condition.operator} {mean})"


def _compared(variable: str, condition: FilterCondition) -> str:
    operator, value = condition.operator, condition.value
    if condition.reading in ("number", "text number"):
        return f"{write_operand(variable, condition.reading)} {operator} {write_number(value)}"
    if condition.reading in ("date", "mixed date"):
        guard = f"{write_guard(variable, condition.reading)} && " if condition.reading == "mixed date" else ""
        return f"{guard}SUBSTR(STR({variable}), 1, {len(value)}) {operator} {n3(Literal(value))}"
    said, wanted = f"LCASE(STR({variable}))", n3(Literal(value.casefold()))
    functions = {"contains": "CONTAINS", "starts": "STRSTARTS", "ends": "STRENDS"}
    if operator in functions:
        return f"{functions[operator]}({said}, {wanted})"
    return f"{said} {operator} {wanted}"
