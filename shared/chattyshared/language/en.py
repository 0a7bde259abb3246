"""English as the rules read it: plurals, verb forms, degrees of adjectives, numbers and dates."""

from __future__ import annotations

import re

from chattyshared.language import morphology, wordnet
from chattyshared.language.morphology import (
    ADJECTIVE_ANTONYMS,
    ADJECTIVE_QUANTITIES,
    ADJECTIVE_SYNONYMS,
    COUNTRIES_BY_DEMONYM,
    IRREGULAR,
    NOUN_ING,
    VERBS,
)
from chattyshared.language.quantities import (
    normalize_quantity,
    parse_century,
    parse_decade,
    parse_year_before_christ,
    unit_forms,
)

FOLDER = "english"
"""The folder of ``chattydata`` with the words of the language, and the name of its rule file."""
UNITS, DEMONYMS = {unit: unit for unit in unit_forms("question")}, COUNTRIES_BY_DEMONYM
HAS_CAPITAL_NOUNS = False
stem_of, split_label = morphology.lemma_stem_of, morphology.split_label
synonymous_words, related_words = morphology.synonymous_words, morphology.related_words
lemma_of, stems_of, is_word = morphology.lemma_of, morphology.label_stems_of, morphology.is_english_word
parse_degree, quantities_of, is_adjective = morphology.parse_degree, morphology.quantities_of, wordnet.is_adjective


def is_plural(text: str, is_capital: bool) -> bool:
    """Tell whether the last word of a text is a plural noun."""
    last = text.lower().rsplit(" ", 1)[-1]
    if last in ("people", "children", "men", "women", "staff"):
        return True
    if not last.endswith("s") or last.endswith(("ss", "us", "is")):
        return False
    return lemma_of(last) != last or not is_capital and len(last) > 5 and not is_word(last)


def is_participle(word: str) -> bool:
    """Tell whether a word looks like a participle or a past form."""
    if word in IRREGULAR:
        return True
    if word.endswith("ing"):
        return word not in NOUN_ING and len(word) > 4
    return word.endswith("ed") and len(word) > 3 and word not in ("red", "speed", "breed", "seed", "hundred")


def is_only_verb(word: str) -> bool:
    """Tell whether a word is a participle or past form, and no noun ("born", not "cut")."""
    return is_participle(word) and not word.endswith("ing") and not wordnet.noun_kinds(word)


def is_only_adjective(word: str) -> bool:
    """Tell whether a word is an adjective and no noun ("urgent", not "active" as in a list of actives)."""
    return wordnet.has_sense(word, "a") and not wordnet.has_sense(word, "n", "v")


def verb_categories(word: str) -> tuple[str, ...]:
    """Return the categories of a word as a verb: ``Ving``, ``Ven`` (participle), ``Vfin`` (finite form)."""
    if word.endswith("ing"):
        return ("Ving",) if is_participle(word) else ()
    if is_participle(word):
        return ("Ven", "Vfin")
    return ("Vfin",) if lemma_of(word) in VERBS or wordnet.is_verb(lemma_of(word)) else ()


def gradable(word: str) -> str:
    """Return an adjective that measures a quantity as it is, "" for other words."""
    return word if word in ADJECTIVE_QUANTITIES or word in ADJECTIVE_ANTONYMS or word in ADJECTIVE_SYNONYMS else ""


def read_date(text: str) -> str:
    """Return the ISO form of a date of more than a year, or of a year before Christ, or ""."""
    found = normalize_quantity(text)
    return found if re.fullmatch(r"\d{4}-\d\d(-\d\d)?", found) else parse_year_before_christ(text)


def read_period(text: str) -> tuple[int, int] | None:
    """Return the first and last year of a decade or a century."""
    return parse_decade(text.removesuffix(" 's"), is_plural=text.endswith(" 's")) or parse_century(text)


def read_digits(text: str) -> str:
    """Return a number without the commas between its thousands."""
    return text.replace(",", "")


def correct_spelling(word: str) -> str:
    """Return the usual spelling of a word: English has no other one."""
    return word
