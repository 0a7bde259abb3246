"""What the answer of every strategy gets at its end: the sentence that says what its query asks."""

from __future__ import annotations

from dataclasses import replace

from chattyshared.dialogue import Answer
from chattyshared.kg import KnowledgeGraph

from chattykg.verbalization.sentences import verbalize_query


def complete_answer(answer: Answer, kg: KnowledgeGraph, row_limit: int) -> Answer:
    """Return an answer with values with the sentence of its query; one request, for labels.

    Raises:
        EndpointError: the KG could not be asked.
    """
    if not answer.values or not answer.sparql or answer.sentence:
        return answer
    labels = {link.iri: link.label for link in answer.entities if link.label}
    sentence = verbalize_query(answer.sparql, kg, row_limit=row_limit, known_labels=labels)
    is_cut = max(len(answer.values), len(answer.rows)) >= row_limit
    return replace(answer, sentence=sentence + (f" (the first {row_limit:,} of them)" if is_cut and sentence else ""))
