"""What the answer of every strategy gets at its end: the sentence of its query, and what its linker proposed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from chattyshared.dialogue import Answer
from chattyshared.errors import QUERY_ERRORS
from chattyshared.kg import KnowledgeGraph
from rdflib import URIRef

from chattykg.direct.empty_results import find_mismatch
from chattykg.linking.candidates import EntityLink
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.query.evidence import fetch_evidence, find_unstated_value
from chattykg.state import make_not_stated_refusal, make_refusal, quote_words
from chattykg.verbalization.sentences import verbalize_patterns, verbalize_query

_NONE = "None: "
_NOTHING_TOGETHER = "nothing in the graph fits all that the question asks together."


def complete_answer(answer: Answer, kg: KnowledgeGraph, row_limit: int) -> Answer:
    """Return an answer with values with the sentence of its query and a witness; a request for labels and one for it.

    Raises:
        EndpointError: the KG could not be asked.
    """
    if not answer.values or not answer.sparql:
        return answer
    witness = answer.witness or fetch_evidence(answer.sparql, answer.values, kg)
    labels = {link.iri: link.label for link in answer.entities if link.label}
    is_cut = max(len(answer.values), len(answer.rows)) >= row_limit
    sentence = verbalize_query(answer.sparql, kg, row_limit=row_limit, known_labels=labels, is_cut=is_cut)
    return replace(answer, sentence=sentence, witness=witness)


def withdraw_unstated_denial(answer: Answer, kg: KnowledgeGraph) -> Answer:
    """Return a refusal for a "no" about a value of which the graph states none; at most two requests, as a rule.

    Raises:
        EndpointError: the KG could not be asked.
    """
    if [value.value for value in answer.values if value.kind == "boolean"] != ["false"]:
        return answer
    edge = find_unstated_value(answer.sparql, kg)
    if edge is None:
        return answer
    entry = kg.vocabulary.predicates.get(str(edge.predicate))
    label = kg.labels([edge.subject]).get(edge.subject, "")
    if entry is None or not label:
        return make_not_stated_refusal(answer.sparql)
    return make_refusal(
        "not-stated", f"the graph does not state {quote_words([entry.label])} of {label}.", sparql=answer.sparql
    )


def explain_emptiness(answer: Answer, kg: KnowledgeGraph) -> Answer:
    """Return an empty answer with a note on the part of its query that matches nothing; at most three requests.

    Raises:
        EndpointError: the KG could not be asked; that it takes too long is no error.
    """
    if answer.status != "empty" or answer.clarification or any(note.startswith(_NONE) for note in answer.notes):
        return answer
    try:
        mismatch = find_mismatch(answer.sparql, kg)
    except QUERY_ERRORS:
        mismatch = None
    patterns = (*mismatch.unmatched[:1], *mismatch.joined) if mismatch is not None else ()
    statements = verbalize_patterns(patterns, answer.sparql, kg)
    if not statements:
        why = _NOTHING_TOGETHER
    elif mismatch is not None and mismatch.unmatched:
        why = f"the graph does not state that {' and '.join(statements)}."
    elif mismatch is not None and mismatch.joined:
        why = f"the graph states no case in which {' and '.join(statements)}."
    else:
        condition = f"no {statements[0]}" if len(statements) == 1 else f"in no case {' and '.join(statements)}"
        why = f"the graph states such values, and {condition}."
    return replace(answer, notes=(f"{_NONE}{why}", *answer.notes))


def record_proposals(
    answer: Answer, card: VocabularyCard | None, links: Mapping[str, Iterable[EntityLink]] | None
) -> Answer:
    """Return an answer with the vertices and predicates that the linker offered for the words of its question."""
    mentions = card.mentions if card is not None else ()
    hits = [hit.iri for mention in mentions for hit in mention.hits]
    linked = (link for each in (links or {}).values() for link in each)
    candidates = [str(each.term) for link in linked for each in link.candidates if isinstance(each.term, URIRef)]
    named = [iri for mention in mentions if mention.kind == "predicate" for iri in mention.iris]
    holding = [iri for mention in mentions for hit in mention.values for iri in hit.predicates]
    nearest = [entry.iri for entry in card.predicates] if card is not None else []
    return replace(
        answer,
        proposed_entities=tuple(dict.fromkeys((*hits, *candidates))),
        proposed_relations=tuple(dict.fromkeys((*named, *holding, *nearest))),
    )
