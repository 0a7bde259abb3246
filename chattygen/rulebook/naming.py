"""The rule model's answers to ``generate/label`` and ``generate/query``."""

from __future__ import annotations

import re
from typing import Any

from chattyshared.model import Request

from chattygen.label_predicates import Candidate

_NAMES = ("label", "preflabel", "name", "title", "full name", "pref label", "preferred label")


def label(request: Request) -> dict[str, Any]:
    """Choose the candidate that names things best: on most of them, differing, named like a name, short, no codes.

    Where one property says another one's text and more (a code, a country), the shorter one is the name, provided
    that it still tells things apart.
    """
    found: tuple[Candidate, ...] = request.variables["candidates"]
    return {"candidate": max(found, key=lambda one: (_score(one, found), -one.number)).number}


def _score(one: Candidate, others: tuple[Candidate, ...]) -> float:
    name = one.label.casefold()
    score = 2.0 * one.share + 2.0 * one.distinct
    score += 1.5 if name in _NAMES else 0.5 if any(word in _NAMES for word in name.split()) else 0.0
    score -= 2.0 * sum(bool(re.search(r"\d{3,}", text)) for text in one.samples) / len(one.samples)
    if one.distinct > 0.95 and any(_is_within(one, other) for other in others if other is not one):
        score += 1.0
    return score


def _is_within(one: Candidate, other: Candidate) -> bool:
    """Tell whether the samples of one are the beginnings or ends of the samples of another, which say more."""
    texts = [text.casefold() for text in one.samples]
    longer = [text.casefold() for text in other.samples]
    within = sum(any(text in more and text != more for more in longer) for text in texts)
    return within > 0.5 * len(texts)


def unordered_query(request: Request) -> dict[str, Any]:
    """Write the query of a question from the triples that the prompt shows."""
    lines = str(request.variables["triples"]).splitlines()
    body = " ".join(line for line in lines if line.endswith(" ."))
    tags = [tag for line in lines if not line.endswith(" .") for tag in re.findall(r"'([\w-]*)'", line)]
    if tags:
        body += " FILTER(" + " || ".join(f'LANG(?x) = "{tag}"' for tag in tags) + ")"
    form = request.variables["form"]
    if form == "boolean":
        return {"sparql": f"ASK {{ {body} }}"}
    goal = "(COUNT(DISTINCT ?x) AS ?n)" if form == "count" else "DISTINCT ?x"
    return {"sparql": f"SELECT {goal} WHERE {{ {body} }}"}
