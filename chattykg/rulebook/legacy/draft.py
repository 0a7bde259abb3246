"""A QIR in the making: triples, filters and the rest are added as the question is read, then put in order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from chattyshared.language.morphology import lemma_of

from chattykg.qir import QIR, Filter, Having, Order, Relation, Shape, is_unknown


@dataclass(slots=True)
class Draft:
    """What has been understood so far. ``pending`` holds relational nouns ("director") still without a base."""

    shape: Shape = "list"
    target: str = ""
    targets: list[str] = field(default_factory=list)
    triples: list[Relation] = field(default_factory=list)
    classes: list[tuple[str, str]] = field(default_factory=list)
    filters: list[Filter] = field(default_factory=list)
    negated: list[Relation] = field(default_factory=list)
    values: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    having: list[Having] = field(default_factory=list)
    order: Order | None = None
    aggregate: str = ""
    pending: dict[str, str] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    last_class: str = ""

    def fresh(self, noun: str = "") -> str:
        """Return a new unknown, named after a noun."""
        words = re.findall(r"[a-z0-9]+", noun.lower())
        stem = "_".join(lemma_of(word) for word in words[-2:])[:30] or "x"
        if stem[0].isdigit():
            stem = f"x{stem}"
        name, number = f"?{stem}", 1
        while name in self.used:
            number += 1
            name = f"?{stem}{number}"
        self.used.add(name)
        return name

    def relate(self, subject: str, phrase: str, object_: str, *, negative: bool = False) -> None:
        """Add a triple, or a negated one, once."""
        relation = Relation(subject, phrase, object_)
        rows = self.negated if negative else self.triples
        if relation not in rows and subject != object_:
            rows.append(relation)

    def relate_any(self, subject: str, phrase: str, objects: Sequence[str]) -> None:
        """Say that a subject is related to one of several objects."""
        unknown = self.fresh(phrase)
        self.relate(subject, phrase, unknown)
        self.values.append((unknown, tuple(objects)))

    def negate_since(self, mark: int) -> None:
        """Make the triples that were added since there were ``mark`` of them ones that must not hold."""
        moved, self.triples = self.triples[mark:], self.triples[:mark]
        self.negated += [relation for relation in moved if relation not in self.negated]

    def constrain(self, unknown: str, name: str) -> None:
        """Say of which class an unknown is."""
        if is_unknown(unknown) and (unknown, name) not in self.classes:
            self.classes.append((unknown, name))

    def compare(self, unknown: str, operator: str, value: str) -> None:
        """Add a filter on an unknown's value."""
        made = Filter(unknown, operator, value)  # type: ignore[arg-type]
        if made not in self.filters:
            self.filters.append(made)

    def settle(self, unknown: str, subject: str) -> str:
        """Give a relational noun its base; return its phrase ("" if it had none pending)."""
        phrase = self.pending.pop(unknown, "")
        if phrase:
            self.relate(subject, phrase, unknown)
        return phrase

    def equate(self, unknown: str, other: str) -> None:
        """Put another end in the place of an unknown everywhere."""

        def put(end: str) -> str:
            return other if end == unknown else end

        self.triples = [Relation(put(t.subject), t.relation, put(t.object)) for t in self.triples]
        self.negated = [Relation(put(t.subject), t.relation, put(t.object)) for t in self.negated]
        if is_unknown(other):
            self.classes = [(put(u), name) for u, name in self.classes]
            self.values = [(put(u), listed) for u, listed in self.values]
        else:
            self.last_class = next((name for u, name in self.classes if u == unknown), self.last_class)
            self.classes = [(u, name) for u, name in self.classes if u != unknown]
        self.filters = [Filter(put(f.unknown), f.operator, put(f.value)) for f in self.filters]
        self.having = [replace(h, group=put(h.group), counted=put(h.counted)) for h in self.having]
        if self.order:
            self.order = replace(self.order, by=put(self.order.by))
        self.target = put(self.target)
        self.targets = [put(target) for target in self.targets]
        phrase = self.pending.pop(unknown, "")
        if phrase and is_unknown(other):
            self.pending.setdefault(other, phrase)

    def stand_in(self, mention: str, other: str) -> str:
        """Put an unknown that can only be the mention in its place in all that relates it to ``other``; return it."""
        unknown = self.fresh("one")
        self.values.append((unknown, (mention,)))
        self.triples = [
            Relation(*(unknown if part == mention else part for part in (t.subject, t.relation, t.object)))
            if other in t.ends()
            else t
            for t in self.triples
        ]
        return unknown

    def is_tied(self, unknown: str) -> bool:
        """Tell whether something is said of an unknown."""
        ends = {end for relation in (*self.triples, *self.negated) for end in relation.ends()}
        return unknown in ends or any(unknown == u for u, _ in (*self.classes, *self.values))

    def finish(self) -> QIR:
        """Return the QIR; relational nouns that found no base get an open one."""
        for unknown, phrase in list(self.pending.items()):
            ends = {end for relation in self.triples for end in relation.ends()}
            if unknown not in ends and not any(unknown == u for u, _ in self.classes):
                self.relate(self.fresh("of " + phrase), phrase, unknown)
        targets = tuple(dict.fromkeys(self.targets))
        return QIR(
            shape=self.shape,
            target="" if self.shape == "boolean" else self.target,
            triples=tuple(self.triples),
            classes=tuple(dict.fromkeys(self.classes)),
            filters=tuple(self.filters),
            negated=tuple(self.negated),
            values=tuple(self.values),
            order=self.order,
            having=tuple(self.having),
            aggregate=self.aggregate,  # type: ignore[arg-type]
            targets=targets if len(targets) > 1 else (),
        )
