"""The card: what of the KG's vocabulary is near a question, and which of its words the KG already knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from chattyshared.kg import Hit, ValueHit
from chattyshared.vocabulary import ClassEntry, PredicateEntry

MentionKind = Literal["vertex", "class", "predicate", "value"]


@dataclass(frozen=True, slots=True)
class Mention:
    """Words of the question that the KG knows: ``question[start:end]``, as a vertex, class, predicate or value.

    One span may have several mentions of different kinds. Candidates are best first: ``hits`` for a vertex,
    ``values`` for a literal value, ``iris`` (with ``scores`` beside) for classes and predicates.
    """

    text: str
    start: int
    end: int
    kind: MentionKind
    score: float
    hits: tuple[Hit, ...] = ()
    values: tuple[ValueHit, ...] = ()
    iris: tuple[str, ...] = ()
    scores: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Card:
    """Mentions in the question, and the classes and predicates nearest to it, most relevant first.

    ``around`` are the predicates at each vertex that was mentioned (its IRI first), with direction: what the graph
    can say about it at all.
    """

    mentions: tuple[Mention, ...] = ()
    classes: tuple[ClassEntry, ...] = ()
    predicates: tuple[PredicateEntry, ...] = ()
    around: tuple[tuple[str, tuple[tuple[str, Literal["out", "in"], int], ...]], ...] = ()

    def of_kind(self, kind: MentionKind) -> tuple[Mention, ...]:
        """Return the mentions of one kind, in order of their place."""
        return tuple(mention for mention in self.mentions if mention.kind == kind)

    def shown(self) -> str:
        """Return the card as it stands in a prompt."""
        lines = [f'mention "{m.text}": {m.kind}' for m in self.mentions]
        lines += [f"class: {entry.label}" for entry in self.classes]
        lines += [f"predicate: {entry.label}" for entry in self.predicates]
        return "\n".join(lines)
