"""Nouns that name no class but a literal value: "actors" where the graph states the occupation "actor"."""

from __future__ import annotations

import re
from dataclasses import replace

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.label_ranking import singular_key

from chattykg.linking.label_lexicon import COMMENT_SCORE
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.qir import QIR, Relation


def nouns_to_literals(question: str, qir: QIR, card: VocabularyCard, kg: KnowledgeGraph) -> QIR:
    """Return the QIR with such nouns as triples with their value; at most one request, none where all are classes.

    A noun that only a comment gives to a class gives way to a value of the same words. The noun that is asked for may
    stand in the target's name alone, as where no class has it.

    Raises:
        EndpointError: the KG could not be asked.
    """
    sure = {singular_key(mention.text) for mention in card.mentions_of_kind("class") if mention.score > COMMENT_SCORE}
    named = [*qir.classes, *_asked_for(question, qir)]
    nouns = {text: singular_key(text) for _, text in named if singular_key(text) not in sure}
    if not nouns:
        return qir
    found = kg.search_literals(tuple(dict.fromkeys(nouns.values())), limit=20)
    triples, classes = list(qir.triples), []
    for unknown, text in named:
        hits = [hit for hit in found.get(nouns.get(text, ""), ()) if singular_key(str(hit.value)) == nouns[text]]
        if hits:
            entry = kg.vocabulary.predicates.get(hits[0].predicates[0])
            triples.append(Relation(unknown, entry.label if entry else "", str(hits[0].value)))
        elif (unknown, text) in qir.classes:
            classes.append((unknown, text))
    return replace(qir, triples=tuple(triples), classes=tuple(classes))


def _asked_for(question: str, qir: QIR) -> list[tuple[str, str]]:
    """Return the target with its noun, where the question asks for such things and no relation says the noun."""
    noun = " ".join(re.findall(r"[^\W\d_]+", qir.target))
    if not noun or any(unknown == qir.target for unknown, _ in qir.classes):
        return []
    if any(
        set(singular_key(noun).split()) & set(singular_key(said).split())
        for said in (*qir.relations(), *qir.entities())
    ):
        return []
    asked = re.search(
        rf"\b(?:which|what|how many|all|list|name)\s+(?:the\s+)?{re.escape(noun)}", question, re.IGNORECASE
    )
    return [(qir.target, noun)] if asked else []
