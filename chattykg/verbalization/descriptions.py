"""Descriptions of what a group of conditions tells of its terms, in the rows of a language."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.vocabulary import PredicateEntry
from chattyshared.language.inflection import add_indefinite_article, pluralize
from chattyshared.language.languages import QuestionLanguage
from chattyshared.language.lexicon import load_lexicon
from chattyshared.literals import is_date
from chattyshared.profile import SUBCLASS_PREDICATES, TYPE_PREDICATES
from chattyshared.sparql.algebra import (
    Expression,
    QueryGroup,
    TripleEdge,
    is_open,
    split_edge,
    variables_of,
)
from chattyshared.sparql.analysis import path_iris
from chattyshared.terms import has_opaque_name, iri_to_words, local_name
from chattyshared.text import join_texts
from rdflib import URIRef, Variable
from rdflib.paths import AlternativePath, MulPath
from rdflib.plugins.sparql.parserutils import CompValue

from chattykg.query.graph_patterns import DATE_PATTERN, NUMBER_PATTERN
from chattykg.query.solution_modifiers import YEAR_OF_DATE

_FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_TEXT_FUNCTIONS = {"Builtin_CONTAINS": "contains", "Builtin_STRSTARTS": "starts", "Builtin_STRENDS": "ends"}
_TYPE_PATTERNS = (DATE_PATTERN, NUMBER_PATTERN)
_DATE_TYPES = ("date", "dateTime", "gYear", "gYearMonth")


class NoPhraseError(ValueError):
    """No true phrase is known for a part of a query."""


@dataclass(frozen=True, slots=True)
class QueryNames:
    """What the terms of a query are called, and the rows of a language."""

    kg: KnowledgeGraph
    labels: Mapping[str, str]
    language: QuestionLanguage

    @property
    def rows(self) -> Mapping[str, Any]:
        """The phrases of the language."""
        return load_lexicon("query_phrases", self.language.name)

    def say(self, key: str, table: str = "", *, is_plural: bool = False, **slots: str) -> str:
        """Return a row with its slots filled; of a pair the one for several things, if it ``is_plural``."""
        row = (self.rows[table] if table else self.rows)[key]
        row = row if isinstance(row, str) else row[is_plural]
        for slot in ("noun", "label"):
            if slot in slots and f"{{a_{slot}}}" in row:
                slots[f"a_{slot}"] = add_indefinite_article(slots[slot])
            if slot in slots and f"{{{slot}s}}" in row:
                slots[f"{slot}s"] = pluralize(slots[slot])
        if "{base}" in row:
            verb, _, rest = slots["label"].partition(" ")
            slots["base"] = f"{self.language.morphology.lemma_of(verb)} {rest}"
        return row.format_map(slots)

    def join(self, texts: Sequence[str], conjunction: str = "and") -> str:
        """Return different texts as a list in a sentence."""
        return join_texts(dict.fromkeys(texts), self.rows[conjunction])

    def term(self, term: Any) -> str:
        """Return the label of an IRI, or the text of a literal, on one line."""
        if not isinstance(term, URIRef):
            return " ".join(str(term).split())
        label = self.labels.get(str(term)) or iri_to_words(str(term))
        if label != local_name(term) or not has_opaque_name(term):
            return label
        entries = (each for iri, each in self.kg.vocabulary.predicates.items() if local_name(iri) == label)
        return next((each.label for each in entries if each.label != label), label)

    def predicate(self, predicate: Any) -> str:
        """Return the label of a predicate, of several ones, or of a path over any number of its steps.

        Raises:
            NoPhraseError: it is a variable or another path.
        """
        if isinstance(predicate, AlternativePath):
            return self.join([self.predicate(step) for step in predicate.args], "or")
        if isinstance(predicate, MulPath) and str(predicate.mod) == "+":
            return self.say("transitive", label=self.predicate(predicate.path))
        if not isinstance(predicate, URIRef):
            raise NoPhraseError("a predicate that is not named")
        return self.term(predicate).removeprefix("has ")

    def kind(self, predicate: Any) -> str:
        """Tell whether a predicate reads as a finite verb, as a verb behind "is", or as a noun."""
        label = self.predicate(predicate.path if isinstance(predicate, MulPath) else predicate)
        for kind, patterns in (("finite", "finite_verbs"), ("verb", "verbs")):
            if any(re.fullmatch(pattern, label) for pattern in self.rows[patterns]):
                return kind
        return "noun"

    def entry(self, predicate: Any) -> PredicateEntry | None:
        """Return the entry of a predicate; None for paths and for predicates that the graph does not have."""
        return self.kg.vocabulary.predicates.get(str(predicate)) if isinstance(predicate, URIRef) else None

    def is_type(self, predicate: Any) -> bool:
        """Tell whether a predicate or path states a class."""
        profile, iris = self.kg.profile, frozenset(map(str, path_iris(predicate)))
        types = {*TYPE_PREDICATES, *profile.types}
        return bool(iris & types) and iris <= {*types, *SUBCLASS_PREDICATES, *profile.subclasses}

    def widest_class(self, iris: frozenset[str]) -> str:
        """Return the label of the class that is above all the others; "" if there is none."""
        vocabulary = self.kg.vocabulary
        widest = [iri for iri in sorted(iris) if iris <= vocabulary.subclasses(iri)]
        return vocabulary.classes[widest[0]].label if widest and widest[0] in vocabulary.classes else ""


@dataclass(slots=True)
class PatternDescriber:
    """Says what a group tells of its terms; each part is said once, and ``check_all_said`` tells that none is left.

    ``measured`` are values of which a filter may test the type; ``texts`` are those of the terms that were introduced.
    """

    words: QueryNames
    measured: Sequence[Variable] = ()
    texts: dict[Any, str] = field(default_factory=dict)
    edges: list[TripleEdge] = field(default_factory=list)
    stated: tuple[TripleEdge, ...] = ()
    kinds: dict[Any, list[str]] = field(default_factory=dict)
    given: dict[Any, list[str]] = field(default_factory=dict)
    conditions: dict[Any, list[tuple[str, Sequence[Any], bool]]] = field(default_factory=dict)

    def read(self, group: QueryGroup) -> PatternDescriber:
        """Take in a group.

        Raises:
            NoPhraseError: it has parts beside triple patterns, values and conditions.
        """
        is_nested = group.unread or group.unions or group.subqueries or group.negated
        if is_nested or any(len(row) != 1 for table in group.values for row in table):
            raise NoPhraseError("more than one group, or values of several variables")
        listed = {name: frozenset(str(each[name]) for each in t) for t in group.values for name in t[0]}
        self.given |= {name: [self.words.term(each[name]) for each in t] for t in group.values for name in t[0]}
        for edge in group.edges:
            if self.words.is_type(edge.predicate) and (edge.object in self.given or not is_open(edge.object)):
                names = self.given.pop(edge.object, None) or [self.words.term(edge.object)]
                kind = self.words.widest_class(listed.get(edge.object, frozenset())) or self.words.join(names, "or")
                self.kinds.setdefault(edge.subject, []).append(kind)
            else:
                self.edges.extend(split_edge(edge))
        self.stated = tuple(self.edges)
        tested = {variable for each in group.filters for variable in self._read_filter(each)}
        if not tested <= {*self.conditions, *self.measured, *variables_of(list(self.conditions.values()))}:
            raise NoPhraseError("a test of a type")
        return self

    def _read_filter(self, expression: Expression) -> Iterator[Variable]:
        """Read a condition on a variable, or yield that of which only the type is tested."""
        inner = expression.expr if name_of(expression) == "UnaryNot" else expression
        is_pattern = name_of(inner) == "Builtin_REGEX" and str(inner.pattern) in _TYPE_PATTERNS
        if is_pattern or name_of(inner) == "Builtin_isNUMERIC":
            yield unwrap(inner.text if is_pattern else inner.arg)[0]
            return
        variable, operator, operands, is_period = _read_condition(expression)
        self.conditions.setdefault(variable, []).append((operator, operands, is_period))

    # what a term is called

    def noun(self, term: Any) -> str:
        """Return the label of the class of a term, as the pattern or the data state it; else "thing"."""
        if self.kinds.get(term):
            return self.kinds[term][0]
        edges = [each for each in self.stated if term in each.ends]
        ends = [(self.words.entry(edge.predicate), edge.subject == term) for edge in edges]
        found = [frozenset(entry.domains if is_subject else entry.ranges) for entry, is_subject in ends if entry]
        shared = frozenset.intersection(*found) if found else frozenset()
        return self.words.widest_class(shared & self.words.kg.vocabulary.classes.keys()) or str(
            self.words.rows["thing"]
        )

    def value_noun(self, term: Any) -> str:
        """Return the noun by which a term is referred to: its class, else the property that it is."""
        noun = self.noun(term)
        labels = (self.words.predicate(edge.predicate) for edge in self.stated if edge.object == term)
        return noun if noun != self.words.rows["thing"] else next(labels, noun)

    def introduce(self, term: Any, noun: str) -> None:
        """Let a term be known by a noun from now on."""
        self.texts[term] = self.words.say("same", noun=noun)

    def is_known(self, term: Any) -> bool:
        """Tell whether a term has a name or is introduced."""
        return not is_open(term) or term in self.texts or term in self.given

    def reference(self, term: Any, quantity: str = "some") -> str:
        """Return the text of a term within a sentence: its name, what introduced it, or its description."""
        if not is_open(term):
            return self.words.term(term)
        if term in self.texts:
            if [*self.texts.values()].count(self.texts[term]) > 1:
                raise NoPhraseError("two things of one name")
            return self.texts[term]
        if term in self.given:
            return self.words.join(self.given.pop(term), "or")
        return self.described(term, quantity)

    def described(self, term: Any, quantity: str, *, is_plural: bool = False) -> str:
        """Return a term as a property of something ("date of birth of X"), else as a noun with its clauses."""
        if text := self.property_of(term, quantity=quantity):
            return self.words.say("the", phrase=text)
        noun = self.noun(term)
        key = f"{quantity}_thing" if noun == self.words.rows["thing"] and quantity != "count" else quantity
        return self.words.say(key, noun=noun, clauses=self.clauses(term, is_plural=is_plural))

    def sole_edge(self, term: Any) -> TripleEdge | None:
        """Return the edge of which a term is the value, if the pattern says nothing else of it."""
        edges = [edge for edge in self.edges if term in edge.ends]
        is_more = term in self.given or term in self.conditions or len(edges) != 1
        if is_more or edges[0].object != term or edges[0].subject == term:
            return None
        entry = self.words.entry(edges[0].predicate)
        ranges = {self.words.kg.vocabulary.classes[iri].label for iri in entry.ranges} if entry else set[str]()
        return edges[0] if ranges.issuperset(self.kinds.get(term, ())) else None

    def property_of(self, term: Any, key: str = "asked", quantity: str = "every") -> str:
        """Return a term as a property of something ("date of birth of X"); "" if the pattern says more of it."""
        edge = self.sole_edge(term)
        if edge is None or self.words.kind(edge.predicate) != "noun":
            return ""
        label, rank = self.take_property(term, edge.subject), self.rank(term, is_highest=key == "max")
        self.introduce(term, label)
        return self.words.say(key, "property", label=label, rank=rank, owner=self.reference(edge.subject, quantity))

    def take_property(self, term: Any, owner: Any) -> str:
        """Return the label of the property that a term is of its owner.

        Raises:
            NoPhraseError: it is none, or the pattern says more of it.
        """
        edge = self.sole_edge(term)
        if edge is None or edge.subject != owner:
            raise NoPhraseError("a value of another thing")
        self.edges.remove(edge)
        self.kinds.pop(term, None)
        return self.words.predicate(edge.predicate)

    def rank(self, term: Any, *, is_highest: bool) -> str:
        """Return the word for the first value in an order."""
        keys = ("latest", "earliest") if self.is_date(term) else ("max", "min")
        return str(self.words.rows["rank"][keys[0] if is_highest else keys[1]])

    def is_date(self, variable: Any) -> bool:
        """Tell whether the values of a variable are dates."""
        entries = [self.words.entry(edge.predicate) for edge in self.stated if edge.object == variable]
        types = {iri.rpartition("#")[2] for entry in entries if entry for iri in entry.datatypes}
        return bool(types) and types.issubset(_DATE_TYPES)

    # clauses

    def clauses(self, term: Any, *, is_plural: bool = False) -> str:
        """Return all that is left to say of a term as relative clauses; the term is introduced from now on."""
        self.introduce(term, self.value_noun(term))
        kinds = self.kinds.pop(term, [])[1:]
        texts = [self.words.say("class", "clause", noun=noun, is_plural=is_plural) for noun in kinds]
        while edge := next((each for each in self.edges if term in each.ends), None):
            texts.append(self.clause(edge, term, is_plural=is_plural))
        texts += [self.words.say("value", "clause", value=each, is_plural=is_plural) for each in self.compared(term)]
        if term in self.given:
            texts.append(self.words.say("among", "clause", value=self.words.join(self.given.pop(term))))
        listed = f" {self.words.rows['and']} ".join(dict.fromkeys(texts))
        return self.words.say("clauses", clauses=listed) if listed else ""

    def clause(self, edge: TripleEdge, term: Any, *, is_plural: bool = False) -> str:
        """Return an edge as a relative clause of one of its ends."""
        if edge.subject == edge.object:
            raise NoPhraseError("a thing that is related to itself")
        self.edges.remove(edge)
        other, is_inward = edge.subject if edge.object == term else edge.object, edge.object == term
        if self.words.is_type(edge.predicate):
            return self.words.say("class", "clause", noun=self.words.term(other), is_plural=is_plural)
        kind, slots = self.words.kind(edge.predicate), {"label": self.words.predicate(edge.predicate)}
        if is_inward:
            entry = self.words.entry(edge.predicate)
            role = self.words.say("only" if entry is not None and entry.is_functional else "any", label=slots["label"])
            slots |= {"role": role, "owner": self.reference(other)}
            return self.words.say(f"{kind}_of", "clause", is_plural=is_plural, **slots)
        value = self.value(other, is_noun=kind == "noun")
        return self.words.say(kind if value else "has", "clause", value=value, is_plural=is_plural, **slots)

    def value(self, term: Any, *, is_noun: bool) -> str:
        """Return what the value of a property is; "" if nothing is known of it, and its label ``is_noun``."""
        if self.is_known(term) or self.kinds.get(term) or any(term in each.ends for each in self.edges):
            return self.reference(term)
        clauses = self.compared(term)
        self.clauses(term)
        return self.words.join(clauses) or ("" if is_noun else self.words.say("some_thing", clauses=""))

    def compared(self, term: Any) -> list[str]:
        """Return the conditions on a term in words ("at most 3", "before 2010"), and remove them."""
        texts = []
        for operator, operands, is_period in self.conditions.pop(term, []):
            is_moment = is_period or self.is_date(term) or any(map(is_date, operands))
            table = "text" if operator in self.words.rows["text"] else "date" if is_moment else "number"
            value = self.words.join([self.reference(each) for each in operands], "or")
            texts.append(self.words.say(operator, table, value=value))
        return texts

    # statements

    def facts(self) -> list[str]:
        """Return all that the group says as main clauses."""
        texts = []
        while self.edges or self.kinds:
            known = [each for each in self.edges if self.is_known(each.subject)]
            if edge := min(known, key=lambda each: each.object not in self.conditions, default=None):
                self.edges.remove(edge)
                texts.append(self.fact(edge))
            elif open_ := [term for term in (*(each.subject for each in self.edges), *self.kinds) if is_open(term)]:
                texts.append(self.words.say("exists", phrase=self.described(open_[0], "some")))
            else:
                term, nouns = self.kinds.popitem()
                texts += [self.words.say("class", "fact", subject=self.words.term(term), noun=noun) for noun in nouns]
        self.check_all_said()
        return texts

    def fact(self, edge: TripleEdge) -> str:
        """Return an edge as a main clause."""
        kind, label = self.words.kind(edge.predicate), self.words.predicate(edge.predicate)
        subject, value = self.reference(edge.subject), self.value(edge.object, is_noun=kind == "noun")
        return self.words.say(kind if value else "has", "fact", label=label, subject=subject, value=value)

    def check_all_said(self) -> None:
        """Check that the phrase says all of the group.

        Raises:
            NoPhraseError: it does not.
        """
        if self.edges or self.kinds or self.given or self.conditions:
            raise NoPhraseError("conditions without a connection")


def name_of(expression: Expression) -> str:
    """Return the name of an expression of the algebra; "" for a term."""
    return expression.name if isinstance(expression, CompValue) else ""


def _read_condition(expression: Expression) -> tuple[Variable, str, Sequence[Any], bool]:
    """Return the variable that an expression compares, the operator, the operands, and whether these are beginnings of
    a date ("2010").

    Raises:
        NoPhraseError: it is another expression.
    """
    name = name_of(expression)
    if name in _TEXT_FUNCTIONS:
        left, operator, right = expression.arg1, _TEXT_FUNCTIONS[name], expression.arg2
    elif name == "RelationalExpression":
        left, operator, right = expression.expr, expression.op.removeprefix("NOT ").replace("IN", "="), expression.other
        operator = "!=" if expression.op == "NOT IN" else operator
    else:
        raise NoPhraseError("a formula")
    if isinstance(unwrap(right)[0], Variable) and not isinstance(unwrap(left)[0], Variable):
        left, operator, right = right, _FLIPPED.get(operator, operator), left
    variable, is_period = unwrap(left)
    operands = [unwrap(each)[0] for each in (right if isinstance(right, list) else [right])]
    is_distinction = operator == "!=" and any(map(is_open, operands))  # of two values, perhaps of one property
    if not isinstance(variable, Variable) or is_distinction or any(isinstance(each, CompValue) for each in operands):
        raise NoPhraseError("a formula")
    return variable, operator, operands, is_period


def unwrap(expression: Expression) -> tuple[Expression, bool]:
    """Return an expression without casts, letter case and STR, and whether it takes the beginning of a date."""
    name = name_of(expression)
    if name == "Function" and len(expression.expr) == 1 and "XMLSchema#" in str(expression.iri):
        return unwrap(expression.expr[0])
    if name in ("Builtin_STR", "Builtin_LCASE", "Builtin_UCASE"):
        return unwrap(expression.arg)
    is_year = name == "Builtin_REPLACE" and str(expression.pattern) == YEAR_OF_DATE
    is_start = name == "Builtin_SUBSTR" and str(expression.start) == "1" and expression.get("length") is not None
    return (unwrap(expression.arg)[0], True) if is_year or is_start or name == "Builtin_YEAR" else (expression, False)
