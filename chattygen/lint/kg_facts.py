"""What the knowledge graph tells the rules; without one, they judge by names and by what the file itself says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from chattyshared.dialogue import Value
from chattyshared.endpoint import Endpoint
from chattyshared.errors import OF_ONE_QUERY
from chattyshared.kg import KnowledgeGraph
from chattyshared.terms import NUMERIC, n3
from rdflib import Literal, URIRef
from rdflib.namespace import XSD

from chattygen.lint.dialogue_view import Line, Talk
from chattygen.stages.gold import value
from chattygen.stages.queries import answers_of
from chattygen.subgraph.extraction import gender
from chattygen.subgraph.facts import Gender
from chattygen.subgraph.predicate_salience import unasked

ENTITIES = 200
"""The most entities of a dialogue whose names are read."""


@dataclass(frozen=True, slots=True)
class Known:
    """What a KG says of one dialogue.

    ``numeric`` are predicates whose values are numbers; ``hidden`` those that are never asked about; ``types`` those
    that state classes; ``genders`` holds what is stated, by IRI; ``results`` what each query gives, by turn;
    ``refused`` why one gives nothing;
    ``is_shared``: another thing bears the seed's name; ``may`` holds the predicates that things like this one have, by
    IRI and side (``out``: as subject). ``is_there`` is false where no KG was given.
    """

    is_there: bool = False
    numeric: frozenset[str] = frozenset()
    hidden: frozenset[str] = frozenset()
    genders: Mapping[str, Gender] = field(default_factory=dict)
    results: Mapping[int, tuple[Value, ...]] = field(default_factory=dict)
    refused: Mapping[int, str] = field(default_factory=dict)
    is_shared: bool = False
    may: Mapping[tuple[str, str], frozenset[str]] = field(default_factory=dict)
    types: frozenset[str] = frozenset()


NOTHING = Known()


@dataclass(frozen=True, slots=True)
class Graph:
    """A KG, with what it says for all dialogues alike."""

    kg: KnowledgeGraph
    foreign: Endpoint
    numeric: frozenset[str]
    hidden: frozenset[str]


def opened(kg: KnowledgeGraph) -> Graph:
    """Read what holds for all dialogues.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    numbers = frozenset(
        entry.iri
        for entry in kg.vocabulary.predicates.values()
        if entry.objects == "literal" and entry.datatypes and set(map(URIRef, entry.datatypes)) <= NUMERIC
    )
    return Graph(
        kg, kg.endpoint.foreign(), numbers, unasked(kg, [predicate for _, predicate in kg.profile.type_labels])
    )


def learn(graph: Graph, talk: Talk) -> tuple[Talk, Known]:
    """Run a dialogue's queries, and read the names and genders of what they speak of.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    results: dict[int, tuple[Value, ...]] = {}
    refused: dict[int, str] = {}
    for line in talk.lines:
        if not line.sparql.strip() or line.query.fault:
            continue
        try:
            results[line.number] = _run(graph, line)
        except OF_ONE_QUERY as error:
            refused[line.number] = str(error)[:160]
    told = [one.value for found in results.values() for one in found if one.kind == "iri"]
    iris = [talk.seed.iri, *(iri for line in talk.lines for iri in line.query.iris), *told]
    entities = [URIRef(iri) for iri in dict.fromkeys(iris) if iri][:ENTITIES]
    labels = graph.kg.labels(entities)
    genders = {
        str(iri): gender(graph.kg, graph.kg.neighbourhood(iri, direction="out")) for iri in _gendered(talk, entities)
    }
    known = Known(
        True, graph.numeric, graph.hidden, genders, results, refused, _is_shared(graph.kg, talk), _may(graph.kg, talk),
        frozenset(graph.kg.profile.types),
    )  # fmt: skip
    return talk.knowing({str(iri): (name,) for iri, name in labels.items() if name}), known


def _may(kg: KnowledgeGraph, talk: Talk) -> dict[tuple[str, str], frozenset[str]]:
    """Return, for each thing that is the only answer of a turn, the predicates that things of its classes have."""
    answers = [line.answers[0] for line in talk.lines if line.answers and len(line.answers) == 1]
    single = dict.fromkeys(URIRef(answer.value) for answer in answers if answer.kind == "iri")
    found: dict[tuple[str, str], frozenset[str]] = {}
    entries = kg.vocabulary.predicates.values()
    for term, types in kg.types_of(single).items():
        classes = {above for type_iri in types for above in kg.vocabulary.superclasses(type_iri)}
        found[str(term), "out"] = frozenset(entry.iri for entry in entries if classes & set(entry.domains))
        found[str(term), "in"] = frozenset(entry.iri for entry in entries if classes & set(entry.ranges))
    return found


def _run(graph: Graph, line: Line) -> tuple[Value, ...]:
    query = line.query
    if query.form == "ASK":
        truth = "true" if graph.foreign.ask(query.text) else "false"
        return (Value(truth, "boolean", datatype=str(XSD.boolean)),)
    rows = graph.foreign.select(query.text)
    terms = answers_of(rows)
    labels = graph.kg.labels([term for term in terms if isinstance(term, URIRef)])
    return tuple(value(term, labels.get(term, "")) for term in terms)


def _gendered(talk: Talk, entities: Iterable[URIRef]) -> list[URIRef]:
    """Return the entities whose gender matters: all of a dialogue that says he or she."""
    words = {word.strip("?,.'’s").casefold() for line in talk.lines for word in line.question.split()}
    return list(entities)[:20] if words & {"he", "him", "hi", "she", "her", "hers"} else []


def _is_shared(kg: KnowledgeGraph, talk: Talk) -> bool:
    """Tell whether another thing is named as the seed is, by the same predicate."""
    if (
        not talk.seed.iri
        or not talk.seed.label
        or not any(label for label in (kg.profile.labels, kg.profile.type_labels))
    ):
        return False
    try:
        seed, label = n3(URIRef(talk.seed.iri)), n3(Literal(talk.seed.label))
    except ValueError:
        return False
    return kg.endpoint.ask(
        f"ASK {{ {seed} ?p ?name . FILTER(isLiteral(?name) && STR(?name) = {label}) "
        f"?other ?p ?name . FILTER(?other != {seed} && isIRI(?other)) }}"
    )
