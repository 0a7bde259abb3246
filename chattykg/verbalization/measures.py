"""Aggregates in words: "number of films", "the most films", "average runtime of every film"."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from rdflib import Variable
from rdflib.plugins.sparql.parserutils import CompValue

from chattykg.verbalization.algebra import Expression, SelectQuery, TripleEdge, is_open, variables_of
from chattykg.verbalization.descriptions import OPERATORS, PatternDescriber
from chattykg.verbalization.expressions import NoPhraseError
from chattykg.verbalization.phrases import THING, add_every, is_verb, plural_noun

_WORDS = {
    "Count": "number", "Sum": "total", "Avg": "average", "Min": "lowest", "Max": "highest",
    "GroupConcat": "list of the", "Sample": "example of the",
}  # fmt: skip
_QUANTITIES = {
    ">": "more than ", ">=": "at least ", "<": "fewer than ", "<=": "at most ", "=": "exactly ", "!=": "other than ",
}  # fmt: skip
_REPEATED = " (with repetitions)"


def find_aggregate(expression: Expression, select: SelectQuery) -> CompValue | None:
    """Return the aggregate that an expression is, None if it is something else."""
    seen: set[Variable] = set()
    while isinstance(expression, Variable) and expression in select.computed and expression not in seen:
        seen.add(expression)
        expression = select.computed[expression]
    is_aggregate = isinstance(expression, CompValue) and expression.name.startswith("Aggregate_")
    return expression if is_aggregate else None


def aggregate_word(aggregate: CompValue) -> str:
    """Return the word for an aggregate ("number", "total")."""
    return _WORDS[aggregate.name.removeprefix("Aggregate_")]


def measure_text(describer: PatternDescriber, aggregate: CompValue) -> str:
    """Return an aggregate as a noun phrase without article ("number of films by Ann Lee", "average runtime of ...").

    Raises:
        NoPhraseError: it counts the values of a formula.
    """
    word, argument = aggregate_word(aggregate), aggregate.vars
    known = {*describer.bound, *describer.aliases, *describer.computed}
    if argument != "*" and not known.issuperset(variables_of(argument)):
        raise NoPhraseError("a variable without a pattern")
    is_distinct = aggregate.distinct == "DISTINCT"
    if word == "number":
        counted = counted_term(describer, argument)
        if counted is not None:
            note = _REPEATED if not is_distinct and may_repeat(describer, counted) else ""
            return f"number{note} of {plural_of(describer, counted)}"
        if is_distinct and argument != "*":
            raise NoPhraseError("different values of a formula")
        cases = describer.unsaid()
        return f"number of cases in which {' and '.join(cases)}" if cases else "number of solutions"
    note = (
        _REPEATED if word in ("total", "average") and not is_distinct and _has_repetitions(describer, argument) else ""
    )
    lead = (
        f"{word.removesuffix(' of the')} of the different values of the"
        if is_distinct and word not in ("lowest", "highest")
        else word
    )
    if isinstance(argument, Variable) and argument not in describer.computed:
        text = describer.property_of(argument, with_conditions=True) or describer.described(argument)
    else:
        text = formula_of(describer, argument)
    return f"{lead} {text}{note}"


def formula_of(describer: PatternDescriber, expression: Expression) -> str:
    """Return a formula over the properties of one thing ("revenue / employees of Acme"), or with all terms written."""
    inner = expanded(expression, describer)
    edges = [edge for term in inner for edge in describer.edges if edge.object == term]
    owners = {edge.subject for edge in edges}
    labels = {edge.object: describer.label(edge) for edge in edges}
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
    """Return the term that an aggregate counts; for all solutions the one of which each thing has a single solution.

    To count a group is to count its solutions.
    """
    if argument != "*" and argument not in list(describer.aliases):
        return argument if isinstance(argument, Variable) else None
    terms = _free_terms(describer)
    terms.sort(key=lambda term: term not in describer.classes)
    return next((term for term in terms if not may_repeat(describer, term)), None)


def _free_terms(describer: PatternDescriber) -> list[Any]:
    stated = (*(end for edge in describer.edges for end in edge.ends), *describer.classes, *describer.named)
    known = {*describer.aliases, *describer.group.existential}
    return [term for term in dict.fromkeys(stated) if is_open(term) and term not in known]


def may_repeat(describer: PatternDescriber, term: Any, aside: Any = None) -> bool:
    """Tell whether a term may stand in several solutions: something left open is not the only one of its kind."""
    reached = {term, aside, *describer.group.existential}
    edges = list(describer.edges)
    while steps := [edge for edge in edges if _is_single_step(describer, edge, reached)]:
        reached |= {end for edge in steps for end in edge.ends}
        edges = [edge for edge in edges if edge not in steps]
    return bool(set(_free_terms(describer)) - reached)


def _is_single_step(describer: PatternDescriber, edge: TripleEdge, reached: set[Any]) -> bool:
    entry = describer.names.entry(edge.predicate)
    is_inverse = entry is not None and entry.is_inverse_functional
    is_functional = describer.is_functional(edge)
    return (edge.subject in reached and is_functional) or (edge.object in reached and is_inverse)


def _has_repetitions(describer: PatternDescriber, argument: Any) -> bool:
    """Tell whether a value may count several times for one owner."""
    terms = expanded(argument, describer)
    owners = {edge.subject for edge in describer.edges if edge.object in terms}
    return len(terms) == 1 and len(owners) == 1 and may_repeat(describer, next(iter(owners)), terms[0])


def plural_of(describer: PatternDescriber, term: Any) -> str:
    """Return a term as all things of its kind: a property of something, or a noun with clauses."""
    text = describer.property_of(term, is_plural_form=True, with_conditions=True)
    return text or describer.quantified(term, "").lstrip()


def compare_measure(describer: PatternDescriber, group: Any, aggregate: CompValue, operator: str, value: str) -> str:
    """Return a condition on an aggregate of a group as a relative clause."""
    if aggregate.name == "Aggregate_Count":
        return quantity_clause(describer, group, aggregate, f"{_QUANTITIES[operator]}{value}")
    return f"for which the {measure_label(describer, group, aggregate)} is {OPERATORS[operator]}{value}"


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
        return f"for which there are {quantity} cases in which {' and '.join(describer.unsaid())}"
    note = _REPEATED if aggregate.distinct != "DISTINCT" and may_repeat(describer, counted) else ""
    edge = direct_edge(describer, group, counted)
    label = describer.label(edge) if edge is not None else ""
    if edge is not None and not (is_verb(label) and edge.subject != group):
        describer.edges.remove(edge)
        return describer.clause(edge, group, quantity) + note
    role = ""
    if edge is not None:
        describer.edges.remove(edge)
        describer.aliases[counted] = f"that {describer.noun(counted)}"
        role = f" ({label})"
    noun = describer.noun(counted)
    return f"that has {quantity} {plural_noun(noun)}{role}{describer.clauses(counted, noun, is_plural_form=True)}{note}"


def measure_label(describer: PatternDescriber, group: Any, aggregate: CompValue) -> str:
    """Return an aggregate of a group: "average rating" of its own property, else with the path to the group."""
    edge = direct_edge(describer, group, aggregate.vars)
    is_own = edge is not None and edge.subject == group and not describer.is_restricted(edge.object, edge)
    if edge is not None and is_own and aggregate.distinct != "DISTINCT":
        describer.edges.remove(edge)
        return f"{aggregate_word(aggregate)} {describer.label(edge)}"
    return measure_text(describer, aggregate)


def direct_edge(describer: PatternDescriber, group: Any, term: Any) -> TripleEdge | None:
    """Return the only edge between a group and a term; None if there is none or several."""
    ends = ((group, term), (term, group))  # an expression is no end, and has no hash
    edges = [edge for edge in describer.edges if edge.ends in ends]
    return edges[0] if len(edges) == 1 else None


def grouped_text(describer: PatternDescriber, groups: Sequence[Any], aggregate: CompValue) -> str:
    """Return the only aggregate that is asked for, for each group."""
    edge = direct_edge(describer, groups[0], aggregate.vars) if len(groups) == 1 else None
    noun = introduce_group(describer, groups[0], aggregate.vars) if edge is not None else ""
    if edge is not None and _is_plain_role(describer, edge, groups[0], noun):
        describer.edges.remove(edge)
        if edge.subject == groups[0] and describer.noun(edge.object) == THING:
            describer.classes[edge.object] = [describer.label(edge)]
        measure = measure_text(describer, aggregate)
        return f"the {measure} for each {noun}{describer.clauses(groups[0], noun)}"
    owners, measure = grouped_parts(describer, groups, aggregate, aggregate.vars)
    return f"for each {owners}, the {measure}"


def grouped_parts(
    describer: PatternDescriber, groups: Sequence[Any], aggregate: CompValue, argument: Any = None
) -> tuple[str, str]:
    """Return groups as a noun phrase, and an aggregate that refers to them."""
    nouns = {group: introduce_group(describer, group, argument) for group in groups}
    known, owned = set(describer.aliases), dict(nouns)
    for edge in [each for each in describer.edges if each.object in nouns and each.subject in nouns]:
        if not is_verb(label := describer.label(edge)):
            describer.edges.remove(edge)
            owned[edge.object] = f"{label} of {describer.reference(edge.subject)}"
    measure = measure_text(describer, aggregate)
    owners = " and ".join(f"{owned[group]}{group_clauses(describer, group, nouns[group], known)}" for group in nouns)
    return owners, measure


def group_clauses(
    describer: PatternDescriber, group: Any, noun: str, known: Collection[Any], *, is_plural_form: bool = False
) -> str:
    """Return what is left to say of a group before its aggregate; ``known`` is what is introduced by then.

    Raises:
        NoPhraseError: it refers to things that the aggregate introduces.
    """
    later = [text for term, text in describer.aliases.items() if term not in known and is_open(term)]
    clauses = describer.clauses(group, noun, is_plural_form=is_plural_form)
    if any(text in clauses for text in later):
        raise NoPhraseError("a group that depends on its aggregate")
    return clauses


def introduce_group(describer: PatternDescriber, group: Any, argument: Any = None) -> str:
    """Return the noun of a group, by which it is known from now on: its class, else the property that it is."""
    if group in describer.computed:
        name_by_properties(describer, describer.computed[group])
        noun = describer.formula(describer.computed[group])
        describer.aliases[group] = f"that {noun}"
        return noun
    edges = [edge for edge in describer.edges if edge.object == group]
    labels = [describer.label(edge) for edge in edges]
    noun = describer.noun(group)
    is_role = len(labels) == 1 and not is_verb(labels[0])
    is_own = not describer.classes.get(group) and edges and edges[0].subject == argument
    noun = labels[0] if is_role and (is_own or noun == THING) else noun
    describer.aliases[group] = f"that {noun}"
    return noun


def name_by_properties(describer: PatternDescriber, expression: Expression) -> None:
    """Let a formula name its variables by the properties that they are; edges that say no more are used up."""
    for term in expanded(expression, describer):
        edges = [edge for edge in describer.edges if edge.object == term]
        if len(edges) == 1 and term not in describer.aliases:
            describer.aliases[term] = describer.label(edges[0])
            if len(describer.incident(term)) == 1 and not describer.is_restricted(term, edges[0]):
                describer.edges.remove(edges[0])


def _is_plain_role(describer: PatternDescriber, edge: TripleEdge, group: Any, noun: str) -> bool:
    """Tell whether "X for each Y" says what relates X and Y."""
    label = describer.label(edge)
    if edge.object == group:
        return label == noun
    return not is_verb(label) and describer.noun(edge.object) in (THING, label)
