"""Sentences for queries: what a SELECT or ASK query asks, as an English phrase.

What a phrase cannot say stands in it as a formula, or it ends with "with further conditions": it is never false.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os.path import commonprefix
from typing import Any

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.vocabulary import Vocabulary
from chattyshared.profile import LABEL_PREDICATES, SUBCLASS_PREDICATES, TYPE_PREDICATES
from chattyshared.terms import has_opaque_name, iri_to_words, local_name
from rdflib import Literal, URIRef, Variable
from rdflib.plugins.sparql.parserutils import CompValue

from chattykg.verbalization.algebra import (
    Edge,
    Expression,
    GroupPattern,
    SelectPattern,
    is_open,
    order_edges,
    path_iris,
    read_query,
    variables_of,
)
from chattykg.verbalization.descriptions import (
    GROUP_MARK,
    THING,
    PatternDescriber,
    QueryNames,
    add_every,
    is_verb,
    join_texts,
    plural_noun,
    pluralize_clause,
)
from chattykg.verbalization.expressions import is_year_of, read_condition, render_formula
from chattykg.verbalization.measures import (
    compare_measure,
    expanded,
    extreme_clause,
    find_aggregate,
    formula_of,
    grouped_text,
    measure_text,
    name_by_properties,
    rank_word,
)

MAX_CHARACTERS = 400
_FURTHER = " with further conditions"
_RANKS = ("highest", "lowest")


def verbalize_query(
    sparql: str, kg: KnowledgeGraph, *, row_limit: int = 0, known_labels: Mapping[str, str] | None = None
) -> str:
    """Return a query in words: "every film whose director is Ann Lee and whose year is more than 2010".

    "" for a text that is no SELECT or ASK query. ``row_limit`` is a LIMIT that means nothing; ``known_labels`` are
    those of IRIs; one request for the others.

    Raises:
        EndpointError: the KG could not be asked.
    """
    select = read_query(sparql)
    if select is None:
        return ""
    labels = dict(known_labels or {})
    unknown = [URIRef(iri) for iri in _iris_of(select) if iri not in labels]
    labels |= {str(term): label for term, label in kg.labels(unknown).items()} if unknown else {}
    profile = kg.profile
    names = QueryNames(
        kg.vocabulary,
        lambda iri: _label_of(iri, labels, kg.vocabulary),
        frozenset((*TYPE_PREDICATES, *profile.types)),
        frozenset((*SUBCLASS_PREDICATES, *profile.subclasses)),
        frozenset((*LABEL_PREDICATES, *profile.labels, *profile.alt_labels)),
    )
    sentence = _Verbalizer(names, sparql, row_limit).sentence(select)
    return sentence if len(sentence) <= MAX_CHARACTERS else f"{sentence[: MAX_CHARACTERS - 1]}…"


def _label_of(iri: str, labels: Mapping[str, str], vocabulary: Vocabulary) -> str:
    """Return the label of an IRI; an identifier that only other namespaces label has their label ("P57")."""
    label = labels.get(iri) or iri_to_words(iri)
    if label != local_name(iri) or not has_opaque_name(iri):
        return label
    entries = (entry for other, entry in vocabulary.predicates.items() if local_name(other) == label)
    return next((entry.label for entry in entries if entry.label != label), label)


def _iris_of(value: Any) -> dict[str, None]:
    """Return the IRIs in the parts of a query."""
    found: dict[str, None] = {}
    stack = [value]
    while stack:
        part = stack.pop()
        if isinstance(part, URIRef):
            found[str(part)] = None
        elif isinstance(part, (Literal, str, int, type(None))) or is_open(part):
            continue
        elif isinstance(part, Mapping):
            stack.extend(item for key, item in part.items() if key not in ("_vars", "iri"))
        elif isinstance(part, (list, tuple)):
            stack.extend(part)
        elif isinstance(part, (GroupPattern, SelectPattern, Edge)):
            stack.extend(getattr(part, name) for name in part.__dataclass_fields__)
        else:
            stack.extend(path_iris(part))
    return found


@dataclass(slots=True)
class _Verbalizer:
    """Writes the phrase of a query; subqueries are phrases of their own."""

    names: QueryNames
    sparql: str
    row_limit: int = 0

    def sentence(self, select: SelectPattern) -> str:
        """Return the phrase of a query: its alternatives joined, where what they share is said once."""
        select = _resolve_superlative(select)
        sentences = [self._alternative(replace(select, group=group)) for group in select.group.alternatives()]
        return join_alternatives(sentences)

    def _alternative(self, select: SelectPattern) -> str:
        describer = self._describe_group(select)
        if select.is_ask:
            text = self._truth(describer, select)
        elif select.is_aggregated:
            text = self._aggregated(describer, select)
        elif len(select.columns) == 1 or not select.columns:
            text = self._single(describer, select)
        else:
            text = self._table(describer, select)
        return self._finished(text, describer, select)

    def _finished(self, text: str, describer: PatternDescriber, select: SelectPattern) -> str:
        """Return a phrase with what its noun phrases left out."""
        rest = describer.unsaid()
        if select.is_ask:
            statements = [each for each in (text, *rest) if each]
            text = f"whether {' and '.join(statements) or 'there is anything'}"
        elif rest:
            text += f", where {' and '.join(rest)}"
        if self._has_hidden_optional(select):
            describer.is_partial = True
        return text + (_FURTHER if describer.is_partial else "")

    def _has_hidden_optional(self, select: SelectPattern) -> bool:
        """Tell whether an OPTIONAL decides which solutions there are: an expression uses its variables."""
        used = {variable for each in select.group.filters for variable in variables_of(each)}
        required = select.group.variables()
        return any((each.variables() - required) & used for each in select.group.optionals)

    def _describe_group(self, select: SelectPattern) -> PatternDescriber:
        """Return a describer of the group, with its subqueries as computed properties and names."""
        group, aliases = select.group, dict[Any, str]()
        members: dict[Any, str] = {}
        for sub in group.subqueries:
            columns = [column for column in sub.columns if column not in sub.groups]
            aggregates = [(column, find_aggregate(column, sub)) for column in columns]
            if sub.is_aggregated and not sub.groups and len(columns) == 1:
                aliases[columns[0]] = self.sentence(sub)
            elif len(sub.groups) == 1 and columns and all(a for _, a in aggregates) and not (sub.having or sub.limit):
                group += GroupPattern(edges=tuple(
                    Edge(sub.groups[0], self._computed_property(sub, aggregate), column)
                    for column, aggregate in aggregates if aggregate
                ))  # fmt: skip
            elif len(sub.columns) == 1 and not columns or (not sub.is_aggregated and len(sub.columns) == 1):
                members[sub.columns[0]] = self.sentence(sub)
            else:
                group += GroupPattern(unread=("subquery",))
        measured = frozenset(
            variable
            for expression in (*select.computed.values(), *(each for each, _ in select.order), *select.columns)
            for variable in variables_of(expression)
        )
        computed = {name: each for name, each in select.computed.items()}
        group = order_edges(group, self.sparql)
        describer = PatternDescriber(group, self.names, computed, aliases, measured)
        for term, text in members.items():
            describer.members[term] = text
        return describer

    def _computed_property(self, sub: SelectPattern, aggregate: CompValue) -> str:
        """Return the text of the aggregate of a grouped subquery as the label of a property of its group."""
        describer = self._describe_group(replace(sub, group=sub.group.alternatives()[0]))
        describer.is_partial |= len(sub.group.alternatives()) > 1
        describer.aliases[sub.groups[0]] = GROUP_MARK
        text = measure_text(describer, aggregate)
        rest = describer.unsaid()
        return text + (f" (where {' and '.join(rest)})" if rest else "") + (_FURTHER if describer.is_partial else "")

    # yes-or-no questions

    def _truth(self, describer: PatternDescriber, select: SelectPattern) -> str:
        texts = []
        for sub in select.group.subqueries:
            if sub.is_aggregated and not sub.groups and sub.having:
                inner = self._describe_group(replace(sub, group=sub.group.alternatives()[0], having=()))
                describer.is_partial |= len(sub.group.alternatives()) > 1
                texts += [self._having_statement(inner, sub, each) for each in sub.having]
                describer.is_partial |= inner.is_partial or bool(inner.unsaid())
        open_terms = [term for term in (*describer.classes, *describer.named) if is_open(term)]
        for term in open_terms:
            is_free = not any(describer.is_known(end) for edge in describer.incident(term) for end in edge.ends)
            if term not in describer.aliases and is_free:
                texts.append(f"there is {describer.reference(term)}")
        return " and ".join(texts)

    def _having_statement(self, describer: PatternDescriber, sub: SelectPattern, expression: Expression) -> str:
        comparison = _read_having(expression, sub)
        if comparison is None:
            describer.is_partial = True
            return ""
        aggregate, operator, value = comparison
        words = {">": "more than ", ">=": "at least ", "<": "less than ", "<=": "at most ", "!=": "not "}
        return f"the {measure_text(describer, aggregate)} is {words.get(operator, '')}{value}"

    # questions for things and values

    def _single(self, describer: PatternDescriber, select: SelectPattern) -> str:
        if not select.columns:
            return "everything"
        target = select.columns[0]
        if target in describer.computed:
            return self._formula(describer, describer.computed[target])
        if select.order:
            return self._ordered(describer, select, target)
        if 0 < select.limit and select.limit != self.row_limit or select.offset:
            describer.is_partial |= bool(select.offset)
            head = f"up to {select.limit} " if select.limit != 1 else "one "
            noun = describer.noun(target)
            return f"{head}{plural_noun(noun) if select.limit != 1 else noun}{describer.clauses(target, noun)}"
        return asked_for(describer, target)

    def _formula(self, describer: PatternDescriber, expression: Expression) -> str:
        year = is_year_of(expression)
        if year is not None:
            text = describer.property_of(year)
            return f"the year of the {text}" if text else f"the year of {asked_for(describer, year)}"
        return _value_of(formula_of(describer, expression))

    def _ordered(self, describer: PatternDescriber, select: SelectPattern, target: Variable) -> str:
        """Return the text of a superlative ("the film with the highest runtime"), or of all things in an order."""
        expression, descending = select.order[0]
        limit = select.limit if select.limit != self.row_limit else 0
        if (owner := self._ordered_owner(describer, target, expression)) is not None:
            (edge,) = describer.drain(target)
            describer.classes.pop(target, None)
            return f"the {self.names.predicate(edge.predicate)} of {self._ordered(describer, select, owner)}"
        noun = describer.noun(target)
        describer.aliases[target] = f"that {noun}"
        variable = _plain_variable(expression)
        if variable == target:
            return self._ordered_by_itself(describer, select, target, limit)
        extent = self._extent(describer, target, expression, descending)
        clauses = describer.clauses(target, noun, is_plural_form=limit != 1)
        if not limit:
            return f"{plural_noun(noun)}{clauses}, those {extent} first"
        place = _ordinal(select.offset + 1) if select.offset and limit == 1 else ""
        if place:
            extent = extent.replace("with the ", f"with the {place} ", 1)
        after = f", after the first {select.offset}" if select.offset and not place else ""
        head = f"the {noun}" if limit == 1 else f"the {limit} {plural_noun(noun)}"
        return f"{head} {extent}{clauses}{after}"

    def _ordered_owner(self, describer: PatternDescriber, target: Any, expression: Expression) -> Any | None:
        """Return the thing that is ordered, if the target is only a property of it; else None."""
        edges = describer.incident(target)
        if len(edges) != 1 or edges[0].object != target or describer.is_restricted(target, edges[0]):
            return None
        owner = edges[0].subject
        is_verbal = is_verb(self.names.predicate(edges[0].predicate))
        if is_verbal or describer.is_known(owner) or target in variables_of(expression):
            return None
        return owner

    def _ordered_by_itself(
        self, describer: PatternDescriber, select: SelectPattern, target: Variable, limit: int
    ) -> str:
        del describer.aliases[target]
        edges = [edge for edge in describer.edges if edge.object == target]
        text = describer.property_of(target, is_plural_form=limit != 1, with_conditions=True)
        if not limit or select.offset:
            describer.is_partial |= bool(select.offset)
            return f"the {text}" if text else asked_for(describer, target)
        if text and edges:
            rank = self._rank(describer, edges[0], target, select.order[0][1])
            return f"the {rank} {text}" if limit == 1 else f"the {limit} {rank} {text}"
        noun = describer.noun(target)
        end = "last" if select.order[0][1] else "first"
        head = f"the {end} {noun}" if limit == 1 else f"the {end} {limit} {plural_noun(noun)}"
        return head + describer.clauses(target, noun)

    def _extent(self, describer: PatternDescriber, target: Any, expression: Expression, descending: bool) -> str:
        """Return by what things are ordered ("with the highest runtime")."""
        variable = _plain_variable(expression)
        edge = next((e for e in describer.edges if e.subject == target and e.object == variable), None)
        if variable is None or variable in describer.computed:
            owned = {edge.object for edge in describer.edges if edge.subject == target}
            if owned.issuperset(expanded(expression, describer)):
                name_by_properties(describer, expression)
            return f"with the {_RANKS[not descending]} {describer.formula(expression)}"
        if edge is None:
            text = describer.property_of(variable, with_conditions=True)
            if not text:
                describer.is_partial = True
                return f"with the {_RANKS[not descending]} value"
            rank = self._rank(describer, None, variable, descending)
            return f"with the {rank} {text}"
        rank = self._rank(describer, edge, variable, descending)
        label = describer.names.predicate(edge.predicate)
        if len(describer.incident(variable)) == 1 and not describer.is_restricted(variable, edge):
            describer.edges.remove(edge)
            describer.aliases[variable] = f"that {label}"
        return f"with the {rank} {label}"

    def _rank(self, describer: PatternDescriber, edge: Edge | None, variable: Any, descending: bool) -> str:
        if edge is not None and self.names.name_predicates.issuperset(map(str, path_iris(edge.predicate))):
            return f"alphabetically {'last' if descending else 'first'}"
        return rank_word(describer, variable, is_highest=descending)

    # tables

    def _table(self, describer: PatternDescriber, select: SelectPattern) -> str:
        root = self._root(describer, select.columns)
        if any(edge.predicate in select.columns for edge in describer.edges):
            root = next(edge.predicate for edge in describer.edges if edge.predicate in select.columns)
        columns = [column for column in select.columns if column != root]
        optional = {
            edge.object: edge for each in select.group.optionals for edge in each.edges
            if edge.object in columns and edge.object not in select.group.variables()
        }  # fmt: skip
        noun = describer.noun(root) if is_open(root) else ""
        if root in describer.aliases or not is_open(root):
            owner = describer.reference(root)
        else:
            owner = describer.aliases[root] = f"that {noun}"
        ordering = {
            variable
            for expression, _ in select.order[:1]
            if select.limit not in (0, self.row_limit)
            for variable in variables_of(expression)
        }
        texts = {
            column: self._column(describer, column, owner)
            for column in columns
            if column not in ordering and not any(edge.predicate == root for edge in describer.incident(column))
        }
        is_owned = root not in select.columns
        is_cut = select.limit and select.limit != self.row_limit
        order = select.order if is_cut else ()
        single = replace(select, columns=(root,) if isinstance(root, Variable) else (), order=order)
        head = self._single(describer, single) if is_open(root) else owner
        for column in columns:
            if not texts.get(column):
                texts[column] = self._late_column(describer, column, optional, select)
        listed = join_texts([texts[column] for column in columns], "and")
        if is_owned and all(text.startswith("its ") for text in texts.values()):
            labels = [text.removeprefix("its ") for text in texts.values()]
            return f"the {join_texts(labels, 'and')} of {head}"
        return f"{head}, with {listed}" if listed else head

    def _root(self, describer: PatternDescriber, columns: Sequence[Variable]) -> Any:
        """Return the term that the columns belong to: the first column, or the thing whose properties they are."""
        first = columns[0]
        if describer.classes.get(first) or any(edge.subject == first for edge in describer.edges):
            return first
        owners = [edge.subject for edge in describer.edges if edge.object == first]
        if len(owners) == 1 and all(
            any(edge.subject == owners[0] and edge.object == column for edge in describer.group.edges)
            or column == owners[0]
            or column in describer.computed
            for column in columns
        ):
            return owners[0]
        return first

    def _column(self, describer: PatternDescriber, column: Variable, owner: str) -> str:
        """Return a column as a property of what the table is about, before that is described; "" if it is none."""
        if column in describer.computed:
            return ""
        is_own = any(
            edge.object == column and describer.reference(edge.subject) == owner
            for edge in describer.edges
            if not is_open(edge.subject) or edge.subject in describer.aliases
        )
        text = describer.property_of(column)
        if text and is_own:
            return f"its {text.removesuffix(f' of {owner}')}"
        return f"the {text}" if text else ""

    def _late_column(
        self, describer: PatternDescriber, column: Variable, optional: Mapping[Any, Edge], select: SelectPattern
    ) -> str:
        if column in optional:
            edge = optional[column]
            owner = "its" if edge.subject in (*select.columns[:1], select.columns[0]) else "the"
            return f"{owner} {self.names.predicate(edge.predicate)} (if there is one)"
        if column in describer.computed:
            return describer.formula(describer.computed[column]) or "a computed value"
        if column in describer.aliases:
            return describer.aliases[column]
        if not describer.incident(column) and not describer.classes.get(column) and column not in describer.given:
            return "further values"
        return describer.reference(column)

    # aggregates

    def _aggregated(self, describer: PatternDescriber, select: SelectPattern) -> str:
        measures = [column for column in select.columns if column not in select.groups]
        if not select.groups:
            texts = [self._measure(select, column) for column in measures]
            first = self._measure(select, measures[0], describer) if measures else "everything"
            return join_measures([first, *texts[1:]])
        order = find_aggregate(select.order[0][0], select) if select.order else None
        limit = select.limit if select.limit != self.row_limit else 0
        if not measures or (order is not None and limit):
            return self._ranked_groups(describer, select, order, limit, measures)
        texts = []
        for column in measures:
            own = describer if column is measures[0] else self._describe_group(select)
            aggregate = find_aggregate(column, select)
            texts.append(
                grouped_text(own, select.groups, aggregate)
                if aggregate is not None
                else self._group_formula(own, select, column)
            )
            if own is not describer:
                own.unsaid()
                describer.is_partial |= own.is_partial
        text = join_measures(texts)
        for expression in select.having:
            text += self._having_note(describer, select, expression, measures)
        if limit:
            text += f", up to {limit} of them"
        return text

    def _measure(self, select: SelectPattern, column: Variable, describer: PatternDescriber | None = None) -> str:
        """Return the text of an aggregate over all solutions."""
        own = describer or self._describe_group(select)
        aggregate = find_aggregate(column, select)
        sub = own.group.subqueries[0] if len(own.group.subqueries) == 1 else None
        if aggregate is not None and sub is not None and aggregate.name == "Aggregate_Count" and not own.group.edges:
            return f"the number of {self._plural(sub)}" if not sub.is_ask else ""
        if aggregate is None:
            text = _value_of(self._aggregate_formula(own, select, column))
        else:
            text = f"the {measure_text(own, aggregate)}"
        return text if describer is not None else self._finished(text, own, select)

    def _plural(self, sub: SelectPattern) -> str:
        """Return what a subquery selects as plural, from its phrase in the singular."""
        inner = self._describe_group(replace(sub, group=sub.group.alternatives()[0]))
        return self._finished(self._group_phrase(inner, sub, is_plural_form=True), inner, sub)

    def _aggregate_formula(self, describer: PatternDescriber, select: SelectPattern, column: Variable) -> str:
        """Return a formula over aggregates, each with its own description."""
        computed = {name: each for name, each in select.computed.items() if find_aggregate(name, select) is None}

        def refer(term: Any) -> str:
            aggregate = find_aggregate(term, select)
            if aggregate is None:
                return describer.formula_term(term)
            own = self._describe_group(select)
            text = measure_text(own, aggregate)
            describer.is_partial |= own.is_partial or bool(own.unsaid())
            return f"the {text}"

        try:
            text = render_formula(select.computed[column], refer, computed)
        except (ValueError, KeyError):
            describer.is_partial = True
            return "a formula"
        describer.edges.clear()
        describer.classes.clear()
        describer.conditions.clear()
        describer.named.clear()
        describer.formulas.clear()
        describer.negated.clear()
        return text

    def _group_formula(self, describer: PatternDescriber, select: SelectPattern, column: Variable) -> str:
        for group in select.groups:
            describer.aliases[group] = f"that {describer.noun(group)}"
        nouns = join_texts([describer.noun(group) for group in select.groups], "and")
        return f"for each {nouns}, {self._aggregate_formula(describer, select, column)}"

    def _group_phrase(self, describer: PatternDescriber, select: SelectPattern, *, is_plural_form: bool = False) -> str:
        """Return the groups of a query, with the conditions on their aggregates."""
        group = select.groups[0] if select.groups else select.columns[0]
        noun = describer.noun(group)
        describer.aliases[group] = f"that {noun}"
        conditions = [self._having_clause(describer, select, group, each) for each in select.having]
        clauses = describer.clauses(group, noun, is_plural_form=is_plural_form)
        parts = [pluralize_clause(each) if is_plural_form else each for each in conditions if each]
        text = " ".join(
            (plural_noun(noun) if is_plural_form else noun, *parts[:1], *(f"and {each}" for each in parts[1:]))
        )
        return text + (f" and{clauses}" if parts and clauses else clauses)

    def _ranked_groups(
        self, describer: PatternDescriber, select: SelectPattern, order: CompValue | None, limit: int,
        measures: Sequence[Variable],
    ) -> str:  # fmt: skip
        """Return groups that have an aggregate, or the first ones by an aggregate."""
        if len(select.groups) > 1:
            describer.is_partial |= len([c for c in select.columns if c in select.groups]) > 1
        group = next((column for column in select.columns if column in select.groups), select.groups[0])
        if order is None or not limit:
            if select.order and limit and order is None:
                plain = _plain_variable(select.order[0][0])
                if plain is not None and plain not in select.groups:
                    describer.is_partial = True
            phrase = self._group_phrase(describer, replace(select, groups=(group,)))
            head = f"up to {limit} of: " if limit else ""
            return f"{head}{add_every(phrase)}"
        noun = describer.noun(group)
        describer.aliases[group] = f"that {noun}"
        extent = extreme_clause(describer, group, order, is_highest=select.order[0][1])
        conditions = [self._having_clause(describer, select, group, each) for each in select.having]
        clauses = describer.clauses(group, noun, is_plural_form=limit != 1)
        if limit != 1:
            extent = extent.replace("that is ", "that are ", 1)
        head = f"the {noun}" if limit == 1 else f"the {limit} {plural_noun(noun)}"
        if select.offset:
            head = f"after the first {select.offset}, {head}"
        shown = [find_aggregate(column, select) for column in measures]
        notes = ["that value"] if any(each is not None and _same(each, order) for each in shown) else []
        notes += ["further values"] if any(each is None or not _same(each, order) for each in shown) else []
        text = " ".join([head, extent, *(each for each in conditions if each)]) + clauses
        return text + (f", with {' and '.join(notes)}" if notes else "")

    def _having_clause(
        self, describer: PatternDescriber, select: SelectPattern, group: Any, expression: Expression
    ) -> str:
        comparison = _read_having(expression, select)
        if comparison is None:
            describer.is_partial = True
            return ""
        return compare_measure(describer, group, *comparison)

    def _having_note(
        self, describer: PatternDescriber, select: SelectPattern, expression: Expression, measures: Sequence[Variable]
    ) -> str:
        """Return a condition on an aggregate that is shown as a column."""
        comparison = _read_having(expression, select)
        shown = [find_aggregate(column, select) for column in measures]
        if comparison is None or len(shown) != 1 or shown[0] is None or not _same(shown[0], comparison[0]):
            describer.is_partial = True
            return ""
        words = {">": "more than ", ">=": "at least ", "<": "less than ", "<=": "at most ", "!=": "not "}
        noun = "number" if comparison[0].name == "Aggregate_Count" else "value"
        return f", where this {noun} is {words.get(comparison[1], '')}{comparison[2]}"


def _value_of(formula: str) -> str:
    return formula if formula.startswith("the ") else f"the value of {formula}"


def asked_for(describer: PatternDescriber, target: Any) -> str:
    """Return the text of a target: a property of something, or every thing of a class."""
    edge = next((edge for edge in describer.edges if edge.predicate == target), None)
    if edge is not None:
        describer.edges.remove(edge)
        describer.aliases[target] = "that property"
        is_value = is_open(edge.object) and not describer.incident(edge.object)
        owner = describer.reference(edge.subject)
        if not is_value:
            return f"every property that relates {owner} to {describer.reference(edge.object)}"
        describer.aliases[edge.object] = "its value"
        return f"every property of {owner}"
    text = describer.property_of(target)
    if text:
        return f"the {text}"
    noun = describer.noun(target)
    clauses = describer.clauses(target, noun)
    if noun == THING:
        return f"what{clauses.removeprefix(' that')}" if clauses.startswith(" that ") else f"everything{clauses}"
    return add_every(noun + clauses, noun)


def join_alternatives(sentences: Sequence[str]) -> str:
    """Return sentences of alternatives as one: what is the same at their beginnings and ends is said once."""
    start, middles, end = _shared_words(sentences)
    if len(middles) < 2:
        return sentences[0]
    is_long = any(" and " in middle or not middle for middle in middles)
    text = f"either {' or '.join(middles)}" if is_long and all(middles) else " or ".join(middles)
    return text if not all(middles) and not (start or end) else " ".join(filter(None, (start, text, end)))


def join_measures(texts: Sequence[str]) -> str:
    """Return texts of several aggregates as one: what is the same is said once where that is clear."""
    start, middles, end = _shared_words(texts)
    if len(middles) > 1 and all(len(middle.split()) == 1 for middle in middles):
        return " ".join(filter(None, (start, " and ".join(middles), end)))
    lead = start.rpartition(", ")[0] + ", " if start.startswith("for each ") and ", " in start else ""
    return lead + " and ".join(dict.fromkeys(text.removeprefix(lead) for text in texts))


def _shared_words(sentences: Sequence[str]) -> tuple[str, list[str], str]:
    """Return the words with which all sentences begin, what is between in each, and the words with which they end."""
    words = [sentence.split() for sentence in dict.fromkeys(sentences)]
    start = len(commonprefix(words))
    end = len(commonprefix([each[: start - 1 : -1] if start else each[::-1] for each in words]))
    middles = [" ".join(each[start : len(each) - end]) for each in words]
    return " ".join(words[0][:start]), middles, " ".join(words[0][len(words[0]) - end :] if end else ())


def _plain_variable(expression: Expression) -> Variable | None:
    """Return the variable that an expression is, without casts."""
    if isinstance(expression, Variable):
        return expression
    condition = read_condition(CompValue("RelationalExpression", expr=expression, op="=", other=Literal(0)))
    return condition.variable if condition is not None and not condition.is_period else None


def _read_having(expression: Expression, select: SelectPattern) -> tuple[CompValue, str, str] | None:
    """Return the aggregate, the operator and the value of a condition on groups."""
    if not (isinstance(expression, CompValue) and expression.name == "RelationalExpression"):
        return None
    aggregate = find_aggregate(expression.expr, select)
    is_read = aggregate is not None and isinstance(expression.other, Literal) and expression.op not in ("IN", "NOT IN")
    return (aggregate, expression.op, str(expression.other)) if is_read and aggregate is not None else None


def _same(aggregate: CompValue, other: CompValue) -> bool:
    """Tell whether two aggregates are the same, whatever variable stands for them."""
    return bool(aggregate.name == other.name and aggregate.vars == other.vars and aggregate.distinct == other.distinct)


def _resolve_superlative(select: SelectPattern) -> SelectPattern:
    """Return a query that compares with the extreme of its own solutions as one that keeps the first of them."""
    for sub in select.group.subqueries:
        aggregate = find_aggregate(sub.columns[0], sub) if len(sub.columns) == 1 and not sub.groups else None
        if aggregate is None or aggregate.name not in ("Aggregate_Max", "Aggregate_Min") or sub.having:
            continue
        best, descending = sub.columns[0], aggregate.name == "Aggregate_Max"
        test = next((each for each in select.group.filters if _equals(each, best)), None)
        if test is None:
            continue
        others = tuple(each for each in select.group.subqueries if each is not sub)
        filters = tuple(each for each in select.group.filters if each is not test)
        rest = replace(select.group, subqueries=others, filters=filters)
        if len(others) == 1 and not rest.edges and sub.group.subqueries == others:
            order = ((others[0].computed[_other_side(test, best)], descending),)
            return replace(others[0], columns=select.columns, order=order, limit=1)
        if _plain_variable(_other_side(test, best)) == _plain_variable(aggregate.vars) and _same_group(rest, sub.group):
            return replace(select, group=rest, order=((aggregate.vars, descending),), limit=1)
    return select


def _equals(expression: Expression, variable: Variable) -> bool:
    is_equation = isinstance(expression, CompValue) and expression.name == "RelationalExpression"
    return is_equation and expression.op == "=" and variable in (expression.expr, expression.other)


def _other_side(expression: Any, variable: Variable) -> Expression:
    return expression.other if expression.expr == variable else expression.expr


def _same_group(group: GroupPattern, other: GroupPattern) -> bool:
    """Tell whether two groups say the same, apart from tests of types."""

    def essence(each: GroupPattern) -> tuple[Any, ...]:
        tests = [repr(f) for f in each.filters if (c := read_condition(f)) is None or c.operator != "guard"]
        return frozenset(each.edges), sorted(tests), repr(each.negated), repr(each.unions), each.values, each.binds

    return essence(group) == essence(other)


def _ordinal(number: int) -> str:
    suffix = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"
