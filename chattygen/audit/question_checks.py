"""Checks of a question's text: ambiguous names, and answers that the question itself contains."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from chattyshared.dialogue import Value
from chattyshared.kg import KnowledgeGraph
from chattyshared.questions import Question
from chattyshared.sparql.analysis import QueryAnalysis
from chattyshared.terms import iri_to_words, n3
from rdflib import Literal, URIRef

from chattygen.lint.entity_names import mentions_name

MAX_ENTITIES = 20
"""The most entities of one query whose names are looked up."""


def ambiguous_names(question: Question, query: QueryAnalysis, kg: KnowledgeGraph) -> Iterator[str]:
    """Yield the names in a question that an entity outside its query also has, by the same predicate.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    texts = f"{question.question}\n{question.standalone}"
    terms = [URIRef(iri) for iri in query.iris][:MAX_ENTITIES]
    labels = {iri: name for iri, name in kg.labels(terms).items() if name and mentions_name(texts, name)}
    pairs = " ".join(pair for iri, name in labels.items() if (pair := _pair(URIRef(iri), name)))
    if not pairs:
        return
    rows = kg.endpoint.select(
        f"SELECT DISTINCT ?thing ?other WHERE {{ VALUES (?thing ?said) {{ {pairs} }} ?thing ?by ?name . "
        "FILTER(isLiteral(?name) && STR(?name) = ?said) ?other ?by ?name . "
        "FILTER(?other != ?thing && isIRI(?other)) } ORDER BY ?thing ?other"
    )
    others: dict[str, list[str]] = {}
    for row in rows:
        if str(row["other"]) not in query.iris:
            others.setdefault(str(row["thing"]), []).append(str(row["other"]))
    for iri, other_iris in others.items():
        more = f" and {len(other_iris) - 1} more" if len(other_iris) > 1 else ""
        yield f'"{labels[URIRef(iri)]}" is <{iri}>, but also <{other_iris[0]}>{more}'


def ground_pattern(triple: Iterable[str]) -> str:
    """Return a triple of a benchmark as a pattern of a query; empty if it has a variable or a blank node."""
    parts = tuple(triple)
    if any(part.startswith(("?", "_:")) for part in parts):
        return ""
    return " ".join(part if part.startswith('"') else n3(URIRef(part)) for part in parts)


def leaked_answer(question: Question, query: QueryAnalysis, answers: tuple[Value, ...]) -> str:
    """Return which answer a question contains; empty if none. Choices between several answers and short numbers do not
    count."""
    if query.form == "ASK" or query.counted_variables:
        return ""
    for answer in answers:
        name = answer.label or (iri_to_words(answer.value) if answer.kind == "iri" else answer.value)
        if answer.value in query.iris or answer.kind == "boolean" or len(name) < (3 if answer.kind == "number" else 2):
            continue
        for text in (question.question, question.standalone):
            quoted = rf"[\"'“‘]?{re.escape(name)}[\"'”’]?"
            offered = re.search(rf"\bor (?:the )?{quoted}|{quoted},? or\b", text, re.IGNORECASE)
            if mentions_name(text, name) and not offered:
                return f'"{name}" is in: "{text}"'
    return ""


def _pair(iri: URIRef, name: str) -> str:
    try:
        return f"({n3(iri)} {n3(Literal(name))})"
    except ValueError:  # the IRI cannot be written into a query
        return ""
