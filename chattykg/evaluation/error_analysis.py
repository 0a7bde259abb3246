"""Attributes errors to stages: the recall of linking, and the first stage at which a turn failed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from chattyshared.sparql.analysis import parse_query_terms

from chattykg.evaluation.gold import answer_type_of
from chattykg.evaluation.metrics import SystemAnswer, TurnScore


def measure_linking(
    turns: Sequence[TurnScore], traced: Mapping[str, frozenset[str]] | None = None
) -> dict[str, list[float]] | None:
    """Return, for each turn with a gold query, the shares of its vertices and predicates that were found.

    ``candidates`` and ``predicate_candidates`` are the shares that the linker proposed, or that some query of the turn
    names; ``vertices`` and ``predicates`` those that were chosen: the links of the answer and the terms of its query,
    whether the answer is right or not. ``traced`` holds, by turn id, the IRIs in the queries of the turn. A turn
    without an answer has chosen nothing. A list is empty if nothing was measured: a system states its proposals in its
    answers or in a trace. None if it states neither links nor queries.
    """
    measured = [turn for turn in turns if turn.gold.sparql and turn.is_answerable]
    answers = [turn.answer for turn in measured if turn.answer is not None]
    if not any(answer.line.has_links or answer.line.sparql for answer in answers):
        return None
    is_proposed = traced is not None or any(answer.line.proposed_entities is not None for answer in answers)
    shares: dict[str, list[float]] = {"vertices": [], "candidates": [], "predicates": [], "predicate_candidates": []}
    for turn in measured:
        gold = parse_query_terms(turn.gold.sparql)
        if gold is None:
            continue
        seen = (traced or {}).get(turn.gold.id, frozenset())
        chosen, proposed = _chosen_terms(turn.answer), _proposed_terms(turn.answer)
        for index, names in enumerate((("vertices", "candidates"), ("predicates", "predicate_candidates"))):
            if terms := (gold.vertices, gold.predicates)[index]:
                shares[names[0]].append(len(terms & chosen[index]) / len(terms))
                if is_proposed:
                    found = chosen[index] | proposed[index] | seen
                    shares[names[1]].append(len(terms & found) / len(terms))
    return shares


def _proposed_terms(answer: SystemAnswer | None) -> tuple[frozenset[str], frozenset[str]]:
    """Return the vertices and the predicates that the linker of a system offered."""
    if answer is None:
        return frozenset(), frozenset()
    return frozenset(answer.line.proposed_entities or ()), frozenset(answer.line.proposed_relations or ())


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
    line = answer.line
    if not line.has_links and not line.sparql:
        return "unknown"
    if not line.sparql and not line.entities and not line.relations:
        return "understanding"
    if _is_other_kind(turn, answer):
        return "understanding"
    gold = parse_query_terms(turn.gold.sparql)
    vertices, predicates = _chosen_terms(answer)
    if gold is not None and not (gold.vertices <= vertices and gold.predicates <= predicates):
        return "linking"
    return "empty" if line.sparql and not answer.elements else "selection"


def _is_other_kind(turn: TurnScore, answer: SystemAnswer) -> bool:
    """Tell whether the answer is of another kind than the gold."""
    gold, own = parse_query_terms(turn.gold.sparql), parse_query_terms(answer.line.sparql)
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
    vertices, predicates = frozenset(answer.line.entities), frozenset(answer.line.relations)
    terms = parse_query_terms(answer.line.sparql)
    return (vertices | terms.vertices, predicates | terms.predicates) if terms else (vertices, predicates)
