"""The predicates that name the entities of a KG: a value that label predicate selection fills, and subgraphs read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from chattyshared.kg import Edge, KnowledgeGraph
from chattyshared.model import Usage
from rdflib import Literal


@dataclass(frozen=True, slots=True)
class Naming:
    """The label predicates of each type, best first.

    ``by_type`` maps a type to its chosen predicate; ``fallbacks`` serve all types. ``languages`` are tags, best first.
    ``usage`` is what the model used to choose. ``decided_types`` are the types whose choice is made or is not needed.
    ``name_pairs`` pairs predicates of given names with the predicates of the family names that follow them.
    """

    by_type: Mapping[str, str]
    fallbacks: tuple[str, ...]
    languages: tuple[str, ...]
    usage: Usage = Usage()
    decided_types: frozenset[str] = frozenset()
    name_pairs: tuple[tuple[str, str], ...] = ()

    def predicates_of(self, type_iri: str) -> tuple[str, ...]:
        """Return the label predicates of a type, best first."""
        chosen = self.by_type.get(type_iri)
        return tuple(dict.fromkeys((*((chosen,) if chosen else ()), *self.fallbacks)))

    def find_name(self, type_iri: str, edges: Iterable[Edge]) -> Literal | None:
        """Return the literal that names an entity among its edges, or None.

        A name in two parts becomes one literal, which the KG does not hold.
        """
        ranks = {iri: rank for rank, iri in enumerate(self.predicates_of(type_iri))}
        literals = [
            (str(edge.predicate), edge.object)
            for edge in edges
            if edge.direction == "out" and isinstance(edge.object, Literal) and str(edge.object).strip()
        ]
        names = [(predicate, literal) for predicate, literal in literals if predicate in ranks]
        if not names:
            return None
        predicate, name = min(names, key=lambda p: (ranks[p[0]], self._language_rank(p[1]), len(p[1]), str(p[1])))
        family_predicates = [family for given, family in self.name_pairs if given == predicate]
        family_name = min((str(literal) for iri, literal in literals if iri in family_predicates), default="")
        return Literal(f"{name} {family_name}") if family_name else name

    def _language_rank(self, literal: Literal) -> int:
        tag = (literal.language or "").split("-")[0]
        return self.languages.index(tag) if tag in self.languages else len(self.languages)


def profile_naming(kg: KnowledgeGraph) -> Naming:
    """Return the naming that the KG's profile states, before a model is asked."""
    profile = kg.profile
    return Naming(dict(profile.type_labels), profile.labels, profile.languages, name_pairs=profile.name_pairs)
