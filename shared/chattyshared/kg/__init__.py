"""Knowledge graphs: an endpoint and a profile, and what is read of them: names, types, vocabulary, neighbourhoods."""

from chattyshared.kg.hits import Direction, Edge, Hit, LiteralPredicate, TypeCount, ValueHit
from chattyshared.kg.knowledge_graph import KnowledgeGraph

__all__ = [
    "Direction",
    "Edge",
    "Hit",
    "KnowledgeGraph",
    "LiteralPredicate",
    "TypeCount",
    "ValueHit",
]
