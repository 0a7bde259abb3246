"""Measures of lists of candidate queries before and after a filter deletes some of them (Perevalov et al., 2025).

A candidate is right if its result has F1 = 1 against gold; one that cannot be run is wrong. P@k is the share of right
ones among the first k that are listed, however few. NDCG@5 has gain 1 for a right one; all right ones of the list
before filtering, on top, are its ideal. Where nothing is listed (P@k) or nothing was right (NDCG@5), the figure is 1
if nothing right was deleted and nothing is listed, else 0; of a list that was empty it is 1 only if gold is empty. The
trustworthiness is that of the first result: +1 if it is right, 0 if there is none, -1 if it is wrong. A question
without a list has an empty one. Questions without scored gold are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

from chattyshared.answers import AnswerLine
from chattyshared.dialogue import CandidateQuery
from chattyshared.kg import KnowledgeGraph
from chattyshared.runs.runner import Runner
from chattyshared.sparql.gold_queries import QueryRun, run_queries
from chattyshared.sparql.repair import repair_query

from chattykg.evaluation.answer_matching import element_from_answer
from chattykg.evaluation.metrics import HIT_RANK, Gold, SystemAnswer, TurnScore, mean, ndcg, score_turn, trust_score
from chattykg.filtering import build_run_answer

CandidateRuns = Mapping[str, QueryRun]
"""The result of each candidate query, by its text."""
_JUDGED = frozenset(("yes", "no", "unread"))
"""The verdicts of a judge."""
_ScoredCandidate = tuple[CandidateQuery, TurnScore | None]
_List = tuple[Gold, list[_ScoredCandidate]]
"""The gold of a question, and its candidates, each with the score of its result (None: it cannot be run)."""


def run_candidates(lines: Iterable[AnswerLine], kg: KnowledgeGraph, runner: Runner | None = None) -> CandidateRuns:
    """Run each different candidate query of some lines once, in the sandbox; one that cannot be run has a failure.

    Raises:
        EndpointUnavailable: the endpoint of ``kg`` does not answer.
    """
    texts = dict.fromkeys(candidate.query for line in lines for candidate in line.candidates)
    repaired = {text: repair_query(text) for text in texts}
    safe = [text for text in texts if not repaired[text].fault]
    runs = dict(zip(safe, run_queries([repaired[text].text for text in safe], kg, runner), strict=True))
    return {text: runs.get(text) or QueryRun(failure=repaired[text].fault) for text in texts}


def measure_candidates(
    golds: Iterable[Gold], lines: Mapping[str, AnswerLine], runs: CandidateRuns
) -> dict[str, Any] | None:
    """Return the measures of the candidate lists of a system; None if it has none.

    ``groups`` are the means over all lists (``all``) and over those of each language, ``before`` the filter and
    ``after`` it, if there was one. ``judged`` candidates have a verdict, ``unread`` of them neither yes nor no, which
    counts as yes: ``precision`` and ``recall`` are those of yes.
    """
    scored = ((gold, lines[gold.id].candidates) for gold in golds if gold.is_scored and gold.id in lines)
    lists = [(gold, [(each, _score(gold, runs[each.query])) for each in listed]) for gold, listed in scored]
    if not any(listed for _, listed in lists):
        return None
    pairs = [pair for _, listed in lists for pair in listed]
    states = ("before", "after") if any(each.verdict for each, _ in pairs) else ("before",)
    langs = sorted({gold.lang for gold, _ in lists} - {""})
    parts = {"all": lists} | {lang: [one for one in lists if one[0].lang == lang] for lang in langs}
    judged = [(each.is_kept, _is_right(score)) for each, score in pairs if each.verdict in _JUDGED]
    return {
        "groups": {name: {key: _mean(part, key) for key in states} for name, part in parts.items()},
        "judged": len(judged), "unread": sum(each.verdict == "unread" for each, _ in pairs),
        "accuracy": mean(is_kept == is_right for is_kept, is_right in judged),
        "precision": mean(is_right for is_kept, is_right in judged if is_kept),
        "recall": mean(is_kept for is_kept, is_right in judged if is_right),
    }  # fmt: skip


def _score(gold: Gold, run: QueryRun) -> TurnScore | None:
    """Score a result as the answer that it would be."""
    values = build_run_answer(run, "", 0.0).values
    elements = tuple(element_from_answer(value.value, value.label) for value in values)
    return None if run.failure else score_turn(gold, SystemAnswer(elements))


def _is_right(score: TurnScore | None) -> bool:
    return score is not None and score.is_exact


def _mean(lists: Sequence[_List], state: str) -> dict[str, float | None]:
    """Return the means over ``n`` lists; after a filter that stopped at the first candidate that it kept, P@5 and
    NDCG@5 are None."""
    columns = zip(*(_measure(gold, listed, state) for gold, listed in lists), strict=True)
    found: dict[str, float | None] = dict(
        zip(("p_at_1", "p_at_5", "ndcg_at_5", "trust"), map(fmean, columns), strict=True)
    )
    verdicts = [{each.verdict for each, _ in listed} for _, listed in lists]
    if state == "after" and any("" in given and given & _JUDGED for given in verdicts):
        found |= {"p_at_5": None, "ndcg_at_5": None}
    return {"n": len(lists), **found}


def _measure(gold: Gold, listed: Sequence[_ScoredCandidate], state: str) -> Iterator[float]:
    """Yield P@1, P@5, NDCG@5 and the trustworthiness of a list before or after the filter."""
    shown = [score for each, score in listed if each.is_kept or state == "before"]
    right, ideal = ([float(_is_right(score)) for score in part] for part in (shown, [score for _, score in listed]))
    ideal = sorted(ideal, reverse=True)[:HIT_RANK]
    silence = score_turn(gold, SystemAnswer())
    if_nothing = float(not shown and not any(ideal) and (bool(listed) or silence.is_exact))
    yield from (fmean(right[:depth]) if shown else if_nothing for depth in (1, HIT_RANK))
    yield ndcg(right[:HIT_RANK], ideal) if any(ideal) else if_nothing
    first = shown[0] if shown else silence
    yield float(trust_score(first)) if first is not None else 0.0
