"""Compile the turns of a plan to SPARQL 1.1: sets with conditions, orders, comparisons. Full IRIs, no prefixes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chattyshared.terms import Term, n3
from rdflib import Literal, URIRef
from rdflib.namespace import XSD

from chattygen.stages.turn_plan import ConditionKind
from chattygen.subgraph.facts import Fact, Shape, Step, chain_patterns

TextPatterns = tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class Criterion:
    """A condition on a member, as a query needs it.

    ``step`` leads from a member to its value (outgoing). ``value`` is the term of a bound (a number, or a year as an
    integer) or of a required value; None if the condition needs none.
    """

    kind: ConditionKind
    step: Step
    shape: Shape
    datatype: URIRef | None = None
    value: Term | None = None


def member_pattern(owner: URIRef, fact: Fact) -> TextPatterns:
    """Return the triple patterns whose ``?x`` are the hidden ends of a fact; IRIs are bare."""
    return tuple(chain_patterns(str(owner), fact.steps, "?x"))


def criterion_pattern(criterion: Criterion) -> TextPatterns:
    """Return the triple patterns of a condition on ``?x``, with the value if one is required."""
    if criterion.kind in ("with", "without") and criterion.value is not None:
        value = n3(criterion.value) if isinstance(criterion.value, Literal) else str(criterion.value)
        return tuple(chain_patterns("?x", [criterion.step], value, "?w"))
    return tuple(chain_patterns("?x", [criterion.step], "?v", "?w"))


def set_query(owner: URIRef, fact: Fact, criterion: Criterion | None, *, is_count: bool = False) -> str:
    """Write the query for a set, for its members that meet a condition, for their order, or for their number.

    Raises:
        ValueError: a term of the KG cannot be written into a query.
    """
    body, order = patterns_to_text(member_pattern(owner, fact)), ""
    if criterion is not None:
        condition, order = _condition_text(criterion)
        body += condition
    if is_count:
        return f"SELECT (COUNT(DISTINCT ?x) AS ?n) WHERE {{ {body} }}"
    # SPARQL allows no DISTINCT with an ORDER BY on an unselected variable; each member has one value here.
    return f"SELECT{'' if order else ' DISTINCT'} ?x WHERE {{ {body} }}{order}"


def _condition_text(criterion: Criterion) -> tuple[str, str]:
    """Return what a condition adds to the pattern, and its solution modifiers."""
    pattern = patterns_to_text(criterion_pattern(criterion))
    if criterion.kind == "without":
        return f" . FILTER NOT EXISTS {{ {pattern} }}", ""
    if criterion.kind == "with":
        return f" . {pattern}", ""
    if criterion.kind in ("over", "under"):
        assert criterion.value is not None
        sign = ">" if criterion.kind == "over" else "<"
        return f" . {pattern} . FILTER({_bound_key(criterion)} {sign} {_bound_text(criterion.value)})", ""
    falling = criterion.kind in ("most", "falling")
    order = f" ORDER BY {'DESC' if falling else 'ASC'}({_order_key('?v', criterion)})"
    return f" . {pattern}", order + (" LIMIT 1" if criterion.kind in ("most", "least") else "")


def comparison_query(one: URIRef, other: URIRef, criterion: Criterion) -> str:
    """Write the query for the one of two entities with the greater (``most``) or the smaller value."""
    order = "DESC" if criterion.kind == "most" else "ASC"
    pattern = patterns_to_text(criterion_pattern(criterion))
    return (
        f"SELECT ?x WHERE {{ VALUES ?x {{ {n3(one)} {n3(other)} }} {pattern} }} "
        f"ORDER BY {order}({_order_key('?v', criterion)}) LIMIT 1"
    )


def comparison_ask_query(one: URIRef, other: URIRef, criterion: Criterion) -> str:
    """Write the query that asks whether the first entity has the greater (``most``) or the smaller value of the two."""
    sign = ">" if criterion.kind == "most" else "<"
    left, right = _order_key("?v", criterion), _order_key("?w", criterion)
    return (
        f"ASK {{ {patterns_to_text(comparison_pattern(one, other, criterion.step))} . FILTER({left} {sign} {right}) }}"
    )


def comparison_pattern(one: URIRef, other: URIRef, step: Step) -> TextPatterns:
    """Return the triple patterns that lead from two entities to the compared values, ``?v`` and ``?w``."""
    return (*chain_patterns(str(one), [step], "?v", "?y"), *chain_patterns(str(other), [step], "?w", "?z"))


def _order_key(variable: str, criterion: Criterion) -> str:
    """Write the sort key. Years and months have no order in SPARQL 1.1; their lexical forms do."""
    lexical = criterion.shape == "date" and criterion.datatype not in (XSD.date, XSD.dateTime)
    return f"STR({variable})" if lexical else variable


def _bound_key(criterion: Criterion) -> str:
    """Write what is compared with a bound: a number, or the year of a date of any datatype."""
    return f"{n3(XSD.integer)}(SUBSTR(STR(?v), 1, 4))" if criterion.shape == "date" else "?v"


def _bound_text(value: Term) -> str:
    # A bare number is an integer or a decimal; both compare with any numeric datatype.
    return str(value)


def patterns_to_text(patterns: Sequence[tuple[str, str, str]]) -> str:
    """Write triple patterns as the body of a query; variables and literals are taken as they are."""
    return " . ".join(" ".join(_term(part) for part in pattern) for pattern in patterns)


def _term(part: str) -> str:
    return part if part.startswith(("?", '"')) else n3(URIRef(part))
