"""How an entity is spoken of: by its name, by a pronoun, by its kind, by its place in what was said before."""

from __future__ import annotations

import re
from dataclasses import dataclass

from chattygen.facts import Entity, Gender
from chattygen.rulebook.words import called, class_noun, head, mean_group, mean_person, names_many, possessive

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


@dataclass(frozen=True, slots=True)
class Reference:
    """How to speak of a thing: as subject, as object, as owner; ``several``: it takes a verb in the plural.

    ``is_long`` marks a phrase that is better as ``the color of ...`` than in front of what it owns.
    """

    subject: str
    object: str
    owner: str
    several: bool = False
    is_long: bool = False

    def with_noun(self, noun: str) -> str:
        """Return what it owns: ``its color``, ``the color of the second one``."""
        return f"the {noun} of {self.object}" if self.is_long else f"{self.owner} {noun}"


IT = Reference("it", "it", "its")
THEY = Reference("they", "them", "their", several=True)
PRONOUNS = frozenset(("it", "them", "her", "him"))
GENDERED: dict[Gender, Reference] = {
    "female": Reference("she", "her", "her"),
    "male": Reference("he", "him", "his"),
}


def named(entity: Entity) -> Reference:
    """Speak of an entity by its name."""
    name = called(entity.label, entity.kinds)
    return Reference(name, name, possessive(name), names_many(name, entity.kinds), is_long=not is_short(name))


def is_short(name: str) -> bool:
    """Tell whether a name takes the possessive ending well: few words, nothing but words."""
    return name[-1:].isalnum() and len(name.split()) <= _SHORT and not re.search(r'[,:;"]', name)


_SHORT = 4


def phrase(text: str, *, is_long: bool = True) -> Reference:
    """Speak of a thing by a noun phrase: ``the second one``, ``the director of Up``."""
    return Reference(text, text, possessive(text), is_long=is_long)


def pronoun(entity: Entity) -> Reference:
    """Speak of an entity by the pronoun that the KG supports."""
    if entity.gender:
        return GENDERED[entity.gender]
    return THEY if mean_person(entity.kinds) or mean_group(entity.kinds) else IT


def kind(entity: Entity) -> str:
    """Return the noun by which an entity can be called: the head of its class's label where that is long."""
    noun = class_noun(entity.noun) if entity.noun else "thing"
    return noun if len(noun.split()) <= 2 else head(noun)


def by_position(position: int, noun: str, chance: float) -> Reference:
    """Speak of the answer number ``position`` (-1: the last) of a list of things that are called by ``noun``.

    ``chance`` in 0..1 chooses among ``the second one`` and ``the second film``.
    """
    which = "last" if position < 0 else ORDINALS[position - 1] if position <= len(ORDINALS) else f"{position}th"
    return phrase(f"the {which} {noun}" if chance < 0.5 and noun else f"the {which} one")


def says(text: str, word: str) -> bool:
    """Tell whether a text says a word, as a whole word, whatever the case."""
    return bool(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE))
