"""What a question that stands alone lacks: the thing that it refers to, or a statement that could answer it."""

from __future__ import annotations

import re

from chattyshared.language.lexicon import load_lexicon
from chattyshared.language.morphology import GENERIC_WORDS, PREPOSITION, lemma_of
from chattyshared.language.tokenizer import tokenize

from chattykg.conversation.context import DialogueWords
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.qir import QIR, is_unknown
from chattykg.rulebook.followups.rewriting import Rewriter

_WORDS = load_lexicon("unanswerable")
_WHY, _OPINION, _CLAUSE_END = (re.compile(_WORDS[name]) for name in ("why", "opinion", "clause_end"))
_POINTING = ("the", "this", "that")


def find_missing(question: str, card: VocabularyCard) -> str:
    """Return the words of a question that refer to something it does not name; "" if there are none.

    A name in the question may be what they refer to, and so may a class before them: in another clause, or for "they".
    """
    classes = card.mentions_of_kind("class")
    class_iris = {iri for mention in classes for iri in mention.iris}
    vertices = {str(hit.iri) for mention in card.mentions_of_kind("vertex") for hit in mention.hits}
    if vertices - class_iris:
        return ""
    asked = (t.start for t in tokenize(question) if t.lower in card.language.words("closed_classes", "question_words"))
    begin = next(asked, 0)  # politeness before the question: "help me with this one: which painting is the widest?"
    for start, end, is_plural in sorted(Rewriter(question, (), (), DialogueWords(card)).outer_references()):
        before = (each.end for each in classes if each.end <= start)
        is_bound = any(is_plural or _CLAUSE_END.search(question, stop, start) for stop in before)
        if start >= begin and not is_bound:
            return question[start:end]
    return ""


def find_unnamed(question: str, qir: QIR, card: VocabularyCard) -> str:
    """Return the noun of the one thing that a question speaks of and does not name; "" if there is none.

    "the film" in "Is the film longer than Dune?" is no film at all, nor is "Film" in "Who directed Film?": the QIR has
    nothing else of it than its class. "What is the price?" does not say of what.
    """
    texts, classes = [token.lower for token in tokenize(question) if token.kind != "mark"], dict(qir.classes)
    asked = {qir.target, *qir.targets, *(unknown for unknown, _ in qir.values)}
    asked |= {end for having in qir.having for end in (having.group, having.counted)}
    asked |= {qir.order.by, qir.order.per} if qir.order else set()
    asked |= {end for condition in qir.filters for end in (condition.unknown, condition.value)}
    single = {entry.label.lower() for entry in card.classes if entry.instance_count == 1}
    definite = set(Rewriter(question, (), (), DialogueWords(card)).definite_nouns())
    given = {unknown for unknown, _ in qir.values}
    numbered = {condition.unknown for condition in qir.filters if condition.operator == "="}
    for unknown in (unknown for unknown in qir.unknowns() if unknown not in asked and not qir.either):
        edges = [each for each in (*qir.triples, *qir.negated) if unknown in each.ends()]
        if any(end in numbered for each in edges for end in each.ends()):
            continue
        noun, relation = classes.get(unknown, "").lower().split(), edges[0].relation.lower().split() if edges else []
        is_owner = not noun and len(qir.triples) == 1 and not (qir.classes or qir.order or qir.aggregate)
        words = noun or (relation if is_owner and qir.shape not in ("boolean", "count") else [])
        if not words or lemma_of(words[-1]) != words[-1] or " ".join(words) in single:
            continue
        is_named = not all(is_unknown(end) and end not in given for each in edges for end in each.ends())
        if len(edges) > 1 and " ".join(words) in definite and not is_named:
            return f"the {' '.join(words)}"
        for at in range(1, len(texts) if len(edges) == 1 else 0):
            behind = texts[at + len(words) :]
            is_bare = bool(noun) and texts[at - 1] == "".join(relation[-1:]) and texts[at - 1] not in PREPOSITION
            is_led = is_bare or texts[at - 1] in _POINTING
            if texts[at : at + len(words)] == words and is_led and (noun or _EMPTY.issuperset(behind)):
                return " ".join((*(word for word in texts[at - 1 : at] if word in _POINTING), *words))
    return ""


_EMPTY = GENERIC_WORDS | frozenset(load_lexicon("politeness")["wrappers"])
"""Words behind a relation that do not say whose it is."""


def is_unstated(question: str, card: VocabularyCard) -> bool:
    """Tell whether a question asks for an opinion, or for a reason of which the graph has no predicate."""
    said = question
    for mention in (*card.mentions_of_kind("vertex"), *card.mentions_of_kind("value")):
        said = said[: mention.start] + " " * len(mention.text) + said[mention.start + len(mention.text) :]
    labels = (entry.label for entry in card.predicates)
    has_reasons = any(
        not set(map(lemma_of, label.lower().split())).isdisjoint(_WORDS["reason_nouns"]) for label in labels
    )
    return bool(_OPINION.search(said)) or bool(_WHY.match(question)) and not has_reasons
