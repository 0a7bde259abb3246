"""Paths over nodes that nobody names: a value node or a row between an entity and what a question asks for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from chattyshared.kg import Edge, KnowledgeGraph
from chattyshared.kg.class_statistics import HiddenClass
from chattyshared.language.inflection import denote_groups, denote_persons, head_noun
from chattyshared.language.lexicon import load_lexicon, word_lists, word_set
from chattyshared.language.morphology import head_lemma_of
from chattyshared.language.wordnet import hypernyms, noun_kinds
from rdflib import Literal, URIRef

from chattygen.context.facts import Step
from chattygen.context.neighbourhoods import Neighbourhoods
from chattygen.context.predicate_salience import is_writable
from chattygen.lexicalization.amounts import unit_of
from chattygen.lexicalization.lexicon import (
    CATEGORY_NOUNS,
    EVENT_NOUNS,
    EVENT_VERBS,
    ORGANIZATION_AGENTS,
    SERVED_AGENTS,
    WORK_KINDS,
)
from chattygen.lexicalization.word_forms import is_participle

MAX_NODES = 24
"""Hidden nodes behind one predicate of an entity: more are not followed; set by hand."""
_TIMES = word_set("dates", "role_words")
_BEGIN_WORDS = word_lists("events", "nodes")["begin"]
_PERSON_NODES: dict[str, dict[str, str]] = load_lexicon("events")["person_nodes"]
_END_KINDS = ("event", "work", "group", "vehicle", "place", "other")
"""The columns of ``person_nodes``; of the last three, each stands for those before it that a row lacks."""
_EVENTS = frozenset({"contest", "festivity"})
_VEHICLES = frozenset({"craft", "vehicle", "conveyance"})
_SPOTS = frozenset({"artifact", "location", "group", "object"})
"""Kinds of what somebody can be at."""
_VAGUE_NOUNS = word_set("relation_labels", "vague_ends")
_SERVING = SERVED_AGENTS | ORGANIZATION_AGENTS | word_set("occupations", "staff")
_PREPOSITIONS = word_set("prepositions", "core", "labels_only")
EdgeReader = Callable[[URIRef], Sequence[Edge]]


@dataclass(frozen=True, slots=True)
class PathEdge(Edge):
    """A path over a hidden node, in place of the edge to it: the second edge, with the first one as ``via``.

    ``step`` is the path as one relation.
    """

    via: Edge
    step: Step


def relation_of(edge: Edge) -> tuple[str, str]:
    """Return the predicate of an edge, or the path that takes its place, with the direction."""
    return (edge.step.predicate if isinstance(edge, PathEdge) else str(edge.predicate)), edge.direction


def walked_edges(edge: Edge) -> tuple[Edge, ...]:
    """Return the edges of a path in order, or the edge alone."""
    return (edge.via, edge) if isinstance(edge, PathEdge) else (edge,)


def is_excluded(kg: KnowledgeGraph, edge: Edge, excluded: frozenset[str]) -> bool:
    """Tell whether no question may be about an edge or a path; a path may lead over a predicate that nobody says."""
    *before, last = (str(each.predicate) for each in walked_edges(edge))
    return last in excluded or any(iri in excluded and kg.spoken_names.get(iri) for iri in before)


def find_hidden_class_of(kg: KnowledgeGraph, types: Iterable[str]) -> HiddenClass | None:
    """Return the hidden class of a node with some classes: its rarest one counts. None if people name the node."""
    classes = kg.vocabulary.classes
    known = [iri for iri in types if iri in classes]
    return kg.hidden_class(min(known, key=lambda iri: (classes[iri].instance_count, iri))) if known else None


def leads_to_hidden_nodes(kg: KnowledgeGraph, predicate: str) -> bool:
    """Tell whether a predicate leads to nodes of a hidden class."""
    entry = kg.vocabulary.predicates.get(predicate)
    return entry is not None and find_hidden_class_of(kg, entry.ranges) is not None


def hidden_ends(
    kg: KnowledgeGraph, around: Neighbourhoods, iris: Iterable[URIRef]
) -> tuple[list[URIRef], list[URIRef]]:
    """Return the hidden nodes that some entities lead to, and those that need their incoming edges too."""
    nodes: dict[URIRef, None] = {}
    two_way: dict[URIRef, None] = {}
    groups = (group for iri in dict.fromkeys(iris) for group in around.relations.get(iri, {}).items())
    for (direction, _), ends in groups:
        for end in ends if len(ends) <= MAX_NODES else ():
            hidden_class = find_hidden_class_of(kg, around.types.get(end, ()))
            if hidden_class is not None and isinstance(end, URIRef) and is_writable(end):
                nodes[end] = None
                if direction == "in" and hidden_class.kind == "row" and _is_referred_to(kg, hidden_class.iri):
                    two_way[end] = None
    return list(nodes), list(two_way)


def _is_referred_to(kg: KnowledgeGraph, class_iri: str) -> bool:
    statistics = kg.class_statistics(class_iri)
    return statistics is not None and any(use.is_inverse for use in statistics.predicates)


def open_hidden_nodes(
    kg: KnowledgeGraph, entity: URIRef, types: Iterable[str], edges: Iterable[Edge], read_edges: EdgeReader
) -> Iterator[Edge]:
    """Yield the edges of an entity, with paths in place of those to hidden nodes.

    ``types`` are the classes of the entity, ``read_edges`` returns the edges of a hidden node. A value node is followed
    to its number if it is the only one. Rows are followed to things of other classes, and a single row to its literals;
    rows with dates only if there is one, which has not ended: else an answer would depend on the time that is meant.
    Paths that would have the same name as another relation are left out.
    """
    plain: list[Edge] = []
    paths: list[PathEdge] = []
    entity_types = set(types)
    for group in group_by_relation(edges).values():
        hidden_classes = [find_hidden_class_of(kg, edge.types) for edge in group]
        if not any(hidden_classes):
            plain += group
        elif all(hidden_classes) and group[0].cardinality == len(group) <= MAX_NODES:
            dates = [date for hidden_class in hidden_classes if hidden_class for date in hidden_class.dates]
            for edge in group if len(group) == 1 or not dates else ():
                followed = _follow(kg, entity, edge, read_edges, entity_types, is_single=len(group) == 1)
                paths += (path for path in followed if not entity_types & set(path.types))
    yield from plain
    names = {(kg.spoken_name(edge.predicate), relation_of(edge)) for edge in plain}
    names |= {(path.step.label, relation_of(path)) for path in paths}
    owners = Counter(name for name, _ in names)
    yield from (path for path in paths if owners[path.step.label] == 1)


def _follow(
    kg: KnowledgeGraph, entity: URIRef, first: Edge, read_edges: EdgeReader, types: Iterable[str], *, is_single: bool
) -> Iterator[PathEdge]:
    """Yield the paths over the hidden node that an edge of an entity leads to, those with a good name."""
    hidden_class = find_hidden_class_of(kg, first.types)
    assert hidden_class is not None and isinstance(first.far_end, URIRef)
    node_edges = read_edges(first.far_end)
    sizes = Counter(relation_of(edge) for edge in node_edges)
    if any(str(edge.predicate) in hidden_class.ends for edge in node_edges):
        return
    for edge in node_edges:
        is_whole = edge.cardinality == sizes[relation_of(edge)]
        if edge.far_end == entity or not is_whole or (isinstance(edge.far_end, Literal) and not is_single):
            continue
        if find_hidden_class_of(kg, edge.types) is not None:
            continue
        if hidden_class.kind == "value":
            step = _value_step(kg, hidden_class, first, edge, node_edges)
        else:
            step = _row_step(kg, hidden_class, first, edge, types)
        if step is not None:
            triple = (edge.subject, edge.predicate, edge.object)
            yield PathEdge(*triple, edge.direction, edge.label, edge.types, 1, first, step)


def _value_step(
    kg: KnowledgeGraph, hidden_class: HiddenClass, first: Edge, edge: Edge, node_edges: Sequence[Edge]
) -> Step | None:
    """Return the path to the number of a value node, named by the predicate that leads to the node, with its unit."""
    if str(edge.predicate) != hidden_class.amount or (first.direction, edge.direction) != ("out", "out"):
        return None
    label = kg.spoken_name(first.predicate)
    texts = [other.label for other in node_edges if str(other.predicate) in hidden_class.units]
    unit = next((text for text in texts if unit_of(f"{label} ({text})", "")), "")
    return _path_step(
        kg, hidden_class.iri, first, edge, first, f"{label} ({unit})" if unit and not unit_of(label, "") else label
    )


def _row_step(
    kg: KnowledgeGraph, hidden_class: HiddenClass, first: Edge, edge: Edge, types: Iterable[str]
) -> Step | None:
    """Return the path over a row, named by what a person does there (``works at``, of a shift), or by the predicate
    that leads from the row to a thing or a literal.

    ``types`` are the classes of the entity. Only a noun is a good name of a predicate: a verb (``done by``) would say
    of the thing what holds of the row. A literal and a deed are said of the person of the row, where there is one.
    """
    role = edge if edge.direction == "out" else first
    words = kg.spoken_names.get(str(role.predicate), "").split()
    label = " ".join(words[len(words) > 1 and words[0].lower() in _PREPOSITIONS :])
    is_noun = bool(words) and head_lemma_of(label) == words[-1].lower() and bool(noun_kinds(words[-1].lower()))
    if role.direction != edge.direction or not is_noun:
        return None
    is_person = _are_persons(kg, types)
    is_agent = is_person or not any(_are_persons(kg, each) for each in _classes_at_row(kg, hidden_class.iri))
    noun = kg.spoken_names.get(hidden_class.iri, "").lower()
    if isinstance(edge.far_end, Literal):
        label = _name_literal(kg, noun, first, label, is_person=is_person) if is_agent else ""
    else:
        far = [head_noun(name.lower()) for iri in edge.types if (name := kg.spoken_names.get(iri, ""))]
        verb = _verb_of_row(noun, far) if is_agent and not _are_persons(kg, edge.types) else ""
        label = verb or ("" if _says_nothing(kg, hidden_class.iri, label, edge.types, is_person=is_person) else label)
    return _path_step(kg, hidden_class.iri, first, edge, role, label) if label else None


def _classes_at_row(kg: KnowledgeGraph, row_class: str) -> Iterator[tuple[str, ...]]:
    """Yield the classes of the things that each predicate relates to the rows of a class."""
    statistics = kg.class_statistics(row_class)
    for use in statistics.predicates if statistics is not None else ():
        entry = kg.vocabulary.predicates.get(use.iri)
        if entry is not None:
            yield entry.domains if use.is_inverse else entry.ranges


def _heads_of(kg: KnowledgeGraph, types: Iterable[str]) -> set[str]:
    """Return the nouns of some classes and of those above, and their heads."""
    above = {iri for each in types for iri in kg.vocabulary.superclasses(each)}
    names = [name.lower() for iri in above if (name := kg.spoken_names.get(iri, ""))]
    return {noun for name in names for noun in (name, head_noun(name))}


def _are_persons(kg: KnowledgeGraph, types: Iterable[str]) -> bool:
    """Tell whether some classes, or those above, are of persons: cavers, where a caver is a person."""
    return any(denote_persons((name,)) for name in _heads_of(kg, types))


def _says_nothing(kg: KnowledgeGraph, row_class: str, label: str, far_types: Iterable[str], *, is_person: bool) -> bool:
    """Tell whether a noun for the far end of a row does not say what it is to a thing or a person: ``place``, ``type``;
    the ``club`` of a person, the ``member`` of a boat, where the row tells more than that; an ``appointee``."""
    *modifiers, last = label.lower().split()
    if last in _VAGUE_NOUNS or (head_noun(label) in CATEGORY_NOUNS and not is_person):
        return True
    heads, at_row = _heads_of(kg, far_types), list(_classes_at_row(kg, row_class))
    joined = {head for classes in at_row for head in _heads_of(kg, classes)}
    is_join = joined.issuperset(kg.spoken_names.get(row_class, "").lower().split()) or (
        len(at_row) == 2 and all(at_row)
    )
    names_class = label.lower() in heads and not is_join
    if _are_persons(kg, far_types) == is_person:
        return names_class and is_person and not heads.isdisjoint(_SERVING)  # the customer of a clerk
    return names_class or (not is_person and (last.endswith("ee") or any(map(is_participle, modifiers))))


def _verb_of_row(noun: str, far_heads: Iterable[str]) -> str:
    """Return what a person does to the far end of a row, by the nouns of their classes; "" if no verb is known."""
    verbs = _PERSON_NODES.get(noun.rpartition(" ")[2], {})
    kinds = sorted(map(_kind_of_end, far_heads), key=_END_KINDS.index)
    kind = kinds[0] if kinds else ""
    more_general = _END_KINDS[_END_KINDS.index(kind) :] if kind in ("vehicle", "place") else (kind,)
    return next((verbs[each] for each in more_general if each in verbs), "")


def _kind_of_end(head: str) -> str:
    """Return the column of ``person_nodes`` for a noun."""
    kinds, above = noun_kinds(head), set(hypernyms(head))
    if head in EVENT_NOUNS or not _EVENTS.isdisjoint(above):
        return "event"
    if head in WORK_KINDS or kinds[:1] == ("communication",):
        return "work"
    if denote_groups([head]) or kinds[:1] == ("group",):
        return "group"
    if not _VEHICLES.isdisjoint(above):
        return "vehicle"
    return "place" if not kinds or not _SPOTS.isdisjoint(kinds) else "other"


def _name_literal(kg: KnowledgeGraph, noun: str, first: Edge, label: str, *, is_person: bool) -> str:
    """Return the name of a literal of a row for a thing; "" if people do not say it of the thing.

    It is the label itself, but the noun of the row's class names a time (``appointment date``), unless each thing has
    one row at most.
    """
    entry = kg.vocabulary.predicates.get(str(first.predicate))
    is_one_to_one = entry and (entry.is_functional if first.direction == "out" else entry.is_inverse_functional)
    *modifiers, last = label.lower().split()
    event = noun.rpartition(" ")[2]
    if not noun or is_one_to_one:
        return label if noun else ""
    if last not in _TIMES:
        return label if _PREPOSITIONS.isdisjoint(modifiers) else ""
    is_begin = not modifiers or (len(modifiers) == 1 and modifiers[0] in _BEGIN_WORDS)
    return f"{event} {last}" if is_begin and event in EVENT_VERBS and is_person else ""


def _path_step(kg: KnowledgeGraph, node_class: str, first: Edge, edge: Edge, role: Edge, label: str) -> Step:
    hops = ((str(first.predicate), first.direction), (str(edge.predicate), edge.direction))
    path = "/".join(("^" if direction == "in" else "") + f"<{iri}>" for iri, direction in hops)
    entry = kg.vocabulary.predicates.get(str(role.predicate))
    return Step(path, label, edge.direction, entry.comment if entry else "", hops, node_class)


def group_by_relation(edges: Iterable[Edge]) -> dict[tuple[str, str], list[Edge]]:
    """Return edges by their predicate, or path, and direction."""
    groups: dict[tuple[str, str], list[Edge]] = {}
    for edge in edges:
        groups.setdefault(relation_of(edge), []).append(edge)
    return groups
