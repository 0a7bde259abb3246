"""Candidate queries: all combinations of predicates for the relations of a QIR, best first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import prod

from chattyshared.language.morphology import GENERIC_WORDS, PREPOSITIONS, lemma_of

from chattykg.linking.answer_types import expected_types
from chattykg.linking.class_linking import ClassLink, link_class, make_class_link
from chattykg.linking.predicate_candidates import LinkedRelation, LinkingContext
from chattykg.linking.relation_linking import predicate_candidates
from chattykg.linking.relation_phrases import WHERE_PHRASE, is_function_phrase, is_generic_phrase
from chattykg.linking.similarity import LexicalSimilarity, Similarity, similarity_in
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.qir import QIR, Relation, is_unknown
from chattykg.query.composition import Query, compose_query
from chattykg.query.graph_patterns import GraphPattern
from chattykg.query.grounding import GroundedQIR, QueryContext, ground_qir
from chattykg.query.judgement import find_asked_type, judge_links
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


def candidate_queries(context: QueryContext, *, limit: int, row_limit: int) -> tuple[Query, ...]:
    """Return candidate queries, best first, at most ``limit``; each returns at most ``row_limit`` rows.

    Those of a QIR with alternatives unite the queries of its branches.
    """
    branches = (replace(context, qir=branch) for branch in context.qir.branches())
    first, *others = (_queries_of_branch(branch, limit, row_limit) for branch in branches)
    if not others:
        return first
    united = (
        _unite((query, *(_nearest(query, each) for each in others)), context.qir) for query in first if all(others)
    )
    return tuple(query for query in united if query is not None)


def _nearest(query: Query, others: Sequence[Query]) -> Query:
    """Return the query of another branch that links the most relations as a query does; of these the best."""
    return max(others, key=lambda other: (len({*query.edges} & {*other.edges}), other.score))


def _unite(queries: tuple[Query, ...], qir: QIR) -> Query | None:
    """Return the union of the queries of branches, or one that computes a number of theirs.

    None if their solutions do not become answers in the same way.
    """
    modifier = queries[0].modifier
    if qir.compute:
        modifier = SolutionModifier("computed", (), 1, compute=qir.compute, parts=tuple(q.modifier for q in queries))
        if not all(map(gives_number, modifier.parts)):
            return None
    elif any(query.modifier != modifier for query in queries):
        return None
    grounded = replace(
        queries[0].grounded,
        entity_links={text: link for query in queries for text, link in query.grounded.entity_links.items()},
        values=tuple(dict.fromkeys(pair for query in queries for pair in query.grounded.values)),
    )
    edges = tuple(dict.fromkeys(edge for query in queries for edge in query.edges))
    classes = tuple(dict.fromkeys(pair for query in queries for pair in query.classes))
    pattern = GraphPattern(alternatives=tuple(query.pattern for query in queries))
    return Query(grounded, edges, classes, pattern, modifier, min(query.score for query in queries))


def _queries_of_branch(context: QueryContext, limit: int, row_limit: int) -> tuple[Query, ...]:
    queries: dict[str, Query] = {}
    for query in _all_queries(context, row_limit):
        given = {variable for variable, terms in query.pattern.values if len(terms) == 1}
        if query.modifier.kind == "rows" and not query.modifier.is_table and given & {*query.modifier.targets}:
            continue  # the only answer is what the question names
        text = query.sparql
        if text not in queries or queries[text].score < query.score:
            queries[text] = query
    ranked = sorted(
        queries, key=lambda text: (-round(queries[text].score, 6), len(queries[text].pattern.patterns), text)
    )
    best = queries[ranked[0]].score if ranked else 0.0
    return tuple(queries[text] for text in ranked[:limit] if queries[text].score >= _MIN_SHARE_OF_BEST * best)


def _all_queries(context: QueryContext, row_limit: int) -> Iterator[Query]:
    if context.qir.shape != "boolean" and not (context.qir.triples or context.qir.classes or context.qir.negated):
        return  # a mention alone is no answer
    names = dict.fromkeys(text for _, text in context.qir.classes)
    links = {text: link_class(text, context.card, context.kg, context.similarity) for text in names}
    known = frozenset(text for text, link in links.items() if link)
    tied = tie_statements(context)
    timed_predicates = frozenset(iri for each in tied if each.is_current for iri in each.qir.relations())
    variants = (*rewrite_variants(context, known), *((each.qir, each.weight) for each in tied))
    for qir, weight in variants:
        for _, text in qir.classes:
            if text not in links:
                links[text] = link_class(text, context.card, context.kg, context.similarity)
        for grounded in ground_qir(qir, context.candidate_links):
            for query in _link_relations(context, replace(grounded, score=grounded.score * weight), links, row_limit):
                if not any(edge.is_path_over(timed_predicates) for edge in query.edges):
                    yield query


def _link_relations(
    context: QueryContext, grounded: GroundedQIR, links: Mapping[str, ClassLink | None], row_limit: int
) -> Iterator[Query]:
    """Yield the queries of a grounded QIR: each combination of predicates whose types agree."""
    qir, linked = grounded.qir, _class_links(grounded, links, context)
    if linked is None or qir.shape == "boolean" and not _is_anchored(grounded, linked):
        return
    weight = prod(link.score if (link := links[text]) else _UNKNOWN_CLASS_FACTOR for _, text in qir.classes)
    ends = [end for relation in qir.triples for end in relation.ends() if is_unknown(end)]
    linking_context = LinkingContext(
        context.kg,
        context.card,
        context.similarity,
        expected_types(context.words, qir),
        {unknown: link.classes_with_subclasses for unknown, link in linked},
        dict(qir.classes),
        hinted_classes=_hinted_classes(context, qir),
        counted_unknowns=_counted_unknowns(qir, context.question),
        is_boolean=qir.shape == "boolean",
        shared_unknowns=frozenset(end for end in ends if ends.count(end) > 1),
    )
    relations = (*((r, False) for r in qir.triples), *((r, True) for r in qir.negated))
    listed = {**grounded.listed_links, **grounded.entity_links}
    candidates = []
    for relation, _ in relations:  # a list of mentions determines a relation without words
        named = listed if is_function_phrase(relation.relation) else grounded.entity_links
        candidates.append(predicate_candidates(relation, named, linking_context))
    asked, size = find_asked_type(context, qir), _MAX_PER_RELATION
    while prod(min(size, len(found)) for found in candidates) > _MAX_COMBINATIONS:
        size -= 1
    for picked in product(*(found[:size] for found in candidates)):
        edges = [LinkedRelation(r, option, negated) for (r, negated), option in zip(relations, picked, strict=True)]
        agreement = judge_links(edges, grounded, linked, asked, context.kg)
        score = prod(option.score for option in picked) ** (1 / len(picked)) if picked else 1.0
        score *= agreement * weight * grounded.score
        query = compose_query(grounded, edges, linked, score, context, row_limit) if agreement > 0 else None
        if query is not None:
            yield query


def _class_links(
    grounded: GroundedQIR, links: Mapping[str, ClassLink | None], context: QueryContext
) -> tuple[tuple[str, ClassLink], ...] | None:
    """Return the class links of unknowns; None if one has no class of the graph, and no relation."""
    joined = {end for relation in grounded.qir.triples for end in relation.ends()}
    joined |= {unknown for unknown, _ in grounded.values}
    if any(links[text] is None and unknown not in joined for unknown, text in grounded.qir.classes):
        return None
    stated = [(unknown, link) for unknown, text in grounded.qir.classes if (link := links[text])]
    return (*stated, *((end, make_class_link(end, (iri,), 1.0, context.kg)) for end, iri in grounded.types))


def _is_anchored(grounded: GroundedQIR, classes: Sequence[tuple[str, ClassLink]]) -> bool:
    """Tell whether a yes-or-no question has a condition that binds it to this graph."""
    named = grounded.entity_links or grounded.values or grounded.excluded_types
    return bool(named or classes or grounded.qir.filters)


def _hinted_classes(context: QueryContext, qir: QIR) -> dict[str, frozenset[str]]:
    """Return the classes that the names of unknowns without a class suggest, or the verbs that they do ("works at")."""
    classed = {unknown for unknown, _ in qir.classes}
    hinted: dict[str, frozenset[str]] = {}
    for unknown in qir.unknowns():
        word = re.sub(r"[^A-Za-z]+", " ", unknown).strip()
        is_said = word not in GENERIC_WORDS or word in context.card.question.lower()  # "where" says no "place"
        if len(word) >= _MIN_HINT_LETTERS and unknown not in classed and is_said:
            link = link_class(word, VocabularyCard(), context.kg, context.similarity)
            hinted |= {unknown: link.classes_with_subclasses} if link and link.score >= _MIN_HINT_SCORE else {}
    groups = {mention.text: mention for mention in context.card.mentions_of_kind("class")}
    for relation in qir.triples:
        verb, _, preposition = relation.relation.partition(" ")
        group = groups.get(verb) if preposition in PREPOSITIONS else None
        if group and is_unknown(relation.subject) and relation.subject not in classed:
            hinted.setdefault(relation.subject, context.kg.vocabulary.subclasses(*group.iris[:1]))
    return hinted


def _counted_unknowns(qir: QIR, question: str) -> frozenset[str]:
    """Return the unknowns that the question counts; "how much" counts nothing."""
    counted = {having.counted for having in qir.having}
    counted |= {qir.order.by} if qir.order and qir.order.count else set()
    is_much = qir.shape == "number" and re.search(r"\bhow much\b", question, re.IGNORECASE)
    return frozenset(counted | ({qir.target} if qir.shape in ("count", "number") and not is_much else set()))


# ------------------------------------------------------------------------------------------------------------ rewriting


# Origin of the numbers below: set by hand on the development sets; benchmarks/calibrate.py varies them.
_STEP_FACTOR = 0.9
"""Factor (0..1) of a variant for each rewriting."""
_MIN_VERB_NOUN_SIMILARITY = 0.6
"""Similarity (0..1) from which two relation phrases are a verb and its noun."""
_MIN_CLASS_SCORE = 0.9
"""Score (0..1) from which a relation phrase names a class ("patients of X")."""


def rewrite_variants(context: QueryContext, known_classes: frozenset[str]) -> Iterator[tuple[QIR, float]]:
    """Yield the QIR, then variants with contracted unknowns or classes for relations, each with a weight (0..1).

    An unknown is contracted if it has two relations and no other condition, and one of the phrases has no content
    (``in``, ``of``), or if no class of the graph matches its class (``known_classes`` are the mentions that match).
    """
    similarity = similarity_in(context.card.language, LexicalSimilarity())
    current, weight = context.qir, 1.0
    yield current, weight
    while contracted := next(_contract_unknowns(current, known_classes, similarity), None):
        weight, current = weight * _STEP_FACTOR, contracted
        yield current, weight
    classed = _with_classes(context)
    if classed != context.qir:
        yield classed, _STEP_FACTOR


def _contract_unknowns(qir: QIR, known_classes: frozenset[str], similarity: Similarity) -> Iterator[QIR]:
    class_words, constrained = dict(qir.classes), qir.restricted_unknowns()
    for unknown in qir.unknowns():
        stated, denied = ([r for r in part if unknown in r.ends()] for part in (qir.triples, qir.negated))
        is_free = unknown not in constrained and class_words.get(unknown) not in known_classes
        if not is_free or len(stated or denied) != 2 or stated and denied:
            continue
        one, other = stated or denied
        is_redundant = is_generic_phrase(one.relation) or is_generic_phrase(other.relation)
        if one.relation and other.relation and not is_redundant:  # a verb and its noun: "composed the music of"
            is_redundant = similarity(one.relation, (other.relation,))[0] >= _MIN_VERB_NOUN_SIMILARITY
        joined = _join_relations(unknown, one, other, class_words.get(unknown, ""))
        if joined.subject == joined.object or not (is_redundant or unknown in class_words):
            continue
        triples, negated = (
            tuple(joined if r is one else r for r in part if r is not other) for part in (qir.triples, qir.negated)
        )
        yield replace(qir, triples=triples, negated=negated, classes=tuple(p for p in qir.classes if p[0] != unknown))


def _join_relations(unknown: str, one: Relation, other: Relation, noun: str) -> Relation:
    if other.object == unknown and one.object != unknown:
        one, other = other, one
    first = one.subject if one.object == unknown else one.object
    last = other.object if other.subject == unknown else other.subject
    words = [one.relation, noun, other.relation]
    if is_function_phrase(one.relation):
        words = [noun, other.relation]
    elif is_function_phrase(other.relation):
        words = [one.relation, other.relation]
    return Relation(first, " ".join(word for word in words if word), last)


def _with_classes(context: QueryContext) -> QIR:
    """Return the QIR in which phrases that name a class stand for it instead of a relation ("patients of X")."""
    triples, classes = [], list(context.qir.classes)
    for relation in context.qir.triples:
        phrase, end = relation.relation, relation.object
        is_noun = not is_function_phrase(phrase) and phrase != WHERE_PHRASE and not _is_verb(phrase)
        is_open = is_unknown(end) and end not in {unknown for unknown, _ in context.qir.classes}
        link = link_class(phrase, VocabularyCard(), context.kg, context.similarity) if is_noun and is_open else None
        if link and link.score >= _MIN_CLASS_SCORE:
            classes.append((end, phrase))
            relation = replace(relation, relation="")
        triples.append(relation)
    return replace(context.qir, triples=tuple(triples), classes=tuple(classes))


def _is_verb(phrase: str) -> bool:
    """Tell whether a relation phrase is a participle or ends with a preposition: "filmed" or "filmed in" is no film."""
    *_, last = phrase.lower().split()
    return last in PREPOSITIONS - {"of"} or last.endswith("ed") and lemma_of(last) != last
