"""Descriptions of what a graph pattern says of its variables: noun phrases with relative clauses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from chattyshared.literals import is_date
from chattyshared.text import join_texts
from rdflib import Literal, URIRef, Variable

from chattykg.conversation.language_id import language_name
from chattykg.verbalization.algebra import (
    Expression,
    QueryGroup,
    TripleEdge,
    is_open,
    open_terms,
    path_iris,
    split_edge,
    variables_of,
)
from chattykg.verbalization.expressions import (
    NoPhraseError,
    ValueCondition,
    read_condition,
    render_formula,
    render_term,
)
from chattykg.verbalization.names import QueryNames
from chattykg.verbalization.phrases import (
    THING,
    add_article,
    add_every,
    is_verb,
    ordinal,
    plural_noun,
    pluralize_clause,
    verb_phrase,
)

GROUP_MARK = "\ue000"
"""Stands for the thing in the text of a computed property."""
_EXCEPT = "except those"
OPERATORS = {
    "=": "", "!=": "not ", "<": "less than ", "<=": "at most ", ">": "more than ", ">=": "at least ", "IN": "",
    "NOT IN": "not ",
}  # fmt: skip
_DATE_OPERATORS = {"<": "before ", "<=": "no later than ", ">": "after ", ">=": "no earlier than "}
_TEXT_OPERATORS = {
    "contains": "something with ", "starts": "something that starts with ", "ends": "something that ends with ",
    "matches": "something that matches the pattern ",
}  # fmt: skip
_DATE_TYPES = ("date", "dateTime", "gYear", "gYearMonth")


@dataclass(slots=True)
class PatternDescriber:
    """Describes the variables of one group without unions; each part is used once, and what is left can be told.

    ``aliases`` are the texts of terms that are introduced already; ``is_partial`` tells that something was not said.
    """

    group: QueryGroup
    names: QueryNames
    computed: dict[Variable, Expression] = field(default_factory=dict)
    aliases: dict[Any, str] = field(default_factory=dict)
    measured: frozenset[Any] = frozenset()
    edges: list[TripleEdge] = field(init=False, default_factory=list)
    stated: tuple[TripleEdge, ...] = field(init=False, default=())
    classes: dict[Any, list[str]] = field(init=False, default_factory=dict)
    conditions: dict[Any, list[ValueCondition]] = field(init=False, default_factory=dict)
    formulas: list[Expression] = field(init=False, default_factory=list)
    given: dict[Any, tuple[str, ...]] = field(init=False, default_factory=dict)
    named: dict[Any, str] = field(init=False, default_factory=dict)
    members: dict[Any, str] = field(init=False, default_factory=dict)
    negated: list[QueryGroup] = field(init=False, default_factory=list)
    is_partial: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        self.is_partial = bool(self.group.unread)
        self.negated = [part for each in self.group.negated for part in each.alternatives()]
        self.computed = {**self.computed, **dict(self.group.binds)}
        for table in self.group.values:
            self._read_values(table)
        for edge in self.group.edges:
            self._read_edge(edge)
        self.stated = tuple(self.edges)
        for expression in self.group.filters:
            self._read_filter(expression)

    def _read_values(self, table: Sequence[Mapping[Variable, Any]]) -> None:
        columns = dict.fromkeys(name for row in table for name in row)
        if len(columns) == 1 and all(table):
            (name,) = columns
            self.given[name] = tuple(dict.fromkeys(render_term(row[name], self.names.label) for row in table))
        elif len(table) == 1:
            self.given.update({name: (render_term(term, self.names.label),) for name, term in table[0].items()})
        else:
            self.is_partial = True

    def _read_edge(self, edge: TripleEdge) -> None:
        names = self.names
        if names.is_type(edge.predicate) and (not is_open(edge.object) or edge.object in self.given):
            listed = frozenset(
                str(row[edge.object]) for table in self.group.values for row in table if edge.object in row
            )
            kind = names.widest_class(listed) or join_texts(self.given.get(edge.object, ()), "or")
            self.classes.setdefault(edge.subject, []).append(kind or render_term(edge.object, names.label))
            return
        is_name = names.name_predicates.issuperset(map(str, path_iris(edge.predicate))) and path_iris(edge.predicate)
        if is_name and isinstance(edge.object, Literal) and edge.subject not in self.named and is_open(edge.subject):
            self.named[edge.subject] = render_term(edge.object, names.label)
            return
        self.edges.extend(split_edge(edge))

    def _read_filter(self, expression: Expression) -> None:
        condition = read_condition(expression)
        is_order = condition is not None and condition.operator in _DATE_OPERATORS
        if condition is None or condition.variable in self.computed or (is_order and self.is_thing(condition.variable)):
            self.formulas.append(expression)
        elif condition.operator == "!=" and self._are_siblings(condition.variable, *condition.operands):
            self.is_partial = True
        elif condition.operator != "guard":
            self.conditions.setdefault(condition.variable, []).append(condition)
        elif condition.variable not in self.measured:
            users = [each for each in self.group.filters if condition.variable in variables_of(each)]
            self.is_partial |= len(users) < 2

    def _are_siblings(self, term: Any, *others: Any) -> bool:
        """Tell whether terms are values of the same property of one thing."""
        owners = [
            {(edge.subject, edge.predicate) for edge in self.stated if edge.object == each} for each in (term, *others)
        ]
        return bool(set.intersection(*owners))

    # what a term is called

    def noun(self, term: Any) -> str:
        """Return the label of the class of a term, as the pattern or the data state it; else "thing"."""
        if self.classes.get(term):
            return self.classes[term][0]
        if any(edge.predicate == term for edge in self.stated):
            return "property"
        classes = self.names.vocabulary.classes
        shared: frozenset[str] | None = None
        for edge in self.stated:
            entry = self.names.entry(edge.predicate)
            if entry is None or term not in edge.ends:
                continue
            found = frozenset(entry.domains if edge.subject == term else entry.ranges) & classes.keys()
            shared = found if shared is None else shared & found
        return self.names.widest_class(shared or frozenset()) or THING

    def is_thing(self, term: Any) -> bool:
        """Tell whether a term is no value: it has a class or properties."""
        return self.noun(term) != THING or any(edge.subject == term for edge in self.stated)

    def alias_noun(self, term: Any) -> str:
        """Return the noun by which a term is referred to: its class, else the property that it is."""
        noun = self.noun(term)
        labels = (self.label(e) for e in self.stated if e.object == term and type(e.predicate) is not str)
        return noun if noun not in ("", THING) else next(labels, THING)

    def described(self, term: Any) -> str:
        """Return the noun of a term with its clauses; the term is introduced from now on."""
        noun = self.noun(term)
        return noun + self.clauses(term, noun)

    def clauses(self, term: Any, noun: str = "", *, is_plural_form: bool = False) -> str:
        """Return all that is left to say of a term as relative clauses, behind a noun in the singular or plural."""
        if noun in ("", THING):
            noun = self.alias_noun(term)
        self.introduce(term, noun)
        texts = [f"that is {add_article(label)}" for label in self.classes.pop(term, [])[1:]]
        name = self.named.pop(term, "")
        texts += [self.clause(edge, term) for edge in self.drain(term)]
        texts += [f"that is {text}" for text in self.drain_conditions(term)]
        if term in self.given:
            texts.append(f"among {join_texts(self.given[term], 'and')}")
        if term in self.members:
            texts.append(f"that is one of: {self.members.pop(term)}")
        texts += self.negations(term)
        texts = [text for text in texts if text]
        if is_plural_form:
            texts = [pluralize_clause(text) for text in texts]
        exceptions = [text for text in texts if text.startswith(_EXCEPT)]
        clauses = " and ".join(dict.fromkeys(text for text in texts if text not in exceptions))
        clauses = ", ".join(filter(None, (clauses, *exceptions)))
        return (f" named {name}" if name else "") + (f" {clauses}" if clauses else "")

    def reference(self, term: Any, *, is_brief: bool = False) -> str:
        """Return the text of a term within a sentence: its name, what introduced it, or its description."""
        if not is_open(term):
            return render_term(term, self.names.label)
        if term in self.aliases:
            return self.aliases[term]
        if term in self.given:
            return join_texts(self.given[term] if self.incident(term) else self.given.pop(term), "or")
        if term in self.computed:
            return self.formula(self.computed[term])
        is_only = self.noun(term) == THING or all(map(self.is_functional, self.incident(term)))
        if is_brief and (text := self.property_of(term, is_existential=True)):
            return f"the {text}" if is_only else add_article(text)
        noun = self.noun(term)
        is_taken = f"that {noun}" in self.aliases.values()
        is_other = (is_taken or noun == THING) and self._is_distinct(term)
        if is_taken and noun != THING:
            self.introduce(term, noun, is_other=is_other)
            return f"{'another' if is_other else 'some'} {noun}{self.clauses(term, noun)}"
        clauses = self.clauses(term, noun)
        is_simple = not any(word in clauses[9:] for word in ("that ", " and ")) and not clauses[9:].startswith("not ")
        if noun == THING and clauses.startswith(" that is ") and is_simple:
            return clauses.removeprefix(" that is ")
        something = "something else" if is_other else "something"
        return f"{something if noun == THING else add_article(noun)}{clauses}"

    def introduce(self, term: Any, noun: str, *, is_other: bool = False) -> None:
        """Let a term be known by a noun from now on, and by its number if others are known by that noun."""
        number = 1 + sum(
            re.fullmatch(rf"(that|the \w+) {re.escape(noun)}", text) is not None for text in self.aliases.values()
        )
        which = "that" if number == 1 else f"the {'other' if is_other and number == 2 else ordinal(number)}"
        self.aliases.setdefault(term, f"{which} {noun}")

    def _is_distinct(self, term: Any) -> bool:
        """Remove the conditions that a term is not another one; tell whether there were any."""
        found = [
            (owner, each)
            for owner, conditions in self.conditions.items()
            for each in conditions
            if each.operator == "!="
            and all(map(is_open, each.operands))
            and {owner, *each.operands} - {term} <= self.aliases.keys()
            if term in (owner, *each.operands)
        ]
        for owner, condition in found:
            self.conditions[owner].remove(condition)
        return bool(found)

    def is_known(self, term: Any) -> bool:
        """Tell whether a term has a name or is introduced."""
        return not is_open(term) or term in self.aliases or term in self.given

    def property_of(
        self, term: Any, *, is_plural_form: bool = False, with_conditions: bool = False, is_existential: bool = False
    ) -> str:
        """Return a term as a property ("date of birth of X"), if the pattern says nothing else of it.

        ``with_conditions``: conditions on its value stand in brackets behind the label. ``is_existential``: of any one
        thing, not of all.
        """
        edges = self.incident(term)
        is_restricted = len(edges) != 1 or self.is_restricted(term, edges[0], with_conditions=with_conditions)
        if is_restricted or not self.aliases.get(term, "that ").startswith("that "):
            return ""
        edge = edges[0]
        label = self.label(edge)
        is_computed = type(edge.predicate) is str
        if edge.object != term or edge.subject == term or (is_verb(label) and not is_computed):
            return ""
        self.edges.remove(edge)
        if is_computed:
            return label.replace(GROUP_MARK, self.reference(edge.subject))
        self.classes.pop(term, None)
        self.introduce(term, label)
        label = plural_noun(label) if is_plural_form else label
        conditions = f" ({' and '.join(self.drain_conditions(term))})" if self.conditions.get(term) else ""
        is_known = self.is_known(edge.subject)
        inner = "" if is_known or is_plural_form else self.property_of(edge.subject, is_existential=is_existential)
        if inner:
            owner = f"the {inner}"
        elif is_known or is_existential:
            owner = self.reference(edge.subject)
        else:
            owner = add_every(self.described(edge.subject))
        return f"{label}{conditions} of {owner}"

    def is_restricted(self, term: Any, edge: TripleEdge, *, with_conditions: bool = False) -> bool:
        """Tell whether the pattern says more of the object of an edge than the data do, or than its language."""
        entry = self.names.entry(edge.predicate)
        ranges = {self.names.label(iri) for iri in entry.ranges} if entry else set[str]()
        stated = [label for label in self.classes.get(term, ()) if {label} != ranges]
        conditions = [each for each in self.conditions.get(term, ()) if each.operator != "language"]
        values = [each for each in conditions if not with_conditions or open_terms(each.operands)]
        is_negated = any(each.touches(term) for each in self.negated)
        is_listed = term in self.given or term in self.named or term in self.members
        return bool(stated or values or is_negated or is_listed)

    def incident(self, term: Any) -> list[TripleEdge]:
        """Return the edges of a term that are left."""
        return [edge for edge in self.edges if term in edge.ends]

    def drain(self, term: Any) -> Iterator[TripleEdge]:
        """Yield and remove the edges of a term that are left."""
        while edges := self.incident(term):
            self.edges.remove(edges[0])
            yield edges[0]

    # clauses

    def label(self, edge: TripleEdge) -> str:
        """Return the label of the predicate of an edge; of a variable what it is called."""
        return self.aliases.get(edge.predicate) or self.names.predicate(edge.predicate)

    def clause(self, edge: TripleEdge, term: Any, quantity: str = "", *, is_denied: bool = False) -> str:
        """Return an edge as a relative clause of one of its ends; ``quantity`` replaces the article of the other."""
        label, no = self.label(edge), "not " if is_denied else ""
        verb = verb_phrase(label, is_negated=is_denied) if is_verb(label) else ""
        if edge.subject == edge.object:
            return f"that {verb} itself" if verb else f"that is {no}its own {label}"
        if edge.object == term:
            other = self.quantified(edge.subject, quantity) if quantity else self.reference(edge.subject)
            if type(edge.predicate) is str:
                return f"that is the {label.replace(GROUP_MARK, other)}"
            return f"that {other} {verb}" if verb else f"that is {no}{self.role(edge)} of {other}"
        if verb:
            other = self.quantified(edge.object, quantity) if quantity else self.value(edge.object) or "something"
            is_other = other.startswith("not ")
            return f"that {verb} {f'something other than {other[4:]}' if is_other else other}"
        if quantity:
            return f"that has {quantity} {plural_noun(label)}{self.clauses(edge.object, label)}"
        if is_denied and not self.is_known(edge.object):
            kinds = [f"that is {add_article(kind)}" for kind in self.classes.pop(edge.object, [])[:1]]
            texts = [*self.drain_conditions(edge.object), *kinds]
            return f"that has no {' '.join((label, ' and '.join(texts))).strip()}{self.clauses(edge.object, label)}"
        if type(edge.predicate) is str:
            value = self.value(edge.object, "value")
            return f"for which the {label.replace(GROUP_MARK, 'it')} is {value}" if value else ""
        value = self.value(edge.object, label)
        return f"whose {label} is {no}{value}" if value else f"that has {add_article(label)}"

    def quantified(self, term: Any, quantity: str) -> str:
        """Return a term as several things: "more than 3 films by Ann Lee"."""
        noun = self.noun(term)
        return f"{quantity} {plural_noun(noun)}{self.clauses(term, noun, is_plural_form=True)}"

    def value(self, term: Any, label: str = "") -> str:
        """Return what the value of a property is; "" if nothing is known of it."""
        if self.is_known(term) or term in self.computed:
            return self.reference(term)
        is_bare = not self.incident(term) and term not in self.named and not self.classes.get(term)
        is_bare = is_bare and not any(each.touches(term) for each in self.negated)
        if is_bare:
            self.introduce(term, label or "value")
            return " and ".join(self.drain_conditions(term))
        return self.reference(term)

    def negations(self, term: Any) -> Iterator[str]:
        """Yield and remove what must not hold of a term, as relative clauses."""
        own = open_terms((*self.stated, replace(self.group, negated=())))
        for part in [each for each in self.negated if each.touches(term) and open_terms(each) & own == {term}]:
            self.negated.remove(part)
            inner = self.inner(part)
            others = [edge for edge in inner.edges if term not in edge.ends]
            edges, labels = inner.incident(term), inner.classes.get(term, [])
            is_plain = len(edges) == 1 and not labels and term not in inner.conditions and not part.optionals
            if is_plain and not (others and edges[0].object == term):
                inner.edges.remove(edges[0])
                yield inner.clause(edges[0], term, is_denied=True)
            elif not edges and not inner.conditions and len(labels) == 1:
                yield f"that is not {add_article(inner.classes.pop(term)[0])}"
            else:
                inner.aliases.pop(term, None)
                inner.classes[term] = ["", *inner.classes.get(term, [])]
                yield f"{_EXCEPT}{inner.clauses(term, self.noun(term), is_plural_form=True)}"
            self.is_partial |= bool(inner.unsaid()) or inner.is_partial

    def inner(self, group: QueryGroup) -> PatternDescriber:
        """Return a describer of a group within this one: what is introduced here is known there."""
        aliases = {term: text for term, text in self.aliases.items() if term in open_terms(group)}
        return PatternDescriber(group, self.names, self.computed, aliases)

    # statements

    def statement(self, edge: TripleEdge) -> str:
        """Return an edge as a main clause."""
        label, is_given = self.label(edge), self.is_known(edge.object) and not isinstance(edge.object, Literal)
        if is_verb(label):
            return f"{self.reference(edge.subject)} {verb_phrase(label)} {self.reference(edge.object)}"
        subject = self.reference(edge.subject, is_brief=True)
        if type(edge.predicate) is str:
            return f"the {label.replace(GROUP_MARK, subject)} is {self.value(edge.object, 'value') or 'something'}"
        if is_given:
            return f"{self.reference(edge.object)} is {self.role(edge)} of {subject}"
        value = self.value(edge.object, label)
        return f"the {label} of {subject} is {value}" if value else f"{subject} has {add_article(label)}"

    def role(self, edge: TripleEdge) -> str:
        """Return the label of an edge with its article: the only one of a subject, or one of several."""
        return f"the {self.label(edge)}" if self.is_functional(edge) else add_article(self.label(edge))

    def unsaid(self) -> list[str]:
        """Return what is left as main clauses, and remove it; what cannot be said makes the description partial."""
        texts = []
        while self.edges:
            known = [each for each in self.edges if any(map(self.is_known, each.ends))]
            stated = [each for each in known if each.object in self.conditions or self.is_known(each.object)]
            edge = [*stated, *known, self.edges[0]][0]
            self.edges.remove(edge)
            texts.append(self.statement(edge))
        for term in [each for each in self.classes if not is_open(each)]:
            texts += [f"{self.reference(term)} is {add_article(label)}" for label in self.classes.pop(term)]
        for term in (*self.classes, *self.named):
            texts += [f"there is {self.reference(term)}"] if term not in self.aliases else []
        for expression in self.formulas:
            try:
                texts.append(self.formula(expression))
            except NoPhraseError:
                self.is_partial = True
        for term in list(self.conditions):
            if not self.group.touches(term) and term not in self.aliases and term not in self.given:
                self.is_partial |= bool(self.conditions.pop(term))
                continue
            texts += [f"{self.reference(term)} is {text}" for text in self.drain_conditions(term)]
        self.formulas = []
        for part in self.negated:
            inner = self.inner(part)
            denied = inner.unsaid()
            texts += [f"it is not the case that {' and '.join(denied)}"] if denied else []
            self.is_partial |= inner.is_partial or not denied
        self.negated = []
        return list(dict.fromkeys(texts))

    # conditions

    def drain_conditions(self, term: Any) -> list[str]:
        """Return the conditions on a term in words, and remove them."""
        return [self.compared(condition) for condition in self.conditions.pop(term, [])]

    def compared(self, condition: ValueCondition) -> str:
        """Return a condition in words ("at most 3", "before 2010")."""
        if condition.operator == "or":
            text = join_texts([self.compared(each) for each in condition.operands], "or")
            return f"not ({text})" if condition.is_negated else text
        no = "not " if condition.is_negated else ""
        if condition.operator == "language":
            return f"{no}in {language_name(str(condition.operands[0]))}"
        texts = [self.operand(each) for each in condition.operands]
        operator = condition.operator
        if operator in _TEXT_OPERATORS:
            return f'{no}{_TEXT_OPERATORS[operator]}"{texts[0]}"'
        is_date = condition.is_period or self.is_date(condition.variable, condition.operands[0])
        words = OPERATORS | _DATE_OPERATORS if is_date else OPERATORS
        return f"{no}{words[operator]}{join_texts(texts, 'or')}"

    def operand(self, expression: Expression) -> str:
        """Return what a variable is compared with."""
        if isinstance(expression, Variable):
            return self.reference(expression, is_brief=True)
        return self.formula(expression)

    def is_date(self, variable: Variable, operand: Any) -> bool:
        """Tell whether a variable is compared as a date."""
        if isinstance(operand, Literal) and is_date(operand):
            return True
        entries = [self.names.entry(edge.predicate) for edge in self.group.edges if edge.object == variable]
        types = {iri.rpartition("#")[2] for entry in entries if entry for iri in entry.datatypes}
        return bool(types) and types.issubset(_DATE_TYPES)

    def formula(self, expression: Expression) -> str:
        """Return an expression as a formula.

        Raises:
            NoPhraseError: it holds a pattern or a variable that nothing binds, or it would name two things alike.
        """
        texts: dict[Any, str] = {}

        def refer(term: Any) -> str:
            text = self.formula_term(term)
            if is_open(term):
                texts[term] = text
            return text

        text = render_formula(expression, refer, self.computed)
        if len(set(texts.values())) < len(texts):
            raise NoPhraseError("two things of one name")
        return text

    def formula_term(self, term: Any) -> str:
        """Return a term within a formula, without the article of a thing that is introduced."""
        is_bound = not isinstance(term, Variable) or term in (*self.aliases, *self.computed, *self.bound)
        if not isinstance(term, (Variable, URIRef, Literal)) or not is_bound:
            raise NoPhraseError("an aggregate among single things, or a variable without a pattern")
        return self.reference(term, is_brief=True).removeprefix("that ")

    @property
    def bound(self) -> frozenset[Any]:
        """The terms that the required patterns bind."""
        return open_terms((self.group.edges, self.group.values))

    def is_functional(self, edge: TripleEdge) -> bool:
        """Tell whether a subject has at most one object in this edge."""
        entry = self.names.entry(edge.predicate)
        return type(edge.predicate) is str or (entry is not None and entry.is_functional)
