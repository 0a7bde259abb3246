"""Questions that no graph answers: for reasons, for opinions, and of a person whom nobody has named."""

from __future__ import annotations

import re

from chattyshared.dialogue import ReasonCode
from chattyshared.language.closed_classes import AUXILIARY, FUNCTION
from chattyshared.language.lexicon import word_set
from chattyshared.language.morphology import lemma_of
from chattyshared.language.tokenizer import tokenize

from chattykg.linking.vocabulary_card import VocabularyCard

_WHY = re.compile(r"(?i)^\W*(?:(?:and|but|so|then|okay|ok)\W+)*(?:why|how\s+come|for\s+what\s+reason)\b")
_OPINION = re.compile(
    r"(?i)\b(?:(?:do|would|can|could|should)\s+you\s+(?:like|think|feel|believe|prefer|recommend|suggest|advise)"
    r"|what\s+do\s+you\s+think|your\s+(?:opinion|favou?rite|advice)|in\s+your\s+view)\b"
)
_REASONS = word_set("unanswerable", "reason_nouns")
_PERSONS = word_set("unanswerable", "person_pronouns")


def find_unstated(question: str, card: VocabularyCard) -> tuple[ReasonCode, str] | None:
    """Return why no graph answers a question, with a sentence; None where one may."""
    named = [*card.mentions_of_kind("vertex"), *card.mentions_of_kind("value")]
    said = question
    for mention in named:
        said = said[: mention.start] + " " * len(mention.text) + said[mention.start + len(mention.text) :]
    if _OPINION.search(said):
        return "not-stated", "it asks for an opinion, and a graph holds statements only"
    labels = (entry.label for entry in card.predicates)
    if _WHY.match(question) and not any(_REASONS & set(map(lemma_of, label.lower().split())) for label in labels):
        return "not-stated", "it asks for a reason, and the graph states none"
    person = "" if named else _unnamed_person(question)
    return ("missing-referent", f'it is not said who "{person}" is') if person else None


def _unnamed_person(question: str) -> str:
    """Return the pronoun for a person that nothing before it in the question can stand for."""
    tokens = tokenize(question)
    for position, token in enumerate(tokens):
        before = [earlier.lower for earlier in tokens[:position]]
        if token.lower in _PERSONS and (FUNCTION.issuperset(before) or before[-1] in AUXILIARY):
            return token.text
    return ""
