"""Where answers go wrong: what of the gold query was linked, and the first stage at which a turn failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chattyshared.sparql.analysis import parse_query_terms

from chattykg.evaluation.gold import answer_type_of
from chattykg.evaluation.metrics import SystemAnswer, TurnScore

FAILURE_STAGES = ("missing", "understanding", "linking", "selection", "execution", "empty", "unknown")
"""The stages in the order in which they are told apart."""


@dataclass(frozen=True, slots=True)
class LinkingRecall:
    """Means over the turns whose gold query names any: the share of its vertices that were candidates (named in any
    query of the turn; needs a trace), of its vertices and of its predicates that were chosen. None: nothing to tell.
    """

    vertices_n: int = 0
    candidates: float | None = None
    vertices: float | None = None
    predicates_n: int = 0
    predicates: float | None = None


def measure_linking(
    turns: Sequence[TurnScore], candidates: Mapping[str, frozenset[str]] | None = None
) -> LinkingRecall:
    """Return the recall of linking where the gold query tells; ``candidates`` holds what each turn's queries name.

    Chosen is what the answer says it linked the question to and what its query names; an answer that is gold's set has
    chosen all that it needed, by whatever query. A turn that says nothing has chosen nothing; a system that says
    neither links nor queries at all is not measured.
    """
    told = [turn for turn in turns if turn.gold.sparql and turn.is_answerable]
    if not any(turn.answer is not None and (turn.answer.states_links or turn.answer.sparql) for turn in told):
        return LinkingRecall()
    vertices: list[float] = []
    predicates: list[float] = []
    seen: list[float] = []
    for turn in told:
        gold = parse_query_terms(turn.gold.sparql)
        if gold is None:
            continue
        chosen, related = (gold.vertices, gold.predicates) if turn.is_exact else _chosen(turn.answer)
        if gold.vertices:
            vertices.append(len(gold.vertices & chosen) / len(gold.vertices))
            near = chosen | (candidates or {}).get(turn.gold.id, frozenset())
            seen.append(len(gold.vertices & near) / len(gold.vertices))
        if gold.predicates:
            predicates.append(len(gold.predicates & related) / len(gold.predicates))
    known = candidates is not None
    return LinkingRecall(
        len(vertices), _mean(seen) if known else None, _mean(vertices), len(predicates), _mean(predicates)
    )


def count_failures(turns: Sequence[TurnScore], errors: frozenset[str] = frozenset()) -> dict[str, int]:
    """Count the turns with gold that are not wholly right by the first stage that failed; ``errors`` are the ids of
    turns whose line holds an error.
    """
    wrong = (turn for turn in turns if turn.is_answerable and not turn.is_exact)
    counted = Counter(failure_stage_of(turn, has_error=turn.gold.id in errors) for turn in wrong)
    return {stage: counted[stage] for stage in FAILURE_STAGES if counted[stage]}


def failure_stage_of(turn: TurnScore, *, has_error: bool = False) -> str:
    """Return the first stage at which a turn went wrong.

    ``missing``: there is no answer line; ``execution``: it ended in an error. ``understanding``: nothing was linked
    and no query made, or the answer is of another kind than was asked for (a count for a list, yes for a name).
    ``linking``: a vertex or a predicate of the gold query was not chosen. ``selection``: all were, or there is no gold
    query to tell, and what was made of them is not what was asked. ``empty``: the query found nothing. ``unknown``:
    the system says neither links nor query.
    """
    if turn.answer is None:
        return "execution" if has_error else "missing"
    said = turn.answer
    if not said.states_links and not said.sparql:
        return "unknown"
    if not said.sparql and not said.vertices and not said.predicates:
        return "understanding"
    if _misunderstood(turn, said):
        return "understanding"
    gold = parse_query_terms(turn.gold.sparql)
    chosen, related = _chosen(said)
    if gold is not None and not (gold.vertices <= chosen and gold.predicates <= related):
        return "linking"
    return "empty" if said.sparql and not said.elements else "selection"


def _misunderstood(turn: TurnScore, said: SystemAnswer) -> bool:
    """Tell whether another kind of answer was made than was asked for."""
    gold, made = parse_query_terms(turn.gold.sparql), parse_query_terms(said.sparql)
    if gold is not None and made is not None:
        return gold.result_kind != made.result_kind
    if not said.elements:
        return False
    kinds = {turn.gold.answer_type, answer_type_of(said.elements)}
    return len(kinds) == 2 and "boolean" in kinds


def _chosen(said: SystemAnswer | None) -> tuple[frozenset[str], frozenset[str]]:
    """Return the vertices and the predicates that a system chose."""
    if said is None:
        return frozenset(), frozenset()
    named = parse_query_terms(said.sparql)
    if named is None:
        return said.vertices, said.predicates
    return said.vertices | named.vertices, said.predicates | named.predicates


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
