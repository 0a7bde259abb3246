"""How near a relation phrase, and what is known of the end that a predicate names, are to the predicate's names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from chattyshared.kg.vocabulary import PredicateEntry
from chattyshared.language.lexicon import word_set
from chattyshared.language.morphology import analyze_phrase
from chattyshared.terms import iri_to_words, local_name

from chattykg.linking.answer_types import is_numeric_predicate
from chattykg.linking.candidates import EntityLink
from chattykg.linking.predicate_candidates import LinkingContext
from chattykg.linking.predicate_comments import extract_comment_nouns
from chattykg.linking.relation_phrases import is_function_phrase
from chattykg.qir import Relation

_ALTERING = word_set("occupations", "role_modifiers")
"""Words before a role that make another role of it: who is deputy head is not head."""
_ALTERED = 0.4
_GLOSSED, _COUNTED = 0.85, 0.95
"""What a name is worth that only the comment gives; where a number is asked for, the thing that is counted."""
_COUNTING = frozenset("number count total amount quantity size num".split())


def score_labels(
    relation: Relation,
    entries: Sequence[PredicateEntry],
    is_forward: bool,
    ends: Mapping[str, EntityLink],
    context: LinkingContext,
) -> dict[str, float]:
    """Return how near each predicate's names are to the phrase, or to what is known of the end that they name."""
    phrases = [(relation.relation, 1.0)]
    end = relation.object if is_forward else relation.subject
    if end in context.class_words:
        words = context.class_words[end]
        known = end in context.classes
        alone = 0.75 if is_function_phrase(relation.relation) else 0.5
        phrases += [(words, alone if known else 0.85), (f"{words} {relation.relation}", 0.85 if known else 0.95)]
    if end in ends and is_function_phrase(relation.relation):
        phrases += [(name, 0.8) for name in ends[end].candidates[0].types[:3]]
    unique = list({entry.iri: entry for entry in entries}.values())
    names: list[tuple[str, str, float]] = []
    for entry in unique:
        names += [(entry.iri, name, worth) for name, worth in _names(entry)]
        if end in context.counted_unknowns and is_numeric_predicate(entry):
            names += [(entry.iri, " ".join(told), 0.98) for told in [_counted_thing(entry)] if told]
            names += [(entry.iri, noun, _COUNTED) for noun in extract_comment_nouns(entry.comment).counted_nouns]
    best = {entry.iri: _by_comment(relation.relation, entry) for entry in unique}
    texts = [name for _, name, _ in names]
    for phrase, weight in phrases:
        for (iri, _, worth), score in zip(names, context.similarity(phrase, texts), strict=True):
            best[iri] = max(best[iri], weight * worth * score)
        for entry in unique:
            if _is_glossed(phrase, entry):
                best[entry.iri] = max(best[entry.iri], weight * _GLOSSED)
    altered = _ALTERING & set(analyze_phrase(relation.relation).words)
    for entry in unique:
        if bool(altered) != bool(
            _ALTERING & {word for name, _ in _names(entry) for word in analyze_phrase(name).words}
        ):
            best[entry.iri] *= _ALTERED
    return best


def _names(entry: PredicateEntry) -> Iterator[tuple[str, float]]:
    yield entry.label, 1.0
    local = iri_to_words(entry.iri)
    if local.casefold() != entry.label.casefold() and not any(mark.isdigit() for mark in local_name(entry.iri)):
        yield local, 0.97
    for name in entry.alt_labels[:10]:
        yield name, 0.97


def _is_glossed(phrase: str, entry: PredicateEntry) -> bool:
    """Tell whether the comment of a predicate calls its objects by the very words of a phrase."""
    said = extract_comment_nouns(entry.comment) if entry.comment else None
    stems = analyze_phrase(phrase).stems
    return said is not None and any(
        analyze_phrase(noun).stems == stems for noun in (*said.object_nouns, *said.counted_nouns)
    )


def _counted_thing(entry: PredicateEntry) -> tuple[str, ...]:
    """Return what a predicate counts: ``employees`` of ``number of employees``; nothing if it does not say so."""
    words = analyze_phrase(entry.label).content_lemmas
    counted = tuple(word for word in words if word not in _COUNTING)
    return counted if len(counted) < len(words) else ()


def _by_comment(phrase: str, entry: PredicateEntry) -> float:
    if not entry.comment:
        return 0.0
    stems = analyze_phrase(phrase).stems
    said = analyze_phrase(entry.comment[:300]).stems
    return 0.5 * len(stems & said) / len(stems) if stems else 0.0
