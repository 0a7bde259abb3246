"""What a question can say that a KG may not know: qualifiers, classes, events and places, by the sort of a thing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from chattyshared.dialogue import Certificate
from chattyshared.language.inflection import class_noun, denote_groups, denote_persons, denote_places, head_noun
from chattyshared.language.lexicon import load_lexicon, word_lists, word_map, word_set
from chattyshared.language.morphology import COUNTRIES_BY_DEMONYM
from chattyshared.language.wordnet import adjective_synonyms, hypernyms, noun_synonyms

from chattygen.lexicalization.lexicon import ORGANIZATION_AGENTS, SERVED_AGENTS
from chattygen.stages.turn_plan import UnknownPart, UnknownScope

ANY_SORT = "thing"
"""The sort of things whose class says nothing about them."""
DEFAULT_QUESTION_WORDS = ("When",)
_FILE = "unanswerable"
_GENERAL_NOUNS = word_set(_FILE, "general_nouns")
_CLASS_NOUNS = word_lists(_FILE, "class_nouns")
_SORTS = word_map(_FILE, "sorts")
_PRIVATE_WORDS = word_set(_FILE, "private_words")


@dataclass(frozen=True, slots=True)
class UnknownCandidate:
    """A part that the KG may not know, and what it must not contain for that."""

    part: UnknownPart
    certificate: Certificate


def class_kind_of(class_labels: Sequence[str]) -> str:
    """Return the kind of the nearest class that a kind lists; empty if there is none.

    An agent that is more often an organization than a person (a supplier) is a company.
    """
    nouns = [class_noun(label).casefold() for label in class_labels]
    if not ORGANIZATION_AGENTS.isdisjoint(map(head_noun, nouns[:1])):
        return "company"
    if denote_persons(class_labels):
        return "person"
    names = [name for noun in nouns for name in dict.fromkeys((noun, head_noun(noun)))]
    return next((kind for name in names for kind, listed in _CLASS_NOUNS.items() if name in listed), "")


def sort_of(class_labels: Sequence[str]) -> str:
    """Return the sort of a thing by its class labels, nearest first."""
    kind = class_kind_of(class_labels)
    if kind:
        return _SORTS[kind]
    return "organization" if denote_groups(class_labels) and not denote_places(class_labels) else ANY_SORT


def tells_private_life(predicate_labels: Iterable[str]) -> bool:
    """Tell whether predicates of persons tell their private life, by their labels: a spouse, a child."""
    return any(not _PRIVATE_WORDS.isdisjoint(label.casefold().split()) for label in predicate_labels)


@cache
def list_qualifiers(
    class_labels: tuple[str, ...], scope: UnknownScope, *, is_private: bool = False
) -> tuple[UnknownCandidate, ...]:
    """Return the qualifiers of things with these class labels; ``is_private``: persons whose private life is told."""
    return tuple(
        UnknownCandidate(
            UnknownPart("qualifier", scope, word),
            Certificate((word, *adjective_synonyms(word)), tuple(entry["topics"])),
        )
        for entry in _entries("qualifiers", class_labels, is_private)
        for word in entry["words"]
    )


@cache
def list_events(class_labels: tuple[str, ...], *, is_private: bool = False) -> tuple[UnknownCandidate, ...]:
    """Return the events that can happen to a thing with these class labels, each with every question word that fits."""
    return tuple(
        UnknownCandidate(
            UnknownPart("presupposition", "entity", phrase, question_word),
            Certificate((phrase,), tuple(entry["topics"])),
        )
        for entry in _entries("events", class_labels, is_private)
        for phrase in entry["phrases"]
        for question_word in entry.get("asks", DEFAULT_QUESTION_WORDS)
    )


@cache
def list_classes(
    class_labels: tuple[str, ...], scope: UnknownScope, *, is_private: bool = False
) -> tuple[UnknownCandidate, ...]:
    """Return classes that a thing with these class labels could have instead, none of them general."""
    above = {word for label in class_labels for word in hypernyms(class_noun(label))}
    return tuple(
        UnknownCandidate(UnknownPart("class", scope, noun), Certificate((noun, *_same_words(noun))))
        for noun in _CLASS_NOUNS.get(class_kind_of(class_labels[:1]), ())
        if noun not in _GENERAL_NOUNS | above
    )


@cache
def list_places(
    class_labels: tuple[str, ...], scope: UnknownScope, *, is_private: bool = False
) -> tuple[UnknownCandidate, ...]:
    """Return places, each with every verb phrase that says such a thing is there."""
    peoples: dict[str, list[str]] = {name: [] for name in load_lexicon(_FILE)["places"]["names"]}
    for demonym, country in COUNTRIES_BY_DEMONYM.items():
        if country in peoples:
            peoples[country].append(demonym)
    return tuple(
        UnknownCandidate(
            UnknownPart("place", scope, name, phrase), Certificate((name, *demonyms), tuple(entry["topics"]))
        )
        for entry in _entries("place_phrases", class_labels, is_private)
        for name, demonyms in peoples.items()
        for phrase in entry["phrases"]
    )


def is_changing(noun: str, class_labels: Sequence[str] = ()) -> bool:
    """Tell whether the values of a predicate with this label change with time at things of a class: not at works and
    events."""
    changing = load_lexicon(_FILE)["changing"]
    if sort_of(class_labels) in changing["fixed_sorts"]:
        return False
    return bool({noun.casefold(), head_noun(noun)} & set(changing["nouns"]))


def _entries(table: str, class_labels: Sequence[str], is_private: bool) -> Iterator[dict[str, list[str]]]:
    sort = sort_of(class_labels)
    sorts = {sort, "private"} if sort == "person" and is_private else {sort}
    if table == "events" and not is_private and not SERVED_AGENTS.isdisjoint(map(class_noun, class_labels[:1])):
        return iter(())
    return (entry for entry in load_lexicon(_FILE)[table] if not sorts.isdisjoint(entry["sorts"]))


def _same_words(noun: str) -> Iterator[str]:
    """Yield the words that may name the same things."""
    for family in load_lexicon("word_families")["families"]:
        if noun in family:
            yield from (word for word in family if word != noun)
    yield from noun_synonyms(noun)
