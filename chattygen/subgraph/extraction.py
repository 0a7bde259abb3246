"""Subgraph extraction (Algorithm 2, second half): the triples around an entity, and which of them can be asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from chattyshared.check import Problem
from chattyshared.kg import Direction, Edge, KnowledgeGraph
from chattyshared.language.inflection import denote_persons, head_noun, plain_label
from chattyshared.language.lexicon import word_set
from chattyshared.language.wordnet import noun_kinds
from chattyshared.literals import read_moment
from chattyshared.terms import Term, iri_to_words
from rdflib import BNode, Literal, URIRef

from chattygen.lexicalization.word_forms import is_participle
from chattygen.options import Options
from chattygen.subgraph.facts import Entity, Gender
from chattygen.subgraph.hidden_nodes import PathEdge, hidden_ends, is_excluded, open_hidden_nodes, relation_of
from chattygen.subgraph.naming import Naming
from chattygen.subgraph.predicate_salience import is_askable, is_thing, is_writable, repeats_label

FIRST_PRESENT_YEAR = 2026
"""Year: what ended or took place before it is past; that of the first release, so that a run gives the same bytes on
any day."""
_ENDS, _DATED = word_set("events", "ends"), word_set("events", "dated")
_GENDERS: dict[str, Gender] = {
    "female": "female", "woman": "female", "f": "female", "girl": "female",
    "male": "male", "man": "male", "m": "male", "boy": "male",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Subgraph:
    """An entity, the literal that names it (None: its label comes from its IRI), and its askable triples.

    ``triple_count`` counts the triples of the KG around the entity, before the filter.
    """

    entity: Entity
    name: Literal | None
    edges: tuple[Edge, ...]
    triple_count: int

    @property
    def predicate_count(self) -> int:
        """The number of distinct predicates and paths; the two directions count separately."""
        return len({relation_of(edge) for edge in self.edges})

    @property
    def own_predicate_count(self) -> int:
        """The number of distinct predicates, without paths over hidden nodes: not every thing of a class has these."""
        return len({relation_of(edge) for edge in self.edges if not isinstance(edge, PathEdge)})


def extract_subgraph(  # noqa: PLR0913
    kg: KnowledgeGraph,
    iri: URIRef,
    naming: Naming,
    *,
    type_iri: str = "",
    limit: int = 400,
    direction: Direction = "both",
    excluded: frozenset[str],
) -> Subgraph:
    """Fetch the triples at one hop around an entity, and keep those that can be asked about.

    ``type_iri`` is the type that it was drawn for (empty: the most specific of its classes). ``limit`` bounds the
    triples. ``direction`` says whether the entity is their subject (``out``), their object (``in``) or either; its name
    and its class always come from the triples that it is the subject of.
    """
    subgraphs = extract_subgraphs(
        kg, [iri], naming, type_iri=type_iri, limit=limit, direction=direction, excluded=excluded
    )
    return subgraphs[iri]


def extract_subgraphs(  # noqa: PLR0913
    kg: KnowledgeGraph,
    iris: Sequence[URIRef],
    naming: Naming,
    *,
    type_iri: str = "",
    limit: int = 400,
    direction: Direction = "both",
    excluded: frozenset[str],
) -> dict[URIRef, Subgraph]:
    """Extract the subgraphs of several entities as ``extract_subgraph`` does, in few requests for all of them."""
    read = kg.neighbourhoods(iris, direction="out" if direction == "out" else "both", limit=limit + 1)
    kept = {iri: [edge for edge in edges if direction in ("both", edge.direction)] for iri, edges in read.items()}
    nodes = dict.fromkeys(node for edges in kept.values() for node in hidden_ends(kg, edges)[0])
    node_edges = kg.neighbourhoods(list(nodes), limit=limit)
    subgraphs = {}
    for iri, edges in kept.items():
        stated = _stated_types(read[iri], kg) or tuple(kg.types_of([iri]).get(iri, ()))
        class_iri = type_iri or next(iter(most_specific_classes(kg, stated)), "")
        name = naming.find_name(class_iri, read[iri])
        class_labels = class_labels_of(kg, class_iri)
        label = str(name).strip() if name is not None else kg.label(iri)
        noun = class_labels[0] if class_labels else ""
        entity = Entity(
            iri, " ".join(label.split()), class_iri, noun, class_labels, **stated_traits(kg, read[iri], class_labels)
        )
        opened = list(open_hidden_nodes(kg, iri, stated, edges, lambda node: node_edges[node]))
        subgraphs[iri] = Subgraph(
            entity, name, tuple(askable_edges(kg, opened, entity, excluded)), count_triples(edges)
        )
    return subgraphs


def count_triples(edges: Iterable[Edge]) -> int:
    """Return the number of triples that the KG states around the entity, those beyond the limit included."""
    groups = {(edge.predicate, edge.direction): edge.cardinality for edge in edges}
    return sum(groups.values())


def askable_edges(
    kg: KnowledgeGraph, edges: Iterable[Edge], entity: Entity, excluded: frozenset[str]
) -> Iterator[Edge]:
    """Yield the edges that a question can be about (see ``predicate_salience``), without those that repeat the name."""
    groups: dict[tuple[str, str], list[Edge]] = {}
    for edge in edges:
        if not is_excluded(kg, edge, excluded) and edge.far_end != entity.iri:
            groups.setdefault(relation_of(edge), []).append(edge)
    for _, group in sorted(groups.items()):
        if any(isinstance(edge.far_end, BNode) or not is_writable(edge.far_end) for edge in group):
            continue
        predicate = str(group[0].predicate)
        entry = kg.vocabulary.predicates.get(predicate)
        literals = [edge.far_end for edge in group if isinstance(edge.far_end, Literal)]
        if literals and not is_askable(literals, unique=bool(entry and entry.is_inverse_functional)):
            continue
        if not all(
            is_thing(e.far_end, e.label, e.types, named=bool(kg.profile.labels))
            for e in group
            if isinstance(e.far_end, URIRef)
        ):
            continue
        if any(
            repeats_label(term_text(edge.far_end, edge.label), entity.label) for edge in group
        ) or is_gender_predicate(kg, predicate):
            continue
        yield from sorted(group, key=lambda edge: (str(edge.far_end), edge.far_end.n3()))


def term_text(term: Term, label: str) -> str:
    """Return a term as the text of an answer."""
    return str(term) if isinstance(term, Literal) else label


def stated_traits(kg: KnowledgeGraph, edges: Sequence[Edge], class_labels: Sequence[str]) -> dict[str, Any]:
    """Return what the KG states of an entity that its pronoun and the tense of questions show."""
    return {"gender": stated_gender(kg, edges), "is_past": is_over(kg, edges, class_labels)}


def is_over(kg: KnowledgeGraph, edges: Iterable[Edge], class_labels: Sequence[str]) -> bool:
    """Tell whether the KG states the end of an entity, or the date of an event, before ``FIRST_PRESENT_YEAR``."""
    happens = any("event" in noun_kinds(head_noun(plain_label(label)))[:2] for label in class_labels[:1])
    for edge in edges:
        moment = read_moment(edge.object) if edge.direction == "out" and isinstance(edge.object, Literal) else None
        words = set(plain_label(kg.spoken_name(edge.predicate)).casefold().split()) - _DATED
        tells = (words and words <= _ENDS) or (happens and all(map(is_participle, words)))
        if tells and moment is not None and moment.year < FIRST_PRESENT_YEAR:
            return True
    return False


def stated_gender(kg: KnowledgeGraph, edges: Iterable[Edge]) -> Gender:
    """Return the gender that the KG states, by a predicate of that name; empty if it states none or several."""
    genders = {
        _GENDERS.get(term_text(edge.object, edge.label).strip().casefold(), "")
        for edge in edges
        if edge.direction == "out" and is_gender_predicate(kg, str(edge.predicate))
    }
    return next(iter(genders)) if len(genders) == 1 else ""


def is_gender_predicate(kg: KnowledgeGraph, predicate: str) -> bool:
    """Tell whether a predicate states the gender: pronouns show it, so no question asks about it."""
    entry = kg.vocabulary.predicates.get(predicate)
    names = (iri_to_words(predicate), entry.label if entry else "")
    return any(name.casefold().split()[-1:] in (["gender"], ["sex"]) for name in names)


def class_labels_of(kg: KnowledgeGraph, type_iri: str) -> tuple[str, ...]:
    """Return the label of a class and those of its superclasses, nearest first, but none that nobody says.

    Things with a given and a family name are persons too, whatever their class is called.
    """
    if not type_iri:
        return ()
    classes = kg.vocabulary.classes
    if type_iri not in classes:
        name = iri_to_words(type_iri)
        return (name,) if any(map(str.isalpha, name)) else ()
    above = sorted(
        kg.vocabulary.superclasses(type_iri) - {type_iri},
        key=lambda iri: (-len(kg.vocabulary.superclasses(iri)), iri),
    )
    named = (kg.spoken_names[iri] for iri in (type_iri, *above) if iri in classes and not classes[iri].is_metadata)
    labels = tuple(dict.fromkeys(name for name in named if any(map(str.isalpha, name))))
    given_names = {given for given, _ in kg.profile.name_pairs}
    has_split_name = dict(kg.profile.type_labels).get(type_iri) in given_names
    return (*labels, "person") if has_split_name and not denote_persons(labels) else labels


def shared_class(kg: KnowledgeGraph, types: Iterable[tuple[str, ...]]) -> str:
    """Return the most specific class that all share (superclasses count), or an empty text."""
    closures = [{above for iri in iris for above in kg.vocabulary.superclasses(iri)} for iris in types]
    common = set.intersection(*closures) if closures else set()
    hidden = kg.profile.metadata_classes
    classes = kg.vocabulary.classes
    return next(iter(most_specific_classes(kg, [
        iri for iri in common if iri not in hidden and not (iri in classes and classes[iri].is_metadata)
    ])), "")  # fmt: skip


def most_specific_classes(kg: KnowledgeGraph, types: Iterable[str]) -> tuple[str, ...]:
    """Return the classes without a subclass among the others, the rarest first."""
    pool = sorted(set(types))
    lowest = [iri for iri in pool if not (kg.vocabulary.subclasses(iri) - {iri}) & set(pool)] or pool
    classes = kg.vocabulary.classes
    return tuple(sorted(lowest, key=lambda iri: (classes[iri].instance_count if iri in classes else 0, iri)))


def _stated_types(edges: Iterable[Edge], kg: KnowledgeGraph) -> tuple[str, ...]:
    hidden = kg.profile.metadata_classes
    return tuple(
        str(edge.object) for edge in edges
        if edge.direction == "out" and str(edge.predicate) in kg.profile.types and isinstance(edge.object, URIRef)
        and str(edge.object) not in hidden
    )  # fmt: skip


def check_seed(kg: KnowledgeGraph, graph: Subgraph, options: Options) -> Iterator[Problem]:
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
