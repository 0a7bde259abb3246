"""English forms of nouns, labels and clauses, and lists of phrases."""

from __future__ import annotations

import re
from collections.abc import Sequence
from os.path import commonprefix

from chattyshared.language.inflection import add_indefinite_article, is_plural, pluralize
from chattyshared.language.morphology import PREPOSITIONS

THING = "thing"
"""The noun of a thing of which no class is known."""
FURTHER = " with further conditions"
"""The end of a phrase that does not say all."""
_PLURAL_VERBS = {"that is ": "that are ", "that has ": "that have "}
_COMPARED_WITH_ALL = re.compile(
    r"every (\S.*?)((?: (?:that|whose) .*?)?)(?: and)? whose (.+) is the (\w+) \3 of every \1\2"
)
"""A thing with a property that is the highest one of all things of the same description."""
_VERB = re.compile("^that (?:is|has) ")


def join_alternatives(sentences: Sequence[str]) -> str:
    """Return sentences of alternatives as one: what is the same at their beginnings and ends is said once."""
    start, middles, end = _shared_words(sentences)
    if len(middles) < 2:
        return sentences[0]
    is_long = any(" and " in middle for middle in middles)
    text = f"either {' or '.join(middles)}" if is_long else " or ".join(middles)
    return " ".join(filter(None, (start, text, end)))


def join_measures(texts: Sequence[str]) -> str:
    """Return texts of several aggregates as one: what is the same is said once where that is clear."""
    start, middles, end = _shared_words(texts)
    if len(middles) > 1 and all(len(middle.split()) == 1 for middle in middles):
        return " ".join(filter(None, (start, " and ".join(middles), end)))
    lead = start.rpartition(", ")[0] + ", " if start.startswith("for each ") and ", " in start else ""
    return lead + " and ".join(dict.fromkeys(text.removeprefix(lead) for text in texts))


def _shared_words(sentences: Sequence[str]) -> tuple[str, list[str], str]:
    """Return the words with which all sentences begin, what is between in each, and the words with which they end.

    Between is at least a word.
    """
    words = [sentence.split() for sentence in dict.fromkeys(sentences)]
    shortest = min(map(len, words)) - 1
    start = min(len(commonprefix(words)), shortest)
    end = min(len(commonprefix([each[::-1] for each in words])), shortest - start)
    middles = [" ".join(each[start : len(each) - end]) for each in words]
    return " ".join(words[0][:start]), middles, " ".join(words[0][len(words[0]) - end :] if end else ())


def shorten_superlative(text: str) -> str:
    """Return "every film whose runtime is the highest runtime of every film" as "the film with the highest runtime"."""
    found = _COMPARED_WITH_ALL.fullmatch(text)
    return f"the {found[1]} with the {found[4]} {found[3]}{found[2]}" if found else text


def pluralize_clause(text: str) -> str:
    """Return a relative clause behind a plural noun."""
    return _VERB.sub(lambda verb: _PLURAL_VERBS[verb[0]], text)


def add_every(phrase: str, noun: str = "") -> str:
    """Return a singular noun phrase, which begins with a noun, for all things that it describes."""
    if phrase.split(" ")[0] == THING:
        return f"every{phrase}"
    return f"{'all' if noun and is_plural(noun) else 'every'} {phrase}"


def add_article(noun: str) -> str:
    """Return a singular noun phrase with its indefinite article; a mass noun and what is introduced without."""
    if noun.startswith("that "):
        return noun
    return add_indefinite_article(noun) if noun[:1].isalpha() else f"a {noun}"


def plural_noun(noun: str) -> str:
    """Return the plural of a noun, or of each of several nouns ("films or books")."""
    return "".join(part if at % 2 else pluralize(part) for at, part in enumerate(re.split(r"(, | or )", noun)))


def is_verb(label: str) -> bool:
    """Tell whether the label of a predicate reads as a verb: "headed by", "works in department"."""
    words = label.lower().split()
    begins_like_verb = (
        len(words) > 1 and words[1] in PREPOSITIONS and words[0].endswith(("s", "ed")) and words[1] != "of"
    )
    return begins_like_verb or (len(words) > 1 and words[-1] in PREPOSITIONS)


def verb_phrase(label: str, *, is_negated: bool = False) -> str:
    """Return a verb in the present tense: "is headed by", "works in", "does not work in"."""
    first, _, rest = label.partition(" ")
    if not first.endswith("s") or first.endswith("ss"):
        return f"is {'not ' if is_negated else ''}{label}"
    return f"does not {first.removesuffix('s')} {rest}" if is_negated else label


def ordinal(number: int) -> str:
    """Return an ordinal number in digits: 2nd."""
    suffix = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"
