"""QIR rewriting: variants that contract two relations into one, or in which classes stand for relations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from chattyshared.language.morphology import PREPOSITIONS, lemma_of

from chattykg.linking.class_linking import link_class
from chattykg.linking.relation_phrases import WHERE_PHRASE, is_function_phrase, is_generic_phrase
from chattykg.linking.similarity import LexicalSimilarity, Similarity, similarity_in
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.qir import QIR, Relation, is_unknown
from chattykg.query.grounding import QueryContext

# Origin of the numbers below: set by hand on the development sets; benchmarks/calibrate.py varies them.
_STEP_FACTOR = 0.9
"""Factor (0..1) of a variant for each rewriting."""
_MIN_VERB_NOUN_SIMILARITY = 0.6
"""Similarity (0..1) from which two relation phrases are a verb and its noun."""
_MIN_CLASS_SCORE = 0.9
"""Score (0..1) from which a relation phrase names a class ("patients of X")."""


def rewrite_variants(context: QueryContext, known_classes: frozenset[str]) -> Iterator[tuple[QIR, float]]:
    """Yield the QIR, then variants with contracted unknowns or classes for relations, each with a weight (0..1).

    An unknown is contracted if it has two relations and no other condition, and one of the phrases has no content
    (``in``, ``of``), or if no class of the graph matches its class (``known_classes`` are the mentions that match).
    """
    similarity = similarity_in(context.card.language, LexicalSimilarity())
    current, weight = context.qir, 1.0
    yield current, weight
    while contracted := next(_contract_unknowns(current, known_classes, similarity), None):
        weight, current = weight * _STEP_FACTOR, contracted
        yield current, weight
    classed = _with_classes(context)
    if classed != context.qir:
        yield classed, _STEP_FACTOR


def _contract_unknowns(qir: QIR, known_classes: frozenset[str], similarity: Similarity) -> Iterator[QIR]:
    class_words, constrained = dict(qir.classes), _constrained_unknowns(qir)
    for unknown in qir.unknowns():
        stated, denied = ([r for r in part if unknown in r.ends()] for part in (qir.triples, qir.negated))
        is_free = unknown not in constrained and class_words.get(unknown) not in known_classes
        if not is_free or len(stated or denied) != 2 or stated and denied:
            continue
        one, other = stated or denied
        is_redundant = is_generic_phrase(one.relation) or is_generic_phrase(other.relation)
        if one.relation and other.relation and not is_redundant:  # a verb and its noun: "composed the music of"
            is_redundant = similarity(one.relation, (other.relation,))[0] >= _MIN_VERB_NOUN_SIMILARITY
        joined = _join_relations(unknown, one, other, class_words.get(unknown, ""))
        if joined.subject == joined.object or not (is_redundant or unknown in class_words):
            continue
        triples, negated = (
            tuple(joined if r is one else r for r in part if r is not other) for part in (qir.triples, qir.negated)
        )
        yield replace(qir, triples=triples, negated=negated, classes=tuple(p for p in qir.classes if p[0] != unknown))


def _constrained_unknowns(qir: QIR) -> frozenset[str]:
    """Return the unknowns with conditions other than relations."""
    unknowns = {qir.target, *qir.targets, *(unknown for unknown, _ in qir.values)}
    unknowns |= {end for condition in qir.filters for end in (condition.unknown, condition.value)}
    unknowns |= {qir.order.by} if qir.order else set()
    return frozenset(unknowns | {unknown for having in qir.having for unknown in (having.group, having.counted)})


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


def _with_classes(context: QueryContext) -> QIR:
    """Return the QIR in which phrases that name a class stand for it instead of a relation ("patients of X")."""
    triples, classes = [], list(context.qir.classes)
    for relation in context.qir.triples:
        phrase, end = relation.relation, relation.object
        is_noun = not is_function_phrase(phrase) and phrase != WHERE_PHRASE and not _is_verb(phrase)
        is_open = is_unknown(end) and end not in {unknown for unknown, _ in context.qir.classes}
        link = link_class(phrase, VocabularyCard(), context.kg, context.similarity) if is_noun and is_open else None
        if link and link.score >= _MIN_CLASS_SCORE:
            classes.append((end, phrase))
            relation = replace(relation, relation="")
        triples.append(relation)
    return replace(context.qir, triples=tuple(triples), classes=tuple(classes))


def _is_verb(phrase: str) -> bool:
    """Tell whether a relation phrase is a participle or ends with a preposition: "filmed" or "filmed in" is no film."""
    *_, last = phrase.lower().split()
    return last in PREPOSITIONS - {"of"} or last.endswith("ed") and lemma_of(last) != last
