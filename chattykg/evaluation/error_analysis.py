"""Attributes errors to stages: the recall of linking, and the first stage at which a turn failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chattyshared.sparql.analysis import parse_query_terms

from chattykg.evaluation.gold import answer_type_of
from chattykg.evaluation.metrics import SystemAnswer, TurnScore

FAILURE_STAGES = ("missing", "understanding", "linking", "selection", "execution", "empty", "unknown")
"""The stages of failure, in the order in which they are reported."""


@dataclass(frozen=True, slots=True)
class LinkingRecall:
    """The recall of linking: means over the turns whose gold query names vertices, or predicates.

    ``candidates`` and ``predicate_candidates`` are the shares of the gold vertices and predicates that the linker
    proposed, or that some query of the turn names; ``vertices`` and ``predicates`` the shares that were chosen. None
    means that nothing was measured: a system states its proposals in its answers or in a trace.
    """

    vertices_n: int = 0
    candidates: float | None = None
    vertices: float | None = None
    predicates_n: int = 0
    predicate_candidates: float | None = None
    predicates: float | None = None


def measure_linking(turns: Sequence[TurnScore], traced: Mapping[str, frozenset[str]] | None = None) -> LinkingRecall:
    """Return the recall of linking over the turns with a gold query.

    ``traced`` holds, by turn id, the IRIs in the queries of the turn. The chosen terms are the links of the answer and
    the terms of its query, whether the answer is right or not. A turn without an answer has chosen nothing. A system
    that states neither links nor queries is not measured.
    """
    measured = [turn for turn in turns if turn.gold.sparql and turn.is_answerable]
    answers = [turn.answer for turn in measured if turn.answer is not None]
    if not any(answer.states_links or answer.sparql for answer in answers):
        return LinkingRecall()
    is_proposed = traced is not None or any(answer.proposed_vertices is not None for answer in answers)
    shares: dict[str, list[float]] = {"candidates": [], "vertices": [], "predicate_candidates": [], "predicates": []}
    for turn in measured:
        gold = parse_query_terms(turn.gold.sparql)
        if gold is None:
            continue
        vertices, predicates = _chosen_terms(turn.answer)
        seen = (traced or {}).get(turn.gold.id, frozenset())
        proposed_vertices, proposed_predicates = _proposed_terms(turn.answer)
        if gold.vertices:
            shares["vertices"].append(_share(gold.vertices, vertices))
            shares["candidates"].append(_share(gold.vertices, vertices | proposed_vertices | seen))
        if gold.predicates:
            shares["predicates"].append(_share(gold.predicates, predicates))
            shares["predicate_candidates"].append(_share(gold.predicates, predicates | proposed_predicates | seen))
    return LinkingRecall(
        len(shares["vertices"]),
        _mean(shares["candidates"]) if is_proposed else None,
        _mean(shares["vertices"]),
        len(shares["predicates"]),
        _mean(shares["predicate_candidates"]) if is_proposed else None,
        _mean(shares["predicates"]),
    )


def _share(gold: frozenset[str], terms: frozenset[str]) -> float:
    return len(gold & terms) / len(gold)


def _proposed_terms(answer: SystemAnswer | None) -> tuple[frozenset[str], frozenset[str]]:
    """Return the vertices and the predicates that the linker of a system offered."""
    if answer is None:
        return frozenset(), frozenset()
    return answer.proposed_vertices or frozenset(), answer.proposed_predicates or frozenset()


def count_failures(turns: Sequence[TurnScore], errors: frozenset[str] = frozenset()) -> dict[str, int]:
    """Count the turns with gold that are not exact, by the first stage that failed.

    ``errors`` are the ids of turns whose answer line holds an error.
    """
    wrong = (turn for turn in turns if turn.is_answerable and not turn.is_exact)
    counts = Counter(failure_stage_of(turn, has_error=turn.gold.id in errors) for turn in wrong)
    return {stage: counts[stage] for stage in FAILURE_STAGES if counts[stage]}


def failure_stage_of(turn: TurnScore, *, has_error: bool = False) -> str:
    """Return the first stage at which a turn went wrong.

    ``missing``: there is no answer line. ``execution``: it holds an error. ``understanding``: nothing was linked and
    there is no query, or the answer is of another kind than the gold (a count for a list, yes for a name).
    ``linking``: a vertex or a predicate of the gold query was not chosen. ``selection``: all were chosen, or there is
    no gold query, and the answer is wrong. ``empty``: the query has no results. ``unknown``: the system states neither
    links nor queries.
    """
    if turn.answer is None:
        return "execution" if has_error else "missing"
    answer = turn.answer
    if not answer.states_links and not answer.sparql:
        return "unknown"
    if not answer.sparql and not answer.vertices and not answer.predicates:
        return "understanding"
    if _is_other_kind(turn, answer):
        return "understanding"
    gold = parse_query_terms(turn.gold.sparql)
    vertices, predicates = _chosen_terms(answer)
    if gold is not None and not (gold.vertices <= vertices and gold.predicates <= predicates):
        return "linking"
    return "empty" if answer.sparql and not answer.elements else "selection"


def _is_other_kind(turn: TurnScore, answer: SystemAnswer) -> bool:
    """Tell whether the answer is of another kind than the gold."""
    gold, own = parse_query_terms(turn.gold.sparql), parse_query_terms(answer.sparql)
    if gold is not None and own is not None:
        return gold.result_kind != own.result_kind
    if not answer.elements:
        return False
    kinds = {turn.gold.answer_type, answer_type_of(answer.elements)}
    return len(kinds) == 2 and "boolean" in kinds


def _chosen_terms(answer: SystemAnswer | None) -> tuple[frozenset[str], frozenset[str]]:
    """Return the vertices and the predicates that a system chose, from its links and its query."""
    if answer is None:
        return frozenset(), frozenset()
    terms = parse_query_terms(answer.sparql)
    if terms is None:
        return answer.vertices, answer.predicates
    return answer.vertices | terms.vertices, answer.predicates | terms.predicates


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
