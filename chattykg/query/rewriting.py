"""QIR rewriting: variants that contract two relations into one, or expand one into two."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from chattykg.linking.relation_phrases import is_function_phrase, is_generic_phrase
from chattykg.linking.similarity import LexicalSimilarity, Similarity
from chattykg.qir import QIR, Relation

_LEXICAL_SIMILARITY = LexicalSimilarity()
# Origin of the numbers below: set by hand on the development sets; benchmarks/calibrate.py varies them.
_STEP_FACTOR = 0.9
"""Factor (0..1) of a variant for each rewriting."""
_MIN_VERB_NOUN_SIMILARITY = 0.6
"""Similarity (0..1) from which two relation phrases are a verb and its noun."""


def rewrite_variants(
    qir: QIR, known_classes: frozenset[str], similarity: Similarity = _LEXICAL_SIMILARITY
) -> Iterator[tuple[QIR, float]]:
    """Yield the QIR, then variants with expanded relations or contracted unknowns, each with a weight (0..1).

    An unknown is contracted if it has two relations and no other condition, and one of the phrases has no content
    (``in``, ``of``), or if no class of the graph matches its class (``known_classes`` are the mentions that match).
    ``similarity`` is that of the question's language.
    """
    current, weight = drop_disconnected(qir), 1.0
    yield current, weight
    expanded = _expand_relations(current)
    if expanded != current:
        yield expanded, _STEP_FACTOR
    while True:
        contracted = next(_contract_unknowns(current, known_classes, similarity), None)
        if contracted is None:
            return
        weight, current = weight * _STEP_FACTOR, contracted
        yield current, weight


def drop_disconnected(qir: QIR) -> QIR:
    """Leave out relations that are not connected to the target or an entity: they would only multiply rows."""
    reached = {qir.target, *qir.targets, *qir.entities(), *(unknown for unknown, _ in qir.values)} - {""}
    if qir.shape == "boolean" and not qir.entities():
        return qir
    is_growing = True
    while is_growing:
        neighbours = {end for relation in qir.triples if reached & set(relation.ends()) for end in relation.ends()}
        is_growing = not neighbours <= reached
        reached |= neighbours
    triples = tuple(relation for relation in qir.triples if reached & set(relation.ends()))
    dropped_ends = {end for relation in qir.triples if relation not in triples for end in relation.ends()}
    if not dropped_ends or dropped_ends & _constrained_unknowns(qir):
        return qir
    return replace(qir, triples=triples, classes=tuple(pair for pair in qir.classes if pair[0] not in dropped_ends))


def _contract_unknowns(qir: QIR, known_classes: frozenset[str], similarity: Similarity) -> Iterator[QIR]:
    class_words = dict(qir.classes)
    for unknown in qir.unknowns():
        if unknown in _constrained_unknowns(qir) or class_words.get(unknown) in known_classes:
            continue
        stated, denied = ([r for r in part if unknown in r.ends()] for part in (qir.triples, qir.negated))
        incident = stated or denied
        if len(incident) != 2 or stated and denied:
            continue
        is_generic = any(is_generic_phrase(relation.relation) for relation in incident)
        is_redundant = is_generic or _is_verb_with_noun(similarity, *incident)
        if not is_redundant and unknown not in class_words:
            continue
        joined = _join_relations(unknown, incident[0], incident[1], class_words.get(unknown, ""))
        triples, negated = (
            tuple(joined if r is incident[0] else r for r in part if r is not incident[1])
            for part in (qir.triples, qir.negated)
        )
        if joined.subject != joined.object:
            classes = tuple(pair for pair in qir.classes if pair[0] != unknown)
            yield replace(qir, triples=triples, negated=negated, classes=classes)


def _is_verb_with_noun(similarity: Similarity, one: Relation, other: Relation) -> bool:
    """Tell whether two relation phrases are a verb and its noun ("composed the music of")."""
    return (
        bool(one.relation and other.relation)
        and similarity(one.relation, (other.relation,))[0] >= _MIN_VERB_NOUN_SIMILARITY
    )


def _constrained_unknowns(qir: QIR) -> frozenset[str]:
    """Return the unknowns with conditions other than relations."""
    unknowns = {qir.target, *qir.targets, *(unknown for unknown, _ in qir.values)}
    unknowns |= {end for condition in qir.filters for end in (condition.unknown, condition.value)}
    unknowns |= {qir.order.by} if qir.order else set()
    return frozenset(unknowns | {unknown for having in qir.having for unknown in (having.group, having.counted)})


def _expand_relations(qir: QIR) -> QIR:
    """Return the QIR with phrases of two steps (``manager of the product manager``) split into two relations."""
    triples: list[Relation] = []
    for relation in qir.triples:
        last_phrase, separator, first_phrase = relation.relation.partition(" of the ")
        if separator and last_phrase.strip() and first_phrase.strip() and not is_function_phrase(first_phrase):
            between = f"?between{len(triples)}"
            triples += [
                Relation(relation.subject, first_phrase, between),
                Relation(between, last_phrase, relation.object),
            ]
        else:
            triples.append(relation)
    return replace(qir, triples=tuple(triples))


def _join_relations(unknown: str, one: Relation, other: Relation, noun: str) -> Relation:
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
