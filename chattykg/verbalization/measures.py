"""Aggregates in words: "number of films", "the most films", "average runtime of every film"."""

from __future__ import annotations

from typing import Any

from rdflib import Variable
from rdflib.plugins.sparql.parserutils import CompValue

from chattykg.verbalization.algebra import Expression, SelectQuery, TripleEdge, is_open, variables_of
from chattykg.verbalization.descriptions import PatternDescriber
from chattykg.verbalization.expressions import AGGREGATE_WORDS
from chattykg.verbalization.phrases import THING, add_every, is_verb, plural_noun

_QUANTITIES = {
    ">": "more than ", ">=": "at least ", "<": "fewer than ", "<=": "at most ", "=": "exactly ", "!=": "other than ",
}  # fmt: skip
COMPARISONS = {
    ">": "more than ", ">=": "at least ", "<": "less than ", "<=": "at most ", "=": "", "!=": "not ",
}  # fmt: skip


def find_aggregate(expression: Expression, select: SelectQuery) -> CompValue | None:
    """Return the aggregate that an expression is, None if it is something else."""
    seen: set[Variable] = set()
    while isinstance(expression, Variable) and expression in select.computed and expression not in seen:
        seen.add(expression)
        expression = select.computed[expression]
    is_aggregate = isinstance(expression, CompValue) and expression.name.startswith("Aggregate_")
    return expression if is_aggregate else None


def measure_text(describer: PatternDescriber, aggregate: CompValue) -> str:
    """Return an aggregate as a noun phrase without article ("number of films by Ann Lee", "average runtime of ...")."""
    kind, argument = aggregate.name.removeprefix("Aggregate_"), aggregate.vars
    if kind == "Count":
        counted = counted_term(describer, argument)
        if counted is None:
            return "number of solutions"
        note = "" if aggregate.distinct == "DISTINCT" or not _may_repeat(describer, counted) else " (with repetitions)"
        return f"number{note} of {plural_of(describer, counted)}"
    word = AGGREGATE_WORDS.get(kind, "list of the" if kind == "GroupConcat" else "example of a")
    if isinstance(argument, Variable) and argument not in describer.computed:
        text = describer.property_of(argument, with_conditions=True)
        return f"{word} {text or describer.described(argument)}"
    return f"{word} {formula_of(describer, argument)}"


def formula_of(describer: PatternDescriber, expression: Expression) -> str:
    """Return a formula over the properties of one thing ("revenue / employees of Acme"), or with all terms written."""
    inner = expanded(expression, describer)
    edges = [edge for term in inner for edge in describer.edges if edge.object == term]
    owners = {edge.subject for edge in edges}
    labels = {edge.object: describer.names.predicate(edge.predicate) for edge in edges}
    is_shared = len(owners) == 1 and len(edges) == len(inner) == len(set(labels.values()))
    if not is_shared or any(len(describer.incident(term)) > 1 or is_verb(labels[term]) for term in inner):
        return describer.formula(expression)
    for edge in edges:
        if not describer.is_restricted(edge.object, edge):
            describer.edges.remove(edge)
        describer.aliases[edge.object] = labels[edge.object]
    (owner,) = owners
    text = describer.formula(expression)
    is_known = describer.is_known(owner)
    return f"{text} of {describer.reference(owner) if is_known else add_every(describer.described(owner))}"


def expanded(expression: Expression, describer: PatternDescriber) -> tuple[Any, ...]:
    """Return the variables of an expression that patterns bind: those of computed variables are in it."""
    terms: dict[Any, None] = {}
    for variable in variables_of(expression):
        inner = describer.computed.get(variable)
        terms |= dict.fromkeys(expanded(inner, describer) if inner is not None else (variable,))
    return tuple(terms)


def counted_term(describer: PatternDescriber, argument: Any) -> Any | None:
    """Return the term that an aggregate counts; for all solutions the only one that is left open, if it is one."""
    if argument != "*":
        return argument if isinstance(argument, Variable) else None
    terms = dict.fromkeys(
        term
        for term in (*(end for edge in describer.edges for end in edge.ends), *describer.classes, *describer.named)
        if is_open(term) and term not in describer.aliases
    )
    return next(iter(terms), None) if len(terms) == 1 else None


def plural_of(describer: PatternDescriber, term: Any) -> str:
    """Return a term as all things of its kind: a property of something, or a noun with clauses."""
    text = describer.property_of(term, is_plural_form=True, with_conditions=True)
    if text:
        return text
    noun = describer.noun(term)
    return plural_noun(noun) + describer.clauses(term, noun, is_plural_form=True)


def compare_measure(describer: PatternDescriber, group: Any, aggregate: CompValue, operator: str, value: str) -> str:
    """Return a condition on an aggregate of a group as a relative clause."""
    if aggregate.name == "Aggregate_Count":
        return quantity_clause(describer, group, aggregate, f"{_QUANTITIES[operator]}{value}")
    return f"whose {measure_label(describer, group, aggregate)} is {COMPARISONS[operator]}{value}"


def extreme_clause(describer: PatternDescriber, group: Any, aggregate: CompValue, *, is_highest: bool) -> str:
    """Return that a group has the highest or lowest aggregate as a phrase ("with the most films")."""
    if aggregate.name == "Aggregate_Count":
        clause = quantity_clause(describer, group, aggregate, "the most" if is_highest else "the fewest")
        return clause.replace("that has ", "with ", 1) if clause.startswith("that has ") else clause
    label = measure_label(describer, group, aggregate)
    word = rank_word(describer, aggregate.vars, is_highest=is_highest)
    is_same = aggregate.name == ("Aggregate_Max" if is_highest else "Aggregate_Min")
    return f"with the {word} {label.partition(' ')[2] if is_same else label}"


def rank_word(describer: PatternDescriber, variable: Any, *, is_highest: bool) -> str:
    """Return the superlative of a value: of dates the latest or earliest, of others the highest or lowest."""
    is_date = isinstance(variable, Variable) and describer.is_date(variable, None)
    return ("latest" if is_highest else "earliest") if is_date else "highest" if is_highest else "lowest"


def quantity_clause(describer: PatternDescriber, group: Any, aggregate: CompValue, quantity: str) -> str:
    """Return a number of things that belong to a group as a relative clause ("that has more than 3 films")."""
    counted = counted_term(describer, aggregate.vars)
    if counted is None:
        return f"that has {quantity} solutions"
    edge = direct_edge(describer, group, counted)
    if edge is None or is_verb(describer.names.predicate(edge.predicate)) and edge.subject != group:
        noun = describer.noun(counted)
        if edge is not None:
            describer.edges.remove(edge)
            describer.aliases[counted] = f"that {noun}"
            clauses = describer.clauses(counted, noun, is_plural_form=True)
            return f"that has {quantity} {plural_noun(noun)} ({describer.names.predicate(edge.predicate)}){clauses}"
        return f"that has {quantity} {plural_noun(noun)}{describer.clauses(counted, noun, is_plural_form=True)}"
    describer.edges.remove(edge)
    return describer.clause(edge, group, quantity)


def measure_label(describer: PatternDescriber, group: Any, aggregate: CompValue) -> str:
    """Return an aggregate of a group: "average rating" of its own property, else with the path to the group."""
    edge = direct_edge(describer, group, aggregate.vars)
    word = AGGREGATE_WORDS.get(aggregate.name.removeprefix("Aggregate_"), "")
    if edge is not None and edge.subject == group and word and not describer.is_restricted(edge.object, edge):
        describer.edges.remove(edge)
        return f"{word} {describer.names.predicate(edge.predicate)}"
    return measure_text(describer, aggregate)


def direct_edge(describer: PatternDescriber, group: Any, term: Any) -> TripleEdge | None:
    """Return the only edge between a group and a term; None if there is none or several."""
    edges = [edge for edge in describer.edges if {group, term} == set(edge.ends)]
    return edges[0] if len(edges) == 1 else None


def grouped_text(describer: PatternDescriber, groups: tuple[Any, ...], aggregate: CompValue) -> str:
    """Return an aggregate for each group."""
    nouns = {group: _group_noun(describer, group, aggregate.vars) for group in groups}
    for group, noun in nouns.items():
        describer.aliases[group] = f"that {noun}"
    edge = direct_edge(describer, groups[0], aggregate.vars) if len(groups) == 1 else None
    is_short = edge is not None and _is_plain_role(describer, edge, groups[0], nouns[groups[0]])
    if edge is not None and is_short:
        describer.edges.remove(edge)
        if edge.subject == groups[0] and describer.noun(edge.object) == THING:
            describer.classes[edge.object] = [describer.names.predicate(edge.predicate)]
        measure = measure_text(describer, aggregate)
        return f"the {measure} for each {nouns[groups[0]]}{describer.clauses(groups[0], nouns[groups[0]])}"
    measure = measure_text(describer, aggregate)
    owners = " and ".join(f"{noun}{describer.clauses(group, noun)}" for group, noun in nouns.items())
    return f"for each {owners}, the {measure}"


def _group_noun(describer: PatternDescriber, group: Any, argument: Any) -> str:
    """Return the noun of a group: its class, else the label of the property that it is."""
    if group in describer.computed:
        name_by_properties(describer, describer.computed[group])
        return describer.formula(describer.computed[group])
    edges = [edge for edge in describer.edges if edge.object == group]
    labels = [describer.names.predicate(edge.predicate) for edge in edges]
    noun = describer.noun(group)
    is_role = len(labels) == 1 and not is_verb(labels[0])
    is_own = not describer.classes.get(group) and edges and edges[0].subject == argument
    return labels[0] if is_role and (is_own or noun == THING) else noun


def name_by_properties(describer: PatternDescriber, expression: Expression) -> None:
    """Let a formula name its variables by the properties that they are; edges that say no more are used up."""
    for term in expanded(expression, describer):
        edges = [edge for edge in describer.edges if edge.object == term]
        if len(edges) == 1 and term not in describer.aliases:
            describer.aliases[term] = describer.names.predicate(edges[0].predicate)
            if len(describer.incident(term)) == 1 and not describer.is_restricted(term, edges[0]):
                describer.edges.remove(edges[0])


def _is_plain_role(describer: PatternDescriber, edge: TripleEdge, group: Any, noun: str) -> bool:
    """Tell whether "X for each Y" says what relates X and Y."""
    label = describer.names.predicate(edge.predicate)
    if edge.object == group:
        return label == noun
    return not is_verb(label) and describer.noun(edge.object) in (THING, label)


def _may_repeat(describer: PatternDescriber, counted: Any) -> bool:
    """Tell whether a term may stand in several solutions: it has several of something that is left open."""
    for edge in describer.incident(counted):
        other = edge.object if edge.subject == counted else edge.subject
        entry = describer.names.entry(edge.predicate)
        is_single = entry is not None and (
            entry.is_functional if edge.subject == counted else entry.is_inverse_functional
        )
        if is_open(other) and other not in describer.aliases and not is_single:
            return True
    return False
