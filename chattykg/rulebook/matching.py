"""The rule of the matching agent: of the candidates shown, those whose label and facts fit best."""

from __future__ import annotations

from typing import Any

from chattyshared.model import Request

from chattykg.linking.candidates import Candidate, Mention, Mentions

_NEAR = 0.93
_MOST = 6


def rule(request: Request) -> Any:
    """Choose for each mention the candidates that fit as well as the best one does, or nearly."""
    mentions: Mentions = request.variables["mentions"]
    return {
        "choices": [
            {"mention": number, "candidates": _chosen(mention)} for number, mention in enumerate(mentions.items, 1)
        ]
    }


def _chosen(mention: Mention) -> list[int]:
    """Exact candidates go before others; among them the degree of fit decides, never how often a thing is used."""
    exact = [candidate for candidate in mention.candidates if candidate.is_exact]
    among = exact or list(mention.candidates)
    best = max(_worth(candidate) for candidate in among)
    return [
        number
        for number, candidate in enumerate(mention.candidates, 1)
        if candidate in among and _worth(candidate) >= _NEAR * best
    ][:_MOST]


def _worth(candidate: Candidate) -> float:
    return candidate.score * (0.6 + 0.4 * candidate.fit)
