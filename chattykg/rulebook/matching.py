"""The rule of the matching agent: of the candidates shown, those whose label and facts fit best."""

from __future__ import annotations

from typing import Any

from chattyshared.model import Request

from chattykg.linking.candidates import MentionBatch, MentionCandidates


def rule(request: Request) -> Any:
    """Choose for each mention the candidates that fit as well as the best one does, or nearly."""
    mentions: MentionBatch = request.variables["mentions"]
    return {
        "choices": [
            {"mention": number, "candidates": _chosen(mention)} for number, mention in enumerate(mentions.mentions, 1)
        ]
    }


def _chosen(mention: MentionCandidates) -> list[int]:
    best = mention.select_near_best()
    return [number for number, candidate in enumerate(mention.candidates, 1) if candidate in best]
