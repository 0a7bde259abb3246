"""Knowledge graphs: an endpoint with a profile; labels, types, vocabulary, search and neighbourhoods."""

from chattyshared.kg.knowledge_graph import KnowledgeGraph
from chattyshared.kg.vocabulary import Direction, Edge, Hit, LiteralHit, LiteralPredicate, TypeCount

__all__ = [
    "Direction",
    "Edge",
    "Hit",
    "KnowledgeGraph",
    "LiteralPredicate",
    "TypeCount",
    "LiteralHit",
]
