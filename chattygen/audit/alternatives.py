"""What else is right in place of an answer: things with the same extreme value, a value beside its node, the same thing
under another IRI, and a thing that nothing in the graph tells apart."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from chattyshared.dialogue import Alternative, AlternativeReason, Value
from chattyshared.endpoint import Endpoint, Row
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.batches import in_filter, values_block
from chattyshared.kg.labels import label_predicates
from chattyshared.literals import is_number
from chattyshared.sparql.analysis import QueryAnalysis, analyze_query
from chattyshared.sparql.gold_queries import QueryRun, run_query
from chattyshared.sparql.result_comparison import is_blank, row_key
from chattyshared.sparql.rewriting import QueryText, split_query
from chattyshared.terms import Term, is_writable
from rdflib import OWL, URIRef, Variable

MAX_ANSWERS = 50
"""The most answers of a question whose alternatives are looked up."""
MAX_TIED = 100
"""The most solutions beyond a LIMIT that are compared with those within it."""
MAX_SOLUTIONS = 2_000
"""The most solutions of a query's pattern whose value nodes are looked up."""
_SAME = f"<{OWL.sameAs}>"
_IS_OTHER = "FILTER(isIRI(?b) && ?b != ?a)"
_VARIABLE = re.compile(r"\(?\s*[?$](\w+)\s*\)?")
_Pair = tuple[str, str]


def find_ties(query: QueryAnalysis, query_run: QueryRun, kg: KnowledgeGraph, untrusted: Endpoint) -> QueryRun | None:
    """Return the solutions that a LIMIT cuts off although they rank with the last one within it; None: not known.

    A LIMIT without ORDER BY makes all solutions equal.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    text = split_query(query.text)
    if text is None or text.limit is None or not query_run.rows:
        return QueryRun()
    items, keys = _items_with_keys(text, query)
    stop = text.offset + text.limit
    wide = run_query(kg, text.select(items, stop + MAX_TIED), untrusted)
    if wide.failure:
        return None
    key_places = [wide.columns.index(key) for key in keys if key in wide.columns]
    places = [wide.columns.index(name) for name in query_run.columns]
    ranked = [(row_key(row[p] for p in key_places), tuple(row[p] for p in places)) for row in wide.rows]
    inside = {rank for rank, answer in ranked[text.offset : stop] if answer in query_run.rows}
    outside = (*ranked[: text.offset], *ranked[stop:])
    tied = dict.fromkeys(answer for rank, answer in outside if rank in inside and answer not in query_run.rows)
    return QueryRun(tuple(tied), query_run.columns)


def find_inner_ties(query: QueryAnalysis, kg: KnowledgeGraph, untrusted: Endpoint) -> Iterator[QueryRun | None]:
    """Yield the ties of each subquery with a LIMIT; raises what ``find_ties`` raises."""
    text = split_query(query.text)
    for sparql in text.subqueries if text else ():
        inner = split_query(sparql)
        if inner and inner.limit is not None:
            run = run_query(kg, sparql, untrusted)
            yield None if run.failure else find_ties(analyze_query(sparql), run, kg, untrusted)


def _items_with_keys(text: QueryText, query: QueryAnalysis) -> tuple[str, list[str]]:
    """Return the selected items with the sort keys behind them, and the names of the variables of the keys."""
    variables, keys = list(query.result_variables), []
    items = " ".join(f"?{name}" for name in variables) if text.items == "*" else text.items
    for number, expression in enumerate(text.order_keys):
        variable = _VARIABLE.fullmatch(expression)
        name = variable[1] if variable else f"sort_key_{number}"
        if name not in variables:
            items += f" ?{name}" if variable else f" ({expression} AS ?{name})"
            variables.append(name)
        keys.append(name)
    return items, keys


def find_alternatives(
    query: QueryAnalysis, query_run: QueryRun, tied: QueryRun, kg: KnowledgeGraph, untrusted: Endpoint
) -> tuple[Alternative, ...]:
    """Return the alternatives to the answers of a query for one column, each to one answer.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    answers = query_run.values[:MAX_ANSWERS]
    if query_run.is_table or query.form != "SELECT" or not answers:
        return ()
    iris = [value.value for value in answers if value.kind == "iri" and not is_blank(value)]
    found: list[tuple[AlternativeReason, Iterable[_Pair]]] = [
        ("tie", ((answers[-1].value, value.value) for row in tied.rows for value in row[:1] if value)),
    ]
    if iris:
        found += [
            ("same-as", _pairs(kg, iris, f"{{ ?a {_SAME} ?b }} UNION {{ ?b {_SAME} ?a }} {_IS_OTHER}")),
            ("same-label", _indistinguishable_things(iris, kg)),
            ("value-of-node", _values_of_nodes(iris, kg)),
        ]
    if any(value.kind in ("literal", "number") for value in answers) and not query.counted_variables:
        found.append(("node-of-value", _nodes_of_values(query, answers, kg, untrusted)))
    # What is an answer itself is left out, and what would stand for several answers.
    known, by_value = {value.value for value in answers}, dict[str, dict[str, Alternative]]()
    for reason, pairs in found:
        for answer, other in pairs:
            if other not in known and answer in known:
                by_value.setdefault(other, {}).setdefault(answer, Alternative(answer, other, reason))
    return tuple(next(iter(by_answer.values())) for by_answer in by_value.values() if len(by_answer) == 1)


def _indistinguishable_things(iris: list[str], kg: KnowledgeGraph) -> Iterator[_Pair]:
    """Yield things with the label and a class of an answer that have no other value of any of its predicates."""
    naming, types = label_predicates(kg.profile), kg.profile.types
    if naming and types:
        yield from _pairs(
            kg, iris,
            f"?a ?by ?name . {in_filter('by', naming)} FILTER(isLiteral(?name)) "
            f"?b ?by ?name {_IS_OTHER} ?a ?isa ?class . ?b ?isa ?class {in_filter('isa', types)} "
            f"FILTER NOT EXISTS {{ ?a ?p ?v . ?b ?p ?w FILTER(!sameTerm(?v, ?w)) "
            f"FILTER(?p NOT IN ({', '.join(f'<{iri}>' for iri in (*naming, *types))})) }}",
        )  # fmt: skip


def _values_of_nodes(iris: list[str], kg: KnowledgeGraph) -> Iterator[_Pair]:
    """Yield the literal of each answer that is a value node: its one number, else the one that it has."""
    nodes, naming = sorted(_find_value_nodes(iris, kg)), label_predicates(kg.profile)
    if not nodes:
        return
    names = f"FILTER(?p NOT IN ({', '.join(f'<{iri}>' for iri in naming)}))" if naming else ""
    values: dict[str, list[Term]] = {}
    for row in _rows(kg, nodes, f"?a ?p ?b FILTER(isLiteral(?b)) {names}"):
        values.setdefault(str(row["a"]), []).append(row["b"])
    for node, literals in values.items():
        single = next((part for part in ([*filter(is_number, literals)], literals) if len(part) == 1), ())
        yield from ((node, str(literal)) for literal in single)


def _find_value_nodes(iris: Iterable[str], kg: KnowledgeGraph) -> set[str]:
    """Return the things that nobody names: those without a label, and those of classes such as prices."""
    things, naming = [URIRef(iri) for iri in sorted(set(iris)) if is_writable(iri)], label_predicates(kg.profile)
    if not things or not naming:
        return set()
    types = kg.types_of(things)
    hidden = {str(iri) for iri in things if any(kg.hidden_class(name) for name in types.get(iri, ()))}
    pattern = f"{values_block('s', things)} ?s ?by ?name {in_filter('by', naming)}"
    labelled = {str(row["s"]) for row in kg.endpoint.select(f"SELECT DISTINCT ?s WHERE {{ {pattern} }}")}
    return hidden | ({str(iri) for iri in things} - labelled)


def _nodes_of_values(
    query: QueryAnalysis, answers: Iterable[Value], kg: KnowledgeGraph, untrusted: Endpoint
) -> Iterator[_Pair]:
    """Yield the value nodes whose values a query selects."""
    text, texts = split_query(query.text), {value.value for value in answers}
    answer = query.result_variables[0] if len(query.result_variables) == 1 else ""
    nodes = [
        str(s) for s, p, o in query.patterns
        if isinstance(s, Variable) and isinstance(p, URIRef) and isinstance(o, Variable) and str(o) == answer
    ]  # fmt: skip
    if text is None or len(nodes) != 1:
        return
    rows = untrusted.select(f"{text.solutions} LIMIT {MAX_SOLUTIONS}")
    pairs = [(str(row[answer]), str(row[nodes[0]])) for row in rows if answer in row and nodes[0] in row]
    ends = [(value, node) for value, node in pairs if value in texts and not is_blank(Value(node, "iri"))]
    value_nodes = _find_value_nodes([node for _, node in ends[:MAX_ANSWERS]], kg)
    yield from (pair for pair in ends if pair[1] in value_nodes)


def _pairs(kg: KnowledgeGraph, iris: Iterable[str], pattern: str) -> Iterator[_Pair]:
    yield from ((str(row["a"]), str(row["b"])) for row in _rows(kg, iris, pattern))


def _rows(kg: KnowledgeGraph, iris: Iterable[str], pattern: str) -> Sequence[Row]:
    """Return what a pattern of ?a, which is one of some IRIs, and ?b gives."""
    matched = f"{values_block('a', iris)} {pattern}"
    return kg.endpoint.select(f"SELECT DISTINCT ?a ?b WHERE {{ {matched} }} ORDER BY ?a ?b LIMIT 1000")
