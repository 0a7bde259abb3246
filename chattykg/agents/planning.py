"""The planning agent: builds candidate queries, selects them by their predicates and runs them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from chattyshared.agent import TruncatableVariable, load_agent
from chattyshared.check import Problem
from chattyshared.dialogue import Answer, CandidateQuery, ClarificationOption
from chattyshared.errors import ContextTooLong, ModelRefused, ReplyInvalid
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.vocabulary import Vocabulary
from chattyshared.language.morphology import analyze_phrase, lemma_of, related_stems
from chattyshared.language.wordnet import hypernyms, is_verb
from chattyshared.text import join_texts

from chattykg.agents.outcomes import MAX_JOINED, MIN_QUERY_SCORE, ask_which, settle_readings
from chattykg.engines.switches import ChattySwitches
from chattykg.linking.coverage import restricting_words, uncovered_mentions, unknown_first, unmatched_words
from chattykg.linking.label_lexicon import correct_spelling, lexicon_of
from chattykg.linking.relation_phrases import is_function_phrase, is_locative_phrase
from chattykg.linking.similarity import similarity_in
from chattykg.qir import is_unknown
from chattykg.query.answers import build_answer, linked_entities, spelling_notes
from chattykg.query.candidates import Query, QueryContext, candidate_queries, union_query
from chattykg.query.confidence import ParseEvidence, extract_features, load_confidence_model
from chattykg.query.execution import execute_queries, fetch_witness
from chattykg.query.graph_patterns import relax_pattern
from chattykg.query.predicate_selection import PredicateChoices, predicate_choices
from chattykg.query.readings import Ambiguity, find_ambiguity, without_things
from chattykg.state import (
    AgentContext,
    AgentState,
    make_empty_answer,
    make_not_stated_refusal,
    make_refusal,
    make_unused_refusal,
    quote_words,
)
from chattykg.steps import AnswerStep

MAX_LISTED_CANDIDATES = 10
"""Candidate queries that an answer lists."""
_UNION_SCORE_RATIO = 0.93
"""Ratio to the best score from which on a query joins the union of synonyms."""
_CLEAR_SCORE, _TIE_RATIO = 0.6, 0.97
"""Predicate score (0 to 1) that needs no words of the question; ratio to the best score from which on queries tie."""
_CLEAR_COUNT_SCORE = 0.7
"""Predicate score (0 to 1) that each relation of a count of 0 needs; set by hand on the development sets."""
_WEAK_SCORE = 0.5
"""Predicate score (0 to 1) below which each word of the relation phrase must be one of the predicate."""
_WIDER_LEVELS = 3
"""Levels above a noun of a label on which a word of the question says the same."""
_MAX_TIED = 4
"""Predicates that a refusal or a clarification names."""
_MEASURES = ("number", "text number", "date", "mixed date")
"""Readings of values of which others than the one asked for are stated: a text may be written otherwise."""
_COMPARISONS = {"<": "below", "<=": "at most", ">": "above", ">=": "at least", "=": ""}


def check_predicates(reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
    """Check that the predicates chosen are among those that were shown (the query validator); none may fit."""
    relations: PredicateChoices = variables["relations"]
    for number in reply["predicates"]:
        if not 1 <= number <= relations.choice_count:
            yield Problem("membership", f"There is no predicate {number}.")


AGENT = load_agent("answer/planning", check_predicates, truncatable=(TruncatableVariable("relations"),))


def planning(state: AgentState, context: AgentContext) -> AgentState:
    """Build candidate queries from QIR and links, let the model filter the predicates, and run the best."""
    settings = context.settings
    similarity = similarity_in(state["card"].language, context.similarity)
    query_context = QueryContext(
        state["standalone"], state["qir"], state["linked"], state["card"], context.kg, similarity
    )
    uncovered = uncovered_mentions(
        query_context.question, query_context.qir, query_context.card, query_context.candidate_links
    )
    if uncovered:
        why = f"it is not clear what {quote_words(uncovered[:5])} means in this question."
        return {"answer": make_refusal("unknown-qualifier", why, unused=uncovered)}
    with context.measure_time("linking"):
        queries = candidate_queries(query_context, limit=settings.query_limit, row_limit=settings.row_limit)
    rejected = state.get("rejected", frozenset())
    queries = tuple(query for query in queries if rejected.isdisjoint(_all_predicates(query)))
    if not queries:
        unknown = _unknown_modifiers(state)
        why = _missing_relations(state)
        return {
            "answer": make_unused_refusal(unknown, state["card"]) if unknown else make_refusal("unknown-relation", why)
        }
    ambiguous = _ambiguous_predicates(queries)
    if ambiguous:
        labels = [one.label for one in ambiguous]
        question, why = ask_which("", ambiguous), f"it may mean as well {join_texts(labels, 'or', MAX_JOINED)}."
        refusal = make_refusal("ambiguous", why, clarification=question.clarification)
        return {"answer": question if settings.clarify == "ask" else refusal}
    if missing := _missing_words(state, queries[0], context.kg):
        return {"answer": make_unused_refusal(unknown_first(missing, state["card"]), state["card"])}
    if queries[0].score < MIN_QUERY_SCORE or _is_weak(queries[0]):
        why = "nothing in this graph fits the question closely enough."
        return {"answer": make_refusal("too-unsure", why)}
    with context.measure_time("selection"):
        ordered = _select_queries(query_context, queries, context)
    if not ordered:
        why = "no relation of this graph gives what the question asks for."
        return {"answer": make_refusal("unknown-relation", why)}
    if rejected:
        queries = tuple(without_things(query_context, query, rejected) for query in queries)
        ordered = [without_things(query_context, query, rejected) for query in ordered]
    with context.measure_time("execution"):
        features, answer = _execute(state, context, query_context, ordered)
        ambiguity = find_ambiguity(query_context, state.get("namesakes", {}), queries, settings.row_limit)
        if ambiguity is not None and (answer.reason is None or settings.clarify != "best"):
            answer = _settle_ambiguity(answer, ambiguity, context)
    candidates = tuple(CandidateQuery(query.sparql, min(1.0, query.score)) for query in ordered[:MAX_LISTED_CANDIDATES])
    return {"answer": replace(answer, candidates=candidates), "features": features}


def _execute(
    state: AgentState, context: AgentContext, query_context: QueryContext, queries: Sequence[Query]
) -> tuple[Mapping[str, float], Answer]:
    """Run the queries and return the answer, with the features of its confidence."""
    context.progress.report_query(queries[0].sparql)
    result = execute_queries(queries, context.kg)
    context.candidate_queries += result.request_count
    history = state.get("history", ()) if state.get("is_follow_up") else ()
    is_rewritten = bool(history) and state["standalone"] != state["question"]
    reading = ParseEvidence(state.get("parse_score", 1.0), is_rewritten, history)
    features = extract_features(query_context, queries, result, reading)
    confidence = round(load_confidence_model().estimate(features), 4)
    if result.is_empty and not _counts_none(result.query, context.kg):
        return features, _empty_answer(queries[0], context, confidence)
    if confidence < context.settings.threshold:
        why = f"the best answer is too unsure ({confidence:.2f})."
        return features, make_refusal("too-unsure", why, sparql=result.query.sparql)
    context.progress.report(AnswerStep("check", "Checking the result"))
    witness = fetch_witness(result, context.kg)
    return features, build_answer(result, witness, context.kg, context.settings.row_limit, confidence)


def _empty_answer(query: Query, context: AgentContext, confidence: float) -> Answer:
    """Return an empty answer if the graph states each part of the question, else a refusal."""
    bodies = query.pattern.bodies
    conditions = [c for body in bodies for c in body.conditions if c.operator in _COMPARISONS and c.value]
    comparisons = [c for c in conditions if c.operator != "=" or c.reading in _MEASURES]
    relaxed = (replace(b, conditions=tuple(c for c in b.conditions if c not in comparisons)) for b in bodies)
    wider = " UNION ".join(f"{{ {body.to_sparql()} }}" for body in relaxed)
    if comparisons and not query.modifier.having and context.kg.endpoint.ask(f"ASK {{ {wider} }}"):
        told = dict.fromkeys(f"{_COMPARISONS[c.operator]} {c.value[:60]}".strip() for c in comparisons)
        why = f"the graph states such values, and none of them is {' and '.join(told)}."
        answer = make_empty_answer(query.sparql, why)
    elif _is_stated_separately(query, context.kg):
        answer = make_empty_answer(query.sparql)
    else:
        answer = make_not_stated_refusal(query.sparql)
    return replace(
        answer,
        confidence=confidence if answer.status == "empty" else 0.0,
        notes=(*answer.notes, *spelling_notes(linked_entities(query))),
    )


def _counts_none(query: Query, kg: KnowledgeGraph) -> bool:
    """Tell whether a count of 0 is a number: the relations are linked clearly, and the graph states such things."""
    is_count = query.modifier.kind in ("count", "having count")
    is_clear = all(edge.candidate.score >= _CLEAR_COUNT_SCORE for edge in query.interpretation.edges)
    is_restricted = bool(query.modifier.having or query.pattern.conditions) or _is_stated_separately(query, kg)
    return is_count and is_clear and is_restricted


def _is_stated_separately(query: Query, kg: KnowledgeGraph) -> bool:
    """Tell whether a query has results without one of its named terms, or without its negation."""
    wider = " UNION ".join(f"{{ {body.to_sparql()} }}" for body in relax_pattern(query.pattern))
    return bool(wider) and not query.modifier.having and kg.endpoint.ask(f"ASK {{ {wider} }}")


def _select_queries(query_context: QueryContext, queries: Sequence[Query], context: AgentContext) -> list[Query]:
    """Return the queries to run, best first; the first unites the chosen synonyms. Empty if no predicate fits."""
    choices = predicate_choices(queries, context.kg)
    chosen = choices.select_near_best()
    if not choices.is_unambiguous and context.settings.switches_of(ChattySwitches).selection:
        try:
            reply = context.request_reply(AGENT, {"question": query_context.question, "relations": choices})
            chosen = frozenset(reply.value["predicates"])
        except (ReplyInvalid, ModelRefused, ContextTooLong):
            chosen = choices.select_near_best()
    if choices.choice_count and not chosen:
        return []
    kept = choices.filter_queries(queries, chosen)
    rest = [query for query in queries if query not in kept]
    if not kept:
        return rest
    best = kept[0]
    union = [query for query in kept if query.score >= _UNION_SCORE_RATIO * best.score]
    first = union_query(best, union, query_context, context.settings.row_limit)
    return [first, *(query for query in (*kept, *rest) if query.sparql != first.sparql)]


def _missing_words(state: AgentState, query: Query, kg: KnowledgeGraph) -> tuple[str, ...]:
    """Return the words that restrict the question and that its reading or the links leave out.

    What a label of the query says again, or says more narrowly, is not left out.
    """
    question = state["standalone"]
    readings = [
        r for r in state.get("readings", ())[:1] if not any(name in kg.vocabulary.classes for _, name in r.qir.classes)
    ]
    left_out = (restricting_words(question, r.unused, r.qir) for r in readings)
    words = (*(word for words in left_out for word in words), *_unmatched_words(query, question, kg.vocabulary))
    lemmas = {lemma for text in _labels_of(query, kg.vocabulary) for lemma in analyze_phrase(text).content_lemmas}
    names = {name for lemma in lemmas for name in (lemma, *hypernyms(lemma, _WIDER_LEVELS))}
    said = {stem for name in names for stem in related_stems(name)}
    return tuple(word for word in dict.fromkeys(words) if said.isdisjoint(related_stems(word.lower())))


def _labels_of(query: Query, vocabulary: Vocabulary) -> Iterator[str]:
    """Yield the labels of the predicates of a query, of the classes that they relate, and of the kinds of its things.

    "Which firm built it" has a firm in the range of its relation.
    """
    entries = [vocabulary.predicates[iri] for iri in _all_predicates(query) if iri in vocabulary.predicates]
    classes = {iri for entry in entries for iri in (*entry.domains[:1], *entry.ranges[:1])}
    yield from (name for entry in entries for name in (entry.label, *entry.alt_labels))
    yield from (vocabulary.classes[iri].label for iri in classes if iri in vocabulary.classes)
    for link in query.interpretation.grounded.entity_links.values():
        yield from (label for candidate in link.candidates for label in candidate.types)


def _is_weak(query: Query) -> bool:
    """Tell whether a query denies a relation, or answers yes or no, by words that are linked weakly.

    Nearly everything is not so, and to have anything at all is no answer to what is asked.
    """
    edges = query.interpretation.edges
    is_existence = query.interpretation.grounded.qir.shape == "boolean" and len(edges) == 1
    decisive = (e for e in edges if e.is_negated or (is_existence and any(map(is_unknown, e.relation.ends()))))
    return any(
        edge.candidate.score < _WEAK_SCORE and not is_function_phrase(edge.relation.relation) for edge in decisive
    )


def _unmatched_words(query: Query, question: str, vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return the words of the question that the link of a relation leaves out: "vegan" of "vegan breakfast"."""
    lexicon = lexicon_of(vocabulary)
    edges = [e for e in query.interpretation.edges if e.relation.relation not in e.candidate.predicates]
    words = (w for edge in edges for w in unmatched_words(edge.relation.relation, edge.candidate.label))
    spelled = (word for word in words if correct_spelling(word, lexicon) == word)
    return tuple(word for word in spelled if word in question.lower() and not _is_verb(word))


def _is_verb(word: str) -> bool:
    return word.endswith(("ing", "ed")) or is_verb(lemma_of(word))


def _all_predicates(query: Query) -> frozenset[str]:
    """Return the predicates of a query, those of second steps included."""
    return query.predicates().union(*(edge.candidate.second_predicates for edge in query.interpretation.edges))


def _ambiguous_predicates(queries: Sequence[Query]) -> tuple[ClarificationOption, ...]:
    """Return the predicates that tie because the question gives no words for the relation; else ()."""
    best = queries[0]
    classed = {end for end, _ in best.interpretation.classes}
    for index, edge in enumerate(best.interpretation.edges):
        is_vague = is_function_phrase(edge.relation.relation) and not classed & set(edge.relation.ends())
        if not (is_vague or is_locative_phrase(edge.relation.relation)) or edge.candidate.score >= _CLEAR_SCORE:
            continue
        tied = [
            q.interpretation.edges[index].candidate
            for q in queries
            if q.score >= _TIE_RATIO * best.score and q.interpretation.grounded.qir is best.interpretation.grounded.qir
        ]
        iris = {candidate.label: candidate.last_predicate for candidate in reversed(tied)}
        if len(iris) > 1:
            labels = dict.fromkeys(candidate.label for candidate in tied)
            return tuple(ClarificationOption(label, iris[label]) for label in labels)[:_MAX_TIED]
    return ()


def _unknown_modifiers(state: AgentState) -> tuple[str, ...]:
    """Return the words of missing phrases that no mention holds beside one that is held ("vegan" of vegan films)."""
    known = frozenset(word for m in state["card"].mentions for word in m.text.lower().split())
    question = state["standalone"].lower()
    phrases = [p for p in (*state["qir"].relations(), *(name for _, name in state["qir"].classes)) if p in question]
    words = [phrase.lower().split() for phrase in phrases]
    partly = [each for each in words if known.intersection(each) and not known.issuperset(each)]
    return tuple(w for each in partly for w in each if w not in known and not is_function_phrase(w))


def _missing_relations(state: AgentState) -> str:
    known = {mention.text.lower() for mention in state["card"].mentions_of_kind("predicate")}
    relations = [phrase for phrase in state["qir"].relations() if phrase]
    entities = state["qir"].entities()
    if relations and len(entities) == 1 and known.issuperset(phrase.lower() for phrase in relations):
        return f"the graph does not state {quote_words(relations)} of {entities[0][:60]}."
    phrases = ", ".join(f'"{phrase[:60]}"' for phrase in state["qir"].relations() if phrase)
    classes = ", ".join(f'"{name[:60]}"' for _, name in state["qir"].classes)
    if phrases:
        return f"the graph has nothing that fits {phrases}."
    if classes:
        return f"the graph has nothing that fits {classes}."
    if state["qir"].shape == "boolean":
        return "the question names nothing in the graph that could be true or false."
    return "the graph has nothing that fits."


def _settle_ambiguity(answer: Answer, ambiguity: Ambiguity, context: AgentContext) -> Answer:
    """Return the answer to a question with several readings, as the settings want it.

    Raises:
        EndpointError: the KG could not be asked.
    """
    hidden = frozenset(iri for reading in ambiguity.readings for iri in reading.result.query.predicates())
    terms = tuple((reading.iri, reading.label) for reading in ambiguity.readings)
    return settle_readings(answer, ambiguity.phrase, terms, ambiguity.answer_count, hidden, context)
