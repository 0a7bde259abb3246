"""German: lemmas, plurals, verb forms, degrees of adjectives, numbers, dates, and words written without umlauts."""

from __future__ import annotations

import re
from functools import lru_cache

import simplemma

from chattyshared.language.lexicon import word_lists, word_map, word_set
from chattyshared.language.quantities import normalize_quantity, parse_century, parse_decade
from chattyshared.language.scripts import WORD, strip_accents

FOLDER = "german"
"""The folder of ``chattydata`` with the words of the language, and the name of its rule file."""
UNITS, DEMONYMS = word_map("quantities", "units", language=FOLDER), dict[str, str]()
HAS_CAPITAL_NOUNS = True
_DIGRAPHS = (("ae", "ä"), ("oe", "ö"), ("ue", "ü"), ("ss", "ß"))
_FEMININE = re.compile(r"(?:(?<=er)|(?<=or)|(?<=st)|(?<=kt)|(?<=nt)|(?<=ur)|(?<=at))in(?:nen)?$")
"""The ending of a noun for women, behind the ends of nouns for people: *Architektin*, *Bürgermeisterin*."""
_VERB_END, _ADJECTIVE_END = re.compile(r"(?:t|n|st|te)$"), re.compile(r"(?<=[a-zäöüß]{4})e[nrsm]?$")
_INFINITIVE = re.compile(r"^[a-zäöüß]+(?:e[lr]?n|tun|sein)$")
_PARTICIPLE = re.compile(r"(?:\w*ge\w{2,}|(?:be|ver|er|ent|zer|miss|über|unter)\w{2,}|\w+ier)(?:t|en)$")
_SUPERLATIVE, _COMPARATIVE = re.compile(r"[sß]te[nrsm]?$"), re.compile(r"er(?:e[nrsm]?)?$")
_PREFIXES = (
    "ab an auf aus bei ein fest fertig her heraus hervor hin hinzu los mit nach statt teil um vor weg zu zurück"
    " zusammen"
).split()
"""Prefixes that stand apart from their verbs: *tritt ... bei* is *beitreten*."""
_THOUSANDS, _CAMEL = re.compile(r"\d{1,3}(?:\.\d{3})+"), re.compile(r"(?<=[a-zäöüß])(?=[A-ZÄÖÜ])")
_DECADE, _CENTURY = re.compile(r"(\d{4}|\d0)er(?: jahren?)?$"), re.compile(r"(\d{1,2}) ?\. jahrhunderts?$")
_STOP_WORDS = word_set("function_words", "label_stop_words", language=FOLDER)
_ADJECTIVES = word_map("adjectives", "adjectives", language=FOLDER)
_LEMMAS, _MONTHS = (word_map(*at, language=FOLDER) for at in (("lemmas", "irregular"), ("quantities", "months")))
_QUANTITIES = word_lists("adjectives", "quantities", language=FOLDER)


@lru_cache(maxsize=20_000)
def is_word(word: str) -> bool:
    """Tell whether the dictionary knows a word, as it is written or as a noun."""
    return any(bool(simplemma.is_known(form, lang="de")) for form in (word, word.lower(), word.capitalize()))


def correct_spelling(word: str) -> str:
    """Return a word with the umlauts that it is written without: *hoeher* is *höher*; a known word stays."""
    if is_word(word):
        return word
    forms = (word.replace(old, new) for old, new in _DIGRAPHS if old in word)
    return next(filter(is_word, forms), word)


@lru_cache(maxsize=20_000)
def dictionary_form(word: str) -> str:
    """Return the lemma of a word, nouns with a capital letter; a noun for women becomes the one for men."""
    if word in _LEMMAS:
        return _LEMMAS[word]
    found = str(simplemma.lemmatize(correct_spelling(word), lang="de"))
    if found == word and word.endswith("iert") and is_word(f"{word[:-1]}en"):
        return f"{word[:-1]}en"  # a participle without "ge-" that the dictionary takes for a word of its own
    if word.islower() and simplemma.is_known(word.capitalize(), lang="de"):
        is_verb = bool(_INFINITIVE.search(found)) and bool(_VERB_END.search(word))
        if not is_verb and (found == word or _INFINITIVE.search(found)):
            found = str(simplemma.lemmatize(word.capitalize(), lang="de"))
    if not is_word(found):
        found = _ADJECTIVE_END.sub("", found)
    masculine = _FEMININE.sub("", found)
    return masculine if masculine != found and is_word(masculine) else found


def lemma_of(word: str) -> str:
    """Return the dictionary form of a word, folded: without capitals and accents."""
    return strip_accents(dictionary_form(word).replace("ß", "ss"))


def synonymous_words(_: str) -> frozenset[str]:
    """Return nothing: there is no thesaurus of single words."""
    return frozenset()


def split_label(label: str) -> tuple[str, ...]:
    """Return the words of a label in lower case."""
    return tuple(word.lower() for word in WORD.findall(_CAMEL.sub(" ", label)))


stem_of, related_words = lemma_of, synonymous_words


@lru_cache(maxsize=20_000)
def stems_of(text: str) -> tuple[str, ...]:
    """Return the lemmas of the content words of a label or phrase; a prefix that stands apart is joined to its verb."""
    words = WORD.findall(_CAMEL.sub(" ", text))
    if len(words) > 1 and words[0].lower() in _PREFIXES and is_word(words[0] + dictionary_form(words[1])):
        words = [words[0] + dictionary_form(words[1]), *words[2:]]
    content = [word for word in words if word.lower() not in _STOP_WORDS]
    return tuple(lemma_of(word) for word in content or words)


def is_plural(text: str, is_capital: bool = False) -> bool:
    """Tell whether the last word of a text is a plural noun."""
    last = text.rsplit(" ", 1)[-1].capitalize()
    return str(simplemma.lemmatize(last, lang="de")) != last and not last.endswith(("s", "es"))


@lru_cache(maxsize=20_000)
def is_verb_form(word: str) -> bool:
    """Tell whether a word in lower case is a form of a verb."""
    found = _LEMMAS.get(word) or str(simplemma.lemmatize(word, lang="de"))
    return word.islower() and bool(_INFINITIVE.search(found)) and is_word(word)


def is_participle(word: str) -> bool:
    """Tell whether a word is a past participle."""
    is_known = is_verb_form(word) or dictionary_form(word) == word and is_word(word)
    return is_known and bool(_PARTICIPLE.match(word) or any(word.startswith(f"{prefix}ge") for prefix in _PREFIXES))


def is_adjective(word: str) -> bool:
    """Tell whether a word in lower case is an adjective or a participle."""
    return word.islower() and is_word(word) and not dictionary_form(word)[:1].isupper() and not is_verb_form(word)


def is_only_verb(word: str) -> bool:
    """Tell whether a word is a form of a verb and no noun."""
    return is_verb_form(word) and dictionary_form(word.capitalize()).islower()


def is_only_adjective(word: str) -> bool:
    """Tell whether a word is an adjective and no noun; German nouns have a capital."""
    return is_adjective(word)


def verb_categories(word: str) -> tuple[str, ...]:
    """Return the categories of a word as a verb: ``Ven`` (participle), ``Vfin`` (finite form or infinitive)."""
    has_ge = "ge" in word[:8] and not dictionary_form(word).startswith("ge")
    finite = ("Vfin",) if is_verb_form(word) and not (has_ge and is_participle(word)) else ()
    return ("Ven", *finite) if is_participle(word) else finite


def gradable(word: str) -> str:
    """Return the English adjective that measures the same as a German one in the positive, "" for other words."""
    return _ADJECTIVES.get(word) or _ADJECTIVES.get(dictionary_form(word), "")


def parse_degree(word: str) -> tuple[str, str]:
    """Return (English adjective, ``er`` | ``est``) for a comparative or superlative, else ("", "")."""
    adjective = "" if word in _ADJECTIVES else gradable(word)
    degree = "est" if _SUPERLATIVE.search(word) else "er" if _COMPARATIVE.search(word) else ""
    return (adjective, degree) if adjective and degree else ("", "")


def quantities_of(adjective: str) -> tuple[tuple[str, int], ...]:
    """Return the nouns of what an English adjective measures, each with 1 (more of it) or -1 (less)."""
    return tuple((noun.lstrip("-"), -1 if noun.startswith("-") else 1) for noun in _QUANTITIES.get(adjective, ()))


def read_date(text: str) -> str:
    """Return the ISO form of a date of more than a year, or ""."""
    words = (_MONTHS.get(word, word) for word in text.split() if word != ".")
    found = normalize_quantity(" ".join(words))
    return found if re.fullmatch(r"\d{4}-\d\d(-\d\d)?", found) else ""


def read_period(text: str) -> tuple[int, int] | None:
    """Return the first and last year of a decade or a century."""
    decade, century = _DECADE.match(text), _CENTURY.match(text)
    return parse_decade(f"{decade[1]}s") if decade else parse_century(f"{century[1]}th century") if century else None


def read_digits(text: str) -> str:
    """Return a number without the dots between its thousands."""
    return text.replace(".", "") if _THOUSANDS.fullmatch(text) else text
