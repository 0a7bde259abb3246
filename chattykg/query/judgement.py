"""Judgement: whether a reading or a query says what the question says."""

from __future__ import annotations

from chattyshared.language.languages import language_of
from chattyshared.language.morphology import normalize_text
from chattyshared.language.tokenizer import tokenize

from chattykg.qir import QIR


def drops_negation(question: str, qir: QIR) -> bool:
    """Tell whether a question has a word of negation that neither a name nor a condition of its QIR stands for."""
    if qir.negated or qir.filters or qir.having:
        return False
    texts = (*qir.entities(), *qir.relations(), *(name for _, name in qir.classes))
    said = {word for text in texts for word in normalize_text(text).split()}
    negations = language_of(question).words("closed_classes", "negations")
    words = (token.lower for token in tokenize(question))
    return any(word.endswith("n't") or word in negations and word not in said for word in words)
