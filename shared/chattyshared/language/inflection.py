"""English nouns: numbers, articles, labels as nouns; and which nouns denote persons and places."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING
from unittest.mock import patch

from chattyshared.language.lexicon import word_list, word_set
from chattyshared.language.morphology import COUNTRIES_BY_DEMONYM
from chattyshared.language.wordnet import has_sense, hypernyms, noun_kinds

if TYPE_CHECKING:
    import inflect

_PERSONS = word_set("occupations", "persons")
"""Nouns for persons that have other senses as well."""
PLACES = word_set("places", "places")
"""Nouns for places of all kinds."""
MASS_NOUNS = word_set("nouns", "mass_nouns")
"""Nouns without a plural."""
_SINGULARS_IN_S = word_list("nouns", "singulars_in_s")
_SINGULARS_IN_MEN = word_list("nouns", "singulars_in_men")
_INVARIANT = word_list("nouns", "invariant")
_PLURAL_ONLY = word_set("nouns", "plural_only")
_MUSIC_GROUP_NOUNS = word_set("nouns", "music_group_nouns")
_TABLE_NOUNS = word_set("nouns", "table_nouns")
_DEMONYMS = COUNTRIES_BY_DEMONYM.keys() | word_set("demonyms", "capitalized")
_ARTICLES = word_set("articles", "leading_articles")
_ALWAYS_ARTICLE_KINDS = word_set("articles", "always")
_ARTICLE_KINDS = PLACES | word_set("articles", "kinds")
_ARTICLE_LAST_WORDS = word_set("articles", "last_words")
_ARTICLE_FIRST_WORDS = word_set("articles", "first_words")
_ARTICLE_WORDS_BEFORE_OF = word_set("articles", "words_before_of")
_PERSON_ENDINGS = ("ist", "ician", "woman", "sman", "maker", "keeper", "writer", "grower", "yholder", "driver")
_NO_PERSON_ENDINGS = ("playlist", "checklist", "shortlist", "mist", "twist", "screwdriver")
_HEAD_END = re.compile(r"( (?:of|to) )")
_CAPITALIZED = re.compile(r"^[A-Z][a-z]+(?:-[a-z]+)*$")


@lru_cache(maxsize=1)
def _engine() -> inflect.engine:
    """Return the engine; typeguard would rewrite each of its functions first, which takes two seconds."""
    with patch("typeguard.typechecked", lambda target: target):
        import inflect

    return inflect.engine()


def lowercase_label(label: str) -> str:
    """Return a label in lower case: ``Product Category`` becomes ``product category``.

    Acronyms stay, and so do proper names in a label that has lower-case words.
    """
    words = label.split()
    if any(word[0].islower() for word in words if word[0].isalpha()) and not _CAPITALIZED.match(words[0]):
        return " ".join(words)
    is_title_case = all(_CAPITALIZED.match(w) or not w[0].isalpha() or w.isupper() or w.islower() for w in words)
    if is_title_case and (len(words) == 1 or all(not word[0].islower() for word in words[1:])):
        return " ".join(word.lower() if _CAPITALIZED.match(word) else word for word in words)
    return " ".join([words[0].lower() if _CAPITALIZED.match(words[0]) else words[0], *words[1:]])


_BRACKETED = re.compile(r"(?<!\s)\s*+[(\[][^)\]]*+([)\]]|\Z)")
"""A part in brackets; one that is not closed is matched to the end, without a group."""


@lru_cache(maxsize=20_000)
def plain_label(label: str) -> str:
    """Return a class or predicate label in lower case, without bracketed parts, with camel case split into words."""
    text = _BRACKETED.sub(lambda part: "" if part[1] else part[0], label).strip() or label
    if " " not in text:
        text = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", text)
        text = " ".join(word.lower() if _CAPITALIZED.match(word) else word for word in text.split())
    text = re.sub(r"[_\s]+", " ", text).strip()
    if not text:
        return label
    return " ".join(word.capitalize() if word in _DEMONYMS else word for word in lowercase_label(text).split(" "))


def is_table_of(label: str) -> bool:
    """Tell whether the label of a class names a table of its members (``car names``)."""
    words = plain_label(label).split()
    return len(words) > 1 and words[-1].lower() in _TABLE_NOUNS


def class_noun(label: str) -> str:
    """Return the singular noun for the members of a class: ``car names`` are cars, ``Product (old)`` are products.

    The members of a class without a name are things.
    """
    words = plain_label(label).split() or ["thing"]
    while len(words) > 1 and words[-1].lower() in _TABLE_NOUNS:
        words = words[:-1]
    noun = singularize(" ".join(words))
    return "person" if noun in ("human", "human being") else noun


@lru_cache(maxsize=4096)
def pluralize(noun: str) -> str:
    """Return the plural of a noun phrase; its head is the word before ``of`` or ``to``, else the last word."""
    head, preposition, rest = _HEAD_END.split(noun, maxsplit=1) if _HEAD_END.search(noun) else (noun, "", "")
    last = head.split()[-1].lower()
    if last in MASS_NOUNS or last.endswith(_INVARIANT) or is_plural(head):
        return noun
    if last.endswith(_SINGULARS_IN_MEN):
        return f"{head}s{preposition}{rest}"
    return f"{_engine().plural_noun(str(head))}{preposition}{rest}"


@lru_cache(maxsize=4096)
def singularize(noun: str) -> str:
    """Return the singular of a noun phrase that may be plural."""
    head, preposition, rest = noun.partition(" of ")
    *before, last = head.split()
    if last.lower() in _PLURAL_ONLY or not is_plural(last):
        return noun
    singular = _engine().singular_noun(last)
    return " ".join([*before, singular or last]) + preposition + rest


_ADVERB = re.compile(r"^(?:after|to|up|on|back|for|down|in|out)wards$")


@lru_cache(maxsize=4096)
def is_plural(noun: str) -> bool:
    """Tell whether a noun is a plural."""
    last = noun.split()[-1]
    if last.lower() in _PLURAL_ONLY:
        return True
    if last.lower().endswith((*_SINGULARS_IN_S, *_SINGULARS_IN_MEN)) or last.isupper():
        return False
    if last.lower() == "data" or _ADVERB.search(last.lower()):
        return False
    singular = _engine().singular_noun(last)
    if singular and has_sense(last.lower()) and not has_sense(str(singular).lower(), "n"):  # lens, bus, afterwards
        return False
    return bool(singular) and _engine().plural_noun(str(singular)) == last


_UNNAMED_KINDS = (("time",), ("act",), ("event",), ("process",), ("state",))
"""Kinds of nouns that are no part of a proper name at its end."""


def add_article(name: str, kinds: Iterable[str]) -> str:
    """Return a name with ``the`` where it takes one: the United States; ``kinds`` are the labels of its classes."""
    words = re.findall(r"[\w'’.-]+", name)
    if not words or words[0].lower() in _ARTICLES or not name[0].isupper():
        return name
    nouns = {head_noun(plain_label(kind)) for kind in kinds}
    last = words[-1]
    is_act = noun_kinds(last)[:1] == ("act",) and last.endswith("ing")  # dental scaling
    is_described = last.islower() and name.endswith(last) and not (denote_persons(nouns) or is_act)
    is_described &= bool(noun_kinds(last) or noun_kinds(singularize(last)))
    is_time_or_act = last.lower() in nouns and noun_kinds(last.lower())[:1] in _UNNAMED_KINDS
    if len(words) > 1 and (is_described or is_time_or_act):  # the quern stone of Otter Ness; the Migration Phase
        return f"the {name}"
    if nouns & _ALWAYS_ARTICLE_KINDS and words[0] not in ("Lake", "River"):
        return f"the {name}"
    if words[0] in _ARTICLE_FIRST_WORDS and words[-1] in _ARTICLE_LAST_WORDS:  # the United Kingdom
        return f"the {name}"
    if nouns & _ARTICLE_KINDS and (
        words[-1] in _ARTICLE_LAST_WORDS
        or words[0] in _ARTICLE_FIRST_WORDS
        or any(word in _ARTICLE_WORDS_BEFORE_OF and follows in ("of", "for", "in") for word, follows in pairwise(words))
    ):
        return f"the {name}"
    return name


def add_indefinite_article(noun: str) -> str:
    """Return a noun phrase with ``a`` or ``an``; a mass noun without."""
    if noun.split()[-1].lower() in MASS_NOUNS or is_plural(noun.partition(" of ")[0]):
        return noun
    return str(_engine().a(noun))


@lru_cache(maxsize=20_000)
def head_noun(noun: str) -> str:
    """Return the head of a noun phrase: the word before ``of``, else the last one, as singular in lower case."""
    words = noun.partition(" of ")[0].split()
    return singularize(words[-1].lower()) if words else ""


def denote_persons(labels: Iterable[str]) -> bool:
    """Tell whether class labels, nearest first, denote persons; the nearest label of a person or place decides."""
    for label in labels:
        word = head_noun(plain_label(label))
        if word in _PERSONS or noun_kinds(word) == ("person",):
            return True
        kinds = noun_kinds(word)
        if (
            word.endswith(_PERSON_ENDINGS)
            and (not kinds or "person" in kinds)
            and not word.endswith(_NO_PERSON_ENDINGS)
        ):
            return True
        if word in PLACES or word in ("organization", "organisation", "company", "group", "band", "institution"):
            return False
    return False


def denote_groups(labels: Iterable[str]) -> bool:
    """Tell whether class labels denote groups of people that the pronoun ``they`` refers to."""
    return any(head_noun(plain_label(label)) in _MUSIC_GROUP_NOUNS for label in labels)


def denote_grounds(labels: Iterable[str]) -> bool:
    """Tell whether class labels denote what lies somewhere in a country: places, buildings, parts of the land."""
    words = [word for label in labels for word in plain_label(label).lower().split()]
    are_land = any(noun_kinds(word)[:1] in (("object",), ("location",)) for word in words)
    return are_land or denote_places(labels) or any(not _STRUCTURES.isdisjoint(hypernyms(word)) for word in words[-1:])


_STRUCTURES = frozenset({"structure", "facility", "building complex", "district"})


def denote_places(labels: Iterable[str]) -> bool:
    """Tell whether class labels denote places."""
    return any(head_noun(plain_label(label)) in PLACES for label in labels)
