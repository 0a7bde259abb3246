"""Values of yes-no questions: one that the KG states, or a distractor, a similar one that it does not state."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from random import Random

from chattyshared.kg import KnowledgeGraph
from chattyshared.terms import Term
from rdflib import Literal, URIRef

from chattygen.subgraph.extraction import shared_class
from chattygen.subgraph.facts import Fact, HiddenEnds, Summary
from chattygen.subgraph.predicate_salience import has_trailing_punctuation, repeats_label
from chattygen.subgraph.predicate_use import frequent_values, looks_like_measure

MAX_OFFER_WORDS = 10
"""The most words of an offered value."""


def offer_value(kg: KnowledgeGraph, summary: Summary, number: int, rng: Random) -> Summary | None:
    """Return the summary with a value of a yes-no question on one fact, true or false with equal probability.

    A false value has the same class or datatype and is not stated for the entity. Return None unless both a true and a
    false value exist that do not repeat the entity's label: otherwise true values would be more frequent.
    """
    fact, hidden = summary.fact_by_number(number)
    true_values = _short_texts(kg, sorted(hidden.ends), summary.entity.label)
    stated = set(hidden.ends) | {summary.entity.iri}
    names = {name.casefold() for name in _short_texts(kg, hidden.ends, "").values()}
    false_values = {
        term: name
        for term, name in _short_texts(kg, _similar_terms(kg, summary, fact, hidden, rng), summary.entity.label).items()
        if term not in stated and name.casefold() not in names
    }
    if not true_values or not false_values:
        return None
    is_true = rng.random() < 0.5
    candidates = list(true_values.items())
    term, name = candidates[rng.randrange(len(candidates))] if is_true else next(iter(false_values.items()))
    index = summary.facts.index(fact)
    facts, all_hidden = list(summary.facts), list(summary.hidden)
    facts[index] = replace(fact, offered_value=name)
    all_hidden[index] = replace(hidden, offered_term=term, is_offer_true=is_true)
    return Summary(summary.entity, tuple(facts), tuple(all_hidden))


def _short_texts(kg: KnowledgeGraph, terms: Iterable[Term], label: str) -> dict[Term, str]:
    """Return the text of each term, if it is short and does not repeat the label."""
    all_terms = list(terms)
    labels = kg.labels([term for term in all_terms if isinstance(term, URIRef)])
    texts = {term: str(term) if isinstance(term, Literal) else labels.get(term, "") for term in all_terms}
    return {
        term: text
        for term, text in texts.items()
        if text
        and len(text.split()) <= MAX_OFFER_WORDS
        and not repeats_label(text, label)
        and not has_trailing_punctuation(text, is_name=isinstance(term, URIRef))
        and not looks_like_measure(text)
    }


def _similar_terms(kg: KnowledgeGraph, summary: Summary, fact: Fact, hidden: HiddenEnds, rng: Random) -> Sequence[Term]:
    """Return values similar to the stated ones, in random order."""
    sample = hidden.ends[0]
    if isinstance(sample, Literal):
        return frequent_values(kg, summary.entity.type, fact.last_step.predicate, sample, rng)
    type_iri = shared_class(kg, kg.types_of(hidden.ends[:50]).values())
    return kg.sample_entities(type_iri, rng=rng, limit=len(hidden.ends) + 5) if type_iri else ()
