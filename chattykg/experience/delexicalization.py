"""Delexicalised questions: a class in place of each name, so that questions of one pattern are alike."""

from __future__ import annotations

import re

from chattyshared.kg import KnowledgeGraph
from chattyshared.terms import iri_to_words

from chattykg.linking.mention_detection import Mention
from chattykg.linking.vocabulary_card import VocabularyCard

_NUMBER = re.compile(r"(?<![\w\[])\d[\d.,:/-]*")
UNTYPED, TEXT, NUMBER = "[thing]", "[text]", "[number]"
"""What stands for a name without a class, for a text, and for a number or a date."""


def delexicalize(question: str, card: VocabularyCard, kg: KnowledgeGraph) -> str:
    """Return a question with ``[class]`` in place of the names and texts that its card links."""
    named = [m for m in card.mentions if m.kind in ("vertex", "value") and not _is_vocabulary(m, card)]
    end, parts = len(question), []
    for mention in reversed(_longest_apart(named)):
        parts += [question[mention.end : end], _placeholder(mention, kg)]
        end = mention.start
    text = "".join(reversed([*parts, question[:end]]))
    return _NUMBER.sub(NUMBER, text)


def _is_vocabulary(name: Mention, card: VocabularyCard) -> bool:
    """Tell whether the words of a name are as well the label of a class or predicate."""
    others = (m for m in card.mentions if m.kind in ("class", "predicate"))
    return any((m.start, m.end) == (name.start, name.end) and m.score >= name.score for m in others)


def _longest_apart(mentions: list[Mention]) -> list[Mention]:
    """Return mentions that do not overlap, in the order of the question; of those that do, the longest."""
    kept: list[Mention] = []
    for mention in sorted(mentions, key=lambda m: (m.start - m.end, -m.score, m.kind != "vertex")):
        if all(mention.end <= other.start or other.end <= mention.start for other in kept):
            kept.append(mention)
    return sorted(kept, key=lambda m: m.start)


def _placeholder(mention: Mention, kg: KnowledgeGraph) -> str:
    if mention.kind == "value":
        return TEXT
    class_ = next((iri for hit in mention.hits[:1] for iri in hit.types), "")
    entry = kg.vocabulary.classes.get(class_)
    return f"[{(entry.label if entry else iri_to_words(class_)).casefold()}]" if class_ else UNTYPED
