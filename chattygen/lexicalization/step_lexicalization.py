"""A step of a path in English: the frame of its predicate between two classes; whether it can be asked backwards."""

from __future__ import annotations

import re
from dataclasses import replace

from chattyshared.language.inflection import denote_places, head_noun, is_plural, plain_label
from chattyshared.language.lexicon import word_set
from chattyshared.language.wordnet import has_sense, hypernyms, is_verb, noun_kinds

from chattygen.context.facts import Fact, Step
from chattygen.lexicalization.lexicon import (
    AGENT_NOUNS,
    CATEGORY_NOUNS,
    COUNTRY_NOUNS,
    EVENT_NOUNS,
    LANGUAGE_NOUNS,
    MEMBERSHIP_NOUNS,
    OCCUPATION_NOUNS,
    PREPOSITIONS,
    ROLE_NOUNS,
    SHARED_MEMBERSHIP_HEADS,
    SHARED_ROLES,
    WORK_LANGUAGE_NOUNS,
)
from chattygen.lexicalization.predicate_frames import OCCASION_TITLES, ClauseFrame, PredicateFrame, adapt_frame
from chattygen.lexicalization.predicate_lexicalization import lexicalize_predicate
from chattygen.lexicalization.rows import fitting_rows
from chattygen.lexicalization.word_forms import ENCLOSURES, are_persons, base_of_participle, is_participle

_KIND_NOUNS = ("type", "kind", "form")
_MIN_END = 4
"""Letters of a noun that ends the name of a class in one word; set by hand."""


def lexicalize_step(
    step: Step, shape: str, kinds: tuple[str, ...], object_kinds: tuple[str, ...] = ()
) -> PredicateFrame:
    """Lexicalize the predicate of a step from things of some kinds to things of others (``object_kinds``).

    A part of the label that repeats the subject's class (``field of the award``) is dropped.
    """
    label = step.label
    subjects, objects = (kinds, object_kinds) if step.direction == "out" else (object_kinds, kinds)
    owner = re.search(r" (?:of (?:the |an? )?|in )([\w ]+)$", plain_label(label))
    if (
        owner
        and not OCCASION_TITLES.search(label)
        and any(_is_part_of_class(noun, subjects) for noun in owner[1].casefold().split(" or "))
    ):
        rest = plain_label(label)[: owner.start()]
        label = label if rest.casefold() in _KIND_NOUNS else rest
    whole = re.fullmatch(r"(?:is )?(?:an? )?(\w+) of", plain_label(label).casefold())
    if whole and _is_part_of_class(whole[1], subjects):  # a station is a station of a railway
        return PredicateFrame("", (ClauseFrame("belong", preposition="to"),))
    is_entity = shape == "entity"
    label = _without_class_words(label, subjects, objects if is_entity else (), shape)
    frame = lexicalize_predicate(label, step.comment, shape)
    frame = frame if shape == "boolean" else adapt_frame(frame, subjects, objects)
    return frame if frame.noun or frame.clauses else replace(frame, noun=plain_label(step.label))


def is_sayable(step: Step, shape: str, kinds: tuple[str, ...] = (), object_kinds: tuple[str, ...] = ()) -> bool:
    """Tell whether the label of a step is a noun phrase or a verb phrase that questions can say; ``shape`` is that of
    the values. The rows ``unsayable`` of ``frames.toml`` tell which labels are not (``since``, ``marks water``).

    ``kinds`` are the class labels of the things that the step leads from, ``object_kinds`` those of its values.
    """
    frame = lexicalize_step(step, shape, kinds, object_kinds)
    label, noun = plain_label(step.label).lower(), frame.noun.lower()
    last, head = noun.rpartition(" ")[2], head_noun(noun) if noun else ""
    clause = frame.clauses[0] if frame.clauses else ClauseFrame("")
    traits = {
        "label": label,
        "noun": noun,
        "shape": shape,
        "last": last,
        "clauses": bool(frame.clauses),
        "counts": frame.counted_noun,
        "last_is_other": noun != "" and not noun_kinds(head) and (has_sense(head) or is_verb(head)),
        "names_things": bool(noun) and (are_persons([last, *object_kinds]) or is_plural(last)),
        "verb": clause.verb,
        "is_bare": not (clause.preposition or frame.event_verb or frame.object_noun),
        "can_tell_number": frame.can_tell_number,
    }
    return next(fitting_rows("frames", "unsayable", traits), None) is None


def is_sayable_fact(fact: Fact, kinds: tuple[str, ...]) -> bool:
    """Tell whether questions can say all steps of a fact; ``kinds`` are the class labels of its entity."""
    if len(fact.steps) == 1:
        step = fact.last_step
        is_said = step.direction == "out" or has_inverse_wording(step, kinds, fact.class_labels)
        return is_said and is_sayable(step, fact.shape, kinds, fact.class_labels)
    first, via = fact.steps[0], fact.via_class_labels
    return is_sayable(first, "entity", kinds, via) and is_sayable(fact.last_step, fact.shape, via, fact.class_labels)


def _is_part_of_class(noun: str, kinds: tuple[str, ...]) -> bool:
    """Tell whether a noun names a class, ends its name (the *wreck* of a shipwreck), or is a kind above it (a *tower*,
    of a lighthouse)."""
    names = [plain_label(kind).casefold() for kind in kinds]
    is_end = len(noun) >= _MIN_END and any(name.endswith(noun) for name in names)
    return is_end or noun in names or (noun not in EVENT_NOUNS and is_above(noun, kinds))


def is_above(noun: str, kinds: tuple[str, ...]) -> bool:
    """Tell whether a noun names a class of a thing, or a kind above one: a *vehicle*, of a locomotive."""
    names = [plain_label(kind).casefold() for kind in kinds]
    return noun in names or any(
        noun in (kind, head_noun(kind)) for name in names for kind in (name, *hypernyms(head_noun(name)))
    )


def _without_class_words(label: str, subjects: tuple[str, ...], objects: tuple[str, ...], shape: str) -> str:
    """Drop the subject's class before a noun (the length of a trench, for ``trench length``), and the class of persons
    behind their role (the owner, for ``owner member``)."""
    words = plain_label(label).split()
    if shape in ("entity", "text") and (len(words) != 2 or words[-1].lower() in _NEEDS_CLASS):
        subjects = ()
    for kind in subjects[:1]:
        size = len(plain_label(kind).split())
        if len(words) > size and " ".join(words[:size]).casefold() == plain_label(kind).casefold():
            if words[size].lower() not in PREPOSITIONS and not is_participle(words[size].lower()):
                return " ".join(words[size:])
    for kind in objects[:1] if are_persons(objects[:1]) else ():
        size = len(plain_label(kind).split())
        rest = words[:-size]
        if (
            rest
            and " ".join(words[-size:]).casefold() == plain_label(kind).casefold()
            and are_persons(rest[-1:])
            and not has_sense(rest[-1].lower(), "a")
        ):
            return " ".join(rest)
    return label


_NEEDS_CLASS = word_set("nouns", "heads_in_need_of_class")
"""Nouns that say too little, or something else, without the class before them: a ship type, a team captain."""


def has_inverse_wording(step: Step, kinds: tuple[str, ...], subject_kinds: tuple[str, ...]) -> bool:
    """Tell whether people would ask for the subjects of a predicate by its words: a verb (``Which films did she
    direct?``), a role (``Which band is he a member of?``), a membership, a place, a language, or the kind of what has
    the subjects (``Which repair requests does the unit have?``).

    Args:
        step: The step from the objects to the subjects.
        kinds: The class labels of the object.
        subject_kinds: Those of the subjects, which the question asks for.
    """
    frame = lexicalize_step(step, "entity", kinds, subject_kinds)
    if frame.clauses:  # but no reviews that reviewed a recipe
        nouns = {head_noun(plain_label(kind)).lower() for kind in subject_kinds[:1]}
        verbs = [c.verb if c.verb != "be" else c.complement and base_of_participle(c.complement) for c in frame.clauses]
        return not any(noun.startswith(verb) for verb in verbs if verb for noun in nouns)
    *modifiers, head = frame.noun.lower().split()
    if any(map(is_participle, modifiers)):  # a reported member: by or of whom?
        return False
    if modifiers and head in AGENT_NOUNS:  # a hiring manager: no verb says what they do
        return False
    return (
        names_role(frame, kinds)
        or asks_by_kind(frame.noun)
        or (names_container(frame.noun, kinds, subject_kinds) and not step.label.lower().startswith("has "))
        or (frame.noun in COUNTRY_NOUNS and denote_places(kinds))
    )


def names_container(noun: str, kinds: tuple[str, ...], subject_kinds: tuple[str, ...]) -> bool:
    """Tell whether a noun is only the kind of its object, which so has the subjects or has them in it: the building of
    a unit, the unit of a repair request; but no person, no category and no kind of the subjects themselves."""
    if not kinds or not subject_kinds or plain_label(noun).lower() != plain_label(kinds[0]).lower():
        return False
    head = head_noun(noun).lower()
    return head not in CATEGORY_NOUNS | {head_noun(subject_kinds[0]).lower()} and not are_persons(kinds)


def are_inside(noun: str, subject_kinds: tuple[str, ...]) -> bool:
    """Tell whether things are in what a noun for their container names: aircraft in a hangar, but no launches in a
    lifeboat, and no repair requests in a building."""
    return head_noun(noun) in ENCLOSURES and noun_kinds(head_noun(subject_kinds[0]))[:1] == ("artifact",)


def names_role(frame: PredicateFrame, kinds: tuple[str, ...]) -> bool:
    """Tell whether the noun of a frame is a role of its object: a manager, a member, a capital."""
    head = head_noun(frame.noun)
    nouns = {plain_label(kind).lower() for kind in kinds}
    if frame.noun.lower() in nouns and head not in SHARED_ROLES:
        return False
    if " " in frame.noun and head in nouns:  # a lead employee
        return False
    may_be_person = "person" in noun_kinds(head) or not noun_kinds(head)
    return head in SHARED_ROLES | ROLE_NOUNS or (are_persons(kinds) and may_be_person) or are_persons([head])


def asks_by_kind(noun: str) -> bool:
    """Tell whether a noun says what kind things are: their genre, language or occupation."""
    return is_membership_noun(noun) or noun in LANGUAGE_NOUNS | WORK_LANGUAGE_NOUNS | OCCUPATION_NOUNS


def is_membership_noun(noun: str) -> bool:
    """Tell whether things belong to the values of a noun: a genre, a plant family; but not a licence class."""
    head = head_noun(noun)
    return noun in MEMBERSHIP_NOUNS or (head in MEMBERSHIP_NOUNS and head not in SHARED_MEMBERSHIP_HEADS)
