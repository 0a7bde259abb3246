"""What the knowledge graph tells the rules; without one, they judge by names and by what the file states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from chattyshared.dialogue import Value
from chattyshared.endpoint import Endpoint
from chattyshared.errors import QUERY_ERRORS
from chattyshared.kg import KnowledgeGraph
from chattyshared.terms import NUMERIC_DATATYPES, n3
from rdflib import Literal, URIRef

from chattygen.lint.dialogue_view import DialogueView, TurnView
from chattygen.lint.kg_claims import NO_USAGE_FACTS, UsageFacts, fetch_usage_facts
from chattygen.stages.gold import gold_answers
from chattygen.stages.model_queries import answers_of
from chattygen.subgraph.extraction import stated_gender
from chattygen.subgraph.facts import Gender
from chattygen.subgraph.predicate_salience import unaskable_predicates

MAX_ENTITIES = 200
"""Entities per dialogue whose names are read; this and the limits below are set by hand."""
MAX_GENDERED_ENTITIES = 20
"""Entities per dialogue whose genders are read."""
MAX_ERROR_LENGTH = 160
"""Letters of an endpoint's error that a finding quotes."""


@dataclass(frozen=True, slots=True)
class KGFacts:
    """What a KG states about one dialogue.

    ``has_kg`` is false if no KG was given. ``numeric_predicates`` have numbers as values; ``excluded_predicates`` are
    never asked about; ``type_predicates`` state classes. ``genders`` are by IRI; ``results`` hold each query's result
    by turn, and ``query_errors`` why it has none. ``is_seed_name_shared``: another entity has the seed's name.
    ``possible_predicates`` are those of an entity's classes, by IRI and position (``out``: as subject). ``refuted`` are
    by turn the words that the KG contains, against the certificate of an unanswerable turn. ``usage`` is what its use
    of predicates tells.
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
    refuted: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    usage: UsageFacts = NO_USAGE_FACTS


NO_KG_FACTS = KGFacts()


@dataclass(frozen=True, slots=True)
class LintGraph:
    """A KG, with what holds for all dialogues; ``untrusted`` runs the queries of the file."""

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
    """Run a dialogue's queries, and read the names and genders of the entities in them.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    results: dict[int, tuple[Value, ...]] = {}
    query_errors: dict[int, str] = {}
    for turn in dialogue.turns:
        if not turn.sparql.strip() or turn.query.syntax_error:
            continue
        try:
            results[turn.number] = _run_query(graph, turn)
        except QUERY_ERRORS as error:
            query_errors[turn.number] = str(error)[:MAX_ERROR_LENGTH]
    answer_iris = [answer.value for answers in results.values() for answer in answers if answer.kind == "iri"]
    iris = [dialogue.seed.iri, *(iri for turn in dialogue.turns for iri in turn.query.iris), *answer_iris]
    entities = [URIRef(iri) for iri in dict.fromkeys(iris) if iri][:MAX_ENTITIES]
    labels = graph.kg.labels(entities)
    genders = {
        str(iri): stated_gender(graph.kg, graph.kg.neighbourhood(iri, direction="out"))
        for iri in _entities_to_gender(dialogue, entities)
    }
    kg_facts = KGFacts(
        True,
        graph.numeric_predicates,
        graph.excluded_predicates,
        genders,
        results,
        query_errors,
        _is_seed_name_shared(graph.kg, dialogue),
        _possible_predicates(graph.kg, dialogue),
        frozenset(graph.kg.profile.types),
        _refuted_certificates(graph.kg, dialogue),
        fetch_usage_facts(graph.kg, graph.untrusted, dialogue),
    )
    names = {str(iri): (name,) for iri, name in labels.items() if name}
    return replace(dialogue, names={**dialogue.names, **names}), kg_facts


def _refuted_certificates(kg: KnowledgeGraph, dialogue: DialogueView) -> dict[int, tuple[str, ...]]:
    found = {
        turn.number: tuple(kg.known_words.find_violations(turn.certificate))
        for turn in dialogue.turns
        if turn.certificate is not None
    }
    return {number: words for number, words in found.items() if words}


def _possible_predicates(kg: KnowledgeGraph, dialogue: DialogueView) -> dict[tuple[str, str], frozenset[str]]:
    """Return, for each entity that is a turn's only answer, the predicates that entities of its classes have."""
    answers = [turn.answers[0] for turn in dialogue.turns if turn.answers and len(turn.answers) == 1]
    sole_answers = dict.fromkeys(URIRef(answer.value) for answer in answers if answer.kind == "iri")
    predicates: dict[tuple[str, str], frozenset[str]] = {}
    entries = kg.vocabulary.predicates.values()
    for term, types in kg.types_of(sole_answers).items():
        classes = {superclass for type_iri in types for superclass in kg.vocabulary.superclasses(type_iri)}
        predicates[str(term), "out"] = frozenset(entry.iri for entry in entries if classes & set(entry.domains))
        predicates[str(term), "in"] = frozenset(entry.iri for entry in entries if classes & set(entry.ranges))
    return predicates


def _run_query(graph: LintGraph, turn: TurnView) -> tuple[Value, ...]:
    query = turn.query
    if query.form == "ASK":
        return gold_answers(graph.kg, graph.untrusted.ask(query.text))
    return gold_answers(graph.kg, answers_of(graph.untrusted.select(query.text)))


def _entities_to_gender(dialogue: DialogueView, entities: Iterable[URIRef]) -> list[URIRef]:
    """Return the entities whose gender is needed: all of a dialogue that says he or she."""
    words = {word.strip("?,.'’s").casefold() for turn in dialogue.turns for word in turn.question.split()}
    return list(entities)[:MAX_GENDERED_ENTITIES] if words & {"he", "him", "hi", "she", "her", "hers"} else []


def _is_seed_name_shared(kg: KnowledgeGraph, dialogue: DialogueView) -> bool:
    """Tell whether another entity has the seed's name, by the same predicate."""
    if (
        not dialogue.seed.iri
        or not dialogue.seed.label
        or not any(label for label in (kg.profile.labels, kg.profile.type_labels))
    ):
        return False
    try:
        seed, label = n3(URIRef(dialogue.seed.iri)), n3(Literal(dialogue.seed.label))
    except ValueError:
        return False
    return kg.endpoint.ask(
        f"ASK {{ {seed} ?p ?name . FILTER(isLiteral(?name) && STR(?name) = {label}) "
        f"?other ?p ?name . FILTER(?other != {seed} && isIRI(?other)) }}"
    )
