"""Contraction, and its reverse: a QIR that takes two steps where the graph may take one, or one for two."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from chattykg.linking.relation_phrases import is_function_phrase, is_generic_phrase
from chattykg.linking.similarity import lexical_similarity
from chattykg.qir import QIR, Relation

_WORTH = 0.9
_NEAR = 0.6


def rewrite_variants(qir: QIR, known_classes: frozenset[str]) -> Iterator[tuple[QIR, float]]:
    """Yield the QIR as it is, then with one or more idle unknowns contracted; with what each reading is worth.

    An unknown is idle if nothing but two relations speaks of it, one of which says nothing (``in``, ``of``), or if it
    is of a class that the graph does not have (``known_classes`` are the class mentions that it has).
    """
    current, worth = drop_disconnected(qir), 1.0
    yield current, worth
    longer = _expanded(current)
    if longer != current:
        yield longer, _WORTH
    while True:
        shorter = next(_contracted(current, known_classes), None)
        if shorter is None:
            return
        worth, current = worth * _WORTH, shorter
        yield current, worth


def drop_disconnected(qir: QIR) -> QIR:
    """Leave out relations between unknowns that nothing ties to what is asked: they would only multiply rows."""
    reached = {qir.target, *qir.targets, *qir.entities(), *(unknown for unknown, _ in qir.values)} - {""}
    if qir.shape == "boolean" and not qir.entities():
        return qir
    grown = True
    while grown:
        near = {end for relation in qir.triples if reached & set(relation.ends()) for end in relation.ends()}
        grown = not near <= reached
        reached |= near
    triples = tuple(relation for relation in qir.triples if reached & set(relation.ends()))
    lost = {end for relation in qir.triples if relation not in triples for end in relation.ends()}
    if not lost or lost & _spoken(qir):
        return qir
    return replace(qir, triples=triples, classes=tuple(pair for pair in qir.classes if pair[0] not in lost))


def _contracted(qir: QIR, known_classes: frozenset[str]) -> Iterator[QIR]:
    named = dict(qir.classes)
    for unknown in qir.unknowns():
        if unknown in _spoken(qir) or named.get(unknown) in known_classes:
            continue
        around = [relation for relation in qir.triples if unknown in relation.ends()]
        if len(around) != 2 or any(unknown in relation.ends() for relation in qir.negated):
            continue
        idle = any(is_generic_phrase(relation.relation) for relation in around) or _say_one_thing(*around)
        if not idle and unknown not in named:
            continue
        joined = _join(unknown, around[0], around[1], named.get(unknown, ""))
        triples = tuple(
            joined if relation is around[0] else relation for relation in qir.triples if relation is not around[1]
        )
        if joined.subject != joined.object:
            yield replace(qir, triples=triples, classes=tuple(pair for pair in qir.classes if pair[0] != unknown))


def _say_one_thing(one: Relation, other: Relation) -> bool:
    """Tell whether two relations are a verb and its own noun ("composed the music of")."""
    return bool(one.relation and other.relation) and lexical_similarity(one.relation, other.relation) >= _NEAR


def _spoken(qir: QIR) -> frozenset[str]:
    """Return the unknowns that more than relations speak of."""
    spoken = {qir.target, *qir.targets, *(unknown for unknown, _ in qir.values)}
    spoken |= {end for condition in qir.filters for end in (condition.unknown, condition.value)}
    spoken |= {qir.order.by} if qir.order else set()
    return frozenset(spoken | {unknown for having in qir.having for unknown in (having.group, having.counted)})


def _expanded(qir: QIR) -> QIR:
    """Return the QIR with relations that name two steps (``manager of the product manager``) taken in two."""
    triples: list[Relation] = []
    for relation in qir.triples:
        last, mark, first = relation.relation.partition(" of the ")
        if mark and last.strip() and first.strip() and not is_function_phrase(first):
            between = f"?between{len(triples)}"
            triples += [Relation(relation.subject, first, between), Relation(between, last, relation.object)]
        else:
            triples.append(relation)
    return replace(qir, triples=tuple(triples))


def _join(unknown: str, one: Relation, other: Relation, noun: str) -> Relation:
    if other.object == unknown and one.object != unknown:
        one, other = other, one
    first = one.subject if one.object == unknown else one.object
    last = other.object if other.subject == unknown else other.subject
    words = [one.relation, noun, other.relation]
    if is_function_phrase(one.relation):
        words = [noun, other.relation]
    elif is_function_phrase(other.relation):
        words = [one.relation, other.relation]
    return Relation(first, " ".join(word for word in words if word), last)
