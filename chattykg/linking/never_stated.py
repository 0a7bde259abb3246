"""What must not hold, of a value: a predicate under which the graph never states that value would exclude nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from chattykg.linking.candidates import Anchor
from chattykg.linking.options import Option
from chattykg.qir import Relation

_NEVER = 0.6


def stated_first(found: Sequence[Option], relation: Relation, anchors: Mapping[str, Anchor]) -> tuple[Option, ...]:
    """Return the options of a negated relation with those last that the value is never stated under.

    "Not from X" is read by the predicate that has X; one that is named by the very words stays ahead all the same.
    """
    values = [anchors[end] for end in relation.ends() if end in anchors and anchors[end].kind == "value"]
    if not values:
        return tuple(found)
    stated = {iri for anchor in values for candidate in anchor.candidates for iri in candidate.predicates}
    weighed = (
        option
        if stated.intersection((*option.predicates, *option.then))
        else replace(option, score=option.score * _NEVER)
        for option in found
    )
    return tuple(sorted(weighed, key=lambda option: -option.score))
