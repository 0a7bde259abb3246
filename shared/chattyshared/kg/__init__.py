"""Knowledge graphs: an endpoint and a profile, and what is read of them: names, types, vocabulary, neighbourhoods."""

from chattyshared.kg.knowledge_graph import KnowledgeGraph
from chattyshared.kg.records import Direction, Edge, Hit, LiteralHit, LiteralPredicate, TypeCount

__all__ = [
    "Direction",
    "Edge",
    "Hit",
    "KnowledgeGraph",
    "LiteralPredicate",
    "TypeCount",
    "LiteralHit",
]
