"""What a mention may stand for: vertices, classes and literal values, as they are shown and chosen by number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from chattyshared.terms import Term

CandidateKind = Literal["vertex", "class", "value"]
Around = tuple[tuple[str, Literal["out", "in"], int], ...]
EXACT = 0.995


@dataclass(frozen=True, slots=True)
class Candidate:
    """One thing that a mention may stand for.

    ``score`` tells how well the words fit the label (1 is exact), ``fit`` how well what the graph says of it fits what
    the question asks (0..1). ``types`` are class labels, ``classes`` their IRIs; ``around`` the predicates at a vertex;
    ``predicates`` those that a value stands under. ``fact`` is a telling thing about it.
    """

    kind: CandidateKind
    term: Term
    label: str
    score: float
    fit: float = 0.0
    types: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    around: Around = ()
    predicates: tuple[str, ...] = ()
    fact: str = ""

    @property
    def is_exact(self) -> bool:
        """Tell whether the words are its label."""
        return self.score >= EXACT

    def shown(self) -> str:
        """Return the line that stands in a prompt, without its number."""
        kind = ", ".join(self.types[:2]) if self.kind == "vertex" else self.kind
        return f"{self.label[:120]}" + (f" ({kind})" if kind else "") + (f"; {self.fact}" if self.fact else "")


@dataclass(frozen=True, slots=True)
class Mention:
    """A mention of the question with its candidates, best first; ``relations`` are the phrases that it stands in."""

    text: str
    candidates: tuple[Candidate, ...]
    relations: tuple[str, ...] = ()

    @property
    def is_settled(self) -> bool:
        """Tell whether there is nothing to choose: one candidate, or exactly one that is exact."""
        return len(self.candidates) == 1 or sum(candidate.is_exact for candidate in self.candidates) == 1

    def settled(self) -> tuple[Candidate, ...]:
        """Return the only choice of a settled mention."""
        exact = tuple(candidate for candidate in self.candidates if candidate.is_exact)
        return exact if len(exact) == 1 else self.candidates[:1]

    def shown(self) -> str:
        """Return mention and numbered candidates as they stand in a prompt."""
        lines = [f'mention "{self.text[:200]}":']
        lines += [f"  {number}. {candidate.shown()}" for number, candidate in enumerate(self.candidates, 1)]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Mentions:
    """The mentions of one question that leave a choice, numbered from 1 in a prompt."""

    items: tuple[Mention, ...]

    def shown(self) -> str:
        """Return all mentions, numbered."""
        return "\n".join(f"{number}. {mention.shown()}" for number, mention in enumerate(self.items, 1))


@dataclass(frozen=True, slots=True)
class Anchor:
    """What a mention was linked to: candidates that fit equally well and stand in the query together.

    ``more``: others fit as well, and were left out.
    """

    text: str
    candidates: tuple[Candidate, ...]
    score: float
    more: bool = False

    @property
    def kind(self) -> CandidateKind:
        """Return what all of its candidates are."""
        return self.candidates[0].kind

    @property
    def terms(self) -> tuple[Term, ...]:
        """Return the terms, best first."""
        return tuple(candidate.term for candidate in self.candidates)
