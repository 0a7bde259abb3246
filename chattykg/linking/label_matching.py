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
    end = relation.ends()[1 if is_forward else 0]
    types = ends[end].candidates[0].types[:_MAX_ENTITY_TYPES] if end in ends else ()
    known = context.label_scores.setdefault((relation, is_forward, types), {})
    if missing := {entry.iri: entry for entry in entries if entry.iri not in known}:
        phrases = list(_weighted_phrases(relation.relation, end, types, context))
        is_counted = end in context.counted_unknowns
        known |= _score_names(relation.relation, phrases, list(missing.values()), context, is_counted=is_counted)
    return {entry.iri: known[entry.iri] for entry in entries}


def _weighted_phrases(
    phrase: str, end: str, types: Sequence[str], context: LinkingContext
) -> Iterator[tuple[str, float]]:
    """Yield the phrase of a relation and the class of its end as names to look for, each with a weight (0..1)."""
    yield phrase, 1.0
    is_function = is_function_phrase(phrase)
    if end in context.class_words:
        words, is_linked = context.class_words[end], end in context.classes
        class_weight = FUNCTION_END_CLASS_WEIGHT if is_function else END_CLASS_WEIGHT
        yield words, class_weight if is_linked else UNLINKED_CLASS_WEIGHT
        yield f"{words} {phrase}", CLASS_PHRASE_WEIGHT if is_linked else UNLINKED_CLASS_PHRASE_WEIGHT
    if is_function:
        yield from ((name, ENTITY_TYPE_WEIGHT) for name in types)


def _score_names(
    phrase: str,
    phrases: Sequence[tuple[str, float]],
    entries: Sequence[PredicateEntry],
    context: LinkingContext,
    *,
    is_counted: bool,
) -> dict[str, float]:
    tag = context.card.language.tag
    near = context.keep_near([text for text, _ in phrases], entries)
    best = dict.fromkeys((entry.iri for entry in entries), 0.0)
    best |= {entry.iri: _comment_overlap(phrase, entry) for entry in near}
    names = [(entry.iri, name, worth) for entry in near for name, worth in _weighted_names(entry, tag)]
    if is_counted:
        counted = ((entry.iri, _counted_noun(entry)) for entry in near if is_numeric_predicate(entry))
        names += [(iri, noun, COUNTED_LABEL_WEIGHT) for iri, noun in counted if noun]
    texts = [name for _, name, _ in names]
    for text, weight in phrases:
        for (iri, _, worth), score in zip(names, context.similarity(text, texts), strict=True):
            best[iri] = max(best[iri], weight * worth * score)
    is_modified = not _ROLE_MODIFIERS.isdisjoint(analyze_phrase(phrase).words)
    for entry in near:
        if is_modified != _has_role_modifier(entry, tag):
            best[entry.iri] *= _MODIFIED_ROLE_FACTOR
    return best


@lru_cache(maxsize=CACHE_SIZE)
def _has_role_modifier(entry: PredicateEntry, tag: str) -> bool:
    words_of_names = (analyze_phrase(name).words for name, _ in _weighted_names(entry, tag))
    return not all(map(_ROLE_MODIFIERS.isdisjoint, words_of_names))


@lru_cache(maxsize=CACHE_SIZE)
def _weighted_names(entry: PredicateEntry, tag: str) -> tuple[tuple[str, float], ...]:
    """Return the label of a predicate and its other names, each with a weight (0..1)."""
    local, measure = iri_to_words(entry.iri), drop_unit(entry.label)
    others = [] if has_opaque_name(entry.iri) or local.casefold() == entry.label.casefold() else [local]
    others += [measure] if measure != entry.label else []
    others += [*entry.alt_labels[:_MAX_ALTERNATIVE_LABELS], *entry.names_in(tag)[1 + len(entry.alt_labels) :]]
    return (entry.label, 1.0), *((name, ALTERNATIVE_NAME_WEIGHT) for name in others)


def _counted_noun(entry: PredicateEntry) -> str:
    """Return the noun that a predicate counts (``employees`` of ``number of employees``), "" without one."""
    words = analyze_phrase(entry.label).content_lemmas
    counted = [word for word in words if word not in _COUNT_WORDS]
    return " ".join(counted) if len(counted) < len(words) else ""


def _comment_overlap(phrase: str, entry: PredicateEntry) -> float:
    if not entry.comment:
        return 0.0
    stems = analyze_phrase(phrase).stems
    comment_stems = analyze_phrase(entry.comment[:COMMENT_CHARACTERS]).stems
    return COMMENT_OVERLAP_WEIGHT * len(stems & comment_stems) / len(stems) if stems else 0.0
