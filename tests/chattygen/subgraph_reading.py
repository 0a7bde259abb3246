"""Read the subgraph of one entity, for tests."""

from chattyshared.kg import KnowledgeGraph
from rdflib import URIRef

from chattygen.context.names import profile_naming
from chattygen.context.predicate_salience import unaskable_predicates
from chattygen.context.subgraph import Scope, Subgraph, read_subgraphs
from chattygen.options import Options

ANY_SIZE = Options(min_predicates=0, min_triples=0)


def subgraph_at(kg: KnowledgeGraph, iri: str, *blocked: str) -> Subgraph:
    """Return what can be asked about an entity, without some predicates."""
    excluded = unaskable_predicates(kg, ()) | set(blocked)
    found = read_subgraphs(Scope(kg, profile_naming(kg), ANY_SIZE, excluded), [(URIRef(iri), "")])[URIRef(iri)]
    assert isinstance(found, tuple), found
    return found[0]
