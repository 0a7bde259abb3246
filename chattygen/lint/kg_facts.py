"""What the knowledge graph tells the rules, by the claims that plans are drawn by; without one, they judge by names and
by what the file states."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from chattyshared.dialogue import Value
from chattyshared.endpoint import Endpoint
from chattyshared.errors import QUERY_ERRORS
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.vocabulary import ClassEntry, PredicateEntry
from chattyshared.sparql.analysis import AlgebraTriple
from chattyshared.terms import iri_to_words, n3
from rdflib import Literal, URIRef, Variable

from chattygen.lint.dialogue_view import DialogueView, TurnView
from chattygen.lint.query_parts import conditioned_lists, facts_of, relations
from chattygen.planning.invented_names import borne_names
from chattygen.stages.gold import gold_answers
from chattygen.stages.model_queries import answers_of
from chattygen.subgraph import predicate_use
from chattygen.subgraph.extraction import class_labels_of, most_specific_classes, stated_gender
from chattygen.subgraph.facts import Gender
from chattygen.subgraph.predicate_salience import unaskable_predicates
from chattygen.subgraph.relatedness import are_related

MAX_ENTITIES = 200
"""Entities per dialogue whose names are read; this and the limits below are set by hand."""
MAX_GENDERED_ENTITIES = 20
"""Entities per dialogue whose genders are read."""
MAX_ERROR_LENGTH = 160
"""Letters of an endpoint's error that a finding quotes."""
MAX_PEERS = 4
"""Things per turn that what it brings in may be related to; set by hand."""
MAX_TYPED_ANSWERS = 20
"""Answers of a turn whose classes are read; set by hand."""


@dataclass(frozen=True, slots=True)
class PredicateClaims:
    """What holds of a predicate at the things that a turn asks about: see ``predicate_use``."""

    is_open: bool
    is_single_valued: bool
    is_constant: bool
    is_near_unique: bool
    value_kind: predicate_use.ValueKind


@dataclass(frozen=True, slots=True)
class KGFacts:
    """What a KG states about one dialogue; without one, ``has_kg`` is false and all else is empty.

    ``excluded_predicates`` are never asked about; ``type_predicates`` state classes. ``genders`` are by IRI;
    ``results`` hold each query's result by turn, and ``query_errors`` why it has none. ``is_seed_name_shared``: another
    entity has the seed's name. ``possible_predicates`` are those of an entity's classes, by IRI and position (``out``:
    as subject). ``refuted`` are by turn the names that the KG knows, against the certificate of an unanswerable turn.
    ``claims`` are by turn and predicate; ``lacking`` is by turn the number of members of the base list without a value
    for its condition. ``schema`` describes predicates and classes, by IRI; ``class_labels`` are those of an entity's
    class and of its superclasses, nearest first. ``stated`` are the predicates of an entity, by IRI and position.
    ``unrelated`` are the turns that bring in a thing which nothing relates to the dialogue, ``hidden`` those whose
    answers are nodes that nobody names. ``class_names`` are the labels of all classes, ``type_names`` those of all
    classes of an answer.
    """

    has_kg: bool = False
    excluded_predicates: frozenset[str] = frozenset()
    type_predicates: frozenset[str] = frozenset()
    genders: Mapping[str, Gender] = field(default_factory=dict)
    results: Mapping[int, tuple[Value, ...]] = field(default_factory=dict)
    query_errors: Mapping[int, str] = field(default_factory=dict)
    is_seed_name_shared: bool = False
    possible_predicates: Mapping[tuple[str, str], frozenset[str]] = field(default_factory=dict)
    refuted: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    claims: Mapping[tuple[int, str], PredicateClaims] = field(default_factory=dict)
    lacking: Mapping[int, int] = field(default_factory=dict)
    schema: Mapping[str, ClassEntry | PredicateEntry] = field(default_factory=dict)
    class_labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    stated: Mapping[tuple[str, str], tuple[PredicateEntry, ...]] = field(default_factory=dict)
    unrelated: frozenset[int] = frozenset()
    hidden: frozenset[int] = frozenset()
    class_names: frozenset[str] = frozenset()
    type_names: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def labels_of(self, iri: str) -> tuple[str, ...]:
        """Return the labels of a predicate or a class; empty if the KG does not describe it."""
        entry = self.schema.get(iri)
        return (entry.label, *entry.alt_labels) if entry is not None else ()

    def label_of(self, predicate: str) -> str:
        """Return the label of a predicate, else the words of its IRI."""
        return next(iter(self.labels_of(predicate)), "") or iri_to_words(predicate)


NO_KG_FACTS = KGFacts()


def kind_of(entry: PredicateEntry) -> str:
    """Return the kind of a predicate's values: ``iri``, a datatype, or ``mixed``."""
    return entry.datatypes[0] if entry.object_kind == "literal" and entry.datatypes else entry.object_kind


@dataclass(frozen=True, slots=True)
class LintGraph:
    """A KG, with what holds for all dialogues; ``untrusted`` runs the queries of the file."""

    kg: KnowledgeGraph
    untrusted: Endpoint
    excluded_predicates: frozenset[str]


def open_lint_graph(kg: KnowledgeGraph) -> LintGraph:
    """Read what holds for all dialogues.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    unaskable = unaskable_predicates(kg, [predicate for _, predicate in kg.profile.type_labels])
    return LintGraph(kg, kg.endpoint.untrusted_view(), unaskable)


def fetch_kg_facts(graph: LintGraph, dialogue: DialogueView) -> tuple[DialogueView, KGFacts]:
    """Run a dialogue's queries, and read the names and genders of the entities in them and the use of its predicates.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    kg, turns = graph.kg, [turn for turn in dialogue.turns if not turn.query.syntax_error]
    results, query_errors = _run_queries(graph, turns)
    answer_iris = [answer.value for answers in results.values() for answer in answers if answer.kind == "iri"]
    iris = [dialogue.seed.iri, *(iri for turn in dialogue.turns for iri in turn.query.iris), *answer_iris]
    entities = [URIRef(iri) for iri in dict.fromkeys(iris) if iri][:MAX_ENTITIES]
    names = {str(iri): (name,) for iri, name in kg.labels(entities).items() if name}
    gendered = _entities_to_gender(dialogue, entities)
    all_types = _types_of(kg, turns)
    classes = {iri: most_specific_classes(kg, types)[0] for iri, types in all_types.items()}
    uses = [(turn, use) for turn in turns for use in _subject_classes(kg, turn, classes).items()]
    claims = {(turn.number, predicate): _claims(kg, owners, predicate) for turn, (predicate, owners) in uses if owners}
    kg_facts = KGFacts(
        True,
        graph.excluded_predicates,
        frozenset(kg.profile.types),
        {str(iri): stated_gender(kg, kg.neighbourhood(iri, direction="out")) for iri in gendered},
        results,
        query_errors,
        _is_seed_name_shared(kg, dialogue),
        _possible_predicates(kg, dialogue),
        _refuted_certificates(kg, dialogue),
        claims,
        {turn.number: _count_lacking(graph.untrusted, turn, turns) for turn in turns if turn.answerable},
        {**kg.vocabulary.predicates, **kg.vocabulary.classes},
        {iri: class_labels_of(kg, name) for iri, name in classes.items()},
        _stated_predicates(kg, turns),
        frozenset(turn.number for turn in turns if _brings_in_unrelated(kg, dialogue, turn)),
        frozenset(turn.number for turn in turns if _asks_for_hidden_nodes(kg, turn, classes)),
        _class_names(kg, kg.vocabulary.classes),
        {iri: _class_names(kg, types) for iri, types in all_types.items()},
    )
    return replace(dialogue, names={**dialogue.names, **names}), kg_facts


def _refuted_certificates(kg: KnowledgeGraph, dialogue: DialogueView) -> dict[int, tuple[str, ...]]:
    certified = ((turn.number, turn.certificate) for turn in dialogue.turns if turn.certificate is not None)
    return {number: borne_names(kg, certificate.names) for number, certificate in certified}


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


def _run_queries(graph: LintGraph, turns: Iterable[TurnView]) -> tuple[dict[int, tuple[Value, ...]], dict[int, str]]:
    """Return each query's result by turn, or why it has none."""
    results: dict[int, tuple[Value, ...]] = {}
    query_errors: dict[int, str] = {}
    for turn in turns:
        query = turn.query
        try:
            if turn.sparql.strip():
                is_ask = query.form == "ASK"
                rows = graph.untrusted.ask(query.text) if is_ask else answers_of(graph.untrusted.select(query.text))
                results[turn.number] = gold_answers(graph.kg, rows)
        except QUERY_ERRORS as error:
            query_errors[turn.number] = str(error)[:MAX_ERROR_LENGTH]
    return results, query_errors


def _entities_to_gender(dialogue: DialogueView, entities: Iterable[URIRef]) -> list[URIRef]:
    """Return the entities whose gender is needed: all of a dialogue that says he or she."""
    words = {word.strip("?,.'’s").casefold() for turn in dialogue.turns for word in turn.question.split()}
    return list(entities)[:MAX_GENDERED_ENTITIES] if words & {"he", "him", "hi", "she", "her", "hers"} else []


def _is_seed_name_shared(kg: KnowledgeGraph, dialogue: DialogueView) -> bool:
    """Tell whether another entity has the seed's name, by the same predicate."""
    if not dialogue.seed.iri or not dialogue.seed.label or not (kg.profile.labels or kg.profile.type_labels):
        return False
    try:
        seed, label = n3(URIRef(dialogue.seed.iri)), n3(Literal(dialogue.seed.label))
    except ValueError:
        return False
    return kg.endpoint.ask(
        f"ASK {{ {seed} ?p ?name . FILTER(isLiteral(?name) && STR(?name) = {label}) "
        f"?other ?p ?name . FILTER(?other != {seed} && isIRI(?other)) }}"
    )


def _asks_for_hidden_nodes(kg: KnowledgeGraph, turn: TurnView, classes: Mapping[str, str]) -> bool:
    """Tell whether all answers of a turn are of classes whose things nobody names: rows, values with a unit."""
    names = {classes.get(answer, "") for answer in turn.answer_iris[:MAX_TYPED_ANSWERS]}
    return bool(names) and all(name and kg.hidden_class(name) is not None for name in names)


def _brings_in_unrelated(kg: KnowledgeGraph, dialogue: DialogueView, turn: TurnView) -> bool:
    """Tell whether a turn compares with, shifts to, or denies a thing that no earlier turn and no link relates.

    What is denied may also be related to the true value.
    """
    fresh = [iri for iri in turn.query.iris if iri not in dialogue.mentioned_before(turn)]
    is_shift = turn.link == "shift" and turn.answerable and len(turn.query.iris) == 1
    is_denial = turn.query.form == "ASK" and turn.answer_values == {"false"}
    if len(fresh) != 1 or not (is_shift or len(turn.query.iris) == 2 and (is_denial or is_choice(turn))):
        return False
    topics = next((earlier.query.iris for earlier in reversed(dialogue.before(turn)) if earlier.query.iris), ())
    peers = [iri for iri in (topics[:1] if is_shift else turn.query.iris) if iri != fresh[0]]
    peers += _true_values(kg, turn, fresh[0]) if is_denial else []
    return bool(peers) and not any(are_related(kg, URIRef(fresh[0]), URIRef(peer)) for peer in peers[:MAX_PEERS])


def _true_values(kg: KnowledgeGraph, turn: TurnView, denied: str) -> list[str]:
    """Return what stands in the KG where a yes-no question has the thing that it denies."""
    triples = relations(turn.query)
    if len(triples) != 1 or not all(isinstance(term, URIRef) for term in triples[0]):
        return []
    pattern = " ".join("?value" if str(term) == denied else n3(term) for term in triples[0])
    rows = kg.endpoint.select(f"SELECT ?value WHERE {{ {pattern} }} ORDER BY ?value LIMIT {MAX_PEERS}")
    return [str(row["value"]) for row in rows if isinstance(row.get("value"), URIRef)]


def is_choice(turn: TurnView) -> bool:
    """Tell whether a query chooses between two entities."""
    bound = {str(term) for triple in turn.query.patterns for term in triple}
    return turn.form == "comparison" or (turn.query.form == "SELECT" and bound.isdisjoint(turn.query.iris))


def _stated_predicates(
    kg: KnowledgeGraph, turns: Iterable[TurnView]
) -> dict[tuple[str, str], tuple[PredicateEntry, ...]]:
    """Return the predicates of each entity that a turn asks one fact about, read in one request."""
    entities = dict.fromkeys(fact[0] for turn in turns for fact in facts_of(turn.query) if "://" in fact[0])
    found: dict[tuple[str, str], list[PredicateEntry]] = defaultdict(list)
    for entity, uses in kg.predicates_of([URIRef(iri) for iri in entities]).items():
        for predicate, side, _ in uses:
            entry = kg.vocabulary.predicates.get(predicate)
            if entry is not None and not entry.is_metadata:
                found[str(entity), side].append(entry)
    return {key: tuple(entries) for key, entries in found.items()}


def _types_of(kg: KnowledgeGraph, turns: Iterable[TurnView]) -> dict[str, tuple[str, ...]]:
    """Return the classes of each entity in the queries and answers, read in one request."""
    answers = [a.value for turn in turns for a in (turn.answers or ())[:MAX_TYPED_ANSWERS] if a.kind == "iri"]
    iris = [*answers, *(iri for turn in turns for iri in turn.query.iris)]
    iris += [end for turn in turns for triple in turn.witness for end in (triple[0], triple[2]) if end[:1] != '"']
    types = kg.types_of([URIRef(iri) for iri in dict.fromkeys(iris)])
    return {str(iri): tuple(classes) for iri, classes in types.items() if classes}


def _class_names(kg: KnowledgeGraph, classes: Iterable[str]) -> frozenset[str]:
    """Return the labels of some classes and their superclasses, in lower case."""
    known = kg.vocabulary.classes
    entries = [known[iri] for each in classes for iri in kg.vocabulary.superclasses(each) if iri in known]
    return frozenset(label.casefold() for entry in entries for label in (entry.label, *entry.alt_labels))


def _subject_classes(kg: KnowledgeGraph, turn: TurnView, classes: Mapping[str, str]) -> dict[str, set[str]]:
    """Return the classes of the subjects of each predicate in a query: those of its entities, answers and witnesses,
    else the one that has the predicate most often."""
    found: dict[str, set[str]] = {}
    for subject, predicate, _ in relations(turn.query):
        if not isinstance(predicate, URIRef):
            continue
        if isinstance(subject, Variable):
            subjects = [s for s, p, _ in turn.witness if p == str(predicate)]
            if str(subject) in turn.query.result_variables:
                subjects += turn.answer_iris
        else:
            subjects = [str(subject)]
        known = {classes[iri] for iri in subjects if iri in classes}
        entry = kg.vocabulary.predicates.get(str(predicate))
        found[str(predicate)] = known or set(entry.domains[:1] if entry else ())
    return found


def _claims(kg: KnowledgeGraph, classes: set[str], predicate: str) -> PredicateClaims:
    return PredicateClaims(
        any(predicate_use.is_open(kg, class_iri, predicate) for class_iri in classes),
        all(predicate_use.is_single_valued(kg, class_iri, predicate) for class_iri in classes),
        all(predicate_use.is_constant(kg, class_iri, predicate) for class_iri in classes),
        all(predicate_use.is_near_unique(kg, class_iri, predicate) for class_iri in classes),
        predicate_use.kind_of_values(kg, min(classes), predicate),
    )


def _count_lacking(untrusted: Endpoint, turn: TurnView, turns: Iterable[TurnView]) -> int:
    """Return how many members of the list that a turn selects from have no value for its condition."""
    earlier = {fact for other in turns if other.number < turn.number for fact in facts_of(other.query)}
    readings = sorted(conditioned_lists(turn.query), key=lambda reading: reading.fact not in earlier)
    if not readings or not readings[0].conditions or turn.query.form == "ASK":
        return 0
    reading = readings[0]
    member = Variable(reading.variable)
    terms = {term for triple in (*reading.base, *reading.conditions) for term in triple}
    if not all(isinstance(term, (URIRef, Literal, Variable)) for term in terms):
        return 0
    base = " . ".join(map(_triple_text, reading.base))
    missing = " ".join(
        f"FILTER NOT EXISTS {{ {_triple_text((s, p, Variable('end')) if s == member else (Variable('end'), p, o))} }}"
        for s, p, o in reading.conditions[:1]
    )
    try:
        return len(untrusted.select(f"SELECT DISTINCT {member.n3()} WHERE {{ {base} . {missing} }}"))
    except QUERY_ERRORS:
        return 0


def _triple_text(triple: AlgebraTriple) -> str:
    return " ".join(term.n3() if isinstance(term, Variable) else n3(term) for term in triple)
