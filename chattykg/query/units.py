"""Units: those in which a graph keeps amounts, at the predicate or beside each amount, and those of a question."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.text_readings import TextReading
from chattyshared.kg.vocabulary import PredicateEntry
from chattyshared.language.lexicon import word_set
from chattyshared.language.morphology import split_label
from chattyshared.language.quantities import stated_unit, unit_ratio
from chattyshared.language.tokenizer import tokenize
from chattyshared.terms import n3
from chattyshared.text import join_texts
from rdflib import URIRef

from chattykg.linking.answer_types import is_numeric_predicate
from chattykg.linking.predicate_candidates import PredicateCandidate
from chattykg.linking.property_paths import nameless_classes
from chattykg.qir import QIR

_UNIT_ROLES = word_set("units", "unit_roles")
_MAX_UNITS = 12
"""Units that are read; set by hand."""


@dataclass(frozen=True, slots=True)
class KeptUnits:
    """The units in which the values of a predicate are kept.

    ``names`` are their names, most frequent first, none if the graph tells none; ``predicate`` states the unit of each
    value at the node that has it, "" where all have the same.
    """

    names: tuple[str, ...] = ()
    predicate: str = ""


def kept_units(candidate: PredicateCandidate | None, kg: KnowledgeGraph) -> KeptUnits:
    """Return the units of the values of a predicate: of its texts, its label, its comment, or of another one beside it.

    The nodes of a measure or of an offer state both ("value" and "unit text", "price" and "price currency").
    """
    entry = kg.vocabulary.predicates.get(candidate.last_predicate) if candidate else None
    if candidate is None or entry is None:
        return KeptUnits()
    step = candidate.predicates[0] if candidate.second_predicates and not candidate.is_inward else ""
    return kg.remember("units", (entry.iri, step), lambda: _find_units(entry, step, kg))


def _find_units(entry: PredicateEntry, step: str, kg: KnowledgeGraph) -> KeptUnits:
    """Return the units of the values of a predicate; with a step, of the nodes to which that leads."""
    if not (isinstance(entry.text_reading, TextReading) or is_numeric_predicate(entry)):
        return KeptUnits()
    if unit := getattr(entry.text_reading, "unit", "") or stated_unit(entry.label, entry.comment):
        return KeptUnits((unit,))
    nodes = nameless_classes(kg).keys() & set(entry.domains)
    beside = (
        each.iri
        for each in kg.vocabulary.predicates.values()
        if each.iri != entry.iri and each.object_kind == "literal" and not nodes.isdisjoint(each.domains)
        if not each.is_metadata and not _UNIT_ROLES.isdisjoint(split_label(each.label))
    )
    units = next(beside, "")
    names = _read_units(step, units, kg) if units else ()
    is_mixed = any(unit_ratio(names[0].lower(), name.lower()) != 1 for name in names)
    return KeptUnits(names, units if is_mixed else "")


def _read_units(step: str, predicate: str, kg: KnowledgeGraph) -> tuple[str, ...]:
    """Return the units of the nodes to which a step leads ("": of all), at most `_MAX_UNITS`, sorted."""
    way = f"?thing {n3(URIRef(step))} ?node . " if step else ""
    query = f"SELECT DISTINCT ?unit WHERE {{ {way}?node {n3(URIRef(predicate))} ?unit }} LIMIT {_MAX_UNITS}"
    return tuple(sorted({str(row["unit"]) for row in kg.endpoint.select(query)}))


def selected_unit(kept: KeptUnits, question: str, qir: QIR) -> str:
    """Return the only unit beside the values that a question names; "" if it names none, or others compare with it.

    A price "in dollars" is one of those in dollars, but a weight above 2 kg may be one in grams.
    """
    said = said_units(kept.names, question, qir)
    others = [name for name in kept.names if name not in said]
    is_alone = all(unit_ratio(one.lower(), other.lower()) is None for one in said for other in others)
    return said[0] if kept.predicate and len(said) == 1 and is_alone else ""


def said_units(names: tuple[str, ...], question: str, qir: QIR) -> tuple[str, ...]:
    """Return those of some units that a question or its conditions name, by any name ("dollars" for ``USD``)."""
    said = {token.lower for token in tokenize(question)} | {condition.unit for condition in qir.filters}
    return tuple(name for name in names if any(unit_ratio(word, name.lower()) == 1 for word in said if word))


def unit_note(kept: KeptUnits, question: str, qir: QIR) -> str:
    """Return what to say of values that are asked for: their units if they have several or another than asked; ""."""
    if kept.predicate and not selected_unit(kept, question, qir):
        return f"Stated in {join_texts(kept.names, 'or')}."
    asked = [word.lower for before, word in pairwise(tokenize(question)) if before.lower == "in"]
    others = (word for word in asked for name in kept.names[:1] if unit_ratio(word, name.lower()) not in (None, 1))
    return next((f"Stated in {kept.names[0]}, not in {word}." for word in others), "")
