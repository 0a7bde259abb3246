"""The things and values that a SELECT query without aggregates asks for, as a noun phrase or a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from chattyshared.text import join_texts
from rdflib import Variable

from chattykg.verbalization.algebra import Expression, SelectQuery, TripleEdge, is_open, path_iris, variables_of
from chattykg.verbalization.descriptions import GROUP_MARK, PatternDescriber
from chattykg.verbalization.expressions import NoPhraseError, unwrap
from chattykg.verbalization.measures import expanded, formula_of, name_by_properties, rank_word
from chattykg.verbalization.phrases import THING, add_every, is_verb, ordinal, plural_noun


def selection_text(describer: PatternDescriber, select: SelectQuery) -> str:
    """Return what a query with one column asks for: all things, the first ones in an order, or a computed value."""
    if not select.columns:
        return "everything"
    target = select.columns[0]
    if not (known := describer.aliases.get(target, "that ")).startswith("that "):
        return cut_text(known, select)
    if target in describer.computed:
        inner = unwrap(describer.computed[target])
        is_plain = isinstance(inner, Variable)
        return cut_text(asked_for(describer, inner) if is_plain else value_text(formula_of(describer, inner)), select)
    order = next((each for each in select.order if _is_rank(describer, target, each[0])), None)
    if order is not None and (select.limit or not select.offset):
        return _ordered(describer, select, target, *order)
    if select.limit and not select.offset and target not in (edge.predicate for edge in describer.edges):
        noun = describer.noun(target)
        head = f"up to {select.limit} {plural_noun(noun)}" if select.limit != 1 else f"one {noun}"
        return head + describer.clauses(target, noun, is_plural_form=select.limit != 1)
    return cut_text(asked_for(describer, target), select)


def cut_text(text: str, select: SelectQuery) -> str:
    """Return the phrase of all solutions as one of those that LIMIT and OFFSET keep."""
    after = f"after the first {select.offset}, " if select.offset else ""
    return f"{after}up to {select.limit} of: {text}" if select.limit else f"{after}{text}"


def value_text(formula: str) -> str:
    """Return a formula as a noun phrase."""
    year = formula.removeprefix("year of ").removeprefix("the ")
    if formula.startswith("year of "):
        return f"the year of the {year}"
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
    text = describer.property_of(target, with_conditions=True)
    if text:
        return f"the {text}"
    noun = describer.noun(target)
    clauses = describer.clauses(target, noun)
    if noun == THING:
        return f"what{clauses.removeprefix(' that')}" if clauses.startswith(" that ") else f"everything{clauses}"
    return add_every(noun + clauses, noun)


# orders


def _is_rank(describer: PatternDescriber, target: Variable, expression: Expression) -> bool:
    """Tell whether the patterns bind different values of an expression, by which a target can be ordered."""
    terms = expanded(expression, describer)
    if target in terms and unwrap(expression) != target:
        return False
    return bool(terms) and describer.bound.issuperset(terms) and not any(term in describer.given for term in terms)


def _ordered(
    describer: PatternDescriber, select: SelectQuery, target: Variable, expression: Expression, is_descending: bool
) -> str:
    """Return the text of a superlative ("the film with the highest runtime"), or of all things in an order."""
    limit = select.limit
    if (owner := _ordered_owner(describer, target, expression)) is not None:
        (edge,) = describer.drain(target)
        describer.classes.pop(target, None)
        return f"the {describer.label(edge)} of {_ordered(describer, select, owner, expression, is_descending)}"
    noun = describer.noun(target)
    if unwrap(expression) == target:
        return _ordered_by_itself(describer, select, target, is_descending)
    describer.aliases[target] = f"that {noun}"
    extent = _extent(describer, target, expression, is_descending)
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
    is_verbal = is_verb(describer.label(edges[0]))
    if is_verbal or describer.is_known(owner) or target in variables_of(expression):
        return None
    return owner


def _ordered_by_itself(describer: PatternDescriber, select: SelectQuery, target: Variable, is_descending: bool) -> str:
    limit = select.limit
    edges = [edge for edge in describer.edges if edge.object == target]
    if not limit or select.offset:
        return cut_text(asked_for(describer, target), select)
    text = describer.property_of(target, is_plural_form=limit != 1, with_conditions=True)
    if text and edges:
        rank = _rank(describer, edges[0], target, is_descending)
        return f"the {rank} {text}" if limit == 1 else f"the {limit} {rank} {text}"
    noun = describer.noun(target)
    end = "last" if is_descending else "first"
    head = f"the {end} {noun}" if limit == 1 else f"the {end} {limit} {plural_noun(noun)}"
    return head + describer.clauses(target, noun, is_plural_form=limit != 1)


def _extent(describer: PatternDescriber, target: Any, expression: Expression, is_descending: bool) -> str:
    """Return by what things are ordered ("with the highest runtime")."""
    variable = unwrap(expression)
    edge = next((e for e in describer.edges if e.subject == target and e.object == variable), None)
    if not isinstance(variable, Variable) or variable in describer.computed:
        owned = {edge.object for edge in describer.edges if edge.subject == target}
        if owned.issuperset(expanded(expression, describer)):
            name_by_properties(describer, expression)
        return f"with the {rank_word(describer, None, is_highest=is_descending)} {describer.formula(expression)}"
    rank = _rank(describer, edge, variable, is_descending)
    if edge is None:
        text = describer.property_of(variable, with_conditions=True) or describer.reference(variable)
        return f"with the {rank} {text}"
    label = describer.label(edge).replace(GROUP_MARK, "each")
    if len(describer.incident(variable)) == 1 and not describer.is_restricted(variable, edge):
        describer.edges.remove(edge)
        describer.aliases[variable] = f"that {label}"
    return f"with the {rank} {label}"


def _rank(describer: PatternDescriber, edge: TripleEdge | None, variable: Any, is_descending: bool) -> str:
    iris = path_iris(edge.predicate) if edge is not None else ()
    if iris and describer.names.name_predicates.issuperset(map(str, iris)):
        return f"alphabetically {'last' if is_descending else 'first'}"
    return rank_word(describer, variable, is_highest=is_descending)


# tables


def table_text(describer: PatternDescriber, select: SelectQuery) -> str:
    """Return what a query with several columns asks for: a thing with the others as its properties."""
    root = _root(describer, select.columns)
    columns = [column for column in select.columns if column != root]
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
    single = replace(select, columns=(root,) if is_open(root) else (), order=select.order if select.limit else ())
    head = selection_text(describer, single) if is_open(root) else owner
    listed = [texts.get(column) or _late_column(describer, column, owner, select) for column in columns]
    texts_of_root = join_texts(list(dict.fromkeys(listed)), "and")
    if root in select.columns:
        return f"{head}, with {texts_of_root}" if listed else head
    if all(text.startswith("its ") for text in listed):
        return f"the {join_texts([text.removeprefix('its ') for text in listed], 'and')} of {head}"
    return f"for {head}, {texts_of_root}"


def _root(describer: PatternDescriber, columns: Sequence[Variable]) -> Any:
    """Return the term that the columns belong to: the first column, or the thing whose properties they are."""
    first = columns[0]
    predicate = next((edge.predicate for edge in describer.edges if edge.predicate in columns), None)
    if predicate is not None:
        return predicate
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


def _column(describer: PatternDescriber, column: Variable, owner: str, *, with_conditions: bool = False) -> str:
    """Return a column as a property of what the table is about, before that is described; "" if it is none."""
    if column in describer.computed:
        return ""
    text = describer.property_of(column, with_conditions=with_conditions)
    label = text.removesuffix(f" of {owner}")
    return f"its {label}" if label != text else f"the {text}" if text else ""


def _late_column(describer: PatternDescriber, column: Variable, owner: str, select: SelectQuery) -> str:
    if column in describer.computed:
        try:
            return describer.formula(describer.computed[column])
        except NoPhraseError:
            return "a computed value"
    if column in describer.aliases:
        return describer.aliases[column]
    if describer.incident(column) or column in describer.given or column in describer.classes:
        return describer.reference(column)
    optional = next((each for each in select.group.optionals if column in variables_of(each)), None)
    inner = describer.inner(optional) if optional is not None else None
    text = _column(inner, column, owner, with_conditions=True) if inner is not None else ""
    is_whole = inner is not None and text and not (inner.unsaid() or inner.is_partial)
    return f"{text} (if there is one)" if is_whole else "further values"
