"""What the knowledge graph tells the rules; without one, they judge by names and by what the file itself says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from chattyshared.dialogue import Value
from chattyshared.endpoint import Endpoint
from chattyshared.errors import QUERY_ERRORS
from chattyshared.kg import KnowledgeGraph
from chattyshared.terms import NUMERIC_DATATYPES, n3
from rdflib import Literal, URIRef
from rdflib.namespace import XSD

from chattygen.lint.dialogue_view import DialogueView, TurnView
from chattygen.stages.gold import to_value
from chattygen.stages.queries import answers_of
from chattygen.subgraph.extraction import stated_gender
from chattygen.subgraph.facts import Gender
from chattygen.subgraph.predicate_salience import unaskable_predicates

MAX_ENTITIES = 200
"""The most entities of a dialogue whose names are read."""


@dataclass(frozen=True, slots=True)
class KGFacts:
    """What a KG says of one dialogue.

    ``numeric`` are predicates whose values are numbers; ``hidden`` those that are never asked about; ``types`` those
    that state classes; ``genders`` holds what is stated, by IRI; ``results`` what each query gives, by turn;
    ``refused`` why one gives nothing;
    ``is_shared``: another thing bears the seed's name; ``may`` holds the predicates that things like this one have, by
    IRI and side (``out``: as subject). ``is_there`` is false where no KG was given.
    """

    has_kg: bool = False
    numeric_predicates: frozenset[str] = frozenset()
    excluded_predicates: frozenset[str] = frozenset()
    genders: Mapping[str, Gender] = field(default_factory=dict)
    results: Mapping[int, tuple[Value, ...]] = field(default_factory=dict)
    query_errors: Mapping[int, str] = field(default_factory=dict)
    is_seed_name_shared: bool = False
    possible_predicates: Mapping[tuple[str, str], frozenset[str]] = field(default_factory=dict)
    type_predicates: frozenset[str] = frozenset()


NO_KG_FACTS = KGFacts()


@dataclass(frozen=True, slots=True)
class LintGraph:
    """A KG, with what it says for all dialogues alike."""

    kg: KnowledgeGraph
    untrusted: Endpoint
    numeric_predicates: frozenset[str]
    excluded_predicates: frozenset[str]


def open_lint_graph(kg: KnowledgeGraph) -> LintGraph:
    """Read what holds for all dialogues.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    numbers = frozenset(
        entry.iri
        for entry in kg.vocabulary.predicates.values()
        if entry.object_kind == "literal" and entry.datatypes and set(map(URIRef, entry.datatypes)) <= NUMERIC_DATATYPES
    )
    return LintGraph(
        kg,
        kg.endpoint.untrusted_view(),
        numbers,
        unaskable_predicates(kg, [predicate for _, predicate in kg.profile.type_labels]),
    )


def fetch_kg_facts(graph: LintGraph, dialogue: DialogueView) -> tuple[DialogueView, KGFacts]:
    """Run a dialogue's queries, and read the names and genders of what they speak of.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    results: dict[int, tuple[Value, ...]] = {}
    refused: dict[int, str] = {}
    for line in dialogue.turns:
        if not line.sparql.strip() or line.query.syntax_error:
            continue
        try:
            results[line.number] = _run(graph, line)
        except QUERY_ERRORS as error:
            refused[line.number] = str(error)[:160]
    told = [one.value for found in results.values() for one in found if one.kind == "iri"]
    iris = [dialogue.seed.iri, *(iri for line in dialogue.turns for iri in line.query.iris), *told]
    entities = [URIRef(iri) for iri in dict.fromkeys(iris) if iri][:MAX_ENTITIES]
    labels = graph.kg.labels(entities)
    genders = {
        str(iri): stated_gender(graph.kg, graph.kg.neighbourhood(iri, direction="out"))
        for iri in _gendered(dialogue, entities)
    }
    known = KGFacts(
        True,
        graph.numeric_predicates,
        graph.excluded_predicates,
        genders,
        results,
        refused,
        _is_shared(graph.kg, dialogue),
        _may(graph.kg, dialogue),
        frozenset(graph.kg.profile.types),
    )
    return dialogue.with_names({str(iri): (name,) for iri, name in labels.items() if name}), known


def _may(kg: KnowledgeGraph, talk: DialogueView) -> dict[tuple[str, str], frozenset[str]]:
    """Return, for each thing that is the only answer of a turn, the predicates that things of its classes have."""
    answers = [line.answers[0] for line in talk.turns if line.answers and len(line.answers) == 1]
    single = dict.fromkeys(URIRef(answer.value) for answer in answers if answer.kind == "iri")
    found: dict[tuple[str, str], frozenset[str]] = {}
    entries = kg.vocabulary.predicates.values()
    for term, types in kg.types_of(single).items():
        classes = {above for type_iri in types for above in kg.vocabulary.superclasses(type_iri)}
        found[str(term), "out"] = frozenset(entry.iri for entry in entries if classes & set(entry.domains))
        found[str(term), "in"] = frozenset(entry.iri for entry in entries if classes & set(entry.ranges))
    return found


def _run(graph: LintGraph, line: TurnView) -> tuple[Value, ...]:
    query = line.query
    if query.form == "ASK":
        truth = "true" if graph.untrusted.ask(query.text) else "false"
        return (Value(truth, "boolean", datatype=str(XSD.boolean)),)
    rows = graph.untrusted.select(query.text)
    terms = answers_of(rows)
    labels = graph.kg.labels([term for term in terms if isinstance(term, URIRef)])
    return tuple(to_value(term, labels.get(term, "")) for term in terms)


def _gendered(talk: DialogueView, entities: Iterable[URIRef]) -> list[URIRef]:
    """Return the entities whose gender matters: all of a dialogue that says he or she."""
    words = {word.strip("?,.'’s").casefold() for line in talk.turns for word in line.question.split()}
    return list(entities)[:20] if words & {"he", "him", "hi", "she", "her", "hers"} else []


def _is_shared(kg: KnowledgeGraph, talk: DialogueView) -> bool:
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
