"""The rule of the planning agent: keep the predicates that fit their relation as well as the best one does."""

from __future__ import annotations

from typing import Any

from chattyshared.model import Request

from chattykg.query.predicate_selection import PredicateChoices


def rule(request: Request) -> Any:
    """Choose, for each relation, the predicates near its best score."""
    relations: PredicateChoices = request.variables["relations"]
    return {"predicates": sorted(relations.select_near_best())}
