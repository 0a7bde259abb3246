"""Namesakes in a written query: the answers for each of several things of one name, of which one is meant."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import replace

from chattyshared.errors import QUERY_ERRORS
from chattyshared.kg import KnowledgeGraph
from chattyshared.language.morphology import normalize_text
from chattyshared.sparql.analysis import parse_query_shape
from rdflib import URIRef

from chattykg.conversation.clarification import Ambiguity, content_words, describe, most_telling
from chattykg.direct.mentioned_vertices import MentionedVertex
from chattykg.direct.outcome import QueryOutcome
from chattykg.direct.schema_prompt import SchemaPrompt


def find_name_ambiguity(
    outcome: QueryOutcome,
    schema_prompt: SchemaPrompt,
    question: str,
    kg: KnowledgeGraph,
    run: Callable[[str, str], QueryOutcome],
    known: Set[str] = frozenset(),
) -> tuple[Ambiguity, QueryOutcome] | None:
    """Return the first phrase that names several things of which the answers differ, and the outcome to answer with;
    None if there is none. It is that of the first thing if the query takes several of different classes as one.

    A thing that the question describes, or one of the ``known`` that the conversation speaks of, is meant alone, unless
    the model says that it cannot tell. ``run`` takes a query and its shape. A query without namesakes takes no request.

    Raises:
        EndpointError: the KG could not be asked.
    """
    shape = parse_query_shape(outcome.sparql)
    predicates = frozenset(shape.predicates if shape else ())
    for phrase, vertices in _namesakes(outcome, schema_prompt.vertices):
        iris = [vertex.iri for vertex in vertices]
        if len(known & set(iris)) == 1 or normalize_text(question).count(normalize_text(phrase)) > 1:
            continue
        if not outcome.either and _is_described(question, vertices, kg):
            continue
        readings = tuple(_readings(outcome, vertices, predicates, kg, run))
        terms = tuple((vertex.iri, vertex.label) for vertex, _ in readings)
        ambiguity = Ambiguity(phrase, terms, tuple(_answers(each) for _, each in readings), predicates)
        if ambiguity.answer_count > 1:
            used = [vertex for vertex, _ in readings if f"<{vertex.iri}>" in outcome.sparql]
            are_alike = len(used) < 2 or len({vertex.types for vertex, _ in readings}) == 1
            return ambiguity, outcome if are_alike else readings[0][1]
    return None


def _namesakes(
    outcome: QueryOutcome, vertices: Sequence[MentionedVertex]
) -> Iterator[tuple[str, tuple[MentionedVertex, ...]]]:
    """Yield the things of one name of which the query uses any, and those that the model cannot tell apart."""
    groups: dict[tuple[str, str], list[MentionedVertex]] = {}
    for vertex in vertices:
        groups.setdefault((vertex.mention, normalize_text(vertex.label)), []).append(vertex)
    chosen = [vertex for vertex in vertices if vertex.number in outcome.either]
    for group in (chosen, *groups.values()):
        if len(group) > 1 and any(f"<{vertex.iri}>" in outcome.sparql for vertex in group):
            yield group[0].mention, tuple(group)


def _is_described(question: str, vertices: Sequence[MentionedVertex], kg: KnowledgeGraph) -> bool:
    """Tell whether the question tells one of some things from the others beside their names ("Luna (the cat)")."""
    descriptions = describe([vertex.iri for vertex in vertices], kg)
    known = frozenset(word for each in descriptions.values() for word in each.names | each.facts)
    in_names = {word for vertex in vertices for word in content_words(vertex.label)}
    words = [word for word in content_words(question) if word in known - in_names]
    return bool(words) and bool(most_telling(words, descriptions))


def _readings(
    outcome: QueryOutcome,
    vertices: Sequence[MentionedVertex],
    predicates: Set[str],
    kg: KnowledgeGraph,
    run: Callable[[str, str], QueryOutcome],
) -> Iterator[tuple[MentionedVertex, QueryOutcome]]:
    """Yield the things that have a predicate of the query and an answer, with their outcomes."""
    incident = kg.predicates_of([URIRef(vertex.iri) for vertex in vertices])
    for vertex in vertices:
        if predicates.isdisjoint(iri for iri, _, _ in incident[URIRef(vertex.iri)]):
            continue
        try:
            reading = run(_query_for(outcome.sparql, vertex, vertices), outcome.shape)
        except QUERY_ERRORS:
            continue
        if not reading.is_empty:
            yield vertex, replace(reading, unused=outcome.unused, either=outcome.either)


def _query_for(sparql: str, vertex: MentionedVertex, vertices: Sequence[MentionedVertex]) -> str:
    """Return a query with one of some things instead of any of them; a list of values holds it once."""
    for other in vertices:
        sparql = sparql.replace(f"<{other.iri}>", f"<{vertex.iri}>")
    return re.sub(rf"(<{re.escape(vertex.iri)}>)(?:\s+\1)+", r"\1", sparql)


def _answers(outcome: QueryOutcome) -> frozenset[str]:
    if outcome.truth is not None:
        return frozenset((str(outcome.truth),))
    first = outcome.columns[0]
    return frozenset(str(row[first]) for row in outcome.rows if first in row)
