"""The rule model's replies to the classifier, the rephraser, the QIR, matching, planning and verification agents."""

from __future__ import annotations

import re
from typing import Any

from chattyshared.language.identification import identify_foreign_language
from chattyshared.language.morphology import (
    COUNTRIES_BY_DEMONYM,
    FUNCTION_WORDS,
    drop_bracketed,
    lemma_stem_of,
    normalize_text,
    split_label,
)
from chattyshared.language.quantities import MONTHS
from chattyshared.language.tokenizer import tokenize
from chattyshared.model import Request

from chattykg.linking.candidates import MentionBatch, MentionCandidates
from chattykg.linking.similarity import lexical_similarity
from chattykg.qir import QIR, QuestionReading, readings_to_json, to_json
from chattykg.query.judgement import agrees_with_form
from chattykg.query.predicate_selection import PredicateChoices
from chattykg.rulebook.followups.missing import find_missing, find_unnamed, is_unstated
from chattykg.rulebook.followups.rewriting import is_follow_up, rewrite_follow_up
from chattykg.rulebook.grammar.parser import parse

_NUMBER = re.compile(r"\d+")
MIN_RELATED_SCORE = 0.4
"""Similarity (0..1) of a word of the question and a relation of a query from which the one may mean the other; set by
hand."""


def classify_question(request: Request) -> Any:
    """Reply whether the question is a follow-up, given its history."""
    variables = request.variables
    question, history = str(variables["question"]), variables["history"].history
    is_context_dependent = bool(history) and is_follow_up(question, history, variables["known"])
    return {"kind": "follow-up" if is_context_dependent else "self-contained"}


def rephrase_question(request: Request) -> Any:
    """Reply with the question as one that stands alone."""
    variables = request.variables
    question, history = str(variables["question"]), variables["history"].history
    if not history:
        return {"question": question}
    return {"question": rewrite_follow_up(question, history, variables["referents"], variables["known"])}


def choose_entities(request: Request) -> Any:
    """Reply with the candidates of each mention that score about as high as its best one."""
    mentions: MentionBatch = request.variables["mentions"]
    return {
        "choices": [
            {"mention": number, "candidates": _near_best(mention)}
            for number, mention in enumerate(mentions.mentions, 1)
        ]
    }


def choose_predicates(request: Request) -> Any:
    """Reply with the predicates of each relation that score about as high as its best one."""
    relations: PredicateChoices = request.variables["relations"]
    return {"predicates": sorted(relations.select_near_best())}


def verify_candidate(request: Request) -> Any:
    """Reply yes if the question names all things and values of the query and a word of its relations, if the query has
    all names of the question, and if both or neither ask for a truth value.

    Of a question in another language than English only the names and values can be found.
    """
    question, query = str(request.variables["question"]), request.variables["candidate"]
    tokens = [token for token in tokenize(question) if token.kind not in ("mark", "possessive")]
    asked = _stems(" ".join(f"{token.lower} {COUNTRIES_BY_DEMONYM.get(token.lower, '')}" for token in tokens))
    texts = [value for value in query.values if any(map(str.isalpha, value))]
    labels = [*map(drop_bracketed, query.names), *texts]
    is_named = not any(asked.isdisjoint(_stems(label)) for label in labels)
    numbers = set(_NUMBER.findall(" ".join({*query.values}.difference((*texts, "0")))))
    has_number = not numbers or not numbers.isdisjoint(_NUMBER.findall(question.replace(",", "")))
    if identify_foreign_language(question) is not None:
        return {"verdict": "yes" if labels and is_named and has_number else "no"}
    scores = (lexical_similarity(token.lower, label) for token in tokens for label in query.relations)
    is_related = not query.relations or max(scores, default=0.0) >= MIN_RELATED_SCORE
    known = _stems(" ".join((*labels, *query.relations, *MONTHS)))
    names = [token.lower for token in tokens[1:] if token.is_capitalized and _stems(token.lower)]
    has_names = all(known & _stems(f"{name} {COUNTRIES_BY_DEMONYM.get(name, '')}") for name in names)
    fits = agrees_with_form(question, QIR("boolean" if query.is_ask else "list"))
    return {"verdict": "yes" if is_named and has_number and is_related and has_names and fits else "no"}


def _stems(text: str) -> set[str]:
    return {
        lemma_stem_of(word)
        for word in split_label(normalize_text(text).replace("'s", ""))
        if word not in FUNCTION_WORDS
    }


def _near_best(mention: MentionCandidates) -> list[int]:
    best = mention.select_near_best()
    return [number for number, candidate in enumerate(mention.candidates, 1) if candidate in best]


def represent_question(request: Request) -> Any:
    """Reply with the readings of the question as JSON, an empty one if there is none; with a way out where it refers to
    what nobody named, and where no graph answers."""
    question, card = str(request.variables["question"]), request.variables["card"]
    if missing := find_missing(question, card):
        return {"shape": "missing", "unused": [missing]}
    if is_unstated(question, card):
        return {"shape": "none"}
    readings = [QuestionReading(each.qir, each.score, each.unused) for each in parse(question, card)]
    if not readings:
        return to_json(QIR("list", ""))
    unnamed = find_unnamed(question, readings[0].qir, card)
    return {"shape": "missing", "unused": [unnamed]} if unnamed else readings_to_json(readings)
