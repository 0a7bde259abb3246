"""Rules for queries: syntax, existence, counts over numbers, metadata, and repetition."""

from __future__ import annotations

import re
from collections.abc import Iterator

from chattyshared.check import Finding
from chattyshared.kg.metadata_terms import is_metadata_predicate
from chattyshared.language.lexicon import word_list
from chattyshared.profile import ALT_LABEL_PREDICATES, LABEL_PREDICATES
from chattyshared.sparql.analysis import AlgebraTriple, QueryAnalysis, is_rdf_type
from chattyshared.terms import NUMERIC_DATATYPES, iri_to_words
from chattyshared.text import cut_text
from rdflib import URIRef, Variable
from rdflib.util import from_n3

from chattygen.lint.dialogue_view import DialogueView, TurnView
from chattygen.lint.kg_facts import KGFacts
from chattygen.lint.query_parts import AskedFact, facts_of, relations

_IDENTIFIER = re.compile(rf"\b(?:{'|'.join(word_list('relation_labels', 'unaskable'))})\b")
_GEO = re.compile(r"^(?:geo|has geo|lat|long|lon|point)$")
_AMOUNT = re.compile(
    rf"^(?:number|count|total|amount|sum)\b|\b(?:{'|'.join(word_list('relation_labels', 'amounts'))})$"
)
_NAME_PREDICATES = frozenset((*LABEL_PREDICATES, *ALT_LABEL_PREDICATES)) - {"http://purl.org/dc/terms/title"}


MAX_QUOTED = 160
"""Letters of a query that a finding quotes."""


def query_rules(dialogue: DialogueView, kg_facts: KGFacts) -> Iterator[Finding]:
    """Judge each query by itself, then against the earlier ones."""
    for turn in dialogue.turns:
        if turn.sparql.strip():
            yield from _syntax(turn)
            if not turn.unanswerable:  # else the query looks for what the KG does not state, by any predicate
                yield from _existence(turn, dialogue)
                yield from _metadata(turn, kg_facts)
                yield from _counts(turn, kg_facts)
    yield from _repeated(dialogue)


def _syntax(turn: TurnView) -> Iterator[Finding]:
    query = turn.query
    if query.syntax_error:
        yield Finding("query-syntax", f"{query.syntax_error}: {cut_text(turn.sparql, MAX_QUOTED)}", turn=turn.number)
    if query.undeclared_prefixes:
        prefixes = ", ".join(f"{prefix}:" for prefix in query.undeclared_prefixes)
        yield Finding("query-prefix", f"not declared: {prefixes}", turn=turn.number)
    if query.lacks_whitespace:
        yield Finding("query-tight", cut_text(turn.sparql, MAX_QUOTED), turn=turn.number)
    unbound = [name for name in query.result_variables if name not in query.bound_variables]
    if unbound and query.patterns:
        yield Finding("query-syntax", f"?{unbound[0]} is asked for, but nothing binds it", turn=turn.number)


def _existence(turn: TurnView, dialogue: DialogueView) -> Iterator[Finding]:
    """An ASK has content only if each connected part of its pattern relates two given terms, or compares values."""
    query = turn.query
    if query.form != "ASK" or query.syntax_error:
        return
    triples = relations(query)
    if any(is_unconstrained(part, query) for part in _components(triples)):
        message = f"only asks whether there is anything: {cut_text(turn.sparql, MAX_QUOTED)}"
        yield Finding("existence-ask", message, turn=turn.number)
    elif not triples:
        seed_types = [p for p in query.patterns if str(p[0]) == dialogue.seed.iri and str(p[2]) == dialogue.seed.type]
        if seed_types or not query.patterns or not all(isinstance(s, URIRef) for s, _, _ in query.patterns):
            yield Finding("existence-ask", f"always true: {cut_text(turn.sparql, MAX_QUOTED)}", turn=turn.number)


def is_unconstrained(part: list[AlgebraTriple], query: QueryAnalysis) -> bool:
    """Tell whether a connected part of a pattern has a free end, and neither two given terms nor a comparison."""
    ends = [end for s, _, o in part for end in (s, o)]
    constants = {end for end in ends if not isinstance(end, Variable)}
    free = {str(end) for end in ends if isinstance(end, Variable)}
    return bool(free) and len(constants) < 2 and not free & (query.compared_variables | query.counted_variables)


def _components(patterns: list[AlgebraTriple]) -> list[list[AlgebraTriple]]:
    """Split triple patterns into parts that share variables."""
    parts: list[tuple[set[str], list[AlgebraTriple]]] = []
    for pattern in patterns:
        names = {str(end) for end in (pattern[0], pattern[2]) if isinstance(end, Variable)}
        joined = [part for part in parts if part[0] & names]
        parts = [part for part in parts if part not in joined]
        parts.append((names.union(*(part[0] for part in joined)), [*(p for part in joined for p in part[1]), pattern]))
    return [part for _, part in parts]


def _metadata(turn: TurnView, kg_facts: KGFacts) -> Iterator[Finding]:
    for subject, predicate, end in turn.query.patterns:
        for iri in QueryAnalysis("", patterns=((subject, predicate, end),)).predicates:
            if (is_rdf_type(iri) or iri in kg_facts.type_predicates) and isinstance(end, URIRef):
                continue  # a class that restricts the values
            if iri in _NAME_PREDICATES or iri in kg_facts.excluded_predicates and _is_name(iri):
                continue  # a name is judged by its value: see label-echo
            claims = kg_facts.claims.get((turn.number, iri))
            is_measure = claims is not None and claims.value_kind == "measure"
            named_so = not kg_facts.has_kg and is_metadata(iri)  # else the graph tells more than the name
            excluded = iri in kg_facts.excluded_predicates and (not is_measure or is_metadata(iri))
            if is_rdf_type(iri) or named_so or excluded:
                yield Finding("metadata", f"asks {iri_to_words(iri)} <{iri}>", turn=turn.number)
                return


def _is_name(iri: str) -> bool:
    return bool({"name", "title", "label"} & set(iri_to_words(iri).casefold().split()))


def is_metadata(iri: str) -> bool:
    """Tell by its name whether a predicate is an identifier, a web page, a geographic position, or about the data."""
    words = iri_to_words(iri).casefold()
    return is_metadata_predicate(iri) or bool(_IDENTIFIER.search(words) or _GEO.search(words))


def _counts(turn: TurnView, kg_facts: KGFacts) -> Iterator[Finding]:
    """A COUNT over values that are numbers: by the KG, by the witness triples, or by the predicate's label."""
    query = turn.query
    for subject, predicate, end in query.patterns:
        counted = {str(end)} | ({"*"} if len(query.patterns) == 1 and isinstance(subject, URIRef) else set())
        if (
            not isinstance(end, Variable)
            or not isinstance(predicate, URIRef)
            or counted.isdisjoint(query.counted_variables)
        ):
            continue
        claims = kg_facts.claims.get((turn.number, str(predicate)))
        ends = [o for _, p, o in turn.witness if p == str(predicate)]
        literals = [from_n3(o) for o in ends if o.startswith('"')]
        are_numbers = bool(literals) and all(getattr(end, "datatype", None) in NUMERIC_DATATYPES for end in literals)
        by_name = not ends and not kg_facts.has_kg and _AMOUNT.search(iri_to_words(predicate).casefold())
        if (claims is not None and claims.value_kind == "measure") or are_numbers or by_name:
            yield Finding("count-of-number", f"counts the values of {iri_to_words(predicate)}", turn=turn.number)
            return


def _repeated(dialogue: DialogueView) -> Iterator[Finding]:
    """The same query again, or one fact again: by another operation or from its other end."""
    first_turns: dict[str, int] = {}
    asked_facts: dict[AskedFact, int] = {}
    answered_facts: dict[AskedFact, tuple[str, int]] = {}
    mentioned = {dialogue.seed.iri}
    for turn in dialogue.turns:
        query = turn.query
        if query.syntax_error or not turn.sparql.strip():
            continue
        facts = facts_of(query)
        earlier_turn = next((asked_facts[fact] for fact in facts if fact in asked_facts), 0)
        answer_values = turn.answer_values
        if query.canonical_text in first_turns:
            message = f"as in turn {first_turns[query.canonical_text]}: {cut_text(turn.sparql, MAX_QUOTED)}"
            yield Finding("duplicate-query", message, turn=turn.number)
        elif earlier_turn:
            message = f"turn {earlier_turn} has asked this already: {cut_text(turn.sparql, MAX_QUOTED)}"
            yield Finding("restated", message, turn=turn.number)
        elif len(facts) == 1 and facts[0] in answered_facts and answer_values == {answered_facts[facts[0]][0]}:
            yield Finding("restated", f"turn {answered_facts[facts[0]][1]} has answered this already", turn=turn.number)
        first_turns.setdefault(query.canonical_text, turn.number)
        for entity, predicate, position in facts:
            if query.form != "ASK" or entity in mentioned:
                asked_facts.setdefault((entity, predicate, position), turn.number)
            if query.form == "SELECT" and position == "in" and not query.counted_variables:
                answered_facts.update({(end, predicate, "out"): (entity, turn.number) for end in answer_values})
        mentioned |= answer_values
