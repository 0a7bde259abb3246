"""The things and values that a SELECT query without aggregates asks for, as a noun phrase or a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rdflib import Variable

from chattykg.verbalization.algebra import Expression, SelectQuery, TripleEdge, is_open, path_iris, variables_of
from chattykg.verbalization.descriptions import PatternDescriber
from chattykg.verbalization.expressions import is_year_of
from chattykg.verbalization.measures import expanded, formula_of, name_by_properties, rank_word
from chattykg.verbalization.phrases import THING, add_every, is_verb, join_texts, ordinal, plural_noun
from chattykg.verbalization.superlatives import plain_variable


def selection_text(describer: PatternDescriber, select: SelectQuery) -> str:
    """Return what a query with one column asks for: all things, the first ones in an order, or a computed value."""
    if not select.columns:
        return "everything"
    target = select.columns[0]
    if target in describer.computed:
        return _formula(describer, describer.computed[target])
    if select.order:
        return _ordered(describer, select, target)
    if select.limit or select.offset:
        describer.is_partial |= bool(select.offset)
        head = f"up to {select.limit} " if select.limit != 1 else "one "
        noun = describer.noun(target)
        return f"{head}{plural_noun(noun) if select.limit != 1 else noun}{describer.clauses(target, noun)}"
    return asked_for(describer, target)


def _formula(describer: PatternDescriber, expression: Expression) -> str:
    year = is_year_of(expression)
    if year is not None:
        text = describer.property_of(year)
        return f"the year of the {text}" if text else f"the year of {asked_for(describer, year)}"
    return value_text(formula_of(describer, expression))


def _ordered(describer: PatternDescriber, select: SelectQuery, target: Variable) -> str:
    """Return the text of a superlative ("the film with the highest runtime"), or of all things in an order."""
    expression, descending = select.order[0]
    limit = select.limit
    if (owner := _ordered_owner(describer, target, expression)) is not None:
        (edge,) = describer.drain(target)
        describer.classes.pop(target, None)
        return f"the {describer.names.predicate(edge.predicate)} of {_ordered(describer, select, owner)}"
    noun = describer.noun(target)
    describer.aliases[target] = f"that {noun}"
    variable = plain_variable(expression)
    if variable == target:
        return _ordered_by_itself(describer, select, target, limit)
    extent = _extent(describer, target, expression, descending)
    clauses = describer.clauses(target, noun, is_plural_form=limit != 1)
    if not limit:
        return f"{plural_noun(noun)}{clauses}, those {extent} first"
    place = ordinal(select.offset + 1) if select.offset and limit == 1 else ""
    if place:
        extent = extent.replace("with the ", f"with the {place} ", 1)
    after = f", after the first {select.offset}" if select.offset and not place else ""
    head = f"the {noun}" if limit == 1 else f"the {limit} {plural_noun(noun)}"
    return f"{head} {extent}{clauses}{after}"


def _ordered_owner(describer: PatternDescriber, target: Any, expression: Expression) -> Any | None:
    """Return the thing that is ordered, if the target is only a property of it; else None."""
    edges = describer.incident(target)
    if len(edges) != 1 or edges[0].object != target or describer.is_restricted(target, edges[0]):
        return None
    owner = edges[0].subject
    is_verbal = is_verb(describer.names.predicate(edges[0].predicate))
    if is_verbal or describer.is_known(owner) or target in variables_of(expression):
        return None
    return owner


def _ordered_by_itself(describer: PatternDescriber, select: SelectQuery, target: Variable, limit: int) -> str:
    del describer.aliases[target]
    edges = [edge for edge in describer.edges if edge.object == target]
    text = describer.property_of(target, is_plural_form=limit != 1, with_conditions=True)
    if not limit or select.offset:
        describer.is_partial |= bool(select.offset)
        return f"the {text}" if text else asked_for(describer, target)
    if text and edges:
        rank = _rank(describer, edges[0], target, select.order[0][1])
        return f"the {rank} {text}" if limit == 1 else f"the {limit} {rank} {text}"
    noun = describer.noun(target)
    end = "last" if select.order[0][1] else "first"
    head = f"the {end} {noun}" if limit == 1 else f"the {end} {limit} {plural_noun(noun)}"
    return head + describer.clauses(target, noun)


def _extent(describer: PatternDescriber, target: Any, expression: Expression, descending: bool) -> str:
    """Return by what things are ordered ("with the highest runtime")."""
    variable = plain_variable(expression)
    edge = next((e for e in describer.edges if e.subject == target and e.object == variable), None)
    if variable is None or variable in describer.computed:
        owned = {edge.object for edge in describer.edges if edge.subject == target}
        if owned.issuperset(expanded(expression, describer)):
            name_by_properties(describer, expression)
        return f"with the {rank_word(describer, None, is_highest=descending)} {describer.formula(expression)}"
    if edge is None:
        text = describer.property_of(variable, with_conditions=True)
        if not text:
            describer.is_partial = True
            return f"with the {rank_word(describer, None, is_highest=descending)} value"
        rank = _rank(describer, None, variable, descending)
        return f"with the {rank} {text}"
    rank = _rank(describer, edge, variable, descending)
    label = describer.names.predicate(edge.predicate)
    if len(describer.incident(variable)) == 1 and not describer.is_restricted(variable, edge):
        describer.edges.remove(edge)
        describer.aliases[variable] = f"that {label}"
    return f"with the {rank} {label}"


def _rank(describer: PatternDescriber, edge: TripleEdge | None, variable: Any, descending: bool) -> str:
    if edge is not None and describer.names.name_predicates.issuperset(map(str, path_iris(edge.predicate))):
        return f"alphabetically {'last' if descending else 'first'}"
    return rank_word(describer, variable, is_highest=descending)


def table_text(describer: PatternDescriber, select: SelectQuery) -> str:
    """Return what a query with several columns asks for: a thing with the others as its properties."""
    root = _root(describer, select.columns)
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
    ordering = {variable for expression, _ in select.order[:1] if select.limit for variable in variables_of(expression)}
    texts = {
        column: _column(describer, column, owner)
        for column in columns
        if column not in ordering and not any(edge.predicate == root for edge in describer.incident(column))
    }
    is_owned = root not in select.columns
    is_cut = bool(select.limit)
    order = select.order if is_cut else ()
    single = replace(select, columns=(root,) if isinstance(root, Variable) else (), order=order)
    head = selection_text(describer, single) if is_open(root) else owner
    for column in columns:
        if not texts.get(column):
            texts[column] = _late_column(describer, column, optional, select)
    listed = join_texts([texts[column] for column in columns], "and")
    if is_owned and all(text.startswith("its ") for text in texts.values()):
        labels = [text.removeprefix("its ") for text in texts.values()]
        return f"the {join_texts(labels, 'and')} of {head}"
    return f"{head}, with {listed}" if listed else head


def _root(describer: PatternDescriber, columns: Sequence[Variable]) -> Any:
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


def _column(describer: PatternDescriber, column: Variable, owner: str) -> str:
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
    describer: PatternDescriber, column: Variable, optional: Mapping[Any, TripleEdge], select: SelectQuery
) -> str:
    if column in optional:
        edge = optional[column]
        owner = "its" if edge.subject in (*select.columns[:1], select.columns[0]) else "the"
        return f"{owner} {describer.names.predicate(edge.predicate)} (if there is one)"
    if column in describer.computed:
        return describer.formula(describer.computed[column]) or "a computed value"
    if column in describer.aliases:
        return describer.aliases[column]
    if not describer.incident(column) and not describer.classes.get(column) and column not in describer.given:
        return "further values"
    return describer.reference(column)


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


def value_text(formula: str) -> str:
    """Return a formula as a noun phrase."""
    return formula if formula.startswith("the ") else f"the value of {formula}"
