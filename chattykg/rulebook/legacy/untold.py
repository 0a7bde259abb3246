"""What no graph tells: reasons, opinions, and who "she" is where nobody was spoken of."""

from __future__ import annotations

import re

from chattyshared.dialogue import ReasonCode
from chattyshared.language.morphology import lemma_of
from chattyshared.language.tokenizer import tokenize

from chattykg.linking.vocabulary_card import VocabularyCard

_WHY = re.compile(r"(?i)^\W*(?:(?:and|but|so|then|okay|ok)\W+)*(?:why|how\s+come|for\s+what\s+reason)\b")
_OPINION = re.compile(
    r"(?i)\b(?:(?:do|would|can|could|should)\s+you\s+(?:like|think|feel|believe|prefer|recommend|suggest|advise)"
    r"|what\s+do\s+you\s+think|your\s+(?:opinion|favou?rite|advice)|in\s+your\s+view)\b"
)
_REASON = frozenset("cause reason motive motivation purpose why rationale justification explanation ground".split())
_SOMEBODY = frozenset("he she him his her hers".split())
_AUXILIARY = frozenset("is are was were has have had do does did can could will would should may might must".split())
_SMALL = _AUXILIARY | frozenset("and but so then who whom whose what which where when how in of to for by at".split())


def untold(question: str, card: VocabularyCard) -> tuple[ReasonCode, str] | None:
    """Return why a graph does not tell what a question asks, given what it knows of its words; None where it may."""
    if _OPINION.search(question):
        return "not-stated", "it asks for an opinion, and a graph holds statements only"
    labels = (entry.label for entry in card.predicates)
    if _WHY.match(question) and not any(_REASON & set(map(lemma_of, label.lower().split())) for label in labels):
        return "not-stated", "it asks for a reason, and the graph states none"
    somebody = "" if card.mentions_of_kind("vertex") or card.mentions_of_kind("value") else _unnamed(question)
    return ("missing-referent", f'it is not said who "{somebody}" is') if somebody else None


def _unnamed(question: str) -> str:
    """Return the pronoun for a person that nothing before it in the question can stand for."""
    tokens = tokenize(question)
    for place, token in enumerate(tokens):
        before = [earlier.lower for earlier in tokens[:place]]
        if token.lower in _SOMEBODY and (set(before) <= _SMALL or before[-1] in _AUXILIARY):
            return token.text
    return ""
