"""Mismatches of a query and the schema: terms that the KG does not have, and conditions that cannot be met."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.vocabulary import PredicateEntry
from chattyshared.literals import datatype_iri, parse_number, read_count
from chattyshared.profile import TYPE_PREDICATES
from chattyshared.sparql.analysis import PREFIX_DECLARATION, parse_algebra
from chattyshared.terms import is_writable, n3
from rdflib import Literal, URIRef, Variable
from rdflib.paths import InvPath, SequencePath
from rdflib.plugins.sparql.parserutils import CompValue

from chattykg.direct.schema_lines import kind_of_datatype
from chattykg.direct.schema_prompt import SchemaPrompt
from chattykg.linking.vocabulary_card_text import TEXT_DATATYPES

_COMPARED = frozenset(("=", "<", "<=", ">", ">="))
_EXTREMES, _TOTALS = frozenset(("Aggregate_Max", "Aggregate_Min")), frozenset(("Aggregate_Sum", "Aggregate_Avg"))
_CASES = {"Builtin_LCASE": str.lower, "Builtin_UCASE": str.upper}
MAX_CHECKED_IRIS = 20
_BUILT_IN = ("http://www.w3.org/2001/XMLSchema#", "http://www.w3.org/2005/xpath-functions")
_TEXTS = re.compile(r'"{3}.*?"{3}|\'{3}.*?\'{3}|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'', re.DOTALL)
_IRI = re.compile(r"<([A-Za-z][\w+.-]*:[^<>\"{}|^`\\\s]*)>")
_NAME = re.compile(r"(?<![\w?$@<:/])([A-Za-z][\w-]{0,99}|):([A-Za-z_0-9][\w-]*)")


@dataclass(frozen=True, slots=True)
class QueryConditions:
    """The triple patterns and comparisons of a query; ``negated`` are the triple patterns of NOT EXISTS and MINUS.

    ``ordered`` are the variables by whose values results are ordered, or whose highest or lowest value is taken;
    ``summed`` are those with a sum or an average; ``required`` are those that are bound outside of each OPTIONAL.
    """

    patterns: list[tuple[Any, Any, Any]] = field(default_factory=list)
    negated: list[tuple[Any, Any, Any]] = field(default_factory=list)
    comparisons: list[tuple[Any, str, Any]] = field(default_factory=list)
    ordered: list[Variable] = field(default_factory=list)
    summed: list[Variable] = field(default_factory=list)
    required: set[Variable] = field(default_factory=set)

    @classmethod
    def read(cls, sparql: str) -> QueryConditions:
        """Read a query; one that does not parse has no conditions."""
        conditions = cls()
        conditions._walk(parse_algebra(sparql))
        return conditions

    def texts(self) -> tuple[str, ...]:
        """Return the texts that something must be equal to, as patterns and comparisons state them."""
        literals = [pattern[2] for pattern in self.patterns]
        literals += [value for _, operator, value in self.comparisons if operator == "="]
        return tuple(dict.fromkeys(str(each) for each in literals if isinstance(each, Literal) and _is_text(each)))

    def _walk(self, node: Any, *, is_negated: bool = False, is_optional: bool = False) -> None:
        if isinstance(node, list):
            for part in node:
                self._walk(part, is_negated=is_negated, is_optional=is_optional)
        if not isinstance(node, CompValue):
            return
        if node.name in ("BGP", "TriplesBlock"):
            self._add_patterns(node["triples"], is_negated=is_negated, is_optional=is_optional)
        elif node.name == "RelationalExpression":
            self.comparisons.append((node["expr"], node["op"], node["other"]))
        elif node.name == "OrderCondition" and isinstance(node["expr"], Variable):
            self.ordered.append(node["expr"])
        elif node.name in _EXTREMES and isinstance(node["vars"], Variable):
            self.ordered.append(node["vars"])
        elif node.name in _TOTALS and isinstance(node["vars"], Variable):
            self.summed.append(node["vars"])
        for key, value in node.items():
            if key not in ("_vars", "triples"):
                below = is_negated or node.name == "Builtin_NOTEXISTS" or (node.name == "Minus" and key == "p2")
                optional = is_optional or (node.name == "LeftJoin" and key == "p2")
                self._walk(value, is_negated=below, is_optional=optional)

    def _add_patterns(self, triples: list[Any], *, is_negated: bool, is_optional: bool) -> None:
        # The parser gives the triples of a group within an expression as flat lists of three terms each.
        flat = [term for triple in triples for term in triple]
        patterns = [_turn_inverse(*flat[at : at + 3]) for at in range(0, len(flat) - 2, 3)]
        (self.negated if is_negated else self.patterns).extend(patterns)
        if not is_negated and not is_optional:
            self.required.update(term for pattern in patterns for term in pattern if isinstance(term, Variable))


def _turn_inverse(subject: Any, predicate: Any, end: Any) -> tuple[Any, Any, Any]:
    """Return a triple pattern of an inverse path the other way round, without the path."""
    return (end, predicate.arg, subject) if isinstance(predicate, InvPath) else (subject, predicate, end)


def find_mismatches(
    conditions: QueryConditions, schema_prompt: SchemaPrompt, kg: KnowledgeGraph, *, is_negated_only: bool = False
) -> tuple[str, ...]:
    """Return what no triple can fulfil in a query, or in its negated parts only, as sentences; without a request."""
    reader = _MismatchReader(schema_prompt, kg, conditions)
    sentences = [s for pattern in conditions.negated for s in reader.check_pattern(*pattern)]
    if not is_negated_only:
        sentences += [s for pattern in conditions.patterns for s in reader.check_pattern(*pattern)]
        sentences += [s for comparison in conditions.comparisons for s in reader.check_comparison(*comparison)]
        sentences += [s for variable in conditions.summed for s in reader.check_numbers(variable, "no numbers to add")]
        sentences += reader.check_joins()
    return tuple(dict.fromkeys(sentences))


def find_order_mismatches(
    conditions: QueryConditions, schema_prompt: SchemaPrompt, kg: KnowledgeGraph
) -> tuple[str, ...]:
    """Return why the order of a result, or its highest or lowest value, is not what it seems, as sentences."""
    reader = _MismatchReader(schema_prompt, kg, conditions)
    return tuple(dict.fromkeys(s for variable in conditions.ordered for s in reader.check_order(variable)))


class _MismatchReader:
    """Compares the conditions of one query with the schema."""

    def __init__(self, schema_prompt: SchemaPrompt, kg: KnowledgeGraph, conditions: QueryConditions) -> None:
        vocabulary = kg.vocabulary
        self._prompt, self._vocabulary, self._conditions = schema_prompt, vocabulary, conditions
        self._typing = frozenset((*TYPE_PREDICATES, *kg.profile.types))
        self._vertices = {vertex.iri: vertex for vertex in schema_prompt.vertices}
        self._values_of: Mapping[Variable, list[PredicateEntry]] = defaultdict(list)
        for _, predicate, end in (*conditions.patterns, *conditions.negated):
            entry = vocabulary.predicates.get(str(predicate)) if isinstance(predicate, URIRef) else None
            if entry is not None and isinstance(end, Variable):
                self._values_of[end].append(entry)

    def check_pattern(self, subject: Any, predicate: Any, end: Any) -> Iterator[str]:
        """Yield what is impossible in a triple pattern."""
        entry = self._vocabulary.predicates.get(str(predicate)) if isinstance(predicate, URIRef) else None
        if isinstance(subject, Variable):
            literal = next((e for e in self._values_of[subject] if e.object_kind == "literal"), None)
            if literal is not None:
                yield f"{self._holds(literal)}, of which nothing is stated."
        if entry is None or entry.iri in self._typing:
            return
        if isinstance(end, URIRef) and entry.object_kind == "literal":
            yield f"{self._holds(entry)}, not things: compare the text, not {self._term(end)}."
        elif isinstance(end, Literal) and entry.object_kind == "iri":
            yield f"{self._holds(entry)}, not texts: match their labels."
        elif isinstance(end, Literal) and entry.datatypes and not _may_be(end, entry):
            yield f"{self._holds(entry)}, which {end.n3()[:60]} never equals as a term: compare in a FILTER."
        if isinstance(subject, URIRef) and not self._is_of(subject, entry.domains):
            yield f"{self._name(entry)} is stated of {self._classes(entry.domains)}; {self._kind(subject)}."
        if isinstance(end, URIRef) and entry.object_kind == "iri" and not self._is_of(end, entry.ranges):
            yield f"{self._name(entry)} leads to {self._classes(entry.ranges)}; {self._kind(end)}."

    def check_joins(self) -> Iterator[str]:
        """Yield the variables that two triple patterns bind to things of classes without a common member."""
        classes_by_variable: dict[Any, dict[tuple[str, ...], str]] = defaultdict(dict)
        for pattern in self._conditions.patterns:
            for term, classes, description in self._classed_ends(*pattern):
                if isinstance(term, Variable) and classes:
                    classes_by_variable[term].setdefault(classes, description)
        for variable, descriptions in classes_by_variable.items():
            (first, description), *others = descriptions.items()
            other = next((o for o in others if not self._vocabulary.may_share_members(first, o[0])), None)
            if other is not None:
                yield f"{variable.n3()} cannot be {description} and {other[1]}."

    def _classed_ends(self, subject: Any, predicate: Any, end: Any) -> Iterator[tuple[Any, tuple[str, ...], str]]:
        """Yield the ends of a triple pattern with their possible classes, and what they are by it."""
        first = predicate.args[0] if isinstance(predicate, SequencePath) else predicate
        if str(first) in self._typing and isinstance(end, URIRef):
            yield subject, (str(end),), f"a {self._prompt.prefixed_name(str(end))}"
        entry = self._vocabulary.predicates.get(str(predicate)) if isinstance(predicate, URIRef) else None
        if entry is not None and str(predicate) not in self._typing:
            yield subject, entry.domains, f"what {self._name(entry)} is stated of ({self._classes(entry.domains)})"
            if entry.object_kind == "iri":
                yield end, entry.ranges, f"what {self._name(entry)} leads to ({self._classes(entry.ranges)})"

    def check_comparison(self, left: Any, operator: str, right: Any) -> Iterator[str]:
        """Yield why a comparison of a variable with a constant is never true, or compares texts as such."""
        if isinstance(left, CompValue) and left.name in _CASES and isinstance(right, Literal):
            if operator == "=" and _CASES[left.name](str(right)) != str(right):
                yield f"{right.n3()[:60]} must be written in the case that it is compared in."
        for entry in self._values_of.get(left, ()) if isinstance(left, Variable) and operator in _COMPARED else ():
            if isinstance(right, URIRef) and entry.object_kind == "literal":
                yield f"{self._holds(entry)}, not things: compare the text, not {self._term(right)}."
            elif isinstance(right, Literal) and entry.object_kind == "iri":
                yield f"{self._holds(entry)}, not texts: match their labels."
            elif isinstance(right, Literal) and entry.object_kind == "literal" and entry.datatypes:
                if not _may_compare(right, operator, entry):
                    yield f"{self._holds(entry)}: {right.n3()[:60]} needs the same type, or a cast."

    def check_numbers(self, variable: Variable, effect: str) -> Iterator[str]:
        """Yield the predicates that keep numbers as text where a variable has them; ``effect`` says what they are."""
        for entry in self._values_of.get(variable, ()):
            numbers = [parse_number(text) for text in (entry.example[1], *entry.values) if text]
            if TEXT_DATATYPES.issuperset(entry.datatypes) and any(number is not None for number in numbers):
                yield f"{self._holds(entry)}, which are {effect}: cast them with xsd:decimal."

    def check_order(self, variable: Variable) -> Iterator[str]:
        """Yield why the values of a variable are not in the order that is meant."""
        yield from self.check_numbers(variable, "in the order of texts")
        is_bound = variable in self._conditions.required or not self._values_of.get(variable)
        if not is_bound:
            yield f"{variable.n3()} is optional, and what has none comes first or last: require it."

    def _holds(self, entry: PredicateEntry) -> str:
        example = f' such as "{entry.example[1][:30]}"' if entry.example[1] else ""
        if entry.object_kind == "iri":
            return f"{self._name(entry)} leads to things{example}"
        types = ", ".join(map(self._prompt.prefixed_name, entry.datatypes[:2]))
        return f"{self._name(entry)} holds values{f' ({types})' if types else ''}{example}"

    def _name(self, entry: PredicateEntry) -> str:
        return self._prompt.prefixed_name(entry.iri)

    def _term(self, iri: URIRef) -> str:
        vertex = self._vertices.get(str(iri))
        return f"e:{vertex.number}" if vertex else self._prompt.prefixed_name(str(iri))

    def _classes(self, iris: tuple[str, ...]) -> str:
        return ", ".join(map(self._prompt.prefixed_name, iris[:3]))

    def _kind(self, iri: URIRef) -> str:
        return f"{self._term(iri)} is {self._vertices[str(iri)].kind or 'another thing'}"

    def _is_of(self, iri: URIRef, classes: tuple[str, ...]) -> bool:
        """Tell whether a thing may be of some classes; of what the question does not mention nothing is known."""
        vertex = self._vertices.get(str(iri))
        return vertex is None or self._vocabulary.may_share_members(vertex.types, classes)


def _is_text(literal: Literal) -> bool:
    return literal.datatype is None or str(literal.datatype) in TEXT_DATATYPES


def _may_be(literal: Literal, entry: PredicateEntry) -> bool:
    """Tell whether a term may be an object of a predicate, as a term."""
    has_language = not literal.language or not entry.languages or literal.language in entry.languages
    return datatype_iri(literal) in entry.datatypes and has_language


def _may_compare(literal: Literal, operator: str, entry: PredicateEntry) -> bool:
    """Tell whether a value may be compared with the values of a predicate: one kind of type, and as terms if equal."""
    kinds = {kind_of_datatype(datatype) for datatype in entry.datatypes}
    if kind_of_datatype(datatype_iri(literal)) not in kinds:
        return False
    is_plain = _is_text(literal) and operator == "="
    return not is_plain or _may_be(literal, entry)


def unknown_terms(sparql: str, schema_prompt: SchemaPrompt, kg: KnowledgeGraph) -> tuple[str, ...]:
    """Return the IRIs (and undeclared names) in a query that were not shown and stand nowhere in the KG.

    At most one request, and none where the query uses only what was shown.

    Raises:
        EndpointError: the KG cannot be asked.
    """
    known = (
        {vertex.iri for vertex in schema_prompt.vertices} | set(kg.vocabulary.predicates) | set(kg.vocabulary.classes)
    )
    known.update(kg.profile.types)
    iris, undeclared = _iris_and_undeclared(sparql)
    unstated = [iri for iri in iris if iri not in known and not iri.startswith(_BUILT_IN)][:MAX_CHECKED_IRIS]
    checkable = [(index, iri) for index, iri in enumerate(unstated) if is_writable(iri)]
    if checkable:
        branches = " UNION ".join(_exists_pattern(iri, index) for index, iri in checkable)
        stated = {read_count(row["at"]) for row in kg.endpoint.select(f"SELECT DISTINCT ?at WHERE {{ {branches} }}")}
        unstated = [iri for index, iri in enumerate(unstated) if index not in stated]
    return (*undeclared, *unstated)


def named_iris(sparql: str) -> tuple[str, ...]:
    """Return the IRIs of a query, those of prefixed names in full."""
    return _iris_and_undeclared(sparql)[0]


def _exists_pattern(iri: str, index: int) -> str:
    term = n3(URIRef(iri))
    patterns = f"{{ {term} ?p ?o }} UNION {{ ?o {term} ?p }} UNION {{ ?o ?p {term} }}"
    return f"{{ SELECT ({index} AS ?at) WHERE {{ {patterns} }} LIMIT 1 }}"


def _iris_and_undeclared(sparql: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the IRIs of a query, and its names with an undeclared prefix, each once."""
    text = _TEXTS.sub(" ", sparql)
    prefixes = dict(PREFIX_DECLARATION.findall(text))
    body = PREFIX_DECLARATION.sub(" ", text)
    iris, undeclared = dict.fromkeys(_IRI.findall(body)), dict[str, None]()
    for prefix, local in _NAME.findall(_IRI.sub(" ", body)):
        if prefix in prefixes:
            iris[prefixes[prefix] + local] = None
        else:
            undeclared[f"{prefix}:{local}"] = None
    return tuple(iris), tuple(undeclared)
