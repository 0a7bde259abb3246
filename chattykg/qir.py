"""The question intermediate representation (Chatty-KG, Definition 3.2), with additional solution modifiers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Literal

from chattyshared.language.quantities import split_amount

Shape = Literal["boolean", "count", "number", "date", "one", "list", "table"]
Operator = Literal["=", "!=", "<", "<=", ">", ">=", "contains", "starts", "ends"]
_MEASURE_START = re.compile(r"[-\d?]")
WAYS_OUT = ("beyond", "missing", "none")
"""Shapes of a reply that is no QIR: none can say the question, it refers to nothing, or no graph answers it."""
MEAN = "average"
"""The value of a filter that compares with the mean of its unknown."""
TEXT_OPERATORS = ("contains", "starts", "ends")
"""Operators of filters that look for a part of a text."""


def is_unknown(end: str) -> bool:
    """Tell whether an end of a relation is an unknown (``?film``), not a mention."""
    return end.startswith("?")


@dataclass(frozen=True, slots=True)
class Relation:
    """One triple of RF: each end is a mention of the question, or an unknown ``?name``.

    The relation phrase is the question's or a predicate's label; its direction is the phrase's reading
    (``Inception, directed by, ?x``); linking tries both directions.
    """

    subject: str
    relation: str
    object: str

    def ends(self) -> tuple[str, str]:
        """Return both ends."""
        return self.subject, self.object


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition on an unknown that stands for a literal (``?date >= 2010``) or on a label (``?x contains "ring"``).

    ``value`` is a number, a date in ISO form or a year, or text; or another unknown for a comparison of two values;
    or ``average`` for one with the mean over all things of the class. ``unit`` is that of a number, "" without one.
    """

    unknown: str
    operator: Operator
    value: str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Order:
    """Sorting: by the value of an unknown, or (``count``) by how many of it there are for each target.

    With ``per`` the first or last is taken for each value of that unknown ("the longest song of each album").
    """

    by: str
    descending: bool = True
    count: bool = False
    limit: int = 1
    offset: int = 0
    per: str = ""


@dataclass(frozen=True, slots=True)
class Having:
    """A condition on how many of ``counted`` there are for each ``group`` ("films with more than two actors")."""

    group: str
    counted: str
    operator: Operator
    value: str


Alternative = tuple[Any, ...]
"""Conditions of a QIR that hold together: relations, filters, and pairs of ``classes`` and ``values``."""


@dataclass(frozen=True, slots=True)
class QIR:
    """(E, U, R, RF) and modifiers.

    ``target`` is the unknown asked for ("" for a boolean); for shape ``count`` the unknown whose values are counted;
    for ``aggregate`` the unknown over which it is taken; ``targets`` all columns of a table, first one included.
    ``classes`` constrains unknowns by class mentions; ``values`` bounds unknowns to listed mentions
    ("which of A, B and C"); ``negated`` are relations that must not hold. Each group of ``either`` holds conditions of
    these fields of which those of one alternative are enough ("hotels or inns", "in 1990 or 1992"); with ``compute``
    the two alternatives of its only group are not united: the number that the first gives is compared with that of the
    second. ``optional`` are unknowns of a table that need no value; ``aggregates`` are the columns of a table that are
    counts or aggregates of an unknown, for each value of the other ``targets`` if there are any.
    """

    shape: Shape
    target: str = ""
    triples: tuple[Relation, ...] = ()
    classes: tuple[tuple[str, str], ...] = ()
    filters: tuple[Filter, ...] = ()
    negated: tuple[Relation, ...] = ()
    values: tuple[tuple[str, tuple[str, ...]], ...] = ()
    order: Order | None = None
    having: tuple[Having, ...] = ()
    aggregate: Literal["", "sum", "avg", "min", "max"] = ""
    targets: tuple[str, ...] = ()
    either: tuple[tuple[Alternative, ...], ...] = ()
    compute: Literal["", "difference", "ratio", "percent"] = ""
    optional: tuple[str, ...] = ()
    aggregates: tuple[tuple[str, str], ...] = ()

    def branches(self) -> tuple[QIR, ...]:
        """Return a QIR without alternatives for each choice among them; its union is what this one asks."""
        optional = {condition for group in self.either for each in group for condition in each}
        return tuple(self._without(optional.difference(*choice)) for choice in product(*self.either))

    def _without(self, conditions: set[Any]) -> QIR:
        kept: dict[str, Any] = {n: tuple(c for c in getattr(self, n) if c not in conditions) for n in _CONDITIONS}
        return replace(self, either=(), compute="", **kept)

    def entities(self) -> tuple[str, ...]:
        """Return E: the mentions of vertices and values, in order of first use, without repeats."""
        ends = (end for relation in (*self.triples, *self.negated) for end in relation.ends())
        listed = (mention for _, mentions in self.values for mention in mentions)
        return tuple(dict.fromkeys(end for end in (*ends, *listed, *self.excluded_names()) if not is_unknown(end)))

    def excluded_names(self) -> tuple[str, ...]:
        """Return the names that an unknown must not be."""
        return tuple(f.value for f in self.filters if f.operator == "!=" and not _MEASURE_START.match(f.value))

    def unknowns(self) -> tuple[str, ...]:
        """Return U, in order of first use, without repeats."""
        return tuple(dict.fromkeys(self._unknowns()))

    def restricted_unknowns(self) -> frozenset[str]:
        """Return the unknowns that are asked for, or of which more is said than relations and classes."""
        unknowns = {self.target, *self.targets, *(unknown for unknown, _ in self.values)}
        unknowns |= {end for condition in self.filters for end in (condition.unknown, condition.value)}
        unknowns |= {self.order.by} if self.order else set()
        return frozenset(unknowns | {end for having in self.having for end in (having.group, having.counted)})

    def is_bound(self) -> bool:
        """Tell whether relations, classes or values bind each unknown that is asked for, compared, sorted, counted."""
        bound = {end for relation in (*self.triples, *self.negated) for end in relation.ends()}
        bound |= {unknown for unknown, _ in (*self.classes, *self.values)}
        used = {*self.targets, *self.optional, *(f.unknown for f in self.filters)}
        used |= {self.order.by, self.order.per} if self.order else set()
        used |= {f.value for f in self.filters} | {m for _, mentions in self.values for m in mentions}
        used |= {end for having in self.having for end in (having.group, having.counted)}
        return bound.issuperset(term for term in used if is_unknown(term))

    def compares_things(self) -> bool:
        """Tell whether two unknowns that stand for things must differ, which no query of the stages says."""
        things = {triple.subject for triple in self.triples} | {unknown for unknown, _ in self.classes}
        return any(f.operator == "!=" and {f.unknown, f.value} <= things for f in self.filters if is_unknown(f.value))

    def relations(self) -> tuple[str, ...]:
        """Return R: the relation phrases, without repeats."""
        return tuple(dict.fromkeys(relation.relation for relation in (*self.triples, *self.negated)))

    def _unknowns(self) -> Iterator[str]:
        if self.target:
            yield self.target
        for relation in (*self.triples, *self.negated):
            yield from (end for end in relation.ends() if is_unknown(end))
        yield from (unknown for unknown, _ in (*self.classes, *self.values))


_CONDITIONS = ("triples", "classes", "filters", "negated", "values")
"""The fields that hold the conditions of which there may be alternatives."""


@dataclass(frozen=True, slots=True)
class QuestionReading:
    """One reading of a question; ``score`` compares readings of one question (a log score, more is better).

    ``unused`` are the content words of the question that nothing of the reading stands for.
    """

    qir: QIR
    score: float = 0.0
    unused: tuple[str, ...] = ()


def reading_from_json(value: Mapping[str, Any]) -> QuestionReading:
    """Read one reading of a reply that has passed the schema of ``answer/qir``; its alternatives are readings too."""
    return QuestionReading(from_json(value), float(value.get("score", 0.0)), tuple(value.get("unused", ())))


def readings_to_json(readings: Sequence[QuestionReading]) -> dict[str, Any]:
    """Write readings as one reply of ``answer/qir``: the first with the others as its alternatives."""
    first, *others = (
        to_json(reading.qir)
        | ({"score": round(reading.score, 2)} if reading.score else {})
        | ({"unused": list(reading.unused)} if reading.unused else {})
        for reading in readings
    )
    return first | ({"alternatives": others} if others else {})


def from_json(value: Mapping[str, Any]) -> QIR:
    """Read a QIR from a reply that has passed the schema of ``answer/qir``; a lone aggregate is that of its target."""
    order = value.get("order")
    groups = [[_conditions_from_json(each) for each in group] for group in value.get("either", ())]
    aggregates = tuple(dict.fromkeys((column["function"], column["of"]) for column in value.get("aggregates", ())))
    targets = dict.fromkeys((*value.get("targets", ()), *(unknown for _, unknown in aggregates)))
    listed = [_conditions_from_json(value), *(each for group in groups for each in group)]
    qir = QIR(
        shape=value["shape"],
        target=value.get("target", "") or next(iter(targets), ""),
        **{name: tuple(dict.fromkeys(c for each in listed for c in each[name])) for name in _CONDITIONS},
        order=Order(**order) if order else None,
        having=tuple(Having(**h | {"value": str(h["value"])}) for h in value.get("having", ())),
        aggregate=value.get("aggregate", ""),
        targets=tuple(targets),
        compute=value.get("compute", ""),
        optional=tuple(value.get("optional", ())),
        aggregates=aggregates,
        either=tuple(tuple(tuple(c for name in _CONDITIONS for c in each[name]) for each in group) for group in groups),
    )
    return _with_lone_aggregate(qir) if len(aggregates) == 1 else qir


def _with_lone_aggregate(qir: QIR) -> QIR:
    """Return a QIR that asks for the only aggregate of its table, for each group if there are any."""
    ((function, unknown),) = qir.aggregates
    groups = tuple(end for end in qir.targets if end != unknown)
    targets = (*groups, unknown) if groups else ()
    shape: Shape = "count" if function == "count" else "number"
    aggregate: Any = "" if function == "count" else function
    return replace(qir, shape=shape, target=unknown, targets=targets, aggregate=aggregate, aggregates=())


def _conditions_from_json(value: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
    return {
        "triples": tuple(Relation(*triple) for triple in value.get("triples", ())),
        "classes": tuple((c["unknown"], c["class"]) for c in value.get("classes", ())),
        "filters": tuple(
            Filter(f["unknown"], f["operator"], *split_amount(str(f["value"]))) for f in value.get("filters", ())
        ),
        "negated": tuple(Relation(*triple) for triple in value.get("negated", ())),
        "values": tuple((v["unknown"], tuple(v["mentions"])) for v in value.get("values", ())),
    }


def to_json(qir: QIR) -> dict[str, Any]:
    """Write a QIR as a reply of ``answer/qir``; empty parts are left out."""
    optional = {condition for group in qir.either for each in group for condition in each}
    document: dict[str, Any] = {
        "shape": qir.shape,
        "target": qir.target,
        **_conditions_to_json(qir, lambda condition: condition not in optional),
        "either": [[_conditions_to_json(qir, set(each).__contains__) for each in group] for group in qir.either],
        "having": [
            {"group": h.group, "counted": h.counted, "operator": h.operator, "value": h.value} for h in qir.having
        ],
        "aggregate": qir.aggregate,
        "targets": list(qir.targets),
        "compute": qir.compute,
        "optional": list(qir.optional),
        "aggregates": [{"function": function, "of": unknown} for function, unknown in qir.aggregates],
    }
    if qir.order:
        order = qir.order
        document["order"] = {
            "by": order.by, "descending": order.descending, "count": order.count,
            "limit": order.limit, "offset": order.offset, **({"per": order.per} if order.per else {}),
        }  # fmt: skip
    return {"shape": qir.shape, "target": qir.target, "triples": []} | {k: part for k, part in document.items() if part}


def _conditions_to_json(qir: QIR, is_kept: Callable[[Any], bool]) -> dict[str, Any]:
    """Write some conditions of a QIR; empty parts are left out."""
    found = {
        "triples": [[t.subject, t.relation, t.object] for t in filter(is_kept, qir.triples)],
        "classes": [{"unknown": pair[0], "class": pair[1]} for pair in filter(is_kept, qir.classes)],
        "filters": [
            {"unknown": f.unknown, "operator": f.operator, "value": f"{f.value} {f.unit}".rstrip()}
            for f in filter(is_kept, qir.filters)
        ],
        "negated": [[t.subject, t.relation, t.object] for t in filter(is_kept, qir.negated)],
        "values": [{"unknown": pair[0], "mentions": list(pair[1])} for pair in filter(is_kept, qir.values)],
    }
    return {key: part for key, part in found.items() if part}


def render_qir(qir: QIR) -> str:
    """Return a QIR as one line of text for people."""
    if qir.either:
        return f" {qir.compute or 'OR'} ".join(render_qir(branch) for branch in qir.branches())
    parts = [f"{qir.shape} {qir.aggregate} {qir.target}".replace("  ", " ").strip()]
    parts += [f"({t.subject} | {t.relation} | {t.object})" for t in qir.triples]
    parts += [f"not ({t.subject} | {t.relation} | {t.object})" for t in qir.negated]
    parts += [f"{unknown}: {name}" for unknown, name in qir.classes]
    parts += [f"{f.unknown} {f.operator} {f.value} {f.unit}".rstrip() for f in qir.filters]
    parts += [f"{unknown} of {', '.join(mentions)}" for unknown, mentions in qir.values]
    if qir.order:
        direction = "desc" if qir.order.descending else "asc"
        counted = "count " if qir.order.count else ""
        parts.append(
            f"order {counted}{qir.order.by} {direction} {qir.order.limit} {qir.order.offset} {qir.order.per}".rstrip()
        )
    parts += [f"{h.group} has {h.operator} {h.value} {h.counted}" for h in qir.having]
    parts += [f"table {' '.join(qir.targets)}"] if qir.targets else []
    parts += [f"optional {unknown}" for unknown in qir.optional]
    parts += [f"{function} of {unknown}" for function, unknown in qir.aggregates]
    return "; ".join(parts)
