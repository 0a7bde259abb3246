"""Graphs in memory, of rdflib or of pyoxigraph, as sources of a local store."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator

import pyoxigraph as ox
from rdflib import BNode, Graph, Literal, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID, QuotedGraph
from rdflib.term import Node

from chattyshared.endpoint.direct_statements import make_statements_direct
from chattyshared.endpoint.rdf_files import merge_named_graphs
from chattyshared.errors import ConfigError

_log = logging.getLogger(__name__)
MemoryGraph = Graph | ox.Store
"""A graph or a dataset of rdflib, or a store of pyoxigraph."""
UNNAMED = "graph"
"""The name of a graph in memory that has no IRI."""


def graph_name(graph: MemoryGraph) -> str:
    """Return the IRI of a graph of rdflib, or ``UNNAMED``; a dataset has none."""
    if not isinstance(graph, Graph) or hasattr(graph, "quads") or not isinstance(graph.identifier, URIRef):
        return UNNAMED
    return str(graph.identifier)


def copy_to_store(graph: MemoryGraph) -> ox.Store:
    """Return a store in memory with the present content of a graph.

    Raises:
        ConfigError: a term of the graph is not valid in RDF, for example an IRI with blanks.
    """
    store = ox.Store()
    quads = _rdflib_quads(graph) if isinstance(graph, Graph) else iter(graph)
    notes: list[str] = []
    store.bulk_extend(merge_named_graphs(quads, 0, notes))
    for note in notes:
        _log.warning("%s", note)
    make_statements_direct(store)
    return store


def _rdflib_quads(graph: Graph) -> Iterator[ox.Quad]:
    names: dict[str, ox.BlankNode] = {}

    def convert(term: Node) -> ox.NamedNode | ox.BlankNode | ox.Literal:
        match term:
            case URIRef():
                return ox.NamedNode(str(term))
            case BNode() | QuotedGraph():
                return names.setdefault(str(getattr(term, "identifier", term)), ox.BlankNode())
            case Literal(language=str(language)):
                return ox.Literal(str(term), language=language)
            case Literal(datatype=URIRef() as datatype):
                return ox.Literal(str(term), datatype=ox.NamedNode(str(datatype)))
            case Literal():
                return ox.Literal(str(term))
        raise ValueError(f"{type(term).__name__} is no RDF term")

    make_quad: Callable[..., ox.Quad] = ox.Quad
    default = ox.DefaultGraph()
    for *triple, graph_id in _triples_with_graph(graph):
        try:
            yield make_quad(*map(convert, triple), default if graph_id is None else convert(graph_id))
        except (ValueError, TypeError) as error:
            text = ", ".join(map(str, triple))
            raise ConfigError(f"the graph holds a statement that is not RDF: {text[:300]} ({error})") from error


def _triples_with_graph(graph: Graph) -> Iterator[tuple[Node, Node, Node, Node | None]]:
    """Yield subject, predicate, object and the IRI of the named graph, if it has one; without what a formula quotes."""
    if not hasattr(graph, "quads"):
        yield from ((*triple, None) for triple in graph)
        return
    for subject, predicate, target, context in graph.quads((None, None, None, None)):
        if not isinstance(context, QuotedGraph):
            identifier = context.identifier if isinstance(context, Graph) else context
            is_named = isinstance(identifier, URIRef) and identifier != DATASET_DEFAULT_GRAPH_ID
            yield subject, predicate, target, identifier if is_named else None
