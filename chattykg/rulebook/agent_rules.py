"""The rule model's replies to the classifier, the rephraser, the matching agent and the planning agent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chattyshared.dialogue import History
from chattyshared.language.languages import ENGLISH, language_of
from chattyshared.model import Request

from chattykg.linking.candidates import MentionBatch, MentionCandidates
from chattykg.query.predicate_selection import PredicateChoices
from chattykg.rulebook.followups.detection import is_context_dependent
from chattykg.rulebook.followups.ellipsis import substitute_degree
from chattykg.rulebook.followups.event_attributes import ask_attribute, is_attribute_fragment
from chattykg.rulebook.followups.rewriting import rewrite_follow_up
from chattykg.rulebook.followups.turns import apply_turn, read_state, read_turn
from chattykg.rulebook.followups.word_list_rewriting import EarlierTurns, refers_back, rewrite_by_word_lists


def classify_question(request: Request) -> Any:
    """Reply whether the question is a follow-up, given its history."""
    variables = request.variables
    history, question = variables["history"].history, str(variables["question"])
    if history and language_of(question) is not ENGLISH:
        return {"kind": "follow-up" if refers_back(question, language_of(question)) else "self-contained"}
    is_follow_up = bool(history) and (
        is_context_dependent(question, history)
        or is_attribute_fragment(question)
        or read_turn(question, variables["known"]) is not None
    )
    return {"kind": "follow-up" if is_follow_up else "self-contained"}


def rephrase_question(request: Request) -> Any:
    """Reply with the question as one that stands alone."""
    variables = request.variables
    question, history = str(variables["question"]), variables["history"].history
    referents = tuple(each for each in variables["referents"] if each.role != "event")
    if history and language_of(question) is not ENGLISH:
        return {"question": _rewrite_foreign(question, history, variables)}
    attribute = ask_attribute(question, variables["referents"])
    if attribute:
        return {"question": attribute}
    said = [exchange.answer.standalone or exchange.question for exchange in history]
    degree = substitute_degree(question, said[-1]) if said else ""
    if degree:
        return {"question": degree}
    turn = read_turn(question, variables["known"]) if history else None
    if turn is not None:
        standalone = apply_turn(turn, read_state(said, variables["known"], referents))
        if standalone:
            return {"question": standalone}
    return {"question": rewrite_follow_up(question, variables["history"], referents)}


def _rewrite_foreign(question: str, history: History, variables: Mapping[str, Any]) -> str:
    """Return a question in another language than English as one that stands alone."""
    earlier = variables["known"].earlier
    conversation = EarlierTurns(
        asked=[exchange.question for exchange in history],
        standalone=[exchange.answer.standalone or exchange.question for exchange in history],
        referents=tuple(each for each in variables["referents"] if each.role != "event"),
        previous_card=earlier[0] if earlier else None,
    )
    return rewrite_by_word_lists(question, language_of(question), conversation)


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


def _near_best(mention: MentionCandidates) -> list[int]:
    best = mention.select_near_best()
    return [number for number, candidate in enumerate(mention.candidates, 1) if candidate in best]
