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
from chattyshared.profile import LABEL_PREDICATES, SUBCLASS_PREDICATES, TYPE_PREDICATES
from chattyshared.terms import has_opaque_name, iri_to_words, local_name
from chattyshared.text import join_texts
from rdflib import Literal, URIRef, Variable
from rdflib.paths import AlternativePath, MulPath
from rdflib.plugins.sparql.parserutils import CompValue

from chattykg.query.graph_patterns import DATE_PATTERN, NUMBER_PATTERN
from chattykg.query.solution_modifiers import YEAR_OF_DATE
from chattykg.verbalization.algebra import (
    Expression,
    QueryGroup,
    TripleEdge,
    is_open,
    path_iris,
    split_edge,
    variables_of,
)

_FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "!=": "!="}
_TEXT_FUNCTIONS = {"Builtin_CONTAINS": "contains", "Builtin_STRSTARTS": "starts", "Builtin_STRENDS": "ends"}
_TYPE_PATTERNS = (DATE_PATTERN, NUMBER_PATTERN)
_TYPE_TESTS = ("Builtin_isNUMERIC", "Builtin_isIRI", "Builtin_isURI", "Builtin_isLITERAL")
_DATE_TYPES = ("date", "dateTime", "gYear", "gYearMonth")


class NoPhraseError(ValueError):
    """No true phrase is known for a part of a query."""


@dataclass(frozen=True, slots=True)
class ValueCondition:
    """A condition on a variable; ``is_period``: the operands are beginnings of a date ("2010")."""

    operator: str
    operands: tuple[Any, ...]
    is_period: bool


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
        """Return the label of a predicate, or of a path over any number of its steps.

        Raises:
            NoPhraseError: it is a variable or another path.
        """
        if isinstance(predicate, AlternativePath):
            return self.join([self.predicate(step) for step in predicate.args], "or")
        if isinstance(predicate, MulPath) and str(predicate.mod) in "+*":
            key = "transitive" if str(predicate.mod) == "+" else "reflexive"
            return self.say(key, label=self.predicate(predicate.path))
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

    ``texts`` are those of the terms that were introduced; of the values of ``measured`` a filter may test the type.
    """

    group: QueryGroup
    words: QueryNames
    measured: Sequence[Variable] = ()
    texts: dict[Any, str] = field(default_factory=dict)
    edges: list[TripleEdge] = field(init=False, default_factory=list)
    stated: tuple[TripleEdge, ...] = field(init=False, default=())
    kinds: dict[Any, list[str]] = field(init=False, default_factory=dict)
    named: dict[Any, str] = field(init=False, default_factory=dict)
    given: dict[Any, list[str]] = field(init=False, default_factory=dict)
    conditions: dict[Any, list[ValueCondition]] = field(init=False, default_factory=dict)
    negated: list[QueryGroup] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        if self.group.unread or self.group.unions or self.group.subqueries:
            raise NoPhraseError("more than one group")
        self.negated = list(self.group.negated)
        for table in self.group.values:
            if not all(len(row) == 1 and row.keys() == table[0].keys() for row in table):
                raise NoPhraseError("values of several variables")
            for row in table:
                for name, term in row.items():
                    self.given.setdefault(name, []).append(self.words.term(term))
        for edge in self.group.edges:
            self._read_edge(edge)
        self.stated = tuple(self.edges)
        tested = [variable for each in self.group.filters for variable in self._read_filter(each)]
        if not set(tested) <= {*self.conditions, *self.measured, *variables_of(list(self.conditions.values()))}:
            raise NoPhraseError("a test of a type")

    def _read_edge(self, edge: TripleEdge) -> None:
        profile = self.words.kg.profile
        is_name = str(edge.predicate) in (*LABEL_PREDICATES, *profile.labels, *profile.alt_labels)
        if is_name and isinstance(edge.object, Literal) and is_open(edge.subject) and edge.subject not in self.named:
            self.named[edge.subject] = self.words.term(edge.object)
            return
        if not self.words.is_type(edge.predicate) or (is_open(edge.object) and edge.object not in self.given):
            self.edges.extend(split_edge(edge))
            return
        listed = frozenset(str(row[edge.object]) for table in self.group.values for row in table if edge.object in row)
        names = self.given.pop(edge.object, None) or [self.words.term(edge.object)]
        self.kinds.setdefault(edge.subject, []).append(self.words.widest_class(listed) or self.words.join(names, "or"))

    def _read_filter(self, expression: Expression) -> Iterator[Variable]:
        """Read a condition on a variable, or yield that of which only the type is tested."""
        inner = expression.expr if name_of(expression) == "UnaryNot" else expression
        is_pattern = name_of(inner) == "Builtin_REGEX" and str(inner.pattern) in _TYPE_PATTERNS
        if is_pattern or name_of(inner) in _TYPE_TESTS:
            yield unwrap(inner.text if is_pattern else inner.arg)[0]
            return
        variable, condition = _read_condition(expression)
        if condition.operator == "IN":
            self.given.setdefault(variable, []).extend(self.words.term(each) for each in condition.operands)
        else:
            self.conditions.setdefault(variable, []).append(condition)

    # what a term is called

    def noun(self, term: Any) -> str:
        """Return the label of the class of a term, as the pattern or the data state it; else "thing"."""
        if self.kinds.get(term):
            return self.kinds[term][0]
        classes = self.words.kg.vocabulary.classes
        shared: frozenset[str] | None = None
        for edge in self.stated:
            entry = self.words.entry(edge.predicate)
            if entry is not None and term in edge.ends:
                found = frozenset(entry.domains if edge.subject == term else entry.ranges) & classes.keys()
                shared = found if shared is None else shared & found
        return self.words.widest_class(shared or frozenset()) or str(self.words.rows["thing"])

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
        text = self.property_of(term, quantity=quantity)
        return self.words.say("the", phrase=text) if text else self.described(term, quantity)

    def every(self, term: Any) -> str:
        """Return all things that a term stands for: a property of something, or a noun with its clauses."""
        text = self.property_of(term)
        return self.words.say("the", phrase=text) if text else self.described(term, "every")

    def described(self, term: Any, key: str, *, is_plural: bool = False) -> str:
        """Return a term as a noun with its clauses; it is introduced from now on."""
        noun = self.noun(term)
        clauses = self.clauses(term, is_plural=is_plural)
        key = f"{key}_thing" if noun == self.words.rows["thing"] and f"{key}_thing" in self.words.rows else key
        return self.words.say(key, noun=noun, clauses=clauses)

    def sole_edge(self, term: Any) -> TripleEdge | None:
        """Return the edge of which a term is the value, if the pattern says nothing else of it."""
        edges = [edge for edge in self.edges if term in edge.ends]
        if len(edges) != 1 or edges[0].object != term or edges[0].subject == term or self.is_restricted(term):
            return None
        entry = self.words.entry(edges[0].predicate)
        ranges = {self.words.kg.vocabulary.classes[iri].label for iri in entry.ranges} if entry else set[str]()
        return edges[0] if ranges.issuperset(self.kinds.get(term, ())) else None

    def is_restricted(self, term: Any, *, of_value: bool = True) -> bool:
        """Tell whether more than edges is stated of a term; ``of_value``: also what it is compared with."""
        told = {**self.named, **self.given, **(self.conditions if of_value else {})}
        return term in told or any(term in _ends(part) for part in self.negated)

    def property_of(self, term: Any, key: str = "asked", quantity: str = "every") -> str:
        """Return a term as a property of something ("date of birth of X"); "" if the pattern says more of it."""
        edge = self.sole_edge(term)
        if edge is None or self.words.kind(edge.predicate) != "noun":
            return ""
        self.edges.remove(edge)
        self.kinds.pop(term, None)
        label = self.words.predicate(edge.predicate)
        self.introduce(term, label)
        rank = self.rank(term, is_highest=key == "max")
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

    def is_value_of(self, owner: Any, term: Any) -> bool:
        """Tell whether a term is a property of its owner, of which the pattern says nothing else."""
        edge = self.sole_edge(term)
        return edge is not None and edge.subject == owner

    def repeats(self, edge: TripleEdge) -> bool:
        """Tell whether a solution may come several times, with another object of an edge."""
        entry = self.words.entry(edge.predicate)
        return is_open(edge.subject) and is_open(edge.object) and (entry is None or not entry.is_functional)

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
        name = self.words.say("name", value=self.named.pop(term)) if term in self.named else ""
        texts = [self.words.say("class", "clause", noun=noun, is_plural=is_plural) for noun in kinds]
        while edge := next((each for each in self.edges if term in each.ends), None):
            self.edges.remove(edge)
            texts.append(self.clause(edge, term, "clause", is_plural=is_plural))
        texts += [self.words.say("value", "clause", value=each, is_plural=is_plural) for each in self.compared(term)]
        if term in self.given:
            texts.append(self.words.say("among", "clause", value=self.words.join(self.given.pop(term))))
        for part in [each for each in self.negated if term in _ends(each)]:
            self.negated.remove(part)
            texts.append(self.denial(part, term, is_plural=is_plural))
        listed = f" {self.words.rows['and']} ".join(dict.fromkeys(texts))
        return name + (self.words.say("clauses", clauses=listed) if listed else "")

    def clause(self, edge: TripleEdge, term: Any, table: str, *, is_plural: bool = False) -> str:
        """Return an edge as a relative clause of one of its ends; ``table``: it holds, or it is denied."""
        if edge.subject == edge.object:
            raise NoPhraseError("a thing that is related to itself")
        kind, slots = self.words.kind(edge.predicate), {"label": self.words.predicate(edge.predicate)}
        if edge.object == term:
            slots |= {"role": self.role(edge), "owner": self.described_or_known(edge.subject)}
            return self.words.say(f"{kind}_of", table, is_plural=is_plural, **slots)
        value = self.value(edge.object, is_noun=kind == "noun")
        return self.words.say(kind if value else "has", table, value=value, clauses="", is_plural=is_plural, **slots)

    def described_or_known(self, term: Any) -> str:
        """Return the text of a term that is known, else its description."""
        return self.reference(term) if self.is_known(term) else self.described(term, "some")

    def value(self, term: Any, *, is_noun: bool) -> str:
        """Return what the value of a property is; "" if nothing is known of it, and its label ``is_noun``."""
        if (
            self.is_known(term)
            or self.kinds.get(term)
            or self.is_restricted(term, of_value=False)
            or any(term in each.ends for each in self.edges)
        ):
            return self.described_or_known(term)
        self.introduce(term, self.value_noun(term))
        return self.words.join(self.compared(term)) or ("" if is_noun else self.words.say("some_thing", clauses=""))

    def denial(self, part: QueryGroup, term: Any, *, is_plural: bool) -> str:
        """Return what must not hold of a term as a relative clause."""
        inner = PatternDescriber(part, self.words, (), dict(self.texts))
        edges = [edge for edge in inner.edges if term in edge.ends]
        if not edges and len(kinds := inner.kinds.pop(term, [])) == 1:
            text = self.words.say("class", "denial", noun=kinds[0], is_plural=is_plural)
        elif len(edges) != 1 or term in inner.kinds:
            raise NoPhraseError("several things that must not hold together")
        else:
            inner.edges.remove(edges[0])
            end = edges[0].object
            if not inner.is_known(end) and self.words.kind(edges[0].predicate) == "noun":
                slots = {"label": self.words.predicate(edges[0].predicate), "clauses": inner.clauses(end)}
                text = self.words.say("has", "denial", is_plural=is_plural, **slots)
            else:
                text = inner.clause(edges[0], term, "denial", is_plural=is_plural)
        inner.check_all_said()
        return text

    def role(self, edge: TripleEdge) -> str:
        """Return the label of an edge with its article: the only one of a subject, or one of several."""
        entry = self.words.entry(edge.predicate)
        key = "only" if entry is not None and entry.is_functional else "any"
        return self.words.say(key, label=self.words.predicate(edge.predicate))

    def compared(self, term: Any) -> list[str]:
        """Return the conditions on a term in words ("at most 3", "before 2010"), and remove them."""
        texts = []
        for condition in self.conditions.pop(term, []):
            is_moment = condition.is_period or self.is_date(term) or any(map(is_date, condition.operands))
            table = "text" if condition.operator in self.words.rows["text"] else "date" if is_moment else "number"
            value = self.words.join([self.reference(each) for each in condition.operands], "or")
            texts.append(self.words.say(condition.operator, table, value=value))
        return texts

    # statements

    def facts(self) -> list[str]:
        """Return all that the group says as main clauses."""
        texts = []
        while self.edges:
            told = [each for each in self.edges if self.is_known(each.subject) or not isinstance(each.object, Literal)]
            told = [each for each in told if any(map(self.is_known, each.ends))]
            told.sort(key=lambda each: each.object not in self.conditions and not self.is_known(each.object))
            if told:
                self.edges.remove(told[0])
                texts.append(self.fact(told[0]))
            else:
                texts.append(self.words.say("exists", phrase=self.described(self.edges[0].subject, "some")))
        for term in [*self.kinds, *self.named]:
            if is_open(term) and term in {**self.kinds, **self.named}:
                texts.append(self.words.say("exists", phrase=self.described(term, "some")))
            for noun in self.kinds.pop(term, []):
                texts.append(self.words.say("class", "fact", subject=self.words.term(term), noun=noun))
        while self.negated:
            inner = PatternDescriber(self.negated.pop(), self.words, (), dict(self.texts))
            texts.append(self.words.say("denied", phrase=self.words.join(inner.facts())))
        self.check_all_said()
        return texts

    def fact(self, edge: TripleEdge) -> str:
        """Return an edge as a main clause."""
        label, subject = self.words.predicate(edge.predicate), self.reference(edge.subject)
        kind = self.words.kind(edge.predicate)
        if kind == "noun" and self.is_known(edge.object) and not isinstance(edge.object, Literal):
            value = self.reference(edge.object)
            return self.words.say("noun_of", "fact", role=self.role(edge), value=value, subject=subject)
        value = self.value(edge.object, is_noun=kind == "noun")
        return self.words.say(kind if value else "has", "fact", label=label, subject=subject, value=value)

    def check_all_said(self) -> None:
        """Check that the phrase says all of the group.

        Raises:
            NoPhraseError: it does not.
        """
        if self.edges or self.kinds or self.named or self.given or self.conditions or self.negated:
            raise NoPhraseError("conditions without a connection")


def _ends(group: QueryGroup) -> set[Any]:
    return {end for edge in group.edges for end in edge.ends}


def name_of(expression: Expression) -> str:
    """Return the name of an expression of the algebra; "" for a term."""
    return expression.name if isinstance(expression, CompValue) else ""


# conditions


def _read_condition(expression: Expression) -> tuple[Variable, ValueCondition]:
    """Return the variable of which an expression is a condition, and the condition.

    Raises:
        NoPhraseError: it is another expression.
    """
    name = name_of(expression)
    if name in _TEXT_FUNCTIONS:
        left, operator, right = expression.arg1, _TEXT_FUNCTIONS[name], [expression.arg2]
    elif name == "RelationalExpression":
        left, operator, right = expression.expr, expression.op, expression.other
        if not isinstance(right, list):
            right = [right]
            if isinstance(unwrap(right[0])[0], Variable) and not isinstance(unwrap(left)[0], Variable):
                left, operator, right = right[0], _FLIPPED[operator], [left]
    else:
        raise NoPhraseError("a formula")
    (variable, is_period), operands = unwrap(left), tuple(unwrap(each)[0] for each in right)
    is_distinction = operator == "!=" and any(map(is_open, operands))  # of two values, perhaps of one property
    if not isinstance(variable, Variable) or is_distinction or any(isinstance(each, CompValue) for each in operands):
        raise NoPhraseError("a formula")
    return variable, ValueCondition({"NOT IN": "!="}.get(operator, operator), operands, is_period)


def unwrap(expression: Expression) -> tuple[Expression, bool]:
    """Return an expression without casts, letter case and STR, and whether it takes the beginning of a date."""
    name = name_of(expression)
    if name == "Function" and len(expression.expr) == 1 and "XMLSchema#" in str(expression.iri):
        return unwrap(expression.expr[0])
    if name in ("Builtin_STR", "Builtin_LCASE", "Builtin_UCASE"):
        return unwrap(expression.arg)
    is_year = name == "Builtin_REPLACE" and str(expression.pattern) == YEAR_OF_DATE
    is_start = name == "Builtin_SUBSTR" and str(expression.start) == "1" and expression.get("length") is not None
    if is_year or is_start or name == "Builtin_YEAR":
        return unwrap(expression.arg)[0], True
    return expression, False
