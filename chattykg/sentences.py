"""Sentences made from a query itself, so that a person sees what was really asked."""

from __future__ import annotations

from collections.abc import Mapping

from chattyshared.terms import Term

from chattykg.queries import Edge, Query
from chattykg.sparql import Condition

_OPERATORS = {
    "=": "is", "!=": "is not", "<": "is less than", "<=": "is at most", ">": "is more than", ">=": "is at least",
    "contains": "contains", "starts": "starts with", "ends": "ends with",
}  # fmt: skip
_LONGEST = 400
_NAMELESS = frozenset("who what which answer x y one it".split())


def sentence(query: Query, labels: Mapping[Term, str]) -> str:
    """Say in words what a query asks: "film that director Ann Lee and release year is more than 2010"."""
    said = _Sentence(query)
    return said.whole()[:_LONGEST]


class _Sentence:
    def __init__(self, query: Query) -> None:
        self.query = query
        self.qir = query.choice.grounded.qir
        self.classes: dict[str, str] = {}
        for end, found in query.choice.classes:
            self.classes.setdefault(end, found.label)

    def whole(self) -> str:
        conditions = [self.edge(edge) for edge in self.query.choice.edges]
        conditions += [self.condition(condition) for condition in self.query.body.conditions]
        conditions += [
            f"{self.name(end)} is a {found.label}"
            for end, found in self.query.choice.classes
            if not end.startswith("?")
        ]
        told = " and ".join(dict.fromkeys(conditions))
        if self.query.form.kind == "ask":
            return f"whether {told}" if told else ""
        target = self.head()
        return f"{target} such that {told}{self.ending()}" if told else f"{target}{self.ending()}"

    def head(self) -> str:
        target = self.name(self.qir.target)
        kind = self.query.form.kind
        if kind in ("count", "having count"):
            return f"how many different {target}"
        if kind == "aggregate":
            spoken = {"sum": "sum", "avg": "average", "min": "least", "max": "greatest"}[self.query.form.aggregate]
            return f"the {spoken} of {target}"
        return f"every {target}"

    def name(self, end: str) -> str:
        if not end.startswith("?"):
            anchor = self.query.choice.grounded.anchors.get(end)
            return anchor.candidates[0].label if anchor else end
        word = end.lstrip("?").replace("_", " ") or "thing"
        return self.classes.get(end, "thing" if word in _NAMELESS else word)

    def edge(self, edge: Edge) -> str:
        subject, other = edge.relation.ends() if edge.option.forward else edge.relation.ends()[::-1]
        verb = "has no" if edge.negated else "has"
        return f"{self.name(subject)} {verb} {edge.option.label.removeprefix('has ')} {self.name(other)}"

    def condition(self, condition: Condition) -> str:
        names = {variable: unknown for unknown, variable in self._variables().items()}
        value = condition.value or self.name(names.get(condition.other, condition.other))
        return (
            f"{self.name(names.get(condition.variable, condition.variable))} {_OPERATORS[condition.operator]} {value}"
        )

    def ending(self) -> str:
        order = self.qir.order
        if order is None or self.query.form.kind not in ("extreme", "ranked", "most"):
            return ""
        way = "most" if order.descending else "least"
        what = f"number of {self.name(order.by)}" if order.count else self.name(order.by)
        return f", with the {'highest' if way == 'most' else 'lowest'} {what}"

    def _variables(self) -> Mapping[str, str]:
        return {unknown: "?" + "".join(mark for mark in unknown if mark.isalnum()) for unknown in self.qir.unknowns()}
