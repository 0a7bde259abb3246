"""What the knowledge graph tells the rules about one dialogue, each fact read when a rule first asks for it; without a
graph, they judge by names and by what the file states."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from chattyshared.dialogue import Value
from chattyshared.endpoint import Endpoint
from chattyshared.errors import QUERY_ERRORS
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.vocabulary import PredicateEntry
from chattyshared.terms import iri_to_words
from rdflib import URIRef, Variable

from chattygen.context import predicate_use
from chattygen.context.facts import Gender
from chattygen.context.predicate_salience import unaskable_predicates
from chattygen.context.subgraph import class_labels_of, most_specific_classes, stated_gender
from chattygen.lint.dialogue_view import DialogueView, TurnView
from chattygen.lint.query_parts import facts_of, relations
from chattygen.wording.gold import gold_answers
from chattygen.wording.queries import answers_of

MAX_ENTITIES = 200
"""Entities per dialogue whose names are read; this and the limits below are set by hand."""
MAX_ERROR_LENGTH = 160
"""Letters of an endpoint's error that a finding quotes."""
MAX_TYPED_ANSWERS = 20
"""Answers of a turn whose classes are read; set by hand."""
Claim = Callable[[KnowledgeGraph, str, str], bool]
"""A claim of ``predicate_use`` about a predicate at a class: of the KG, the class and the predicate."""


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


class KGFacts:
    """What a KG states about one dialogue; without a ``graph``, nothing. Reading a fact may raise ``EndpointError``."""

    def __init__(self, graph: LintGraph | None = None, turns: Iterable[TurnView] = ()) -> None:
        self.graph = graph
        self.turns = [turn for turn in turns if not turn.query.syntax_error]

    @property
    def kg(self) -> KnowledgeGraph | None:
        """The KG, or None."""
        return self.graph.kg if self.graph else None

    @cached_property
    def excluded_predicates(self) -> frozenset[str]:
        """The predicates that no question asks about."""
        return self.graph.excluded_predicates if self.graph else frozenset()

    @property
    def results(self) -> Mapping[int, tuple[Value, ...]]:
        """The result of each turn's query, by turn."""
        return self._runs[0]

    @property
    def query_errors(self) -> Mapping[int, str]:
        """Why a turn's query has no result, by turn."""
        return self._runs[1]

    @cached_property
    def _runs(self) -> tuple[dict[int, tuple[Value, ...]], dict[int, str]]:
        results, errors = dict[int, tuple[Value, ...]](), dict[int, str]()
        for turn in self.turns if self.graph else ():
            try:
                if turn.sparql.strip():
                    results[turn.number] = self.run(turn.query.text, is_ask=turn.query.form == "ASK")
            except QUERY_ERRORS as error:
                errors[turn.number] = str(error)[:MAX_ERROR_LENGTH]
        return results, errors

    def run(self, sparql: str, *, is_ask: bool) -> tuple[Value, ...]:
        """Return the result of a query of the file, in need of a graph; raises what an endpoint raises."""
        assert self.graph is not None
        untrusted = self.graph.untrusted
        return gold_answers(self.graph.kg, untrusted.ask(sparql) if is_ask else answers_of(untrusted.select(sparql)))

    @cached_property
    def _types(self) -> Mapping[str, tuple[str, ...]]:
        """The classes of each entity in the queries and answers, read in one request."""
        answers = [iri for turn in self.turns for iri in turn.answer_iris[:MAX_TYPED_ANSWERS]]
        iris = [*answers, *(iri for turn in self.turns for iri in turn.query.iris)]
        iris += [end for turn in self.turns for s, _, o in turn.witness for end in (s, o) if end[:1] != '"']
        types = self.kg.types_of([URIRef(iri) for iri in dict.fromkeys(iris)]) if self.kg else {}
        return {str(iri): tuple(classes) for iri, classes in types.items() if classes}

    def types_of(self, iri: str) -> tuple[str, ...]:
        """Return the classes of an entity of the queries or answers."""
        return self._types.get(iri, ())

    def class_of(self, iri: str) -> str:
        """Return the most specific class of an entity; empty if none is known."""
        return most_specific_classes(self.kg, self.types_of(iri))[0] if self.kg and self.types_of(iri) else ""

    def class_labels(self, iri: str) -> tuple[str, ...]:
        """Return the labels of an entity's class and of its superclasses, nearest first."""
        return class_labels_of(self.kg, self.class_of(iri)) if self.kg else ()

    def gender_of(self, iri: str) -> Gender:
        """Return the gender that the KG states; empty if it states none."""
        return stated_gender(self.kg, self.kg.neighbourhood(URIRef(iri), direction="out")) if self.kg and iri else ""

    def entry(self, predicate: str) -> PredicateEntry | None:
        """Return what the KG's vocabulary says of a predicate."""
        return self.kg.vocabulary.predicates.get(predicate) if self.kg else None

    def labels_of(self, iri: str) -> tuple[str, ...]:
        """Return the labels of a predicate or a class; empty if the KG does not describe it."""
        entry = self.entry(iri) or (self.kg.vocabulary.classes.get(iri) if self.kg else None)
        return (entry.label, *entry.alt_labels) if entry is not None else ()

    def label_of(self, predicate: str) -> str:
        """Return the label of a predicate, else the words of its IRI."""
        return next(iter(self.labels_of(predicate)), "") or iri_to_words(predicate)

    @cached_property
    def _stated(self) -> Mapping[tuple[str, str], tuple[PredicateEntry, ...]]:
        entities = dict.fromkeys(fact[0] for turn in self.turns for fact in facts_of(turn.query) if "://" in fact[0])
        found: dict[tuple[str, str], tuple[PredicateEntry, ...]] = {}
        uses_by_entity = self.kg.predicates_of([URIRef(iri) for iri in entities]) if self.kg else {}
        for entity, uses in uses_by_entity.items():
            for predicate, side, _ in uses:
                entry = self.entry(predicate)
                if entry is not None and not entry.is_metadata:
                    found[str(entity), side] = (*found.get((str(entity), side), ()), entry)
        return found

    def stated(self, entity: str, side: str) -> tuple[PredicateEntry, ...]:
        """Return the predicates of an entity that a turn asks one fact about, where it stands at a side (``out``: as
        subject)."""
        return self._stated.get((entity, side), ())

    def owners(self, turn: TurnView, predicate: str) -> frozenset[str]:
        """Return the classes of the subjects of a predicate in a query: those of its entities, answers and witnesses,
        else the one that has the predicate most often."""
        subjects: list[str] = []
        for subject, p, _ in relations(turn.query):
            if str(p) != predicate:
                continue
            if not isinstance(subject, Variable):
                subjects.append(str(subject))
                continue
            subjects += [s for s, other, _ in turn.witness if other == predicate]
            subjects += turn.answer_iris if str(subject) in turn.query.result_variables else ()
        entry = self.entry(predicate)
        known = frozenset(filter(None, map(self.class_of, subjects)))
        return known or frozenset(entry.domains[:1] if entry else ())

    def claims(self, turn: TurnView, predicate: str, claim: Claim) -> bool:
        """Tell whether a claim holds of a predicate at each class of its subjects; not if these are unknown."""
        owners = self.owners(turn, predicate)
        return self.kg is not None and bool(owners) and all(claim(self.kg, owner, predicate) for owner in owners)

    def is_open(self, turn: TurnView, predicate: str) -> bool:
        """Tell whether the KG leaves out a predicate of some things of a class of its subjects."""
        kg = self.kg
        return kg is not None and any(predicate_use.is_open(kg, c, predicate) for c in self.owners(turn, predicate))

    def value_kind(self, turn: TurnView, predicate: str) -> predicate_use.ValueKind:
        """Return what the values of a predicate are at the things that a turn asks about."""
        owners = self.owners(turn, predicate)
        return predicate_use.kind_of_values(self.kg, min(owners), predicate) if self.kg and owners else "unknown"


NO_KG_FACTS = KGFacts()


def fetch_kg_facts(graph: LintGraph, dialogue: DialogueView) -> tuple[DialogueView, KGFacts]:
    """Return the dialogue with the names of the entities in it, and what else the KG states about it.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    facts = KGFacts(graph, dialogue.turns)
    answers = [answer.value for answers in facts.results.values() for answer in answers if answer.kind == "iri"]
    iris = [dialogue.seed.iri, *(iri for turn in facts.turns for iri in turn.query.iris), *answers]
    entities = [URIRef(iri) for iri in dict.fromkeys(iris) if iri][:MAX_ENTITIES]
    names = {str(iri): (name,) for iri, name in graph.kg.labels(entities).items() if name}
    return replace(dialogue, names={**dialogue.names, **names}), facts


def kind_of(entry: PredicateEntry) -> str:
    """Return the kind of a predicate's values: ``iri``, a datatype, or ``mixed``."""
    return entry.datatypes[0] if entry.object_kind == "literal" and entry.datatypes else entry.object_kind
