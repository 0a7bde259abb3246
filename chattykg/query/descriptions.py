"""Descriptions: what a graph states of one thing, and of which classes it consists, as answers with their queries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from chattyshared.dialogue import Answer, LinkedTerm, Value
from chattyshared.endpoint import Row
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.labels import label_predicates, language_rank
from chattyshared.kg.schema_extraction import COMMENT_PREDICATES
from chattyshared.literals import to_value
from chattyshared.terms import Term, n3
from rdflib import BNode, Literal, URIRef

MAX_TRIPLES = 500
"""Triples of a thing that are read."""
MAX_RELATIONS, MAX_VALUES = 12, 3
"""Relations of a description, and values of a relation that are shown."""
MAX_CLASSES = 15
"""Classes that the description of a graph lists."""
DESCRIPTION_CONFIDENCE = 1.0
"""Confidence in a description: the graph states it, and the question is known from a list."""


def describe_vertex(mention: str, iri: str, label: str, kg: KnowledgeGraph) -> Answer:
    """Return the description, the classes and the main relations of a thing; no values if the graph states nothing.

    The rows are pairs of a relation and its values; two requests.

    Raises:
        EndpointError: the KG could not be asked.
    """
    vertex = n3(URIRef(iri))
    query = (
        f"SELECT ?relation ?value ?subject WHERE {{ {{ {vertex} ?relation ?value }} UNION "
        f"{{ ?subject ?relation {vertex} }} }} LIMIT {MAX_TRIPLES}"
    )
    facts = _group_facts(kg.endpoint.select(query))
    comment = _best_comment(facts, kg)
    classes = [
        t for p in kg.profile.types for t in facts.get((p, True), ()) if str(t) not in kg.profile.metadata_classes
    ]
    shown = _main_relations(facts, kg)
    labels = kg.labels(
        {t for t in (*classes, *(t for terms in shown.values() for t in terms)) if isinstance(t, URIRef)}
    )
    values = (*((to_value(comment),) if comment else ()), *(to_value(t, labels.get(t, "")) for t in classes))
    rows = [_row("type", [labels.get(t, "") for t in classes])] if classes else []
    rows += [_row("description", [str(comment)])] if comment else []
    rows += [_row(name, [labels.get(t) or str(t) for t in terms]) for name, terms in shown.items()]
    return Answer(
        values=values or tuple(row[1] for row in rows[:1]),
        scores=(DESCRIPTION_CONFIDENCE,) * (len(values) or min(1, len(rows))),
        rows=tuple(rows),
        columns=("relation", "value"),
        sparql=query,
        confidence=DESCRIPTION_CONFIDENCE,
        sentence=f"what the graph states of {label}",
        entities=(LinkedTerm(mention, iri, label),),
    )


def describe_class(mention: str, iri: str, kg: KnowledgeGraph) -> Answer:
    """Return the comment of a class, the number of its things and their relations; no values for an empty class."""
    entry = kg.vocabulary.classes[iri]
    subclasses = kg.vocabulary.subclasses(iri)
    count = sum(kg.vocabulary.classes[one].instance_count for one in subclasses if one in kg.vocabulary.classes)
    predicates = [
        p for p in kg.vocabulary.predicates.values() if subclasses.intersection(p.domains) and not p.is_metadata
    ]
    rows = [_row("number of things", [str(count)])]
    rows += [_row("description", [entry.comment])] if entry.comment else []
    relations = ", ".join(p.label for p in predicates[:MAX_RELATIONS])
    rows += [_row("relations", [relations])] if predicates else []
    pattern = kg.profile.type_pattern("?thing", n3(URIRef(iri)))
    return Answer(
        values=(rows[1][1],) if entry.comment else (Value(str(count), "number"),),
        scores=(DESCRIPTION_CONFIDENCE,),
        rows=tuple(rows),
        columns=("relation", "value"),
        sparql=f"SELECT (COUNT(DISTINCT ?thing) AS ?count) WHERE {{ {pattern} }}",
        confidence=DESCRIPTION_CONFIDENCE,
        sentence=f"what the graph knows of the class {entry.label}",
        entities=(LinkedTerm(mention, iri, entry.label),),
    )


def describe_graph(kg: KnowledgeGraph) -> Answer:
    """Return the most frequent classes of the graph; the rows are pairs of a class and the number of its things.

    Raises:
        EndpointError: the KG could not be asked.
    """
    types = kg.types()
    pattern = kg.profile.type_pattern("?thing", "?class")
    query = (
        f"SELECT ?class (COUNT(DISTINCT ?thing) AS ?count) WHERE {{ {pattern} }} GROUP BY ?class "
        f"ORDER BY DESC(?count) LIMIT {MAX_CLASSES}"
    )
    shown = types[:MAX_CLASSES]
    rest = len(types) - len(shown)
    omitted = f", and {rest} more {'is' if rest == 1 else 'are'} in use" if rest else ""
    estimated = " The numbers are estimates." if any(one.error for one in shown) else ""
    return Answer(
        values=tuple(Value(one.iri, "iri", label=one.label) for one in shown),
        scores=(DESCRIPTION_CONFIDENCE,) * len(shown),
        rows=tuple((Value(one.iri, "iri", label=one.label), Value(str(one.count), "number")) for one in shown),
        columns=("class", "number"),
        sparql=query,
        confidence=DESCRIPTION_CONFIDENCE,
        sentence="the classes of things in the graph",
        notes=(
            f"{kg.name} states {kg.count_triples():,} triples; {len(shown)} classes are shown{omitted}.{estimated}",
        ),
    )


def _group_facts(rows: Iterable[Row]) -> dict[tuple[str, bool], list[Term]]:
    """Return the far ends by predicate and direction (true: the thing is the subject)."""
    facts: dict[tuple[str, bool], list[Term]] = {}
    for row in rows:
        far = row.get("value", row.get("subject"))
        if far is not None and not isinstance(far, BNode):
            facts.setdefault((str(row["relation"]), "value" in row), []).append(far)
    return facts


def _best_comment(facts: Mapping[tuple[str, bool], Sequence[Term]], kg: KnowledgeGraph) -> Literal | None:
    """Return the description in the best language of the graph."""
    comments = [t for p in COMMENT_PREDICATES for t in facts.get((p, True), ()) if isinstance(t, Literal)]
    return min(comments, key=lambda text: language_rank(text, kg.profile), default=None)


def _main_relations(
    facts: Mapping[tuple[str, bool], Sequence[Term]], kg: KnowledgeGraph
) -> Mapping[str, tuple[Term, ...]]:
    """Return the far ends of the most frequent predicates by name; classes, names and metadata are left out."""
    left_out = {*kg.profile.types, *label_predicates(kg.profile), *kg.profile.alt_labels, *COMMENT_PREDICATES}
    relations: dict[str, tuple[Term, ...]] = {}
    for is_outward in (True, False):
        for iri, entry in kg.vocabulary.predicates.items():
            terms = facts.get((iri, is_outward))
            if terms and iri not in left_out and not entry.is_metadata and len(relations) < MAX_RELATIONS:
                name = entry.label if is_outward else f"{entry.label} of"
                relations[name] = tuple(dict.fromkeys((*relations.get(name, ()), *terms)))
    return relations


def _row(name: str, texts: Sequence[str]) -> tuple[Value, Value]:
    shown = ", ".join(sorted(texts)[:MAX_VALUES])
    more = f" and {len(texts) - MAX_VALUES} more" if len(texts) > MAX_VALUES else ""
    return Value(name, "literal"), Value(shown + more, "literal")
