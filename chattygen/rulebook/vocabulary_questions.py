"""Questions for the predicates of a vocabulary, for what suggests questions without reading a graph."""

from __future__ import annotations

from dataclasses import replace

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.vocabulary import PredicateEntry
from chattyshared.terms import DATE_DATATYPES, NUMERIC_DATATYPES
from rdflib import URIRef
from rdflib.namespace import XSD

from chattygen.context.facts import Entity, Fact, Shape, Step
from chattygen.context.subgraph import class_labels_of
from chattygen.forms.lookups import is_unclear
from chattygen.lexicalization.step_lexicalization import is_sayable_fact
from chattygen.rulebook.fact_questions import AS_RECORDED, realize_fact_question
from chattygen.rulebook.referring_expressions import refer_by_name
from chattygen.rulebook.set_questions import word_turn
from chattygen.turns import Condition, TurnSpec


def ask_predicate(kg: KnowledgeGraph, entry: PredicateEntry, name: str) -> str:
    """Return a lookup of a predicate for a thing of a name; "" if the labels make no sound phrase."""
    entity, fact = _typical_fact(kg, entry)
    if not _is_asked(entity, fact) or fact.shape == "boolean":
        return ""
    return next(realize_fact_question(replace(entity, label=name), fact, "object"), "")


def ask_greatest(kg: KnowledgeGraph, entry: PredicateEntry) -> str:
    """Return a question for the thing of a class with the greatest number; "" if the labels make no sound phrase."""
    entity, measured = _typical_fact(kg, entry)
    if not (_is_asked(entity, measured) and entity.noun and measured.shape == "number"):
        return ""
    step = Step(next(iter(kg.profile.types), ""), "is a", "in")
    fact = Fact(1, (step,), "entity", class_labels=entity.class_labels, end_classes=(entity.type,))
    condition = Condition("most", measured.last_step, measured.shape, measured.datatype)
    turn = TurnSpec(0, "superlative", "opens", entity, fact, condition)
    return next(word_turn(turn, refer_by_name(entity)), "").replace(AS_RECORDED, "")


def _typical_fact(kg: KnowledgeGraph, entry: PredicateEntry) -> tuple[Entity, Fact]:
    """Return a fact of a predicate, and its class as the entity that has it."""
    domain, end = next(iter(entry.domains), ""), entry.ranges[0] if len(entry.ranges) == 1 else ""
    kinds, datatype = class_labels_of(kg, domain), URIRef(next(iter(entry.datatypes), ""))
    shapes: dict[Shape, bool] = {
        "entity": entry.object_kind == "iri", "number": datatype in NUMERIC_DATATYPES,
        "date": datatype in DATE_DATATYPES, "boolean": datatype == XSD.boolean, "text": True,
    }  # fmt: skip
    shape = next(shape for shape, fits in shapes.items() if fits)
    step = Step(entry.iri, kg.spoken_name(URIRef(entry.iri)), comment=entry.comment)
    fact = Fact(
        1, (step,), shape, datatype.rpartition("#")[2], class_labels_of(kg, end), allows_several=not entry.is_functional
    )
    return Entity(URIRef(domain), next(iter(kinds), ""), domain, next(iter(kinds), ""), kinds), fact


def _is_asked(entity: Entity, fact: Fact) -> bool:
    return bool(fact.last_step.label) and not is_unclear(fact) and is_sayable_fact(fact, entity.class_labels)
