"""Subgraph extraction (Algorithm 2, second half): the triples around an entity, and which of them can be asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from chattyshared.check import Problem
from chattyshared.kg import Edge, KnowledgeGraph
from chattyshared.language.inflection import denote_persons, head_noun, plain_label
from chattyshared.language.lexicon import word_set
from chattyshared.language.wordnet import noun_kinds
from chattyshared.literals import read_moment
from chattyshared.terms import Term, iri_to_words
from rdflib import BNode, Literal, URIRef

from chattygen.context.facts import Entity, Gender
from chattygen.context.names import Naming
from chattygen.context.neighbourhoods import Neighbourhoods, Relations, Wish, fetch_whole, read_together
from chattygen.context.paths import (
    PathEdge,
    group_by_relation,
    hidden_ends,
    is_excluded,
    open_hidden_nodes,
    relation_of,
)
from chattygen.context.predicate_salience import is_askable, is_thing, is_writable, repeats_label
from chattygen.lexicalization.word_forms import is_participle
from chattygen.options import Options
from chattygen.rejection import SeedRejected

FIRST_PRESENT_YEAR = 2026
"""Year: what ended or took place before it is past; that of the first release, so that a run gives the same bytes on
any day."""
_TRAITS_OF_PERSONS = word_set("occupations", "traits_of_persons")
_TRAITS_OF_THE_BORN = word_set("occupations", "traits_of_the_born")
"""Names of predicates that only persons have."""
_ENDS, _DATED = word_set("events", "ends"), word_set("events", "dated")
_MADE = word_set("events", "made")
_GENDERS: dict[str, Gender] = {
    "female": "female", "woman": "female", "f": "female", "girl": "female",
    "male": "male", "man": "male", "m": "male", "boy": "male",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Scope:
    """What reading subgraphs depends on. No question asks about ``excluded_predicates``."""

    kg: KnowledgeGraph
    naming: Naming
    options: Options
    excluded_predicates: frozenset[str]


@dataclass(frozen=True, slots=True)
class Subgraph:
    """An entity, the literal that names it (None: its label comes from its IRI), and its askable triples.

    With ``is_name_shared`` other entities have its name.
    """

    entity: Entity
    name: Literal | None
    edges: tuple[Edge, ...]
    is_name_shared: bool = False

    @property
    def predicate_count(self) -> int:
        """The number of distinct predicates and paths; the two directions count separately."""
        return len({relation_of(edge) for edge in self.edges})

    @property
    def own_predicate_count(self) -> int:
        """The number of distinct predicates, without paths over hidden nodes: not every thing of a class has these."""
        return len({relation_of(edge) for edge in self.edges if not isinstance(edge, PathEdge)})


def read_subgraphs(
    scope: Scope, seeds_with_types: Sequence[tuple[URIRef, str]]
) -> dict[URIRef, tuple[Subgraph, Neighbourhoods] | SeedRejected]:
    """Read the subgraphs of some entities, each given with its type (empty: the most specific of its classes), in few
    requests for all of them.

    Returns by entity its subgraph with the triples it is made of, or why it has too many or too few. Labels are read
    for the others only.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    iris = [iri for iri, _ in seeds_with_types if is_writable(iri)]
    names = scope.naming.whole_name_predicates
    relations, namesakes = fetch_whole(scope.kg, iris, limit=scope.options.max_triples, name_predicates=names)
    results: dict[URIRef, tuple[Subgraph, Neighbourhoods] | SeedRejected] = {}
    around = {iri: Neighbourhoods({iri: relations.get(iri, {})}) for iri, _ in seeds_with_types}
    for iri, type_iri in seeds_with_types:
        if problems := tuple(_size_problems(scope, around[iri].relations[iri], type_iri)):
            results[iri] = SeedRejected("seed", problems)
    usable = [(each, _read_ends(scope.kg, each, iri)) for iri, each in around.items() if iri not in results]
    read_together(scope.kg, usable, scope.excluded_predicates - scope.naming.predicates)
    for iri, type_iri in seeds_with_types:
        if iri not in results:
            graph = subgraph_of(scope, around[iri], iri, type_iri)
            results[iri] = replace(graph, is_name_shared=iri in namesakes), around[iri]
    return results


def _read_ends(kg: KnowledgeGraph, around: Neighbourhoods, iri: URIRef) -> Iterator[Wish]:
    yield Wish(labels=(iri, *around.all_ends(iri)))
    yield from read_hidden_nodes(kg, around, [iri])


def read_hidden_nodes(kg: KnowledgeGraph, around: Neighbourhoods, iris: Iterable[URIRef]) -> Iterator[Wish]:
    """Read the triples of the hidden nodes that some entities lead to, with labels."""
    nodes, two_way = hidden_ends(kg, around, iris)
    yield Wish(nodes, two_way)
    yield Wish(labels=[end for node in nodes for end in around.all_ends(node)])


def _size_problems(scope: Scope, relations: Relations, type_iri: str) -> Iterator[Problem]:
    """Yield what is wrong with a seed as far as its triples without labels show it."""
    size = sum(map(len, relations.values()))
    predicates = [relation for relation in relations if str(relation[1]) not in scope.excluded_predicates]
    min_predicates, min_triples = scope.options.bounds_of(type_iri)
    if size > scope.options.max_triples:
        yield Problem("size", f"more than {scope.options.max_triples} triples")
    elif size < min_triples:
        yield Problem("size", f"{size} triples, fewer than {min_triples}")
    elif len(predicates) < min_predicates:
        yield Problem("predicates", f"{len(predicates)} usable predicates, fewer than {min_predicates}")


def subgraph_of(scope: Scope, around: Neighbourhoods, iri: URIRef, type_iri: str = "") -> Subgraph:
    """Return an entity with its label and its askable triples, from the triples that were read.

    Its name, its class and its gender come from all of them, facts from those in the direction of the options.
    """
    kg, all_edges, types = scope.kg, around.edges(iri), around.types.get(iri, ())
    class_iri = type_iri or next(iter(most_specific_classes(kg, types)), "")
    edges = [edge for edge in all_edges if scope.options.direction in ("both", edge.direction)]
    name = scope.naming.find_name(class_iri, all_edges)
    label = str(name) if name is not None else around.labels.get(iri, "")
    class_labels = class_labels_of(kg, class_iri)
    noun = class_labels[0] if class_labels else ""
    traits = stated_traits(kg, all_edges, class_labels)
    entity = Entity(iri, " ".join(label.split()), class_iri, noun, class_labels, **traits)
    opened = open_hidden_nodes(kg, iri, types, edges, around.edges)
    return Subgraph(entity, name, tuple(askable_edges(kg, opened, entity, scope.excluded_predicates)))


def askable_edges(
    kg: KnowledgeGraph, edges: Iterable[Edge], entity: Entity, excluded: frozenset[str]
) -> Iterator[Edge]:
    """Yield the edges that a question can be about (see ``predicate_salience``), without those that repeat the name."""
    kept = (edge for edge in edges if not is_excluded(kg, edge, excluded) and edge.far_end != entity.iri)
    for _, group in sorted(group_by_relation(kept).items()):
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
        is_made = not words.isdisjoint(_MADE)  # a stop that was opened is no event
        tells = (words and words <= _ENDS) or (happens and not is_made and all(map(is_participle, words)))
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

    Things with a given and a family name are persons too, whatever their class is called; those of a class of which no
    dictionary knows the name are if they have what only persons have.
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
    kinds = {kind for label in labels for kind in noun_kinds(head_noun(plain_label(label)))}
    traits = _TRAITS_OF_THE_BORN if kinds else _TRAITS_OF_PERSONS
    is_person = has_split_name or ("animal" not in kinds and _has_traits(kg, type_iri, traits))
    return (*labels, "person") if is_person and not denote_persons(labels) else labels


def _has_traits(kg: KnowledgeGraph, type_iri: str, traits: frozenset[str]) -> bool:
    entries = (entry for entry in kg.vocabulary.predicates.values() if type_iri in entry.domains)
    return any(plain_label(entry.label).casefold() in traits for entry in entries)


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


def check_seed(kg: KnowledgeGraph, graph: Subgraph, options: Options) -> Iterator[Problem]:
    """Yield why an entity is no good seed: its label, its size, or too few predicates to ask about."""
    label = graph.entity.label
    is_keyed = graph.name is None and graph.entity.type in kg.row_keys
    if kg.hidden_class(graph.entity.type) is not None and not is_keyed:
        yield Problem("hidden-class", f"nobody names the things of its class: {graph.entity.iri}")
        return
    if graph.name is None and kg.profile.has_labels and not is_keyed:
        yield Problem("no-label", f"nothing names it, while other things have names: {graph.entity.iri}")
        return
    if not label or len(label.split()) > options.max_label_words:
        yield Problem("label-length", f'the label has {len(label.split())} words: "{label[:80]}"')
        return
    min_predicates, min_triples = options.bounds_of(graph.entity.type)
    if len(graph.edges) < min_triples:
        yield Problem("size", f"{len(graph.edges)} usable triples, fewer than {min_triples}")
    elif graph.predicate_count < min_predicates:
        yield Problem("predicates", f"{graph.predicate_count} usable predicates, fewer than {min_predicates}")
