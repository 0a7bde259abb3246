"""Label matching: similarity of the names of predicates to a relation phrase and to the class of its end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from chattyshared.kg.vocabulary import PredicateEntry
from chattyshared.language.lexicon import word_set
from chattyshared.language.morphology import analyze_phrase
from chattyshared.language.quantities import drop_unit
from chattyshared.terms import has_opaque_name, iri_to_words

from chattykg.linking.answer_types import is_numeric_predicate
from chattykg.linking.candidates import EntityLink
from chattykg.linking.predicate_candidates import LinkingContext
from chattykg.linking.relation_phrases import is_function_phrase
from chattykg.linking.vocabulary_index import COMMENT_CHARACTERS
from chattykg.qir import Relation

# Origin of the numbers below: set by hand on the development sets; benchmarks/calibrate.py varies them.
END_CLASS_WEIGHT, FUNCTION_END_CLASS_WEIGHT = 0.5, 0.75
"""Weights (0..1) of the class of an end as a name, next to a phrase with content, and to one without."""
UNLINKED_CLASS_WEIGHT = 0.85
"""Weight (0..1) of a class noun that no class of the graph has."""
CLASS_PHRASE_WEIGHT, UNLINKED_CLASS_PHRASE_WEIGHT = 0.85, 0.95
"""Weights (0..1) of a class noun together with the phrase, linked to a class or not."""
ENTITY_TYPE_WEIGHT = 0.8
"""Weight (0..1) of the type of a linked entity if the phrase has no content."""
ALTERNATIVE_NAME_WEIGHT = 0.97
"""Weight (0..1) of a local name or an alternative label."""
COUNTED_LABEL_WEIGHT = 0.98
"""Weight (0..1) of the counted noun in a label if a number is asked for."""
COMMENT_OVERLAP_WEIGHT = 0.5
"""Weight (0..1) of the share of the phrase's stems in the comment."""
_MODIFIED_ROLE_FACTOR = 0.4
"""Factor (0..1) if only one of phrase and name has a role modifier ("deputy")."""
_MAX_ALTERNATIVE_LABELS, _MAX_ENTITY_TYPES = 10, 3
"""Alternative labels of a predicate, and types of an entity, that are compared."""
CACHE_SIZE = 20_000
"""Predicates whose names are kept."""

_ROLE_MODIFIERS = word_set("occupations", "role_modifiers")
"""Words that turn a role into another one: a deputy head is not the head."""
_COUNT_WORDS = frozenset("number count total amount quantity size num".split())


def score_labels(
    relation: Relation,
    entries: Sequence[PredicateEntry],
    is_forward: bool,
    ends: Mapping[str, EntityLink],
    context: LinkingContext,
) -> dict[str, float]:
    """Return the score (0..1) of each predicate by IRI: its names against the phrase and the class of its end."""
    end, other = relation.ends()[::-1] if is_forward else relation.ends()
    types = ends[end].candidates[0].types[:_MAX_ENTITY_TYPES] if end in ends else None
    known = context.label_scores.setdefault((relation, is_forward, types, other in ends), {})
    missing = {entry.iri: entry for entry in entries if entry.iri not in known}
    if missing:
        known |= _score_missing(relation, list(missing.values()), is_forward, ends, context)
    return {entry.iri: known[entry.iri] for entry in entries}


def _score_missing(
    relation: Relation,
    unique: Sequence[PredicateEntry],
    is_forward: bool,
    ends: Mapping[str, EntityLink],
    context: LinkingContext,
) -> dict[str, float]:
    phrases, tag = [(relation.relation, 1.0)], context.card.language.tag
    end, other = relation.ends()[::-1] if is_forward else relation.ends()
    if end in context.class_words and not _is_existential(other, relation, ends, context):
        words = context.class_words[end]
        is_linked = end in context.classes
        class_weight = FUNCTION_END_CLASS_WEIGHT if is_function_phrase(relation.relation) else END_CLASS_WEIGHT
        phrases += [
            (words, class_weight if is_linked else UNLINKED_CLASS_WEIGHT),
            (f"{words} {relation.relation}", CLASS_PHRASE_WEIGHT if is_linked else UNLINKED_CLASS_PHRASE_WEIGHT),
        ]
    if end in ends and is_function_phrase(relation.relation):
        phrases += [(name, ENTITY_TYPE_WEIGHT) for name in ends[end].candidates[0].types[:_MAX_ENTITY_TYPES]]
    scores = {entry.iri: 0.0 for entry in unique}
    unique = context.keep_near([phrase for phrase, _ in phrases], unique)
    own_names = {entry.iri: _weighted_names(entry, tag) for entry in unique}
    names: list[tuple[str, str, float]] = []
    for entry in unique:
        names += [(entry.iri, name, worth) for name, worth in own_names[entry.iri]]
        if end in context.counted_unknowns and is_numeric_predicate(entry):
            names += [(entry.iri, " ".join(thing), COUNTED_LABEL_WEIGHT) for thing in [_counted_noun(entry)] if thing]
    best = scores | {entry.iri: _comment_overlap(relation.relation, entry) for entry in unique}
    texts = [name for _, name, _ in names]
    for phrase, weight in phrases:
        for (iri, _, worth), score in zip(names, context.similarity(phrase, texts), strict=True):
            best[iri] = max(best[iri], weight * worth * score)
    is_modified = not _ROLE_MODIFIERS.isdisjoint(analyze_phrase(relation.relation).words)
    for entry in unique:
        if is_modified != _has_role_modifier(entry, tag):
            best[entry.iri] *= _MODIFIED_ROLE_FACTOR
    return best


def _is_existential(end: str, relation: Relation, ends: Mapping[str, EntityLink], context: LinkingContext) -> bool:
    """Tell whether nothing is said of an end but that it exists, and it is called as the verb ("have left")."""
    is_known = end in ends or end in context.class_words or end in context.expected_types
    name = analyze_phrase(end.strip("?")).stems
    return not is_known and bool(name) and name <= analyze_phrase(relation.relation).stems


@lru_cache(maxsize=CACHE_SIZE)
def _has_role_modifier(entry: PredicateEntry, tag: str) -> bool:
    words_of_names = (analyze_phrase(name).words for name, _ in _weighted_names(entry, tag))
    return not all(map(_ROLE_MODIFIERS.isdisjoint, words_of_names))


@lru_cache(maxsize=CACHE_SIZE)
def _weighted_names(entry: PredicateEntry, tag: str) -> tuple[tuple[str, float], ...]:
    return tuple(_names_of(entry, tag))


def _names_of(entry: PredicateEntry, tag: str) -> Iterator[tuple[str, float]]:
    yield entry.label, 1.0
    local = iri_to_words(entry.iri)
    if local.casefold() != entry.label.casefold() and not has_opaque_name(entry.iri):
        yield local, ALTERNATIVE_NAME_WEIGHT
    if (measure := drop_unit(entry.label)) != entry.label:
        yield measure, ALTERNATIVE_NAME_WEIGHT
    alternatives = (*entry.alt_labels[:_MAX_ALTERNATIVE_LABELS], *entry.names_in(tag)[1 + len(entry.alt_labels) :])
    for name in alternatives:
        yield name, ALTERNATIVE_NAME_WEIGHT


def _counted_noun(entry: PredicateEntry) -> tuple[str, ...]:
    """Return the noun that a predicate counts (``employees`` of ``number of employees``), empty without one."""
    words = analyze_phrase(entry.label).content_lemmas
    counted = tuple(word for word in words if word not in _COUNT_WORDS)
    return counted if len(counted) < len(words) else ()


def _comment_overlap(phrase: str, entry: PredicateEntry) -> float:
    if not entry.comment:
        return 0.0
    stems = analyze_phrase(phrase).stems
    comment_stems = analyze_phrase(entry.comment[:COMMENT_CHARACTERS]).stems
    return COMMENT_OVERLAP_WEIGHT * len(stems & comment_stems) / len(stems) if stems else 0.0
