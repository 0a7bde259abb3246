"""The rule model's replies to the classifier, the rephraser, the matching agent and the planning agent."""

from __future__ import annotations

from typing import Any

from chattyshared.model import Request

from chattykg.linking.candidates import MentionBatch, MentionCandidates
from chattykg.query.predicate_selection import PredicateChoices
from chattykg.rulebook.followups.detection import is_context_dependent
from chattykg.rulebook.followups.rewriting import rewrite_follow_up


def classify_question(request: Request) -> Any:
    """Reply whether the question is a follow-up, given its history."""
    history = request.variables["history"].history
    is_follow_up = bool(history) and is_context_dependent(str(request.variables["question"]), history)
    return {"kind": "follow-up" if is_follow_up else "self-contained"}


def rephrase_question(request: Request) -> Any:
    """Reply with the question as one that stands alone."""
    variables = request.variables
    question = str(variables["question"])
    return {"question": rewrite_follow_up(question, variables["history"], tuple(variables["referents"]))}


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
