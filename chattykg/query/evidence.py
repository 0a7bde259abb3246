"""Evidence for the result of any query: the triples of its required patterns that hold for its first answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chattyshared.dialogue import Triples, Value
from chattyshared.endpoint import Row
from chattyshared.errors import QUERY_ERRORS
from chattyshared.kg import KnowledgeGraph
from chattyshared.literals import parse_number, read_count
from chattyshared.profile import TYPE_PREDICATES
from chattyshared.sparql.pattern_groups import write_values
from chattyshared.terms import Term, is_writable, n3
from rdflib import BNode, Literal, URIRef, Variable
from rdflib.paths import AlternativePath, Path
from rdflib.plugins.sparql.parserutils import CompValue

from chattykg.query.execution import MAX_WITNESSES
from chattykg.verbalization.algebra import (
    Expression,
    QueryGroup,
    SelectQuery,
    TripleEdge,
    open_terms,
    read_query,
    split_edge,
    variables_of,
)

_BRANCH = "evidence_branch"
"""The variable that tells which alternative of a query a solution belongs to."""
_UNARY_SIGNS = {"UnaryNot": "!", "UnaryPlus": "+", "UnaryMinus": "-"}


@dataclass(frozen=True, slots=True)
class _Branch:
    """An alternative of a query in SPARQL, and its triple patterns: terms, and names of variables with ``?``."""

    sparql: str
    triples: tuple[tuple[str, str, str], ...]


def fetch_evidence(sparql: str, values: Sequence[Value], kg: KnowledgeGraph) -> Triples:
    """Return up to ``MAX_WITNESSES`` triples that support the values of a query that somebody else wrote.

    One request, in the sandbox; () for a query that finds nothing, says no, or cannot be asked for its solutions.

    Raises:
        EndpointError: the KG cannot be asked; that the request takes too long is no error.
    """
    select = read_query(sparql)
    if select is None or all(_is_nothing(value) for value in values):
        return ()
    types = frozenset(f"<{iri}>" for iri in (*TYPE_PREDICATES, *kg.profile.types))
    written = (_write_branch(group, select, values, types) for group in _bodies(select))
    branches = [branch for branch in written if branch.triples]
    if not branches:
        return ()
    union = " UNION ".join(f"{{ {each.sparql} BIND({at} AS ?{_BRANCH}) }}" for at, each in enumerate(branches))
    try:
        rows = kg.endpoint.untrusted_view().select(f"SELECT DISTINCT * WHERE {{ {union} }} LIMIT {MAX_WITNESSES}")
    except QUERY_ERRORS:
        return ()
    found = dict.fromkeys(triple for row in rows for triple in _bind(branches[read_count(row[_BRANCH])], row))
    return tuple(sorted(found))[:MAX_WITNESSES]


def find_unstated_value(sparql: str, kg: KnowledgeGraph) -> TripleEdge | None:
    """Return the pattern of an ASK query whose value a filter compares and of which the graph states none.

    Nobody who lacks a graph's statement of Madrid's population can deny that it is more than a million. A request for
    each value of a named vertex that is compared.

    Raises:
        EndpointError: the KG cannot be asked; that a request takes too long is no error.
    """
    select = read_query(sparql)
    if select is None or not select.is_ask:
        return None
    compared = frozenset(variables_of(select.group.filters))
    for edge in select.group.edges:
        predicate = _write_path(edge.predicate) if edge.object in compared and isinstance(edge.subject, URIRef) else ""
        try:
            if predicate and not kg.endpoint.untrusted_view().ask(f"ASK {{ {n3(edge.subject)} {predicate} ?value }}"):
                return edge
        except QUERY_ERRORS:
            return None
    return None


def _is_nothing(value: Value) -> bool:
    if value.kind == "boolean":
        return value.value == "false"
    return value.kind == "number" and not parse_number(value.value)


def _bodies(select: SelectQuery) -> Iterator[QueryGroup]:
    """Yield the groups with triple patterns: the alternatives of a query, or those of its subqueries."""
    groups = select.group.alternatives()
    if any(group.edges for group in groups):
        yield from groups
    else:
        for sub in select.group.subqueries:
            yield from _bodies(sub)


def _write_branch(group: QueryGroup, select: SelectQuery, values: Sequence[Value], types: frozenset[str]) -> _Branch:
    """Write a group, with the answers for its first column and without what only subqueries bind.

    Triples of ``types`` count if there are no others.
    """
    parts, triples = [write_values(rows) for rows in group.values if rows], []
    for number, step in enumerate(step for edge in group.edges for step in split_edge(edge)):
        subject, object_ = _write_node(step.subject), _write_node(step.object)
        predicate = _write_predicate(step, number)
        if not predicate:
            continue
        if isinstance(step.predicate, AlternativePath) and predicate.startswith("?"):
            parts.append(f"VALUES {predicate} {{ {' '.join(str(each.n3()) for each in step.predicate.args)} }}")
        parts.append(f"{subject} {predicate} {object_} .")
        if not isinstance(step.predicate, Path) or predicate.startswith("?"):
            triples.append((subject, predicate, object_))
    bound = open_terms(group.edges)
    parts += [text for each in group.filters if bound.issuperset(variables_of(each)) and (text := _write_filter(each))]
    target = next(iter(select.columns), None)
    terms = [term for value in values[:MAX_WITNESSES] if (term := _term_of(value)) is not None]
    if target in bound and not select.is_ask and terms:
        parts.append(f"VALUES ?{target} {{ {' '.join(map(n3, terms))} }}")
    telling = [triple for triple in triples if triple[1] not in types]
    return _Branch(" ".join(parts), tuple(telling or triples))


def _write_predicate(step: TripleEdge, number: int) -> str:
    if isinstance(step.predicate, AlternativePath) and all(isinstance(each, URIRef) for each in step.predicate.args):
        return f"?evidence_predicate{number}"
    return _write_path(step.predicate)


def _write_path(predicate: Term | Variable | Path) -> str:
    """Write a predicate or a property path; "" for one that cannot be written."""
    try:
        return str(predicate.n3())
    except TypeError:  # rdflib cannot write a negated path with a reversed step
        return ""


def _write_node(term: Term | Variable | BNode) -> str:
    return f"?evidence_{term}" if isinstance(term, BNode) else str(term.n3())


def _term_of(value: Value) -> Term | None:
    if value.kind == "boolean":
        return None
    if value.kind == "iri":
        return URIRef(value.value) if is_writable(value.value) else None
    return Literal(value.value, lang=value.lang or None, datatype=value.datatype or None, normalize=False)


def _write_filter(expression: Expression) -> str:
    try:
        return f"FILTER({_write_expression(expression)})"
    except ValueError:
        return ""


def _write_expression(expression: Expression) -> str:
    """Write an expression of rdflib's algebra.

    Raises:
        ValueError: it holds a pattern or a term that cannot be written.
    """
    if isinstance(expression, list):
        return f"({', '.join(map(_write_expression, expression))})"
    if not isinstance(expression, CompValue):
        return f"?{expression}" if isinstance(expression, Variable) else n3(expression)
    name = expression.name
    if "graph" in expression or name.startswith("Aggregate_"):
        raise ValueError("a pattern within an expression")
    if name == "RelationalExpression":
        return f"({_write_expression(expression.expr)} {expression.op} {_write_expression(expression.other)})"
    if name in ("ConditionalOrExpression", "ConditionalAndExpression"):
        sign = " || " if name == "ConditionalOrExpression" else " && "
        return f"({sign.join(map(_write_expression, (expression.expr, *expression.other)))})"
    if name in ("AdditiveExpression", "MultiplicativeExpression"):
        rest = zip(expression.op, expression.other, strict=True)
        text = "".join(f" {sign} {_write_expression(part)}" for sign, part in rest)
        return f"({_write_expression(expression.expr)}{text})"
    if name in _UNARY_SIGNS:
        return f"({_UNARY_SIGNS[name]}{_write_expression(expression.expr)})"
    arguments = [
        argument
        for key, part in expression.items()
        if key not in ("_vars", "iri", "distinct") and part is not None
        for argument in (part if isinstance(part, list) else [part])
    ]
    function = n3(expression.iri) if name == "Function" else name.removeprefix("Builtin_")
    return f"{function}({', '.join(map(_write_expression, arguments))})"


def _bind(branch: _Branch, row: Row) -> Iterator[tuple[str, str, str]]:
    """Yield the triples of a solution, in the form of a witness."""
    for triple in branch.triples:
        terms = [_bound_text(part, row) for part in triple]
        if all(terms):
            yield terms[0], terms[1], terms[2]


def _bound_text(part: str, row: Row) -> str:
    if part.startswith("?"):
        term = row.get(part[1:])
        return "" if term is None else n3(term) if isinstance(term, Literal) else str(term)
    return part[1:-1] if part.startswith("<") else part
