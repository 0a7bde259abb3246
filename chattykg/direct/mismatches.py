"""Mismatches of a query and the schema, and doubts about its result: what no triple can fulfil, and what may be right
all the same.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from chattyshared.check import Problem
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.vocabulary import PredicateEntry
from chattyshared.literals import datatype_iri, parse_number, read_count
from chattyshared.profile import TYPE_PREDICATES
from chattyshared.sparql.algebra import QueryGroup, SelectQuery, TripleEdge, read_query
from chattyshared.sparql.analysis import PREFIX_DECLARATION, iterate_nodes
from chattyshared.terms import is_writable, n3
from rdflib import Literal, URIRef, Variable
from rdflib.paths import InvPath, SequencePath
from rdflib.plugins.sparql.parserutils import CompValue

from chattykg.direct.outcome import QueryOutcome
from chattykg.direct.schema_lines import kind_of_datatype
from chattykg.direct.schema_prompt import SchemaPrompt
from chattykg.linking.coverage import texts_outside_query
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.linking.vocabulary_card_text import TEXT_DATATYPES

_COMPARED = frozenset(("=", "<", "<=", ">", ">="))
_EXTREMES, _TOTALS = frozenset(("Aggregate_Max", "Aggregate_Min")), frozenset(("Aggregate_Sum", "Aggregate_Avg"))
_CASES = {"Builtin_LCASE": str.lower, "Builtin_UCASE": str.upper}
MAX_CHECKED_IRIS = 20
MAX_REASONS = 3
"""Sentences that tell why a result is doubted."""
MAX_TEXTS = 4
"""Texts of a query that are searched in the graph."""
_ADVICE = "If the query is right all the same, send it again."
_BUILT_IN = ("http://www.w3.org/2001/XMLSchema#", "http://www.w3.org/2005/xpath-functions")
_TEXTS = re.compile(r'"{3}.*?"{3}|\'{3}.*?\'{3}|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'', re.DOTALL)
_IRI = re.compile(r"<([A-Za-z][\w+.-]*:[^<>\"{}|^`\\\s]*)>")
_NAME = re.compile(r"(?<![\w?$@<:/])([A-Za-z][\w-]{0,99}|):([A-Za-z_0-9][\w-]*)")


class QueryCheck:
    """Compares the conditions of one query with the schema, without a request; what does not parse has no conditions.

    ``patterns`` are the triple patterns that hold, ``negated`` those of NOT EXISTS and MINUS, both without inverse
    paths; ``comparisons`` are pairs of operands with their operator. Of the variables, results are ``ordered`` by some,
    or have their highest or lowest value, and some are ``summed``.
    """

    def __init__(self, sparql: str, schema_prompt: SchemaPrompt, kg: KnowledgeGraph) -> None:
        self._prompt, self._kg, self._vocabulary = schema_prompt, kg, kg.vocabulary
        self._typing = frozenset((*TYPE_PREDICATES, *kg.profile.types))
        self._vertices = {vertex.iri: vertex for vertex in schema_prompt.vertices}
        whole = read_query(sparql) or SelectQuery(QueryGroup())
        groups = tuple(whole.group.parts())
        selects = (whole, *(sub for group in groups for sub in group.subqueries))
        denied = tuple(part for group in groups for negated in group.negated for part in negated.parts())
        self.patterns, self.negated = _patterns_of(groups), _patterns_of(denied)
        required = _patterns_of(whole.group.parts(with_optional=False))
        self._required = {term for edge in required for term in edge.ends}
        expressions = [each for group in (*groups, *denied) for each in group.filters]
        expressions += [each for select in selects for each in select.computed.values()]
        nodes = list(iterate_nodes(expressions))
        self.comparisons = [(n.expr, n.op, n.other) for n in nodes if n.name == "RelationalExpression"]
        self.ordered = [by for select in selects for by, _ in select.order if isinstance(by, Variable)]
        self.ordered += [n.vars for n in nodes if n.name in _EXTREMES and isinstance(n.vars, Variable)]
        self.summed = [n.vars for n in nodes if n.name in _TOTALS and isinstance(n.vars, Variable)]
        self._values_of: Mapping[Any, list[PredicateEntry]] = defaultdict(list)
        for edge in (*self.patterns, *self.negated):
            if (entry := self._entry(edge)) is not None and isinstance(edge.object, Variable):
                self._values_of[edge.object].append(entry)

    def texts(self) -> tuple[str, ...]:
        """Return the texts that something must be equal to, as patterns and comparisons state them."""
        literals = [edge.object for edge in self.patterns]
        literals += [value for _, operator, value in self.comparisons if operator == "="]
        return tuple(dict.fromkeys(str(each) for each in literals if isinstance(each, Literal) and _is_text(each)))

    def mismatches(self, *, is_negated_only: bool = False) -> tuple[str, ...]:
        """Return what no triple can fulfil in the query, or in its negated parts only, as sentences."""
        sentences = [s for edge in self.negated for s in self._check_pattern(edge)]
        if not is_negated_only:
            sentences += [s for edge in self.patterns for s in self._check_pattern(edge)]
            sentences += [s for comparison in self.comparisons for s in self._check_comparison(*comparison)]
            sentences += [s for variable in self.summed for s in self._check_numbers(variable, "no numbers to add")]
            sentences += self._check_joins()
        return tuple(dict.fromkeys(sentences))

    def order_mismatches(self) -> tuple[str, ...]:
        """Return why the order of a result, or its highest or lowest value, is not what it seems, as sentences."""
        return tuple(dict.fromkeys(s for variable in self.ordered for s in self._check_order(variable)))

    def unmatched_texts(self) -> tuple[str, ...]:
        """Return a sentence for each text of the query that stands nowhere in the graph, or under other predicates; one
        request.

        Raises:
            EndpointError: the KG could not be asked.
        """
        texts = [text for text in self.texts() if parse_number(text) is None][:MAX_TEXTS]  # a number has no spelling
        used = {str(edge.predicate) for edge in self.patterns}
        sentences = []
        for text, hits in self._kg.search_literals(texts, limit=MAX_REASONS, whole_only=True).items() if texts else ():
            predicates = dict.fromkeys(iri for hit in hits for iri in hit.predicates)
            if not predicates:
                sentences.append(f'No text of the graph is "{text[:60]}".')
            elif used.isdisjoint(predicates):
                names = ", ".join(map(self._prompt.prefixed_name, list(predicates)[:MAX_REASONS]))
                sentences.append(f'The text "{text[:60]}" stands under {names}.')
        return tuple(sentences)

    def _entry(self, edge: TripleEdge) -> PredicateEntry | None:
        return self._vocabulary.predicates.get(str(edge.predicate)) if isinstance(edge.predicate, URIRef) else None

    def _check_pattern(self, edge: TripleEdge) -> Iterator[str]:
        """Yield what is impossible in a triple pattern."""
        subject, end, entry = edge.subject, edge.object, self._entry(edge)
        if isinstance(subject, Variable):
            literal = next((e for e in self._values_of.get(subject, ()) if e.object_kind == "literal"), None)
            if literal is not None:
                yield f"{self._holds(literal)}, of which nothing is stated."
        if entry is None or entry.iri in self._typing:
            return
        yield from self._check_kind(entry, end)
        if isinstance(end, Literal) and entry.object_kind != "iri" and entry.datatypes and not _may_be(end, entry):
            yield f"{self._holds(entry)}, which {end.n3()[:60]} never equals as a term: compare in a FILTER."
        if isinstance(subject, URIRef) and not self._is_of(subject, entry.domains):
            yield f"{self._name(entry)} is stated of {self._classes(entry.domains)}; {self._kind(subject)}."
        if isinstance(end, URIRef) and entry.object_kind == "iri" and not self._is_of(end, entry.ranges):
            yield f"{self._name(entry)} leads to {self._classes(entry.ranges)}; {self._kind(end)}."

    def _check_kind(self, entry: PredicateEntry, end: Any) -> Iterator[str]:
        """Yield that a thing stands where a predicate has texts, or a text where it has things."""
        if isinstance(end, URIRef) and entry.object_kind == "literal":
            yield f"{self._holds(entry)}, not things: compare the text, not {self._term(end)}."
        elif isinstance(end, Literal) and entry.object_kind == "iri":
            yield f"{self._holds(entry)}, not texts: match their labels."

    def _check_joins(self) -> Iterator[str]:
        """Yield the variables that two triple patterns bind to things of classes without a common member."""
        classes_by_variable: dict[Any, dict[tuple[str, ...], str]] = defaultdict(dict)
        for edge in self.patterns:
            for term, classes, description in self._classed_ends(edge):
                if isinstance(term, Variable) and classes:
                    classes_by_variable[term].setdefault(classes, description)
        for variable, descriptions in classes_by_variable.items():
            (first, description), *others = descriptions.items()
            other = next((o for o in others if not self._vocabulary.may_share_members(first, o[0])), None)
            if other is not None:
                yield f"{variable.n3()} cannot be {description} and {other[1]}."

    def _classed_ends(self, edge: TripleEdge) -> Iterator[tuple[Any, tuple[str, ...], str]]:
        """Yield the ends of a triple pattern with their possible classes, and what they are by it."""
        first = edge.predicate.args[0] if isinstance(edge.predicate, SequencePath) else edge.predicate
        if str(first) in self._typing and isinstance(edge.object, URIRef):
            yield edge.subject, (str(edge.object),), f"a {self._prompt.prefixed_name(str(edge.object))}"
        entry = self._entry(edge)
        if entry is not None and entry.iri not in self._typing:
            yield edge.subject, entry.domains, f"what {self._name(entry)} is stated of ({self._classes(entry.domains)})"
            if entry.object_kind == "iri":
                yield edge.object, entry.ranges, f"what {self._name(entry)} leads to ({self._classes(entry.ranges)})"

    def _check_comparison(self, left: Any, operator: str, right: Any) -> Iterator[str]:
        """Yield why a comparison of a variable with a constant is never true, or compares texts as such."""
        if isinstance(left, CompValue) and left.name in _CASES and isinstance(right, Literal):
            if operator == "=" and _CASES[left.name](str(right)) != str(right):
                yield f"{right.n3()[:60]} must be written in the case that it is compared in."
        for entry in self._values_of.get(left, ()) if isinstance(left, Variable) and operator in _COMPARED else ():
            yield from self._check_kind(entry, right)
            if isinstance(right, Literal) and entry.object_kind == "literal" and entry.datatypes:
                if not _may_compare(right, operator, entry):
                    yield f"{self._holds(entry)}: {right.n3()[:60]} needs the same type, or a cast."

    def _check_numbers(self, variable: Variable, effect: str) -> Iterator[str]:
        """Yield the predicates that keep numbers as text where a variable has them; ``effect`` says what they are."""
        for entry in self._values_of.get(variable, ()):
            numbers = [parse_number(text) for text in (entry.example[1], *entry.values) if text]
            if TEXT_DATATYPES.issuperset(entry.datatypes) and any(number is not None for number in numbers):
                yield f"{self._holds(entry)}, which are {effect}: cast them with xsd:decimal."

    def _check_order(self, variable: Variable) -> Iterator[str]:
        """Yield why the values of a variable are not in the order that is meant."""
        yield from self._check_numbers(variable, "in the order of texts")
        if variable not in self._required and self._values_of.get(variable):
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
        return self._prompt.query_name(str(iri))

    def _classes(self, iris: tuple[str, ...]) -> str:
        return ", ".join(map(self._prompt.prefixed_name, iris[:3]))

    def _kind(self, iri: URIRef) -> str:
        return f"{self._term(iri)} is {self._vertices[str(iri)].kind or 'another thing'}"

    def _is_of(self, iri: URIRef, classes: tuple[str, ...]) -> bool:
        """Tell whether a thing may be of some classes; of what the question does not mention nothing is known."""
        vertex = self._vertices.get(str(iri))
        return vertex is None or self._vocabulary.may_share_members(vertex.types, classes)


def _patterns_of(groups: Iterable[QueryGroup]) -> list[TripleEdge]:
    """Return the triple patterns of groups, each as often as it stands there, those of inverse paths turned."""
    edges = (edge for group in groups for edge in group.edges)
    return [TripleEdge(e.object, e.predicate.arg, e.subject) if isinstance(e.predicate, InvPath) else e for e in edges]


def _is_text(literal: Literal) -> bool:
    return literal.datatype is None or str(literal.datatype) in TEXT_DATATYPES


def _may_be(literal: Literal, entry: PredicateEntry) -> bool:
    """Tell whether a term may be an object of a predicate, as a term."""
    has_language = not literal.language or not entry.languages or literal.language in entry.languages
    return datatype_iri(literal) in entry.datatypes and has_language


def _may_compare(literal: Literal, operator: str, entry: PredicateEntry) -> bool:
    """Tell whether a value may be compared with the values of a predicate: one kind of type, and as terms if equal."""
    if kind_of_datatype(datatype_iri(literal)) not in {kind_of_datatype(datatype) for datatype in entry.datatypes}:
        return False
    return not (_is_text(literal) and operator == "=") or _may_be(literal, entry)


# ------------------------------------------------------------------------------------------------------------- doubts
def find_doubt(
    outcome: QueryOutcome, question: str, card: VocabularyCard, schema_prompt: SchemaPrompt, kg: KnowledgeGraph
) -> Problem | None:
    """Return what is suspicious about a result, None if nothing is; at most one request.

    Raises:
        EndpointError: the KG could not be asked.
    """
    iris = named_iris(outcome.sparql)
    named = " ".join((outcome.sparql, *iris, *(each.label for each in schema_prompt.vertices if each.iri in iris)))
    if missing := texts_outside_query(question, card, named, outcome.unused):
        advice = 'express it, or list it in "unused"'
        return Problem("unused", f"The query does not express {', '.join(missing[:4])} of the question: {advice}.")
    if outcome.shape != "table" and len(outcome.columns) > 1:
        reason = f"The shape is {outcome.shape}, but the query gives several columns: {outcome.render_first_row()}."
        return Problem("shape", f"{reason} Select the answer itself and nothing else, or say table.")
    if outcome.is_nameless:
        return Problem("shape", "The query gives blank nodes only: select what is stated of them, a label or a value.")
    if outcome.is_negative:
        given = "The answer is no" if outcome.truth is False else "The answer is 0"
        said, reasons = (
            f"{given}, perhaps because the query cannot match",
            explain_mismatches(outcome.sparql, schema_prompt, kg),
        )
    else:
        check = QueryCheck(outcome.sparql, schema_prompt, kg)
        said = "The query may not do what it seems to"
        reasons = _join((*check.mismatches(is_negated_only=True), *check.order_mismatches()))
    return Problem("mismatch", f"{said}: {reasons} {_ADVICE}") if reasons else None


def explain_mismatches(
    sparql: str, schema_prompt: SchemaPrompt, kg: KnowledgeGraph, *, is_schema_only: bool = False
) -> str:
    """Return why a query cannot match anything, by the schema and by the texts in the graph; "" if nothing tells.

    Raises:
        EndpointError: the KG could not be asked.
    """
    check = QueryCheck(sparql, schema_prompt, kg)
    return _join(check.mismatches() or (() if is_schema_only else check.unmatched_texts()))


def _join(sentences: Iterable[str]) -> str:
    return " ".join([*sentences][:MAX_REASONS])


# -------------------------------------------------------------------------------------------------------------- names
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
