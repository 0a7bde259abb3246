"""Scripts: the shipped table of languages, combining marks, and names in texts and within words."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import groupby


@dataclass(frozen=True, slots=True)
class Language:
    """A language: tag, English name, typical words, and its scripts if they are not Latin, the main one first.

    ``letters`` and ``endings`` stand in words that are typical of it, ``marks`` in no other language of its script.
    ``light_words`` are words without which a question still asks the same. ``attached_letters`` is how many letters
    of other words may stand before and behind a name without a space; ``question_mark`` is how it marks a question.
    ``elided_words`` stand before an apostrophe and a name ("d'Oslo").
    """

    tag: str
    name: str
    opening_words: frozenset[str]
    words: frozenset[str]
    scripts: tuple[str, ...]
    light_words: frozenset[str]
    attached_letters: tuple[int, int]
    question_mark: str = "?"
    letters: frozenset[str] = frozenset()
    endings: tuple[str, ...] = ()
    marks: frozenset[str] = frozenset()
    elided_words: frozenset[str] = frozenset()

    def has_form(self, word: str) -> bool:
        """Tell whether a word in small letters has letters or an ending that are typical of the language."""
        return not self.letters.isdisjoint(word) or word.endswith(self.endings)

    @property
    def script(self) -> str:
        """The script that identifies the language, "" for Latin."""
        return self.scripts[0] if self.scripts else ""

    @property
    def is_spaced(self) -> bool:
        """Whether spaces stand between its words."""
        return self.attached_letters != _UNSEGMENTED


_UNSEGMENTED = (10_000, 10_000)
"""Attached letters of a script without spaces: any number."""


@lru_cache(maxsize=1)
def known_languages() -> tuple[Language, ...]:
    """Return the shipped table of languages."""
    text = files("chattydata").joinpath("languages.toml").read_text(encoding="utf-8")
    return tuple(
        Language(
            entry["tag"],
            entry["name"],
            frozenset(entry.get("opens", "").split()),
            frozenset(f"{entry.get('words', '')} {entry.get('opens', '')}".split()),
            tuple(entry.get("script", "").split()),
            frozenset(entry.get("light", "").split()),
            _UNSEGMENTED if entry.get("unsegmented") else tuple(entry.get("attached", (0, 0))),
            entry.get("question_mark", "?"),
            frozenset(entry.get("letters", "")),
            tuple(entry.get("endings", "").split()),
            frozenset(entry.get("marks", "")),
            frozenset(entry.get("elided", "").split()),
        )
        for entry in tomllib.loads(text)["language"]
    )


COMBINING_MARKS = "".join(c for c in map(chr, range(0x300, 0xABFF)) if unicodedata.category(c) in ("Mn", "Mc"))
"""Vowel signs, tones and accents: parts of a word that ``\\w`` does not match."""
MAX_NAME_CHARACTERS = 30
"""Characters of the longest name within a word."""
MAX_SPANS = 600
"""Names within words that are looked up at most, the shortest first. Unlike a name in Latin letters each has one
spelling in one or two languages, so that the request for them is no longer than that for other names."""
WORD = re.compile(rf"(?:[^\W_]|[{COMBINING_MARKS}])+")
"""A word of any script."""
_SYLLABLE = re.compile(
    rf"[\u0e40-\u0e44\u0ec0-\u0ec4]?\w(?:[{COMBINING_MARKS}\u0e30\u0e32\u0e33\u0eb0\u0eb2\u0eb3]|(?<=[\u1039\u17d2])\w)*"
)
"""A letter with the signs that belong to it: the vowels before and behind it in Thai and Lao, and stacked letters."""
_JOINER = re.compile(r"[\s·・･‧•=＝&'’.:/‐–-]?")
"""What may stand between two words of a name."""


def strip_accents(text: str) -> str:
    """Return a text case-folded and decomposed, without accents; the signs that distinguish letters stay."""
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    return unicodedata.normalize("NFC", "".join(c for c in decomposed if not _is_accent(c)))


def _is_accent(character: str) -> bool:
    """Tell whether a mark is an accent (or a vowel point): voicing, viramas and tones of Asian scripts are none."""
    position = unicodedata.combining(character)
    return 0 < position < 7 or 9 < position < 36 or 199 < position


@lru_cache(maxsize=10_000)
def script_of(character: str) -> str:
    """Return the script of a letter as the table of languages names it, "" for scripts that are not in the table."""
    name = unicodedata.name(character, "").replace("KATAKANA", "HIRAGANA").replace("IDEOGRAPHIC", "CJK")
    return next((lang.script for lang in known_languages() if lang.script and name.startswith(lang.script)), "")


@lru_cache(maxsize=10_000)
def languages_of(text: str) -> frozenset[str]:
    """Return the tags of the languages whose scripts a text has, without Latin ones."""
    scripts = {script_of(character) for character in text}
    return frozenset(language.tag for language in known_languages() if scripts.intersection(language.scripts))


@lru_cache(maxsize=512)
def spans_within_words(text: str) -> tuple[tuple[int, int], ...]:
    """Return where a name may stand in unsegmented text, or with particles attached to it; the shortest first.

    In Chinese, Japanese or Thai a name may begin and end at any letter; in Korean letters may follow it, in Arabic and
    Hebrew they may precede it.
    """
    if text.isascii():
        return ()
    starts: set[int] = set()
    spans: list[tuple[int, int]] = []
    segment_start = previous_end = 0
    for word in WORD.finditer(text):
        if not _JOINER.fullmatch(text, previous_end, word.start()):
            segment_start = word.start()
        previous_end = word.end()
        for attached, group in groupby(_SYLLABLE.finditer(text, *word.span()), key=lambda s: _attached(s[0][0])):
            syllables = list(group)
            starts.update(syllable.start() for syllable in syllables[: attached[0] + 1])
            for end in (syllable.end() for syllable in syllables[-attached[1] - 1 :]):
                first = max(segment_start, end - MAX_NAME_CHARACTERS)
                spans += [(start, end) for start in range(first, end - 1) if start in starts]
    is_attached = [any(_attached(character)) for character in text]
    spans = [(start, end) for start, end in spans if any(is_attached[max(0, start - 1) : end + 1])]
    return tuple(sorted(spans, key=lambda span: (span[1] - span[0], span))[:MAX_SPANS])


def _attached(character: str) -> tuple[int, int]:
    """Return how many letters of other words may stand before and behind a name in the script of a letter."""
    script = script_of(character)
    return next((language.attached_letters for language in known_languages() if script == language.script), (0, 0))


def contains_name(text: str, name: str, *, ignores_case: bool = True) -> bool:
    """Tell whether a text has a name in it, as whole words; an empty name is nowhere.

    Where scripts change, and in scripts without spaces, a word may end between two letters.
    """
    if ignores_case:
        text, name = text.casefold(), name.casefold()
    return bool(name) and any(
        _is_boundary(text[match.start() - 1 : match.start()] if match.start() else "", name[0])
        and _is_boundary(text[match.end() : match.end() + 1], name[-1])
        for match in re.finditer(re.escape(name), text)
    )


def replace_name(text: str, name: str, other: str) -> str:
    """Return a text with another name in the place of a name."""
    return re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", lambda _: other, text)


def _is_boundary(neighbour: str, edge: str) -> bool:
    """Tell whether a word ends between a letter and its neighbour."""
    if not re.match(r"\w", neighbour):
        return True
    script = script_of(neighbour)
    attaches = any(any(each.attached_letters) for each in known_languages() if script and each.script == script)
    return neighbour.isalpha() and edge.isalpha() and (attaches or script != script_of(edge))
