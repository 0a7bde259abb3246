"""The algebra of a SELECT or ASK query as values: groups of conditions, and the modifiers around them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import product
from typing import Any

from chattyshared.sparql.analysis import parse_algebra
from chattyshared.terms import local_name
from rdflib import BNode, URIRef, Variable
from rdflib.paths import AlternativePath, InvPath, MulPath, Path, SequencePath
from rdflib.plugins.sparql.parserutils import CompValue
from rdflib.term import Identifier

Expression = Any
"""A term, a variable, or an expression of rdflib's algebra."""
MAX_ALTERNATIVES = 6
"""Alternatives of a query that are described one by one."""


@dataclass(frozen=True, slots=True)
class TripleEdge:
    """A triple pattern; ``predicate`` is an IRI, a variable, a property path, or the text of a computed property."""

    subject: Any
    predicate: Any
    object: Any

    @property
    def ends(self) -> tuple[Any, Any]:
        """Subject and object."""
        return self.subject, self.object


@dataclass(frozen=True, slots=True)
class QueryGroup:
    """What holds together: each field has the parts of one kind; ``unread`` are parts that are not described.

    ``existential`` are variables that multiply no solutions: those that a DISTINCT subquery does not return.
    """

    edges: tuple[TripleEdge, ...] = ()
    filters: tuple[Expression, ...] = ()
    optionals: tuple[QueryGroup, ...] = ()
    negated: tuple[QueryGroup, ...] = ()
    unions: tuple[tuple[QueryGroup, ...], ...] = ()
    values: tuple[tuple[Mapping[Variable, Any], ...], ...] = ()
    binds: tuple[tuple[Variable, Expression], ...] = ()
    subqueries: tuple[SelectQuery, ...] = ()
    existential: tuple[Variable, ...] = ()
    unread: tuple[str, ...] = ()

    def __add__(self, other: QueryGroup) -> QueryGroup:
        return QueryGroup(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(QueryGroup)))

    def alternatives(self) -> tuple[QueryGroup, ...]:
        """Return groups without unions, of which one holds; a single one if there would be too many."""
        if not self.unions:
            return (self,)
        rest = replace(self, unions=())
        branches = [tuple(each for branch in union for each in branch.alternatives()) for union in self.unions]
        choices = list(product(*branches))
        if len(choices) > MAX_ALTERNATIVES:
            return (replace(rest, unread=(*rest.unread, "union")),)
        return tuple(sum(choice, rest) for choice in choices)

    def touches(self, term: Any) -> bool:
        """Tell whether a triple pattern of this group holds a term."""
        return any(term in edge.ends for edge in self.edges) or any(each.touches(term) for each in self.negated)

    @property
    def only_subquery(self) -> SelectQuery | None:
        """The subquery of a group that holds nothing else."""
        return self.subqueries[0] if self.subqueries and self == QueryGroup(subqueries=self.subqueries[:1]) else None

    def required_variables(self) -> frozenset[Variable]:
        """Return the variables that every solution of this group binds."""
        unions = frozenset(name for union in self.unions for each in union for name in each.required_variables())
        parts = replace(self, optionals=(), negated=(), filters=(), unions=(), subqueries=())
        return unions.union(variables_of(parts), *(each.columns for each in self.subqueries))


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
    having: tuple[Expression, ...] = ()
    order: tuple[tuple[Expression, bool], ...] = ()
    limit: int = 0
    offset: int = 0


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
        names = [local_name(iri) for iri in path_iris(edge.predicate)]
        return sparql.find(names[0]) if names else len(sparql)

    return replace(group, edges=tuple(sorted(dict.fromkeys(group.edges), key=position)))


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


def path_iris(path: Any) -> tuple[URIRef, ...]:
    """Return the IRIs of a predicate or a property path."""
    if isinstance(path, URIRef):
        return (path,)
    if isinstance(path, (AlternativePath, SequencePath)):
        return tuple(iri for step in path.args for iri in path_iris(step))
    if isinstance(path, (InvPath, MulPath)):
        return path_iris(path.arg if isinstance(path, InvPath) else path.path)
    return path_iris(vars(path)["args"][0]) if isinstance(path, Path) and vars(path).get("args") else ()


def split_conjunction(expression: Expression) -> Iterator[Expression]:
    """Yield the parts of an expression that all hold."""
    if isinstance(expression, CompValue) and expression.name == "ConditionalAndExpression":
        for part in (expression.expr, *expression.other):
            yield from split_conjunction(part)
    elif not (isinstance(expression, CompValue) and expression.name == "TrueFilter"):
        yield expression


def _read_select(node: CompValue) -> SelectQuery:
    select, is_aggregated = SelectQuery(QueryGroup()), _has_aggregate(node)
    computed: dict[Variable, Expression] = {}
    names: dict[Variable, Variable] = {}
    extra = QueryGroup()
    while True:
        match node.name:
            case "Slice":
                select = replace(select, limit=node.length or 0, offset=node.start or 0)
            case "Project":
                select = replace(select, columns=tuple(node.PV))
            case "OrderBy":
                select = replace(select, order=tuple((each.expr, each.order == "DESC") for each in node.expr))
            case "Distinct" | "Reduced":
                select = replace(select, is_distinct=node.name == "Distinct")
            case "Extend" if not is_aggregated and _is_free(node.expr, (*select.columns, *names)):
                names[node.expr] = node.var
            case "Extend":
                computed[node.var] = node.expr
            case "Filter" if is_aggregated:
                select = replace(select, having=(*select.having, *split_conjunction(node.expr)))
            case "Join" if is_aggregated:
                extra, node = _read_group(node.p2), node.p1
                continue
            case "AggregateJoin":
                return replace(_read_aggregates(node, select, computed, extra), is_aggregated=True)
            case _:
                select = replace(select, group=_read_group(node), computed=computed)
                renamed: SelectQuery = rename(select, names)
                return renamed
        node = node.p


def _read_aggregates(
    node: CompValue, select: SelectQuery, computed: dict[Variable, Expression], extra: QueryGroup
) -> SelectQuery:
    """Return a query with its aggregates and groups; ``extra`` are values behind the query."""
    samples = {each.res: each.vars for each in node.A if each.name == "Aggregate_Sample" and "distinct" not in each}
    computed |= {each.res: samples.get(each.res, each) for each in node.A}
    computed = {
        name: each for name, each in computed.items()
        if not (isinstance(each, Variable) and samples.get(each) == name)
    }  # fmt: skip
    groups, binds = list[Variable](), list[tuple[Variable, Expression]]()
    for expression in node.p.expr or ():
        same = [name for name, each in computed.items() if rename(each, samples) == rename(expression, {})]
        is_named = not isinstance(expression, Variable) and same
        groups += same[:1] if is_named else [expression] if isinstance(expression, Variable) else []
        binds += [(same[0], expression)] if is_named else []
        computed = {name: each for name, each in computed.items() if not (is_named and name in same)}
    unread = ("group",) if len(groups) < len(node.p.expr or ()) else ()
    group = _read_group(node.p.p) + extra + QueryGroup(binds=tuple(binds), unread=unread)
    columns = tuple(_alias_of(column, computed, groups) for column in select.columns)
    return replace(select, group=group, columns=columns, computed=computed, groups=tuple(groups))


def _alias_of(column: Variable, computed: Mapping[Variable, Expression], groups: Sequence[Variable]) -> Variable:
    """Return the group that a column only gives another name."""
    term = column
    while isinstance(inner := computed.get(term), Variable):
        term = inner
    return term if term in groups else column


def _is_free(expression: Expression, names: Sequence[Variable]) -> bool:
    return isinstance(expression, Variable) and expression not in names


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
        case "LeftJoin":
            return _read_group(node.p1) + QueryGroup(optionals=(_filtered(_read_group(node.p2), node.expr),))
        case "Minus":
            return _subtract(_read_group(node.p1), _read_group(node.p2))
        case "Union":
            return _unite(_read_group(node.p1), _read_group(node.p2))
        case "Filter":
            return _filtered(_read_group(node.p), node.expr)
        case "Extend":
            return _read_group(node.p) + QueryGroup(binds=((node.var, node.expr),))
        case "Graph":
            return _read_group(node.p) + QueryGroup(unread=("graph",))
        case "ToMultiSet" if node.p.name == "values":
            rows = ({name: term for name, term in row.items() if term != "UNDEF"} for row in node.p.res)
            return QueryGroup(values=(tuple(rows),))
        case "ToMultiSet":
            return _inline(_read_select(node.p))
    return QueryGroup(unread=(node.name,))


def _subtract(group: QueryGroup, removed: QueryGroup) -> QueryGroup:
    """Return what MINUS leaves of a group: all of it if the two share no variable."""
    bound = set(variables_of(replace(group, filters=(), negated=())))
    inner = set(variables_of(replace(removed, filters=(), negated=())))
    if not bound & inner:
        return group
    is_closed = inner.issuperset(variables_of(removed.filters))
    return group + (QueryGroup(negated=(removed,)) if is_closed else QueryGroup(unread=("minus",)))


def _unite(group: QueryGroup, other: QueryGroup) -> QueryGroup:
    """Return the union of two groups: an alternative of predicates, if they differ in nothing else."""
    edges = (*group.edges, *other.edges)
    plain = [each for each in (group, other) if replace(each, edges=()) == QueryGroup() and len(each.edges) == 1]
    if len(plain) < 2 or edges[0].ends != edges[1].ends or any(is_open(each.predicate) for each in edges):
        return QueryGroup(unions=((group, other),))
    path = AlternativePath(*(each.predicate for each in edges))
    return QueryGroup(edges=(replace(edges[0], predicate=path),))


def _inline(select: SelectQuery) -> QueryGroup:
    """Return a subquery as a group: its own group, if it only projects; its inner variables get names of their own."""
    hidden = set(variables_of(select)).difference(select.columns)
    names = {name: Variable(f"{name}_{BNode()}") for name in hidden}
    select = rename(select, names)
    if select.is_aggregated or select.limit or select.offset or select.computed:
        return QueryGroup(subqueries=(select,))
    return select.group + QueryGroup(existential=tuple(names.values()) if select.is_distinct else ())


def rename(value: Any, names: Mapping[Variable, Variable]) -> Any:
    """Return a part of a query with other names of its variables."""
    match value:
        case Variable():
            return names.get(value, value)
        case CompValue():
            return CompValue(value.name, **{key: rename(item, names) for key, item in value.items() if key != "_vars"})
        case QueryGroup() | SelectQuery() | TripleEdge():
            return type(value)(*(rename(getattr(value, each.name), names) for each in fields(value)))
        case Mapping():
            return {rename(key, names): rename(item, names) for key, item in value.items()}
        case tuple() | list():
            return type(value)(rename(item, names) for item in value)
    return value


def _filtered(group: QueryGroup, expression: Expression) -> QueryGroup:
    """Return a group with a filter; an EXISTS joins it, and an OPTIONAL without a value is a negation."""
    for part in split_conjunction(expression):
        is_denied = isinstance(part, CompValue) and part.name == "UnaryNot"
        inner = part.expr if is_denied else part
        name = inner.name if isinstance(inner, CompValue) else ""
        if name in ("Builtin_EXISTS", "Builtin_NOTEXISTS"):
            exists = _read_group(inner.graph)
            is_denied = is_denied != (name == "Builtin_NOTEXISTS")
            group += QueryGroup(negated=(exists,)) if is_denied else exists
        elif name == "Builtin_BOUND" and (optional := _optional_with(group, inner.arg)):
            group = replace(group, optionals=tuple(each for each in group.optionals if each is not optional))
            group += QueryGroup(negated=(optional,)) if is_denied else optional
        elif any(_optional_with(group, variable) for variable in variables_of(part)):
            group += QueryGroup(unread=("optional",))
        else:
            group += QueryGroup(filters=(part,))
    return group


def _optional_with(group: QueryGroup, variable: Variable) -> QueryGroup | None:
    """Return the OPTIONAL that alone binds a variable."""
    if variable in group.required_variables():
        return None
    return next((each for each in group.optionals if variable in each.required_variables()), None)
