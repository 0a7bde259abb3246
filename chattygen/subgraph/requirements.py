"""What Algorithm 2 requires of a seed: a short label of its own, and a subgraph of the right size and diversity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chattyshared.check import Problem
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.batches import union_pattern
from chattyshared.kg.column_names import split_name_patterns
from chattyshared.terms import n3
from rdflib import URIRef

from chattygen.options import Options
from chattygen.subgraph.extraction import Subgraph


def check_seed(kg: KnowledgeGraph, graph: Subgraph, naming: Sequence[str], options: Options) -> Iterator[Problem]:
    """Yield why an entity is no good seed: its label, its size, or too few predicates to ask about."""
    label = graph.entity.label
    if kg.hidden_class(graph.entity.type) is not None:
        yield Problem("hidden-class", f"nobody names the things of its class: {graph.entity.iri}")
        return
    if graph.name is None and kg.profile.has_labels:
        yield Problem("no-label", f"nothing names it, while other things have names: {graph.entity.iri}")
        return
    if not label or len(label.split()) > options.max_label_words:
        yield Problem("label-length", f'the label has {len(label.split())} words: "{label[:80]}"')
        return
    min_predicates, min_triples = options.bounds_of(graph.entity.type)
    if graph.triple_count > options.max_triples:
        yield Problem("size", f"{graph.triple_count} triples, more than {options.max_triples}")
    elif len(graph.edges) < min_triples:
        yield Problem("size", f"{len(graph.edges)} usable triples, fewer than {min_triples}")
    elif graph.predicate_count < min_predicates:
        yield Problem("predicates", f"{graph.predicate_count} usable predicates, fewer than {min_predicates}")
    elif is_label_shared(kg, graph, naming):
        yield Problem("ambiguous-label", f'several entities are called "{label}"')


def is_label_shared(kg: KnowledgeGraph, graph: Subgraph, naming: Sequence[str]) -> bool:
    """Tell whether another entity has the same name, by any of the label predicates."""
    if graph.name is None or not naming:
        return False
    predicates = " ".join(n3(URIRef(iri)) for iri in naming)
    patterns = [f"VALUES ?p {{ {predicates} }} ?s ?p {n3(graph.name)}"]
    patterns += split_name_patterns([str(graph.name)], kg.profile.name_pairs)
    return kg.endpoint.ask(
        f"ASK {{ {union_pattern(patterns)} FILTER(?s != {n3(graph.entity.iri)}) FILTER(isIRI(?s)) }}"
    )
