"""Words of relations and labels, brought to a form in which different spellings of one thing meet."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

import simplemma

STOP_WORDS = frozenset(
    "a an the is are was were be been being am do does did done has have had having will would can could may might "
    "shall should must his her its their my your our he she it they them this that these those there s t who whom "
    "whose which what many much some any all every each also please exactly actually currently".split()
)
"""Words that say nothing about which relation is meant."""

PREPOSITIONS = frozenset(
    "of in at by for from to with on into onto through under over about as per during within near after before "
    "off out up down".split()
)
GENERIC_WORDS = frozenset("number name date place time type year total count id value title list of".split())
"""Words that stand in many labels: agreeing in them alone is no agreement."""

_IRREGULAR = {
    "wives": "wife", "born": "bear", "birth": "birth", "died": "die", "dead": "dead", "death": "death", "led": "lead",
    "children": "child", "won": "win", "founded": "found", "found": "found", "sung": "sing",
    "sang": "sing", "left": "left", "lay": "lie", "lies": "lie", "sold": "sell", "built": "build", "lives": "live",
    "shot": "shot", "fought": "fight", "held": "hold", "taught": "teach", "colour": "color", "colours": "color",
    "organisation": "organization", "organised": "organize", "theatre": "theater", "centre": "center", "paid": "pay",
    "neighbour": "neighbor", "neighbours": "neighbor", "honour": "honor", "licence": "license", "metre": "meter",
    "better": "better", "worn": "wear", "data": "data", "media": "media", "cities": "city",
    "countries": "country", "headquarters": "headquarter",
}  # fmt: skip

_IN_PHRASES = {"num": "number", "no": "number", "nr": "number", "people": "person"}
"""Words that mean another in a label or relation; in the grammar of a question they stand for themselves."""

_SUFFIXES = (
    "ations", "ation", "itions", "ition", "ments", "ment", "ings", "ing", "ences", "ence", "ances", "ance", "ships",
    "ship", "ions", "ion", "ers", "ors", "ees", "ents", "ants", "er", "or", "ee", "ent", "ant", "ed", "es", "al", "s",
    "e", "y",
)  # fmt: skip
_LATIN = (("miss", "mit"), ("cis", "cid"), ("vis", "vid"), ("script", "scrib"), ("cept", "ceiv"), ("solut", "solv"))
"""Ends of stems that change from noun to verb: admission and admit, decision and decide, reception and receive."""
_SHORTEST_STEM = 3
_ENDINGS = (
    "ational", "ations", "ation", "ators", "ator", "itions", "ition", "ments", "ment", "ships", "ship", "ities", "ity",
    "ings", "ing", "ions", "ion", "ors", "or", "ers", "er", "eds", "ed", "als", "al", "ous", "ist", "ives", "ive",
    "ies", "es", "s", "y", "e",
)  # fmt: skip

_FAMILIES = """
born birth bear | die dead death decease | marry spouse wife husband marriage partner | write author writer |
sing singer artist vocalist | make manufacturer maker producer | build builder construct architect completion |
speak language spoken | live residence reside home | belong member part | lead leader head | play actor player
cast star perform portray team instrument | act actor cast | study alma-mater university educate | work employer
employ | locate location place | own owner | flow river | create creator founder author | found founder
establish foundation inception | invent inventor | discover discoverer | design designer | cost price expense |
weigh weight mass | publish publisher publication | teach teacher | win winner award | bury burial resting |
kill assassin murder | succeed successor | precede predecessor | record artist | compose composer music | direct
director filmmaker | govern governor | head leader chief | start source begin | end mouth finish | supply
supplier vendor | manage manager boss supervise | buy purchase customer | sell seller | influence inspire |
measure size | last duration length runtime | happen occur date | open opening | call name title | hold host |
movie film | company firm organization organisation business | song track single | picture image photo | country
nation | employee worker staff | town city | job occupation profession | child son daughter kid | parent father
mother | inhabitant population people | money currency | boss manager | begin start | phone telephone | email
mail | employer company | kind type category genre | area size surface | teacher supervisor advisor |
headquarter seat | website homepage url | capacity seat | run operator operate | broadcast air channel | attend
visitor | border neighbor neighbour | mayor leader | report manager | contain part ingredient include | author
book | stand abbreviation meaning
"""
_WORD = re.compile(r"[^\W_]+")
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_a-zA-Z]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@lru_cache(maxsize=50_000)
def normalize_text(text: str) -> str:
    """Return a text case-folded, without accents, with single blanks and without quotes or final punctuation."""
    folded = unicodedata.normalize("NFKD", text.casefold())
    kept = "".join(mark for mark in folded if not unicodedata.combining(mark))
    return " ".join(kept.split()).strip("\"'“”‘’.,;:!? ")


@lru_cache(maxsize=50_000)
def lemma_of(word: str) -> str:
    """Return the dictionary form of one English word, lower case; what is no word of letters stays as it is."""
    lower = word.casefold()
    if not lower.isalpha():
        return lower
    known = _IRREGULAR.get(lower)
    return known if known is not None else str(simplemma.lemmatize(lower, lang="en")).casefold()


@lru_cache(maxsize=50_000)
def stem_of(word: str) -> str:
    """Return what ``directed``, ``director`` and ``direction`` have in common."""
    short = word
    for suffix in _SUFFIXES:
        if short.endswith(suffix) and len(short) - len(suffix) >= _SHORTEST_STEM:
            short = short[: -len(suffix)]
            break
    if short.endswith("e") and len(short) > _SHORTEST_STEM:
        short = short[:-1]
    for noun, verb in _LATIN:
        if short.endswith(noun) and len(short) > len(noun) + 1:
            return short.removesuffix(noun) + verb
    doubled = len(short) > _SHORTEST_STEM and short[-1] == short[-2] and short[-1] not in "aeiouls"
    return short[:-1] if doubled else short


@dataclass(frozen=True, slots=True)
class AnalyzedPhrase:
    """A phrase as words: lower case, without stop words; ``lemmas`` with prepositions, ``content`` without."""

    text: str
    words: tuple[str, ...]
    lemmas: tuple[str, ...]
    content_lemmas: tuple[str, ...]
    stems: frozenset[str]


@lru_cache(maxsize=50_000)
def analyze_phrase(text: str) -> AnalyzedPhrase:
    """Read a phrase or a label (``birthPlace``, ``was born in``, ``Place of birth``)."""
    words = tuple(_WORD.findall(normalize_text(_CAMEL.sub(" ", text))))
    told = tuple(word for word in words if word not in STOP_WORDS) or words
    lemmas = tuple(_IN_PHRASES.get(word) or lemma_of(word) for word in told)
    content = tuple(word for word in lemmas if word not in PREPOSITIONS) or lemmas
    return AnalyzedPhrase(normalize_text(text), words, lemmas, content, frozenset(stem_of(word) for word in content))


@lru_cache(maxsize=20_000)
def is_english_word(word: str) -> bool:
    """Tell whether English has the word, as far as the dictionary of lemmas goes."""
    return bool(simplemma.is_known(word.lower(), lang="en"))


@lru_cache(maxsize=20_000)
def lemma_stem_of(word: str) -> str:
    """Return what a word shares with its relatives ("directed", "director" and "direction" share "direct")."""
    plain = fold_text(lemma_of(word))
    for ending in _ENDINGS:
        if plain.endswith(ending) and len(plain) - len(ending) >= 4:
            plain = plain[: -len(ending)]
            break
    if len(plain) > 4 and plain[-1] == plain[-2] and plain[-1] not in "aeiousl":
        plain = plain[:-1]
    return plain


def fold_text(text: str) -> str:
    """Return text without case and accents."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in decomposed if not unicodedata.combining(c))


@lru_cache(maxsize=20_000)
def split_label(label: str) -> tuple[str, ...]:
    """Return the words of a label, camelCase and snake_case apart, in lower case."""
    return tuple(part.lower() for part in _PART.findall(label.replace("'", "")))


@lru_cache(maxsize=20_000)
def label_stems_of(label: str) -> tuple[str, ...]:
    """Return the stems of a label's words, small words left out unless there is nothing else."""
    words = split_label(label)
    telling = tuple(word for word in words if word not in FUNCTION_WORDS) or words
    return tuple(lemma_stem_of(word) for word in telling)


def _families() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for line in _FAMILIES.replace("\n", " ").split("|"):
        family = {lemma_stem_of(part) for word in line.split() for part in word.split("-")}
        for member in sorted(family):
            found.setdefault(member, set()).update(family)
    return {member: frozenset(family) for member, family in found.items()}


FUNCTION_WORDS = frozenset(
    "a an the of in on at by to for from with is are was were be has have had does do did and or as".split()
)
"""Words that say nothing by themselves in a label."""

RELATED_STEMS: dict[str, frozenset[str]] = _families()
"""Stems that are often used for one another: a verb and its noun, a noun and its near synonym."""


def related_stems(word: str) -> frozenset[str]:
    """Return the stems by which a label may say a word: its own and those of its family."""
    own = lemma_stem_of(word)
    return RELATED_STEMS.get(own, frozenset()) | {own}


ADJECTIVE_QUANTITIES: dict[str, tuple[str, ...]] = {
    "long": ("length", "duration", "runtime", "running time"), "tall": ("height", "elevation"),
    "high": ("height", "elevation", "altitude"), "large": (
        "area", "size", "population", "inhabitants", "capacity", "extent", "diameter", "length", "height", "volume",
    ),
    "lasting": ("duration", "runtime", "running time", "length", "time"),
    "heavy": ("weight", "mass"), "old": (
        "age", "-birth date", "-birthday", "-founded", "-inception", "-year", "-date", "-formed", "-established",
        "-built", "-opened", "-launched", "-release",
    ),
    "expensive": ("price", "cost", "amount"), "fast": ("speed",), "deep": ("depth",), "wide": ("width",),
    "thick": ("thickness",), "rich": ("net worth", "wealth", "revenue", "income"),
    "populous": ("population", "inhabitants"), "late": (
        "date", "year", "release", "publication", "time", "founded", "formed", "launched",
    ),
    "hot": ("temperature",), "powerful": ("power", "horsepower"), "popular": ("popularity", "rating", "rank"),
    "good": ("rating", "score", "grade", "reliability"), "strong": ("strength", "power"), "loud": ("volume",),
    "bright": ("brightness", "magnitude"), "profitable": ("profit", "revenue"), "dense": ("density",),
    "reliable": ("reliability",), "successful": ("gross", "revenue", "sales"),
}  # fmt: skip
"""The quantity that an adjective measures, likeliest first; ``-`` marks one that falls as the adjective rises."""

ADJECTIVE_ANTONYMS: dict[str, str] = {
    "short": "long", "low": "high", "small": "large", "little": "large", "light": "heavy", "young": "old",
    "cheap": "expensive", "inexpensive": "expensive", "slow": "fast", "shallow": "deep", "narrow": "wide",
    "thin": "thick", "poor": "rich", "early": "late", "cold": "hot", "weak": "powerful", "bad": "good", "quiet": "loud",
    "dark": "bright",
}  # fmt: skip
ADJECTIVE_SYNONYMS: dict[str, str] = {
    "big": "large", "huge": "large", "great": "large", "new": "late", "recent": "late", "costly": "expensive",
    "populated": "populous", "quick": "fast", "lengthy": "long", "wealthy": "rich", "broad": "wide", "eld": "old",
    "crowded": "populous", "pricey": "expensive", "last": "late", "warm": "hot", "pricy": "expensive",
    "tiny": "small", "first": "early", "elderly": "old", "aged": "old",
}  # fmt: skip


def quantities_of(adjective: str) -> tuple[tuple[str, int], ...]:
    """Return the quantities that an adjective measures, each with 1 (more of it) or -1 (less), likeliest first."""
    base = ADJECTIVE_SYNONYMS.get(adjective, adjective)
    sign = 1
    if base in ADJECTIVE_ANTONYMS:
        base, sign = ADJECTIVE_ANTONYMS[base], -1
    nouns = ADJECTIVE_QUANTITIES.get(base, ())
    if adjective == "short":
        nouns = (*nouns, *ADJECTIVE_QUANTITIES["tall"])
    if base == "late":
        nouns = (*nouns, "age") if adjective in ("new", "recent") else nouns
    return tuple((noun.lstrip("-"), -sign if _falls(noun, base) else sign) for noun in nouns)


def _falls(noun: str, base: str) -> bool:
    """Tell whether a quantity gets smaller as there is more of the adjective (what is late is of little age)."""
    return noun.startswith("-") or (noun == "age" and base == "late")


_DEGREES = {"better": "good", "best": "good", "worse": "bad", "worst": "bad", "elder": "old", "eldest": "old",
            "later": "late", "latest": "late", "further": "far", "furthest": "far", "farthest": "far",
            "last": "late", "first": "early", "newest": "new", "bigger": "big", "biggest": "big"}  # fmt: skip


@lru_cache(maxsize=4_000)
def parse_degree(word: str) -> tuple[str, str]:
    """Return (adjective, ``er`` | ``est``) for a graded adjective, else ("", "")."""
    lower = word.lower()
    if lower in _DEGREES:
        return _DEGREES[lower], "er" if lower.endswith(("er", "se")) else "est"
    for ending in ("est", "er"):
        if not lower.endswith(ending) or len(lower) - len(ending) < 3:
            continue
        rest = lower[: -len(ending)]
        for base in (rest, rest + "e", rest[:-1] + "y" if rest.endswith("i") else rest, rest[:-1]):
            if base in ADJECTIVE_QUANTITIES or base in ADJECTIVE_ANTONYMS or base in ADJECTIVE_SYNONYMS:
                return base, ending
    return "", ""
