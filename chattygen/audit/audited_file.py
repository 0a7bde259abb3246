"""What an audit writes: the repaired copy of a file, its copy for a newer graph, and the file with its certificates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from chattyshared import benchmark
from chattyshared.benchmark import Benchmark
from chattyshared.certificates import add_certificate, certificate_from_json, certificate_to_json
from chattyshared.dialogue import Certificate, Turn, Value
from chattyshared.jsonlines import parse_json, to_json_line
from chattyshared.kg import KnowledgeGraph
from chattyshared.questions import Question
from chattyshared.sparql.gold_queries import QueryRun, add_gold
from chattyshared.sparql.result_comparison import gold_values, result_rows

from chattygen.audit.drift import QuestionDrift
from chattygen.audit.question_checks import check_triples
from chattygen.audit.report import AuditReport, Verdict

GOLD_KINDS = frozenset(("differs", "data-changed", "data-lost"))
"""The kinds of findings after which the result of the query is the new gold."""
OWN_FORMATS = ("benchmark", "questions")
"""The formats that can hold certificates."""


def repaired_lines(report: AuditReport, kg: KnowledgeGraph | None = None) -> Iterator[str]:
    """Yield the lines of the copy: a benchmark stays one, any other file becomes a file of questions of ours.

    A repaired query replaces the old one, answers that differ are replaced by the query's, and missing answers are
    added. The former values are kept: as ``was`` on the question's line, or under ``repaired`` in the benchmark's
    header, by the turn's id; the queries of a benchmark under ``rewritten``. What cannot be run stays as it was.

    ``kg`` is the graph on which the queries were run: the header names it, and what was certified on another graph or
    for another query is left out. The copy for the new graph of a drift has the new names in triples, too, and the
    witness of a turn that has drifted loses what that graph does not contain.

    Raises:
        EndpointError: the graph does not answer.
    """
    content = report.gold.content
    if isinstance(content, Benchmark):
        yield from _benchmark_lines(content, report, kg)
    else:
        old = {change.id: change.original for change in report.gold.changes if change.changes}
        for verdict in report.verdicts:
            yield to_json_line(_question_line(verdict, old.get(verdict.id), kg))


def _question_line(verdict: Verdict, old_query: str | None, kg: KnowledgeGraph | None) -> dict[str, Any]:
    question = verdict.question
    if verdict.query != question.sparql:
        old_query = question.sparql
        question = replace(question, extra={**question.extra, "sparql": verdict.query})
    was: dict[str, Any] = {} if old_query is None else {"sparql": old_query}
    query_run = _new_gold(verdict)
    if query_run is not None:
        if question.gold() is not None:
            was |= {
                "answers": list(question.answers or ()),
                **({"rows": question.extra["rows"]} if question.extra.get("rows") else {}),
            }
        question = add_gold(question, query_run)
    is_same = query_run is None and question.sparql == verdict.question.sparql
    if isinstance(own := question.extra.get("certificate"), dict):
        former = _valid_certificate(certificate_from_json(own), kg.fingerprint() if kg else "", is_same)
        kept = None if former is None else certificate_to_json(former)
        question = replace(question, extra={**question.extra, "certificate": kept})
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


def _valid_certificate(certificate: Certificate, fingerprint: str, is_same: bool) -> Certificate | None:
    """Return a certificate without what an audit certified on another graph than that of a fingerprint (empty: it is
    not known), or, unless query and gold are the same, of the former ones; None if nothing is left."""
    if is_same and fingerprint in ("", certificate.fingerprint):
        return certificate
    return None if certificate.is_audit else certificate.exclusions


def _new_gold(verdict: Verdict) -> QueryRun | None:
    """Return the result that becomes a question's gold; None if its gold stays."""
    if verdict.query_run is None or verdict.query_run.failure:
        return None
    kinds = GOLD_KINDS & {finding.kind for finding in verdict.findings}
    if isinstance(verdict, QuestionDrift) and result_rows(verdict.old_run) == result_rows(verdict.query_run):
        kinds -= {"data-lost"}  # what is lost changes nothing in the result
    return verdict.query_run if kinds or verdict.question.gold() is None else None


def _benchmark_lines(content: Benchmark, report: AuditReport, kg: KnowledgeGraph | None) -> Iterator[str]:
    fingerprint = kg.fingerprint() if kg else ""
    verdicts = {verdict.id: verdict for verdict in report.verdicts}
    previous_answers: dict[str, Any] = {}
    previous_queries: dict[str, str] = {}

    def repair_turn(id: str, stated: Turn) -> Turn:
        verdict = verdicts[id]
        turn, query_run = replace(stated, sparql=verdict.query), _new_gold(verdict)
        if turn != stated:
            previous_queries[id] = stated.sparql
        if query_run is not None:
            previous_answers[id] = benchmark.turn_to_json(turn)["answers"]
            turn = _repaired_turn(turn, gold_values(turn, query_run))
        if kg and isinstance(verdict, QuestionDrift) and verdict.findings:
            turn = _moved_turn(turn, dict(verdict.renames), kg)
        is_same = query_run is None and turn.sparql == stated.sparql
        valid = turn.certificate and _valid_certificate(turn.certificate, fingerprint, is_same)
        return replace(turn, certificate=valid)

    dialogues = _map_turns(content, repair_turn)
    was = {"repaired": previous_answers, "rewritten": previous_queries}
    header = {**content.header, **{key: values for key, values in was.items() if values}}
    if kg and fingerprint != content.fingerprint:
        header["kg"] = {"sources": kg.name.split(", "), "fingerprint": fingerprint, "triples": kg.count_triples()}
    yield to_json_line(benchmark.header_to_json(header))
    yield from dialogues


def _map_turns(content: Benchmark, change: Callable[[str, Turn], Turn]) -> list[str]:
    """Return the lines of the dialogues of a benchmark whose turns are changed, each by its id."""
    return [
        to_json_line(benchmark.dialogue_to_json(replace(dialogue, turns=tuple(
            change(benchmark.turn_id(dialogue, turn), turn) for turn in dialogue.turns
        ))))
        for dialogue in content.dialogues
    ]  # fmt: skip


def _repaired_turn(turn: Turn, values: tuple[Value, ...]) -> Turn:
    """Return a turn with the result of its query; it is answerable if there is any."""
    if values:
        return replace(turn, answers=values, answerable=True, unanswerable="", certificate=None)
    return replace(turn, answers=(), answerable=False)


def _moved_turn(turn: Turn, renames: Mapping[str, str], kg: KnowledgeGraph) -> Turn:
    """Return a turn with new names in its triples, and with the witness that the new graph contains."""
    triples, witness = (
        tuple((renames.get(s, s), renames.get(p, p), renames.get(o, o)) for s, p, o in part)
        for part in (turn.triples, turn.witness)
    )
    return replace(turn, triples=triples, witness=check_triples(witness, kg.endpoint.untrusted_view())[0])


def certified_lines(report: AuditReport) -> Iterator[str]:
    """Yield the lines of the file with certificates: a benchmark stays one, a file of another format becomes a file of
    questions of ours. A question without a certificate stays as it is; a second audit writes the same."""
    content, certificates = report.gold.content, report.certificates
    if isinstance(content, Benchmark):
        yield to_json_line(benchmark.header_to_json(content.header))
        yield from _map_turns(
            content, lambda id, turn: replace(turn, certificate=certificates.get(id, turn.certificate))
        )
        return
    for id, line in _read_lines(report) if report.gold.format == "questions" else _write_lines(content):
        certificate = certificates.get(id)
        yield line if certificate is None else add_certificate(line, certificate_to_json(certificate))


def _write_lines(questions: Iterable[Question]) -> Iterator[tuple[str, str]]:
    yield from ((str(question.id), to_json_line(question_to_json(question))) for question in questions)


def _read_lines(report: AuditReport) -> Iterator[tuple[str, str]]:
    """Yield the lines of a file of questions as they are written, with the ids of the questions."""
    with report.gold.path.open(encoding="utf-8-sig") as file:
        for number, text in enumerate(file, 1):
            line = text.rstrip("\r\n")
            id = parse_json(line).get("id") if line.strip() else None
            yield (str(number if id is None else id) if line.strip() else ""), line
