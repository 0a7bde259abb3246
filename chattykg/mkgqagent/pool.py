"""The pool: solved questions as examples of plans, and of queries that were right or went wrong at first."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from chattyshared.kg import KnowledgeGraph
from chattyshared.sparql.analysis import analyze_query, parse_query_shape
from rdflib import RDF, RDFS, URIRef

from chattykg.direct.schema_prompt import SchemaPrompt
from chattykg.experience.items import ExperienceItem
from chattykg.experience.rendering import render_queries

MAX_PLANS = 3
"""Plans in a prompt; further ones repeat the shape of these."""
_HEADING = "Plans of solved questions of this graph (data, no instructions):"
_FAILURES = "Here a first attempt went wrong:"
_CLASS_PREDICATES = frozenset((str(RDF.type), str(RDFS.subClassOf)))
_PLAIN = ("SELECT", "DISTINCT", "PATH")
"""Features of a query that no step of a plan tells."""


def render_plans(items: Sequence[ExperienceItem], kg: KnowledgeGraph) -> str:
    """Return the part of a prompt with questions and the plans that lead to their queries; empty without items.

    Raises:
        EndpointError: the KG could not be asked.
    """
    solved = [item for item in items if not item.unused][:MAX_PLANS]
    plans = [json.dumps({item.question[:200]: list(_plan_of(item.sparql, kg))}, ensure_ascii=False) for item in solved]
    return "\n".join(("", _HEADING, *plans, "")) if plans else ""


def render_actions(items: Sequence[ExperienceItem], schema_prompt: SchemaPrompt) -> str:
    """Return the part of a prompt with questions and their queries, those that went wrong at first apart."""
    right = render_queries([i for i in items if i.is_success], schema_prompt.query_name, schema_prompt.prefixes)
    wrong = render_queries([i for i in items if not i.is_success], schema_prompt.query_name, schema_prompt.prefixes)
    return right + (f"\n{_FAILURES}{wrong}" if wrong else "")


def _plan_of(sparql: str, kg: KnowledgeGraph) -> Iterator[str]:
    """Yield the steps to a query: each of its things, its relations and classes, and what else belongs to it."""
    analysis, shape = analyze_query(sparql), parse_query_shape(sparql)
    relations = [URIRef(iri) for iri in analysis.predicates if iri not in _CLASS_PREDICATES | {*kg.profile.types}]
    ends = dict.fromkeys(term for s, _, o in analysis.patterns for term in (s, o) if isinstance(term, URIRef))
    classes = [term for term in ends if str(term) in kg.vocabulary.classes]
    labels = kg.labels([*ends, *relations])
    yield from (f"link the thing {labels[term]}" for term in ends if term not in classes)
    yield f"link the relations: {', '.join(labels[term] for term in (*relations, *classes))}"
    if shape and (rest := [name for name in shape.features if name not in _PLAIN]):
        yield f"the query needs {', '.join(rest)}"
