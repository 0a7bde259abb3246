"""Filtering: candidate queries are deleted, never reordered; the result of the first that is kept is the answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from chattyshared.dialogue import Answer, CandidateQuery, Value
from chattyshared.endpoint.guard import MAX_QUERY_LENGTH
from chattyshared.sparql.gold_queries import QueryRun, run_query
from chattyshared.sparql.repair import repair_query

from chattykg.filtering.judging import judge_query
from chattykg.state import AgentContext, make_empty_answer, make_refusal

MAX_CANDIDATES = 100
"""Candidates of a question that are read, the first ones; a published system gives up to 60."""
_MAX_REASON = 200
"""Characters of the reason of a verdict."""


def answer_from_candidates(
    question: str, candidates: Sequence[CandidateQuery], context: AgentContext, *, known: Answer | None = None
) -> Answer:
    """Return the result of the first candidate that is kept and runs, else a refusal, with the verdicts.

    ``known`` is an answer that is there: of its query it is the result, and nothing behind the first candidate that is
    kept is judged. Without it all are.

    Raises:
        EndpointError, ModelError: the KG or a model could not be asked.
    """
    answer: Answer | None = None
    judged: list[CandidateQuery] = []
    for candidate in candidates[:MAX_CANDIDATES]:
        if answer is None or known is None:
            sparql, candidate = _judge_candidate(question, candidate, context)
            if answer is None and candidate.is_kept:
                answer, candidate = _execute(sparql, candidate, context, known)
        judged.append(candidate)
    verdicts = Counter(each.verdict for each in judged)
    deleted = verdicts["no"] + verdicts["invalid"]
    if answer is None:
        why = f"of {len(judged)} candidate queries none is kept: {verdicts['no']} do not say what the question asks, "
        answer = make_refusal(
            "too-unsure", f"{why}{verdicts['invalid']} cannot be run{' or have no result' * (known is not None)}."
        )
    notes = [f"Deleted candidate queries: {deleted} of {len(judged)}."] if deleted and answer.reason is None else []
    notes += [f"Kept unjudged, the judge said neither yes nor no: {verdicts['unread']}."] if verdicts["unread"] else []
    cut = len(candidates) - MAX_CANDIDATES
    notes += [f"Candidate queries behind the first {MAX_CANDIDATES}, not read: {cut}."] if cut > 0 else []
    return replace(answer, candidates=tuple(judged), notes=(*answer.notes, *notes))


def verify_answer(answer: Answer, question: str, context: AgentContext) -> Answer:
    """Return the answer of a strategy if its query is kept, else the result of its first candidate that is and has one;
    without a judge the answer as it stands. The query of the answer stands first among the candidates.

    Raises:
        EndpointError, ModelError: the KG or a model could not be asked.
    """
    if not answer.sparql or answer.status not in ("answered", "empty"):
        return answer
    listed = {each.query: each for each in (CandidateQuery(answer.sparql, answer.confidence), *answer.candidates)}
    if context.verification is None:
        return replace(answer, candidates=tuple(listed.values())) if answer.candidates else answer
    return answer_from_candidates(question, tuple(listed.values()), context, known=answer)


def _judge_candidate(question: str, candidate: CandidateQuery, context: AgentContext) -> tuple[str, CandidateQuery]:
    """Return the query to run and the candidate with its verdict; a query that does not parse or writes is invalid."""
    repaired = repair_query(candidate.query[: MAX_QUERY_LENGTH + 1])
    if repaired.fault or len(repaired.text) > MAX_QUERY_LENGTH:
        return "", replace(candidate, verdict="invalid", reason=repaired.fault[:_MAX_REASON] or "longer than the limit")
    if context.verification is None:
        return repaired.text, candidate
    verdict, reason = judge_query(context.verification, question, repaired.text, context)
    return repaired.text, replace(candidate, verdict=verdict, reason=reason[:_MAX_REASON])


def _execute(
    sparql: str, candidate: CandidateQuery, context: AgentContext, known: Answer | None
) -> tuple[Answer | None, CandidateQuery]:
    """Run a query in the sandbox; one that fails is invalid, and one without a result beside a ``known`` answer."""
    if known is not None and candidate.query == known.sparql:
        return known, candidate
    context.candidate_queries += 1
    context.progress.report_query(sparql)
    run = run_query(context.kg, sparql)
    if run.failure:
        return None, replace(candidate, verdict="invalid", reason=f"cannot be run: {run.failure}"[:_MAX_REASON])
    if known is not None and not run.values:
        return None, replace(candidate, verdict="invalid", reason="it has no result")
    return build_run_answer(run, sparql, min(1.0, max(0.0, candidate.score))), candidate


def build_run_answer(run: QueryRun, sparql: str, confidence: float) -> Answer:
    """Return the result of a query: the distinct values of the first column, and the rows if there are several."""
    firsts = (next((cell for cell in row if cell is not None), None) for row in run.rows)
    values = tuple(dict.fromkeys(cell for cell in firsts if cell is not None))
    empty = Value("", "literal")
    rows = tuple(tuple(cell or empty for cell in row) for row in run.rows) if run.is_table else ()
    if not values:
        return replace(make_empty_answer(sparql), confidence=confidence)
    return Answer(values, (confidence,) * len(values), rows, sparql, confidence=confidence)
