"""Rules for queries: syntax, existence, counts over numbers, metadata, and what was asked before."""

from __future__ import annotations

import re
from collections.abc import Iterator

from chattyshared.kg.metadata_terms import is_metadata_predicate
from chattyshared.profile import ALT_LABEL_PREDICATES, LABEL_PREDICATES
from chattyshared.sparql.analysis import AlgebraTriple, QueryAnalysis, is_rdf_type
from chattyshared.terms import NUMERIC_DATATYPES, iri_to_words
from rdflib import URIRef, Variable

from chattygen.lint.defect import LintFinding
from chattygen.lint.dialogue_view import DialogueView, TurnView
from chattygen.lint.kg_facts import KGFacts

_IDENTIFIER = re.compile(
    r"\b(?:id|ids|identifier|uuid|guid|iri|uri|url|urls|doi|isbn|issn|orcid|viaf|lccn|oclc|gnd|imdb|wikidata|bibtex"
    r"|webpage|web page|home page|homepage|toc|permalink|slug|checksum|md5|sha1|sha256|revision|geometry|latitude"
    r"|longitude|coordinates|same as|see also|was derived from|is primary topic of|primary topic|thumbnail|depiction)\b"
)
_GEO = re.compile(r"^(?:geo|has geo|lat|long|lon|point)$")
_AMOUNT = re.compile(
    r"^(?:number|count|total|amount|sum)\b|\b(?:number|count|total|population|elevation|percentage|height|width|length"
    r"|weight|area|age|runtime|duration|budget|revenue|salary|price|attendance|capacity|depth|altitude|turnover)$"
)
_NAMES = frozenset((*LABEL_PREDICATES, *ALT_LABEL_PREDICATES)) - {"http://purl.org/dc/terms/title"}


def query_rules(dialogue: DialogueView, kg_facts: KGFacts) -> Iterator[LintFinding]:
    """Judge each query by itself, then against those before it."""
    for line in dialogue.turns:
        if line.sparql.strip():
            yield from _syntax(line)
            yield from _existence(line, dialogue)
            yield from _metadata(line, kg_facts)
            yield from _counts(line, kg_facts)
    yield from _repeated(dialogue)


def _syntax(line: TurnView) -> Iterator[LintFinding]:
    query = line.query
    if query.syntax_error:
        yield LintFinding("query-syntax", line.number, f"{query.syntax_error}: {_short(line.sparql)}")
    if query.undeclared_prefixes:
        yield LintFinding(
            "query-prefix", line.number, f"not declared: {', '.join(f'{p}:' for p in query.undeclared_prefixes)}"
        )
    if query.lacks_whitespace:
        yield LintFinding("query-tight", line.number, _short(line.sparql))
    loose = [name for name in query.result_variables if name not in query.bound_variables]
    if loose and query.patterns:
        yield LintFinding("query-syntax", line.number, f"?{loose[0]} is asked for, but nothing binds it")


def _existence(line: TurnView, talk: DialogueView) -> Iterator[LintFinding]:
    """An ASK says something only where each part of its pattern ties two given things together, or compares."""
    query = line.query
    if query.form != "ASK" or query.syntax_error:
        return
    stated = [p for p in query.patterns if not (is_rdf_type(p[1]) and isinstance(p[2], URIRef))]
    if any(is_unconstrained(part, query) for part in _components(stated)):
        yield LintFinding("existence-ask", line.number, f"only asks whether there is anything: {_short(line.sparql)}")
    elif not stated:
        own = [p for p in query.patterns if str(p[0]) == talk.seed.iri and str(p[2]) == talk.seed.type]
        if own or not query.patterns or not all(isinstance(s, URIRef) for s, _, _ in query.patterns):
            yield LintFinding("existence-ask", line.number, f"always true: {_short(line.sparql)}")


def is_unconstrained(part: list[AlgebraTriple], query: QueryAnalysis) -> bool:
    """Tell whether a connected part of a pattern has a free end, and neither two given things nor a comparison."""
    ends = [end for s, _, o in part for end in (s, o)]
    given = {end for end in ends if not isinstance(end, Variable)}
    free = {str(end) for end in ends if isinstance(end, Variable)}
    return bool(free) and len(given) < 2 and not free & query.compared_variables and not free & query.counted_variables


def _components(patterns: list[AlgebraTriple]) -> list[list[AlgebraTriple]]:
    """Split triples into parts that share variables."""
    parts: list[tuple[set[str], list[AlgebraTriple]]] = []
    for pattern in patterns:
        names = {str(end) for end in (pattern[0], pattern[2]) if isinstance(end, Variable)}
        joined = [part for part in parts if part[0] & names]
        parts = [part for part in parts if part not in joined]
        parts.append((names.union(*(part[0] for part in joined)), [*(p for part in joined for p in part[1]), pattern]))
    return [part for _, part in parts]


def _metadata(line: TurnView, known: KGFacts) -> Iterator[LintFinding]:
    for subject, predicate, end in line.query.patterns:
        for iri in QueryAnalysis("", patterns=((subject, predicate, end),)).predicates:
            if (is_rdf_type(iri) or iri in known.type_predicates) and isinstance(end, URIRef):
                continue  # a class that narrows what is asked for
            if iri in _NAMES or iri in known.excluded_predicates and _is_name(iri):
                continue  # a name is judged by its value: see label-echo
            if is_rdf_type(iri) or is_metadata(iri) or iri in known.excluded_predicates:
                yield LintFinding("metadata", line.number, f"asks {iri_to_words(iri)} <{iri}>")
                return


def _is_name(iri: str) -> bool:
    return bool({"name", "title", "label"} & set(iri_to_words(iri).casefold().split()))


def is_metadata(iri: str) -> bool:
    """Tell by its name whether a predicate is an identifier, a page, a position on the globe, or about the data."""
    words = iri_to_words(iri).casefold()
    return is_metadata_predicate(iri) or bool(_IDENTIFIER.search(words) or _GEO.search(words))


def _counts(line: TurnView, known: KGFacts) -> Iterator[LintFinding]:
    """A COUNT over values that are numbers: by the KG, by the witness triples, or by the predicate's name."""
    query = line.query
    for subject, predicate, end in query.patterns:
        if (
            not isinstance(end, Variable)
            or not {str(end), "*"} & query.counted_variables
            or not isinstance(predicate, URIRef)
        ):
            continue
        if "*" in query.counted_variables and (len(query.patterns) > 1 or isinstance(subject, Variable)):
            continue
        seen = [o for _, p, o in line.witness if p == str(predicate)]
        literal = [o for o in seen if o.startswith('"')]
        by_name = not seen and not known.has_kg and _AMOUNT.search(iri_to_words(predicate).casefold())
        if str(predicate) in known.numeric_predicates or (literal and all(map(_is_numeric, literal))) or by_name:
            yield LintFinding("count-of-number", line.number, f"counts the values of {iri_to_words(predicate)}")
            return


def _is_numeric(term: str) -> bool:
    _, mark, datatype = term.rpartition("^^")
    return bool(mark) and URIRef(datatype.strip("<>")) in NUMERIC_DATATYPES


AskedFact = tuple[str, str, str]
"""One fact that a question asks: entity, predicate, and the entity's side (``out``: it is the subject)."""


def _repeated(talk: DialogueView) -> Iterator[LintFinding]:
    """The same query again; or one fact again, by another operation or from its other end."""
    heard: dict[str, int] = {}
    asked: dict[AskedFact, int] = {}
    told: dict[AskedFact, tuple[str, int]] = {}
    spoken_of = {talk.seed.iri}
    for line in talk.turns:
        query = line.query
        if query.syntax_error or not line.sparql.strip():
            continue
        facts = _facts(query)
        again = next((asked[fact] for fact in facts if fact in asked), 0)
        whole = {answer.value for answer in line.answers or ()}
        if query.canonical_text in heard:
            yield LintFinding(
                "duplicate-query", line.number, f"as in turn {heard[query.canonical_text]}: {_short(line.sparql)}"
            )
        elif again:
            yield LintFinding("restated", line.number, f"turn {again} has asked this already: {_short(line.sparql)}")
        elif len(facts) == 1 and facts[0] in told and whole == {told[facts[0]][0]}:
            yield LintFinding("restated", line.number, f"turn {told[facts[0]][1]} has told this already")
        heard.setdefault(query.canonical_text, line.number)
        for entity, predicate, side in facts:
            if query.form != "ASK" or entity in spoken_of:
                asked.setdefault((entity, predicate, side), line.number)
            if query.form == "SELECT" and side == "in" and not query.counted_variables:
                told.update({(end, predicate, "out"): (entity, line.number) for end in whole})
        spoken_of |= whole


def _facts(query: QueryAnalysis) -> tuple[AskedFact, ...]:
    """Return what a query of one triple asks: one fact, or for an ASK without a variable the fact from either end."""
    triples = [p for p in query.patterns if not (is_rdf_type(p[1]) and isinstance(p[2], URIRef))]
    if len(triples) != 1 or not query.is_plain or not isinstance(triples[0][1], URIRef):
        return ()
    subject, predicate, end = triples[0]
    sides = ((subject, "out"), (end, "in"))
    return tuple((str(one), str(predicate), side) for one, side in sides if not isinstance(one, Variable))


def _short(text: str) -> str:
    said = " ".join(text.split())
    return said if len(said) <= 160 else f"{said[:157]}..."
