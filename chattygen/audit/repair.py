"""The repaired copy of an audited file: what its queries give, with what the file stated before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from chattyshared import benchmark
from chattyshared.benchmark import Benchmark
from chattyshared.certificates import certificate_from_json, certificate_to_json
from chattyshared.dialogue import Turn, Value
from chattyshared.jsonlines import to_json_line
from chattyshared.questions import Question
from chattyshared.sparql.gold_queries import QueryRun, add_gold

from chattygen.audit.report import AuditReport, Verdict

GOLD_KINDS = frozenset(("differs", "data-changed", "data-lost", "gold-was-wrong", "label-changed"))
"""The kinds of findings after which the result of the query is the new gold."""


def repaired_lines(report: AuditReport) -> Iterator[str]:
    """Yield the lines of the copy: a benchmark stays one, any other file becomes a file of questions of ours.

    A repaired query replaces the old one, answers that differ are replaced by the query's, and missing answers are
    added. The former values are kept: as ``was`` on the question's line, or under ``repaired`` in the benchmark's
    header, by the turn's id; the queries of a benchmark under ``rewritten``. What cannot be run stays as it was.
    """
    content = report.gold.content
    if isinstance(content, Benchmark):
        yield from _benchmark_lines(content, report)
    else:
        old = {change.id: change.original for change in report.gold.changes if change.changes}
        for verdict in report.verdicts:
            yield to_json_line(_question_line(verdict, old.get(verdict.id)))


def _question_line(verdict: Verdict, old_query: str | None) -> dict[str, Any]:
    question = verdict.question
    was: dict[str, Any] = {} if old_query is None else {"sparql": old_query}
    query_run = _new_gold(verdict)
    if query_run is not None:
        if question.gold() is not None:
            was |= {
                "answers": list(question.answers or ()),
                **({"rows": question.extra["rows"]} if question.extra.get("rows") else {}),
            }
        question = _without_audit(add_gold(question, query_run))
    findings = [finding.kind for finding in verdict.findings] or None
    return question_to_json(question, findings=findings, was=was or None)


def question_to_json(question: Question, **more: Any) -> dict[str, Any]:
    """Return the line of a question in a file of ours, with ``more`` keys; what is empty is left out."""
    row: dict[str, Any] = {
        "id": question.id,
        "dialogue_id": question.dialogue_id,
        "turn": question.turn,
        "question": question.question,
        "lang": question.lang or None,
        "kg": question.kg or None,
        "answers": None if question.answers is None else list(question.answers),
        "answer_iris": list(question.answer_iris) or None,
        "answer_labels": list(question.answer_labels) or None,
        **question.extra,
        **more,
    }
    return {key: value for key, value in row.items() if value is not None}


def _without_audit(question: Question) -> Question:
    """Return a question without what an audit certified of its former gold."""
    own = question.extra.get("certificate")
    if not isinstance(own, dict):
        return question
    former = certificate_from_json(own)
    exclusions = None if former.is_audit else certificate_to_json(former.exclusions)
    return replace(question, extra={**question.extra, "certificate": exclusions})


def _new_gold(verdict: Verdict) -> QueryRun | None:
    """Return the result that becomes a question's gold; None if its gold stays."""
    if verdict.query_run is None or verdict.query_run.failure:
        return None
    is_new = verdict.question.gold() is None or any(finding.kind in GOLD_KINDS for finding in verdict.findings)
    return verdict.query_run if is_new else None


def _benchmark_lines(content: Benchmark, report: AuditReport) -> Iterator[str]:
    verdicts = {verdict.id: verdict for verdict in report.verdicts}
    previous_answers: dict[str, Any] = {}
    previous_queries: dict[str, str] = {}
    dialogues = []
    for dialogue in content.dialogues:
        turns = []
        for stated in dialogue.turns:
            verdict = verdicts[benchmark.turn_id(dialogue, stated)]
            turn, query_run = replace(stated, sparql=verdict.question.sparql), _new_gold(verdict)
            if turn != stated:
                previous_queries[verdict.id] = stated.sparql
            if query_run is not None:
                previous_answers[verdict.id] = benchmark.turn_to_json(turn)["answers"]
            turns.append(turn if query_run is None else _repaired_turn(turn, query_run.values))
        dialogues.append(replace(dialogue, turns=tuple(turns)))
    was = {"repaired": previous_answers, "rewritten": previous_queries}
    header = {**content.header, **{key: values for key, values in was.items() if values}}
    yield to_json_line(benchmark.header_to_json(header))
    yield from (to_json_line(benchmark.dialogue_to_json(dialogue)) for dialogue in dialogues)


def _repaired_turn(turn: Turn, values: tuple[Value, ...]) -> Turn:
    """Return a turn with the result of its query; it is answerable if there is any."""
    if values:
        return replace(turn, answers=values, answerable=True, unanswerable="", certificate=None)
    certificate = turn.certificate.exclusions if turn.certificate and not turn.certificate.is_audit else None
    return replace(turn, answers=(), answerable=False, certificate=certificate)
