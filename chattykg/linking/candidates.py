"""Candidates of a mention: vertices, classes and literal values, as a prompt shows them and a reply numbers them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from chattyshared.language.morphology import normalize_text
from chattyshared.terms import Term

CandidateKind = Literal["vertex", "class", "value"]
IncidentPredicates = tuple[tuple[str, Literal["out", "in"], int], ...]

# Origin of the numbers below: set by hand on the development sets; benchmarks/calibrate.py varies them.
EXACT_SCORE = 0.995
"""Label score (0..1) from which a label counts as equal to the mention."""
NEAR_BEST_SHARE = 0.93
"""Share (0..1) of the best link score from which a candidate is as good as the best one."""
LABEL_WEIGHT, CONTEXT_WEIGHT = 0.6, 0.4
"""Weights of the label and of the context fit in the link score; they sum to 1."""
_NAME_WORD = re.compile(r"[^\W_]+")
_MAX_NEAR_BEST = 6
"""Candidates that `select_near_best` returns at most."""


@dataclass(frozen=True, slots=True)
class EntityCandidate:
    """One term that a mention may stand for.

    ``score`` (0..1, 1 is exact) tells how well the mention matches the label, ``context_fit`` (0..1) how well the
    facts at the term match the relations of the question. ``types`` are class labels, ``classes`` their IRIs;
    ``incident_predicates`` are the predicates at a vertex, ``predicates`` those that have a value as object. ``fact``
    is a text that tells the term from others.
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
        """Tell whether the mention is its label."""
        return self.score >= EXACT_SCORE

    @property
    def link_score(self) -> float:
        """Score as a link (0..1), from label and context."""
        return self.score * (LABEL_WEIGHT + CONTEXT_WEIGHT * self.context_fit)

    def as_prompt_text(self) -> str:
        """Return its line in a prompt, without the number."""
        kind = ", ".join(self.types[:2]) if self.kind == "vertex" else self.kind
        return f"{self.label[:120]}" + (f" ({kind[:120]})" if kind else "") + (f"; {self.fact}" if self.fact else "")


@dataclass(frozen=True, slots=True)
class MentionCandidates:
    """A mention of the question with its candidates, best first.

    ``relation_phrases`` are the phrases of the relations that have it as an end. ``truncated_at`` is the number of
    vertices that were retrieved if there are more; 0 if all were.
    """

    text: str
    candidates: tuple[EntityCandidate, ...]
    relation_phrases: tuple[str, ...] = ()
    truncated_at: int = 0

    @property
    def is_unambiguous(self) -> bool:
        """Tell whether there is no choice: one candidate, one exact candidate, or a vertex and its own name."""
        return len(self.candidates) == 1 or len(self._exact()) == 1 or self._is_thing_and_name()

    def select_unambiguous(self) -> tuple[EntityCandidate, ...]:
        """Return the only choice of an unambiguous mention; of a vertex and its own name, the better fit."""
        if self._is_thing_and_name():
            return self.select_near_best()
        return self._exact() if len(self._exact()) == 1 else self.candidates[:1]

    def select_near_best(self) -> tuple[EntityCandidate, ...]:
        """Return the candidates with the best link scores; only the exact ones if there are any."""
        candidates = self._exact() or self.candidates
        best = max((candidate.link_score for candidate in candidates), default=0.0)
        return tuple(c for c in candidates if c.link_score >= NEAR_BEST_SHARE * best)[:_MAX_NEAR_BEST]

    def select_fitting(self, labels: Mapping[str, str]) -> tuple[EntityCandidate, ...]:
        """Return the exact candidates that have a predicate called as a relation of the mention.

        ``labels`` are those of predicates, case-folded.
        """
        phrases = {phrase.casefold() for phrase in self.relation_phrases}
        return tuple(c for c in self._exact() if any(labels.get(iri) in phrases for iri, _, _ in c.incident_predicates))

    def namesakes(self) -> tuple[EntityCandidate, ...]:
        """Return the vertices that the mention names alike: with its label, else with all its words; () unless several.

        A vertex whose label is the mention is meant before others whose labels are longer ("London", "London Bridge").
        """
        vertices = tuple(candidate for candidate in self._exact() if candidate.kind == "vertex")
        if not self._exact():
            words = set(normalize_text(self.text).split())
            vertices = tuple(
                candidate
                for candidate in self.candidates
                if candidate.kind == "vertex" and words <= set(_NAME_WORD.findall(normalize_text(candidate.label)))
            )
        return vertices if len(vertices) > 1 else ()

    def _exact(self) -> tuple[EntityCandidate, ...]:
        return tuple(candidate for candidate in self.candidates if candidate.is_exact)

    def _is_thing_and_name(self) -> bool:
        """Tell whether the exact candidates are one vertex and values with the same label."""
        exact = self._exact()
        kinds = [candidate.kind for candidate in exact]
        is_one_label = len({candidate.label.casefold() for candidate in exact}) == 1
        return is_one_label and kinds.count("vertex") == 1 and kinds.count("value") == len(exact) - 1

    def as_prompt_text(self) -> str:
        """Return the mention, its relation phrases and its numbered candidates for a prompt."""
        phrases = f" (in: {', '.join(self.relation_phrases)[:80]})" if self.relation_phrases else ""
        lines = [f'mention "{self.text[:200]}"{phrases}:']
        lines += [f"  {number}. {candidate.as_prompt_text()}" for number, candidate in enumerate(self.candidates, 1)]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class MentionBatch:
    """The ambiguous mentions of one question, numbered from 1 in a prompt."""

    mentions: tuple[MentionCandidates, ...]

    def as_prompt_text(self) -> str:
        """Return all mentions, numbered."""
        return "\n".join(f"{number}. {mention.as_prompt_text()}" for number, mention in enumerate(self.mentions, 1))


@dataclass(frozen=True, slots=True)
class EntityLink:
    """The link of a mention: candidates that fit equally well and stand in the query together.

    ``has_omitted_candidates``: others fit as well and were left out. ``truncated_at`` is as in `MentionCandidates`.
    """

    text: str
    candidates: tuple[EntityCandidate, ...]
    score: float
    has_omitted_candidates: bool = False
    truncated_at: int = 0

    @property
    def kind(self) -> CandidateKind:
        """Return the kind of all its candidates."""
        return self.candidates[0].kind

    @property
    def terms(self) -> tuple[Term, ...]:
        """Return the terms, best first."""
        return tuple(candidate.term for candidate in self.candidates)

    def incident_predicates(self) -> Iterator[tuple[str, str]]:
        """Yield the predicates at each candidate with their direction ("out" or "in")."""
        for candidate in self.candidates:
            yield from ((iri, direction) for iri, direction, _ in candidate.incident_predicates)
            yield from ((iri, "in") for iri in candidate.predicates)

    def predicates_at(self, direction: str) -> tuple[str, ...]:
        """Return the predicates at any candidate in one direction."""
        return tuple(dict.fromkeys(iri for iri, way in self.incident_predicates() if way == direction))
