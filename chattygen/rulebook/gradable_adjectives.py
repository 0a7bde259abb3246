"""Gradable adjectives: the words for the degrees of a measure (longest, shorter, most expensive)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from chattyshared.language.inflection import head_noun, plain_label
from chattyshared.language.lexicon import word_lists, word_map, word_set

from chattygen.lexicalization.lexicon import MEASURE_ADJECTIVES
from chattygen.lexicalization.word_forms import are_persons


@dataclass(frozen=True, slots=True)
class Scale:
    """The degrees of a measure: ``longest``, ``shortest``, ``longer``, ``shorter``."""

    most: str
    least: str
    more: str
    less: str

    def superlative(self, pick: str) -> str:
        """Return the degree of the greatest (``most``) or the smallest value."""
        return self.most if pick == "most" else self.least

    def comparative(self, pick: str) -> str:
        """Return the degree of more (picks ``most`` and ``over``) or less."""
        return self.more if pick in ("most", "over") else self.less


_SCALES = {adjective: Scale(*degrees) for adjective, degrees in word_lists("gradable_adjectives", "scales").items()}
HIGH, LONG, LARGE = _SCALES["high"], _SCALES["long"], _SCALES["large"]
MANY = Scale("the most", "the fewest", "more", "fewer")
MUCH = Scale("the most", "the least", "more", "less")
_OLD_THING = Scale("oldest", "newest", "older", "newer")
_ADJECTIVES = {**MEASURE_ADJECTIVES, **word_map("gradable_adjectives", "by_compared_measure")}
_LONG_NOUNS = word_set("gradable_adjectives", "long_nouns")
_LARGE_NOUNS = word_set("gradable_adjectives", "large_nouns")
_TIME_MODIFIERS = word_set("gradable_adjectives", "time_modifiers")
_HIGH_KINDS = word_set("gradable_adjectives", "high_kinds")
_RANK_NOUNS = frozenset("rank ranking position place".split())


def scale_of_adjective(noun: str, kinds: Iterable[str]) -> Scale | None:
    """Return the scale of the adjective for a measure of things of these kinds (``length``: long); None if none."""
    labels = tuple(kinds)
    adjective = _ADJECTIVES.get(noun.lower(), "")
    if adjective == "tall" and {head_noun(plain_label(label)) for label in labels} & _HIGH_KINDS:
        adjective = "high"
    if adjective == "old" and not are_persons(labels):
        return _OLD_THING
    return _SCALES.get(adjective)


def scale_of_noun(noun: str) -> Scale:
    """Return the scale of the noun itself: the *highest* price, the *longest* cooking time, the *largest* area."""
    measure = noun.partition(" from ")[0]
    modifiers, head = measure.lower().split()[:-1], head_noun(measure)
    if head in _LONG_NOUNS or (head == "time" and modifiers and modifiers[-1] in _TIME_MODIFIERS):
        return LONG
    return LARGE if head in _LARGE_NOUNS else HIGH


def is_rank(noun: str) -> bool:
    """Tell whether a noun counts from the best downwards, so that ``high`` means a small number."""
    return head_noun(noun) in _RANK_NOUNS
