"""What a mention may stand for: vertices, classes and literal values, as they are shown and chosen by number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from chattyshared.terms import Term

CandidateKind = Literal["vertex", "class", "value"]
IncidentPredicates = tuple[tuple[str, Literal["out", "in"], int], ...]
EXACT_SCORE = 0.995
NEAR = 0.93
"""Candidates that fit this near to the best one are as good as it."""
_MOST = 6


@dataclass(frozen=True, slots=True)
class EntityCandidate:
    """One thing that a mention may stand for.

    ``score`` tells how well the words fit the label (1 is exact), ``fit`` how well what the graph says of it fits what
    the question asks (0..1). ``types`` are class labels, ``classes`` their IRIs; ``around`` the predicates at a vertex;
    ``predicates`` those that a value stands under. ``fact`` is a telling thing about it.
    """

    kind: CandidateKind
    term: Term
    label: str
    score: float
    context_fit: float = 0.0
    types: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    incident_predicates: IncidentPredicates = ()
    predicates: tuple[str, ...] = ()
    fact: str = ""

    @property
    def is_exact(self) -> bool:
        """Tell whether the words are its label."""
        return self.score >= EXACT_SCORE

    @property
    def link_score(self) -> float:
        """What it is worth as a link: how well its label fits, and what the graph says of it."""
        return self.score * (0.6 + 0.4 * self.context_fit)

    def as_prompt_text(self) -> str:
        """Return the line that stands in a prompt, without its number."""
        kind = ", ".join(self.types[:2]) if self.kind == "vertex" else self.kind
        return f"{self.label[:120]}" + (f" ({kind})" if kind else "") + (f"; {self.fact}" if self.fact else "")


@dataclass(frozen=True, slots=True)
class MentionCandidates:
    """A mention of the question with its candidates, best first; ``relations`` are the phrases that it stands in.

    ``cut`` is the number of vertices that were retrieved where there are more; 0 where all were.
    """

    text: str
    candidates: tuple[EntityCandidate, ...]
    relation_phrases: tuple[str, ...] = ()
    truncated_at: int = 0

    @property
    def is_unambiguous(self) -> bool:
        """Tell whether there is nothing to choose: one candidate, one that is exact, or a thing and its own name."""
        return len(self.candidates) == 1 or len(self._exact()) == 1 or self._is_thing_and_name()

    def select_unambiguous(self) -> tuple[EntityCandidate, ...]:
        """Return the only choice of a settled mention; of a thing and values that are its name what fits better."""
        if self._is_thing_and_name():
            return self.select_near_best()
        return self._exact() if len(self._exact()) == 1 else self.candidates[:1]

    def select_near_best(self) -> tuple[EntityCandidate, ...]:
        """Return the candidates that fit best; exact ones go before others, how often a thing is used says nothing."""
        among = self._exact() or self.candidates
        best = max((candidate.link_score for candidate in among), default=0.0)
        return tuple(candidate for candidate in among if candidate.link_score >= NEAR * best)[:_MOST]

    def _exact(self) -> tuple[EntityCandidate, ...]:
        return tuple(candidate for candidate in self.candidates if candidate.is_exact)

    def _is_thing_and_name(self) -> bool:
        """Tell whether one vertex and values of the same name are all that is exact: words do not tell them apart."""
        exact = self._exact()
        kinds = [candidate.kind for candidate in exact]
        same = len({candidate.label.casefold() for candidate in exact}) == 1
        return same and kinds.count("vertex") == 1 and kinds.count("value") == len(exact) - 1

    def as_prompt_text(self) -> str:
        """Return mention, its relations and numbered candidates as they stand in a prompt."""
        said = f" (in: {', '.join(self.relation_phrases)[:80]})" if self.relation_phrases else ""
        lines = [f'mention "{self.text[:200]}"{said}:']
        lines += [f"  {number}. {candidate.as_prompt_text()}" for number, candidate in enumerate(self.candidates, 1)]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class MentionBatch:
    """The mentions of one question that leave a choice, numbered from 1 in a prompt."""

    mentions: tuple[MentionCandidates, ...]

    def as_prompt_text(self) -> str:
        """Return all mentions, numbered."""
        return "\n".join(f"{number}. {mention.as_prompt_text()}" for number, mention in enumerate(self.mentions, 1))


@dataclass(frozen=True, slots=True)
class EntityLink:
    """What a mention was linked to: candidates that fit equally well and stand in the query together.

    ``more``: others fit as well, and were left out. ``cut`` is as in ``Mention``.
    """

    text: str
    candidates: tuple[EntityCandidate, ...]
    score: float
    has_omitted_candidates: bool = False
    truncated_at: int = 0

    @property
    def kind(self) -> CandidateKind:
        """Return what all of its candidates are."""
        return self.candidates[0].kind

    @property
    def terms(self) -> tuple[Term, ...]:
        """Return the terms, best first."""
        return tuple(candidate.term for candidate in self.candidates)
