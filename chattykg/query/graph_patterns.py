"""Graph patterns as values: triple patterns, types, listed terms and filters, written with every term escaped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal as Choice

from chattyshared.kg.text_readings import TextReading
from chattyshared.literals import parse_number
from chattyshared.profile import TYPE_PREDICATES
from chattyshared.terms import Term, n3
from rdflib import Literal, URIRef
from rdflib.namespace import XSD

from chattykg.linking.class_linking import MAX_CLASSES
from chattykg.qir import Operator

Node = str | tuple[Term, ...]
"""A variable (``?film``) or alternative terms."""
ValueReading = Choice["number", "text number", "date", "mixed date", "duration", "text", "label", "value"] | TextReading
"""How values are read; "mixed date": dates of several datatypes, or among other values."""

DATE_PATTERN = "^-?[0-9]{4,}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?($|[TZ]|[+-][0-9]{2}:)"
NUMBER_PATTERN = "[0-9]"
"""What the lexical form of a number has, and that of infinity or of no number has not."""
_DECIMAL_CAST = f"{n3(XSD.decimal)}(STR({{}}))"


@dataclass(frozen=True, slots=True)
class TriplePattern:
    """One triple pattern; several predicates are alternatives, followed any number of times if ``is_transitive``."""

    subject: Node
    predicates: tuple[str, ...]
    object: Node
    is_transitive: bool = False

    @property
    def ends(self) -> tuple[Node, Node]:
        """Subject and object."""
        return self.subject, self.object

    def replace_end(self, old: Node, new: Node) -> TriplePattern:
        """Return the pattern with another node in the place of one."""
        subject, object_ = (new if end == old else end for end in self.ends)
        return replace(self, subject=subject, object=object_)


@dataclass(frozen=True, slots=True)
class FilterCondition:
    """A condition on a variable: how its values are read decides how they are compared.

    ``other_variable`` is a second variable to compare with instead of a constant; ``excluded_terms`` are terms that it
    must not be; ``label_predicates`` give the text of a vertex; ``mean_over`` is the pattern over which the mean of the
    variable is taken to compare with.
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
    """A group graph pattern: triple patterns, negated patterns, types, listed terms and filter conditions.

    ``languages`` restricts the tags of literals; ``type_predicates`` are the predicates that state classes. Where there
    are ``alternatives``, one of them holds; the ``optional`` patterns need not.
    """

    patterns: tuple[TriplePattern, ...] = ()
    negated: tuple[GraphPattern, ...] = ()
    types: tuple[tuple[str, tuple[str, ...]], ...] = ()
    values: tuple[tuple[str, tuple[Term, ...]], ...] = ()
    conditions: tuple[FilterCondition, ...] = ()
    languages: tuple[tuple[str, tuple[str, ...]], ...] = ()
    type_predicates: tuple[str, ...] = TYPE_PREDICATES
    alternatives: tuple[GraphPattern, ...] = ()
    optional: tuple[GraphPattern, ...] = ()

    @property
    def bodies(self) -> tuple[GraphPattern, ...]:
        """The patterns of which one holds: the alternatives, or the pattern itself."""
        return self.alternatives or (self,)

    def to_sparql(self) -> str:
        """Return the pattern as SPARQL."""
        return " ".join(self._parts(iter(range(1000))))

    def variables(self) -> tuple[str, ...]:
        """Return the variables that are bound by patterns, classes or listed terms, in order."""
        ends = (end for p in self.patterns for end in p.ends if isinstance(end, str))
        more = (variable for variable, _ in (*self.types, *self.values))
        bound = [alternative.variables() for alternative in self.alternatives]
        shared = (variable for variable in bound[0] if all(variable in each for each in bound)) if bound else ()
        optional = (variable for each in self.optional for variable in each.variables())
        return tuple(dict.fromkeys((*ends, *more, *shared, *optional)))

    def holding(self, value: str, target: str) -> GraphPattern:
        """Return what is said of the things that have a value, without what ties them to the target.

        Of "the locomotives in the biggest hall" it is that something is a hall and how big it is: the biggest hall is
        so whatever stands in it. It is the whole pattern if the target has the value, or something that no noun says.
        """
        neighbors = [frozenset(end for end in each.ends if isinstance(end, str)) for each in self.patterns]
        holders = frozenset().union(*(ends for ends in neighbors if value in ends)) - {value}
        is_named = holders <= {variable for variable, _ in self.types}
        if self.alternatives or len(holders) != 1 or target in holders | {value} or not is_named:
            return self
        measures = [at for at, ends in enumerate(neighbors) if value in ends]
        others = [at for at, ends in enumerate(neighbors) if at not in measures]
        ways = [at for at in others if holders <= neighbors[at] and target in _reach(neighbors, others, at, holders)]
        kept = sorted(set(range(len(neighbors))) - {*ways})
        reached = _reach(neighbors, kept, measures[0], frozenset())
        return replace(
            self,
            patterns=tuple(each for at, each in enumerate(self.patterns) if at in kept and neighbors[at] & reached),
            types=tuple(each for each in self.types if each[0] in reached),
            values=tuple(each for each in self.values if each[0] in reached),
            conditions=tuple(c for c in self.conditions if {c.variable, c.other_variable or c.variable} <= reached),
            negated=tuple(each for each in self.negated if not reached.isdisjoint(each.variables())),
            optional=tuple(each for each in self.optional if not reached.isdisjoint(each.variables())),
            languages=tuple(each for each in self.languages if each[0] in reached),
        )

    def _parts(self, marks: Iterator[int]) -> Iterator[str]:
        if self.alternatives:
            yield " UNION ".join(f"{{ {' '.join(body._parts(marks))} }}" for body in self.alternatives)
        for variable, terms in self.values:
            yield _write_values(variable, terms)
        for pattern in self.patterns:
            yield _write_pattern(pattern, marks)
        for variable, classes in self.types:
            yield _write_type(variable, write_path(self.type_predicates), classes, marks)
        for body in self.optional:
            yield f"OPTIONAL {{ {' '.join(body._parts(marks))} }}"
        for condition in self.conditions:
            yield _write_condition(condition, marks)
        for variable, languages in self.languages:
            tags = ", ".join(n3(Literal(tag)) for tag in languages)
            yield f"FILTER(LANG({variable}) IN ({tags}))"
        for body in self.negated:
            yield f"FILTER NOT EXISTS {{ {' '.join(body._parts(marks))} }}"


def _reach(
    neighbors: Sequence[frozenset[str]], allowed: Sequence[int], start: int, barred: frozenset[str]
) -> frozenset[str]:
    """Return the variables that are reached from one of some triple patterns through the others, not by barred ones."""
    reached, before = neighbors[start] - barred, frozenset[str]()
    while reached != before:
        before = reached
        reached |= frozenset().union(*(neighbors[at] for at in allowed if neighbors[at] & reached)) - barred
    return reached


def relax_pattern(pattern: GraphPattern) -> Iterator[GraphPattern]:
    """Yield the pattern without its negated patterns, and with a variable for each term that restricts the others.

    A term restricts the others if there are several terms and its variables are in patterns of others too.
    """
    for body in pattern.alternatives:
        yield from relax_pattern(body)
    if pattern.negated:
        yield replace(pattern, negated=())
    triples = pattern.patterns
    terms_in_order = dict.fromkeys(end for p in triples for end in p.ends if not isinstance(end, str))
    for terms in terms_in_order if len(terms_in_order) > 1 else ():
        own = [p for p in triples if terms in p.ends]
        others = {end for p in triples if p not in own for end in p.ends}
        if all(others.intersection(end for end in p.ends if isinstance(end, str)) for p in own):
            yield replace(pattern, patterns=tuple(p.replace_end(terms, "?anything") for p in triples))


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
    digits = f"{value:f}"
    return n3(Literal(digits, datatype=XSD.decimal if "." in digits else XSD.integer, normalize=False))


def write_operand(variable: str, reading: ValueReading) -> str:
    """Write a variable so that its values compare as what they are read as."""
    if isinstance(reading, TextReading):
        return f"({reading.expression.replace('?text', f'STR({variable})')})"
    if reading == "mixed date":
        return f"STR({variable})"  # dates of different datatypes have no order, but their lexical forms have one
    return _DECIMAL_CAST.format(variable) if reading == "text number" else variable


def write_guard(variable: str, reading: ValueReading) -> str:
    """Write the test that a value is readable in this way; empty if no test is needed.

    One unreadable value would be the greatest of all, or make an aggregate an error. The test does no arithmetic: an
    engine may do it on a value that the first half of the test has found unfit.
    """
    if isinstance(reading, TextReading):
        return f"REGEX(STR({variable}), {n3(Literal(reading.pattern))})"
    match reading:
        case "number" | "text number":
            is_finite = f"REGEX(STR({variable}), {n3(Literal(NUMBER_PATTERN))})"
            return f"isNumeric({write_operand(variable, reading)}) && {is_finite}"
        case "date":
            return f"REGEX(STR({variable}), {n3(Literal(DATE_PATTERN))})"
        case "mixed date":
            return f"!isNumeric({variable}) && REGEX(STR({variable}), {n3(Literal(DATE_PATTERN))})"
    return ""


def _write_values(variable: str, terms: tuple[Term, ...]) -> str:
    return f"VALUES {variable} {{ {' '.join(n3(term) for term in terms)} }}"


def _write_pattern(pattern: TriplePattern, marks: Iterator[int]) -> str:
    value_blocks, ends = [], []
    for end in pattern.ends:
        if isinstance(end, str):
            ends.append(end)
        elif len(end) == 1:
            ends.append(n3(end[0]))
        else:
            mark = f"?given{next(marks)}"
            value_blocks.append(_write_values(mark, end))
            ends.append(mark)
    path = write_path(pattern.predicates) + ("+" if pattern.is_transitive else "")
    return " ".join([*value_blocks, f"{ends[0]} {path} {ends[1]} ."])


def _write_type(variable: str, typing: str, classes: tuple[str, ...], marks: Iterator[int]) -> str:
    if len(classes) == 1:
        return f"{variable} {typing} {n3(URIRef(classes[0]))} ."
    mark = f"?class{next(marks)}"
    listed = _write_values(mark, tuple(URIRef(iri) for iri in classes[:MAX_CLASSES]))
    return f"{listed} {variable} {typing} {mark} ."


def _write_condition(condition: FilterCondition, marks: Iterator[int]) -> str:
    variable = condition.variable
    if condition.mean_over:
        return _write_mean_comparison(condition, condition.mean_over, marks)
    if condition.excluded_terms:
        return f"FILTER({variable} NOT IN ({', '.join(n3(term) for term in condition.excluded_terms)}))"
    if condition.other_variable:
        left, right = (write_operand(each, condition.reading) for each in (variable, condition.other_variable))
        return f"FILTER({left} {condition.operator} {right})"
    if condition.label_predicates:
        mark = f"?label{next(marks)}"
        comparison = _write_comparison(mark, condition)
        return f"FILTER EXISTS {{ {variable} {write_path(condition.label_predicates)} {mark} . FILTER({comparison}) }}"
    return f"FILTER({_write_comparison(variable, condition)})"


def _write_mean_comparison(condition: FilterCondition, over: GraphPattern, marks: Iterator[int]) -> str:
    """Write the mean as a subquery: only the variable of the mean is visible outside."""
    value, mean = write_operand(condition.variable, condition.reading), f"?mean{next(marks)}"
    readable = write_guard(condition.variable, condition.reading)
    guard = f" FILTER({readable})" if readable else ""
    rows = f"SELECT DISTINCT {' '.join(over.variables())} WHERE {{ {over.to_sparql()}{guard} }}"
    return f"{{ SELECT (AVG({value}) AS {mean}) WHERE {{ {{ {rows} }} }} }} FILTER({value} {condition.operator} {mean})"


def _write_comparison(variable: str, condition: FilterCondition) -> str:
    operator, value, reading = condition.operator, condition.value, condition.reading
    operand = write_operand(variable, reading)
    is_guarded = isinstance(reading, TextReading) or reading == "mixed date"
    guard = f"{write_guard(variable, reading)} && " if is_guarded else ""
    if reading in ("number", "text number", "duration"):
        return f"{guard}{operand} {operator} {write_number(value)}"
    if reading in ("date", "mixed date"):
        return guard + _write_date_comparison(operand if is_guarded else f"STR({variable})", operator, value)
    text, constant = f"LCASE(STR({variable}))", n3(Literal(value.casefold()))
    functions = {"contains": "CONTAINS", "starts": "STRSTARTS", "ends": "STRENDS"}
    return f"{functions[operator]}({text}, {constant})" if operator in functions else f"{text} {operator} {constant}"


def _write_date_comparison(text: str, operator: Operator, value: str) -> str:
    """Compare lexical forms; those of years before Christ have the reverse order of the years."""
    if not value.startswith("-") or operator in ("=", "!="):
        return f"SUBSTR({text}, 1, {len(value)}) {operator} {n3(Literal(value))}"
    is_before = f'STRSTARTS({text}, "-")'
    reverse = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}[operator]
    compared = f"SUBSTR({text}, 1, {len(value)}) {reverse} {n3(Literal(value))}"
    return f"({is_before} && {compared})" if operator in ("<", "<=") else f"(!{is_before} || {compared})"
