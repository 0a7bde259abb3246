"""Which referents can have what a question asks for: a property word that only one of them has decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from chattykg.linking.tokens import tokenise
from chattykg.linking.wording import parts, quantities, related, stem, stems
from chattykg.referents import Property, Referent
from chattykg.rulebook.legacy.closed_words import COMMAND, FUNCTION, GENERIC

Way = Literal["out", "in", ""]
_RELATIVE = 0.7
_END = 0.4
ENOUGH = 0.5
"""How well a property must match what is asked, so that its holder can be meant."""
_NEAR = 0.15
_MORE = 0.2
_AGAINST = 0.75


def asked_stems(question: str, without: str = "") -> Mapping[str, float]:
    """Return the stems of a question's words (1.0) and of their relatives (less); names and ``without`` left out."""
    left_out = FUNCTION | COMMAND | GENERIC | set(without.lower().split())
    said: dict[str, float] = {}
    for at, token in enumerate(tokenise(question)):
        if token.kind != "word" or token.lower in left_out or token.capital and at:
            continue
        for word in (token.lower, *(token.lower.split("-") if "-" in token.lower else ())):
            for near in related(word):
                said[near] = max(said.get(near, 0.0), 1.0 if near == stem(word) else _RELATIVE)
        for noun, _ in quantities(token.lower):
            for part in parts(noun):
                said[stem(part)] = max(said.get(stem(part), 0.0), _RELATIVE)
    return said


def fit(referent: Referent, said: Mapping[str, float], way: Way = "") -> float:
    """Return how well a referent's best property matches the asked words; about 1 where its label is said whole.

    ``way`` is ``out`` where the thing is the referent's own ("its capital"), ``in`` where the referent is it of
    something else ("is it the capital of"), "" where the words do not tell.
    """
    return max((_fit(each, said, way) for each in referent.properties), default=0.0)


def _fit(each: Property, said: Mapping[str, float], way: Way) -> float:
    words = stems(each.label)
    found = [said[word] for word in words if word in said]
    whole = sum(found) / len(words) + _MORE * (len(found) - 1) if found else 0.0
    ends = [stems(label)[-1:] for label in each.ends]
    far = _END * max((said.get(end[0], 0.0) for end in ends if end), default=0.0)
    against = way == ("in" if each.outward else "out")
    return max(whole, far) * (_AGAINST if against else 1.0)


def able(referents: Sequence[Referent], said: Mapping[str, float], way: Way = "") -> tuple[Referent, ...]:
    """Return the referents that can have what is asked; all of them where the graph does not tell them apart."""
    known = [(fit(r, said, way), r) for r in referents if r.properties]
    best = max((score for score, _ in known), default=0.0)
    if best < ENOUGH:
        return tuple(referents)
    return tuple(r for score, r in known if score >= best - _NEAR)
