"""Candidate queries: all combinations of predicates for the relations of a QIR, best first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import prod

from chattyshared.language.morphology import GENERIC_WORDS, PREPOSITIONS, lemma_of

from chattykg.linking.answer_types import expected_answer_type, expected_types
from chattykg.linking.class_linking import ClassLink, link_class, make_class_link
from chattykg.linking.predicate_candidates import LinkedRelation, LinkingContext, PredicateCandidate
from chattykg.linking.relation_linking import predicate_candidates
from chattykg.linking.relation_phrases import WHERE_PHRASE, is_function_phrase
from chattykg.linking.similarity import LexicalSimilarity, similarity_in
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.qir import QIR, is_unknown
from chattykg.query.composition import Interpretation, Query, compose_query
from chattykg.query.graph_patterns import GraphPattern
from chattykg.query.grounding import GroundedQIR, QueryContext, ground_qir
from chattykg.query.judgement import AskedType, asked_classes, is_measured, judge_links
from chattykg.query.rewriting import rewrite_variants
from chattykg.query.solution_modifiers import SolutionModifier, gives_number
from chattykg.query.statements import tie_statements

# Origin of the numbers below: set by hand on the development sets; benchmarks/calibrate.py varies them.
_MAX_COMBINATIONS = 4_000
"""Combinations of predicates of one grounded QIR that are scored."""
_MAX_PER_RELATION = 8
"""Candidates of one relation in these combinations."""
_UNKNOWN_CLASS_FACTOR = 0.85
"""Factor (0..1) of a class mention that no class of the KG matches."""
_MIN_SHARE_OF_BEST = 0.5
"""Share (0..1) of the best query's score from which a query is a candidate."""
_MIN_HINT_LETTERS, _MIN_HINT_SCORE = 3, 0.9
"""Letters of the shortest name of an unknown that suggests a class, and the score (0..1) of that class."""
_CLASS_FOR_RELATION_FACTOR = 0.9
"""Factor (0..1) of a QIR in which classes replace relations ("patients of X")."""
_MIN_SYNONYM_SCORE = 0.65
"""Score (0..1) from which a candidate is merged into a union query."""


def candidate_queries(context: QueryContext, *, limit: int, row_limit: int) -> tuple[Query, ...]:
    """Return candidate queries, best first, at most ``limit``; each returns at most ``row_limit`` rows.

    Those of a QIR with alternatives unite the queries of its branches.
    """
    branches = (replace(context, qir=branch) for branch in context.qir.branches())
    first, *others = (_queries_of_branch(branch, limit, row_limit) for branch in branches)
    if not others:
        return first
    compute = context.qir.compute
    united = (_unite(query, [_nearest(query, each) for each in others], compute) for query in first if all(others))
    return tuple(query for query in united if query is not None)


def _nearest(query: Query, others: Sequence[Query]) -> Query:
    """Return the query of another branch that links the most relations as a query does; of these the best."""
    edges = set(query.interpretation.edges)
    return max(others, key=lambda other: (len(edges & set(other.interpretation.edges)), other.score))


def _unite(first: Query, others: Sequence[Query], compute: str) -> Query | None:
    """Return the union of the queries of branches, or one that computes a number of theirs.

    None if their solutions do not become answers in the same way.
    """
    queries, modifier = (first, *others), first.modifier
    if compute:
        modifier = SolutionModifier("computed", (), 1, compute=compute, parts=tuple(q.modifier for q in queries))
        if not all(map(gives_number, modifier.parts)):
            return None
    elif any(query.modifier != first.modifier for query in others):
        return None
    parts = [query.interpretation for query in queries]
    grounded = replace(
        first.interpretation.grounded,
        entity_links={text: link for part in parts for text, link in part.grounded.entity_links.items()},
        values=tuple(dict.fromkeys(pair for part in parts for pair in part.grounded.values)),
    )
    edges = tuple(dict.fromkeys(edge for part in parts for edge in part.edges))
    classes = tuple(dict.fromkeys(pair for part in parts for pair in part.classes))
    score = min(query.score for query in queries)
    pattern = GraphPattern(alternatives=tuple(query.pattern for query in queries))
    return Query(Interpretation(grounded, edges, classes, score), pattern, modifier, score, queries)


def _queries_of_branch(context: QueryContext, limit: int, row_limit: int) -> tuple[Query, ...]:
    queries: dict[str, Query] = {}
    for query in _all_queries(context, row_limit):
        if _answers_with_given(query):
            continue
        text = query.sparql
        if text not in queries or queries[text].score < query.score:
            queries[text] = query
    ranked = sorted(
        queries.items(), key=lambda pair: (-round(pair[1].score, 6), len(pair[1].pattern.patterns), pair[0])
    )
    best = ranked[0][1].score if ranked else 0.0
    return tuple(query for _, query in ranked[:limit] if query.score >= _MIN_SHARE_OF_BEST * best)


def _answers_with_given(query: Query) -> bool:
    """Tell whether the only answer of a list can be one thing that the question names."""
    targets = query.modifier.targets if query.modifier.kind == "select" else ()
    return any(variable in targets and len(terms) == 1 for variable, terms in query.pattern.values)


def _all_queries(context: QueryContext, row_limit: int) -> Iterator[Query]:
    if context.qir.shape != "boolean" and not (context.qir.triples or context.qir.classes or context.qir.negated):
        return  # a mention alone is no answer
    names = dict.fromkeys(text for _, text in context.qir.classes)
    links = {text: link_class(text, context.card, context.kg, context.similarity) for text in names}
    known_classes = frozenset(text for text, link in links.items() if link)
    tied = tie_statements(context)
    timed_predicates = frozenset(iri for each in tied if each.is_current for iri in each.qir.relations())
    rewritten = _qir_variants(context, known_classes, links)
    variants = [(qir, weight, context.candidate_links) for qir, weight in rewritten]
    variants += [(each.qir, each.weight, {**context.candidate_links, **each.links}) for each in tied]
    for qir, weight, candidate_links in variants:
        for text in (text for _, text in qir.classes if text not in links):
            links[text] = link_class(text, context.card, context.kg, context.similarity)
        for grounded in ground_qir(qir, candidate_links):
            for choice in _interpretations(context, replace(grounded, score=grounded.score * weight), links):
                if any(edge.is_path_over(timed_predicates) for edge in choice.edges):
                    continue
                composed = compose_query(choice.grounded, choice.edges, choice.classes, context.kg, row_limit)
                if composed is not None:
                    yield Query(choice, *composed, choice.score)


def _qir_variants(
    context: QueryContext, known_classes: frozenset[str], links: dict[str, ClassLink | None]
) -> Iterator[tuple[QIR, float]]:
    """Yield the variants of the QIR with weights; then one in which classes replace relations ("patients of X")."""
    similarity = similarity_in(context.card.language, LexicalSimilarity())
    yield from rewrite_variants(context.qir, known_classes, similarity)
    classed = {unknown for unknown, _ in context.qir.classes}
    triples, classes = [], list(context.qir.classes)
    for relation in context.qir.triples:
        end = relation.object
        link = None
        is_noun = not is_function_phrase(relation.relation) and relation.relation != WHERE_PHRASE
        is_noun = is_noun and not _is_verb(relation.relation)
        if is_unknown(end) and end not in classed and is_noun:
            link = links.setdefault(
                relation.relation, link_class(relation.relation, VocabularyCard(), context.kg, context.similarity)
            )
        if link and link.score >= _MIN_HINT_SCORE:
            classes.append((end, relation.relation))
        triples.append(replace(relation, relation="") if link and link.score >= _MIN_HINT_SCORE else relation)
    if tuple(triples) != context.qir.triples:
        yield replace(context.qir, triples=tuple(triples), classes=tuple(classes)), _CLASS_FOR_RELATION_FACTOR


def _is_verb(phrase: str) -> bool:
    """Tell whether a relation phrase is a participle or ends with a preposition: "filmed" or "filmed in" is no film."""
    *_, last = phrase.lower().split()
    return last in PREPOSITIONS - {"of"} or last.endswith("ed") and lemma_of(last) != last


def union_query(query: Query, among: Sequence[Query], context: QueryContext, row_limit: int) -> Query:
    """Return ``query`` with, for each relation, the union of the synonymous predicates of the queries ``among``.

    Synonymous are candidates of the same relation, direction and kind, in the same grounded QIR.
    """
    choice = query.interpretation
    alike = [each.interpretation.edges for each in among if each.interpretation.grounded is choice.grounded]
    edges = []
    for index, edge in enumerate(choice.edges):
        others = (listed[index].candidate for listed in alike if len(listed) == len(choice.edges))
        synonyms = (o for o in others if o.score >= _MIN_SYNONYM_SCORE and _kind_of(o) == _kind_of(edge.candidate))
        iris = dict.fromkeys((*edge.candidate.predicates, *(iri for o in synonyms for iri in o.predicates)))
        edges.append(replace(edge, candidate=replace(edge.candidate, predicates=tuple(iris))))
    composed = compose_query(choice.grounded, edges, choice.classes, context.kg, row_limit)
    if composed is None or query.alternatives:
        return query
    return Query(replace(choice, edges=tuple(edges)), *composed, query.score)


def _kind_of(option: PredicateCandidate) -> tuple[object, ...]:
    return option.is_forward, option.is_literal, option.is_numeric, option.second_predicates, option.is_inward


def _interpretations(
    context: QueryContext, grounded: GroundedQIR, links: Mapping[str, ClassLink | None]
) -> Iterator[Interpretation]:
    linked, weight, words = _class_links(context, grounded, links)
    if weight <= 0 or not _is_anchored(grounded, linked):
        return
    linking_context = LinkingContext(
        context.kg,
        context.card,
        context.similarity,
        expected_types(context.words, grounded.qir),
        {unknown: candidates.classes_with_subclasses for unknown, candidates in linked},
        words,
        hinted_classes=_hinted_classes(context, grounded.qir),
        counted_unknowns=_counted_unknowns(grounded.qir, context.question),
        is_boolean=grounded.qir.shape == "boolean",
        shared_unknowns=_shared_unknowns(grounded.qir),
    )
    relations = (*((r, False) for r in grounded.qir.triples), *((r, True) for r in grounded.qir.negated))
    links_with_lists = {
        **grounded.listed_links,
        **grounded.entity_links,
    }  # a list of mentions determines a relation without words
    candidates = [
        predicate_candidates(
            r, links_with_lists if is_function_phrase(r.relation) else grounded.entity_links, linking_context
        )
        for r, _ in relations
    ]
    asked = AskedType(
        expected_answer_type(context.words, grounded.qir),
        asked_classes(context.question, context.card),
        is_measured(context.question),
    )
    size = _MAX_PER_RELATION
    while prod(min(size, len(listed)) for listed in candidates) > _MAX_COMBINATIONS:
        size -= 1
    for picked in product(*(listed[:size] for listed in candidates)):
        edges = tuple(
            LinkedRelation(r, option, negated) for (r, negated), option in zip(relations, picked, strict=True)
        )
        agreement = judge_links(edges, grounded, asked, context.kg)
        score = prod(option.score for option in picked) ** (1 / len(picked)) if picked else 1.0
        if agreement > 0:
            yield Interpretation(grounded, edges, linked, score * agreement * weight * grounded.score)


def _hinted_classes(context: QueryContext, qir: QIR) -> dict[str, frozenset[str]]:
    """Return the classes that the names of unknowns without a class suggest, or the verbs that they do ("works at")."""
    classed = {unknown for unknown, _ in qir.classes}
    hinted: dict[str, frozenset[str]] = {}
    for unknown in qir.unknowns():
        word = re.sub(r"[^A-Za-z]+", " ", unknown).strip()
        is_said = word not in GENERIC_WORDS or word in context.card.question.lower()  # "where" says no "place"
        link = (
            link_class(word, VocabularyCard(), context.kg, context.similarity)
            if len(word) >= _MIN_HINT_LETTERS and unknown not in classed and is_said
            else None
        )
        if link and link.score >= _MIN_HINT_SCORE:
            hinted[unknown] = link.classes_with_subclasses
    groups = {mention.text: mention for mention in context.card.mentions_of_kind("class")}
    for relation in qir.triples:
        verb, _, preposition = relation.relation.partition(" ")
        group = groups.get(verb) if preposition in PREPOSITIONS else None
        if group and is_unknown(relation.subject) and relation.subject not in classed:
            hinted.setdefault(relation.subject, context.kg.vocabulary.subclasses(*group.iris[:1]))
    return hinted


def _is_anchored(grounded: GroundedQIR, classes: Sequence[tuple[str, ClassLink]]) -> bool:
    """Tell whether a yes-or-no question has a condition that binds it to this graph."""
    has_condition = (
        grounded.entity_links or grounded.values or grounded.types or grounded.excluded_types or grounded.qir.filters
    )
    return grounded.qir.shape != "boolean" or bool(has_condition or classes)


def _shared_unknowns(qir: QIR) -> frozenset[str]:
    """Return the unknowns in which several relations meet."""
    ends = [end for relation in qir.triples for end in relation.ends() if is_unknown(end)]
    return frozenset(end for end in ends if ends.count(end) > 1)


def _counted_unknowns(qir: QIR, question: str) -> frozenset[str]:
    """Return the unknowns that the question counts; "how much" counts nothing."""
    counted = {having.counted for having in qir.having}
    counted |= {qir.order.by} if qir.order and qir.order.count else set()
    return frozenset(counted | ({qir.target} if _asks_for_count(qir, question) else set()))


def _asks_for_count(qir: QIR, question: str) -> bool:
    return qir.shape == "count" or (qir.shape == "number" and not re.search(r"\bhow much\b", question, re.IGNORECASE))


def _class_links(
    context: QueryContext, grounded: GroundedQIR, links: Mapping[str, ClassLink | None]
) -> tuple[tuple[tuple[str, ClassLink], ...], float, dict[str, str]]:
    """Return the class links of unknowns, their weight (0: impossible), and the class words by unknown."""
    linked: list[tuple[str, ClassLink]] = []
    words: dict[str, str] = {}
    weight = 1.0
    joined = {end for relation in grounded.qir.triples for end in relation.ends()}
    joined |= {unknown for unknown, _ in grounded.values}
    for unknown, text in grounded.qir.classes:
        link = links[text]
        words[unknown] = text
        if link:
            linked.append((unknown, link))
            weight *= link.score
        else:
            weight *= _UNKNOWN_CLASS_FACTOR if unknown in joined else 0.0
    for end, iri in grounded.types:
        linked.append((end, make_class_link(end, (iri,), 1.0, context.kg)))
    return tuple(linked), weight, words


__all__ = [
    "QueryContext",
    "Interpretation",
    "Query",
    "candidate_queries",
    "union_query",
]
