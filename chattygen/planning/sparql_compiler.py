"""SPARQL 1.1 for the turns of a plan: sets with conditions, orders, comparisons; full IRIs, no prefixes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chattyshared.terms import Term, n3
from rdflib import Literal, URIRef
from rdflib.namespace import XSD

from chattygen.stages.turn_plan import ConditionKind
from chattygen.subgraph.facts import Fact, Shape, Step

TextPatterns = tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class Criterion:
    """What a condition asks of a member, as a query needs it.

    ``step`` leads from a member to its value (outwards), ``given`` is the term of a bound (a number, or a year as an
    integer) or of a given value; None where the pick needs none.
    """

    kind: ConditionKind
    step: Step
    shape: Shape
    datatype: URIRef | None = None
    value: Term | None = None


def member_pattern(owner: URIRef, fact: Fact) -> TextPatterns:
    """Return the triple patterns whose ``?x`` are the hidden ends of a fact; IRIs and the owner bare."""
    here = str(owner)
    rows = []
    for place, step in enumerate(fact.steps, 1):
        there = "?x" if place == len(fact.steps) else "?y"
        rows.append((here, step.predicate, there) if step.direction == "out" else (there, step.predicate, here))
        here = there
    return tuple(rows)


def criterion_pattern(criterion: Criterion) -> TextPatterns:
    """Return the triple pattern of a condition on ``?x``, with the given value where one must be stated."""
    if criterion.kind in ("with", "without") and criterion.value is not None:
        value = n3(criterion.value) if isinstance(criterion.value, Literal) else str(criterion.value)
        return (("?x", criterion.step.predicate, value),)
    return (("?x", criterion.step.predicate, "?v"),)


def set_query(owner: URIRef, fact: Fact, criterion: Criterion | None, *, is_count: bool = False) -> str:
    """Write the query of a set, of the members that pass a test, of their order, or of their number.

    Raises:
        ValueError: a term of the KG cannot be written into a query.
    """
    body, order = patterns_to_text(member_pattern(owner, fact)), ""
    if criterion is not None:
        more, order = _tested(criterion)
        body += more
    if is_count:
        return f"SELECT (COUNT(DISTINCT ?x) AS ?n) WHERE {{ {body} }}"
    # An order by what is not selected goes with no DISTINCT; each member has one value there.
    return f"SELECT{'' if order else ' DISTINCT'} ?x WHERE {{ {body} }}{order}"


def _tested(criterion: Criterion) -> tuple[str, str]:
    """Return what a test adds to the pattern, and the order that it asks for."""
    held = patterns_to_text(criterion_pattern(criterion))
    if criterion.kind in ("without", "lacks"):
        return f" . FILTER NOT EXISTS {{ {held} }}", ""
    if criterion.kind == "with":
        return f" . {held}", ""
    if criterion.kind in ("over", "under"):
        assert criterion.value is not None
        sign = ">" if criterion.kind == "over" else "<"
        return f" . {held} . FILTER({_measured(criterion)} {sign} {_bound(criterion.value)})", ""
    falling = criterion.kind in ("most", "falling")
    order = f" ORDER BY {'DESC' if falling else 'ASC'}({_ordered('?v', criterion)})"
    return f" . {held}", order + (" LIMIT 1" if criterion.kind in ("most", "least") else "")


def comparison_query(one: URIRef, other: URIRef, criterion: Criterion) -> str:
    """Write the query for the one of two things whose value is the greater or the smaller."""
    order = "DESC" if criterion.kind == "most" else "ASC"
    held = patterns_to_text(criterion_pattern(criterion))
    return (
        f"SELECT ?x WHERE {{ VALUES ?x {{ {n3(one)} {n3(other)} }} {held} }} "
        f"ORDER BY {order}({_ordered('?v', criterion)}) LIMIT 1"
    )


def comparison_ask_query(one: URIRef, other: URIRef, criterion: Criterion) -> str:
    """Write the query for whether the first thing has the greater (``most``) or the smaller value of the two."""
    sign = ">" if criterion.kind == "most" else "<"
    predicate = n3(URIRef(criterion.step.predicate))
    left, right = _ordered("?v", criterion), _ordered("?w", criterion)
    return f"ASK {{ {n3(one)} {predicate} ?v . {n3(other)} {predicate} ?w . FILTER({left} {sign} {right}) }}"


def _ordered(variable: str, criterion: Criterion) -> str:
    """Write what to order by. Years and months have no order in SPARQL 1.1; their lexical forms do."""
    lexical = criterion.shape == "date" and criterion.datatype not in (XSD.date, XSD.dateTime)
    return f"STR({variable})" if lexical else variable


def _measured(criterion: Criterion) -> str:
    """Write what is held against a bound: a number, or the year of a date, whatever its datatype."""
    return f"{n3(XSD.integer)}(SUBSTR(STR(?v), 1, 4))" if criterion.shape == "date" else "?v"


def _bound(given: Term) -> str:
    # A bare number is an integer or a decimal, which compare with any numeric datatype.
    return str(given)


def patterns_to_text(patterns: Sequence[tuple[str, str, str]]) -> str:
    """Write triple patterns as a query's body; variables and literals are written already."""
    return " . ".join(" ".join(_term(part) for part in pattern) for pattern in patterns)


def _term(part: str) -> str:
    return part if part.startswith(("?", '"')) else n3(URIRef(part))
