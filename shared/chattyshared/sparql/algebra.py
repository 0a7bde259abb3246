"""The algebra of a SELECT or ASK query as values: groups of conditions, and the modifiers around them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from itertools import chain, product
from typing import Any

from rdflib import BNode, Variable
from rdflib.paths import InvPath, Path, SequencePath
from rdflib.plugins.sparql.parserutils import CompValue
from rdflib.term import Identifier

from chattyshared.sparql.analysis import parse_algebra, path_iris
from chattyshared.terms import local_name

Expression = Any
"""A term, a variable, or an expression of rdflib's algebra."""
MAX_ALTERNATIVES = 6
"""Alternatives of a query that are read one by one."""


@dataclass(frozen=True, slots=True)
class TripleEdge:
    """A triple pattern; ``predicate`` is an IRI, a variable or a property path."""

    subject: Any
    predicate: Any
    object: Any

    @property
    def ends(self) -> tuple[Any, Any]:
        """Subject and object."""
        return self.subject, self.object

    @property
    def text(self) -> str:
        """The pattern as a query writes it; a blank node is a variable."""
        return " ".join(write_part(part) for part in (self.subject, self.predicate, self.object))


@dataclass(frozen=True, slots=True)
class QueryGroup:
    """What holds together: each field has the parts of one kind; ``unread`` are the names of parts that change it.

    ``negated`` are the groups of NOT EXISTS and MINUS, ``optional`` those of OPTIONAL.
    """

    edges: tuple[TripleEdge, ...] = ()
    filters: tuple[Expression, ...] = ()
    negated: tuple[QueryGroup, ...] = ()
    optional: tuple[QueryGroup, ...] = ()
    unions: tuple[tuple[QueryGroup, ...], ...] = ()
    values: tuple[tuple[Mapping[Variable, Any], ...], ...] = ()
    subqueries: tuple[SelectQuery, ...] = ()
    unread: tuple[str, ...] = ()

    def __add__(self, other: QueryGroup) -> QueryGroup:
        return QueryGroup(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(QueryGroup)))

    def parts(self, *, with_optional: bool = True) -> Iterator[QueryGroup]:
        """Yield the group and the groups within it that say what holds."""
        yield self
        inner = (*chain(*self.unions), *(sub.group for sub in self.subqueries), *self.optional * with_optional)
        for group in inner:
            yield from group.parts(with_optional=with_optional)

    def alternatives(self) -> tuple[QueryGroup, ...]:
        """Return groups without unions, of which one holds; what all share if there would be too many."""
        rest = replace(self, unions=())
        branches = [tuple(each for branch in union for each in branch.alternatives()) for union in self.unions]
        choices = list(product(*branches))
        return tuple(sum(each, rest) for each in choices) if len(choices) <= MAX_ALTERNATIVES else (rest,)


@dataclass(frozen=True, slots=True)
class SelectQuery:
    """A query: its group, the expressions of computed variables, and its solution modifiers.

    ``computed`` also holds the aggregates by the variables that stand for them; ``order`` has pairs of an expression
    and whether it is descending. ``limit`` is 0 without one.
    """

    group: QueryGroup
    columns: tuple[Variable, ...] = ()
    is_ask: bool = False
    is_distinct: bool = False
    computed: Mapping[Variable, Expression] = field(default_factory=dict)
    is_aggregated: bool = False
    groups: tuple[Variable, ...] = ()
    order: tuple[tuple[Expression, bool], ...] = ()
    limit: int = 0
    offset: int = 0


@lru_cache(maxsize=100)
def read_query(sparql: str) -> SelectQuery | None:
    """Return the pattern of a query; None if it is no SELECT or ASK query of SPARQL 1.1."""
    algebra = parse_algebra(sparql)
    if algebra is None:
        return None
    select = replace(_read_select(algebra.p), is_ask=algebra.name == "AskQuery")
    return replace(select, group=select.group + QueryGroup(unread=("dataset",))) if algebra.datasetClause else select


def order_edges(group: QueryGroup, sparql: str) -> QueryGroup:
    """Return a group with its edges in the order of the text, which the algebra has not kept, each once."""

    def position(edge: TripleEdge) -> int:
        return next((sparql.find(local_name(iri)) for iri in path_iris(edge.predicate)), len(sparql))

    return replace(group, edges=tuple(sorted(dict.fromkeys(group.edges), key=position)))


def write_part(part: Any) -> str:
    """Write a term or a property path; a blank node as a variable, and "" for a path that cannot be written."""
    if isinstance(part, BNode):
        return f"?blank_{part}"
    try:
        return str(part.n3())
    except TypeError:  # rdflib cannot write a negated path with a reversed step
        return ""


def is_open(term: Any) -> bool:
    """Tell whether a term stands for any other one: a variable or a blank node."""
    return isinstance(term, (Variable, BNode))


def variables_of(value: Any) -> tuple[Variable, ...]:
    """Return the variables of an expression or another part of a query, each once."""
    return tuple(dict.fromkeys(term for term in walk_terms(value) if isinstance(term, Variable)))


def open_terms(value: Any) -> frozenset[Any]:
    """Return the variables and blank nodes in a part of a query."""
    return frozenset(term for term in walk_terms(value) if is_open(term))


def walk_terms(value: Any) -> Iterator[Any]:
    """Yield the terms in a part of a query: variables, IRIs, literals and blank nodes."""
    match value:
        case QueryGroup() | SelectQuery() | TripleEdge():
            yield from walk_terms(tuple(getattr(value, each.name) for each in fields(value)))
        case CompValue():
            yield from walk_terms([item for key, item in value.items() if key not in ("_vars", "graph", "res", "iri")])
        case Mapping():
            yield from walk_terms((*value, *value.values()))
        case Path():
            yield from path_iris(value)
        case tuple() | list():
            for item in value:
                yield from walk_terms(item)
        case Identifier():
            yield value


def split_edge(edge: TripleEdge) -> Iterator[TripleEdge]:
    """Yield the steps of an edge whose property path is a sequence or an inverse."""
    if isinstance(edge.predicate, InvPath):
        yield from split_edge(TripleEdge(edge.object, edge.predicate.arg, edge.subject))
    elif isinstance(edge.predicate, SequencePath):
        steps = edge.predicate.args
        nodes = [edge.subject, *(BNode() for _ in steps[1:]), edge.object]
        for subject, step, object_ in zip(nodes, steps, nodes[1:], strict=False):
            yield from split_edge(TripleEdge(subject, step, object_))
    else:
        yield edge


def split_conjunction(expression: Expression) -> Iterator[Expression]:
    """Yield the parts of an expression that all hold."""
    if isinstance(expression, CompValue) and expression.name == "ConditionalAndExpression":
        for part in (expression.expr, *expression.other):
            yield from split_conjunction(part)
    elif not (isinstance(expression, CompValue) and expression.name == "TrueFilter"):
        yield expression


def _read_select(node: CompValue) -> SelectQuery:
    select, rest = SelectQuery(QueryGroup()), QueryGroup()
    computed: dict[Variable, Expression] = {}
    is_aggregated = _has_aggregate(node)
    while True:
        match node.name:
            case "Slice":
                rest += QueryGroup(unread=("limit",) * (node.length == 0))
                select = replace(select, limit=node.length or 0, offset=node.start or 0)
            case "Project":
                select = replace(select, columns=tuple(node.PV))
            case "OrderBy":
                select = replace(select, order=tuple((each.expr, each.order == "DESC") for each in node.expr))
            case "Distinct":
                select = replace(select, is_distinct=True)
            case "Reduced":
                pass
            case "Extend":
                computed[node.var] = node.expr
            case "Filter" | "Join" if is_aggregated:
                rest += QueryGroup(unread=("having",))
                node = node.p if node.name == "Filter" else node.p1
                continue
            case "AggregateJoin":
                samples = {each.res: each.vars for each in node.A if each.name == "Aggregate_Sample"}
                computed |= {each.res: each for each in node.A if each.res not in samples}
                computed = {
                    name: samples.get(each, each) if isinstance(each, Variable) else each
                    for name, each in computed.items()
                }
                computed = {name: each for name, each in computed.items() if each is not name}
                groups = tuple(each for each in node.p.expr or () if isinstance(each, Variable))
                rest += QueryGroup(unread=("group",) * (len(groups) < len(node.p.expr or ())))
                select = replace(select, groups=groups, is_aggregated=True)
                return replace(select, group=_read_group(node.p.p) + rest, computed=computed)
            case _:
                return replace(select, group=_read_group(node) + rest, computed=computed)
        node = node.p


def _has_aggregate(node: Any) -> bool:
    while isinstance(node, CompValue) and node.name not in ("AggregateJoin", "ToMultiSet"):
        node = node.get("p1") if node.name == "Join" else node.get("p")
    return isinstance(node, CompValue) and node.name == "AggregateJoin"


def _read_group(node: Any) -> QueryGroup:
    match node.name:
        case "BGP":
            return QueryGroup(edges=tuple(TripleEdge(*triple) for triple in node.triples))
        case "Join":
            return _read_group(node.p1) + _read_group(node.p2)
        case "Union":
            return QueryGroup(unions=((_read_group(node.p1), _read_group(node.p2)),))
        case "Filter":
            return sum(map(_read_filter, split_conjunction(node.expr)), _read_group(node.p))
        case "ToMultiSet" if node.p.name == "values":
            rows = ({name: term for name, term in row.items() if term != "UNDEF"} for row in node.p.res)
            return QueryGroup(values=(tuple(rows),))
        case "ToMultiSet":
            return QueryGroup(subqueries=(_read_select(node.p),))
        case "LeftJoin":
            return _read_group(node.p1) + QueryGroup(optional=(_read_group(node.p2),), unread=(node.name,))
        case "Minus":
            return _read_group(node.p1) + QueryGroup(negated=(_read_group(node.p2),), unread=(node.name,))
        case "Extend" | "Graph":
            return _read_group(node.p) + QueryGroup(unread=(node.name,))
    return QueryGroup(unread=(node.name,))


def _read_filter(expression: Expression) -> QueryGroup:
    """Return a condition as a group: what EXISTS holds joins the others."""
    is_denied = isinstance(expression, CompValue) and expression.name == "UnaryNot"
    inner = expression.expr if is_denied else expression
    name = inner.name if isinstance(inner, CompValue) else ""
    if name not in ("Builtin_EXISTS", "Builtin_NOTEXISTS"):
        return QueryGroup(filters=(expression,))
    group = _read_group(inner.graph)
    return QueryGroup(negated=(group,)) if is_denied != (name == "Builtin_NOTEXISTS") else group
