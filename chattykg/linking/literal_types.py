"""Literal values used as types: "actors" if the graph states the occupation "actor"."""

from __future__ import annotations

import re
from dataclasses import replace

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.label_ranking import singular_key

from chattykg.linking.label_lexicon import COMMENT_SCORE
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.qir import QIR, Relation

# Origin of the numbers below: set by hand on the development sets; benchmarks/calibrate.py varies them.
_MAX_HITS = 20
"""Values that are retrieved for one noun at most."""


def nouns_to_literals(question: str, qir: QIR, card: VocabularyCard, kg: KnowledgeGraph) -> QIR:
    """Return the QIR with such nouns as triples with their value; at most one request, none if all are classes.

    A value has precedence over a class that only a comment gives the noun. The noun may also be the name of the target
    alone, if no class has it.

    Raises:
        EndpointError: the KG could not be asked.
    """
    linked_nouns = {singular_key(m.text) for m in card.mentions_of_kind("class") if m.score > COMMENT_SCORE}
    typed_unknowns = [*qir.classes, *_target_noun(question, qir)]
    nouns = {text: singular_key(text) for _, text in typed_unknowns if singular_key(text) not in linked_nouns}
    if not nouns:
        return qir
    hits_by_noun = kg.search_literals(tuple(dict.fromkeys(nouns.values())), limit=_MAX_HITS)
    triples, classes = list(qir.triples), []
    for unknown, text in typed_unknowns:
        hits = [hit for hit in hits_by_noun.get(nouns.get(text, ""), ()) if singular_key(str(hit.value)) == nouns[text]]
        if hits:
            entry = kg.vocabulary.predicates.get(hits[0].predicates[0])
            triples.append(Relation(unknown, entry.label if entry else "", str(hits[0].value)))
        elif (unknown, text) in qir.classes:
            classes.append((unknown, text))
    return replace(qir, triples=tuple(triples), classes=tuple(classes))


def _target_noun(question: str, qir: QIR) -> list[tuple[str, str]]:
    """Return the target with its noun, if the question asks for it and no relation or entity holds the noun."""
    noun = " ".join(re.findall(r"[^\W\d_]+", qir.target))
    if not noun or any(unknown == qir.target for unknown, _ in qir.classes):
        return []
    words = set(singular_key(noun).split())
    if any(words & set(singular_key(text).split()) for text in (*qir.relations(), *qir.entities())):
        return []
    match = re.search(
        rf"\b(?:which|what|how many|all|list|name)\s+(?:the\s+)?{re.escape(noun)}", question, re.IGNORECASE
    )
    return [(qir.target, noun)] if match else []
