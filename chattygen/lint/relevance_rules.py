"""Rules for questions that nobody would ask: yes-no about exact values, flags and codes, counts of one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from chattyshared.check import Finding
from chattyshared.terms import iri_to_words, local_name
from rdflib import Literal, URIRef, Variable
from rdflib.namespace import XSD

from chattygen.lint.dialogue_view import DialogueView, TurnView
from chattygen.lint.kg_claims import PredicateClaims
from chattygen.lint.kg_facts import KGFacts
from chattygen.lint.query_parts import conditioned_lists, facts_of, relations
from chattygen.subgraph.date_deduplication import event_words
from chattygen.subgraph.predicate_use import ValueKind, kind_of_terms

_EXACT_KINDS: frozenset[ValueKind] = frozenset(("measure", "code", "contact"))
_CODED = re.compile(r"(?=.*\d)(?:[^\s_]*\d{3}|[^\s_]*-[^\s_]*)[^\s_]*")
_FULL_DATES = frozenset({XSD.date, XSD.dateTime})
MAX_EXACT_WORDS = 4
"""Words: the most of a text that a yes-no question may hold; set by hand."""


def relevance_rules(dialogue: DialogueView, kg_facts: KGFacts) -> Iterator[Finding]:
    """Judge whether somebody would ask each question."""
    counts = 0
    for turn in dialogue.turns:
        query = turn.query
        if query.syntax_error or turn.unanswerable:
            continue
        if query.form == "ASK":
            if turn.number == 1:
                yield Finding("opens-yes-no", f'"{turn.question}"', turn=1)
            yield from _exact_yes_no(turn, kg_facts)
        if turn.number in kg_facts.usage.unrelated:
            message = f'nothing relates what it brings in to the dialogue: "{turn.question}"'
            yield Finding("unrelated", message, turn=turn.number)
        yield from _row_answers(turn, kg_facts)
        yield from _uninformative(turn, kg_facts)
        yield from _vague_years(turn, kg_facts)
        counts += bool(query.counted_variables)
        yield from _needless_counts(turn, kg_facts, counts)


def _exact_yes_no(turn: TurnView, kg_facts: KGFacts) -> Iterator[Finding]:
    for _, predicate, value in relations(turn.query):
        if not isinstance(value, Literal):
            continue
        claims = kg_facts.usage.claims.get((turn.number, str(predicate)))
        kind = kind_of_terms([value])
        is_long = len(str(value).split()) > MAX_EXACT_WORDS
        if kind in _EXACT_KINDS or is_long or (claims is not None and claims.is_near_unique):
            yield Finding("exact-yes-no", f'asks whether it is exactly "{value}": "{turn.question}"', turn=turn.number)
            return


def _row_answers(turn: TurnView, kg_facts: KGFacts) -> Iterator[Finding]:
    """Nodes without a name of their own are no answers: by the KG, or by labels that are the codes in their IRIs."""
    nodes = [answer for answer in turn.answers or () if answer.kind == "iri"]
    is_coded = all(node.label == local_name(node.value) and _CODED.fullmatch(node.label) for node in nodes)
    if nodes and (is_coded or turn.number in kg_facts.usage.hidden):
        yield Finding("row-answer", f'asks for "{nodes[0].label}": "{turn.question}"', turn=turn.number)


def _uninformative(turn: TurnView, kg_facts: KGFacts) -> Iterator[Finding]:
    """Flags and codes, predicates with one value for all, and conditions that only one thing meets."""
    selecting = [triple for reading in conditioned_lists(turn.query) for triple in reading.conditions]
    for triple in relations(turn.query):
        subject, predicate, value = triple
        claims = kg_facts.usage.claims.get((turn.number, str(predicate)))
        is_asked_of = isinstance(subject, URIRef) or triple in selecting
        is_selector = isinstance(subject, Variable) and isinstance(value, Literal)
        reason = ""
        if isinstance(predicate, URIRef) and _is_code(turn, value, claims):
            reason = "are flags or codes"
        elif claims is not None and claims.is_constant and is_asked_of:
            reason = "are the same of all things"
        elif claims is not None and claims.is_near_unique and is_selector:
            reason = "identify one thing each"
        if reason:
            message = f'the values of "{iri_to_words(predicate)}" {reason}: "{turn.question}"'
            yield Finding("uninformative", message, turn=turn.number)
            return


def _is_code(turn: TurnView, value: object, claims: PredicateClaims | None) -> bool:
    """Tell whether values are flags or codes: by the KG, or by the value in the query or the answers."""
    if claims is not None and claims.value_kind != "unknown":
        return claims.value_kind == "code"
    if isinstance(value, Literal):
        return kind_of_terms([value]) == "code"
    literals = [Literal(answer.value) for answer in turn.answers or () if answer.kind == "literal"]
    return bool(literals) and str(value) in turn.query.result_variables and kind_of_terms(literals) == "code"


def _vague_years(turn: TurnView, kg_facts: KGFacts) -> Iterator[Finding]:
    """A year is asked only where the KG has no full date of the same event."""
    usage = kg_facts.usage
    for entity, predicate, side in facts_of(turn.query):
        others = usage.stated.get((entity, side), ())
        asked = next((each for each in others if each.iri == predicate), None)
        if asked is None or asked.kind != str(XSD.gYear):
            continue
        for other in others:
            if URIRef(other.kind) in _FULL_DATES and event_words(other.label) == event_words(asked.label):
                message = f'the graph has the full date, "{other.label}": "{turn.question}"'
                yield Finding("vague-year", message, turn=turn.number)
                return


def _needless_counts(turn: TurnView, kg_facts: KGFacts, counts: int) -> Iterator[Finding]:
    """A count is asked once, and where several values are the rule."""
    if not turn.query.counted_variables:
        return
    if counts > 1:
        yield Finding("needless-count", f'count {counts} of the dialogue: "{turn.question}"', turn=turn.number)
        return
    for _, predicate, side in facts_of(turn.query):
        claims = kg_facts.usage.claims.get((turn.number, predicate))
        if side == "out" and claims is not None and claims.is_single_valued:
            yield Finding("needless-count", f'one value is the rule: "{turn.question}"', turn=turn.number)
