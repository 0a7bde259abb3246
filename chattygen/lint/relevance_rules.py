"""Rules for questions that nobody would ask, and for what a graph does not hold whole: yes-no about exact values, flags
and codes, counts of one; lists, counts and conditions over predicates that things lack."""

from __future__ import annotations

import re
from collections.abc import Iterator

from chattyshared.check import Finding
from chattyshared.language.inflection import head_noun
from chattyshared.terms import iri_to_words, local_name
from rdflib import Literal, URIRef, Variable
from rdflib.namespace import XSD

from chattygen.lint.dialogue_view import DialogueView, TurnView
from chattygen.lint.kg_facts import KGFacts, PredicateClaims, kind_of
from chattygen.lint.query_parts import conditioned_lists, facts_of, relations
from chattygen.planning.missing_facts import surely_answers
from chattygen.subgraph.predicate_salience import is_askable
from chattygen.subgraph.predicate_use import WORLDWIDE, ValueKind, is_population, kind_of_terms, names_category
from chattygen.subgraph.summary import event_words

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
        if turn.number in kg_facts.unrelated:
            yield turn.finding("unrelated", "nothing relates what it brings in to the dialogue")
        yield from _row_answers(turn, kg_facts)
        yield from _placeholders(dialogue, turn)
        yield from _uninformative(turn, kg_facts)
        yield from _vague_years(turn, kg_facts)
        counts += bool(query.counted_variables)
        yield from _needless_counts(turn, kg_facts, counts)


def _exact_yes_no(turn: TurnView, kg_facts: KGFacts) -> Iterator[Finding]:
    for _, predicate, value in relations(turn.query):
        if not isinstance(value, Literal):
            continue
        claims = kg_facts.claims.get((turn.number, str(predicate)))
        kind = kind_of_terms([value])
        is_long = len(str(value).split()) > MAX_EXACT_WORDS
        if kind in _EXACT_KINDS or is_long or (claims is not None and claims.is_near_unique):
            yield turn.finding("exact-yes-no", f'asks whether it is exactly "{value}"')
            return


def _row_answers(turn: TurnView, kg_facts: KGFacts) -> Iterator[Finding]:
    """Nodes without a name of their own are no answers: by the KG, or by labels that are the codes in their IRIs."""
    nodes = [answer for answer in turn.answers or () if answer.kind == "iri"]
    is_coded = all(node.label == local_name(node.value) and _CODED.fullmatch(node.label) for node in nodes)
    if nodes and (is_coded or turn.number in kg_facts.hidden):
        yield turn.finding("row-answer", f'asks for "{nodes[0].label}"')


def _placeholders(dialogue: DialogueView, turn: TurnView) -> Iterator[Finding]:
    """Words for a missing value are no answers, foils or conditions: ``Unknown``, ``n/a``."""
    named = (name for iri in turn.query.iris for name in dialogue.names_of(iri)[:1])
    for text in (*turn.answer_texts, *map(str, turn.query.literals), *named):
        if len(text.split()) == 1 and not is_askable((Literal(text),), unique=False):
            yield turn.finding("uninformative", f'"{text}" says nothing')
            return


def _uninformative(turn: TurnView, kg_facts: KGFacts) -> Iterator[Finding]:
    """Flags and codes, predicates with one value for all, and conditions that only one thing meets."""
    selecting = [triple for reading in conditioned_lists(turn.query) for triple in reading.conditions]
    for triple in relations(turn.query):
        subject, predicate, value = triple
        claims = kg_facts.claims.get((turn.number, str(predicate)))
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
            yield turn.finding("uninformative", f'the values of "{iri_to_words(predicate)}" {reason}')
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
    for entity, predicate, side in facts_of(turn.query):
        others = kg_facts.stated.get((entity, side), ())
        asked = next((each for each in others if each.iri == predicate), None)
        if asked is None or kind_of(asked) != str(XSD.gYear):
            continue
        for other in others:
            if URIRef(kind_of(other)) in _FULL_DATES and event_words(other.label) == event_words(asked.label):
                yield turn.finding("vague-year", f'the graph has the full date, "{other.label}"')
                return


def _needless_counts(turn: TurnView, kg_facts: KGFacts, counts: int) -> Iterator[Finding]:
    """A count is asked once, and where several values are the rule."""
    if not turn.query.counted_variables:
        return
    if counts > 1:
        yield turn.finding("needless-count", f"count {counts} of the dialogue")
        return
    if turn.answer_texts == ("1",):
        yield turn.finding("needless-count", "there is one")
        return
    for _, predicate, side in facts_of(turn.query):
        claims = kg_facts.claims.get((turn.number, predicate))
        if side == "in" or claims is None:
            continue
        if claims.is_single_valued:
            yield turn.finding("needless-count", "one value is the rule")
        elif names_category(kg_facts.label_of(predicate)):
            yield turn.finding("needless-count", "counts categories")


def completeness_rules(dialogue: DialogueView, kg_facts: KGFacts) -> Iterator[Finding]:
    """Judge what questions close over; only a KG tells it."""
    for turn in dialogue.turns:
        if turn.query.syntax_error:
            continue
        if not turn.answerable:
            yield from _answered_elsewhere(dialogue, turn, kg_facts)
        else:
            yield from _missing_values(turn, kg_facts)
            yield from _open_lists(turn, kg_facts)


def _missing_values(turn: TurnView, kg_facts: KGFacts) -> Iterator[Finding]:
    """A negation, filter, count or superlative needs the value of each member."""
    lacking = kg_facts.lacking.get(turn.number, 0)
    if lacking:
        yield turn.finding("missing-values", f"{lacking} members of the list lack the value")


def _open_lists(turn: TurnView, kg_facts: KGFacts) -> Iterator[Finding]:
    """A list, or a count, of the things that lead to an entity needs a predicate that all of them state."""
    query = turn.query
    is_list = turn.has_list and not any(reading.conditions for reading in conditioned_lists(query))
    for entity, predicate, side in facts_of(query) if query.form == "SELECT" else ():
        claims = kg_facts.claims.get((turn.number, predicate))
        label = kg_facts.label_of(predicate)
        owner, members = kg_facts.class_labels.get(entity, ()), _member_labels(turn, kg_facts)
        is_listed = query.counted_variables or (is_list and side == "in")
        is_wide = bool(query.counted_variables) and not WORLDWIDE.isdisjoint(map(head_noun, owner))
        if is_listed and side == "in" and (is_wide or is_population(owner, members, label)):
            yield turn.finding("open-list", f'no graph holds all by their "{label}"')
        elif is_listed and claims is not None and claims.is_open:
            yield turn.finding("open-list", f'the graph leaves out many a "{label}"')


def _member_labels(turn: TurnView, kg_facts: KGFacts) -> tuple[str, ...]:
    """Return the labels of the class of a list's members, or the class that the file states."""
    known = (kg_facts.class_labels.get(answer.value, ()) for answer in turn.answers or ())
    return next(filter(None, known), (turn.answer_type,) if turn.answer_type else ())


def _answered_elsewhere(dialogue: DialogueView, turn: TurnView, kg_facts: KGFacts) -> Iterator[Finding]:
    """No other predicate of the entity, and no earlier turn, answers what is said to be unanswerable."""
    for entity, predicate, side in facts_of(turn.query):
        label = kg_facts.label_of(predicate)
        stated = (each for entries in kg_facts.stated.values() for each in entries)
        kind = next((kind_of(each) for each in stated if each.iri == predicate), "")
        earlier = {fact[1] for other in dialogue.before(turn) if other.answers
                   for fact in facts_of(other.query) if fact[0] == entity and fact[2] == side}  # fmt: skip
        others = (each for each in kg_facts.stated.get((entity, side), ()) if kind in ("", kind_of(each)))
        names = {**{iri: iri_to_words(iri) for iri in earlier}, **{each.iri: each.label for each in others}}
        name = next((name for iri, name in names.items() if iri != predicate and surely_answers(label, name)), "")
        if name:
            yield turn.finding("answered-elsewhere", f'"{name}" answers it')
            return
