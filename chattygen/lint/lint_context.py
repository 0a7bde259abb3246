"""A dialogue with what its knowledge graph tells the rules, each fact read when a rule first asks for it; without a
graph, rules judge by names and by what the file states. Reading a fact may raise ``EndpointError``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from chattyshared.dialogue import Value
from chattyshared.endpoint import Endpoint
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.vocabulary import PredicateEntry
from chattyshared.language.identification import ENGLISH
from chattyshared.sparql.gold_queries import QueryRun, run_query
from chattyshared.sparql.result_comparison import gold_values
from chattyshared.terms import Term, iri_to_words
from rdflib import URIRef, Variable

from chattygen.context.facts import Entity
from chattygen.context.predicate_salience import unaskable_predicates
from chattygen.context.predicate_use import ValueKind, kind_of_values
from chattygen.context.subgraph import class_labels_of, most_specific_classes, stated_gender
from chattygen.dialogue_language import primary_subtag
from chattygen.lint.dialogue_view import DialogueView, TurnView, mask_names
from chattygen.lint.query_parts import relations

MAX_ENTITIES = 200
"""Entities per dialogue whose names and classes are read; this and the limit below are set by hand."""
MAX_ANSWERS = 20
"""Answers of a turn whose names and classes are read."""
Claim = Callable[[KnowledgeGraph, str, str], bool]
"""A claim of ``predicate_use`` about a predicate at a class: of the KG, the class and the predicate."""
_KIND_BEHIND = re.compile(r"^(\W*\w.*) \(([^()]+)\)")
"""A label with the kind of the thing in brackets: ``Help! (album)``."""


@dataclass(frozen=True, slots=True)
class LintGraph:
    """A KG, with what holds for all dialogues: the endpoint for the queries of the file, and the predicates that no
    question asks about."""

    kg: KnowledgeGraph
    untrusted: Endpoint
    unaskable: frozenset[str]


def open_lint_graph(kg: KnowledgeGraph) -> LintGraph:
    """Read what holds for all dialogues.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    unaskable = unaskable_predicates(kg, [predicate for _, predicate in kg.profile.type_labels])
    return LintGraph(kg, kg.endpoint.untrusted_view(), unaskable)


class LintContext:
    """What the rules judge one dialogue by."""

    def __init__(self, dialogue: DialogueView, graph: LintGraph | None = None) -> None:
        self.dialogue, self.graph = dialogue, graph
        self.kg = graph.kg if graph else None
        self.is_english = primary_subtag(dialogue.lang) in ("", ENGLISH)
        self._runs: dict[str, QueryRun] = {}

    def run(self, sparql: str) -> QueryRun | None:
        """Return the result of a query; None without a graph."""
        if self.graph is not None and sparql not in self._runs:
            self._runs[sparql] = run_query(self.graph.kg, sparql, self.graph.untrusted)
        return self._runs.get(sparql)

    def result_of(self, turn: TurnView) -> tuple[Value, ...] | None:
        """Return what the query of a turn gives, as gold states it; None if it is not known."""
        run = self.run(turn.query.text) if turn.sparql.strip() and not turn.query.syntax_error else None
        return gold_values(turn, run) if run and not run.failure else None

    def answers_of(self, turn: TurnView) -> tuple[Value, ...] | None:
        """Return the gold of a turn, else what its query gives; None if neither is known."""
        return turn.answers if self.dialogue.has_gold else self.result_of(turn)

    @cached_property
    def _labels(self) -> Mapping[Term, str]:
        """The labels of the entities of the dialogue: of its queries, their results, answers and witnesses."""
        iris = [self.dialogue.seed.iri]
        for turn in self.dialogue.turns:
            results = [value.value for value in self.result_of(turn) or () if value.kind == "iri"]
            ends = [end for s, _, o in turn.witness for end in (s, o) if end[:1] != '"']
            iris += [*turn.query.iris, *turn.answer_iris[:MAX_ANSWERS], *results[:MAX_ANSWERS], *ends]
        entities = [URIRef(iri) for iri in dict.fromkeys(iris) if iri][:MAX_ENTITIES]
        if self.kg is not None:
            self.kg.prefetch_labels_and_types(entities)
        return self.kg.labels(entities) if self.kg else {}

    def names_of(self, iri: str) -> tuple[str, ...]:
        """Return the names of an entity: the seed's label, labels in gold answers, its label in the KG; each also with
        its kind before the name instead of behind it."""
        seed = self.dialogue.seed
        gold = (a.label for turn in self.dialogue.turns for a in turn.answers if a.value == iri)
        labels = [
            label for label in (seed.label if iri == seed.iri else "", *gold, self._labels.get(URIRef(iri))) if label
        ]
        return tuple(dict.fromkeys((*labels, *(_KIND_BEHIND.sub(r"\2 \1", label) for label in labels))))

    @cached_property
    def _names(self) -> frozenset[str]:
        texts = [self.dialogue.seed.label, *self._labels.values()]
        for turn in self.dialogue.turns:
            texts += [*turn.answer_texts, *(turn.certificate.names if turn.certificate else ())]
        return frozenset(texts) - {""}

    def mask(self, text: str) -> str:
        """Replace the names in a text by a mask."""
        return mask_names(text, self._names)

    def class_of(self, iri: str) -> str:
        """Return the most specific class of an entity; empty if none is known."""
        types = self.kg.types_of([URIRef(iri)])[URIRef(iri)] if self.kg and self._labels else ()
        return most_specific_classes(self.kg, types)[0] if self.kg and types else ""

    def class_labels(self, iri: str) -> tuple[str, ...]:
        """Return the labels of an entity's class and of its superclasses, nearest first."""
        seed = self.dialogue.seed
        stated = (iri_to_words(seed.type),) if iri == seed.iri and seed.type else ()
        return (class_labels_of(self.kg, self.class_of(iri)) if self.kg else ()) or stated

    def entity(self, iri: str) -> Entity:
        """Return an entity of the dialogue, with its name, its class and the gender that the KG states."""
        name, labels = next(iter(self.names_of(iri)), ""), self.class_labels(iri)
        node = URIRef(iri)
        edges = self.kg.neighbourhoods([node], direction="out")[node] if self.kg else ()
        gender = stated_gender(self.kg, edges) if self.kg else ""
        return Entity(node, name, self.class_of(iri), next(iter(labels), ""), labels, gender)

    def entry(self, predicate: str) -> PredicateEntry | None:
        """Return what the KG's vocabulary says of a predicate."""
        return self.kg.vocabulary.predicates.get(predicate) if self.kg else None

    def label_of(self, predicate: str) -> str:
        """Return the label of a predicate, else the words of its IRI."""
        entry = self.entry(predicate)
        return (entry.label if entry else "") or iri_to_words(predicate)

    def stated(self, entity: str, side: str) -> list[PredicateEntry]:
        """Return the predicates of an entity where it stands at a side (``out``: as subject), but those about the
        data."""
        uses = self.kg.predicates_of([URIRef(entity)]).get(URIRef(entity), ()) if self.kg and "://" in entity else ()
        entries = [self.entry(predicate) for predicate, other, _ in uses if other == side]
        return [entry for entry in entries if entry is not None and not entry.is_metadata]

    def owners(self, turn: TurnView, predicate: str) -> frozenset[str]:
        """Return the classes of the subjects of a predicate in a query: those of its entities, answers and witnesses,
        else the one that has the predicate most often."""
        subjects = [s for s, other, _ in turn.witness if other == predicate]
        for subject, path, _ in relations(turn.query):
            if str(path) == predicate and not isinstance(subject, Variable):
                subjects.append(str(subject))
            elif str(path) == predicate and str(subject) in turn.query.result_variables:
                subjects += turn.answer_iris
        entry = self.entry(predicate)
        return frozenset(filter(None, map(self.class_of, subjects))) or frozenset(entry.domains[:1] if entry else ())

    def claims(self, turn: TurnView, predicate: str, claim: Claim) -> bool:
        """Tell whether a claim holds of a predicate at each class of its subjects; not if these are unknown."""
        owners = self.owners(turn, predicate)
        return self.kg is not None and bool(owners) and all(claim(self.kg, owner, predicate) for owner in owners)

    def value_kind(self, turn: TurnView, predicate: str) -> ValueKind:
        """Return what the values of a predicate are at the things that a turn asks about."""
        owners = self.owners(turn, predicate)
        return kind_of_values(self.kg, min(owners), predicate) if self.kg and owners else "unknown"
